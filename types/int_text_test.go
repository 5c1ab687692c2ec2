package types

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestAppendInteger(t *testing.T) {
	check := func(x int64) {
		if got, want := string(AppendInteger([]byte("a"), x)), "a"+strconv.FormatInt(x, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	for _, x := range []int64{0, math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
		check(x)
	}
	for p := int64(1); p > 0 && p <= math.MaxInt64/10; p *= 10 {
		for d := int64(-2); d < 3; d++ {
			check(p + d)
			check(-p + d)
		}
	}
	for i := range 63 {
		for d := int64(-1); d < 2; d++ {
			check(1<<i + d)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(int64(r.Uint64()) >> r.IntN(64))
	}
}
