package builtin

import (
	"math"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// mapped makes a kernel that converts each value by f. It may run over NULLs and
// rows that nobody asked for.
func mapped[A, R stream.Fixed](f func(A) R) expr.Kernel {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a, o := operand[A](args[0], rows.N), stream.Values[R](out)
		if rows.Sel != nil {
			for _, i := range rows.Sel {
				o[i] = f(at(a, int(i)))
			}
			return nil
		}
		if len(a) < len(o) { // a constant
			x := f(a[0])
			for i := range o {
				o[i] = x
			}
			return nil
		}
		o = o[:len(a)]
		for i, x := range a {
			o[i] = f(x)
		}
		return nil
	}
}

// convert converts each value as Go does, which is Java's way for all pairs but
// approximate to integer.
func convert[A, R number](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	a, o := operand[A](args[0], rows.N), stream.Values[R](out)
	if rows.Sel != nil || len(a) < len(o) {
		return each(rows, func(i int) error {
			o[i] = R(at(a, i))
			return nil
		})
	}
	o = o[:len(a)]
	full := len(a) &^ 63
	for k := 0; k < full; k += 64 {
		convertBlock((*[64]R)(o[k:]), (*[64]A)(a[k:]))
	}
	for i := full; i < len(a); i++ {
		o[i] = R(a[i])
	}
	return nil
}

// toNumber converts to the integers, FLOAT and DOUBLE.
func (c *caster) toNumber() expr.Kernel {
	switch c.to.Kind {
	case types.TinyInt:
		return toInteger[int8](c.from)
	case types.SmallInt:
		return toInteger[int16](c.from)
	case types.Int:
		return toInteger[int32](c.from)
	case types.BigInt:
		return toInteger[int64](c.from)
	case types.Float:
		return toApproximate[float32](c.from)
	}
	return toApproximate[float64](c.from)
}

// toInteger wraps integers and DECIMALs, and cuts and saturates FLOAT and DOUBLE at
// the limits of INT (or BIGINT) before it wraps them.
func toInteger[R integer](from types.Type) expr.Kernel {
	_, long := any(R(0)).(int64)
	switch from.Kind {
	case types.Boolean:
		return fromBool[R]
	case types.TinyInt:
		return convert[int8, R]
	case types.SmallInt:
		return convert[int16, R]
	case types.Int:
		return convert[int32, R]
	case types.BigInt:
		return convert[int64, R]
	case types.Float:
		if long {
			return saturateAt64[float32, R]
		}
		return saturateAt32[float32, R]
	case types.Double:
		if long {
			return saturateAt64[float64, R]
		}
		return saturateAt32[float64, R]
	case types.Decimal:
		scale := from.Scale
		if from.Layout() == types.Int128 {
			return mapped(func(x types.Num128) R { return R(types.DecimalToInt64(x, scale)) })
		}
		return wholes[R](types.Pow10(scale))
	}
	return nil
}

// repeat gives n rows the value of the only one that has been computed, of a constant.
func repeat[R stream.Fixed](out *stream.Vec, o []R, n int) {
	if len(o) == 1 && n > 1 {
		all := stream.Values[R](out)
		for i := range all {
			all[i] = o[0]
		}
	}
}

// wholes makes a kernel that divides by unit, a power of ten, and wraps.
func wholes[R integer](unit int64) expr.Kernel {
	if unit == 1 {
		return convert[int64, R]
	}
	d := newDivisor(unit, 64)
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a := operand[int64](args[0], rows.N)
		o := stream.Values[R](out)[:len(a)]
		for i, x := range a {
			o[i] = R(d.wide(x))
		}
		repeat(out, o, rows.N)
		return nil
	}
}

// saturateAt32 cuts the fraction off; NaN is 0, what lies outside INT is its limit. A
// smaller integer then wraps.
func saturateAt32[A float32 | float64, R integer](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	a := operand[A](args[0], rows.N)
	o := stream.Values[R](out)[:len(a)]
	for i, x := range a {
		// What lies inside BIGINT is converted as such and cut after that.
		if x > math.MinInt64 && x < math.MaxInt64 {
			o[i] = R(min(max(int64(x), math.MinInt32), math.MaxInt32))
			continue
		}
		o[i] = R(saturated(float64(x), math.MinInt32, math.MaxInt32))
	}
	repeat(out, o, rows.N)
	return nil
}

