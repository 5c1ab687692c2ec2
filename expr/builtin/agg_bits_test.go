package builtin

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestAppendSetBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		words := make([]uint64, (n+63)/64+1)
		for i := range words {
			words[i] = r.Uint64() | uint64(n%2)*^uint64(0)
		}
		want := []int32{7}
		for i := range n {
			if words[i>>6]>>(i&63)&1 != 0 {
				want = append(want, int32(i))
			}
		}
		if got := appendSetBits([]int32{7}, words, n); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%d bits: %v, want %v", n, got, want)
		}
	}
}
