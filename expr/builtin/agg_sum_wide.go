package builtin

import (
	"math"
	"math/bits"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// decimalSum sums DECIMALs of more than 18 digits.
type decimalSum struct {
	finish finish
	sums   expr.Cells[sum192]
	arg    argument[types.Num128]
}

func (a *decimalSum) Grow(n int) { a.sums.Grow(n) }
func (a *decimalSum) Reset()     { a.sums.Reset() }

// Touch implements expr.Toucher.
func (a *decimalSum) Touch(g int32) byte { return a.sums.Touch(g) }

func (a *decimalSum) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.each(groups, args, rows, func(s *sum192, x types.Num128) {
		s.add(x.LowBits(), uint64(x.HighBits()), x.HighBits()>>63)
		s.n++
	})
	return nil
}

func (a *decimalSum) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.each(groups, args, rows, func(s *sum192, x types.Num128) {
		x = x.Negate()
		s.add(x.LowBits(), uint64(x.HighBits()), x.HighBits()>>63)
		s.n--
	})
	return nil
}

func (s *sum192) add(lo, mid uint64, hi int64) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, lo, 0)
	s.mid, c = bits.Add64(s.mid, mid, c)
	s.hi += hi + int64(c)
}

func (a *decimalSum) each(groups []int32, args []*stream.Vec, rows expr.Rows, f func(*sum192, types.Num128)) {
	vals, sel, all := a.arg.read(args[0], rows)
	if all {
		for i, v := range vals {
			f(a.sums.At(int(groups[i])), v)
		}
		return
	}
	for _, i := range sel {
		f(a.sums.At(int(groups[i])), vals[i])
	}
}

func (a *decimalSum) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*decimalSum)
	for i, g := range groups {
		x := f.sums.At(int(fromGroups[i]))
		s := a.sums.At(int(g))
		s.add(x.lo, x.mid, x.hi)
		s.n += x.n
	}
	return nil
}

func (a *decimalSum) Result(groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		if err := a.finish.put(*a.sums.At(groupAt(groups, k)), k, n, out); err != nil {
			return err
		}
	}
	return nil
}

func (a *decimalSum) Bytes() int64 { return a.sums.Bytes() + a.arg.bytes() }

func (a *decimalSum) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.sums.Len()))
	for g := range a.sums.Len() {
		s := a.sums.At(g)
		e.Uint64(s.lo)
		e.Uint64(s.mid)
		e.Int64(s.hi)
		e.Int64(s.n)
	}
}

func (a *decimalSum) Restore(d *stream.Decoder) error {
	a.sums.Reset()
	a.sums.Grow(d.Count(32))
	for g := range a.sums.Len() {
		*a.sums.At(g) = sum192{d.Uint64(), d.Uint64(), d.Int64(), d.Int64()}
	}
	return d.Err()
}

// floatTotal says how floating-point values are summed, and what becomes of the sum.
type floatTotal struct {
	rounded  bool // each step is rounded to FLOAT
	fromZero bool // the sum starts at 0.0, so that of -0.0 alone it is 0.0
	mean     bool // the result is the mean
	zero     bool // the result of no values is the sum, 0 in general
}

type floatCell struct {
	sum float64
	n   int64
}

// floatSum is SUM and AVG of FLOAT and DOUBLE, added in arrival order.
type floatSum[T float32 | float64] struct {
	floatTotal
	cells expr.Cells[floatCell]
	arg   argument[T]
}

// Touch implements expr.Toucher.
func (a *floatSum[T]) Touch(g int32) byte { return a.cells.Touch(g) }

// Grow starts sums at -0.0, which any first value replaces, -0.0 included.
func (a *floatSum[T]) Grow(n int) {
	old := a.cells.Len()
	a.cells.Grow(n)
	if !a.fromZero {
		for g := old; g < n; g++ {
			a.cells.At(g).sum = math.Copysign(0, -1)
		}
	}
}

func (a *floatSum[T]) Reset() { a.cells.Reset() }

func (a *floatSum[T]) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.add(groups, args[0], rows, 1)
	return nil
}

func (a *floatSum[T]) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.add(groups, args[0], rows, -1)
	return nil
}

func (a *floatSum[T]) add(groups []int32, v *stream.Vec, rows expr.Rows, sign int64) {
	vals, sel, all := a.arg.read(v, rows)
	flat, ok := a.cells.Flat()
	chunks := a.cells.Chunks()
	switch {
	case a.rounded || sign < 0:
		a.addRounded(groups, vals, sel, all, sign)
	case ok && all:
		groups = groups[:len(vals)]
		for i, x := range vals {
			flat[groups[i]].add(float64(x))
		}
	case ok:
		for _, i := range sel {
			flat[groups[i]].add(float64(vals[i]))
		}
	case all:
		groups = groups[:len(vals)]
		for i, x := range vals {
			g := groups[i]
			chunks[uint32(g)>>expr.CellBits][g&expr.CellMask].add(float64(x))
		}
	default:
		for _, i := range sel {
			g := groups[i]
			chunks[uint32(g)>>expr.CellBits][g&expr.CellMask].add(float64(vals[i]))
		}
	}
}

func (c *floatCell) add(x float64) {
	c.sum += x
	c.n++
}

// addRounded is add for sums that are rounded at each step, and for retractions.
func (a *floatSum[T]) addRounded(groups []int32, vals []T, sel []int32, all bool, sign int64) {
	step := func(i int) {
		c, x := a.cells.At(int(groups[i])), float64(vals[i])
		if sign < 0 {
			x = -x
		}
		c.sum += x
		if a.rounded {
			c.sum = float64(float32(c.sum))
		}
		c.n += sign
	}
	if all {
		for i := range vals {
			step(i)
		}
		return
	}
	for _, i := range sel {
		step(int(i))
	}
}

func (a *floatSum[T]) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*floatSum[T])
	for i, g := range groups {
		c, x := a.cells.At(int(g)), f.cells.At(int(fromGroups[i]))
		c.sum += x.sum
		if a.rounded {
			c.sum = float64(float32(c.sum))
		}
		c.n += x.n
	}
	return nil
}

func (a *floatSum[T]) Result(groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		if err := a.put(int32(groupAt(groups, k)), k, n, out); err != nil {
			return err
		}
	}
	return nil
}

func (a *floatSum[T]) put(g int32, k, n int, out *stream.Vec) error {
	dst, c := stream.Values[T](out), a.cells.At(int(g))
	switch {
	case c.n == 0 && !a.zero:
		dst[k] = 0
		out.SetNull(k, n)
	case a.mean:
		dst[k] = T(c.sum / float64(c.n))
	default:
		dst[k] = T(c.sum)
	}
	return nil
}

func (a *floatSum[T]) Bytes() int64 { return a.cells.Bytes() + a.arg.bytes() }

func (a *floatSum[T]) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.cells.Len()))
	for g := range a.cells.Len() {
		c := a.cells.At(g)
		e.Float64(c.sum)
		e.Int64(c.n)
	}
}

func (a *floatSum[T]) Restore(d *stream.Decoder) error {
	a.cells.Reset()
	a.cells.Grow(d.Count(16))
	for g := range a.cells.Len() {
		*a.cells.At(g) = floatCell{d.Float64(), d.Int64()}
	}
	return d.Err()
}
