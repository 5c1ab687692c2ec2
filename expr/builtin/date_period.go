package builtin

import "slices"

// dayPeriod is a part of the day that the pattern letter B stands for.
type dayPeriod struct {
	from, until int64 // minutes of the day
	text        string
	narrow      string // where it differs
}

var dayPeriods = [...]dayPeriod{
	{0, 1, "midnight", "mi"},
	{12 * 60, 12*60 + 1, "noon", "n"},
	{6 * 60, 12 * 60, "in the morning", ""},
	{12 * 60, 18 * 60, "in the afternoon", ""},
	{18 * 60, 21 * 60, "in the evening", ""},
	{21 * 60, 30 * 60, "at night", ""},
}

// holds reports whether a minute of the day is in the period.
func (p dayPeriod) holds(minute int64) bool {
	minute %= 24 * 60
	return minute >= p.from && minute < p.until || minute+24*60 < p.until
}

// name is how count letters B print the period.
func (p dayPeriod) name(count int) string {
	if count == 5 && p.narrow != "" {
		return p.narrow
	}
	return p.text
}

// dayPeriodOf returns the period that a minute of the day is in.
func dayPeriodOf(minute int64) dayPeriod {
	i := slices.IndexFunc(dayPeriods[:], func(p dayPeriod) bool { return p.holds(minute) })
	return dayPeriods[i]
}
