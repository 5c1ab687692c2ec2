package types

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// MaxPrecision is the largest number of digits of a DECIMAL.
const MaxPrecision = 38

// pow10Wide holds 10^0 .. 10^38.
var pow10Wide = func() (p [MaxPrecision + 1]wide) {
	p[0] = wide{1}
	for i := 1; i < len(p); i++ {
		p[i], _ = p[i-1].mul64(10)
	}
	return p
}()

// Pow10 returns 10^n, 0 ≤ n ≤ 18.
func Pow10(n int32) int64 { return pow10[n] }

// Widen returns x as a 128-bit unscaled value.
func Widen(x int64) Num128 { return decimal128.FromI64(x) }

// Narrow returns x as an int64 if it fits: always for unscaled values of up to 18
// digits.
func Narrow(x Num128) (int64, bool) {
	lo := int64(x.LowBits())
	return lo, x.HighBits() == lo>>63
}

// Fits64 reports whether the unscaled value x has at most p digits; p may exceed
// 18, then every x fits.
func Fits64(x int64, p int32) bool {
	if p > 18 {
		return true
	}
	return x < pow10[p] && x > -pow10[p]
}

// Fits reports whether the unscaled value x has at most p ≤ 38 digits.
func Fits(x Num128, p int32) bool {
	w, _ := magnitude(x)
	return w.cmp(pow10Wide[p]) < 0
}

// Rescale64 changes an unscaled value from one scale to another, rounding half up
// (away from zero). ok is false if the result has more than p ≤ 18 digits.
func Rescale64(x int64, from, to, p int32) (r int64, ok bool) {
	switch {
	case to > from:
		if x == 0 {
			return 0, true
		}
		if to-from > 18 {
			return 0, false
		}
		hi, lo := bits.Mul64(abs(x), uint64(pow10[to-from]))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, false
		}
		r = int64(lo)
		if x < 0 {
			r = -r
		}
	case to < from:
		r = roundHalfUp(x, from-to)
	default:
		r = x
	}
	return r, Fits64(r, p)
}

