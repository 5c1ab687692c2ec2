package builtin

import (
	"bytes"
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// relation is one of the three comparisons that have loops; the others follow by
// swapping the operands or by negation. NaN is equal to nothing and in no order, so
// only = is ever negated.
type relation uint8

const (
	equal relation = iota
	less
	lessEqual
)

// comparison is an operator in terms of a relation.
type comparison struct {
	name   string
	rel    relation
	swap   bool
	negate bool
}

var comparisons = [...]comparison{
	{"=", equal, false, false},
	{"<>", equal, false, true},
	{"<", less, false, false},
	{"<=", lessEqual, false, false},
	{">", less, true, false},
	{">=", lessEqual, true, false},
}

func comparisonOperators() []*expr.Function {
	docs := [...][3]string{
		{"Equality. NaN equals nothing; the blanks of a CHAR count.", "1 = 1.0", "TRUE"},
		{"Inequality.", "'a' <> 'A'", "TRUE"},
		{"Order; texts by the bytes of their UTF-8 form.", "'Z' < 'a'", "TRUE"},
		{"Order.", "2 <= 1", "FALSE"},
		{"Order.", "DATE '2024-01-01' > '2023-12-31'", "TRUE"},
		{"Order.", "1E0 >= 1", "TRUE"},
	}
	var fs []*expr.Function
	for i, c := range comparisons {
		fs = append(fs, &expr.Function{
			Name: c.name, Class: "comparison", Operator: true, Usage: "value " + c.name + " value", Doc: docs[i][0],
			Examples: []expr.Example{{SQL: docs[i][1], Result: docs[i][2]}},
			Resolve:  func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) { return resolveComparison(c, args) },
		})
	}
	distinct := func(name, doc string, not bool, examples ...expr.Example) *expr.Function {
		return &expr.Function{
			Name: name, Class: "comparison", Operator: true, Usage: "value " + name + " value", Doc: doc, Examples: examples,
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) { return resolveDistinct(not, args) },
		}
	}
	return append(fs,
		distinct("IS DISTINCT FROM", "Inequality for which NULL equals NULL; never NULL.", false,
			expr.Example{SQL: "CAST(NULL AS INT) IS DISTINCT FROM 1", Result: "TRUE"}),
		distinct("IS NOT DISTINCT FROM", "Equality for which NULL equals NULL; never NULL.", true,
			expr.Example{SQL: "CAST(NULL AS INT) IS NOT DISTINCT FROM CAST(NULL AS INT)", Result: "TRUE"}))
}

// meeting returns the type in which two values are compared. ordered says that the
// operator is no plain equality: Flink converts a text to a number only there.
func meeting(a, b types.Type, ordered bool) (types.Type, error) {
	refuse := func(hint string) (types.Type, error) {
		return types.Type{}, fmt.Errorf("cannot compare %s with %s%s", a.Name(), b.Name(), hint)
	}
	switch {
	case a.Kind == types.Null && b.Kind == types.Null:
		return boolType, nil
	case a.Kind == types.Null:
		return b, nil
	case b.Kind == types.Null:
		return a, nil
	case a.IsNumeric() && b.IsNumeric():
		return meetingNumber(a, b), nil
	case a.IsText() && b.IsText():
		return stringType, nil
	case a.Kind == types.Boolean && b.IsText(), b.Kind == types.Boolean && a.IsText():
		if ordered {
			return boolType, nil
		}
		return stringType, nil // no conversion: see neverEqual
	case a.IsText() && b.IsNumeric(), b.IsText() && a.IsNumeric():
		if !ordered {
			return refuse("; CAST one of them")
		}
		if a.IsText() {
			return b, nil
		}
		return a, nil
	case a.IsText() && b.IsTemporal():
		return b, nil
	case b.IsText() && a.IsTemporal():
		return a, nil
	case a.IsTimestamp() && b.IsTimestamp():
		p := int(max(a.Precision, b.Precision))
		if zoned(a) || zoned(b) {
			return types.NewTimestampLTZ(p), nil
		}
		return types.NewTimestamp(p), nil
	case a.IsTimestamp() && b.Kind == types.Date, a.Kind == types.Date && b.IsTimestamp():
		return refuse("; CAST one of them")
	case a.IsBytes() && b.IsBytes():
		return types.Of(types.Varbinary), nil
	case a.IsNested() && b.IsNested():
		t, ok := types.CommonType(a, b)
		if !ok {
			return refuse("")
		}
		return t.Nullable(), nil
	case a.Kind == b.Kind:
		return a, nil
	case a.Kind == types.Variant || b.Kind == types.Variant:
		return refuse("; compare JSON_VALUE(variant, '$') or JSON_STRING(variant)")
	}
	return refuse("")
}

