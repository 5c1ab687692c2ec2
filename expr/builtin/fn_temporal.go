package builtin

import (
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func temporalFunctions() []*expr.Function {
	return append(extractFunctions(),
		&expr.Function{Name: "TIMESTAMPADD", Class: "temporal", Usage: "TIMESTAMPADD(unit, n, time)",
			Doc:      "The time n units later; days past the end of a month become its last one.",
			Examples: []expr.Example{ex("TIMESTAMPADD(MONTH, 1, DATE '2024-01-31')", "2024-02-29"), ex("TIMESTAMPADD(HOUR, 1, DATE '2024-01-01')", "2024-01-01 01:00:00.000000")},
			Resolve:  resolveTimestampAdd},
		&expr.Function{Name: "TIMESTAMPDIFF", Class: "temporal", Usage: "TIMESTAMPDIFF(unit, start, end)",
			Doc:      "Whole units from start to end, toward zero.",
			Examples: []expr.Example{ex("TIMESTAMPDIFF(DAY, DATE '2024-01-01', DATE '2024-03-01')", "60"), ex("TIMESTAMPDIFF(MONTH, DATE '2024-01-31', DATE '2024-02-29')", "1")},
			Resolve:  resolveTimestampDiff},
	)
}

// resolveFloorTime binds FLOOR and CEIL of a time to a unit.
func resolveFloorTime(args []types.Type, lits []*expr.Literal, direction int) (expr.Resolution, error) {
	t := args[0]
	if !t.IsTemporal() {
		return expr.Resolution{}, fmt.Errorf("expects a time and a unit, not %s", list(args))
	}
	least := unitMillisecond
	if t.Kind == types.Date {
		least = unitNanosecond
	}
	u, err := unitArg(lits, 1, least, unitMillennium)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: args, Result: t}
	round := rounder(u, direction)
	switch {
	case t.Kind == types.Date && u == unitDay && direction > 0:
		round = func(ms int64) int64 { return ms + types.MillisPerDay } // Flink's CEIL of a DATE is the next one
	case t.Kind == types.Time && u >= unitDay, t.Kind == types.Date && u <= unitDay, t.IsTimestamp() && t.TimeUnit() == 1e3 && u == unitMillisecond:
		round = func(ms int64) int64 { return ms }
	}
	if !t.IsTimestamp() {
		scale := int64(1)
		if t.Kind == types.Date {
			scale = types.MillisPerDay
		}
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			o, x := operand[int32](out, rows.N), operand[int32](args[0], rows.N)
			for i := range o {
				o[i] = int32(round(int64(at(x, i))*scale) / scale)
			}
		})
		return res, nil
	}
	// In Flink CEIL counts what is less than a millisecond only where it is to milliseconds.
	up := direction > 0 && u == unitMillisecond
	general, quick := floorStamps(t, round, up), floorLoop(t, u, direction)
	if direction > 0 && !up && t.TimeUnit() > 1e3 || u > unitDay && nanos(t) {
		quick = nil
	}
	if res.CanFail = nanos(t); res.CanFail {
		res.New = plain(general)
		return res, nil
	}
	res.New = plain(func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		if quick != nil && rows.Sel == nil && isWall(c, t) {
			quick(operand[int64](out, rows.N), operand[int64](args[0], rows.N))
			return nil
		}
		return general(c, args, out, rows)
	})
	return res, nil
}

// floorStamps rounds TIMESTAMPs. A TIMESTAMP_LTZ is rounded on the wall clock that
// is in force at the instant itself. up: a part of a millisecond counts as a whole one.
func floorStamps(t types.Type, round func(ms int64) int64, up bool) expr.Kernel {
	scale := t.TimeUnit() / 1e3
	local := zoned(t)
	return func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		o, x := operand[int64](out, rows.N), operand[int64](args[0], rows.N)
		return each(rows, func(i int) error {
			ms, rest := types.FloorDiv(at(x, i), scale)
			if up && rest > 0 {
				ms++
			}
			shift := int64(0)
			if local && c.Zone != nil {
				shift = c.Zone.Offset(ms)
			}
			v, ok := stampOf(round(ms+shift)-shift, 0, scale)
			if !ok && isValid(out, i) {
				return outOfNanos(t, i)
			}
			o[i] = v
			return nil
		})
	}
}

// rounder returns the function that moves milliseconds to the start of their unit
// (direction -1) or to the next start (1). Units of a week and more look at the date
// only, so that CEIL leaves out the time of the first day of a unit after 1970. CEIL always gives
// the next unit from DECADE on, and of a QUARTER other than the first. All as in Flink.
func rounder(u unit, direction int) func(ms int64) int64 {
	up := direction > 0
	switch {
	case u == unitWeek: // weeks start on Sunday; 1970-01-04 was one
		weeks := alignTo(7*types.MillisPerDay, 3*types.MillisPerDay, up)
		return func(ms int64) int64 { return weeks(dayOf(ms, up) * types.MillisPerDay) }
	case u.millis() > 0:
		return alignTo(u.millis(), 0, up)
	}
	n := u.months()
	return func(ms int64) int64 {
		days := dayOf(ms, up)
		y, m, d := types.Civil(days)
		month := int64(y)*12 + int64(m) - 1
		if n > 120 {
			month -= 12 // centuries start with year 1
		}
		k, over := types.FloorDiv(month, n)
		if up && (over > 0 || d > 1 || n >= 120 || n == 3 && m > 1) {
			k++
		}
		month = k * n
		if n > 120 {
			month += 12
		}
		year, m0 := types.FloorDiv(month, 12)
		return types.Days(int(year), int(m0)+1, 1) * types.MillisPerDay
	}
}

