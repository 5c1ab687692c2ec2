package builtin

import (
	"slices"

	"streamsql/stream"
	"streamsql/types"
)

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

// appendJSONEntries appends a map; a NULL key has an empty name.
func appendJSONEntries(dst []byte, m types.MapValue) []byte {
	key := func(i int) []byte {
		if m.Keys.IsNull(i) {
			return nil
		}
		return m.Keys.Raw(i)
	}
	order := make([]int, m.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return types.CompareJSONKeys(key(a), key(b)) })
	dst = append(dst, '{')
	for k, i := range order {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(types.AppendJSONString(dst, key(i)), ':')
		dst = appendJSONElement(dst, &m.Values, i)
	}
	return append(dst, '}')
}
