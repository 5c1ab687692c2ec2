package eval

import (
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// argPool are the types of random arguments; some come more often.
var argPool = []types.Type{
	types.Of(types.Varchar), types.Of(types.Varchar), types.Of(types.Varchar), types.NewChar(3), types.Of(types.Int), types.Of(types.Int), types.Of(types.BigInt),
	types.Of(types.TinyInt), types.Of(types.Double), types.Of(types.Float), types.NewDecimal(10, 2), types.NewDecimal(38, 10), types.Of(types.Boolean),
	types.Of(types.Date), {Kind: types.Time}, types.NewTimestamp(3), types.NewTimestamp(9), types.NewTimestampLTZ(3), types.Of(types.IntervalDay),
	types.Of(types.IntervalMonth), types.Of(types.Varbinary),
}

// textPool are texts that mean something to some function.
var textPool = []string{
	"", "a", "abcabc", "é😀ñ", "DAY", "HOUR", "MONTH", "YEAR", "SECOND", "yyyy-MM-dd", "2024-02-29", "2024-02-29 12:34:56", "12", "-1.5", "a,b=c", ",", "b", "(b)(c)", "[",
	"%b%", "UTF-8", "UTC", "Asia/Tokyo", "http://h.com/p?a=1#f", "QUERY", "$.a", "lax $.b", `{"a":1,"b":[1,2]}`, "aGk=", "48656c", "%d|%s", "192.168.0.1", "BOTH", "TRUE", "256",
}

func randomOf(r *rand.Rand, t types.Type) types.Value {
	if r.IntN(7) == 0 {
		return types.NullValue
	}
	switch t.Kind {
	case types.Boolean:
		return types.BoolValue(r.IntN(2) == 0)
	case types.Double, types.Float:
		f := [...]float64{0, math.Copysign(0, -1), 1, -1.5, 1e10, 0.1, math.NaN(), math.Inf(1), math.Inf(-1), 123.456}[r.IntN(10)]
		if t.Kind == types.Float {
			f = float64(float32(f))
		}
		return types.FloatValue(f)
	case types.Decimal:
		if t.Layout() == types.Int128 {
			return types.Value{D: types.Widen(r.Int64N(2000) - 1000)}
		}
		return types.IntValue(r.Int64N(2000) - 1000)
	case types.Varchar:
		return types.TextValue(textPool[r.IntN(len(textPool))])
	case types.Char:
		return types.TextValue([...]string{"abc", "é  ", "DAY", "a,b"}[r.IntN(4)])
	case types.Varbinary:
		return types.TextValue([...]string{"", "\x00\xff", "ab"}[r.IntN(3)])
	case types.Time:
		return types.IntValue(r.Int64N(86_400_000))
	case types.Date, types.IntervalMonth:
		return types.IntValue(r.Int64N(40_000) - 20_000)
	case types.Timestamp, types.TimestampLTZ:
		return types.IntValue((r.Int64N(4e9) - 2e9) * t.TimeUnit())
	case types.TinyInt:
		return types.IntValue(int64(int8(r.Uint32())))
	}
	return types.IntValue([...]int64{0, 1, -1, 2, 3, 7, 100, -20, math.MaxInt32, math.MinInt32}[r.IntN(10)])
}

// TestFoldingIsRunning: every function gives the same for columns, for a part of their
// rows, and for constants, as it is folded when a query is planned.
func TestFoldingIsRunning(t *testing.T) {
	eachFunction(t, 1, 20_000, 60, 150, checkFolding)
}

// eachFunction gives every deterministic function to check, with a source of random
// numbers of its own, until check has taken the function wanted times or after so many
// tries. At least so many functions must be taken once.
func eachFunction(t *testing.T, seed uint64, tries, wanted, least int, check func(*testing.T, *expr.Function, *rand.Rand) bool) {
	t.Helper()
	tried := 0
	for _, f := range builtin.Functions() {
		if f.NonDeterministic {
			continue
		}
		r := rand.New(rand.NewPCG(crc64.Checksum([]byte(f.Name), crc64.MakeTable(crc64.ISO)), seed))
		bound := 0
		for range tries {
			if bound == wanted {
				break
			}
			if check(t, f, r) {
				bound++
			}
		}
		if bound > 0 {
			tried++
		}
	}
	if tried < least {
		t.Errorf("only %d functions were tried", tried)
	}
}

// checkFolding binds f to random arguments and reports whether they fit it.
func checkFolding(t *testing.T, f *expr.Function, r *rand.Rand) bool {
	t.Helper()
	n := r.IntN(5)
	ts, lits, nodes := make([]types.Type, n), make([]*expr.Literal, n), make([]expr.Expr, n)
	for k := range n {
		ts[k] = argPool[r.IntN(len(argPool))]
		if r.IntN(3) == 0 {
			lits[k] = &expr.Literal{Info: expr.Info{T: ts[k]}, Value: randomOf(r, ts[k])}
			nodes[k] = lits[k]
		} else {
			nodes[k] = &expr.Column{Info: expr.Info{T: ts[k]}, Index: k}
		}
	}
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s%v panicked: %v", f.Name, ts, p)
		}
	}()
	res, err := f.Resolve(ts, lits)
	if err != nil {
		return false
	}
	for k := range ts {
		if k < len(res.Args) && !ts[k].Same(res.Args[k]) {
			if _, _, ok := builtin.CastKernel(ts[k], res.Args[k], false); !ok {
				return false // the planner refuses it
			}
		}
	}
	call := func(args []expr.Expr) expr.Expr {
		args = append([]expr.Expr{}, args...)
		for k := range args {
			if k < len(res.Args) && !args[k].Type().Same(res.Args[k]) {
				args[k] = &expr.Cast{Info: expr.Info{T: res.Args[k].Nullable()}, Arg: args[k], Implicit: true}
			}
		}
		return &expr.Call{Info: expr.Info{T: res.Result.Nullable()}, Func: f, Args: args, Res: res}
	}
	const rows = 9
	b := &stream.Batch{N: rows, Cols: make([]stream.Vec, n)}
	for k := range n {
		b.Cols[k].Reset(ts[k], rows)
		for i := range rows {
			b.Cols[k].Put(i, rows, randomOf(r, ts[k]))
		}
	}
	got, failed := running(t, call(nodes), b)
	b.Sel = []int32{1, 2, 5, 8}
	part, partFailed := running(t, call(nodes), b)
	for i := range rows {
		args := append([]expr.Expr{}, nodes...)
		for k := range args {
			if c, ok := args[k].(*expr.Column); ok {
				args[k] = &expr.Literal{Info: c.Info, Value: b.Cols[k].Value(i)}
			}
		}
		e := call(args)
		if _, ok := withItself[f.Name]; ok && rowText(args[:1]) == rowText(args[1:]) {
			continue // equal constants are one expression, of which the answer is known
		}
		v, err := Constant(e, nil)
		switch {
		case i > failed:
		case (err != nil) != (i == failed):
			t.Fatalf("%s of row %s: constants: %v; the columns fail in row %d", f.Name, rowText(args), err, failed)
		case i < failed && !sameFolded(e.Type(), got[i], v):
			t.Fatalf("%s of row %s is %v, with constants %v", f.Name, rowText(args), got[i], v)
		}
		if i < failed && i < partFailed && (i == 1 || i == 2 || i == 5 || i == 8) && !sameFolded(e.Type(), part[i], v) {
			t.Fatalf("%s of row %s is %v in a part of the rows, with constants %v", f.Name, rowText(args), part[i], v)
		}
	}
	return true
}

