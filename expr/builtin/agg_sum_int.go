package builtin

import (
	"math"
	"math/bits"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// sum128 is a signed 128-bit sum of n values. No number of 64-bit values that fits
// n can overflow it.
type sum128 struct {
	lo uint64
	hi int64
	n  int64
}

func (s sum128) widen() sum192 { return sum192{s.lo, uint64(s.hi), s.hi >> 63, s.n} }

func (s *sum128) add(v int64) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(v), 0)
	s.hi += v>>63 + int64(c)
	s.n++
}

func (s *sum128) take(v int64) {
	var b uint64
	s.lo, b = bits.Sub64(s.lo, uint64(v), 0)
	s.hi -= v>>63 + int64(b)
	s.n--
}

func (s *sum128) merge(x sum128) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, x.lo, 0)
	s.hi += x.hi + int64(c)
	s.n += x.n
}

// sum96 is a sum128 of few values: each changes hi by one at most, so that hi and n
// hold narrowRows values.
type sum96 struct {
	lo uint64
	hi int32
	n  int32
}

const narrowRows = math.MaxInt32

func (s sum96) widen() sum128 { return sum128{s.lo, int64(s.hi), int64(s.n)} }

func (s *sum96) add(v int64) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(v), 0)
	s.hi += int32(v>>63) + int32(c)
	s.n++
}

func (s *sum96) take(v int64) {
	var b uint64
	s.lo, b = bits.Sub64(s.lo, uint64(v), 0)
	s.hi -= int32(v>>63) + int32(b)
	s.n--
}

// intSum sums integers and DECIMALs of up to 18 digits. Until it has taken
// narrowRows rows its sums are narrow.
type intSum[T int8 | int16 | int32 | int64] struct {
	finish finish
	sums   expr.Cells[sum96]
	rows   int64 // at least |hi| and |n| of any narrow sum
	isWide bool
	wide   expr.Cells[sum128] // instead of sums
	arg    argument[T]
}

func (a *intSum[T]) Grow(n int) {
	if a.isWide {
		a.wide.Grow(n)
	} else {
		a.sums.Grow(n)
	}
}

// Touch implements expr.Toucher.
func (a *intSum[T]) Touch(g int32) byte {
	if a.isWide {
		return a.wide.Touch(g)
	}
	return a.sums.Touch(g)
}

func (a *intSum[T]) Reset() {
	a.sums.Reset()
	a.wide = expr.Cells[sum128]{}
	a.rows, a.isWide = 0, false
}

// reserve makes sure that the sums have room for n rows more.
func (a *intSum[T]) reserve(n int64) {
	if a.rows += n; a.rows <= narrowRows || a.isWide {
		return
	}
	a.rows = n
	for g := range a.sums.Len() {
		a.rows = max(a.rows, n+a.at(g).rows())
	}
	if a.rows > narrowRows {
		a.widen()
	}
}

func (a *intSum[T]) widen() {
	a.isWide = true
	a.wide.Grow(a.sums.Len())
	for g := range a.sums.Len() {
		*a.wide.At(g) = a.sums.At(g).widen()
	}
	a.sums = expr.Cells[sum96]{}
}

// rows is the least number of rows that can have made s, in either direction.
func (s sum128) rows() int64 { return max(s.hi, -(s.hi+1), s.n, -(s.n+1)) + 1 }

// set sets one sum.
func (a *intSum[T]) set(g int, s sum128) {
	if n := s.rows(); !a.isWide && (n > narrowRows || n < 0) {
		a.widen()
	} else {
		a.rows = max(a.rows, n)
	}
	if a.isWide {
		*a.wide.At(g) = s
		return
	}
	*a.sums.At(g) = sum96{s.lo, int32(s.hi), int32(s.n)}
}

// len and at hide the width.
func (a *intSum[T]) len() int { return a.sums.Len() + a.wide.Len() }

func (a *intSum[T]) at(g int) sum128 {
	if a.isWide {
		return *a.wide.At(g)
	}
	return a.sums.At(g).widen()
}

func (a *intSum[T]) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.reserve(int64(rows.Len()))
	vals, sel, all := a.arg.read(args[0], rows)
	flat, ok := a.sums.Flat()
	chunks := a.sums.Chunks()
	switch {
	case a.isWide:
		a.each(groups, vals, sel, all, (*sum128).add)
	case ok && all:
		groups = groups[:len(vals)]
		for i, v := range vals {
			flat[groups[i]].add(int64(v))
		}
	case ok:
		for _, i := range sel {
			flat[groups[i]].add(int64(vals[i]))
		}
	case all:
		groups = groups[:len(vals)]
		for i, v := range vals {
			g := groups[i]
			chunks[uint32(g)>>expr.CellBits][g&expr.CellMask].add(int64(v))
		}
	default:
		for _, i := range sel {
			g := groups[i]
			chunks[uint32(g)>>expr.CellBits][g&expr.CellMask].add(int64(vals[i]))
		}
	}
	return nil
}

func (a *intSum[T]) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.reserve(int64(rows.Len()))
	vals, sel, all := a.arg.read(args[0], rows)
	switch {
	case a.isWide:
		a.each(groups, vals, sel, all, (*sum128).take)
	case all:
		for i, v := range vals {
			a.sums.At(int(groups[i])).take(int64(v))
		}
	default:
		for _, i := range sel {
			a.sums.At(int(groups[i])).take(int64(vals[i]))
		}
	}
	return nil
}

// each is the loop over wide sums.
func (a *intSum[T]) each(groups []int32, vals []T, sel []int32, all bool, f func(*sum128, int64)) {
	if all {
		for i, v := range vals {
			f(a.wide.At(int(groups[i])), int64(v))
		}
		return
	}
	for _, i := range sel {
		f(a.wide.At(int(groups[i])), int64(vals[i]))
	}
}

func (a *intSum[T]) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*intSum[T])
	for i, g := range groups {
		s := a.at(int(g))
		s.merge(f.at(int(fromGroups[i])))
		a.set(int(g), s)
	}
	return nil
}

func (a *intSum[T]) Result(groups []int32, n int, out *stream.Vec) error {
	if !a.finish.mean && out.Type.Kind == types.BigInt && !a.isWide && a.putBigInts(groups, n, stream.Values[int64](out)) {
		return nil
	}
	for k := range n {
		if err := a.finish.put(a.at(groupAt(groups, k)).widen(), k, n, out); err != nil {
			return err
		}
	}
	return nil
}

// putBigInts is the quick way for sums of BIGINT; it gives up at a NULL or an
// overflow.
func (a *intSum[T]) putBigInts(groups []int32, n int, dst []int64) bool {
	for k := range n {
		s := a.sums.At(groupAt(groups, k))
		if s.n == 0 || int64(s.hi) != int64(s.lo)>>63 {
			return false
		}
		dst[k] = int64(s.lo)
	}
	return true
}

func (a *intSum[T]) Bytes() int64 { return a.sums.Bytes() + a.wide.Bytes() + a.arg.bytes() }

func (a *intSum[T]) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.len()))
	for g := range a.len() {
		s := a.at(g)
		e.Uint64(s.lo)
		e.Int64(s.hi)
		e.Int64(s.n)
	}
}

func (a *intSum[T]) Restore(d *stream.Decoder) error {
	a.Reset()
	n := d.Count(24)
	a.Grow(n)
	for g := range n {
		a.set(g, sum128{d.Uint64(), d.Int64(), d.Int64()})
	}
	return d.Err()
}
