package eval

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

var (
	registry = builtin.NewRegistry()
	intT     = types.Of(types.Int)
	bigT     = types.Of(types.BigInt)
	boolT    = types.Of(types.Boolean)
	textT    = types.Of(types.Varchar)
)

func col(i int, t types.Type) expr.Expr {
	return &expr.Column{Info: expr.Info{T: t}, Index: i, Name: fmt.Sprint("c", i)}
}

func lit(t types.Type, v types.Value) expr.Expr {
	return &expr.Literal{Info: expr.Info{T: t}, Value: v}
}

func num(n int64) expr.Expr { return lit(intT.Required(), types.IntValue(n)) }

func str(s string) expr.Expr {
	return lit(types.NewChar(len(s)).Required(), types.TextValue(s))
}

// fn binds a function as the planner does: arguments get the types it asks for.
func fn(t testing.TB, name string, args ...expr.Expr) expr.Expr {
	t.Helper()
	f := registry.Function(name)
	if f == nil {
		t.Fatalf("no function %q", name)
	}
	ts := make([]types.Type, len(args))
	ls := make([]*expr.Literal, len(args))
	for i, a := range args {
		ts[i] = a.Type()
		ls[i], _ = a.(*expr.Literal)
	}
	res, err := f.Resolve(ts, ls)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i := range args {
		if i < len(res.Args) && !args[i].Type().Same(res.Args[i]) {
			args[i] = &expr.Cast{Info: expr.Info{T: res.Args[i]}, Arg: args[i], Implicit: true}
		}
	}
	return &expr.Call{Info: expr.Info{T: res.Result, S: diag.Span{Start: 7, End: 9}}, Func: f, Args: args, Res: res}
}

