package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// parsing makes a kernel that reads text.
func parsing[R stream.Fixed](c *caster, parse func(ctx *expr.Context, b []byte) (R, types.Fault)) expr.Kernel {
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in, o := args[0], stream.Values[R](out)
		return each(rows, func(i int) error {
			x, fault := parse(ctx, in.Bytes(i))
			o[i] = x
			if fault != types.OK && isValid(out, i) {
				return c.fail(in, out, i, rows.N, ctx.Zone, fault)
			}
			return nil
		})
	}
}

// fromText reads every type but text and bytes; intervals are refused.
func (c *caster) fromText() expr.Kernel {
	to := c.to
	switch to.Kind {
	case types.Boolean:
		return c.parseBool()
	case types.TinyInt:
		return parsing(c, parseInteger[int8](to.Kind))
	case types.SmallInt:
		return parsing(c, parseInteger[int16](to.Kind))
	case types.Int:
		return parseIntegers[int32](c)
	case types.BigInt:
		return parseIntegers[int64](c)
	case types.Float:
		return parsing(c, func(_ *expr.Context, b []byte) (float32, types.Fault) { return types.ParseFloat(b) })
	case types.Double:
		return parsing(c, func(_ *expr.Context, b []byte) (float64, types.Fault) { return types.ParseDouble(b) })
	case types.Decimal:
		if to.Layout() == types.Int128 {
			return parsing(c, func(_ *expr.Context, b []byte) (types.Num128, types.Fault) {
				return types.ParseDecimal(b, to.Precision, to.Scale)
			})
		}
		return parsing(c, func(_ *expr.Context, b []byte) (int64, types.Fault) {
			return types.ParseDecimal64(b, to.Precision, to.Scale)
		})
	case types.Date:
		return parsing(c, func(_ *expr.Context, b []byte) (int32, types.Fault) {
			d, fault := types.ParseDate(b)
			return int32(d), fault
		})
	case types.Time:
		cut := cutMillis(to.Precision)
		return parsing(c, func(_ *expr.Context, b []byte) (int32, types.Fault) {
			ms, fault := types.ParseTime(b)
			return int32(ms - ms%cut), fault
		})
	case types.Timestamp, types.TimestampLTZ:
		unit, zoned := to.TimeUnit(), to.Kind == types.TimestampLTZ
		return parsing(c, func(ctx *expr.Context, b []byte) (int64, types.Fault) {
			seconds, nanos, fault := types.ParseTimestamp(b)
			if fault != types.OK {
				return 0, fault
			}
			v, ok := types.Units(seconds, nanos, unit, to.Precision)
			if !ok {
				return 0, types.OutOfRange
			}
			if zoned {
				v = types.Instant(v, unit, ctx.Zone)
			}
			return v, types.OK
		})
	}
	return nil
}

func parseInteger[R integer](k types.Kind) func(*expr.Context, []byte) (R, types.Fault) {
	return func(_ *expr.Context, b []byte) (R, types.Fault) {
		x, fault := types.ParseInt(b, k)
		return R(x), fault
	}
}

// parseIntegers is parsing of INT and BIGINT with a short way for the most of texts.
func parseIntegers[R int32 | int64](c *caster) expr.Kernel {
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in, o := textRowsOf(args[0]), stream.Values[R](out)
		one := func(i int, b []byte) error {
			x, fault := types.ParseInt(b, c.to.Kind)
			o[i] = R(x)
			if fault != types.OK && isValid(out, i) {
				return c.fail(args[0], out, i, rows.N, ctx.Zone, fault)
			}
			return nil
		}
		if rows.Sel != nil {
			for _, i := range rows.Sel {
				if err := one(int(i), in.at(int(i))); err != nil {
					return err
				}
			}
			return nil
		}
		for i := range o[:rows.N] {
			b := in.at(i)
			x, ok := nineDigits(b)
			if o[i] = R(x); ok {
				continue
			}
			if err := one(i, b); err != nil {
				return err
			}
		}
		return nil
	}
}

// nineDigits reads one to nine digits.
func nineDigits(b []byte) (n uint32, ok bool) {
	if len(b)-1 > 8 {
		return 0, false
	}
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		n = 10*n + uint32(d)
	}
	return n, len(b) > 0
}

func (c *caster) parseBool() expr.Kernel {
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in := args[0]
		return each(rows, func(i int) error {
			x, fault := types.ParseBool(in.Bytes(i))
			out.SetBool(i, x)
			if fault != types.OK && isValid(out, i) {
				return c.fail(in, out, i, rows.N, ctx.Zone, fault)
			}
			return nil
		})
	}
}

// cutMillis returns the milliseconds of one unit in the last digit of a TIME(p).
func cutMillis(p int32) int64 {
	return [...]int64{1000, 100, 10, 1}[min(max(p, 0), 3)]
}
