package exec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMinima compares with looking at all numbers.
func TestMinima(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 20; n++ {
		m, all := newMinima(n, 7), make([]int64, n)
		for i := range all {
			all[i] = 7
		}
		for range 200 {
			i, x := r.IntN(n), int64(r.IntN(5))
			all[i] = x
			m.set(i, x)
			least := slices.Min(all)
			if m.least() != least || m.first() != slices.Index(all, least) {
				t.Fatalf("%v: least %d, first %d", all, m.least(), m.first())
			}
			before, behind := m.others(i)
			if b, h := slices.Min(append([]int64{math.MaxInt64}, all[:i]...)), slices.Min(append([]int64{math.MaxInt64}, all[i+1:]...)); b != before || h != behind {
				t.Fatalf("%v at %d: before %d, behind %d", all, i, before, behind)
			}
		}
	}
}