// batch makes a batch of nullable INT (int, nil) or STRING (string) columns.
func batch(cols ...[]any) *stream.Batch {
	b := &stream.Batch{N: len(cols[0])}
	for _, c := range cols {
		t := intT
		for _, x := range c {
			switch x.(type) {
			case string:
				t = textT
			case bool:
				t = boolT
			}
		}
		var v stream.Vec
		v.Reset(t, len(c))
		for i, x := range c {
			val := types.NullValue
			switch x := x.(type) {
			case int:
				val = types.IntValue(int64(x))
			case string:
				val = types.TextValue(x)
			case bool:
				val = types.BoolValue(x)
			}
			v.Put(i, len(c), val)
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// show prints the values of v at the live rows.
func show(b *stream.Batch, v *stream.Vec) string {
	var out []string
	one := func(i int) {
		switch x := v.Value(i); {
		case x.Null:
			out = append(out, "-")
		case v.Type.Layout() == types.Bytes:
			out = append(out, x.S)
		case v.Type.Kind == types.Boolean:
			out = append(out, map[int64]string{0: "F", 1: "T"}[x.I])
		default:
			out = append(out, fmt.Sprint(x.I))
		}
	}
	if b.Sel != nil {
		for _, i := range b.Sel {
			one(int(i))
		}
	} else {
		for i := range b.N {
			one(i)
		}
	}
	return strings.Join(out, " ")
}

func run(t testing.TB, b *stream.Batch, es ...expr.Expr) (string, error) {
	t.Helper()
	p, err := Compile(es, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Vec, len(es))
	err = p.Run(b, &Env{Watermark: stream.MinWatermark}, out)
	c := *b
	var e *Error
	if errors.As(err, &e) {
		c.Sel = p.upTo(b.Sel, e.Row)
		if b.Sel == nil {
			c.N = e.Row
		}
	}
	var s []string
	for i := range out {
		s = append(s, show(&c, &out[i]))
	}
	return strings.Join(s, " | "), err
}

func want(t *testing.T, b *stream.Batch, expected string, es ...expr.Expr) {
	t.Helper()
	got, err := run(t, b, es...)
	if err != nil {
		t.Fatal(err)
	}
	if got != expected {
		t.Errorf("got  %s\nwant %s", got, expected)
	}
}

func TestColumnsPassThrough(t *testing.T) {
	b := batch([]any{1, 2, nil}, []any{"x", nil, "z"})
	p, err := Compile([]expr.Expr{col(1, textT), col(0, intT), num(5)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Vec, 3)
	if err := p.Run(b, nil, out); err != nil {
		t.Fatal(err)
	}
	if &out[0].Data[0] != &b.Cols[1].Data[0] || &out[1].Data[0] != &b.Cols[0].Data[0] {
		t.Error("columns were copied")
	}
	if out[2].Enc != stream.Const {
		t.Error("a literal is no Const vector")
	}
	if s := show(b, &out[0]) + "|" + show(b, &out[1]) + "|" + show(b, &out[2]); s != "x - z|1 2 -|5 5 5" {
		t.Error(s)
	}
}

func TestStrictNull(t *testing.T) {
	b := batch([]any{1, nil, 3, nil}, []any{10, 20, nil, nil})
	want(t, b, "11 - - -", fn(t, "+", col(0, intT), col(1, intT)))
	want(t, b, "- - - -", fn(t, "+", col(0, intT), lit(intT, types.NullValue)))
	b.Sel = []int32{0, 3}
	want(t, b, "11 -", fn(t, "+", col(0, intT), col(1, intT)))
}

func TestLogicThreeValued(t *testing.T) {
	b := batch([]any{true, true, true, false, false, false, nil, nil, nil}, []any{true, false, nil, true, false, nil, true, false, nil})
	x, y := col(0, boolT), col(1, boolT)
	want(t, b, "T F - F F F - F -", &expr.And{Info: expr.Info{T: boolT}, Args: []expr.Expr{x, y}})
	want(t, b, "T T T T F - T - -", &expr.Or{Info: expr.Info{T: boolT}, Args: []expr.Expr{x, y}})
}

// TestShortCircuit: a later operand that would fail is not evaluated for rows that
// an earlier one has decided, nor a branch of CASE for rows of another branch.
func TestShortCircuit(t *testing.T) {
	b := batch([]any{0, 2, nil, 0, 20})
	x := col(0, intT)
	quotient := fn(t, "/", num(10), x)
	want(t, b, "F T - F F", &expr.And{Info: expr.Info{T: boolT}, Args: []expr.Expr{
		fn(t, "<>", x, num(0)), fn(t, ">", quotient, num(1))}})
	want(t, b, "T T - T F", &expr.Or{Info: expr.Info{T: boolT}, Args: []expr.Expr{
		fn(t, "=", x, num(0)), fn(t, ">", quotient, num(1))}})
	want(t, b, "-1 5 - -1 0", &expr.Case{Info: expr.Info{T: intT},
		Whens: []expr.When{{Cond: fn(t, "=", x, num(0)), Then: num(-1)}}, Else: quotient})
}

func TestCaseText(t *testing.T) {
	b := batch([]any{1, 2, nil, 4}, []any{"a", nil, "c", "d"})
	x := col(0, intT)
	e := &expr.Case{Info: expr.Info{T: textT}, Whens: []expr.When{
		{Cond: fn(t, "=", x, num(1)), Then: str("one")},
		{Cond: fn(t, "<", x, num(3)), Then: col(1, textT)},
	}, Else: fn(t, "UPPER", col(1, textT))}
	want(t, b, "one - C D", e)
	b.Sel = []int32{1, 3}
	want(t, b, "- D", e)
}

// TestErrorKeepsRowsBefore: the first failing row wins, whichever expression it
// stands in, and the rows before it are right.
func TestErrorKeepsRowsBefore(t *testing.T) {
	b := batch([]any{4, 5, 1, 0, 2}, []any{1, 2, 0, 1, 2})
	a := fn(t, "/", num(20), col(0, intT)) // fails at row 3
	c := fn(t, "/", num(20), col(1, intT)) // fails at row 2
	for _, sel := range [][]int32{nil, {0, 1, 2, 3}} {
		b.Sel = sel
		got, err := run(t, b, a, c)
		var e *Error
		if !errors.As(err, &e) || e.Row != 2 || got != "5 4 | 20 10" {
			t.Fatalf("%q %v", got, err)
		}
		d := diag.As(err)
		if d == nil || d.Code != diag.Runtime || d.Span.Start != 7 || !strings.Contains(d.Msg, "division by zero") {
			t.Errorf("%#v", d)
		}
	}
	b.Sel = []int32{0, 4}
	want(t, b, "5 10 | 20 10", a, c)
}

func TestFilter(t *testing.T) {
	var x []any
	for i := range 200 {
		if i%7 == 3 {
			x = append(x, nil)
		} else {
			x = append(x, i)
		}
	}
	b := batch(x)
	p, err := Compile([]expr.Expr{fn(t, "<", col(0, intT), num(130))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sel := range [][]int32{nil, {3, 5, 64, 129, 130, 199}, {}} {
		b.Sel = sel
		got, err := p.Filter(b, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var exp []int32
		for i := range int32(200) {
			in := sel == nil
			for _, s := range sel {
				in = in || s == i
			}
			if in && i%7 != 3 && i < 130 {
				exp = append(exp, i)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(exp) {
			t.Errorf("%v\n%v", got, exp)
		}
	}
	b.Sel = nil
	p, _ = Compile([]expr.Expr{fn(t, ">", fn(t, "/", num(100), fn(t, "-", col(0, intT), num(9))), num(0))}, nil)
	got, err := p.Filter(b, nil, nil)
	if err == nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	var e *Error
	if !errors.As(err, &e) || e.Row != 9 {
		t.Error(err)
	}
}

func TestCommonSubexpression(t *testing.T) {
	calls := 0
	f := &expr.Function{Name: "COUNTED"}
	res := expr.Resolution{Args: []types.Type{intT}, Result: intT, New: func() expr.Kernel {
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			calls++
			copy(stream.Values[int32](out), stream.Values[int32](args[0]))
			return nil
		}
	}}
	counted := func() expr.Expr {
		return &expr.Call{Info: expr.Info{T: intT}, Func: f, Res: res, Args: []expr.Expr{col(0, intT)}}
	}
	b := batch([]any{1, 2})
	// As a root, below another root, and inside a branch.
	want(t, b, "1 2 | 2 3 | 0 2 | 1 2", counted(), fn(t, "+", counted(), num(1)),
		&expr.Case{Info: expr.Info{T: intT}, Whens: []expr.When{{Cond: fn(t, "=", col(0, intT), num(1)), Then: num(0)}}, Else: counted()},
		counted())
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// TestTake: a batch that has been taken keeps its values when the program runs on.
func TestTake(t *testing.T) {
	p, err := Compile([]expr.Expr{
		fn(t, "+", col(0, intT), num(1)), fn(t, "+", col(0, intT), num(1)),
		fn(t, "UPPER", col(1, textT)), col(0, intT), fn(t, "COALESCE", col(0, intT), num(9)),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := &stream.Batch{Cols: make([]stream.Vec, 5)}
	b1, b2 := batch([]any{1, nil, 3}, []any{"a", nil, "c"}), batch([]any{nil, 5, 6}, []any{"x", "y", nil})
	print := func(b *stream.Batch) (s string) {
		for i := range b.Cols {
			s += show(b, &b.Cols[i]) + "|"
		}
		return s
	}
	if err := p.Run(b1, nil, out.Cols); err != nil {
		t.Fatal(err)
	}
	out.N = 3
	first := out.Take()
	before := print(first)
	if err := p.Run(b2, nil, out.Cols); err != nil {
		t.Fatal(err)
	}
	out.N = 3
	if s := print(first); s != before || s != "2 - 4|2 - 4|A - C|1 - 3|1 9 3|" {
		t.Errorf("%s\n%s", before, s)
	}
	if s := print(out); s != "- 6 7|- 6 7|X Y -|- 5 6|9 5 6|" {
		t.Error(s)
	}
}

// TestEmptyBatchKeepsInput: a batch without live rows must not write into memory
// that an earlier result shares with the input.
func TestEmptyBatchKeepsInput(t *testing.T) {
	p, err := Compile([]expr.Expr{col(1, textT), col(1, textT), fn(t, "UPPER", col(1, textT))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := batch([]any{1, 2}, []any{"ab", "cd"})
	out := make([]stream.Vec, 3)
	for _, sel := range [][]int32{nil, {}, {1}, {}} {
		b.Sel = sel
		if err := p.Run(b, nil, out); err != nil {
			t.Fatal(err)
		}
	}
	b.Sel = nil
	if s := show(b, &b.Cols[1]); s != "ab cd" {
		t.Error(s)
	}
}

func TestWatermark(t *testing.T) {
	ts := types.NewTimestamp(3)
	p, err := Compile([]expr.Expr{&expr.CurrentWatermark{Info: expr.Info{T: ts}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := batch([]any{1, 2, 3, 4})
	b.Marks = []stream.Mark{{Pos: 1, W: 100}, {Pos: 3, W: 250}}
	out := make([]stream.Vec, 1)
	if err := p.Run(b, &Env{Watermark: stream.MinWatermark}, out); err != nil {
		t.Fatal(err)
	}
	if s := show(b, &out[0]); s != "- 100 100 250" {
		t.Error(s)
	}
	if err := p.Run(b, &Env{Watermark: 120}, out); err != nil {
		t.Fatal(err)
	}
	if s := show(b, &out[0]); s != "120 120 120 250" {
		t.Error(s)
	}
}

func TestProctime(t *testing.T) {
	p, err := Compile([]expr.Expr{&expr.Proctime{Info: expr.Info{T: types.NewTimestampLTZ(3).Required()}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Vec, 1)
	b := batch([]any{1, 2})
	if err := p.Run(b, &Env{Now: func() int64 { return 77 }}, out); err != nil {
		t.Fatal(err)
	}
	if s := show(b, &out[0]); s != "77 77" {
		t.Error(s)
	}
}

func TestDictIsFlattened(t *testing.T) {
	var d stream.Vec
	d.Reset(textT, 2)
	d.AppendString("x")
	d.AppendString("yy")
	v := stream.Vec{Type: textT, Enc: stream.Dict, N: 4, Data: []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, Dict: &d, Valid: []uint64{0b1011}}
	b := &stream.Batch{N: 4, Cols: []stream.Vec{v}}
	want(t, b, "YY X - YY", fn(t, "UPPER", col(0, textT)))
}

func TestConstant(t *testing.T) {
	v, err := Constant(fn(t, "+", num(2), num(3)), nil)
	if err != nil || v.I != 5 {
		t.Error(v, err)
	}
	_, err = Constant(fn(t, "/", num(2), num(0)), nil)
	if d := diag.As(err); d == nil || d.Code != diag.Runtime {
		t.Error(err)
	}
	if _, err = Constant(col(0, intT), nil); err == nil {
		t.Error("a column is constant")
	}
	// The value of a constant is cut to its type: ﬁ in upper case has two letters.
	v, err = Constant(fn(t, "UPPER", lit(types.NewChar(1).Required(), types.TextValue("ﬁ"))), nil)
	if err != nil || v.S != "F" {
		t.Error(v, err)
	}
}

// TestNoAllocations: a warm program allocates nothing.
func TestNoAllocations(t *testing.T) {
	var x, y, s []any
	for i := range 1000 {
		x, y, s = append(x, i%50), append(y, i%7+1), append(s, fmt.Sprint("v", i%13))
		if i%11 == 0 {
			x[i], s[i] = nil, nil
		}
	}
	b := batch(x, y, s)
	cx, cy, cs := col(0, intT), col(1, intT), col(2, textT)
	es := []expr.Expr{
		fn(t, "+", cx, cy), fn(t, "/", cx, cy), fn(t, "*", cx, num(3)), fn(t, "UPPER", cs),
		fn(t, "||", cs, str("!")), fn(t, "LIKE", cs, str("v1%")), fn(t, "IS NULL", cx), fn(t, "IS DISTINCT FROM", cx, cy),
		fn(t, "COALESCE", cx, cy), fn(t, "SUBSTRING", cs, num(2)), fn(t, "NULLIF", cx, cy), fn(t, "GREATEST", cx, cy),
		fn(t, "IN", cy, num(1), num(2), num(3)), cx, num(1),
		&expr.And{Info: expr.Info{T: boolT}, Args: []expr.Expr{fn(t, "<>", cx, num(0)), fn(t, ">", fn(t, "/", cy, cx), num(0))}},
		&expr.Case{Info: expr.Info{T: textT}, Whens: []expr.When{{Cond: fn(t, "<", cx, num(20)), Then: cs}}, Else: str("big")},
		&expr.Cast{Info: expr.Info{T: bigT}, Arg: cx},
	}
	p, err := Compile(es, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Vec, len(es))
	env := &Env{}
	if err := p.Run(b, env, out); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(20, func() {
		if err := p.Run(b, env, out); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a run", n)
	}
	f, _ := Compile(es[5:6], nil)
	sel := make([]int32, 0, b.N)
	if n := testing.AllocsPerRun(20, func() { sel, _ = f.Filter(b, env, sel) }); n > 0 {
		t.Errorf("Filter: %v allocations", n)
	}
}

// TestComparedWithItself: NaN equals itself only as one expression.
func TestComparedWithItself(t *testing.T) {
	d := types.Of(types.Double)
	b := &stream.Batch{N: 2, Cols: make([]stream.Vec, 1)}
	b.Cols[0].Reset(d, 2)
	b.Cols[0].Put(0, 2, types.FloatValue(math.NaN()))
	b.Cols[0].Put(1, 2, types.NullValue)
	x := func() expr.Expr { return fn(t, "ABS", col(0, d)) }
	y := func() expr.Expr { return fn(t, "NEGATE", col(0, d)) }
	want(t, b, "T - | F - | T T | F - | T - | F T",
		fn(t, "=", x(), x()), fn(t, "<>", x(), x()), fn(t, "IS NOT DISTINCT FROM", x(), x()),
		fn(t, "=", x(), y()), fn(t, "<>", x(), y()), fn(t, "IS NOT DISTINCT FROM", x(), y()))
}

// TestInStopsAtHit: an element behind the hit may fail, one before it may not.
func TestInStopsAtHit(t *testing.T) {
	b := batch([]any{0, 2}, []any{5, 7})
	q := func() expr.Expr { return fn(t, "/", num(10), col(0, intT)) }
	want(t, b, "T F", fn(t, "IN", col(1, intT), num(5), q()))
	if got, err := run(t, b, fn(t, "IN", col(1, intT), q(), num(5))); err == nil {
		t.Error(got)
	}
	b.Sel = []int32{1}
	want(t, b, "F", fn(t, "IN", col(1, intT), q(), num(6)))
}

// TestDictionary: a column with a dictionary is passed on as it is, and flat for
// whoever reads its values in the same program.
func TestDictionary(t *testing.T) {
	b := batch([]any{"x", "y", nil, "x"})
	dict := new(stream.Vec)
	dict.Reset(textT, 3)
	for _, s := range []string{"", "y", "x"} {
		dict.AppendString(s)
	}
	flat := b.Cols[0]
	var v stream.Vec
	v.Reset(intT, 4)
	copy(v.IDs(), []int32{2, 1, 0, 2})
	v.Type, v.Enc, v.Dict, v.Valid = textT, stream.Dict, dict, flat.Valid
	b.Cols[0] = v
	x := col(0, textT)
	upper := fn(t, "UPPER", x)
	wide := &expr.Cast{Info: expr.Info{T: textT}, Arg: x}
	either := &expr.Case{Info: expr.Info{T: textT}, Whens: []expr.When{{Cond: fn(t, "=", x, str("x")), Then: wide}}, Else: upper}
	want(t, b, "x y - x | X Y - X | x y - x | x Y - x", x, upper, wide, either)
	p, err := Compile([]expr.Expr{x, upper}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Vec, 2)
	if err := p.Run(b, nil, out); err != nil || out[0].Enc != stream.Dict || out[0].Dict != dict {
		t.Errorf("encoding %d, %v", out[0].Enc, err)
	}
}