func abs(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// roundHalfUp divides x by 10^n, rounding half away from zero.
func roundHalfUp(x int64, n int32) int64 {
	if n > 19 {
		return 0
	}
	m := abs(x)
	if n == 19 {
		m = b2u(m >= 5e18)
	} else {
		d := uint64(pow10[n])
		q, rest := m/d, m%d
		m = q + b2u(rest >= d-rest)
	}
	if x < 0 {
		return -int64(m)
	}
	return int64(m)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Rescale is Rescale64 for 128-bit values, p ≤ 38.
func Rescale(x Num128, from, to, p int32) (Num128, bool) {
	w, negative := magnitude(x)
	return finish(w, negative, from, to, p)
}

// finish brings ±w of scale from to scale to and checks the precision.
func finish(w wide, negative bool, from, to, p int32) (Num128, bool) {
	if to > from {
		var ok bool
		if w, ok = w.scaleUp(int(to - from)); !ok {
			return Num128{}, false
		}
	} else {
		w = w.scaleDown(int(from - to))
	}
	if w.cmp(pow10Wide[p]) >= 0 {
		return Num128{}, false
	}
	return w.signed(negative)
}

// AddDecimal returns a + b, of scales sa and sb, rounded half up to scale s; ok is
// false if the sum has more than p digits.
func AddDecimal(a Num128, sa int32, b Num128, sb int32, p, s int32) (Num128, bool) {
	wa, na := magnitude(a)
	wb, nb := magnitude(b)
	// Both are below 10^38 with scales ≤ 38: below 10^76 at the common scale.
	scale := max(sa, sb)
	wa, _ = wa.scaleUp(int(scale - sa))
	wb, _ = wb.scaleUp(int(scale - sb))
	var sum wide
	switch {
	case na == nb:
		sum = wa.add(wb)
	case wa.cmp(wb) >= 0:
		sum = wa.sub(wb)
	default:
		sum, na = wb.sub(wa), nb
	}
	return finish(sum, na, scale, s, p)
}

// SubDecimal returns a - b; see AddDecimal.
func SubDecimal(a Num128, sa int32, b Num128, sb int32, p, s int32) (Num128, bool) {
	return AddDecimal(a, sa, b.Negate(), sb, p, s)
}

// MulDecimal returns a × b; see AddDecimal.
func MulDecimal(a Num128, sa int32, b Num128, sb int32, p, s int32) (Num128, bool) {
	wa, na := magnitude(a)
	wb, nb := magnitude(b)
	return finish(mul128(wa, wb), na != nb, sa+sb, s, p)
}

// DivDecimal returns a / b for b ≠ 0; see AddDecimal. As in Flink the quotient is
// first rounded to 38 digits and then to scale s.
func DivDecimal(a Num128, sa int32, b Num128, sb int32, p, s int32) (Num128, bool) {
	wa, na := magnitude(a)
	wb, nb := magnitude(b)
	if wa.isZero() {
		return Num128{}, true
	}
	k := MaxPrecision - wa.digits() + wb.digits() // gives 38 or 39 digits
	num, _ := wa.scaleUp(k)
	q, rest := num.div(wb)
	if q.cmp(pow10Wide[MaxPrecision]) >= 0 {
		k--
		num, _ = wa.scaleUp(k)
		q, rest = num.div(wb)
	}
	if rest.cmp(wb.sub(rest)) >= 0 {
		q = q.add(wide{1})
	}
	return finish(q, na != nb, sa-sb+int32(k), s, p)
}

// ModDecimal returns the rest of a / b, with the sign of a, for b ≠ 0; see
// AddDecimal.
func ModDecimal(a Num128, sa int32, b Num128, sb int32, p, s int32) (Num128, bool) {
	wa, na := magnitude(a)
	wb, _ := magnitude(b)
	scale := max(sa, sb)
	wa, _ = wa.scaleUp(int(scale - sa))
	wb, _ = wb.scaleUp(int(scale - sb))
	_, rest := wa.div(wb)
	return finish(rest, na, scale, s, p)
}

// CompareDecimal orders two values of any scales: -1, 0 or 1.
func CompareDecimal(a Num128, sa int32, b Num128, sb int32) int {
	if sa == sb {
		return a.Cmp(b)
	}
	wa, na := magnitude(a)
	wb, nb := magnitude(b)
	if na != nb {
		if na {
			return -1
		}
		return 1
	}
	scale := max(sa, sb)
	wa, _ = wa.scaleUp(int(scale - sa))
	wb, _ = wb.scaleUp(int(scale - sb))
	if na {
		return wb.cmp(wa)
	}
	return wa.cmp(wb)
}

// CompareDecimal64 is CompareDecimal for values of at most 18 digits.
func CompareDecimal64(a int64, sa int32, b int64, sb int32) int {
	if sa == sb {
		return cmp.Compare(a, b)
	}
	if d := sb - sa; d > 0 && d <= 18 {
		if hi, lo := bits.Mul64(abs(a), uint64(pow10[d])); hi == 0 && lo <= math.MaxInt64 {
			if a < 0 {
				return cmp.Compare(-int64(lo), b)
			}
			return cmp.Compare(int64(lo), b)
		}
	}
	return CompareDecimal(Widen(a), sa, Widen(b), sb)
}

// DecimalToInt64 cuts the fraction off and keeps the low 64 bits, as a cast from
// DECIMAL to an integer type does.
func DecimalToInt64(x Num128, scale int32) int64 {
	w, negative := magnitude(x)
	for n := int(scale); n > 0; {
		k := min(n, 18)
		w, _ = w.div64(uint64(pow10[k]))
		n -= k
	}
	if negative {
		return -int64(w[0])
	}
	return int64(w[0])
}

// DecimalToFloat returns the DOUBLE nearest to a DECIMAL.
func DecimalToFloat(x Num128, scale int32) float64 {
	if i, ok := Narrow(x); ok && scale <= 22 && i > -(1<<53) && i < 1<<53 {
		return float64(i) / floatPow10[scale]
	}
	var buf [48]byte
	f, _ := parseFloat(AppendDecimal(buf[:0], x, scale), 64)
	return f
}

// floatPow10 holds the powers of ten that a float64 represents exactly.
var floatPow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// FloatToDecimal returns the DECIMAL(p, s) of x, rounded half up from the text of x
// as Flink does. ok is false for NaN, infinities and values with more than p
// digits.
func FloatToDecimal(x float64, p, s int32) (Num128, bool) {
	var buf [32]byte
	d, fault := ParseDecimal(AppendDouble(buf[:0], x), p, s)
	return d, fault == OK
}

// AppendDecimal appends an unscaled value with all digits of its scale.
func AppendDecimal(dst []byte, x Num128, scale int32) []byte {
	if i, ok := Narrow(x); ok {
		return AppendDecimal64(dst, i, scale)
	}
	w, negative := magnitude(x)
	if negative {
		dst = append(dst, '-')
	}
	var buf [40]byte
	i := len(buf)
	for w[1] != 0 {
		var low uint64
		w, low = w.div64(uint64(pow10[18]))
		for range 18 {
			i--
			buf[i] = byte('0' + low%10)
			low /= 10
		}
	}
	for low := w[0]; low > 0; low /= 10 {
		i--
		buf[i] = byte('0' + low%10)
	}
	return appendScaled(dst, buf[i:], int(scale))
}

// AppendDecimal64 is AppendDecimal for values of at most 18 digits.
func AppendDecimal64(dst []byte, x int64, scale int32) []byte {
	if x < 0 {
		dst = append(dst, '-')
	}
	var buf [20]byte
	i := len(buf)
	for m := abs(x); m > 0 || i == len(buf); m /= 10 {
		i--
		buf[i] = byte('0' + m%10)
	}
	return appendScaled(dst, buf[i:], int(scale))
}

// appendScaled writes digits with the last scale of them behind the point.
func appendScaled(dst, digits []byte, scale int) []byte {
	if scale == 0 {
		return append(dst, digits...)
	}
	whole := len(digits) - scale
	if whole > 0 {
		dst = append(dst, digits[:whole]...)
		dst = append(dst, '.')
		return append(dst, digits[whole:]...)
	}
	dst = append(dst, "0."...)
	for range -whole {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
