package builtin

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// sum192 is a signed 192-bit sum, in two's complement, of n values.
type sum192 struct {
	lo, mid uint64
	hi      int64
	n       int64
}

// sum128 is a signed 128-bit sum of n values. No number of 64-bit values that fits
// n can overflow it.
type sum128 struct {
	lo uint64
	hi int64
	n  int64
}

func (s sum128) widen() sum192 { return sum192{s.lo, uint64(s.hi), s.hi >> 63, s.n} }

// magnitude returns |s| and whether s is negative.
func (s sum192) magnitude() (m [4]uint64, negative bool) {
	m = [4]uint64{s.lo, s.mid, uint64(s.hi)}
	if s.hi >= 0 {
		return m, false
	}
	var c uint64
	m[0], c = bits.Add64(^m[0], 1, 0)
	m[1], c = bits.Add64(^m[1], 0, c)
	m[2], _ = bits.Add64(^m[2], 0, c)
	return m, true
}

// finish says what becomes of an exact sum.
type finish struct {
	name   string
	result types.Type
	mean   bool   // divide by the number of values
	raise  uint64 // DECIMAL means: factor that brings the sum to the result's scale; 0 for integers
}

// put writes the result for s at position k of out, which has n rows. Overflow is
// judged here, so it depends neither on order nor on what was taken back.
func (f *finish) put(s sum192, k, n int, out *stream.Vec) error {
	if s.n == 0 {
		out.SetNull(k, n)
		zero(out, k)
		return nil
	}
	m, negative := s.magnitude()
	if f.mean {
		d := s.n
		if d < 0 {
			d, negative = -d, !negative
		}
		if f.raise > 0 {
			m = mulWords(m, f.raise)
		}
		var rest uint64
		m, rest = divWords(m, uint64(d))
		if f.raise > 0 && rest >= uint64(d)-rest {
			m = incWords(m)
		}
	}
	if f.result.Kind == types.Decimal {
		if m[2]|m[3] != 0 || m[1] > limit38[1] || m[1] == limit38[1] && m[0] >= limit38[0] {
			return f.overflow(k, m, negative)
		}
		x := decimal128.New(int64(m[1]), m[0])
		if negative {
			x = x.Negate()
		}
		stream.Values[types.Num128](out)[k] = x
		return nil
	}
	if m[1]|m[2]|m[3] != 0 || !f.putInt(m[0], negative, k, out) {
		return f.overflow(k, m, negative)
	}
	return nil
}

// putInt stores an integer if it fits the result type.
func (f *finish) putInt(m uint64, negative bool, k int, out *stream.Vec) bool {
	width := out.Type.Layout().Width()
	limit := uint64(1) << (8*width - 1)
	if m > limit || m == limit && !negative {
		return false
	}
	x := int64(m)
	if negative {
		x = -x
	}
	switch width {
	case 1:
		stream.Values[int8](out)[k] = int8(x)
	case 2:
		stream.Values[int16](out)[k] = int16(x)
	case 4:
		stream.Values[int32](out)[k] = int32(x)
	default:
		stream.Values[int64](out)[k] = x
	}
	return true
}

func (f *finish) overflow(k int, m [4]uint64, negative bool) error {
	x := new(big.Int)
	for i := 3; i >= 0; i-- {
		x.Lsh(x, 64)
		x.Or(x, new(big.Int).SetUint64(m[i]))
	}
	text := x.String()
	if s := int(f.result.Scale); s > 0 {
		for len(text) <= s {
			text = "0" + text
		}
		text = text[:len(text)-s] + "." + text[len(text)-s:]
	}
	if negative {
		text = "-" + text
	}
	e := &expr.RowError{Row: k, Msg: fmt.Sprintf("%s is out of range for %s: %s", f.name, f.result.Name(), text)}
	switch {
	case f.result.Kind == types.Decimal:
		e.Hint = fmt.Sprintf("cast the argument of %s to DOUBLE", f.name)
	case f.result.Kind == types.BigInt:
		e.Hint = fmt.Sprintf("cast the argument of %s to DECIMAL(38, 0)", f.name)
	default:
		e.Hint = fmt.Sprintf("cast the argument of %s to BIGINT", f.name)
	}
	return e
}

