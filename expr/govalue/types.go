package govalue

import (
	"reflect"
	"strings"
	"time"

	"streamsql/types"
)

var timeType = reflect.TypeFor[time.Time]()

// TypeOf returns the nullable SQL type of a Go type that is no pointer: of scalars,
// time.Time, time.Duration and []byte, and of slices (ARRAY), maps (MAP) and structs (ROW).
func TypeOf(t reflect.Type) (types.Type, bool) {
	if st, ok := sqlType(t); ok {
		return st, true
	}
	return nestedType(t, 0)
}

func sqlType(t reflect.Type) (types.Type, bool) {
	switch {
	case t == timeType:
		return types.NewTimestamp(3), true
	case t == reflect.TypeFor[time.Duration]():
		return types.Of(types.IntervalDay), true
	case t == reflect.TypeFor[[]byte]():
		return types.Of(types.Varbinary), true
	}
	switch t.Kind() {
	case reflect.Bool:
		return types.Of(types.Boolean), true
	case reflect.Int8:
		return types.Of(types.TinyInt), true
	case reflect.Int16:
		return types.Of(types.SmallInt), true
	case reflect.Int32:
		return types.Of(types.Int), true
	case reflect.Int, reflect.Int64:
		return types.Of(types.BigInt), true
	case reflect.Float32:
		return types.Of(types.Float), true
	case reflect.Float64:
		return types.Of(types.Double), true
	case reflect.String:
		return types.Of(types.Varchar), true
	}
	return types.Type{}, false
}

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
		for _, f := range Fields(t) {
			ft, ok := part(f.Type)
			if !ok {
				return types.Type{}, false
			}
			fields = append(fields, types.Field{Name: f.Column, Type: ft})
		}
		return types.NewRow(fields...), len(fields) > 0
	}
	return types.Type{}, false
}

// Field is a field of a struct that stands for a column.
type Field struct {
	reflect.StructField
	Column string
	tagged bool
}

// Fields lists the exported fields of a struct with their column names; a tag
// `sql:"-"` leaves one out.
func Fields(t reflect.Type) []Field {
	var list []Field
	for _, f := range reflect.VisibleFields(t) {
		name, tagged := f.Tag.Lookup("sql")
		if !f.IsExported() || f.Anonymous || name == "-" {
			continue
		}
		if !tagged {
			name = f.Name
		}
		list = append(list, Field{f, name, tagged})
	}
	return list
}

// FindField returns the field of a column. It prefers an exact name, then one that differs in letter case or, without
// a tag, in underscores only (window_start fits WindowStart).
func FindField(fields []Field, column string) (reflect.StructField, bool) {
	for _, f := range fields {
		if f.Column == column {
			return f.StructField, true
		}
	}
	plain := strings.ReplaceAll(column, "_", "")
	for _, f := range fields {
		if strings.EqualFold(f.Column, column) || !f.tagged && strings.EqualFold(f.Column, plain) {
			return f.StructField, true
		}
	}
	return reflect.StructField{}, false
}
