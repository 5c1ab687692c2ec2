package types

import (
	"math"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// intRange returns the limits of an integer type's values.
func intRange(k Kind) (lo, hi int64) {
	switch k {
	case TinyInt:
		return math.MinInt8, math.MaxInt8
	case SmallInt:
		return math.MinInt16, math.MaxInt16
	case Int:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// ParseInt reads an integer as CAST from text does: blanks around it are cut, and
// so is a fraction.
func ParseInt(b []byte, k Kind) (int64, Fault) {
	b = trimBlanks(b)
	whole := b
	for i, c := range b {
		if c == '.' {
			whole = b[:i]
			frac := b[i+1:]
			for _, d := range frac {
				if d < '0' || d > '9' {
					return 0, Malformed
				}
			}
			if len(whole) == 0 || len(whole) == 1 && (whole[0] == '-' || whole[0] == '+') {
				return 0, OK // ".5", and "." as in Flink
			}
			break
		}
	}
	return parseInt(whole, k)
}

// parseInt reads an optional sign and ASCII digits.
func parseInt(b []byte, k Kind) (int64, Fault) {
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, Malformed
	}
	var x uint64
	if len(b) <= 18 {
		for _, c := range b {
			d := c - '0'
			if d > 9 {
				return 0, Malformed
			}
			x = 10*x + uint64(d)
		}
	} else {
		over := false
		for _, c := range b {
			d := c - '0'
			if d > 9 {
				return 0, Malformed
			}
			hi, lo := bits.Mul64(x, 10)
			sum, carry := bits.Add64(lo, uint64(d), 0)
			over = over || hi|carry != 0
			x = sum
		}
		if over {
			return 0, OutOfRange
		}
	}
	lo, hi := intRange(k)
	if negative {
		if x > uint64(-(lo+1))+1 {
			return 0, OutOfRange
		}
		return -int64(x), OK
	}
	if x > uint64(hi) {
		return 0, OutOfRange
	}
	return int64(x), OK
}

// trimBlanks cuts ' ' from both ends.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// trimControls cuts blanks and control characters from both ends, as Java's
// String.trim.
func trimControls(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// ParseDouble reads a DOUBLE as Java's Double.parseDouble does, which CAST and the
// csv and json formats use: white space around it is cut, "NaN" and "Infinity" are
// spelled so, hexadecimal numbers and a final d or f are accepted, and what is too
// large becomes an infinity.
func ParseDouble(b []byte) (float64, Fault) { return parseFloat(b, 64) }

// ParseFloat is ParseDouble for FLOAT: the text is rounded once, to 32 bits.
func ParseFloat(b []byte) (float32, Fault) {
	f, fault := parseFloat(b, 32)
	return float32(f), fault
}

func parseFloat(b []byte, size int) (float64, Fault) {
	b = trimControls(b)
	if f, ok := shortFloat(b, size); ok {
		return f, OK
	}
	body, negative := b, false
	if len(body) > 0 && (body[0] == '-' || body[0] == '+') {
		negative = body[0] == '-'
		body = body[1:]
	}
	switch string(body) {
	case "NaN":
		return math.NaN(), OK
	case "Infinity":
		if negative {
			return math.Inf(-1), OK
		}
		return math.Inf(1), OK
	}
	n := javaFloatLength(body)
	if n == 0 {
		return 0, Malformed
	}
	b = b[:len(b)-len(body)+n]
	// The grammar has been checked, so the only error left is the range, and then
	// the result is the infinity that is wanted.
	f, _ := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), size)
	return f, OK
}

// shortFloat reads plain decimals of up to 15 digits (7 for size 32), which one
// exact division gives.
func shortFloat(b []byte, size int) (float64, bool) {
	most := 15
	if size == 32 {
		most = 7
	}
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		negative = true
		i++
	}
	if len(b)-i > most+1 || len(b) == i {
		return 0, false
	}
	var m uint64
	point, digits := -1, 0
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			if b[i] != '.' || point >= 0 {
				return 0, false
			}
			point = digits
			continue
		}
		m = m*10 + uint64(d)
		digits++
	}
	if digits == 0 || digits > most {
		return 0, false
	}
	f := float64(m)
	if point >= 0 {
		if size == 32 {
			// Both numbers are exact FLOATs, so that dividing them rounds once.
			f = float64(float32(m) / float32(floatPow10[digits-point]))
		} else {
			f /= floatPow10[digits-point]
		}
	}
	if negative {
		f = -f
	}
	return f, true
}

