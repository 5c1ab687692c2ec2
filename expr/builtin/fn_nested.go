package builtin

import (
	"errors"
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func nestedFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "ARRAY", Class: "collection", Operator: true, Usage: "ARRAY[value, ...]",
			Doc:      "An array of the values, which take a common type.",
			Examples: []expr.Example{{SQL: "ARRAY[1, NULL, 2.5]", Result: "[1.0, NULL, 2.5]"}},
			Resolve:  resolveArray},
		{Name: "MAP", Class: "collection", Operator: true, Usage: "MAP[key, value, ...]",
			Doc:      "A map. Of a repeated key the last value counts.",
			Examples: []expr.Example{{SQL: "MAP['a', 1, 'b', 2, 'a', 3]", Result: "{a=3, b=2}"}},
			Resolve:  resolveMap},
		{Name: "ROW", Class: "collection", Operator: true, Usage: "ROW(value, ...)",
			Doc:      "A row of the values, with the fields EXPR$0, EXPR$1 and so on.",
			Examples: []expr.Example{{SQL: "ROW(1, 'a')", Result: "(1, a)"}},
			Resolve:  resolveRow},
		{Name: "ITEM", Class: "collection", Operator: true, Usage: "array[index], map[key], row[index or name], variant[index or key]",
			Doc: "An element of an array (the first is 1), the value of a key, or a field of a row; NULL if there is none. An index wants a VARIANT that is an array, a key one that is an object: others are an error.",
			Examples: []expr.Example{{SQL: "ARRAY[5, 6][2]", Result: "6"}, {SQL: "ARRAY[5, 6][3]", Result: ""}, {SQL: "MAP['a', 1]['a']", Result: "1"},
				{SQL: `PARSE_JSON('{"a": [5, 6]}')['a'][2]`, Result: "6"}},
			Resolve: resolveItem},
		{Name: "CARDINALITY", Class: "collection", Usage: "CARDINALITY(array or map)",
			Doc:      "The number of elements or entries.",
			Examples: []expr.Example{{SQL: "CARDINALITY(ARRAY[1, 2])", Result: "2"}},
			Resolve:  resolveCardinality},
	}
}

// elementType unifies the types of values that become elements of one array.
func elementType(args []types.Type) (types.Type, error) {
	t := args[0]
	for _, u := range args[1:] {
		c, ok := types.CaseType(t, u)
		if !ok {
			return t, fmt.Errorf("mixes %s and %s", t.Name(), u.Name())
		}
		t = c
	}
	if t.Kind == types.Null {
		return t, errNull
	}
	for _, u := range args {
		if !u.NotNull {
			return t.Nullable(), nil
		}
	}
	return t.Required(), nil
}

func resolveArray(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if len(args) == 0 {
		return expr.Resolution{}, errors.New("needs at least one value")
	}
	elem, err := elementType(args)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: alike(elem, len(args)), Result: types.NewArray(elem).Required(), NullAware: true}
	res.New = func() expr.Kernel { return fromParts(&types.ArrayBuilder{}, elem) }
	return res, nil
}

// fromParts makes of the arguments of a row one value with them as its parts. The builder
// is reset to t.
func fromParts(b valueBuilder, t types.Type) expr.Kernel {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		eachText(out, rows, func(i int) {
			b.Reset(t)
			for _, v := range args {
				if v.IsNull(i) {
					b.AppendNull()
				} else {
					b.AppendRaw(v.Raw(i))
				}
			}
			out.Data = b.AppendTo(out.Data)
		})
		return nil
	}
}

// valueBuilder is what builders of arrays and of rows share.
type valueBuilder interface {
	Reset(types.Type)
	AppendNull()
	AppendRaw(raw []byte)
	AppendTo(dst []byte) []byte
}

func resolveMap(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return expr.Resolution{}, fmt.Errorf("needs pairs of a key and a value, not %d values", len(args))
	}
	var keys, values []types.Type
	for i := 0; i < len(args); i += 2 {
		keys, values = append(keys, args[i]), append(values, args[i+1])
	}
	key, err := elementType(keys)
	if err != nil {
		return expr.Resolution{}, err
	}
	value, err := elementType(values)
	if err != nil && value.Kind != types.Null { // a map may have NULLs for all its values
		return expr.Resolution{}, err
	}
	t := types.NewMap(key, value)
	res := expr.Resolution{Result: t.Required(), NullAware: true}
	for range keys {
		res.Args = append(res.Args, key.Nullable(), value.Nullable())
	}
	res.New = func() expr.Kernel {
		var b types.MapBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				b.Reset(t)
				for k := 0; k < len(args); k += 2 {
					b.PutRaw(rawOrNil(args[k], i), rawOrNil(args[k+1], i))
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}
	return res, nil
}

