package builtin

import (
	"bytes"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func listOperators() []*expr.Function {
	return []*expr.Function{{
		Name: "IN", Class: "comparison", Operator: true, Usage: "value IN (value, ...)",
		Doc:      "TRUE if the value equals one of the list. A NULL in the list makes a miss NULL.",
		Examples: []expr.Example{{SQL: "2 IN (1, 2)", Result: "TRUE"}, {SQL: "3 IN (1, CAST(NULL AS INT))", Result: ""}},
		Resolve:  resolveIn,
	}}
}

// resolveIn binds IN: the value and the list meet in one type. A list of constants
// is looked up, anything else compared one by one.
func resolveIn(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, -1); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	for _, u := range args[1:] {
		m, err := meeting(t, u, true)
		if err != nil {
			return expr.Resolution{}, err
		}
		t = m
		if t.Kind == types.Decimal {
			t = types.NewDecimal(types.MaxPrecision, 0) // only its kind counts
		}
	}
	to := make([]types.Type, len(args))
	constant := true
	for i, u := range args {
		to[i] = operandType(u, t)
		if i > 0 && (i >= len(lits) || lits[i] == nil) {
			constant = false
		}
	}
	same := true
	for _, u := range to[1:] {
		same = same && (u.Kind != types.Decimal || u.Same(to[0]))
	}
	nullable := args[0]
	for _, u := range args[1:] {
		if !u.NotNull {
			nullable = nullable.Nullable()
		}
	}
	res := expr.Resolution{Args: to, Result: like(boolType, []types.Type{nullable}), NullAware: true}
	res.New = func() expr.Kernel {
		in := &membership{loops: make([]relate, len(to)-1)}
		for k, u := range to[1:] {
			in.loops[k] = comparisonLoop(equal, to[0], u)
		}
		if constant && same && len(to) > 2 && !to[0].IsNested() {
			in.kind = to[0].Layout()
		}
		return in.run
	}
	return res, nil
}

// Equal returns the resolution of a = b for operands of the types that IN has asked
// for: where an element of a list can fail, IN is an OR of these, since it stops at
// the first hit.
func Equal(a, b types.Type) expr.Resolution {
	loop := comparisonLoop(equal, a, b)
	return expr.Resolution{Args: []types.Type{a, b}, Result: like(boolType, []types.Type{a, b}),
		New: safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			loop(args[0], args[1], out, rows)
		})}
}

// membership is one compiled IN. kind is the layout whose sorted list is looked up;
// NoLayout compares with each element.
type membership struct {
	loops   []relate
	kind    types.Layout
	ready   bool
	hasNull bool
	ints    []int64
	numbers *wantedInts // of ints
	texts   wantedTexts
	one     stream.Vec
}

func (m *membership) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	v, list := args[0], args[1:]
	if allNull(v) {
		clear(out.OwnValid(rows.N))
		return nil
	}
	if m.lookUp(list) {
		m.search(v, out, rows)
		m.settle(v, out, rows, m.hasNull)
		return nil
	}
	found := out.Words()
	clear(found)
	valid := out.OwnValid(rows.N)
	for k := range valid {
		valid[k] = ^uint64(0) // for now: no miss is NULL
	}
	m.one.Reset(boolType, rows.N)
	for k, u := range list {
		if allNull(u) {
			clear(valid)
			continue
		}
		m.loops[k](v, u, &m.one, rows)
		words := m.one.Words()
		for j := range found {
			va := validWord(u, j)
			found[j] |= words[j] & va
			valid[j] &= va
		}
	}
	for k := range valid {
		valid[k] = (valid[k] | found[k]) & validWord(v, k)
	}
	return nil
}

// settle sets the validity of a looked-up result.
func (m *membership) settle(v, out *stream.Vec, rows expr.Rows, hasNull bool) {
	if v.Valid == nil && !hasNull {
		return
	}
	found := out.Words()
	valid := out.OwnValid(rows.N)
	for k := range valid {
		valid[k] = validWord(v, k)
		if hasNull {
			valid[k] &= found[k]
		}
	}
}

// lookUp prepares the list on the first call and reports whether it can be searched.
func (m *membership) lookUp(list []*stream.Vec) bool {
	if m.ready {
		return m.kind != types.NoLayout
	}
	m.ready = true
	for _, u := range list {
		if u.Enc != stream.Const {
			m.kind = types.NoLayout
			return false
		}
		if allNull(u) {
			m.hasNull = true
			continue
		}
		switch m.kind {
		case types.Int8, types.Int16, types.Int32, types.Int64:
			m.ints = append(m.ints, u.Value(0).I)
		case types.Bytes:
			m.texts.add(string(u.Bytes(0)))
		default:
			m.kind = types.NoLayout
			return false
		}
	}
	slices.Sort(m.ints)
	m.ints = slices.Compact(m.ints)
	switch m.kind {
	case types.Int8:
		m.numbers = wantInts[int8](m.ints)
	case types.Int16:
		m.numbers = wantInts[int16](m.ints)
	case types.Int32:
		m.numbers = wantInts[int32](m.ints)
	case types.Int64:
		m.numbers = wantInts[int64](m.ints)
	}
	return m.kind != types.NoLayout
}

func (m *membership) search(v, out *stream.Vec, rows expr.Rows) {
	switch m.kind {
	case types.Int8:
		searchInts[int8](m.numbers, v, out, rows)
	case types.Int16:
		searchInts[int16](m.numbers, v, out, rows)
	case types.Int32:
		searchInts[int32](m.numbers, v, out, rows)
	case types.Int64:
		searchInts[int64](m.numbers, v, out, rows)
	default:
		m.texts.search(v, out, rows)
	}
}

// compareValues orders two stored values of vectors of one type; NaN is the
// greatest number.
func compareValues(a *stream.Vec, i int, b *stream.Vec, j int) int {
	i, j = a.At(i), b.At(j)
	switch a.Type.Layout() {
	case types.Bits:
		return boolInt(a.Bool(i)) - boolInt(b.Bool(j))
	case types.Int8:
		return compareOrdered(stream.Values[int8](a)[i], stream.Values[int8](b)[j])
	case types.Int16:
		return compareOrdered(stream.Values[int16](a)[i], stream.Values[int16](b)[j])
	case types.Int32:
		return compareOrdered(stream.Values[int32](a)[i], stream.Values[int32](b)[j])
	case types.Int64:
		return compareOrdered(stream.Values[int64](a)[i], stream.Values[int64](b)[j])
	case types.Float32:
		return compareOrdered(stream.Values[float32](a)[i], stream.Values[float32](b)[j])
	case types.Float64:
		return compareOrdered(stream.Values[float64](a)[i], stream.Values[float64](b)[j])
	case types.Int128:
		return stream.Values[types.Num128](a)[i].Cmp(stream.Values[types.Num128](b)[j])
	}
	return bytes.Compare(a.Bytes(i), b.Bytes(j))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func compareOrdered[T number](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	}
	return -1
}