// running evaluates e for a batch: the values, and the row that failed or the number of
// rows.
func running(t *testing.T, e expr.Expr, b *stream.Batch) ([]types.Value, int) {
	t.Helper()
	p, err := Compile([]expr.Expr{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Vec, 1)
	failed := b.N
	if err := p.Run(b, &Env{}, out); err != nil {
		var row *Error
		if !errors.As(err, &row) {
			t.Fatal(err)
		}
		failed = row.Row
	}
	vals := make([]types.Value, b.N)
	live := func(i int) bool {
		if b.Sel == nil {
			return true
		}
		for _, s := range b.Sel {
			if int(s) == i {
				return true
			}
		}
		return false
	}
	for i := range failed {
		if live(i) {
			vals[i] = out[0].Value(i)
		}
	}
	return vals, failed
}

// sameFolded compares a value with a folded one, which has no -0.0 and no more text
// than its type.
func sameFolded(t types.Type, v, folded types.Value) bool {
	if v.F == 0 {
		v.F = 0
	}
	if t.IsText() && len(v.S) > int(t.Length) {
		v.S = firstRunes(v.S, int(t.Length))
	}
	return v.Equal(folded)
}

func rowText(args []expr.Expr) string {
	s := ""
	for _, a := range args {
		l := a.(*expr.Literal)
		s += fmt.Sprintf(" %s %v", l.T.Name(), l.Value)
	}
	return s
}
