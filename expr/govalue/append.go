package govalue

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"streamsql/types"
)

// Append appends the raw bytes of a Go value of the SQL type that TypeOf gave it.
func Append(dst []byte, t types.Type, v reflect.Value) []byte {
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
		for i, f := range Fields(v.Type()) {
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
	return Append([]byte{}, t, v), false
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
