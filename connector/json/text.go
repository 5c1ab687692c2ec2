package json

import (
	"math"
	"unicode/utf8"

	"streamsql/types"
)

// appendNumber appends a checked number as Java prints it: what has a fraction or
// an exponent as a double, which is in quotes where it is infinite and quoted is
// set.
func appendNumber(dst, b []byte, quoted bool) []byte {
	if isWhole(b) {
		if string(b) == "-0" {
			b = b[1:]
		}
		return append(dst, b...)
	}
	f, _ := types.ParseDouble(b)
	if quoted && math.IsInf(f, 0) {
		dst = append(dst, '"')
		return append(types.AppendDouble(dst, f), '"')
	}
	return types.AppendDouble(dst, f)
}

// isWhole reports whether a number is written without fraction and exponent.
func isWhole(b []byte) bool {
	for _, c := range b {
		if c == '.' || c|0x20 == 'e' {
			return false
		}
	}
	return true
}

// appendSpelled appends the inside of a checked string with no other escapes than
// needed.
func appendSpelled(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		if b[i] != '\\' {
			dst = appendQuotable(dst, b[i])
			i++
			continue
		}
		r, n := escaped(b[i:])
		if r < utf8.RuneSelf {
			dst = appendQuotable(dst, byte(r))
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		i += n
	}
	return dst
}

const hexDigits = "0123456789ABCDEF"

// appendQuotable appends one byte of a text, escaped if it must be.
func appendQuotable(dst []byte, c byte) []byte {
	if c >= ' ' && c != '"' && c != '\\' {
		return append(dst, c)
	}
	dst = append(dst, '\\')
	switch c {
	case '"', '\\':
		return append(dst, c)
	case '\b':
		return append(dst, 'b')
	case '\f':
		return append(dst, 'f')
	case '\n':
		return append(dst, 'n')
	case '\r':
		return append(dst, 'r')
	case '\t':
		return append(dst, 't')
	}
	return append(dst, 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendString appends a text as a string. Characters outside the basic plane are
// written as surrogate pairs, as Flink does.
func appendString(dst, b []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(b); {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' && c < 0xF0 {
			i++
			continue
		}
		dst = append(dst, b[start:i]...)
		if c < utf8.RuneSelf {
			dst = appendQuotable(dst, c)
			i++
		} else {
			r, n := utf8.DecodeRune(b[i:])
			if n > 1 {
				r -= 0x10000
				dst = appendUnit(appendUnit(dst, 0xD800+r>>10), 0xDC00+r&0x3FF)
			} else {
				dst = utf8.AppendRune(dst, r)
			}
			i += n
		}
		start = i
	}
	dst = append(dst, b[start:]...)
	return append(dst, '"')
}

func appendUnit(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}
