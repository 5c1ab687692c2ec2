package types

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// AppendKey appends the key form of a value of type t, given by its raw bytes: two
// values have the same key form exactly if they are the same value for GROUP BY,
// DISTINCT, joins and =. It differs from the raw bytes where Plain is false: -0.0 is
// 0.0, all NaN are one, and the entries of maps are in order of their keys.
func AppendKey(dst []byte, t Type, raw []byte) []byte {
	if t.Plain() {
		return append(dst, raw...)
	}
	switch t.Kind {
	case Float:
		f := math.Float32frombits(binary.LittleEndian.Uint32(raw))
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(oneNumber(float64(f)))))
	case Double:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(oneNumber(RawFloat(t, raw))))
	case Array:
		return appendKeys(dst, ReadArray(t, raw))
	case Row:
		r := ReadRow(t, raw)
		var b RowBuilder
		b.Reset(t)
		var form []byte
		for i, f := range t.parts.fields {
			if r.IsNull(i) {
				b.AppendNull()
				continue
			}
			form = AppendKey(form[:0], f.Type, r.Raw(i))
			b.AppendRaw(form)
		}
		return b.AppendTo(dst)
	}
	return appendMapKey(dst, t, ReadMap(t, raw))
}

// oneNumber returns f with one zero and one NaN.
func oneNumber(f float64) float64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return math.NaN()
	}
	return f
}

func appendKeys(dst []byte, a ArrayValue) []byte {
	var b ArrayBuilder
	b.Reset(a.elem)
	for i := range a.n {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Close(AppendKey(b.Open(), a.elem, a.Raw(i)))
		}
	}
	return b.AppendTo(dst)
}

func appendMapKey(dst []byte, t Type, m MapValue) []byte {
	type entry struct{ key, value []byte }
	entries := make([]entry, m.Len())
	for i := range entries {
		if !m.Keys.IsNull(i) {
			entries[i].key = AppendKey([]byte{}, m.Keys.elem, m.Keys.Raw(i))
		}
		if !m.Values.IsNull(i) {
			entries[i].value = AppendKey([]byte{}, m.Values.elem, m.Values.Raw(i))
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if (a.key == nil) != (b.key == nil) {
			if a.key == nil {
				return -1
			}
			return 1
		}
		return bytes.Compare(a.key, b.key)
	})
	var b MapBuilder
	b.Reset(t)
	for _, e := range entries {
		b.Add(e.key, e.value)
	}
	return b.AppendTo(dst)
}

// EqualRaw reports whether a = b holds for two values of type t, given by their raw
// bytes. As in Flink a NULL among the elements or values makes arrays and maps
// differ, while NULL fields of rows are the same.
func EqualRaw(t Type, a, b []byte) bool {
	switch t.Kind {
	case Array:
		x, y := ReadArray(t, a), ReadArray(t, b)
		if x.n != y.n || x.nulls != nil || y.nulls != nil {
			return false
		}
		for i := range x.n {
			if !EqualRaw(x.elem, x.Raw(i), y.Raw(i)) {
				return false
			}
		}
		return true
	case Row:
		x, y := ReadRow(t, a), ReadRow(t, b)
		for i, f := range t.parts.fields {
			if x.IsNull(i) != y.IsNull(i) || !x.IsNull(i) && !EqualRaw(f.Type, x.Raw(i), y.Raw(i)) {
				return false
			}
		}
		return true
	case Map, Multiset:
		return equalMaps(ReadMap(t, a), ReadMap(t, b))
	case Float, Double:
		return RawFloat(t, a) == RawFloat(t, b)
	}
	return bytes.Equal(a, b)
}

func equalMaps(x, y MapValue) bool {
	if x.Len() != y.Len() || x.Values.nulls != nil || y.Values.nulls != nil {
		return false
	}
	var key, form []byte
	for i := range x.Len() {
		null := x.Keys.IsNull(i)
		if !null {
			key = AppendKey(key[:0], x.Keys.elem, x.Keys.Raw(i))
		}
		k := y.Find(key, null, &form)
		if k < 0 || !EqualRaw(x.Values.elem, x.Values.Raw(i), y.Values.Raw(k)) {
			return false
		}
	}
	return true
}
