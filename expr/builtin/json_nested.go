package builtin

import (
	"fmt"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// withoutNullKeys makes a function that writes its arguments as JSON fail for maps with a
// NULL key, which no object has.
func withoutNullKeys(name string, r expr.Resolution) expr.Resolution {
	var maps []int // the arguments with maps
	for i, t := range r.Args {
		if hasNullableKey(t) {
			maps = append(maps, i)
		}
	}
	if maps == nil {
		return r
	}
	inner := r.New
	r.CanFail = true
	r.New = func() expr.Kernel {
		kernel := inner()
		return func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			if err := each(rows, func(i int) error {
				for _, k := range maps {
					if v := args[k]; !v.IsNull(i) && hasNullKey(v.Type, v.Bytes(i)) {
						return &expr.RowError{Row: i, Msg: fmt.Sprintf("%s: a key of a map is NULL", name)}
					}
				}
				return nil
			}); err != nil {
				return err
			}
			return kernel(c, args, out, rows)
		}
	}
	return r
}

// hasNullableKey reports whether values of a type may hold a map with a NULL key.
func hasNullableKey(t types.Type) bool {
	switch t.Kind {
	case types.Array:
		return hasNullableKey(t.Elem())
	case types.Row:
		return slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasNullableKey(f.Type) })
	case types.Map, types.Multiset:
		key, value := t.Entry()
		return !key.NotNull || hasNullableKey(value)
	}
	return false
}

// hasNullKey reports whether a value, given by its raw bytes, holds a map with a NULL key.
func hasNullKey(t types.Type, raw []byte) bool {
	if !hasNullableKey(t) {
		return false
	}
	switch t.Kind {
	case types.Row:
		r := types.ReadRow(t, raw)
		for i := range r.Len() {
			if !r.IsNull(i) && hasNullKey(t.Fields()[i].Type, r.Raw(i)) {
				return true
			}
		}
		return false
	case types.Array:
		a := types.ReadArray(t, raw)
		return hasNullKeyIn(&a)
	}
	m := types.ReadMap(t, raw)
	for i := range m.Len() {
		if m.Keys.IsNull(i) {
			return true
		}
	}
	return hasNullKeyIn(&m.Values)
}

func hasNullKeyIn(a *types.ArrayValue) bool {
	for i := range a.Len() {
		if !a.IsNull(i) && hasNullKey(a.Elem(), a.Raw(i)) {
			return true
		}
	}
	return false
}

// jsonableParts is jsonable for nested types: keys of objects are texts.
func jsonableParts(t types.Type) error {
	switch t.Kind {
	case types.Array:
		return jsonable(t.Elem())
	case types.Row:
		for _, f := range t.Fields() {
			if err := jsonable(f.Type); err != nil {
				return err
			}
		}
		return nil
	}
	key, value := t.Entry()
	if !key.IsText() {
		return noJSON(t)
	}
	return jsonable(value)
}

// appendJSONNested appends a value of a nested type, given by its raw bytes. As in Flink
// the names of an object are in order, those of the fields of a ROW too.
func appendJSONNested(dst []byte, t types.Type, raw []byte) []byte {
	switch t.Kind {
	case types.Array:
		a := types.ReadArray(t, raw)
		dst = append(dst, '[')
		for i := range a.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONElement(dst, &a, i)
		}
		return append(dst, ']')
	case types.Row:
		r := types.ReadRow(t, raw)
		order := make([]int, r.Len())
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return types.CompareJSONKeys([]byte(t.Fields()[a].Name), []byte(t.Fields()[b].Name))
		})
		dst = append(dst, '{')
		for k, i := range order {
			f := t.Fields()[i]
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = append(types.AppendJSONString(dst, []byte(f.Name)), ':')
			if r.IsNull(i) {
				dst = append(dst, "null"...)
			} else {
				dst = appendJSONNested(dst, f.Type, r.Raw(i))
			}
		}
		return append(dst, '}')
	case types.Map, types.Multiset:
		return appendJSONEntries(dst, types.ReadMap(t, raw))
	}
	var one stream.Vec
	one.ResetConst(t)
	one.PutRaw(0, raw)
	return appendJSON(dst, &one, 0)
}

func appendJSONElement(dst []byte, a *types.ArrayValue, i int) []byte {
	if a.IsNull(i) {
		return append(dst, "null"...)
	}
	return appendJSONNested(dst, a.Elem(), a.Raw(i))
}

// appendJSONEntries appends a map without NULL keys.
func appendJSONEntries(dst []byte, m types.MapValue) []byte {
	order := make([]int, m.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return types.CompareJSONKeys(m.Keys.Raw(a), m.Keys.Raw(b)) })
	dst = append(dst, '{')
	for k, i := range order {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(types.AppendJSONString(dst, m.Keys.Raw(i)), ':')
		dst = appendJSONElement(dst, &m.Values, i)
	}
	return append(dst, '}')
}
