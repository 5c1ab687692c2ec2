package builtin

import (
	"fmt"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// unit is a unit of time in EXTRACT, FLOOR, CEIL, TIMESTAMPADD and TIMESTAMPDIFF.
type unit uint8

const (
	noUnit unit = iota
	unitNanosecond
	unitMicrosecond
	unitMillisecond
	unitSecond
	unitMinute
	unitHour
	unitDay
	unitWeek
	unitMonth
	unitQuarter
	unitYear
	unitDecade
	unitCentury
	unitMillennium
	unitDOY
	unitDOW
	unitISODOW
	unitISOYear
	unitEpoch
)

var unitNames = [...]string{
	unitNanosecond: "NANOSECOND", unitMicrosecond: "MICROSECOND", unitMillisecond: "MILLISECOND",
	unitSecond: "SECOND", unitMinute: "MINUTE", unitHour: "HOUR", unitDay: "DAY", unitWeek: "WEEK", unitMonth: "MONTH",
	unitQuarter: "QUARTER", unitYear: "YEAR", unitDecade: "DECADE", unitCentury: "CENTURY", unitMillennium: "MILLENNIUM",
	unitDOY: "DOY", unitDOW: "DOW", unitISODOW: "ISODOW", unitISOYear: "ISOYEAR", unitEpoch: "EPOCH",
}

func (u unit) String() string { return unitNames[u] }

// unitArg reads a unit that came as a text constant; allowed limits them.
func unitArg(lits []*expr.Literal, i int, least, most unit) (unit, error) {
	s, ok := constText(lits, i)
	if ok {
		u := unit(slices.Index(unitNames[:], s))
		if slices.Contains(unitNames[1:], s) && u >= least && u <= most {
			return u, nil
		}
		return noUnit, fmt.Errorf("does not know the unit %s", s)
	}
	return noUnit, fmt.Errorf("expects a unit such as DAY as argument %d", i+1)
}

// millisOf is the length of units that have a fixed one in milliseconds.
func (u unit) millis() int64 {
	switch u {
	case unitMillisecond:
		return 1
	case unitSecond:
		return types.MillisPerSecond
	case unitMinute:
		return types.MillisPerMinute
	case unitHour:
		return types.MillisPerHour
	case unitDay:
		return types.MillisPerDay
	case unitWeek:
		return 7 * types.MillisPerDay
	}
	return 0
}

// months is the length of units that are made of months.
func (u unit) months() int64 {
	switch u {
	case unitMonth:
		return 1
	case unitQuarter:
		return 3
	case unitYear:
		return 12
	case unitDecade:
		return 120
	case unitCentury:
		return 1200
	case unitMillennium:
		return 12000
	}
	return 0
}

func extractFunctions() []*expr.Function {
	fs := []*expr.Function{{
		Name: "EXTRACT", Class: "temporal", Usage: "EXTRACT(unit FROM time)",
		Doc:      "One field of a time: YEAR, QUARTER, MONTH, WEEK (ISO), DAY, DOY, DOW (1 is Sunday), ISODOW, ISOYEAR, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, NANOSECOND, EPOCH, DECADE, CENTURY or MILLENNIUM.",
		Examples: []expr.Example{ex("EXTRACT(DAY FROM DATE '2024-02-29')", "29"), ex("EXTRACT(WEEK FROM DATE '2020-12-31')", "53")},
		Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
			if err := arity(args, 2, 2); err != nil {
				return expr.Resolution{}, err
			}
			u, err := unitArg(lits, 0, unitNanosecond, unitEpoch)
			if err != nil {
				return expr.Resolution{}, err
			}
			return resolveExtract(u, args, 1)
		},
	}}
	for _, f := range [...]struct {
		name, doc, example string
		u                  unit
		result             string
	}{
		{"YEAR", "The year.", "DATE '2024-02-29'", unitYear, "2024"},
		{"QUARTER", "The quarter, 1 to 4.", "DATE '2024-02-29'", unitQuarter, "1"},
		{"MONTH", "The month, 1 to 12.", "DATE '2024-02-29'", unitMonth, "2"},
		{"WEEK", "The ISO week, 1 to 53.", "DATE '2024-02-29'", unitWeek, "9"},
		{"DAYOFYEAR", "The day of the year, from 1.", "DATE '2024-02-29'", unitDOY, "60"},
		{"DAYOFMONTH", "The day of the month.", "DATE '2024-02-29'", unitDay, "29"},
		{"DAYOFWEEK", "The day of the week; 1 is Sunday.", "DATE '2024-02-29'", unitDOW, "5"},
		{"HOUR", "The hour, 0 to 23.", "TIMESTAMP '2024-02-29 12:34:56'", unitHour, "12"},
		{"MINUTE", "The minute, 0 to 59.", "TIMESTAMP '2024-02-29 12:34:56'", unitMinute, "34"},
		{"SECOND", "The second, 0 to 59.", "TIMESTAMP '2024-02-29 12:34:56'", unitSecond, "56"},
	} {
		fs = append(fs, &expr.Function{
			Name: f.name, Class: "temporal", Usage: f.name + "(time)", Doc: f.doc,
			Examples: []expr.Example{ex(f.name+"("+f.example+")", f.result)},
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				if err := arity(args, 1, 1); err != nil {
					return expr.Resolution{}, err
				}
				return resolveExtract(f.u, args, 0)
			},
		})
	}
	return fs
}

