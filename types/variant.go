package types

import (
	"encoding/binary"
	"math"
	"slices"
)

// VariantKind is what a VARIANT value is.
type VariantKind uint8

// The kinds of VARIANT values.
const (
	VariantNull VariantKind = iota // null, which is not the NULL of SQL
	VariantFalse
	VariantTrue
	VariantInt
	VariantDecimal
	VariantDouble
	VariantString
	VariantArray
	VariantObject
)

// The first byte of a value: its kind, and above it the width of what follows, as the
// logarithm to base 2.
const (
	variantKindBits = 4
	variantKindMask = 1<<variantKindBits - 1
)

// VariantKindOf returns what the value is.
func VariantKindOf(b []byte) VariantKind { return VariantKind(b[0] & variantKindMask) }

// AppendVariantHead begins a value of a kind whose bytes say no more: null, false, true
// and, with its text to come behind, a string.
func AppendVariantHead(dst []byte, k VariantKind) []byte { return append(dst, byte(k)) }

// AppendVariantInt appends an integer.
func AppendVariantInt(dst []byte, x int64) []byte {
	switch {
	case x == int64(int8(x)):
		return append(dst, byte(VariantInt), byte(x))
	case x == int64(int16(x)):
		return binary.LittleEndian.AppendUint16(append(dst, byte(VariantInt)|1<<variantKindBits), uint16(x))
	case x == int64(int32(x)):
		return binary.LittleEndian.AppendUint32(append(dst, byte(VariantInt)|2<<variantKindBits), uint32(x))
	}
	return binary.LittleEndian.AppendUint64(append(dst, byte(VariantInt)|3<<variantKindBits), uint64(x))
}

// AppendVariantDecimal appends a decimal number. As in Flink 1.5 and 1.50 are not the
// same value, though they look alike.
func AppendVariantDecimal(dst []byte, x Num128, scale int32) []byte {
	dst = append(dst, byte(VariantDecimal), byte(scale))
	dst = binary.LittleEndian.AppendUint64(dst, x.LowBits())
	return binary.LittleEndian.AppendUint64(dst, uint64(x.HighBits()))
}

// AppendVariantDouble appends a number with an exponent, or of more than 38 digits.
func AppendVariantDouble(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, byte(VariantDouble)), math.Float64bits(x))
}

// CloseVariantArray makes an array of the values that have been appended one behind the
// other from dst[start:] on; ends are the places behind them, counted from start.
func CloseVariantArray(dst []byte, start int, ends []int32) []byte {
	return closeVariant(dst, start, VariantArray, ends)
}

// CloseVariantObject makes an object of n keys in the order of CompareJSONKeys, all
// different, and then n values, which have been appended one behind the other from
// dst[start:] on; ends are the places behind all of them, counted from start.
func CloseVariantObject(dst []byte, start int, ends []int32) []byte {
	return closeVariant(dst, start, VariantObject, ends)
}

func closeVariant(dst []byte, start int, k VariantKind, ends []int32) []byte {
	size := len(dst) - start
	code := 0
	switch most := max(size, len(ends)); {
	case most > math.MaxUint16:
		code = 2
	case most > math.MaxUint8:
		code = 1
	}
	head := 1 + (1+len(ends))<<code
	dst = slices.Grow(dst, head)[:len(dst)+head]
	copy(dst[start+head:], dst[start:start+size])
	dst[start] = byte(k) | byte(code)<<variantKindBits
	at := dst[start+1 : start+head]
	putOffset(at, 0, code, uint32(len(ends)))
	for i, e := range ends {
		putOffset(at, i+1, code, uint32(e))
	}
	return dst
}

func putOffset(b []byte, i, code int, x uint32) {
	switch code {
	case 0:
		b[i] = byte(x)
	case 1:
		binary.LittleEndian.PutUint16(b[2*i:], uint16(x))
	default:
		binary.LittleEndian.PutUint32(b[4*i:], x)
	}
}

// variantParts reads an array or object: an array is made of its elements, an object of
// its keys and then its values.
type variantParts struct {
	at, data []byte
	code, n  int
}

func partsOf(b []byte) variantParts {
	p := variantParts{at: b[1:], code: int(b[0] >> variantKindBits)}
	p.n = p.offset(0)
	p.data = p.at[(1+p.n)<<p.code:]
	return p
}

