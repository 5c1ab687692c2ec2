package builtin

import (
	"math/rand/v2"
	"testing"
)

// edges are values at which a product with a reciprocal goes wrong first.
func edges(r *rand.Rand, width int) []int64 {
	least, most := int64(-1)<<(width-1), int64(1)<<(width-1)-1
	vals := []int64{0, 1, -1, 2, -2, 3, -3, 5, 7, 10, -10, 100, 1000, 1_000_000, least, least + 1, most, most - 1, most/2 + 1, least / 2}
	for i := range width - 1 {
		p := int64(1) << i
		vals = append(vals, p-1, p, p+1, -p, 1-p, -1-p)
	}
	for range 200 {
		vals = append(vals, r.Int64()>>(64-width)>>r.IntN(width-1)*(1-2*int64(r.IntN(2))))
	}
	for i, v := range vals {
		vals[i] = max(least, min(most, v))
	}
	return vals
}

// TestDivideByConstant: the product with a reciprocal gives what a division gives.
func TestDivideByConstant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	checkDivision[int8](t, edges(r, 8))
	checkDivision[int16](t, edges(r, 16))
	checkDivision[int32](t, edges(r, 32))
	checkDivision[int64](t, edges(r, 64))
}

func checkDivision[T integer](t *testing.T, vals []int64) {
	t.Helper()
	divisors := vals
	// Multiples of the divisor and their neighbours, too.
	for _, y := range divisors {
		if T(y) == 0 {
			continue
		}
		var a []T
		for _, x := range vals {
			a = append(a, T(x), T(x)/T(y)*T(y), T(x)/T(y)*T(y)-1, T(x)/T(y)*T(y)+1)
		}
		q, rest := make([]T, len(a)), make([]T, len(a))
		divideConst(q, a, T(y))
		remainderConst(rest, a, T(y))
		for i, x := range a {
			if q[i] != x/T(y) || rest[i] != x%T(y) {
				t.Fatalf("%T: %d / %d = %d rest %d, got %d rest %d", x, x, y, x/T(y), x%T(y), q[i], rest[i])
			}
		}
	}
}
