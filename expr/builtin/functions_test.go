package builtin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// absent stands for NULL in the rows of the tables.
const absent = "∅"

// typeNames are the short names of types in the tables.
var typeNames = map[string]types.Type{
	"b": types.Of(types.Boolean), "ti": types.Of(types.TinyInt), "si": types.Of(types.SmallInt), "i": types.Of(types.Int),
	"bi": types.Of(types.BigInt), "f": types.Of(types.Float), "d": types.Of(types.Double), "s": types.Of(types.Varchar),
	"dc": types.NewDecimal(10, 2), "db": types.NewDecimal(38, 18), "d5": types.NewDecimal(5, 0), "d3": types.NewDecimal(3, 1),
	"dt": types.Of(types.Date), "tm": {Kind: types.Time}, "t0": types.NewTimestamp(0), "t3": types.NewTimestamp(3),
	"t6": types.NewTimestamp(6), "t9": types.NewTimestamp(9), "l3": types.NewTimestampLTZ(3), "l9": types.NewTimestampLTZ(9),
	"by": types.Of(types.Varbinary), "c4": types.NewChar(4),
}

// fcase is a function with rows "argument|...|result". A type with a ' behind it
// is always a literal.
type fcase struct {
	fn     string
	types  string
	result string // result type
	rows   []string
}

func argument(t *testing.T, typ types.Type, text string) types.Value {
	t.Helper()
	if text == absent {
		return types.NullValue
	}
	v, err := types.ParseText(typ, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

var registry = builtin.NewRegistry()

// bind makes a call, with the casts that the function asks for.
func bind(name string, args []expr.Expr) (expr.Expr, error) {
	f := registry.Function(name)
	if f == nil {
		return nil, fmt.Errorf("no function %q", name)
	}
	ts, lits := make([]types.Type, len(args)), make([]*expr.Literal, len(args))
	for i, a := range args {
		ts[i] = a.Type()
		lits[i], _ = a.(*expr.Literal)
	}
	res, err := f.Resolve(ts, lits)
	if err != nil {
		return nil, err
	}
	to := append([]expr.Expr{}, args...)
	for i := range to {
		if !to[i].Type().Same(res.Args[i]) {
			to[i] = &expr.Cast{Info: expr.Info{T: res.Args[i]}, Arg: to[i], Implicit: true}
		}
	}
	return &expr.Call{Info: expr.Info{T: res.Result}, Func: f, Args: to, Res: res}, nil
}

// evaluate runs a call over columns with a selection and returns the texts of the
// live rows.
func evaluate(e expr.Expr, b *stream.Batch, zone expr.Zone) ([]string, error) {
	p, err := eval.Compile([]expr.Expr{e}, zone)
	if err != nil {
		return nil, err
	}
	out := make([]stream.Vec, 1)
	if err := p.Run(b, &eval.Env{}, out); err != nil {
		return nil, err
	}
	if out[0].Enc == stream.Flat && out[0].N != b.N {
		return nil, fmt.Errorf("the result has %d values for %d rows", out[0].N, b.N)
	}
	var got []string
	add := func(i int) {
		if out[0].IsNull(i) {
			got = append(got, absent)
		} else {
			got = append(got, string(builtin.AppendText(nil, &out[0], i, zone)))
		}
	}
	if b.Sel != nil {
		for _, i := range b.Sel {
			add(int(i))
		}
	} else {
		for i := range b.N {
			add(i)
		}
	}
	return got, nil
}

// check runs the rows of c as columns of several sizes and selections, and as
// constants in every place.
func check(t *testing.T, c fcase, zone expr.Zone) {
	t.Helper()
	names := strings.Split(c.types, " ")
	if c.types == "" {
		names = nil
	}
	n := len(names)
	typs, fixed := make([]types.Type, n), make([]bool, n)
	for k, name := range names {
		fixed[k] = strings.HasSuffix(name, "'")
		typs[k] = typeNames[strings.TrimSuffix(name, "'")]
	}
	var rows [][]string
	for _, r := range c.rows {
		f := strings.Split(r, "|")
		if len(f) != n+1 {
			t.Fatalf("%s: row %q", c.fn, r)
		}
		rows = append(rows, f)
	}
	literal := func(k int, text string) expr.Expr {
		typ := typs[k]
		v := argument(t, typ, text)
		if typ.Kind == types.Varchar && !v.Null {
			typ = types.NewChar(len([]rune(text)))
		}
		return &expr.Literal{Info: expr.Info{T: typ.Nullable()}, Value: v}
	}
	// Every pattern of constants, row by row and where it fits for all rows together.
	for mask := range 1 << n {
		skip := false
		for k := range n {
			skip = skip || fixed[k] && mask>>k&1 == 0
		}
		if skip {
			continue
		}
		for first := 0; first < len(rows); {
			last := first + 1
			for last < len(rows) && sameLiterals(rows[first], rows[last], mask) {
				last++
			}
			args := make([]expr.Expr, n)
			for k := range n {
				if mask>>k&1 == 1 {
					args[k] = literal(k, rows[first][k])
				} else {
					args[k] = &expr.Column{Info: expr.Info{T: typs[k]}, Index: k}
				}
			}
			e, err := bind(c.fn, args)
			if err != nil {
				t.Errorf("%s(%s): %v", c.fn, c.types, err)
				return
			}
			if c.result != "" && mask == 0 && e.Type().String() != c.result {
				t.Errorf("%s(%s) is %s, want %s", c.fn, c.types, e.Type(), c.result)
			}
			sweep(t, c, e, typs, rows[first:last], zone)
			first = last
		}
	}
}

func sameLiterals(a, b []string, mask int) bool {
	for k := range len(a) - 1 {
		if mask>>k&1 == 1 && a[k] != b[k] {
			return false
		}
	}
	return true
}

// sweep evaluates e over the rows repeated to several sizes, all of them and some.
func sweep(t *testing.T, c fcase, e expr.Expr, typs []types.Type, rows [][]string, zone expr.Zone) {
	t.Helper()
	for _, size := range []int{1, 3, 64, 200} {
		for _, step := range []int{1, 3} {
			for offset := range rows {
				if size >= len(rows) && offset > 0 {
					break
				}
				b := &stream.Batch{N: size, Cols: make([]stream.Vec, len(typs))}
				var want []string
				for k, typ := range typs {
					b.Cols[k].Reset(typ, size)
					for i := range size {
						b.Cols[k].Put(i, size, argument(t, typ, rows[(i+offset)%len(rows)][k]))
					}
				}
				if step > 1 {
					b.Sel = []int32{}
				}
				for i := 0; i < size; i += step {
					if step > 1 {
						b.Sel = append(b.Sel, int32(i))
					}
					want = append(want, rows[(i+offset)%len(rows)][len(typs)])
				}
				got, err := evaluate(e, b, zone)
				if err != nil {
					t.Errorf("%s(%s) %v: %v", c.fn, c.types, rows, err)
					return
				}
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%s(%s) %s: got %s, want %s (size %d, step %d)", c.fn, c.types,
							strings.Join(rows[(i*step+offset)%len(rows)][:len(typs)], ", "), got[i], want[i], size, step)
						return
					}
				}
			}
		}
	}
}