// dayOf is the day of a time for FLOOR, or for CEIL (up), which takes that nearer to 1970:
// before, a part of a day counts as a whole one.
func dayOf(ms int64, up bool) int64 {
	if up {
		return ms / types.MillisPerDay
	}
	days, _ := types.FloorDiv(ms, types.MillisPerDay)
	return days
}

// alignTo rounds to multiples of size behind origin.
func alignTo(size, origin int64, up bool) func(int64) int64 {
	if up {
		return func(ms int64) int64 {
			k, rest := types.FloorDiv(ms-origin, size)
			if rest > 0 {
				k++
			}
			return k*size + origin
		}
	}
	return func(ms int64) int64 { return ms - floorMod(ms-origin, size) }
}

func resolveTimestampAdd(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 3, 3); err != nil {
		return expr.Resolution{}, err
	}
	if err := noNull(args); err != nil {
		return expr.Resolution{}, err
	}
	u, err := unitArg(lits, 0, unitMillisecond, unitYear)
	if err != nil {
		return expr.Resolution{}, err
	}
	t := args[2]
	if !args[1].IsInteger() || !t.IsTemporal() {
		return expr.Resolution{}, fmt.Errorf("expects a unit, an integer and a time, not %s", list(args[1:]))
	}
	res := expr.Resolution{Args: []types.Type{args[0], bigintType, t}, Result: like(t, args[1:])}
	if t.Kind == types.Date && u < unitDay {
		res.Result = like(types.NewTimestamp(6), args[1:])
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			o, n, x := operand[int64](out, rows.N), operand[int64](args[1], rows.N), operand[int32](args[2], rows.N)
			for i := range o {
				o[i] = (int64(at(x, i))*types.MillisPerDay + at(n, i)*u.millis()) * 1e3
			}
		})
		return res, nil
	}
	if u == unitMillisecond && t.Kind != types.Date && t.Precision < 3 {
		res.Result.Precision = 3
	}
	scale := t.TimeUnit() / 1e3
	move := func(ms, n int64) int64 { return ms + n*u.millis() }
	if k := u.months(); k > 0 {
		move = func(ms, n int64) int64 { return addMonthsMillis(ms, n*k) }
	}
	switch t.Kind {
	case types.Date:
		res.New = safe(moveDays(func(d, n int64) int64 { return move(d*types.MillisPerDay, n) / types.MillisPerDay }))
	case types.Time:
		res.New = safe(moveDays(func(ms, n int64) int64 {
			if u.months() > 0 {
				return ms
			}
			return floorMod(move(ms, n), types.MillisPerDay)
		}))
	default:
		res.CanFail = nanos(t)
		res.New = plain(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			o, n, x := operand[int64](out, rows.N), operand[int64](args[1], rows.N), operand[int64](args[2], rows.N)
			return each(rows, func(i int) error {
				ms, rest := types.FloorDiv(at(x, i), scale)
				v, ok := stampOf(move(ms, at(n, i)), rest, scale)
				if !ok && scale == 1e6 && isValid(out, i) {
					return outOfNanos(t, i)
				}
				o[i] = v
				return nil
			})
		})
	}
	return res, nil
}

func moveDays(move func(x, n int64) int64) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o, n, x := operand[int32](out, rows.N), operand[int64](args[1], rows.N), operand[int32](args[2], rows.N)
		_ = each(rows, func(i int) error {
			o[i] = int32(move(int64(at(x, i)), at(n, i)))
			return nil
		})
	}
}

func resolveTimestampDiff(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 3, 3); err != nil {
		return expr.Resolution{}, err
	}
	u, err := unitArg(lits, 0, unitNanosecond, unitYear)
	if err != nil {
		return expr.Resolution{}, err
	}
	if err := comparableTimes(args[1:]); err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: args, Result: like(intType, args[1:])}
	quick := spanLoop(u, args[1], args[2])
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		if quick != nil && rows.Sel == nil {
			quick(operand[int32](out, rows.N), operand[int64](args[1], rows.N), operand[int64](args[2], rows.N))
			return
		}
		o, a, b := operand[int32](out, rows.N), timesOf(args[1], rows.N), timesOf(args[2], rows.N)
		months, millis := u.months(), u.millis()
		_ = each(rows, func(i int) error {
			switch {
			case months > 0 && a.ofDay != nil:
				o[i] = 0
			case months > 0:
				o[i] = int32(monthsBetween(b.millis(i), a.millis(i)) / months)
			case u == unitNanosecond:
				o[i] = int32((b.micros(i)-a.micros(i))*1e3 + b.nanos(i)%1e3 - a.nanos(i)%1e3)
			case u == unitMicrosecond:
				o[i] = int32(b.micros(i) - a.micros(i))
			case millis == 1:
				o[i] = int32(b.millis(i) - a.millis(i))
			default:
				o[i] = int32((b.micros(i) - a.micros(i)) / (millis * 1e3))
			}
			return nil
		})
	})
	return res, nil
}
