package types

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// wide is a natural number below 2^256, least word first: what the exact results
// of DECIMAL arithmetic need before they are rounded.
type wide [4]uint64

// magnitude splits x into its absolute value and its sign.
func magnitude(x Num128) (w wide, negative bool) {
	hi, lo := uint64(x.HighBits()), x.LowBits()
	if x.HighBits() < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
		negative = true
	}
	return wide{lo, hi}, negative
}

// signed returns ±w; ok is false if w does not fit in 127 bits.
func (w wide) signed(negative bool) (Num128, bool) {
	if w[3]|w[2] != 0 || w[1]>>63 != 0 {
		return Num128{}, false
	}
	lo, hi := w[0], w[1]
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return decimal128.New(int64(hi), lo), true
}

func (w wide) isZero() bool { return w[0]|w[1]|w[2]|w[3] == 0 }

func (w wide) cmp(v wide) int {
	for i := 3; i >= 0; i-- {
		if w[i] != v[i] {
			if w[i] < v[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// add returns w + v; the sum must fit.
func (w wide) add(v wide) (s wide) {
	var c uint64
	for i := range s {
		s[i], c = bits.Add64(w[i], v[i], c)
	}
	return s
}

// sub returns w - v, v ≤ w.
func (w wide) sub(v wide) (d wide) {
	var b uint64
	for i := range d {
		d[i], b = bits.Sub64(w[i], v[i], b)
	}
	return d
}

// mul64 returns w × f; ok is false if the product does not fit.
func (w wide) mul64(f uint64) (p wide, ok bool) {
	var carry uint64
	for i := range p {
		hi, lo := bits.Mul64(w[i], f)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return p, carry == 0
}

// scaleUp returns w × 10^n; ok is false if the product does not fit.
func (w wide) scaleUp(n int) (p wide, ok bool) {
	for n > 0 && !w.isZero() {
		k := min(n, 18)
		if w, ok = w.mul64(uint64(pow10[k])); !ok {
			return w, false
		}
		n -= k
	}
	return w, true
}

// mul128 returns the product of two numbers below 2^128.
func mul128(a, b wide) (p wide) {
	h00, l00 := bits.Mul64(a[0], b[0])
	h01, l01 := bits.Mul64(a[0], b[1])
	h10, l10 := bits.Mul64(a[1], b[0])
	h11, l11 := bits.Mul64(a[1], b[1])
	var c1, c2 uint64
	p[0] = l00
	p[1], c1 = bits.Add64(h00, l01, 0)
	p[1], c2 = bits.Add64(p[1], l10, 0)
	p[2], c1 = bits.Add64(h01, l11, c1)
	h11 += c1
	p[2], c2 = bits.Add64(p[2], h10, c2)
	p[3] = h11 + c2
	return p
}

// div64 returns w / d and the rest.
func (w wide) div64(d uint64) (q wide, rest uint64) {
	for i := 3; i >= 0; i-- {
		q[i], rest = bits.Div64(rest, w[i], d)
	}
	return q, rest
}

// div returns w / d and the rest, d ≠ 0.
func (w wide) div(d wide) (q, rest wide) {
	if d[1]|d[2]|d[3] == 0 {
		q, rest[0] = w.div64(d[0])
		return q, rest
	}
	// Binary long division. It runs only for divisors above 64 bits.
	shift := d.leadingZeros() - w.leadingZeros()
	if shift < 0 {
		return wide{}, w
	}
	d = d.shl(shift)
	for ; shift >= 0; shift-- {
		if w.cmp(d) >= 0 {
			w = w.sub(d)
			q[shift>>6] |= 1 << (shift & 63)
		}
		d = d.shr1()
	}
	return q, w
}

func (w wide) leadingZeros() int {
	for i := 3; i >= 0; i-- {
		if w[i] != 0 {
			return (3-i)*64 + bits.LeadingZeros64(w[i])
		}
	}
	return 256
}

func (w wide) shl(n int) (s wide) {
	words, bit := n/64, n%64
	for i := 3; i >= words; i-- {
		s[i] = w[i-words] << bit
		if bit > 0 && i > words {
			s[i] |= w[i-words-1] >> (64 - bit)
		}
	}
	return s
}

func (w wide) shr1() (s wide) {
	for i := range 3 {
		s[i] = w[i]>>1 | w[i+1]<<63
	}
	s[3] = w[3] >> 1
	return s
}

// scaleDown returns w / 10^n, rounded half up.
func (w wide) scaleDown(n int) wide {
	if n <= 0 {
		return w
	}
	if n > 76 {
		return wide{}
	}
	for n > 18 {
		w, _ = w.div64(uint64(pow10[18]))
		n -= 18
	}
	// The digits cut so far cannot matter: "half or more" is decided by the first
	// digit behind the new last one.
	d := uint64(pow10[n])
	q, rest := w.div64(d)
	if rest >= d-rest {
		q = q.add(wide{1})
	}
	return q
}

// digits returns the number of decimal digits of w, 0 for 0.
func (w wide) digits() int {
	n := 0
	for w[1]|w[2]|w[3] != 0 {
		w, _ = w.div64(uint64(pow10[18]))
		n += 18
	}
	for x := w[0]; x > 0; x /= 10 {
		n++
	}
	return n
}