// rawOrNil returns the raw bytes of row i, nil for NULL.
func rawOrNil(v *stream.Vec, i int) []byte {
	if v.IsNull(i) {
		return nil
	}
	if raw := v.Raw(i); raw != nil {
		return raw
	}
	return []byte{}
}

func resolveRow(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if len(args) == 0 {
		return expr.Resolution{}, errors.New("needs at least one value")
	}
	if err := noNull(args); err != nil {
		return expr.Resolution{}, err
	}
	fields := make([]types.Field, len(args))
	for i, a := range args {
		fields[i] = types.Field{Name: fmt.Sprintf("EXPR$%d", i), Type: a}
	}
	t := types.NewRow(fields...)
	res := expr.Resolution{Args: args, Result: t.Required(), NullAware: true}
	res.New = func() expr.Kernel { return fromParts(&types.RowBuilder{}, t) }
	return res, nil
}

func resolveCardinality(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	if !t.IsNested() || t.Kind == types.Row {
		return expr.Resolution{}, expects("an array or a map", args)
	}
	res := expr.Resolution{Args: args, Result: like(intType, args)}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		v, n := args[0], stream.Values[int32](out)
		eachNested(v, out, rows, func(i int, raw []byte) {
			if t.Kind == types.Array {
				a := types.ReadArray(t, raw)
				n[i] = int32(a.Len())
			} else {
				m := types.ReadMap(t, raw)
				n[i] = int32(m.Len())
			}
		})
	})
	return res, nil
}

// eachNested calls f with the raw bytes of v for the rows that are asked for and not
// NULL in out: what bytes lie under a NULL is not defined.
func eachNested(v, out *stream.Vec, rows expr.Rows, f func(i int, raw []byte)) {
	_ = each(rows, func(i int) error {
		if isValid(out, i) {
			f(i, v.Raw(i))
		}
		return nil
	})
}

func resolveItem(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	switch args[0].Kind {
	case types.Array:
		return resolveElement(args, lits)
	case types.Map:
		return resolveEntry(args)
	case types.Row:
		return resolveField(args, lits)
	case types.Variant:
		return resolveVariantItem(args)
	}
	err := expects("an array, a map, a row or a VARIANT", args[:1])
	if args[0].IsText() {
		err = fmt.Errorf("%w; of a JSON text write JSON_VALUE(text, '$.key')", err)
	}
	return expr.Resolution{}, err
}

// resolveElement binds array[index].
func resolveElement(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	t := args[0]
	if !args[1].IsInteger() {
		return expr.Resolution{}, fmt.Errorf("needs an integer as the index of an array, not %s", args[1].Name())
	}
	if l := lits[1]; l != nil && !l.Value.Null && l.Value.I < 1 {
		return expr.Resolution{}, fmt.Errorf("needs an index from 1 on, not %d", l.Value.I)
	}
	res := expr.Resolution{Args: []types.Type{t, bigintType}, Result: t.Elem().Nullable(), NullAware: true}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		index := operand[int64](args[1], rows.N)
		putEach(out, rows, func(i int) []byte {
			if args[0].IsNull(i) || args[1].IsNull(i) {
				return nil
			}
			a := types.ReadArray(t, args[0].Bytes(i))
			k := at(index, i) - 1
			if k < 0 || k >= int64(a.Len()) || a.IsNull(int(k)) {
				return nil
			}
			return a.Raw(int(k))
		})
	})
	return res, nil
}

// putEach writes what f returns as the raw bytes of each row that is asked for; nil is
// NULL.
func putEach(out *stream.Vec, rows expr.Rows, f func(i int) []byte) {
	text := out.Type.Layout() == types.Bytes
	next := 0
	_ = each(rows, func(i int) error {
		if text {
			next = skipText(out, next, i) + 1
		}
		if raw := f(i); raw != nil {
			out.PutRaw(i, raw)
			return nil
		}
		if text {
			closeText(out)
		}
		out.SetNull(i, rows.N)
		return nil
	})
	if text {
		skipText(out, next, rows.N)
	}
}