// offset returns the number of parts and, from 1 on, where each of them ends.
func (p *variantParts) offset(i int) int {
	switch p.code {
	case 0:
		return int(p.at[i])
	case 1:
		return int(binary.LittleEndian.Uint16(p.at[2*i:]))
	}
	return int(binary.LittleEndian.Uint32(p.at[4*i:]))
}

func (p *variantParts) part(i int) []byte {
	lo := 0
	if i > 0 {
		lo = p.offset(i)
	}
	hi := p.offset(i + 1)
	return p.data[lo:hi:hi]
}

// VariantElement returns element i, counted from 0, of an array; ok is false if there is
// none.
func VariantElement(b []byte, i int64) (raw []byte, ok bool) {
	p := partsOf(b)
	if i < 0 || i >= int64(p.n) {
		return nil, false
	}
	return p.part(int(i)), true
}

// VariantField returns the value of a key of an object; ok is false if there is none.
func VariantField(b, key []byte) (raw []byte, ok bool) {
	p := partsOf(b)
	n := p.n / 2
	for lo, hi := 0, n; lo < hi; {
		mid := (lo + hi) / 2
		switch c := CompareJSONKeys(p.part(mid), key); {
		case c < 0:
			lo = mid + 1
		case c > 0:
			hi = mid
		default:
			return p.part(n + mid), true
		}
	}
	return nil, false
}

// CompareJSONKeys is the order of keys in objects: that of their UTF-16 units, where a
// character beyond U+FFFF stands before those from U+E000 on.
func CompareJSONKeys(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := a[i], b[i]; x != y {
			if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
				x, y = y, x
			}
			if x < y {
				return -1
			}
			return 1
		}
	}
	return len(a) - len(b)
}

// AppendVariant appends a value as results and JSON_STRING show it: JSON text without
// blanks, keys in order, decimal numbers without zeros at their end. As in Flink a number
// too large for a DOUBLE is Infinity, which is no JSON: see AppendVariantJSON.
func AppendVariant(dst, b []byte) []byte { return appendVariant(dst, b, false) }

// AppendVariantJSON is AppendVariant with Infinity in quotes, so that it is JSON always.
func AppendVariantJSON(dst, b []byte) []byte { return appendVariant(dst, b, true) }

func appendVariant(dst, b []byte, strict bool) []byte {
	switch VariantKindOf(b) {
	case VariantFalse:
		return append(dst, "false"...)
	case VariantTrue:
		return append(dst, "true"...)
	case VariantInt:
		return AppendInteger(dst, variantInt(b))
	case VariantDecimal:
		return appendVariantDecimal(dst, RawDecimal(b[2:]), int32(b[1]))
	case VariantDouble:
		x := math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))
		if strict && math.IsInf(x, 0) {
			return append(AppendDouble(append(dst, '"'), x), '"')
		}
		return AppendDouble(dst, x)
	case VariantString:
		return AppendJSONString(dst, b[1:])
	case VariantArray:
		p := partsOf(b)
		dst = append(dst, '[')
		for i := range p.n {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendVariant(dst, p.part(i), strict)
		}
		return append(dst, ']')
	case VariantObject:
		p := partsOf(b)
		n := p.n / 2
		dst = append(dst, '{')
		for i := range n {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendJSONString(dst, p.part(i)), ':')
			dst = appendVariant(dst, p.part(n+i), strict)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func variantInt(b []byte) int64 {
	switch b[0] >> variantKindBits {
	case 0:
		return int64(int8(b[1]))
	case 1:
		return int64(int16(binary.LittleEndian.Uint16(b[1:])))
	case 2:
		return int64(int32(binary.LittleEndian.Uint32(b[1:])))
	}
	return int64(binary.LittleEndian.Uint64(b[1:]))
}

func appendVariantDecimal(dst []byte, x Num128, scale int32) []byte {
	dst = AppendDecimal(dst, x, scale)
	if scale == 0 {
		return dst
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	if dst[len(dst)-1] == '.' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// AppendJSONString appends s as a JSON string.
func AppendJSONString(dst, s []byte) []byte {
	const upperHex = "0123456789ABCDEF"
	dst = append(dst, '"')
	for _, c := range s {
		if e := JSONEscape(c); e != 0 {
			dst = append(dst, '\\', e)
		} else if c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// JSONEscape returns the letter that stands behind a backslash for c in a JSON string, 0
// if there is none.
func JSONEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}
