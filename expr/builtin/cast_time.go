package builtin

import (
	"math"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// temporal converts between DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ. A TIMESTAMP is
// cut, toward the past, to the precision of the type.
func (c *caster) temporal() expr.Kernel {
	if c.from.Kind == types.Date && c.to.Kind == types.Time || c.from.Kind == types.Time && c.to.Kind == types.Date {
		return nil
	}
	narrowIn, narrowOut := c.from.Layout() == types.Int32, c.to.Layout() == types.Int32
	switch {
	case narrowIn && narrowOut:
		return retime[int32, int32](c)
	case narrowIn:
		return retime[int32, int64](c)
	case narrowOut:
		return retime[int64, int32](c)
	}
	return retime[int64, int64](c)
}

func retime[A, R int32 | int64](c *caster) expr.Kernel {
	p := newRetiming(c.from, c.to)
	if c.from.IsTimestamp() && c.to.Kind == types.Date {
		return stampsToDates(c.from, p)
	}
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a, o := operand[A](args[0], rows.N), stream.Values[R](out)
		return each(rows, func(i int) error {
			x, ok := p.apply(int64(at(a, i)), ctx.Zone)
			o[i] = R(x)
			if !ok && isValid(out, i) {
				return c.fail(args[0], out, i, rows.N, ctx.Zone, types.OutOfRange)
			}
			return nil
		})
	}
}

// stampsToDates makes a kernel that never fails.
func stampsToDates(from types.Type, p retiming) expr.Kernel {
	d := newDivisor(stampUnits(from, unitDay), 64)
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		a := operand[int64](args[0], rows.N)
		o := stream.Values[int32](out)[:len(a)]
		if isWall(ctx, from) {
			for i, x := range a {
				days, _ := d.floor(x)
				o[i] = int32(days)
			}
		} else {
			for i, x := range a {
				days, _ := p.apply(x, ctx.Zone)
				o[i] = int32(days)
			}
		}
		repeat(out, o, rows.N)
		return nil
	}
}

// retiming is a temporal cast. Both sides are seen as a wall clock in units; what
// depends on the session time zone goes through it.
type retiming struct {
	from, to         types.Kind
	fromUnit, toUnit int64
	cut              int64 // units of the result in one unit of its last digit; 1: nothing to cut
	local, instant   bool  // pass the zone before, after
}

func newRetiming(from, to types.Type) retiming {
	r := retiming{from: from.Kind, to: to.Kind, fromUnit: unitOf(from), toUnit: unitOf(to), cut: 1}
	r.local = from.Kind == types.TimestampLTZ && to.Kind != types.TimestampLTZ
	r.instant = to.Kind == types.TimestampLTZ && from.Kind != types.TimestampLTZ
	switch {
	case to.Kind == types.Time:
		if from.Kind != types.Time || to.Precision < from.Precision {
			r.cut = cutMillis(to.Precision)
		}
	case to.IsTimestamp() && (!from.IsTimestamp() || to.Precision < from.Precision):
		r.cut = r.toUnit
		for range to.Precision {
			r.cut /= 10
		}
	}
	return r
}

func unitOf(t types.Type) int64 {
	if t.IsTimestamp() {
		return t.TimeUnit()
	}
	return types.MillisPerSecond // TIME
}

// apply converts one value; ok is false if it is too far from 1970 for the
// result.
func (r *retiming) apply(v int64, zone expr.Zone) (_ int64, ok bool) {
	if r.local {
		v = types.Local(v, r.fromUnit, zone)
	}
	switch {
	case r.from == r.to && r.to == types.Date:
		return v, true
	case r.from == types.Date:
		if v, ok = times64(v, 86400*r.toUnit); !ok {
			return 0, false
		}
	default:
		if r.from != types.Time && r.to == types.Time {
			_, v = types.FloorDiv(v, 86400*r.fromUnit)
		}
		if r.to == types.Date {
			v, _ = types.FloorDiv(v, 86400*r.fromUnit)
			return v, true
		}
		switch {
		case r.toUnit > r.fromUnit:
			if v, ok = times64(v, r.toUnit/r.fromUnit); !ok {
				return 0, false
			}
		case r.toUnit < r.fromUnit:
			v, _ = types.FloorDiv(v, r.fromUnit/r.toUnit)
		}
	}
	if r.cut > 1 {
		_, rest := types.FloorDiv(v, r.cut)
		v -= rest
	}
	if r.instant {
		v = types.Instant(v, r.toUnit, zone)
	}
	return v, true
}

// times64 returns x × f, f > 0, if it fits.
func times64(x, f int64) (int64, bool) {
	if x > math.MaxInt64/f || x < math.MinInt64/f {
		return 0, false
	}
	return x * f, true
}