// limit38 is 10^38, low word first.
var limit38 = [2]uint64{687399551400673280, 5421010862427522170}

// pow10u64 are the powers of ten that a DECIMAL mean is raised by.
var pow10u64 = [7]uint64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}

func mulWords(m [4]uint64, x uint64) [4]uint64 {
	var carry uint64
	for i := range m {
		hi, lo := bits.Mul64(m[i], x)
		var c uint64
		m[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return m
}

func divWords(m [4]uint64, d uint64) (q [4]uint64, rest uint64) {
	for i := 3; i >= 0; i-- {
		if rest == 0 && m[i] < d {
			rest = m[i]
			continue
		}
		q[i], rest = bits.Div64(rest, m[i], d)
	}
	return q, rest
}

func incWords(m [4]uint64) [4]uint64 {
	c := uint64(1)
	for i := range m {
		m[i], c = bits.Add64(m[i], 0, c)
	}
	return m
}

// zero gives the value under a NULL a defined content.
func zero(out *stream.Vec, k int) {
	w := out.Type.Layout().Width()
	clear(out.Data[k*w : k*w+w])
}

// intSum sums integers and DECIMALs of up to 18 digits.
type intSum[T int8 | int16 | int32 | int64] struct {
	finish finish
	sums   []sum128
	arg    argument[T]
}

func (a *intSum[T]) Grow(n int) { a.sums = extend(a.sums, n) }
func (a *intSum[T]) Reset()     { a.sums = a.sums[:0] }

func (a *intSum[T]) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	vals, sel, all := a.arg.read(args[0], rows)
	if all {
		groups = groups[:len(vals)]
		for i, v := range vals {
			a.sums[groups[i]].add(int64(v))
		}
		return nil
	}
	for _, i := range sel {
		a.sums[groups[i]].add(int64(vals[i]))
	}
	return nil
}

func (a *intSum[T]) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	vals, sel, all := a.arg.read(args[0], rows)
	if all {
		for i, v := range vals {
			a.sums[groups[i]].take(int64(v))
		}
		return nil
	}
	for _, i := range sel {
		a.sums[groups[i]].take(int64(vals[i]))
	}
	return nil
}

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

func (a *intSum[T]) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*intSum[T])
	for i, g := range groups {
		s, x := &a.sums[g], f.sums[fromGroups[i]]
		var c uint64
		s.lo, c = bits.Add64(s.lo, x.lo, 0)
		s.hi += x.hi + int64(c)
		s.n += x.n
	}
	return nil
}

func (a *intSum[T]) Result(groups []int32, n int, out *stream.Vec) error {
	if !a.finish.mean && out.Type.Kind == types.BigInt && a.putBigInts(groups, n, stream.Values[int64](out)) {
		return nil
	}
	for k := range n {
		if err := a.finish.put(a.sums[groupAt(groups, k)].widen(), k, n, out); err != nil {
			return err
		}
	}
	return nil
}

// putBigInts is the quick way for sums of BIGINT; it gives up at a NULL or an
// overflow.
func (a *intSum[T]) putBigInts(groups []int32, n int, dst []int64) bool {
	for k := range n {
		s := &a.sums[groupAt(groups, k)]
		if s.n == 0 || s.hi != int64(s.lo)>>63 {
			return false
		}
		dst[k] = int64(s.lo)
	}
	return true
}

func (a *intSum[T]) Bytes() int64 { return int64(cap(a.sums))*24 + a.arg.bytes() }

func (a *intSum[T]) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(a.sums)))
	for _, s := range a.sums {
		e.Uint64(s.lo)
		e.Int64(s.hi)
		e.Int64(s.n)
	}
}

func (a *intSum[T]) Restore(d *stream.Decoder) error {
	a.sums = extend(a.sums[:0], d.Count(24))
	for i := range a.sums {
		a.sums[i] = sum128{d.Uint64(), d.Int64(), d.Int64()}
	}
	return d.Err()
}

// decimalSum sums DECIMALs of more than 18 digits.
type decimalSum struct {
	finish finish
	sums   []sum192
	arg    argument[types.Num128]
}