// saturateAt64 is saturateAt32 for BIGINT.
func saturateAt64[A float32 | float64, R integer](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	a := operand[A](args[0], rows.N)
	o := stream.Values[R](out)[:len(a)]
	for i, x := range a {
		if x > math.MinInt64 && x < math.MaxInt64 {
			o[i] = R(int64(x))
			continue
		}
		o[i] = R(saturated(float64(x), math.MinInt64, math.MaxInt64))
	}
	repeat(out, o, rows.N)
	return nil
}

// saturated returns the limit that a number outside BIGINT becomes; NaN is 0.
func saturated(x float64, least, most int64) int64 {
	switch {
	case x != x:
		return 0
	case x < 0:
		return least
	}
	return most
}

func toApproximate[R float32 | float64](from types.Type) expr.Kernel {
	switch from.Kind {
	case types.Boolean:
		return fromBool[R]
	case types.TinyInt:
		return convert[int8, R]
	case types.SmallInt:
		return convert[int16, R]
	case types.Int:
		return convert[int32, R]
	case types.BigInt:
		return convert[int64, R]
	case types.Float:
		return convert[float32, R]
	case types.Double:
		return convert[float64, R]
	case types.Decimal:
		scale := from.Scale
		if from.Layout() == types.Int128 {
			return mapped(func(x types.Num128) R { return R(types.DecimalToFloat(x, scale)) })
		}
		return scaled[R](scale)
	}
	return nil
}

// scaled makes a kernel from DECIMALs of 64 bits to FLOAT or DOUBLE. A quotient of two
// numbers that a DOUBLE holds exactly is the nearest one.
func scaled[R float32 | float64](scale int32) expr.Kernel {
	unit := float64(types.Pow10(scale))
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a := operand[int64](args[0], rows.N)
		o := stream.Values[R](out)[:len(a)]
		for i, x := range a {
			if x > -(1<<53) && x < 1<<53 {
				o[i] = R(float64(x) / unit)
			} else {
				o[i] = R(types.DecimalToFloat(types.Widen(x), scale))
			}
		}
		repeat(out, o, rows.N)
		return nil
	}
}

// fromBool gives 1 and 0.
func fromBool[R number](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	in, o := args[0], stream.Values[R](out)
	return each(rows, func(i int) error {
		o[i] = 0
		if in.Bool(i) {
			o[i] = 1
		}
		return nil
	})
}

// toInterval takes integers, as months or milliseconds, and intervals of the same
// class.
func (c *caster) toInterval() expr.Kernel {
	months := c.to.Kind == types.IntervalMonth
	switch c.from.Kind {
	case types.TinyInt:
		if months {
			return convert[int8, int32]
		}
		return convert[int8, int64]
	case types.SmallInt:
		if months {
			return convert[int16, int32]
		}
		return convert[int16, int64]
	case types.Int:
		if months {
			return convert[int32, int32]
		}
		return convert[int32, int64]
	case types.BigInt:
		if months {
			return convert[int64, int32]
		}
		return convert[int64, int64]
	case types.IntervalMonth:
		if months {
			return convert[int32, int32]
		}
	case types.IntervalDay:
		if !months {
			return convert[int64, int64]
		}
	}
	return nil
}

// narrowing makes a kernel from a conversion that loses values which do not fit
// the DECIMAL.
func narrowing[A, R stream.Fixed](c *caster, f func(A) (R, bool)) expr.Kernel {
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a, o := operand[A](args[0], rows.N), stream.Values[R](out)
		one := func(i int) error {
			x, ok := f(at(a, i))
			o[i] = x
			if !ok && isValid(out, i) {
				return c.lose(args[0], out, i, rows.N, ctx.Zone)
			}
			return nil
		}
		return each(rows, one)
	}
}