// javaFloatLength returns how much of an unsigned text is a number in the grammar
// of Java, without the final type letter; 0 if the text is none.
func javaFloatLength(b []byte) int {
	end := len(b)
	if end == 0 {
		return 0
	}
	hex := end > 2 && b[0] == '0' && b[1]|0x20 == 'x'
	if c := b[end-1] | 0x20; c == 'd' || c == 'f' {
		// In a hexadecimal number the exponent stands between a digit d and the end.
		end--
	}
	i := 0
	if hex {
		i = 2
	}
	digits := 0
	for point := false; i < end; i++ {
		c := b[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c-'0' > 9 && !(hex && (c|0x20)-'a' < 6) {
			break
		}
		digits++
	}
	if digits == 0 {
		return 0
	}
	if i == end {
		if hex {
			return 0
		}
		return end
	}
	if c := b[i] | 0x20; hex && c != 'p' || !hex && c != 'e' {
		return 0
	}
	i++
	if i < end && (b[i] == '+' || b[i] == '-') {
		i++
	}
	if i == end {
		return 0
	}
	for ; i < end; i++ {
		if b[i]-'0' > 9 {
			return 0
		}
	}
	return end
}

// ParseDecimal reads a DECIMAL(p, s) as CAST from text does: white space around it
// is cut, an exponent is accepted, digits beyond the scale are rounded half up.
func ParseDecimal(b []byte, p, s int32) (Num128, Fault) {
	b = trimControls(b)
	w, negative, fault := parseDecimal(b, p, s)
	if fault != OK {
		return Num128{}, fault
	}
	d, _ := w.signed(negative)
	return d, OK
}

// ParseDecimal64 is ParseDecimal for p ≤ 18. Like Flink it takes digits of other
// scripts only in texts of more than 18 bytes.
func ParseDecimal64(b []byte, p, s int32) (int64, Fault) {
	if len(b) <= 18 && !isASCII(b) {
		return 0, Malformed
	}
	return parseDecimal64(trimControls(b), p, s)
}

func parseDecimal64(b []byte, p, s int32) (int64, Fault) {
	if x, ok := shortDecimal(b, p, s); ok {
		return x, OK
	}
	w, negative, fault := parseDecimal(b, p, s)
	if fault != OK {
		return 0, fault
	}
	if negative {
		return -int64(w[0]), OK
	}
	return int64(w[0]), OK
}

// shortDecimal reads plain decimals that need no rounding and fit.
func shortDecimal(b []byte, p, s int32) (int64, bool) {
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		negative = true
		i++
	}
	if n := len(b) - i; n == 0 || n > 18 {
		return 0, false
	}
	var m int64
	point, digits := -1, 0
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			if b[i] != '.' || point >= 0 {
				return 0, false
			}
			point = digits
			continue
		}
		m = m*10 + int64(d)
		digits++
	}
	frac := 0
	if point >= 0 {
		frac = digits - point
	}
	if digits == 0 || frac > int(s) || digits-frac+int(s) > 18 {
		return 0, false
	}
	m *= pow10[int(s)-frac]
	if !Fits64(m, p) {
		return 0, false
	}
	if negative {
		m = -m
	}
	return m, true
}

// parseDecimal reads sign, digits, point and exponent in the grammar of Java's
// BigDecimal, which takes the digits of all scripts.
func parseDecimal(b []byte, p, s int32) (w wide, negative bool, fault Fault) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	var (
		digits  bool // at least one
		point   bool
		scale   int  // digits of w behind the point, less those in front that are missing
		dropped bool // w is full; further digits only count
		i       int
	)
	for i < len(b) {
		d, n := digitAt(b[i:])
		if n == 0 {
			if b[i] == '.' && !point {
				point = true
				i++
				continue
			}
			break
		}
		i += n
		digits = true
		if dropped {
			if !point {
				scale--
			}
			continue
		}
		w, _ = w.mul64(10)
		w = w.add(wide{uint64(d)})
		if point {
			scale++
		}
		// 10^75 × 10 still fits in 256 bits. A digit behind the 76th cannot matter: the
		// value is too large, or the digit is behind the place where it is rounded.
		dropped = w[3] >= 1<<53
	}
	if !digits {
		return w, false, Malformed
	}
	exp := 0
	if i < len(b) {
		var ok bool
		if exp, ok = parseExponent(b[i:]); !ok {
			return w, false, Malformed
		}
	}
	shift := exp - scale + int(s)
	switch {
	case w.isZero():
		return w, false, OK
	case shift > 0:
		var ok bool
		if shift > 76 {
			return w, false, OutOfRange
		}
		if w, ok = w.scaleUp(shift); !ok {
			return w, false, OutOfRange
		}
	case shift < 0:
		w = w.scaleDown(-shift)
	}
	if w.cmp(pow10Wide[p]) >= 0 {
		return w, false, OutOfRange
	}
	return w, negative, OK
}

// parseExponent reads e[±]digits up to the end of b.
func parseExponent(b []byte) (exp int, ok bool) {
	if b[0]|0x20 != 'e' {
		return 0, false
	}
	b = b[1:]
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	for len(b) > 0 {
		d, n := digitAt(b)
		if n == 0 {
			return 0, false
		}
		exp = min(exp*10+d, 1<<30)
		b = b[n:]
	}
	if negative {
		exp = -exp
	}
	return exp, true
}

// digitAt returns the value of the decimal digit of any script at the start of b
// and its length in bytes; length 0 if there is none.
func digitAt(b []byte) (value, length int) {
	if c := b[0]; c < utf8.RuneSelf {
		if c-'0' > 9 {
			return 0, 0
		}
		return int(c - '0'), 1
	}
	r, n := utf8.DecodeRune(b)
	if r > 0xffff || !unicode.IsDigit(r) {
		return 0, 0
	}
	// Decimal digits stand in blocks of ten, zero first.
	v := 0
	for v < 9 && unicode.IsDigit(r-rune(v)-1) && v < int(r) {
		v++
	}
	return v, n
}
