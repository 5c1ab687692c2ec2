package eval

import (
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// nestedPool are the nested types of random arguments.
var nestedPool = []types.Type{
	types.NewArray(types.Of(types.Int)), types.NewArray(types.Of(types.Varchar)), types.NewArray(types.Of(types.Date)), types.NewArray(types.Of(types.Boolean)),
	types.NewArray(types.Of(types.Double)), types.NewMap(types.Of(types.Varchar), types.Of(types.Int)),
	types.NewRow(types.Field{Name: "a", Type: types.Of(types.Int)}, types.Field{Name: "b", Type: types.Of(types.Varchar)}),
	types.NewArray(types.NewArray(types.Of(types.Int))),
}

// anyOf is randomOf for nested types too.
func anyOf(r *rand.Rand, t types.Type) types.Value {
	if !t.IsNested() {
		return randomOf(r, t)
	}
	if r.IntN(7) == 0 {
		return types.NullValue
	}
	n := r.IntN(4)
	switch t.Kind {
	case types.Array:
		var b types.ArrayBuilder
		b.Reset(t.Elem())
		for range n {
			b.AppendValue(anyOf(r, t.Elem()))
		}
		return types.TextValue(string(b.AppendTo(nil)))
	case types.Map:
		var b types.MapBuilder
		b.Reset(t)
		for k := range n {
			var value []byte
			if v := anyOf(r, t.Elem()); !v.Null {
				value = types.AppendRaw(nil, t.Elem(), v)
			}
			b.PutRaw([]byte{byte('a' + k)}, value)
		}
		return types.TextValue(string(b.AppendTo(nil)))
	}
	var b types.RowBuilder
	b.Reset(t)
	for _, f := range t.Fields() {
		b.AppendValue(anyOf(r, f.Type))
	}
	return types.TextValue(string(b.AppendTo(nil)))
}

// encoded makes a column of vals: flat, of one value for all rows, or, as texts may come, with
// a dictionary that holds a value twice.
func encoded(r *rand.Rand, t types.Type, vals []types.Value) stream.Vec {
	var v stream.Vec
	n := len(vals)
	switch {
	case r.IntN(4) == 0:
		for i := range vals {
			vals[i] = vals[0]
		}
		v.SetConst(t, vals[0])
		return v
	case t.IsText() && r.IntN(2) == 0:
		dict := &stream.Vec{}
		dict.Reset(t, 2*n+1)
		dict.AppendString("unused")
		ids := make([]byte, 0, 4*n)
		v.Type, v.Enc, v.N, v.Dict = t, stream.Dict, n, dict
		for i, x := range vals {
			id := 0
			if x.Null {
				v.SetNull(i, n)
			} else {
				dict.AppendString(x.S)
				id = dict.N - 1
			}
			ids = append(ids, byte(id), byte(id>>8), 0, 0)
		}
		v.Data = ids
		return v
	}
	v.Reset(t, n)
	for i, x := range vals {
		v.Put(i, n, x)
	}
	return v
}

// TestEncodingsDoNotMatter: every function, by itself or inside of others, gives for each
// row of a batch what it gives for the row alone, whatever the encodings of the columns,
// their NULLs, the number of rows and the part of them that is asked for.
func TestEncodingsDoNotMatter(t *testing.T) {
	eachFunction(t, 2, 3_000, 12, 150, checkEncodings)
}

// bindRandom binds f to the arguments if they fit.
func bindRandom(f *expr.Function, args []expr.Expr) (expr.Expr, bool) {
	ts, lits := make([]types.Type, len(args)), make([]*expr.Literal, len(args))
	for k, a := range args {
		ts[k] = a.Type()
		lits[k], _ = a.(*expr.Literal)
	}
	res, err := f.Resolve(ts, lits)
	if err != nil {
		return nil, false
	}
	args = append([]expr.Expr{}, args...)
	for k := range args {
		if k < len(res.Args) && !ts[k].Same(res.Args[k]) {
			if !builtin.CanCast(ts[k], res.Args[k]) {
				return nil, false
			}
			args[k] = &expr.Cast{Info: expr.Info{T: res.Args[k].Nullable()}, Arg: args[k], Implicit: true}
		}
	}
	return &expr.Call{Info: expr.Info{T: res.Result.Nullable()}, Func: f, Args: args, Res: res}, true
}

func checkEncodings(t *testing.T, f *expr.Function, r *rand.Rand) bool {
	t.Helper()
	n := r.IntN(5)
	var cols []types.Type
	args := make([]expr.Expr, n)
	for k := range n {
		typ := argPool[r.IntN(len(argPool))]
		if r.IntN(3) == 0 {
			typ = nestedPool[r.IntN(len(nestedPool))]
		}
		if r.IntN(4) == 0 {
			args[k] = &expr.Literal{Info: expr.Info{T: typ}, Value: anyOf(r, typ)}
			continue
		}
		args[k] = &expr.Column{Info: expr.Info{T: typ}, Index: len(cols)}
		cols = append(cols, typ)
	}
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s of %v panicked: %v", f.Name, cols, p)
		}
	}()
	e, ok := bindRandom(f, args)
	if !ok {
		return false
	}
	cond := &expr.Column{Info: expr.Info{T: boolT}, Index: len(cols)}
	cols = append(cols, boolT)
	exprs := []expr.Expr{e, &expr.Case{Info: expr.Info{T: e.Type()}, Whens: []expr.When{{Cond: cond, Then: e}}, Else: &expr.Literal{Info: expr.Info{T: e.Type()}, Value: types.NullValue}}}
	if to := argPool[r.IntN(len(argPool))]; builtin.CanCast(e.Type(), to) {
		exprs = append(exprs, &expr.Cast{Info: expr.Info{T: to}, Arg: e, Try: r.IntN(2) == 0})
	}
	rows := [...]int{1, 3, 63, 64, 65, 130}[r.IntN(6)]
	table := make([][]types.Value, len(cols))
	b := &stream.Batch{N: rows, Cols: make([]stream.Vec, len(cols))}
	density := 1 + r.IntN(4)
	for k, typ := range cols {
		table[k] = make([]types.Value, rows)
		for i := range rows {
			for range density { // more often not NULL
				if table[k][i] = anyOf(r, typ); !table[k][i].Null {
					break
				}
			}
		}
		b.Cols[k] = encoded(r, typ, table[k])
	}
	if r.IntN(2) == 0 {
		b.Sel = []int32{}
		for i := range int32(rows) {
			if r.IntN(3) > 0 {
				b.Sel = append(b.Sel, i)
			}
		}
	}
	for _, e := range exprs {
		got, failed := running(t, e, b)
		for i := range rows {
			if i > failed || b.Sel != nil && !has(b.Sel, i) {
				continue
			}
			one := &stream.Batch{N: 1, Cols: make([]stream.Vec, len(cols))}
			for k, typ := range cols {
				one.Cols[k].Reset(typ, 1)
				one.Cols[k].Put(0, 1, table[k][i])
			}
			alone, bad := running(t, e, one)
			switch {
			case (bad == 0) != (i == failed):
				t.Fatalf("%s of %v: row %d of %d fails alone: %v, in the batch row %d", f.Name, cols, i, rows, bad == 0, failed)
			case i < failed && !got[i].Equal(alone[0]):
				t.Fatalf("%s of %v: row %d of %d is %v, alone %v", f.Name, cols, i, rows, got[i], alone[0])
			}
		}
	}
	return true
}

func has(sel []int32, i int) bool {
	for _, s := range sel {
		if int(s) == i {
			return true
		}
	}
	return false
}
