package types

import (
	"math"
	"math/bits"
	"strconv"
)

// AppendDouble appends x as Java 17's Double.toString writes it, which Flink uses
// for DOUBLE. That is mostly the shortest text that reads back as x, written
// plainly from 1E-3 up to 1E7 and with an exponent elsewhere, but not always: the
// text keeps clear of the exact middle between two doubles (2E23 is written
// 1.9999999999999998E23), large whole numbers keep more digits than needed, and a
// single digit with an exponent is not accepted before a second one was tried
// (4.9E-324).
func AppendDouble(dst []byte, x float64) []byte {
	b := math.Float64bits(x)
	exp := int(b>>52) & 0x7ff
	frac := b & (1<<52 - 1)
	switch {
	case exp == 0x7ff:
		return appendNonFinite(dst, frac != 0, x < 0)
	case exp == 0 && frac == 0:
		return appendZero(dst, b>>63 != 0)
	}
	if x < 0 {
		dst = append(dst, '-')
		x = -x
	}
	if out, ok := appendThousandths(dst, x); ok {
		return out
	}
	// Below 2^52 no middle between two doubles has a short text, so the shortest text
	// is Java's, powers of two and one-digit results apart.
	if exp != 0 && frac != 0 && exp < 1023+52 {
		if out, ok := appendShortest(dst, x, 64); ok {
			return out
		}
	}
	sig := 53
	if exp == 0 {
		shift := bits.LeadingZeros64(frac) - 11
		sig = 53 - shift
		frac <<= shift
		exp = 1 - shift
	} else {
		frac |= 1 << 52
	}
	return appendJavaDigits(dst, exp-1023, frac, sig)
}

// appendThousandths appends x > 0 if it is the double nearest to a decimal number with
// three digits behind the point: most numbers that people write. Its at most eleven
// digits, without zeros at the end, are the shortest, as two decimal numbers of up to 15
// digits never share their nearest double.
func appendThousandths(dst []byte, x float64) ([]byte, bool) {
	if !(x >= 1e-3 && x < 1e7) {
		return dst, false
	}
	n := int64(x*1000 + 0.5)
	if float64(n)/1000 != x {
		return dst, false
	}
	whole, rest := n/1000, int(n%1000)
	dst = AppendInteger(dst, whole)
	dst = append(dst, '.', byte('0'+rest/100))
	if rest %= 100; rest > 0 {
		dst = append(dst, digitPairs[2*rest])
		if rest%10 > 0 {
			dst = append(dst, digitPairs[2*rest+1])
		}
	}
	return dst, true
}

// AppendFloat appends x as Java 17's Float.toString writes it; see AppendDouble.
func AppendFloat(dst []byte, x float32) []byte {
	b := math.Float32bits(x)
	exp := int(b>>23) & 0xff
	frac := uint64(b & (1<<23 - 1))
	switch {
	case exp == 0xff:
		return appendNonFinite(dst, frac != 0, x < 0)
	case exp == 0 && frac == 0:
		return appendZero(dst, b>>31 != 0)
	}
	if x < 0 {
		dst = append(dst, '-')
		x = -x
	}
	if exp != 0 && frac != 0 && exp < 127+23 {
		if out, ok := appendShortest(dst, float64(x), 32); ok {
			return out
		}
	}
	sig := 24
	if exp == 0 {
		shift := bits.LeadingZeros64(frac) - 40
		sig = 24 - shift
		frac <<= shift
		exp = 1 - shift
	} else {
		frac |= 1 << 23
	}
	return appendJavaDigits(dst, exp-127, frac<<29, sig)
}

func appendNonFinite(dst []byte, nan, negative bool) []byte {
	switch {
	case nan:
		return append(dst, "NaN"...)
	case negative:
		return append(dst, "-Infinity"...)
	}
	return append(dst, "Infinity"...)
}

func appendZero(dst []byte, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	return append(dst, "0.0"...)
}

// appendShortest appends the shortest text of x > 0 in Java's layout. It declines a
// single digit that would be written with an exponent.
func appendShortest(dst []byte, x float64, size int) ([]byte, bool) {
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], x, 'e', -1, size) // d[.ddd]e±dd
	digits := buf[:1]
	i := 1
	if e[i] == '.' {
		i++
		for e[i] != 'e' {
			digits = append(digits, e[i]) // closes the gap of the point
			i++
		}
	}
	exp, negative := 0, e[i+1] == '-'
	for _, c := range e[i+2:] {
		exp = exp*10 + int(c-'0')
	}
	if negative {
		exp = -exp
	}
	if len(digits) == 1 && (exp < -3 || exp >= 8) {
		return dst, false
	}
	return appendJavaLayout(dst, digits, exp+1), true
}

