package types

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// AppendBool appends TRUE or FALSE.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "TRUE"...)
	}
	return append(dst, "FALSE"...)
}

// AppendHex appends bytes as results show them: x'00ff'.
func AppendHex(dst, b []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, 'x', '\'')
	for _, c := range b {
		dst = append(dst, hex[c>>4], hex[c&15])
	}
	return append(dst, '\'')
}

// AppendUTF8 appends bytes read as UTF-8, as CAST from BYTES to text does: each
// sequence that is none becomes U+FFFD.
func AppendUTF8(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return append(dst, b...)
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = malformedLength(b)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, b[:n]...)
		}
		b = b[n:]
	}
	return dst
}

// malformedLength returns how many bytes at the start of b one U+FFFD stands for
// in Java: what could still have become a character, and whole surrogates.
func malformedLength(b []byte) int {
	c := b[0]
	var need int // bytes of a well-formed sequence
	lo, hi := byte(0x80), byte(0xbf)
	switch {
	case c >= 0xc2 && c <= 0xdf:
		need = 2
	case c >= 0xe0 && c <= 0xef:
		need = 3
		if c == 0xe0 {
			lo = 0xa0
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 4
		if c == 0xf0 {
			lo = 0x90
		} else if c == 0xf4 {
			hi = 0x8f
		}
	default:
		return 1
	}
	n := 1
	for n < need && n < len(b) && b[n] >= lo && b[n] <= hi {
		lo, hi = 0x80, 0xbf
		n++
	}
	return n
}

// Cut returns the longest start of text with at most n characters, and the number
// of characters it has.
func Cut(b []byte, n int) ([]byte, int) {
	if len(b) <= n && isASCII(b) {
		return b, len(b)
	}
	count := 0
	for i := 0; i < len(b); count++ {
		if count == n {
			return b[:i], n
		}
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return b, count
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// FitText fits the text dst[start:], of any length, to a text type: VARCHAR cuts,
// CHAR cuts or pads with blanks.
func FitText(dst []byte, start int, t Type) []byte {
	if t.Length == MaxLength {
		return dst
	}
	cut, n := Cut(dst[start:], int(t.Length))
	dst = dst[:start+len(cut)]
	if t.Kind == Char {
		for ; n < int(t.Length); n++ {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// FitBytes fits the bytes dst[start:] to a bytes type: VARBINARY cuts, BINARY cuts
// or pads with zeros.
func FitBytes(dst []byte, start int, t Type) []byte {
	if t.Length == MaxLength {
		return dst
	}
	if over := len(dst) - start - int(t.Length); over > 0 {
		dst = dst[:len(dst)-over]
	}
	if t.Kind == Binary {
		for len(dst)-start < int(t.Length) {
			dst = append(dst, 0)
		}
	}
	return dst
}

// AppendInt64 appends a value of one of the types whose Value is in I: BOOLEAN, the
// integers, DECIMAL of up to 18 digits, temporal types and intervals.
func AppendInt64(dst []byte, t Type, v int64, z ZoneRules) []byte {
	switch t.Kind {
	case Boolean:
		return AppendBool(dst, v != 0)
	case Decimal:
		return AppendDecimal64(dst, v, t.Scale)
	case Date:
		return AppendDate(dst, v)
	case Time:
		return AppendTime(dst, v, t.Precision)
	case Timestamp:
		return AppendTimestamp(dst, v, t.TimeUnit(), t.Precision)
	case TimestampLTZ:
		return AppendTimestamp(dst, Local(v, t.TimeUnit(), z), t.TimeUnit(), t.Precision)
	case IntervalDay:
		return AppendIntervalDay(dst, v)
	case IntervalMonth:
		return AppendIntervalMonth(dst, v)
	}
	return strconv.AppendInt(dst, v, 10)
}

// AppendValue appends a value of type t as results show it: like CAST to STRING,
// but bytes in hexadecimal. NULL appends nothing.
func AppendValue(dst []byte, t Type, v Value, z ZoneRules) []byte {
	if v.Null {
		return dst
	}
	switch t.Layout() {
	case NoLayout:
		return dst
	case Float32:
		return AppendFloat(dst, float32(v.F))
	case Float64:
		return AppendDouble(dst, v.F)
	case Int128:
		return AppendDecimal(dst, v.D, t.Scale)
	case Bytes:
		return AppendRawText(dst, t, []byte(v.S), z, true)
	}
	return AppendInt64(dst, t, v.I, z)
}

// ParseBool reads a BOOLEAN as CAST from text does: true, t, yes, y, 1 and their
// opposites, in any letter case, no white space.
func ParseBool(b []byte) (bool, Fault) {
	switch len(b) {
	case 1:
		switch b[0] | 0x20 {
		case 't', 'y', '1':
			return true, oneLetter(b[0])
		case 'f', 'n', '0':
			return false, oneLetter(b[0])
		}
	case 2:
		if equalFold(b, "no") {
			return false, OK
		}
	case 3:
		if equalFold(b, "yes") {
			return true, OK
		}
	case 4:
		if equalFold(b, "true") {
			return true, OK
		}
	case 5:
		if equalFold(b, "false") {
			return false, OK
		}
	}
	return false, Malformed
}

// oneLetter refuses the control characters that folding the case lets pass.
func oneLetter(c byte) Fault {
	if c < '0' {
		return Malformed
	}
	return OK
}

// ParseText reads the text of a value of type t by the rules of CAST, a
// TIMESTAMP_LTZ in UTC; text and bytes types take it as it is. Cold paths only.
func ParseText(t Type, text string) (Value, error) {
	b := []byte(text)
	var v Value
	fault := OK
	switch {
	case t.Kind == Boolean:
		var is bool
		is, fault = ParseBool(b)
		v = BoolValue(is)
	case t.IsInteger():
		v.I, fault = ParseInt(b, t.Kind)
	case t.Kind == Float:
		var f float32
		f, fault = ParseFloat(b)
		v.F = float64(f)
	case t.Kind == Double:
		v.F, fault = ParseDouble(b)
	case t.Layout() == Int128:
		v.D, fault = ParseDecimal(b, t.Precision, t.Scale)
	case t.Kind == Decimal:
		v.I, fault = ParseDecimal64(b, t.Precision, t.Scale)
	case t.Kind == Date:
		v.I, fault = ParseDate(b)
	case t.Kind == Time:
		v.I, fault = ParseTime(b)
	case t.IsTimestamp():
		var seconds int64
		var nanos int
		if seconds, nanos, fault = ParseTimestamp(b); fault == OK {
			var fits bool
			if v.I, fits = Units(seconds, nanos, t.TimeUnit(), t.Precision); !fits {
				fault = OutOfRange
			}
		}
	case t.Layout() == Bytes && t.Kind != Bitmap:
		v.S = text
	default:
		return NullValue, fmt.Errorf("text cannot be read as %s", t.Name())
	}
	if fault != OK {
		return NullValue, fmt.Errorf("cannot read '%s' as %s: %s", text, t.Name(), fault)
	}
	return v, nil
}
