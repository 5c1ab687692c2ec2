package builtin

import (
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func mapFunctions() []*expr.Function {
	f := func(name, usage, doc string, r resolve, examples ...expr.Example) *expr.Function {
		return &expr.Function{Name: name, Class: "collection", Usage: usage, Doc: doc, Examples: examples, Resolve: r}
	}
	return []*expr.Function{
		f("MAP_KEYS", "MAP_KEYS(map)", "The keys as an array.", resolveMapPart(func(m *types.MapValue) *types.ArrayValue { return &m.Keys }, types.Type.Key),
			ex("MAP_KEYS(MAP['a', 1, 'b', 2])", "[a, b]")),
		f("MAP_VALUES", "MAP_VALUES(map)", "The values as an array, in the order of their keys in MAP_KEYS.", resolveMapPart(func(m *types.MapValue) *types.ArrayValue { return &m.Values }, types.Type.Elem),
			ex("MAP_VALUES(MAP['a', 1, 'b', 2])", "[1, 2]")),
		f("MAP_ENTRIES", "MAP_ENTRIES(map)", "The entries as an array of rows with the fields key and value.", resolveMapEntries,
			ex("MAP_ENTRIES(MAP['a', 1])", "[(a, 1)]")),
		f("MAP_UNION", "MAP_UNION(map, ...)", "The entries of all maps; of a key that comes twice the last value counts.", resolveMapUnion,
			ex("MAP_UNION(MAP['a', 1], MAP['a', 2, 'b', 3])", "{a=2, b=3}")),
		f("MAP_FROM_ARRAYS", "MAP_FROM_ARRAYS(keys, values)", "A map of two arrays of the same length. Keys that come twice are kept.", resolveMapFromArrays,
			ex("MAP_FROM_ARRAYS(ARRAY['a', 'b'], ARRAY[1, 2])", "{a=1, b=2}")),
	}
}

func isMap(args []types.Type) error {
	if err := arity(args, 1, 1); err != nil {
		return err
	}
	if args[0].Kind != types.Map {
		return expects("a map", args)
	}
	return nil
}

// resolveMapPart binds a function that gives the keys or values of a map.
func resolveMapPart(part func(*types.MapValue) *types.ArrayValue, elem func(types.Type) types.Type) resolve {
	return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
		if err := isMap(args); err != nil {
			return expr.Resolution{}, err
		}
		t, of := args[0], elem(args[0])
		res := expr.Resolution{Args: args, Result: like(types.NewArray(of), args)}
		res.New = func() expr.Kernel {
			var b types.ArrayBuilder
			return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
				eachText(out, rows, func(i int) {
					m := types.ReadMap(t, args[0].Bytes(i))
					b.Reset(of)
					appendAll(&b, part(&m))
					out.Data = b.AppendTo(out.Data)
				})
				return nil
			}
		}
		return res, nil
	}
}

func resolveMapEntries(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := isMap(args); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	key, value := t.Entry()
	entry := types.NewRow(types.Field{Name: "key", Type: key}, types.Field{Name: "value", Type: value})
	res := expr.Resolution{Args: args, Result: like(types.NewArray(entry), args)}
	res.New = func() expr.Kernel {
		var b types.ArrayBuilder
		var r types.RowBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				m := types.ReadMap(t, args[0].Bytes(i))
				b.Reset(entry)
				for k := range m.Len() {
					r.Reset(entry)
					for _, a := range [...]*types.ArrayValue{&m.Keys, &m.Values} {
						if a.IsNull(k) {
							r.AppendNull()
						} else {
							r.AppendRaw(a.Raw(k))
						}
					}
					b.Close(r.AppendTo(b.Open()))
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}
	return res, nil
}

func resolveMapUnion(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, -1); err != nil {
		return expr.Resolution{}, err
	}
	for _, t := range args {
		if t.Kind != types.Map {
			return expr.Resolution{}, expects("maps", args)
		}
	}
	t, err := commonOf(args)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: alike(t, len(args)), Result: t}
	res.New = func() expr.Kernel {
		var b types.MapBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				b.Reset(t)
				for _, v := range args {
					m := types.ReadMap(t, v.Bytes(i))
					for k := range m.Len() {
						b.PutRaw(elementOrNil(&m.Keys, k), elementOrNil(&m.Values, k))
					}
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}
	return res, nil
}

func resolveMapFromArrays(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	if args[0].Kind != types.Array || args[1].Kind != types.Array {
		return expr.Resolution{}, expects("two arrays", args)
	}
	keys, values := args[0], args[1]
	t := types.NewMap(keys.Elem(), values.Elem())
	res := expr.Resolution{Args: args, Result: like(t, args), CanFail: true}
	res.New = func() expr.Kernel {
		var b types.MapBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			eachText(out, rows, func(i int) {
				k, v := types.ReadArray(keys, args[0].Bytes(i)), types.ReadArray(values, args[1].Bytes(i))
				b.Reset(t)
				if k.Len() != v.Len() {
					if failed == nil {
						failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("MAP_FROM_ARRAYS: there are %d keys but %d values", k.Len(), v.Len())}
					}
					return
				}
				for j := range k.Len() {
					b.Add(elementOrNil(&k, j), elementOrNil(&v, j))
				}
				out.Data = b.AppendTo(out.Data)
			})
			return failed
		}
	}
	return res, nil
}