// equalityType is the type in which = and <> compare values that meet in t: a FLOAT on
// the left makes a FLOAT of a DOUBLE.
func equalityType(a, b, t types.Type) types.Type {
	if a.Kind == types.Float && b.Kind == types.Double {
		return types.Of(types.Float)
	}
	return t
}

// meetingNumber returns the type in which two numbers are compared. DECIMALs are
// compared as they are, with any two scales.
func meetingNumber(a, b types.Type) types.Type {
	switch {
	case a.Kind == types.Double || b.Kind == types.Double:
		return doubleType
	case a.Kind == types.Decimal && b.IsApproximate(), b.Kind == types.Decimal && a.IsApproximate():
		return doubleType
	case a.Kind == types.Decimal || b.Kind == types.Decimal:
		return types.Of(types.Decimal)
	}
	return types.Of(max(a.Kind, b.Kind))
}

// operandType is the type that an operand is cast to for a comparison in type t.
func operandType(t, meet types.Type) types.Type {
	switch {
	case meet.Kind == types.Decimal && t.IsNumeric():
		return types.AsDecimal(t.Nullable())
	case t.Kind == types.Boolean && meet.IsText():
		return t
	case meet.IsNested():
		if t.Alike(meet) {
			return t
		}
		return meet
	case meet.Kind == t.Kind && !meet.IsTimestamp(), meet.IsText() && t.IsText(), meet.IsBytes() && t.IsBytes():
		return t
	case meet.IsTimestamp() && t.Kind == meet.Kind && t.TimeUnit() == meet.TimeUnit():
		return t
	}
	return meet.Nullable()
}

func resolveComparison(c comparison, args []types.Type) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	t, err := meeting(args[0], args[1], c.rel != equal)
	if err != nil {
		return expr.Resolution{}, err
	}
	if !t.HasOrder() && c.rel != equal {
		return expr.Resolution{}, fmt.Errorf("cannot compare %s: such values are equal or not, but in no order", t.Name())
	}
	if c.rel == equal {
		t = equalityType(args[0], args[1], t)
	}
	to := []types.Type{operandType(args[0], t), operandType(args[1], t)}
	res := expr.Resolution{Args: to, Result: like(boolType, args), Unreadable: c.rel == equal}
	i, j := 0, 1
	if c.swap {
		i, j = 1, 0
	}
	loop := comparisonLoop(c.rel, to[i], to[j])
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		loop(args[i], args[j], out, rows)
		if c.negate {
			words := out.Words()
			for k, w := range words {
				words[k] = ^w
			}
		}
	})
	return res, nil
}

func resolveDistinct(not bool, args []types.Type) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	t, err := meeting(args[0], args[1], false)
	if err != nil {
		return expr.Resolution{}, err
	}
	to := []types.Type{operandType(args[0], t), operandType(args[1], t)}
	loop := comparisonLoop(equal, to[0], to[1])
	res := expr.Resolution{Args: to, Result: boolType.Required(), NullAware: true, Unreadable: true}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		a, b := args[0], args[1]
		if !allNull(a) && !allNull(b) {
			loop(a, b, out, rows)
		}
		words := out.Words()
		for k, w := range words {
			va, vb := validWord(a, k), validWord(b, k)
			same := va&vb&w | ^va&^vb
			if !not {
				same = ^same
			}
			words[k] = same
		}
	})
	return res, nil
}

// allNull reports whether v is a constant NULL, whose value must not be read.
func allNull(v *stream.Vec) bool {
	return v.Type.Kind == types.Null || v.Enc == stream.Const && v.IsNull(0)
}

// validWord returns word k of a vector's validity, in any encoding.
func validWord(v *stream.Vec, k int) uint64 {
	switch {
	case allNull(v):
		return 0
	case v.Valid == nil || v.Enc == stream.Const:
		return ^uint64(0)
	}
	return v.Valid[k]
}

// relate writes a BOOLEAN result; NULLs are none of its business.
type relate func(a, b, out *stream.Vec, rows expr.Rows)

// comparisonLoop returns the loop for two operand types. Two constants are compared
// once.
func comparisonLoop(rel relation, a, b types.Type) relate {
	inner := loopFor(rel, a, b)
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		if rows.N == 1 || a.Enc != stream.Const || b.Enc != stream.Const {
			inner(a, b, out, rows)
			return
		}
		n := out.N
		out.N = 1
		inner(a, b, out, expr.Rows{N: 1})
		out.N = n
		words, w := out.Words(), uint64(0)
		if words[0]&1 != 0 {
			w = ^w
		}
		for k := range words {
			words[k] = w
		}
	}
}

// neverEqual is the equality of a BOOLEAN and a text: Flink compares the values without
// converting one, so that none are equal.
func neverEqual(_, _, out *stream.Vec, _ expr.Rows) { clear(out.Words()) }

