package builtin

import (
	"fmt"
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
	zero   bool   // the result of no values is 0
	raise  uint64 // DECIMAL means: factor that brings the sum to the result's scale; 0 for integers
}

// put writes the result for s at position k of out, which has n rows. Overflow is
// judged here, so it depends neither on order nor on what was taken back.
func (f *finish) put(s sum192, k, n int, out *stream.Vec) error {
	if s.n == 0 {
		if zero(out, k); !f.zero {
			out.SetNull(k, n)
		}
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