func checkAll(t *testing.T, cases []fcase) {
	t.Helper()
	for _, c := range cases {
		check(t, c, nil)
	}
}

// fails checks that a row is an error at run time with a word in its message.
func fails(t *testing.T, fn, typ string, row string, word string) {
	t.Helper()
	names := strings.Split(typ, " ")
	f := strings.Split(row, "|")
	var args []expr.Expr
	b := &stream.Batch{N: 4}
	for k, name := range names {
		ty := typeNames[name]
		var v stream.Vec
		v.Reset(ty, 4)
		for i := range 4 {
			x := argument(t, ty, f[k])
			if i != 2 {
				x = types.NullValue // only row 2 may be blamed
			}
			v.Put(i, 4, x)
		}
		b.Cols = append(b.Cols, v)
		args = append(args, &expr.Column{Info: expr.Info{T: ty}, Index: k})
	}
	e, err := bind(fn, args)
	if err != nil {
		t.Errorf("%s: %v", fn, err)
		return
	}
	_, err = evaluate(e, b, nil)
	var r *eval.Error
	if !errors.As(err, &r) || r.Row != 2 || !strings.Contains(r.Error(), word) {
		t.Errorf("%s(%s): %v", fn, row, err)
	}
}

// refuses checks that a function cannot be bound to types.
func refuses(t *testing.T, fn string, typ string, word string) {
	t.Helper()
	var args []expr.Expr
	for k, name := range strings.Fields(typ) {
		if l, ok := strings.CutPrefix(name, "'"); ok {
			args = append(args, &expr.Literal{Info: expr.Info{T: types.NewChar(len(l)).Required()}, Value: types.TextValue(l)})
			continue
		}
		ty, ok := typeNames[name]
		if !ok && name != "null" {
			t.Fatalf("type %q", name)
		}
		args = append(args, &expr.Column{Info: expr.Info{T: ty}, Index: k})
	}
	_, err := bind(fn, args)
	if err == nil {
		t.Errorf("%s(%s) is accepted", fn, typ)
	} else if !strings.Contains(err.Error(), word) {
		t.Errorf("%s(%s): %v", fn, typ, err)
	}
}

func TestRegistry(t *testing.T) {
	for _, f := range builtin.Functions() {
		if f.Usage == "" || f.Doc == "" || f.Class == "" || f.Resolve == nil {
			t.Errorf("%s is not documented", f.Name)
		}
		if len(f.Examples) == 0 && !f.NonDeterministic {
			t.Errorf("%s has no example", f.Name)
		}
		if f.Name != strings.ToUpper(f.Name) || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: %s", f.Name, f.Doc)
		}
	}
	if n := len(registry.Functions()); n < 100 {
		t.Errorf("only %d functions", n)
	}
	for _, n := range registry.Names() {
		if f := registry.Function(n); f != nil && f.Operator {
			t.Errorf("operator %s can be called", n)
		}
	}
}
