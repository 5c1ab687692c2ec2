package streamsql

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"streamsql/stream"
	"streamsql/types"
)

// nestedArrowType returns the Arrow form of a nested type: ARRAY list, MAP map, MULTISET
// the map of its elements to their counts, ROW struct.
func nestedArrowType(t types.Type) arrow.DataType {
	field := func(name string, t types.Type) arrow.Field {
		return arrow.Field{Name: name, Type: arrowType(t), Nullable: !t.NotNull}
	}
	switch t.Kind {
	case types.Array:
		return arrow.ListOfField(field("item", t.Elem()))
	case types.Row:
		var fields []arrow.Field
		for _, f := range t.Fields() {
			fields = append(fields, field(f.Name, f.Type))
		}
		return arrow.StructOf(fields...)
	}
	key, value := t.Entry()
	m := arrow.MapOf(arrowType(key), arrowType(value))
	m.SetItemNullable(!value.NotNull)
	return m
}

// wrapNested makes the Arrow array of a Flat vector of a nested type: its parts are
// written out as vectors of their own.
func wrapNested(v *stream.Vec, dt arrow.DataType, n int) arrow.Array {
	valid := []*memory.Buffer{nil}
	nulls := v.CountNulls(n)
	if nulls > 0 {
		valid[0] = memory.NewBufferBytes(arrow.Uint64Traits.CastToBytes(v.Valid))
	}
	var data arrow.ArrayData
	switch v.Type.Kind {
	case types.Row:
		s, _ := dt.(*arrow.StructType)
		data = array.NewData(dt, n, valid, fieldArrays(v, s, n), nulls, 0)
	case types.Array:
		list, _ := dt.(*arrow.ListType)
		read := func(raw []byte) types.ArrayValue { return types.ReadArray(v.Type, raw) }
		items, offsets := elementArray(v, n, v.Type.Elem(), list.Elem(), read)
		data = array.NewData(dt, n, append(valid, offsets), []arrow.ArrayData{items}, nulls, 0)
	default:
		m, _ := dt.(*arrow.MapType)
		key, value := v.Type.Entry()
		keys, offsets := elementArray(v, n, key, m.KeyType(), func(raw []byte) types.ArrayValue { return types.ReadMap(v.Type, raw).Keys })
		values, _ := elementArray(v, n, value, m.ItemType(), func(raw []byte) types.ArrayValue { return types.ReadMap(v.Type, raw).Values })
		entries := array.NewData(m.Elem(), keys.Len(), []*memory.Buffer{nil}, []arrow.ArrayData{keys, values}, 0, 0)
		data = array.NewData(dt, n, append(valid, offsets), []arrow.ArrayData{entries}, nulls, 0)
	}
	return array.MakeFromData(data)
}

// elementArray makes one array of the elements of all rows; offsets say where those of
// each row begin.
func elementArray(v *stream.Vec, n int, elem types.Type, dt arrow.DataType, read func([]byte) types.ArrayValue) (arrow.ArrayData, *memory.Buffer) {
	offsets := make([]int32, n+1)
	arrays := make([]types.ArrayValue, n)
	total := 0
	for i := range n {
		if !v.IsNull(i) {
			arrays[i] = read(v.Bytes(i))
			total += arrays[i].Len()
		}
		offsets[i+1] = int32(total)
	}
	all := new(stream.Vec)
	all.Reset(elem, total)
	k := 0
	for i := range arrays {
		for j := range arrays[i].Len() {
			put(all, k, total, arrays[i].IsNull(j), func() []byte { return arrays[i].Raw(j) })
			k++
		}
	}
	return wrap(all, dt, total).Data(), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))
}

// fieldArrays makes the arrays of the fields of a ROW.
func fieldArrays(v *stream.Vec, s *arrow.StructType, n int) []arrow.ArrayData {
	var children []arrow.ArrayData
	for k, f := range v.Type.Fields() {
		part := new(stream.Vec)
		part.Reset(f.Type, n)
		for i := range n {
			if v.IsNull(i) {
				put(part, i, n, true, nil)
				continue
			}
			r := types.ReadRow(v.Type, v.Bytes(i))
			put(part, i, n, r.IsNull(k), func() []byte { return r.Raw(k) })
		}
		children = append(children, wrap(part, s.Field(k).Type, n).Data())
	}
	return children
}

// put writes row i of a vector of n rows.
func put(v *stream.Vec, i, n int, null bool, raw func() []byte) {
	if !null {
		v.PutRaw(i, raw())
		return
	}
	v.Put(i, n, types.NullValue)
}
