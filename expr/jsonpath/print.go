package jsonpath

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"streamsql/types"
)

// Append prints a value without blanks, the keys of objects sorted.
func (d *Document) Append(dst []byte, id int) []byte {
	n := &d.nodes[id]
	switch n.kind {
	case String:
		if n.escaped {
			d.key[0], _ = AppendUnescaped(d.key[0][:0], d.source(n))
			return types.AppendJSONString(dst, d.key[0])
		}
		return types.AppendJSONString(dst, d.source(n))
	case Array:
		dst = append(dst, '[')
		for c := n.child; c != None; c = d.nodes[c].next {
			if c != n.child {
				dst = append(dst, ',')
			}
			dst = d.Append(dst, int(c))
		}
		return append(dst, ']')
	case Object:
		return d.appendObject(dst, n)
	}
	return d.AppendScalar(dst, id)
}

func (d *Document) appendObject(dst []byte, n *node) []byte {
	lo, hi := d.sorted(n)
	members := len(d.unique(lo, hi))
	dst = append(dst, '{')
	for i := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		c := d.sort[lo+i] // which may have moved: objects inside use it too
		dst = append(types.AppendJSONString(dst, d.keyOf(c, 0)), ':')
		dst = d.Append(dst, int(c))
	}
	d.sort = d.sort[:lo]
	return append(dst, '}')
}

// keyOf returns the key of a child; buf says which of two buffers to use.
func (d *Document) keyOf(id int32, buf int) []byte {
	n := &d.nodes[id]
	k := d.text[n.keyLo:n.keyHi]
	if n.keyEscaped {
		d.key[buf], _ = AppendUnescaped(d.key[buf][:0], k)
		return d.key[buf]
	}
	return k
}

// AppendASCII appends s as a JSON string in ASCII, with \/ for a slash, as
// JSON_QUOTE writes it.
func AppendASCII(dst, s []byte) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		r, w := utf8.DecodeRune(s)
		switch e := types.JSONEscape(s[0]); {
		case e != 0:
			dst = append(dst, '\\', e)
		case r == '/':
			dst = append(dst, '\\', '/')
		case r > 0xFFFF:
			r -= 0x10000
			dst = appendUnit(appendUnit(dst, 0xD800+r>>10), 0xDC00+r&0x3FF)
		case r > 0x7F:
			dst = appendUnit(dst, r)
		default:
			dst = append(dst, s[0])
		}
		s = s[w:]
	}
	return append(dst, '"')
}

func appendUnit(dst []byte, r rune) []byte {
	const lowerHex = "0123456789abcdef"
	return append(dst, '\\', 'u', lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
}

// AppendNumber prints a number of a JSON text, or one printed as a DOUBLE, as
// Java's BigDecimal does: the digits stay, an exponent is written where the number
// is below 10⁻⁶ or its last digit stands before the point.
func AppendNumber(dst, b []byte) []byte {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	mantissa, exponent := b, 0
	if i := bytes.IndexAny(b, "eE"); i >= 0 {
		mantissa = b[:i]
		exponent, _ = strconv.Atoi(string(b[i+1:])) // a few digits, by the grammar
	}
	start := len(dst)
	if negative {
		dst = append(dst, '-')
	}
	scale, lead := -exponent, true
	digits := len(dst)
	for i, c := range mantissa {
		if c == '.' {
			scale += len(mantissa) - i - 1
			continue
		}
		if lead = lead && c == '0'; !lead {
			dst = append(dst, c)
		}
	}
	if len(dst) == digits { // zero has no sign
		dst = append(dst[:start], '0')
		digits = start
	}
	n := len(dst) - digits
	if scale == 0 {
		return dst
	}
	if adjusted := n - 1 - scale; scale < 0 || adjusted < -6 {
		if n > 1 {
			dst = slices.Insert(dst, digits+1, '.')
		}
		dst = append(dst, 'E')
		if adjusted >= 0 {
			dst = append(dst, '+')
		}
		return strconv.AppendInt(dst, int64(adjusted), 10)
	}
	for ; n <= scale; n++ {
		dst = slices.Insert(dst, digits, '0')
	}
	return slices.Insert(dst, len(dst)-scale, '.')
}