// resolveEntry binds map[key]. A number of another type than the keys is looked for by
// its value.
func resolveEntry(args []types.Type) (expr.Resolution, error) {
	t, key := args[0], args[0].Key()
	as, ok := types.CommonType(key, args[1])
	if !ok {
		return expr.Resolution{}, fmt.Errorf("needs a key of type %s, not %s", key.Name(), args[1].Name())
	}
	convert := !key.Alike(as)
	if convert {
		if _, _, ok = CastKernel(key, as, false); !ok {
			return expr.Resolution{}, fmt.Errorf("needs a key of type %s, not %s", key.Name(), args[1].Name())
		}
	}
	res := expr.Resolution{Args: []types.Type{t, as.Nullable()}, Result: t.Elem().Nullable(), NullAware: true}
	res.New = func() expr.Kernel {
		e := &entries{typ: t, as: as}
		if convert {
			e.cast, _, _ = CastKernel(key, as, true)
		}
		return e.run
	}
	return res, nil
}

// entries is one compiled map[key].
type entries struct {
	typ, as   types.Type
	cast      expr.Kernel // keys to as; nil: they are alike
	key, form []byte
	one, conv stream.Vec
}

func (e *entries) run(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	var failed error
	putEach(out, rows, func(i int) []byte {
		if args[0].IsNull(i) {
			return nil
		}
		null := args[1].IsNull(i)
		if !null {
			e.key = types.AppendKey(e.key[:0], e.as, args[1].Raw(i))
		}
		m := types.ReadMap(e.typ, args[0].Bytes(i))
		k := -1
		if e.cast == nil {
			k = m.Find(e.key, null, &e.form)
		} else if k, failed = e.find(c, &m, null); failed != nil {
			return nil
		}
		if k < 0 || m.Values.IsNull(k) {
			return nil
		}
		return m.Values.Raw(k)
	})
	return failed
}

// find is MapValue.Find for keys that have to be converted to the type of the key that
// is looked for.
func (e *entries) find(c *expr.Context, m *types.MapValue, null bool) (int, error) {
	if null || m.Len() == 0 {
		return m.Find(nil, null, &e.form), nil
	}
	elementsOf(&e.one, &m.Keys)
	if err := castElements(c, e.cast, &e.one, &e.conv, e.as); err != nil {
		return -1, err
	}
	for k := m.Len() - 1; k >= 0; k-- {
		if !e.conv.IsNull(k) {
			if e.form = types.AppendKey(e.form[:0], e.as, e.conv.Raw(k)); string(e.form) == string(e.key) {
				return k, nil
			}
		}
	}
	return -1, nil
}

// resolveField binds row[index] and row['name'].
func resolveField(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	t, l := args[0], lits[1]
	if l == nil || l.Value.Null || !l.T.IsInteger() && !l.T.IsText() {
		return expr.Resolution{}, errors.New("needs the name or number of a field as a constant")
	}
	k := int(l.Value.I) - 1
	if l.T.IsText() {
		if k = t.FieldIndex(l.Value.S); k < 0 {
			return expr.Resolution{}, fmt.Errorf("field %q not found; fields: %s", l.Value.S, fieldNames(t))
		}
	}
	if k < 0 || k >= len(t.Fields()) {
		return expr.Resolution{}, fmt.Errorf("needs a field from 1 to %d, not %d", len(t.Fields()), l.Value.I)
	}
	field := t.Fields()[k].Type
	res := expr.Resolution{Args: []types.Type{t, l.T}, Result: field.WithNullability(!t.NotNull || !field.NotNull), NullAware: true}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		putEach(out, rows, func(i int) []byte {
			if args[0].IsNull(i) {
				return nil
			}
			r := types.ReadRow(t, args[0].Bytes(i))
			if r.IsNull(k) {
				return nil
			}
			return r.Raw(k)
		})
	})
	return res, nil
}

func fieldNames(t types.Type) string {
	s := ""
	for i, f := range t.Fields() {
		if i > 0 {
			s += ", "
		}
		s += f.Name
	}
	return s
}