// appendJavaLayout writes 0.d1d2d3... × 10^point as Java lays numbers out.
func appendJavaLayout(dst, digits []byte, point int) []byte {
	n := len(digits)
	switch {
	case point > 0 && point < 8:
		if n <= point {
			dst = append(dst, digits...)
			for range point - n {
				dst = append(dst, '0')
			}
			return append(dst, ".0"...)
		}
		dst = append(dst, digits[:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	case point <= 0 && point > -3:
		dst = append(dst, "0."...)
		for range -point {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[0], '.')
	if n > 1 {
		dst = append(dst, digits[1:]...)
	} else {
		dst = append(dst, '0')
	}
	dst = append(dst, 'E')
	return strconv.AppendInt(dst, int64(point-1), 10)
}

// appendJavaDigits appends the positive number frac/2^52 × 2^exp, 2^52 ≤ frac <
// 2^53, of which sig bits are significant, by the digit generation of Java 17: it
// develops decimal digits one by one until the rest, or what is missing to the next
// digit, is less than half the distance to a neighbouring number.
func appendJavaDigits(dst []byte, exp int, frac uint64, sig int) []byte {
	tail := bits.TrailingZeros64(frac)
	nbits := 53 - tail
	tiny := max(0, nbits-exp-1) // bits behind the binary point
	if tiny == 0 && exp <= 62 {
		return appendJavaWhole(dst, exp, frac, sig)
	}
	// value = B/S × 10^dec with 1 ≤ B/S < 10 (or the estimate is one too high); M is
	// half the distance to a neighbour on B's scale. All three are 5^a × 2^b, B times
	// the fraction's bits.
	dec := estimateDecimalExponent(frac, exp)
	b5, s5 := max(0, -dec), max(0, dec)
	b2, s2 := b5+tiny+exp, s5+tiny
	m2 := b2 - sig
	frac >>= tail
	b2 -= nbits - 1
	common := min(b2, s2)
	b2, s2, m2 = b2-common, s2-common, m2-common
	if nbits == 1 {
		m2-- // the neighbour below a power of two is nearer
	}
	if m2 < 0 {
		b2, s2, m2 = b2-m2, s2-m2, 0
	}
	g := digitGenerator{dec: dec}
	bBits := nbits + b2 + bitsOf5(b5)
	tensBits := s2 + 1 + bitsOf5(s5+1)
	if bBits < 64 && tensBits < 64 {
		g.small(int64(frac*pow5[b5]<<b2), int64(pow5[s5]<<s2), int64(pow5[b5]<<m2))
	} else {
		g.large(frac, b5, b2, s5, s2, m2)
	}
	return appendJavaLayout(dst, g.digits[:g.n], g.dec+1)
}

// appendJavaWhole handles whole numbers below 2^63: their digits are exact, but
// for those at the end that no neighbour could change.
func appendJavaWhole(dst []byte, exp int, frac uint64, sig int) []byte {
	drop := 0
	if p := exp - sig - 1; p > 1 {
		for x := uint64(1) << p; x >= 10; x /= 10 {
			drop++
		}
	}
	if exp >= 52 {
		frac <<= exp - 52
	} else {
		frac >>= 52 - exp
	}
	point := 0
	if drop > 0 {
		unit := pow10[drop]
		rest := frac % uint64(unit)
		frac /= uint64(unit)
		if rest >= uint64(unit)>>1 {
			frac++
		}
		point = drop
	}
	for frac%10 == 0 {
		frac /= 10
		point++
	}
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], frac, 10)
	return appendJavaLayout(dst, digits, point+len(digits))
}

// estimateDecimalExponent returns floor(log10(frac/2^52 × 2^exp)) or one more,
// from the tangent at 1.5. The conversions keep the compiler from fusing
// operations, which could change the last bit.
func estimateDecimalExponent(frac uint64, exp int) int {
	f := math.Float64frombits(1023<<52 | frac&(1<<52-1))
	d := float64((f-1.5)*0.289529654) + 0.176091259
	d += float64(float64(exp) * 0.301029995663981)
	return int(math.Floor(d))
}

// pow10 holds the powers of ten that fit in an int64.
var pow10 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// pow5 holds the powers of five that fit in 63 bits.
var pow5 = func() (p [28]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 5 * p[i-1]
	}
	return p
}()

// bitsOf5 is the number of bits of 5^n, or a little more; 0 for n = 0.
func bitsOf5(n int) int {
	switch {
	case n == 0:
		return 0
	case n < 27:
		return bits.Len64(pow5[n])
	}
	return 3 * n
}

// digitGenerator holds the digits of a number while they are developed; the value
// is d.ddd × 10^dec.
type digitGenerator struct {
	digits [32]byte
	n      int
	dec    int
}

// first takes the first quotient; a zero means that the estimate of the exponent
// was too high. It reports whether the two stop conditions count: where the
// text will have an exponent, a second digit is always developed.
func (g *digitGenerator) first(q uint64, high bool) bool {
	if q == 0 && !high {
		g.dec--
	} else {
		g.push(q)
	}
	return g.dec >= -3 && g.dec < 8
}

