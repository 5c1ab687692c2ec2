package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// timeVec reads a DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ vector in milliseconds:
// of the day for TIME, since 1970 for the others.
type timeVec struct {
	days  []int32
	ofDay []int32
	stamp []int64
	unit  int64 // stored units per millisecond
}

func timesOf(v *stream.Vec, n int) timeVec {
	switch v.Type.Kind {
	case types.Date:
		return timeVec{days: operand[int32](v, n)}
	case types.Time:
		return timeVec{ofDay: operand[int32](v, n)}
	}
	return timeVec{stamp: operand[int64](v, n), unit: v.Type.TimeUnit() / 1e3}
}

// millis returns row i in milliseconds, rounded down.
func (t timeVec) millis(i int) int64 {
	switch {
	case t.stamp == nil && t.days != nil:
		return int64(at(t.days, i)) * types.MillisPerDay
	case t.stamp == nil:
		return int64(at(t.ofDay, i))
	}
	x := at(t.stamp, i)
	if t.unit == 1 {
		return x
	}
	ms, _ := types.FloorDiv(x, t.unit)
	return ms
}

// nanos returns the nanoseconds of the second of row i.
func (t timeVec) nanos(i int) int64 {
	switch {
	case t.stamp != nil:
		_, rest := types.FloorDiv(at(t.stamp, i), t.unit*1e3)
		return rest * (1e6 / t.unit)
	case t.ofDay != nil:
		return int64(at(t.ofDay, i)) % 1e3 * 1e6
	}
	return 0
}

// zoned reports whether the wall clock of a type depends on the session time zone.
func zoned(t types.Type) bool { return t.Kind == types.TimestampLTZ }

// wall converts an instant to the wall clock of the zone.
func wall(z expr.Zone, ms int64) int64 {
	if z == nil {
		return ms
	}
	return ms + z.Offset(ms)
}

// addMonths moves a day by months; a day that the month does not have becomes its
// last one.
func addMonths(days, months int64) int64 {
	y, m, d := types.Civil(days)
	year, month := types.FloorDiv(int64(y)*12+int64(m)-1+months, 12)
	return types.Days(int(year), int(month)+1, min(d, types.DaysInMonth(int(year), int(month)+1)))
}

// addMonthsMillis is addMonths for a time; the time of the day stays.
func addMonthsMillis(ms, months int64) int64 {
	d, rest := types.FloorDiv(ms, types.MillisPerDay)
	return addMonths(d, months)*types.MillisPerDay + rest
}

// monthsBetween returns the months from b to a. Days count first: their difference
// is the largest n for which b's day plus n months is not behind a's, or minus that
// the other way round; if this hits a's day exactly, but a is earlier in the day, it
// is one less.
func monthsBetween(a, b int64) int64 {
	da, ra := types.FloorDiv(a, types.MillisPerDay)
	db, rb := types.FloorDiv(b, types.MillisPerDay)
	n := monthsBetweenDays(da, db)
	if ra < rb && addMonths(db, n) == da {
		n--
	}
	return n
}

func monthsBetweenDays(a, b int64) int64 {
	if a < b {
		return -monthsBetweenDays(b, a)
	}
	ya, ma, _ := types.Civil(a)
	yb, mb, _ := types.Civil(b)
	n := int64(ya-yb)*12 + int64(ma-mb)
	if addMonths(b, n) > a {
		n--
	}
	return n
}

// micros returns row i in microseconds, rounded down.
func (t timeVec) micros(i int) int64 {
	if t.stamp == nil || t.unit == 1 {
		return t.millis(i) * 1e3
	}
	x := at(t.stamp, i)
	if t.unit == 1e3 {
		return x
	}
	us, _ := types.FloorDiv(x, 1e3)
	return us
}