// resolveExtract binds the extraction of u from argument i.
func resolveExtract(u unit, args []types.Type, i int) (expr.Resolution, error) {
	t := args[i]
	if t.IsInterval() {
		return extractInterval(u, args, i)
	}
	if !t.IsTemporal() {
		return expr.Resolution{}, fmt.Errorf("expects a time as argument %d, not %s", i+1, t.Name())
	}
	if t.Kind == types.Time && (u >= unitDay || u < unitMillisecond) {
		return expr.Resolution{}, fmt.Errorf("cannot take %s from %s", u, t.Name())
	}
	res := expr.Resolution{Args: args, Result: like(bigintType, args[i:])}
	field, quick := fieldOf(u), fieldLoop(u, t)
	local := zoned(t)
	res.New = safe(func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		if quick != nil && rows.Sel == nil && isWall(c, t) {
			quick(operand[int64](out, rows.N), args[i], rows.N)
			return
		}
		o, v := operand[int64](out, rows.N), timesOf(args[i], rows.N)
		_ = each(rows, func(k int) error {
			if u < unitMillisecond {
				o[k] = v.nanos(k)
				if u == unitMicrosecond {
					o[k] /= 1e3
				}
				return nil
			}
			ms := v.millis(k)
			if local {
				ms = wall(c.Zone, ms)
			}
			o[k] = field(ms)
			return nil
		})
	})
	return res, nil
}

// extractInterval binds the extraction of u from an interval: fields keep its sign.
func extractInterval(u unit, args []types.Type, i int) (expr.Resolution, error) {
	res := expr.Resolution{Args: args, Result: like(bigintType, args[i:])}
	size, wrap := u.months(), int64(0)
	months := args[i].Kind == types.IntervalMonth
	switch u {
	case unitMonth, unitQuarter:
		wrap = 12 / size
	case unitMillisecond, unitSecond, unitMinute, unitHour, unitDay:
		size = u.millis()
		wrap = map[unit]int64{unitMillisecond: 1000, unitSecond: 60, unitMinute: 60, unitHour: 24}[u]
	case unitYear:
	default:
		size = 0
	}
	if size == 0 || months != (u.months() > 0) {
		return expr.Resolution{}, fmt.Errorf("cannot take %s from %s", u, args[i].Name())
	}
	field := func(x int64) int64 {
		if x /= size; wrap > 0 {
			x %= wrap
		}
		if u == unitQuarter {
			x++
		}
		return x
	}
	res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o := operand[int64](out, rows.N)
		if months {
			for k, x := range operand[int32](args[i], rows.N) {
				o[k] = field(int64(x))
			}
			return
		}
		for k, x := range operand[int64](args[i], rows.N) {
			o[k] = field(x)
		}
	})
	return res, nil
}

// fieldOf returns the function from milliseconds on the wall clock to a field.
func fieldOf(u unit) func(ms int64) int64 {
	switch u {
	case unitMillisecond:
		return func(ms int64) int64 { return floorMod(ms, types.MillisPerSecond) }
	case unitSecond:
		return func(ms int64) int64 { return floorMod(ms, types.MillisPerMinute) / types.MillisPerSecond }
	case unitMinute:
		return func(ms int64) int64 { return floorMod(ms, types.MillisPerHour) / types.MillisPerMinute }
	case unitHour:
		return func(ms int64) int64 { return floorMod(ms, types.MillisPerDay) / types.MillisPerHour }
	case unitEpoch:
		return func(ms int64) int64 {
			s, _ := types.FloorDiv(ms, types.MillisPerSecond)
			return s
		}
	}
	return func(ms int64) int64 {
		days, _ := types.FloorDiv(ms, types.MillisPerDay)
		return dayField(u, days)
	}
}

func floorMod(x, m int64) int64 {
	_, r := types.FloorDiv(x, m)
	return r
}

// dayField returns a field of a day.
func dayField(u unit, days int64) int64 {
	switch u {
	case unitDOW:
		return floorMod(days+4, 7) + 1
	case unitISODOW:
		return floorMod(days+3, 7) + 1
	case unitWeek:
		_, w := isoWeek(days)
		return w
	case unitISOYear:
		y, _ := isoWeek(days)
		return y
	}
	y, m, d := types.Civil(days)
	year, month := int64(y), int64(m)
	switch u {
	case unitDay:
		return int64(d)
	case unitMonth:
		return month
	case unitQuarter:
		return (month + 2) / 3
	case unitDOY:
		return days - types.Days(y, 1, 1) + 1
	case unitDecade:
		q, _ := types.FloorDiv(year, 10)
		return q
	case unitCentury:
		return centuries(year, 100)
	case unitMillennium:
		return centuries(year, 1000)
	}
	return year
}

// centuries counts spans of n years; the first one starts with year 1, and there is
// none with number 0.
func centuries(year, n int64) int64 {
	if year > 0 {
		return (year + n - 1) / n
	}
	return -((-year + n) / n)
}

// isoWeek returns the ISO year and week of a day: that of its Thursday.
func isoWeek(days int64) (year, week int64) {
	thursday := days - floorMod(days+3, 7) + 3
	y, _, _ := types.Civil(thursday)
	return int64(y), (thursday-types.Days(y, 1, 1))/7 + 1
}