func (g *digitGenerator) push(q uint64) {
	g.digits[g.n] = byte('0' + q)
	g.n++
}

// finish rounds the last digit. rest compares twice the remainder with the unit.
func (g *digitGenerator) finish(low, high bool, rest int) {
	if !high || low && (rest < 0 || rest == 0 && g.digits[g.n-1]&1 == 0) {
		return
	}
	i := g.n - 1
	for ; i > 0 && g.digits[i] == '9'; i-- {
		g.digits[i] = '0'
	}
	if g.digits[i] == '9' {
		g.digits[i] = '1'
		g.dec++
		return
	}
	g.digits[i]++
}

// small develops the digits of b/s in 64-bit numbers. They are signed and may
// overflow in b + m, as in Java: the last digit is then not rounded up.
func (g *digitGenerator) small(b, s, m int64) {
	tens := 10 * s
	q := b / s
	b = 10 * (b % s)
	m *= 10
	low, high := b < m, b+m > tens
	if !g.first(uint64(q), high) {
		low, high = false, false
	}
	for !low && !high {
		q = b / s
		b = 10 * (b % s)
		m *= 10
		if m > 0 {
			low, high = b < m, b+m > tens
		} else { // m does not fit any more: it is larger than anything left
			low, high = true, true
		}
		g.push(uint64(q))
	}
	rest := b<<1 - tens
	switch {
	case rest < 0:
		g.finish(low, high, -1)
	case rest > 0:
		g.finish(low, high, 1)
	default:
		g.finish(low, high, 0)
	}
}

// large is small for numbers of any size.
func (g *digitGenerator) large(frac uint64, b5, b2, s5, s2, m2 int) {
	var b, s, m, tens, t natural
	b.set(frac)
	b.mulPow(b5, b2)
	s.set(1)
	s.mulPow(s5, s2)
	tens.set(10)
	tens.mulPow(s5, s2)
	m.set(10)
	m.mulPow(b5, m2)

	step := func() (q uint64, low, high bool) {
		q = b.divSmall(&s)
		b.mulSmall(10)
		low = b.cmp(&m) < 0
		t.add(&b, &m)
		high = t.cmp(&tens) > 0
		return q, low, high
	}
	q, low, high := step()
	if !g.first(q, high) {
		low, high = false, false
	}
	for !low && !high {
		m.mulSmall(10)
		q, low, high = step()
		g.push(q)
	}
	b.mulSmall(2)
	g.finish(low, high, b.cmp(&tens))
}

// natural is a natural number below 2^1344, large enough for every number that
// takes part in writing a float64.
type natural struct {
	n int
	w [21]uint64
}

func (x *natural) set(v uint64) {
	x.n, x.w[0] = 1, v
}

// mulPow multiplies x by 5^fives × 2^twos.
func (x *natural) mulPow(fives, twos int) {
	for fives > 0 {
		k := min(fives, 27)
		x.mulSmall(pow5[k])
		fives -= k
	}
	words, shift := twos/64, twos%64
	if shift > 0 {
		x.mulSmall(1 << shift)
	}
	if words > 0 {
		copy(x.w[words:], x.w[:x.n])
		clear(x.w[:words])
		x.n += words
	}
}

func (x *natural) mulSmall(f uint64) {
	var carry uint64
	for i := range x.n {
		hi, lo := bits.Mul64(x.w[i], f)
		var c uint64
		x.w[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	if carry != 0 {
		x.w[x.n] = carry
		x.n++
	}
}

// add sets x to a + b.
func (x *natural) add(a, b *natural) {
	if a.n < b.n {
		a, b = b, a
	}
	var carry uint64
	for i := range a.n {
		var y uint64
		if i < b.n {
			y = b.w[i]
		}
		x.w[i], carry = bits.Add64(a.w[i], y, carry)
	}
	x.n = a.n
	if carry != 0 {
		x.w[x.n] = carry
		x.n++
	}
}

func (x *natural) cmp(y *natural) int {
	if x.n != y.n {
		if x.n < y.n {
			return -1
		}
		return 1
	}
	for i := x.n - 1; i >= 0; i-- {
		if x.w[i] != y.w[i] {
			if x.w[i] < y.w[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// divSmall returns x/s, which must be below 10, and leaves the rest in x.
func (x *natural) divSmall(s *natural) uint64 {
	var q uint64
	for x.cmp(s) >= 0 {
		var borrow uint64
		for i := range x.n {
			var y uint64
			if i < s.n {
				y = s.w[i]
			}
			x.w[i], borrow = bits.Sub64(x.w[i], y, borrow)
		}
		for x.n > 1 && x.w[x.n-1] == 0 {
			x.n--
		}
		q++
	}
	return q
}