func loopFor(rel relation, a, b types.Type) relate {
	if rel == equal && (a.Kind == types.Boolean && b.IsText() || a.IsText() && b.Kind == types.Boolean) {
		return neverEqual
	}
	if a.Kind == types.Decimal && b.Kind == types.Decimal && (a.Scale != b.Scale || a.Layout() != b.Layout()) {
		if k := compareSmallDecimals(rel, a, b); k != nil {
			return k
		}
		return compareDecimalVecs(rel, a.Scale, b.Scale)
	}
	if a.IsNested() {
		return equalNested(a)
	}
	switch a.Layout() {
	case types.Bits:
		return func(a, b, out *stream.Vec, rows expr.Rows) { compareBits(rel, a, b, out) }
	case types.Int8:
		return compareIntegers[int8](rel)
	case types.Int16:
		return compareIntegers[int16](rel)
	case types.Int32:
		return compareIntegers[int32](rel)
	case types.Int64:
		return compareIntegers[int64](rel)
	case types.Float32:
		return compareFloats[float32](rel)
	case types.Float64:
		return compareFloats[float64](rel)
	case types.Int128:
		return compareDecimalVecs(rel, a.Scale, b.Scale)
	}
	return compareTexts(rel)
}

func compareDecimalVecs(rel relation, sa, sb int32) relate {
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := decimalsOf(a, rows.N), decimalsOf(b, rows.N)
		setBools(out, rows, func(i int) bool { return holds(rel, types.CompareDecimal(x.at(i), sa, y.at(i), sb)) })
	}
}

// holds reports whether the outcome of a three-way comparison satisfies rel.
func holds(rel relation, c int) bool {
	return c < 0 && rel != equal || c == 0 && rel != less
}

func compareBits(rel relation, a, b, out *stream.Vec) {
	words := out.Words()
	for k := range words {
		x, y := bitWord(a, k), bitWord(b, k)
		switch rel {
		case equal:
			words[k] = ^(x ^ y)
		case less:
			words[k] = ^x & y
		default:
			words[k] = ^x | y
		}
	}
}

// bitWord returns word k of a BOOLEAN vector.
func bitWord(v *stream.Vec, k int) uint64 {
	if v.Enc == stream.Const {
		if v.Bool(0) {
			return ^uint64(0)
		}
		return 0
	}
	return v.Words()[k]
}

// compareTexts compares byte strings.
func compareTexts(rel relation) relate {
	if rel == equal {
		return equalTexts
	}
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := textRowsOf(a), textRowsOf(b)
		if rows.Sel != nil {
			setBools(out, rows, func(i int) bool { return holds(rel, bytes.Compare(x.at(i), y.at(i))) })
			return
		}
		most := 0
		if rel == less {
			most = -1
		}
		words := out.Words()
		for k := range words {
			var w uint64
			for i := k << 6; i < min(k<<6+64, rows.N); i++ {
				w |= bit(bytes.Compare(x.at(i), y.at(i)) <= most) << (i & 63)
			}
			words[k] = w
		}
	}
}

func equalTexts(a, b, out *stream.Vec, rows expr.Rows) {
	if a.Enc == stream.Const {
		a, b = b, a
	}
	if b.Enc != stream.Const || a.Enc == stream.Const {
		equalColumns(a, b, out, rows)
		return
	}
	want := b.Bytes(0)
	size := int32(len(want))
	off, data := a.Off, a.Data
	is := func(i int) bool {
		lo, hi := off[i], off[i+1]
		return hi-lo == size && string(data[lo:hi]) == string(want)
	}
	if rows.Sel != nil {
		setBools(out, rows, is)
		return
	}
	words := out.Words()
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, rows.N); i++ {
			if off[i+1]-off[i] == size && is(i) {
				w |= 1 << (i & 63)
			}
		}
		words[k] = w
	}
}

// equalColumns is equalTexts without a constant, or with two.
func equalColumns(a, b, out *stream.Vec, rows expr.Rows) {
	x, y := textRowsOf(a), textRowsOf(b)
	if rows.Sel != nil {
		setBools(out, rows, func(i int) bool { return bytes.Equal(x.at(i), y.at(i)) })
		return
	}
	words := out.Words()
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, rows.N); i++ {
			if v, u := x.at(i), y.at(i); len(v) == len(u) && string(v) == string(u) {
				w |= 1 << (i & 63)
			}
		}
		words[k] = w
	}
}

// equalNested compares values whose bytes may differ though they are equal.
func equalNested(t types.Type) relate {
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		setBools(out, rows, func(i int) bool {
			return !a.IsNull(i) && !b.IsNull(i) && types.EqualRaw(t, a.Bytes(i), b.Bytes(i))
		})
	}
}
