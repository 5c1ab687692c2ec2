package types

// Milliseconds of clock units.
const (
	MillisPerSecond = 1000
	MillisPerMinute = 60 * MillisPerSecond
	MillisPerHour   = 60 * MillisPerMinute
	MillisPerDay    = 24 * MillisPerHour
)

// Days returns the number of days from 1970-01-01 to a day of the proleptic
// Gregorian calendar. The month must be 1..12; the day may lie outside its month
// and then counts on.
func Days(year, month, day int) int64 {
	// Years are taken to start in March, so that the leap day is the last day of a
	// year; an era of 400 years has 146097 days.
	y := int64(year)
	m := int64(month) - 3
	if m < 0 {
		y--
		m += 12
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + (153*m+2)/5 + int64(day) - 1 - 719468
}

// Civil returns the year, month and day of the day that lies days after
// 1970-01-01 in the proleptic Gregorian calendar.
func Civil(days int64) (year, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	y := yoe + era*400
	if mp < 10 {
		month = int(mp) + 3
	} else {
		month = int(mp) - 9
		y++
	}
	return int(y), month, day
}

// IsLeapYear reports whether year has a 29th of February.
func IsLeapYear(year int) bool {
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// DaysInMonth returns the number of days of a month (1..12).
func DaysInMonth(year, month int) int {
	if month == 2 && IsLeapYear(year) {
		return 29
	}
	return int(monthLengths[month])
}

var monthLengths = [13]uint8{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// floorDiv returns x/y rounded down, for y > 0.
func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// FloorDiv splits x into whole units of size unit (> 0), rounded down, and the
// rest, which is never negative: a timestamp into days and time of day.
func FloorDiv(x, unit int64) (whole, rest int64) {
	whole = x / unit
	rest = x % unit
	if rest < 0 {
		whole--
		rest += unit
	}
	return whole, rest
}
