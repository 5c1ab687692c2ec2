package builtin

import (
	"streamsql/expr"
	"streamsql/types"
)

// The functions that Flink implements with Java's older date classes count days before
// October 15, 1582 in the Julian calendar, and know no change of a zone's clock before 1900.

// oldCalendarEnd is 1582-10-15, in days since 1970.
const oldCalendarEnd = -141427

// oldZonesStart is 1900-01-01 of UTC, in milliseconds since 1970.
const oldZonesStart = -2208988800000

// civil returns the date of a day; old: in the calendar of its time.
func civil(days int64, old bool) (year, month, day int) {
	if !old || days >= oldCalendarEnd {
		return types.Civil(days)
	}
	// Years start in March, so that a leap day is the last one of its year.
	n := days - julianDays(0, 3, 1)
	cycle, rest := types.FloorDiv(n, 1461)
	inCycle := min(rest/365, 3)
	ofYear := rest - 365*inCycle
	m := (5*ofYear + 2) / 153
	year, month, day = int(4*cycle+inCycle), int(m)+3, int(ofYear-(153*m+2)/5)+1
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// newYear returns the first day of a year; old: in the calendar of its time.
func newYear(year int, old bool) int64 {
	if !old || year > 1582 {
		return types.Days(year, 1, 1)
	}
	return julianDays(year, 1, 1)
}

// julianDays returns the day of a date of the Julian calendar; year 0 is the one before 1.
func julianDays(year, month, day int) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	leaps, _ := types.FloorDiv(int64(year), 4)
	return 365*int64(year) + leaps + int64(153*(month-3)+2)/5 + int64(day) - 719471
}

// oldDays returns the day of a date in the calendar of its time, which the year that was
// given says, even where months carry beyond it; the days that the reform of the calendar
// left out are counted on in the Julian one.
func oldDays(given int64, year, month int, day int64) int64 {
	if given >= 1582 {
		if d := types.Days(year, month, 1) + day - 1; given > 1582 || d >= oldCalendarEnd {
			return d
		}
	}
	return julianDays(year, month, 1) + day - 1
}

// oldOffset is the offset of a zone; before 1900 it is the standard one of today.
func oldOffset(z expr.Zone, ms int64) int64 {
	switch {
	case z == nil:
		return 0
	case ms < oldZonesStart:
		return standardOffset(z)
	}
	return z.Offset(ms)
}

// oldInstant is laterInstant with the offsets of oldOffset.
func oldInstant(z expr.Zone, local int64) int64 {
	if z != nil && local < oldZonesStart+types.MillisPerDay {
		if ms := local - standardOffset(z); ms < oldZonesStart {
			return ms
		}
	}
	return laterInstant(z, local)
}

// standardOffset is the offset of a zone without daylight saving, as far as is known.
func standardOffset(z expr.Zone) int64 {
	january, july := types.Days(2037, 1, 1), types.Days(2037, 7, 1)
	return min(z.Offset(january*types.MillisPerDay), z.Offset(july*types.MillisPerDay))
}