func (a *decimalSum) Grow(n int) { a.sums = extend(a.sums, n) }
func (a *decimalSum) Reset()     { a.sums = a.sums[:0] }

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
			f(&a.sums[groups[i]], v)
		}
		return
	}
	for _, i := range sel {
		f(&a.sums[groups[i]], vals[i])
	}
}

func (a *decimalSum) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*decimalSum)
	for i, g := range groups {
		x := f.sums[fromGroups[i]]
		a.sums[g].add(x.lo, x.mid, x.hi)
		a.sums[g].n += x.n
	}
	return nil
}

func (a *decimalSum) Result(groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		if err := a.finish.put(a.sums[groupAt(groups, k)], k, n, out); err != nil {
			return err
		}
	}
	return nil
}

func (a *decimalSum) Bytes() int64 { return int64(cap(a.sums))*32 + a.arg.bytes() }

func (a *decimalSum) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(a.sums)))
	for _, s := range a.sums {
		e.Uint64(s.lo)
		e.Uint64(s.mid)
		e.Int64(s.hi)
		e.Int64(s.n)
	}
}

func (a *decimalSum) Restore(d *stream.Decoder) error {
	a.sums = extend(a.sums[:0], d.Count(32))
	for i := range a.sums {
		a.sums[i] = sum192{d.Uint64(), d.Uint64(), d.Int64(), d.Int64()}
	}
	return d.Err()
}

// floatTotal says how floating-point values are summed.
type floatTotal uint8

const (
	wideSum   floatTotal = iota // SUM(DOUBLE)
	narrowSum                   // SUM(FLOAT): each step is rounded to FLOAT
	meanSum                     // AVG: the sum is a DOUBLE
)

type floatCell struct {
	sum float64
	n   int64
}

// floatSum is SUM and AVG of FLOAT and DOUBLE, added in arrival order.
type floatSum[T float32 | float64] struct {
	total floatTotal
	cells []floatCell
	arg   argument[T]
}

// Grow starts sums at -0.0, which any first value replaces, -0.0 included. Means
// start at 0.0.
func (a *floatSum[T]) Grow(n int) {
	old := len(a.cells)
	a.cells = extend(a.cells, n)
	if a.total != meanSum {
		for i := old; i < len(a.cells); i++ {
			a.cells[i].sum = math.Copysign(0, -1)
		}
	}
}

func (a *floatSum[T]) Reset() { a.cells = a.cells[:0] }

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
	narrow, neg := a.total == narrowSum, sign < 0
	step := func(i int) {
		c, x := &a.cells[groups[i]], float64(vals[i])
		if neg {
			x = -x
		}
		c.sum += x
		if narrow {
			c.sum = float64(float32(c.sum))
		}
		c.n += sign
	}
	switch {
	case all && !narrow && !neg:
		for i, x := range vals {
			c := &a.cells[groups[i]]
			c.sum += float64(x)
			c.n++
		}
	case all:
		for i := range vals {
			step(i)
		}
	default:
		for _, i := range sel {
			step(int(i))
		}
	}
}

func (a *floatSum[T]) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*floatSum[T])
	for i, g := range groups {
		c, x := &a.cells[g], f.cells[fromGroups[i]]
		c.sum += x.sum
		if a.total == narrowSum {
			c.sum = float64(float32(c.sum))
		}
		c.n += x.n
	}
	return nil
}

func (a *floatSum[T]) Result(groups []int32, n int, out *stream.Vec) error {
	dst := stream.Values[T](out)
	for k := range n {
		c := a.cells[groupAt(groups, k)]
		switch {
		case c.n == 0:
			dst[k] = 0
			out.SetNull(k, n)
		case a.total == meanSum:
			dst[k] = T(c.sum / float64(c.n))
		default:
			dst[k] = T(c.sum)
		}
	}
	return nil
}

func (a *floatSum[T]) Bytes() int64 { return int64(cap(a.cells))*16 + a.arg.bytes() }

func (a *floatSum[T]) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(a.cells)))
	for _, c := range a.cells {
		e.Float64(c.sum)
		e.Int64(c.n)
	}
}

func (a *floatSum[T]) Restore(d *stream.Decoder) error {
	a.cells = extend(a.cells[:0], d.Count(16))
	for i := range a.cells {
		a.cells[i] = floatCell{d.Float64(), d.Int64()}
	}
	return d.Err()
}