// toDecimal converts all numbers and BOOLEAN.
func (c *caster) toDecimal() expr.Kernel {
	p, s := c.to.Precision, c.to.Scale
	wide := c.to.Layout() == types.Int128
	if digits := types.AsDecimal(c.from).Precision; c.from.IsInteger() && !wide && digits+s <= p {
		return c.widened(types.Pow10(s))
	}
	integer := func(x int64) (int64, bool) { return types.Rescale64(x, 0, s, p) }
	integerWide := func(x int64) (types.Num128, bool) { return types.Rescale(types.Widen(x), 0, s, p) }
	switch c.from.Kind {
	case types.Boolean:
		return c.boolToDecimal()
	case types.TinyInt:
		if wide {
			return narrowing(c, func(x int8) (types.Num128, bool) { return integerWide(int64(x)) })
		}
		return narrowing(c, func(x int8) (int64, bool) { return integer(int64(x)) })
	case types.SmallInt:
		if wide {
			return narrowing(c, func(x int16) (types.Num128, bool) { return integerWide(int64(x)) })
		}
		return narrowing(c, func(x int16) (int64, bool) { return integer(int64(x)) })
	case types.Int:
		if wide {
			return narrowing(c, func(x int32) (types.Num128, bool) { return integerWide(int64(x)) })
		}
		return narrowing(c, func(x int32) (int64, bool) { return integer(int64(x)) })
	case types.BigInt:
		if wide {
			return narrowing(c, integerWide)
		}
		return narrowing(c, integer)
	case types.Float, types.Double:
		return c.floatToDecimal(wide)
	case types.Decimal:
		return c.decimalToDecimal(wide)
	}
	return nil
}

// widened makes a kernel from integers to a DECIMAL that holds all of them.
func (c *caster) widened(unit int64) expr.Kernel {
	switch c.from.Kind {
	case types.TinyInt:
		return multiplied[int8](unit)
	case types.SmallInt:
		return multiplied[int16](unit)
	case types.Int:
		return multiplied[int32](unit)
	}
	return multiplied[int64](unit)
}

func multiplied[A integer](unit int64) expr.Kernel {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a := operand[A](args[0], rows.N)
		o := stream.Values[int64](out)[:len(a)]
		for i, x := range a {
			o[i] = int64(x) * unit
		}
		repeat(out, o, rows.N)
		return nil
	}
}

func (c *caster) decimalToDecimal(wide bool) expr.Kernel {
	p, s, from := c.to.Precision, c.to.Scale, c.from.Scale
	if c.from.Layout() == types.Int64 {
		switch {
		case !wide && s >= from && p-s >= c.from.Precision-from:
			return multiplied[int64](types.Pow10(s - from))
		case !wide:
			return narrowing(c, func(x int64) (int64, bool) { return types.Rescale64(x, from, s, p) })
		}
		return narrowing(c, func(x int64) (types.Num128, bool) { return types.Rescale(types.Widen(x), from, s, p) })
	}
	if wide {
		return narrowing(c, func(x types.Num128) (types.Num128, bool) { return types.Rescale(x, from, s, p) })
	}
	return narrowing(c, func(x types.Num128) (int64, bool) {
		r, ok := types.Rescale(x, from, s, p)
		return int64(r.LowBits()), ok
	})
}

// floatToDecimal fails on NaN and the infinities, where Flink fails even for
// TRY_CAST.
func (c *caster) floatToDecimal(wide bool) expr.Kernel {
	p, s := c.to.Precision, c.to.Scale
	one := func(ctx *expr.Context, in, out *stream.Vec, i, n int, x float64) (types.Num128, error) {
		d, ok := types.FloatToDecimal(x, p, s)
		switch {
		case ok || !isValid(out, i):
			return d, nil
		case math.IsNaN(x) || math.IsInf(x, 0):
			return d, c.fail(in, out, i, n, ctx.Zone, types.Malformed)
		}
		return d, c.lose(in, out, i, n, ctx.Zone)
	}
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in := args[0]
		return each(rows, func(i int) error {
			var x float64
			if in.Type.Kind == types.Float {
				x = float64(stream.Values[float32](in)[in.At(i)])
			} else {
				x = stream.Values[float64](in)[in.At(i)]
			}
			d, err := one(ctx, in, out, i, rows.N, x)
			if wide {
				stream.Values[types.Num128](out)[i] = d
			} else {
				stream.Values[int64](out)[i] = int64(d.LowBits())
			}
			return err
		})
	}
}

func (c *caster) boolToDecimal() expr.Kernel {
	one, fits := types.Rescale(types.Widen(1), 0, c.to.Scale, c.to.Precision)
	wide := c.to.Layout() == types.Int128
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in := args[0]
		return each(rows, func(i int) error {
			var d types.Num128
			if in.Bool(i) {
				if d = one; !fits && isValid(out, i) {
					if err := c.lose(in, out, i, rows.N, ctx.Zone); err != nil {
						return err
					}
				}
			}
			if wide {
				stream.Values[types.Num128](out)[i] = d
			} else {
				stream.Values[int64](out)[i] = int64(d.LowBits())
			}
			return nil
		})
	}
}
