package state

import (
	"bytes"

	"streamsql/types"
)

// sameNested reports whether the nested results a and b of a group, before and after a
// row, are the same, so that nothing is sent. As in Flink, whose comparison this is, that
// is another question than whether a = b:
//
//   - fields of a row are compared as values: NULL is the same as NULL, 0.0 as -0.0, NaN
//     as nothing;
//   - an array is compared byte by byte: a NULL is the same as a NULL, a NaN as a NaN, -0.0
//     is another value than 0.0. An array that an aggregate has made of its values (made)
//     is compared element by element, and there a NULL is the same as nothing;
//   - a map is the same as another if each value is that of its key there. A NULL is the
//     same as nothing there, and so is a FLOAT or DOUBLE, any other number but for those
//     from -128 to 127, and any value of a key that is a BINARY.
func sameNested(t types.Type, a, b []byte, made bool) bool {
	switch t.Kind {
	case types.Array:
		return made && sameElements(t, a, b) || !made && bytes.Equal(a, b)
	case types.Row:
		x, y := types.ReadRow(t, a), types.ReadRow(t, b)
		for i, f := range t.Fields() {
			if x.IsNull(i) != y.IsNull(i) || !x.IsNull(i) && !sameValue(f.Type, x.Raw(i), y.Raw(i)) {
				return false
			}
		}
		return true
	}
	return sameEntries(types.ReadMap(t, a), types.ReadMap(t, b))
}

func sameValue(t types.Type, a, b []byte) bool {
	switch {
	case t.IsNested():
		return sameNested(t, a, b, false)
	case t.IsApproximate():
		return types.RawFloat(t, a) == types.RawFloat(t, b)
	}
	return bytes.Equal(a, b)
}

func sameElements(t types.Type, a, b []byte) bool {
	x, y := types.ReadArray(t, a), types.ReadArray(t, b)
	if x.Len() != y.Len() || x.HasNull() || y.HasNull() {
		return false
	}
	for i := range x.Len() {
		if !sameValue(t.Elem(), x.Raw(i), y.Raw(i)) {
			return false
		}
	}
	return true
}

func sameEntries(x, y types.MapValue) bool {
	n := x.Len()
	if n != y.Len() {
		return false
	}
	key, value := x.Keys.Elem(), x.Values.Elem()
	if n > 0 && (key.IsBytes() || value.IsApproximate() || x.Values.HasNull() || y.Values.HasNull()) {
		return false
	}
	for i := range n {
		k := entryOf(&y.Keys, &x.Keys, i)
		if k < 0 || !sameValue(value, x.Values.Raw(i), y.Values.Raw(k)) || !keptNumber(value, x.Values.Raw(i)) {
			return false
		}
	}
	return true
}

// entryOf returns the place of element i of wanted in keys, or -1.
func entryOf(keys, wanted *types.ArrayValue, i int) int {
	for k := range keys.Len() {
		if keys.IsNull(k) || wanted.IsNull(i) {
			if keys.IsNull(k) && wanted.IsNull(i) {
				return k
			}
			continue
		}
		if bytes.Equal(keys.Raw(k), wanted.Raw(i)) {
			return k
		}
	}
	return -1
}

// keptNumber is false for a number of more than eight bits: Flink compares the objects
// that hold numbers, and keeps one for each number of eight bits only.
func keptNumber(t types.Type, raw []byte) bool {
	switch t.Kind {
	case types.SmallInt, types.Int, types.BigInt, types.Date, types.Time, types.IntervalMonth, types.IntervalDay:
		x := types.RawInt(t, raw)
		return x >= -128 && x <= 127
	}
	return true
}
