package jsonpath

import (
	"bytes"
	"slices"
	"strconv"

	"streamsql/types"
)

// AppendVariant appends a value in the encoding of VARIANT. Of a key that an object has
// twice the last value counts, if twice allows it; else ok is false.
func (d *Document) AppendVariant(dst []byte, id int, twice bool) (_ []byte, ok bool) {
	n := &d.nodes[id]
	switch n.kind {
	case False:
		return types.AppendVariantHead(dst, types.VariantFalse), true
	case True:
		return types.AppendVariantHead(dst, types.VariantTrue), true
	case Number:
		return appendVariantNumber(dst, d.text[n.lo:n.hi]), true
	case String:
		return d.AppendScalar(types.AppendVariantHead(dst, types.VariantString), id), true
	case Array:
		return d.appendVariantArray(dst, n, twice)
	case Object:
		return d.appendVariantObject(dst, n, twice)
	}
	return types.AppendVariantHead(dst, types.VariantNull), true
}

func (d *Document) appendVariantArray(dst []byte, n *node, twice bool) (_ []byte, ok bool) {
	start, base := len(dst), len(d.ends)
	for c := n.child; c != None; c = d.nodes[c].next {
		if dst, ok = d.AppendVariant(dst, int(c), twice); !ok {
			return dst, false
		}
		d.ends = append(d.ends, int32(len(dst)-start))
	}
	dst = types.CloseVariantArray(dst, start, d.ends[base:])
	d.ends = d.ends[:base]
	return dst, true
}

func (d *Document) appendVariantObject(dst []byte, n *node, twice bool) (_ []byte, ok bool) {
	start, base := len(dst), len(d.ends)
	lo, hi := d.sorted(n)
	members := d.unique(lo, hi)
	if len(members) < hi-lo && !twice {
		return dst, false
	}
	for _, c := range members {
		dst = append(dst, d.keyOf(c, 0)...)
		d.ends = append(d.ends, int32(len(dst)-start))
	}
	for i := range members {
		// The slice of members may have moved: objects inside use it too.
		if dst, ok = d.AppendVariant(dst, int(d.sort[lo+i]), twice); !ok {
			return dst, false
		}
		d.ends = append(d.ends, int32(len(dst)-start))
	}
	dst = types.CloseVariantObject(dst, start, d.ends[base:])
	d.ends, d.sort = d.ends[:base], d.sort[:lo]
	return dst, true
}

// sorted puts the members of an object in order at the end of d.sort, where they are
// those from lo to hi.
func (d *Document) sorted(n *node) (lo, hi int) {
	lo = len(d.sort)
	for c := n.child; c != None; c = d.nodes[c].next {
		d.sort = append(d.sort, c)
	}
	members := d.sort[lo:]
	if len(members) > 20 {
		slices.SortStableFunc(members, d.compareMembers)
		return lo, len(d.sort)
	}
	for i := range members { // by insertion: there are few, and often in order
		for k := i; k > 0 && d.compareMembers(members[k-1], members[k]) > 0; k-- {
			members[k-1], members[k] = members[k], members[k-1]
		}
	}
	return lo, len(d.sort)
}

func (d *Document) compareMembers(a, b int32) int {
	return types.CompareJSONKeys(d.keyOf(a, 0), d.keyOf(b, 1))
}

// unique keeps the last of members with equal keys.
func (d *Document) unique(lo, hi int) []int32 {
	kept := lo
	for i := lo; i < hi; i++ {
		if i+1 < hi && bytes.Equal(d.keyOf(d.sort[i], 0), d.keyOf(d.sort[i+1], 1)) {
			continue
		}
		d.sort[kept] = d.sort[i]
		kept++
	}
	return d.sort[lo:kept]
}

// maxDigits is how many digits a DECIMAL has, before and behind the point.
const maxDigits = types.MaxPrecision

// appendVariantNumber takes a number as integer, as decimal, or, with an exponent or too
// many digits, as DOUBLE.
func appendVariantNumber(dst, text []byte) []byte {
	point, digits, value, exact := len(text), 0, int64(0), true
	for i, c := range text {
		switch {
		case c == '.':
			point = i + 1
		case c == '0' && digits == 0, c == '-':
		case c >= '0' && c <= '9':
			digits++
			value = 10*value + int64(c-'0') // wraps where digits are too many to be used
		default:
			exact = false
		}
	}
	scale := int32(len(text) - point)
	if text[0] == '-' {
		value = -value
	}
	switch {
	case !exact:
	case scale == 0 && digits <= 18:
		return types.AppendVariantInt(dst, value)
	case scale == 0 && digits == 19:
		if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return types.AppendVariantInt(dst, i)
		}
	case scale <= maxDigits && digits <= 18:
		return types.AppendVariantDecimal(dst, types.Widen(value), scale)
	}
	if exact && digits <= maxDigits && scale <= maxDigits {
		if x, fault := types.ParseDecimal(text, maxDigits, scale); fault == types.OK {
			return types.AppendVariantDecimal(dst, x, scale)
		}
	}
	// The only fault of what is a number by the grammar is to be too large: ±Inf.
	x, _ := strconv.ParseFloat(string(text), 64)
	return types.AppendVariantDouble(dst, x)
}
