package builtin

import (
	"math/bits"

	"streamsql/expr"
)

// Subtract implements expr.Subtracter.
func (c *countRows) Subtract(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*countRows)
	for i, g := range groups {
		*c.n.At(int(g)) -= *f.n.At(int(fromGroups[i]))
	}
	return nil
}

// Subtract implements expr.Subtracter.
func (a *intSum[T]) Subtract(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*intSum[T])
	a.reserve(f.rows)
	for i, g := range groups {
		x := f.at(int(fromGroups[i]))
		if a.isWide {
			a.wide.At(int(g)).subtract(x)
			continue
		}
		s := a.sums.At(int(g))
		sum := s.widen()
		sum.subtract(x)
		*s = sum96{sum.lo, int32(sum.hi), int32(sum.n)}
	}
	return nil
}

func (s *sum128) subtract(x sum128) {
	var b uint64
	s.lo, b = bits.Sub64(s.lo, x.lo, 0)
	s.hi -= x.hi + int64(b)
	s.n -= x.n
}

// Subtract implements expr.Subtracter.
func (a *decimalSum) Subtract(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*decimalSum)
	for i, g := range groups {
		s, x := a.sums.At(int(g)), f.sums.At(int(fromGroups[i]))
		var b uint64
		s.lo, b = bits.Sub64(s.lo, x.lo, 0)
		s.mid, b = bits.Sub64(s.mid, x.mid, b)
		s.hi -= x.hi + int64(b)
		s.n -= x.n
	}
	return nil
}
