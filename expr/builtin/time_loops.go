package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// The loops of this file take times on the clock of UTC, or without a zone, whose units
// have a fixed length. They compute all rows, asked for or not.

// floor returns the whole part, toward the past, and what is left.
func (d divisor) floor(x int64) (whole, rest int64) {
	whole = d.wide(x)
	rest = x - whole*int64(d.size)
	past := rest >> 63
	return whole + past, rest + past&int64(d.size)
}

// stampUnits is the number of stored units of a timestamp type in one time unit.
func stampUnits(t types.Type, u unit) int64 { return u.millis() * (t.TimeUnit() / 1e3) }

// isWall reports whether the values of t are on the clock that c asks for.
func isWall(c *expr.Context, t types.Type) bool { return !zoned(t) || c.Zone == nil }

// floorLoop makes the loop of FLOOR for timestamps; nil: it is another case.
func floorLoop(t types.Type, u unit, direction int) func(o, x []int64) {
	if direction > 0 || !t.IsTimestamp() {
		return nil
	}
	switch {
	case u >= unitSecond && u <= unitDay:
		d := newDivisor(stampUnits(t, u), 64)
		return func(o, x []int64) {
			o = o[:len(x)]
			for i, v := range x {
				_, rest := d.floor(v)
				o[i] = v - rest
			}
		}
	case u == unitMonth:
		size := stampUnits(t, unitDay)
		d := newDivisor(size, 64)
		return func(o, x []int64) {
			o = o[:len(x)]
			for i, v := range x {
				days, _ := d.floor(v)
				_, _, day := types.Civil(days)
				o[i] = (days - int64(day) + 1) * size
			}
		}
	}
	return nil
}

// fieldLoop makes the loop of EXTRACT; nil: it is another case.
func fieldLoop(u unit, t types.Type) func(o []int64, v *stream.Vec, n int) {
	switch {
	case u == unitYear || u == unitMonth || u == unitDay:
		return civilLoop(u, t)
	case !t.IsTimestamp():
	case u == unitEpoch:
		d := newDivisor(stampUnits(t, unitSecond), 64)
		return func(o []int64, v *stream.Vec, n int) {
			x := operand[int64](v, n)
			o = o[:len(x)]
			for i, y := range x {
				o[i], _ = d.floor(y)
			}
		}
	case u >= unitSecond && u <= unitHour:
		whole, part := newDivisor(stampUnits(t, u+1), 64), newDivisor(stampUnits(t, u), 64)
		return func(o []int64, v *stream.Vec, n int) {
			x := operand[int64](v, n)
			o = o[:len(x)]
			for i, y := range x {
				_, rest := whole.floor(y)
				o[i] = part.wide(rest)
			}
		}
	}
	return nil
}

// civilLoop is fieldLoop for the parts of a date.
func civilLoop(u unit, t types.Type) func(o []int64, v *stream.Vec, n int) {
	part := func(days int64) int64 {
		y, m, d := types.Civil(days)
		switch u {
		case unitYear:
			return int64(y)
		case unitMonth:
			return int64(m)
		}
		return int64(d)
	}
	switch {
	case t.Kind == types.Date:
		return func(o []int64, v *stream.Vec, n int) {
			x := operand[int32](v, n)
			o = o[:len(x)]
			for i, days := range x {
				o[i] = part(int64(days))
			}
		}
	case t.IsTimestamp():
		d := newDivisor(stampUnits(t, unitDay), 64)
		return func(o []int64, v *stream.Vec, n int) {
			x := operand[int64](v, n)
			o = o[:len(x)]
			for i, y := range x {
				days, _ := d.floor(y)
				o[i] = part(days)
			}
		}
	}
	return nil
}

// spanLoop makes the loop of TIMESTAMPDIFF between timestamps of one type; nil: it is
// another case.
func spanLoop(u unit, a, b types.Type) func(o []int32, from, to []int64) {
	if !a.IsTimestamp() || !b.IsTimestamp() || a.TimeUnit() != b.TimeUnit() || a.TimeUnit() > 1e6 || u.millis() < 2 {
		return nil
	}
	d := newDivisor(stampUnits(a, u), 64)
	return func(o []int32, from, to []int64) {
		switch {
		case len(from) == len(o) && len(to) == len(o):
			to = to[:len(from)]
			for i, x := range from {
				o[i] = int32(d.wide(to[i] - x))
			}
		case len(to) == len(o):
			x := from[0]
			for i, y := range to {
				o[i] = int32(d.wide(y - x))
			}
		default:
			for i := range o {
				o[i] = int32(d.wide(at(to, i) - at(from, i)))
			}
		}
	}
}
