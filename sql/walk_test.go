package sql

import "reflect"

// walk calls f for every node of a tree, parents first. It goes by reflection, so
// that no field can be forgotten.
func walk(n Node, f func(n Node, depth int)) {
	walkValue(reflect.ValueOf(n), 0, f)
}

func walkValue(v reflect.Value, depth int, f func(n Node, depth int)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if n, ok := v.Interface().(Node); ok && v.Kind() == reflect.Pointer {
			f(n, depth)
			depth++
		}
		walkValue(v.Elem(), depth, f)
	case reflect.Slice:
		for i := range v.Len() {
			walkValue(v.Index(i), depth, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walkValue(v.Field(i), depth, f)
		}
	}
}
