package streamsql

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"streamsql/types"
)

// deepest is how many types may lie in one another; a type that holds itself has no end.
const deepest = 32

// nestedType returns the SQL type of a slice, map or struct: ARRAY, MAP or ROW. Parts are
// NOT NULL unless they are pointers.
func nestedType(t reflect.Type, depth int) (types.Type, bool) {
	if depth > deepest {
		return types.Type{}, false
	}
	part := func(t reflect.Type) (types.Type, bool) {
		pointer := t.Kind() == reflect.Pointer
		if pointer {
			t = t.Elem()
		}
		st, ok := sqlType(t)
		if !ok {
			st, ok = nestedType(t, depth+1)
		}
		return st.WithNullability(pointer), ok
	}
	switch t.Kind() {
	case reflect.Slice:
		elem, ok := part(t.Elem())
		return types.NewArray(elem), ok
	case reflect.Map:
		key, ok := part(t.Key())
		value, valueOK := part(t.Elem())
		return types.NewMap(key, value), ok && valueOK && t.Key().Kind() != reflect.Pointer
	case reflect.Struct:
		var fields []types.Field
		for _, f := range columnFields(t) {
			ft, ok := part(f.Type)
			if !ok {
				return types.Type{}, false
			}
			fields = append(fields, types.Field{Name: f.name, Type: ft})
		}
		return types.NewRow(fields...), len(fields) > 0
	}
	return types.Type{}, false
}

// appendPart appends the raw bytes of a Go value of the SQL type that nestedType or
// sqlType gave it.
func appendPart(dst []byte, t types.Type, v reflect.Value) []byte {
	switch {
	case t.Kind == types.Array:
		var b types.ArrayBuilder
		b.Reset(t.Elem())
		for i := range v.Len() {
			if raw, null := rawPart(t.Elem(), v.Index(i)); null {
				b.AppendNull()
			} else {
				b.AppendRaw(raw)
			}
		}
		return b.AppendTo(dst)
	case t.Kind == types.Map:
		return appendMap(dst, t, v)
	case t.Kind == types.Row:
		var b types.RowBuilder
		b.Reset(t)
		for i, f := range columnFields(v.Type()) {
			field, err := v.FieldByIndexErr(f.Index)
			if err != nil { // inside an embedded pointer that is nil
				b.AppendNull()
			} else if raw, null := rawPart(t.Fields()[i].Type, field); null {
				b.AppendNull()
			} else {
				b.AppendRaw(raw)
			}
		}
		return b.AppendTo(dst)
	case v.Type() == timeType:
		at, _ := v.Interface().(time.Time)
		return types.AppendRaw(dst, t, types.IntValue(at.UnixMilli()))
	case v.Type() == reflect.TypeFor[time.Duration]():
		return types.AppendRaw(dst, t, types.IntValue(v.Int()/int64(time.Millisecond)))
	}
	switch v.Kind() {
	case reflect.Bool:
		return types.AppendRaw(dst, t, types.BoolValue(v.Bool()))
	case reflect.Float32, reflect.Float64:
		return types.AppendRaw(dst, t, types.FloatValue(v.Float()))
	case reflect.String:
		return append(dst, v.String()...)
	case reflect.Slice:
		return append(dst, v.Bytes()...)
	}
	return types.AppendRaw(dst, t, types.IntValue(v.Int()))
}

// rawPart returns the raw bytes of a part; a nil pointer is NULL.
func rawPart(t types.Type, v reflect.Value) (raw []byte, null bool) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil, true
		}
		v = v.Elem()
	}
	return appendPart([]byte{}, t, v), false
}

// appendMap writes the entries in the order of their keys, since Go has none.
func appendMap(dst []byte, t types.Type, v reflect.Value) []byte {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.Kind() == reflect.String:
			return cmp.Compare(a.String(), b.String())
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	var b types.MapBuilder
	b.Reset(t)
	for _, k := range keys {
		key, _ := rawPart(t.Key(), k)
		value, null := rawPart(t.Elem(), v.MapIndex(k))
		if null {
			value = nil
		}
		b.PutRaw(key, value)
	}
	return b.AppendTo(dst)
}
