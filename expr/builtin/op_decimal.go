package builtin

import (
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// decimalResult is the type of a op b for DECIMALs.
func decimalResult(op arith, a, b types.Type) types.Type {
	switch op {
	case plus, minus:
		return types.AddType(a, b)
	case times:
		return types.MulType(a, b)
	case divide:
		return types.DivType(a, b)
	}
	return types.ModType(a, b)
}

func resolveDecimalArith(op arith, a, b types.Type) (expr.Resolution, error) {
	args := []types.Type{a, b}
	if op == modulo && a.Scale == 0 && b.IsInteger() {
		// The divisor's type bounds the result: both sides are computed as integers.
		return expr.Resolution{Args: []types.Type{bigintType, bigintType}, Result: like(types.Of(b.Kind), args),
			CanFail: true, New: plain(moduloKernel(types.BigInt, b.Kind))}, nil
	}
	x, y := types.AsDecimal(a.Nullable()), types.AsDecimal(b.Nullable())
	t := decimalResult(op, x, y)
	if op == modulo && a.IsInteger() && b.Scale == 0 {
		t = y
	}
	res := expr.Resolution{Args: []types.Type{x, y}, Result: like(t, args)}
	d := &decimals{op: op, a: x, b: y, t: res.Result}
	res.CanFail = op == divide || op == modulo || d.t.NotNull
	res.New = func() expr.Kernel { return d.kernel() }
	return res, nil
}

// decimals computes one operator over DECIMALs of the types a and b. A result that
// does not fit t is NULL, or an error where t has no NULL.
type decimals struct {
	op      arith
	a, b, t types.Type
}

func (d *decimals) kernel() expr.Kernel {
	small := d.a.Layout() == types.Int64 && d.b.Layout() == types.Int64 && d.t.Layout() == types.Int64
	switch {
	case small && (d.op == plus || d.op == minus):
		return d.addSmall
	case small && d.op == times:
		return numberKernel[int64](times)
	}
	return d.run
}

// addSmall adds where no intermediate value can leave 64 bits: the result type has
// room for both operands at its scale.
func (d *decimals) addSmall(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	o := operand[int64](out, rows.N)
	a, b := operand[int64](args[0], rows.N), operand[int64](args[1], rows.N)
	ma, mb := types.Pow10(d.t.Scale-d.a.Scale), types.Pow10(d.t.Scale-d.b.Scale)
	if d.op == minus {
		mb = -mb
	}
	switch {
	case ma == 1 && mb == 1:
		plusLoop(o, a, b)
	case ma == 1 && mb == -1:
		minusLoop(o, a, b)
	case len(b) == 1:
		y, o := b[0]*mb, o[:len(a)]
		for i, x := range a {
			o[i] = x*ma + y
		}
	case len(a) == 1:
		x, o := a[0]*ma, o[:len(b)]
		for i, y := range b {
			o[i] = x + y*mb
		}
	default:
		b, o = b[:len(a)], o[:len(a)]
		for i, x := range a {
			o[i] = x*ma + b[i]*mb
		}
	}
	return nil
}

// run is the general loop, one row at a time.
func (d *decimals) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	compute := [...]func(a types.Num128, sa int32, b types.Num128, sb, p, s int32) (types.Num128, bool){
		types.AddDecimal, types.SubDecimal, types.MulDecimal, types.DivDecimal, types.ModDecimal,
	}[d.op]
	a, b, o := decimalsOf(args[0], rows.N), decimalsOf(args[1], rows.N), decimalsOf(out, rows.N)
	return each(rows, func(i int) error {
		x, y := a.at(i), b.at(i)
		if (d.op == divide || d.op == modulo) && y == (types.Num128{}) {
			return divisionByZero(i)
		}
		z, ok := compute(x, d.a.Scale, y, d.b.Scale, d.t.Precision, d.t.Scale)
		if !ok {
			if d.t.NotNull {
				return &expr.RowError{Row: i, Msg: fmt.Sprintf("%s %s %s does not fit %s",
					types.AppendDecimal(nil, x, d.a.Scale), d.op, types.AppendDecimal(nil, y, d.b.Scale), d.t.Name())}
			}
			out.SetNull(i, rows.N)
			z = types.Num128{}
		}
		o.set(i, z)
		return nil
	})
}

// decimalVec is a DECIMAL vector of either width.
type decimalVec struct {
	narrow []int64
	wide   []types.Num128
}

func decimalsOf(v *stream.Vec, n int) decimalVec {
	if v.Type.Layout() == types.Int128 {
		return decimalVec{wide: operand[types.Num128](v, n)}
	}
	return decimalVec{narrow: operand[int64](v, n)}
}

func (v decimalVec) at(i int) types.Num128 {
	if v.narrow != nil {
		return types.Widen(at(v.narrow, i))
	}
	return at(v.wide, i)
}

func (v decimalVec) set(i int, x types.Num128) {
	if v.narrow != nil {
		v.narrow[i] = int64(x.LowBits())
		return
	}
	v.wide[i] = x
}
