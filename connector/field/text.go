package field

import "strconv"

// CutZeros takes zeros from the end of a fraction, and a point without any.
func CutZeros(b []byte) []byte {
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}

// AppendDecimal appends a DECIMAL, given by the digits of its unscaled value,
// without zeros at the end of its digits, and in scientific notation where Java's
// BigDecimal would use it.
func AppendDecimal(dst, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		dst = append(dst, '-')
		digits = digits[1:]
	}
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		scale--
	}
	if digits[0] == '0' {
		return append(dst, '0')
	}
	exp := len(digits) - 1 - scale // of the first digit
	switch {
	case scale == 0:
		return append(dst, digits...)
	case scale < 0 || exp < -6:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(dst, '.')
			dst = append(dst, digits[1:]...)
		}
		dst = append(dst, 'E')
		if exp > 0 {
			dst = append(dst, '+')
		}
		return strconv.AppendInt(dst, int64(exp), 10)
	case exp < 0:
		dst = append(dst, "0."...)
		for range -exp - 1 {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:exp+1]...)
	dst = append(dst, '.')
	return append(dst, digits[exp+1:]...)
}
