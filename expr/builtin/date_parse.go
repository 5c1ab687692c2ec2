package builtin

import (
	"bytes"
	"slices"
	"strings"

	"streamsql/types"
)

// dateFields collects what a text said; -1 is nothing.
type dateFields struct {
	year, month, day, dayOfYear int64
	weekYear, week, weekday     int64 // weeks start with Sunday, which is 0
	hour, hour12, pm            int64
	period                      int // of dayPeriods
	minute, second, nanos       int64
	offset                      int64 // of the zone, in milliseconds
	zoned                       bool
}

// number tells whether an item is read as digits.
func (it dateItem) number() bool {
	switch it.letter {
	case 0, 'a', 'B', 'G', 'E', 'X', 'Z':
		return false
	case 'M', 'L', 'e', 'c', 'Q', 'q':
		return it.count <= 2
	}
	return true
}

// parse reads s. lenient is the way of Java's SimpleDateFormat: numbers of any
// length, letter case ignored, values out of range counted on, text behind the end
// ignored. Otherwise it is that of DateTimeFormatter: exact widths, a day behind the
// end of its month becomes the last one, nothing may follow. The result is the wall
// clock in milliseconds since 1970, and nanoseconds of the second.
func (p *datePattern) parse(s []byte, lenient bool) (ms, nanos int64, ok bool) {
	var f dateFields
	return p.parseFields(s, lenient, &f)
}

// parseFields is parse; f gets what the text said.
func (p *datePattern) parseFields(s []byte, lenient bool, f *dateFields) (ms, nanos int64, ok bool) {
	*f = dateFields{year: 1970, month: -1, day: -1, dayOfYear: -1, weekYear: -1, week: -1, weekday: -1, hour: -1, hour12: -1, pm: -1, period: -1}
	for i, it := range p.items {
		if it.letter == 0 {
			if len(s) < len(it.text) || string(s[:len(it.text)]) != it.text {
				return 0, 0, false
			}
			s = s[len(it.text):]
			continue
		}
		if it.pad > 0 {
			if s, ok = f.padded(it, s, lenient); !ok {
				return 0, 0, false
			}
			continue
		}
		if !it.number() {
			if s, ok = f.name(it, s, lenient); !ok {
				return 0, 0, false
			}
			continue
		}
		if lenient {
			for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
				s = s[1:]
			}
		}
		least, most := it.width(lenient)
		if i+1 < len(p.items) && p.items[i+1].number() {
			if lenient || most > 9 && !fixedYear(it) {
				least, most = 1, it.count
			} else if fixedYear(it) {
				most = it.count
			}
		}
		n, width := digits(s, most)
		if width < least || !lenient && fixedYear(it) && width > it.count {
			return 0, 0, false // a longer year needs a sign, as in Java
		}
		s = s[width:]
		if !f.set(it, n, width, lenient) {
			return 0, 0, false
		}
	}
	if !lenient && len(s) > 0 {
		return 0, 0, false
	}
	return f.resolve(lenient, p.plain)
}

// padded reads a part that has a width of its own, with blanks in front.
func (f *dateFields) padded(it dateItem, s []byte, lenient bool) (rest []byte, ok bool) {
	if lenient || len(s) < it.pad {
		return s, false
	}
	part, rest := bytes.TrimLeft(s[:it.pad], " "), s[it.pad:]
	if !it.number() {
		part, ok = f.name(it, part, lenient)
		return rest, ok && len(part) == 0
	}
	least, most := it.width(lenient)
	n, width := digits(part, most)
	return rest, width >= least && width == len(part) && f.set(it, n, width, lenient)
}

// fixedYear reports a year of three or more letters, which reads at least so many
// digits.
func fixedYear(it dateItem) bool {
	return it.count > 2 && (it.letter == 'y' || it.letter == 'u')
}

// width returns the digits that a number has.
func (it dateItem) width(lenient bool) (least, most int) {
	switch {
	case lenient:
		return 1, 18
	case it.letter == 'S' || it.letter == 'D' && it.count > 1:
		return it.count, it.count
	case fixedYear(it):
		return it.count, 18
	case it.count == 2:
		return 2, 2
	}
	return 1, 18
}

// digits reads up to most decimal digits.
func digits(s []byte, most int) (n int64, width int) {
	for width < len(s) && width < most && s[width] >= '0' && s[width] <= '9' {
		n = n*10 + int64(s[width]-'0')
		width++
	}
	return n, width
}

// set stores a number; false if the strict way refuses it.
func (f *dateFields) set(it dateItem, n int64, width int, lenient bool) bool {
	within := func(lo, hi int64) bool { return lenient || n >= lo && n <= hi }
	switch it.letter {
	case 'y', 'u':
		if width == 2 && (it.count == 2 || lenient && it.count == 1) {
			n += 2000
			if lenient && n > 2045 {
				n -= 100
			}
		}
		f.year = n
	case 'Y':
		f.weekYear = n
	case 'w':
		f.week = n
		return within(1, 53)
	case 'e', 'c':
		f.weekday = n - 1
		return within(1, 7)
	case 'M', 'L':
		f.month = n
		return within(1, 12)
	case 'd':
		f.day = n
		return within(1, 31)
	case 'D':
		f.dayOfYear = n
		return within(1, 366)
	case 'H':
		f.hour = n
		return within(0, 24)
	case 'k':
		f.hour = n % 24
		return within(0, 24)
	case 'h':
		f.hour12 = n % 12
		return within(0, 12)
	case 'K':
		f.hour12 = n
		return within(0, 11)
	case 'm':
		f.minute = n
		return within(0, 59)
	case 's':
		f.second = n
		return within(0, 59)
	case 'S':
		if lenient {
			f.nanos = n * 1e6 // milliseconds, however many digits
		} else {
			f.nanos = n * pow10(9-it.count)
		}
	case 'n':
		f.nanos = n
		return within(0, 999_999_999)
	}
	return true
}

// zone reads an offset: Z, or ±hh[mm] or ±hh:mm as many letters X ask for; letters Z
// stand for ±hhmm.
func (f *dateFields) zone(it dateItem, s []byte) ([]byte, bool) {
	if it.letter == 'X' && len(s) > 0 && s[0] == 'Z' {
		f.zoned = true
		return s[1:], true
	}
	if len(s) < 3 || s[0] != '+' && s[0] != '-' {
		return s, false
	}
	negative := s[0] == '-'
	hour, w := digits(s[1:], 2)
	s = s[1+w:]
	minute := int64(0)
	if it.letter == 'Z' || it.count > 1 {
		if it.letter == 'X' && it.count == 3 {
			if len(s) == 0 || s[0] != ':' {
				return s, false
			}
			s = s[1:]
		}
		var m int
		if minute, m = digits(s, 2); m < 2 {
			return s, false
		}
		s = s[m:]
	}
	f.offset, f.zoned = hour*types.MillisPerHour+minute*types.MillisPerMinute, true
	if negative {
		f.offset = -f.offset
	}
	return s, w == 2 && hour < 24 && minute < 60
}

// name reads a name of a month or day, AM or PM, or an era.
func (f *dateFields) name(it dateItem, s []byte, lenient bool) ([]byte, bool) {
	if it.letter == 'X' || it.letter == 'Z' {
		return f.zone(it, s)
	}
	pick := func(names []string, short bool) int {
		for i, n := range names {
			if short {
				n = n[:3]
			}
			if len(s) >= len(n) && (string(s[:len(n)]) == n || lenient && strings.EqualFold(string(s[:len(n)]), n)) {
				s = s[len(n):]
				return i
			}
		}
		return -1
	}
	either := func(names []string) int {
		if lenient || it.count == 4 {
			if k := pick(names, false); k >= 0 {
				return k
			}
		}
		if it.count == 4 && !lenient {
			return -1
		}
		return pick(names, true)
	}
	k := -1
	switch it.letter {
	case 'a':
		if k = pick(ampm[:], false); k >= 0 {
			f.pm = int64(k)
		}
	case 'B':
		k = slices.IndexFunc(dayPeriods[:], func(p dayPeriod) bool { return !lenient && bytes.HasPrefix(s, []byte(p.name(it.count))) })
		if f.period = k; k >= 0 {
			s = s[len(dayPeriods[k].name(it.count)):]
		}
	case 'G':
		k = pick(eras[:], false)
	case 'M', 'L':
		if k = either(monthNames[:]); k >= 0 {
			f.month = int64(k) + 1
		}
	case 'E', 'e', 'c':
		if k = either(dayNames[:]); k >= 0 {
			f.weekday = int64(k)
		}
	}
	return s, k >= 0
}

var (
	ampm = [...]string{"AM", "PM"}
	eras = [...]string{"BC", "AD"}
)

// resolve makes a time of the fields; what was not said is the start of its unit.
// old: dates are those of the calendar of their time.
func (f *dateFields) resolve(lenient, old bool) (ms, nanos int64, ok bool) {
	hour := max(f.hour, 0)
	if f.hour < 0 && f.hour12 >= 0 {
		hour = f.hour12
		if f.pm == 1 || f.period >= 0 && dayPeriods[f.period].holds((hour+12)*60+f.minute) {
			hour += 12
		}
	} else if f.period >= 0 && !dayPeriods[f.period].holds(hour*60+f.minute) {
		return 0, 0, false
	}
	month, day := f.month, f.day
	if !lenient && hour == 24 { // the midnight behind, of no day if none was said
		if f.minute != 0 || f.second != 0 || f.nanos != 0 {
			return 0, 0, false
		}
		if month < 0 && day < 0 && f.dayOfYear < 0 {
			hour = 0
		}
	}
	if month < 0 {
		month = 1
	}
	if day < 0 {
		day = 1
	}
	if f.year > 1e6 || month > 1e6 || day > 1e8 || hour > 1e9 || f.minute > 1e11 || f.second > 1e12 {
		return 0, 0, false
	}
	var days int64
	switch {
	case f.dayOfYear >= 0 && f.day < 0 && f.month < 0 && old:
		days = oldDays(f.year, int(f.year), 1, f.dayOfYear)
	case f.dayOfYear >= 0 && f.day < 0 && f.month < 0:
		days = types.Days(int(f.year), 1, 1) + f.dayOfYear - 1
	case !lenient && f.weekYear >= 0 && f.week >= 0 && f.weekday >= 0 && f.day < 0:
		first, next := firstWeek(f.weekYear), firstWeek(f.weekYear+1)
		days = first + 7*(min(f.week, (next-first)/7)-1) + f.weekday
	case lenient:
		y, m := types.FloorDiv(f.year*12+month-1, 12)
		if old {
			days = oldDays(f.year, int(y), int(m)+1, day)
			break
		}
		days = types.Days(int(y), int(m)+1, 1) + day - 1
	default:
		days = types.Days(int(f.year), int(month), min(int(day), types.DaysInMonth(int(f.year), int(month))))
	}
	if !lenient && f.weekday >= 0 && (f.day >= 0 || f.dayOfYear >= 0) && floorMod(days+4, 7) != f.weekday {
		return 0, 0, false // another day of the week than the date says
	}
	ms = days*types.MillisPerDay + hour*types.MillisPerHour + f.minute*types.MillisPerMinute + f.second*types.MillisPerSecond
	carry, rest := types.FloorDiv(f.nanos, 1e9)
	return ms + carry*types.MillisPerSecond + rest/1e6, rest, true
}

// firstWeek is the Sunday at or before January 1.
func firstWeek(year int64) int64 {
	days := types.Days(int(min(year, 1e6)), 1, 1)
	return days - floorMod(days+4, 7)
}

// parseSQLTimestamp reads the form that TO_TIMESTAMP falls back to when a text does
// not fit its pattern: yyyy-[m]m-[d]d, alone or with hh:mm:ss[.fraction], blanks
// around it, numbers too large counted on.
func parseSQLTimestamp(s []byte) (ms int64, ok bool) {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	take := func(least, most int, end byte) int64 {
		n, w := digits(s, most)
		if w < least || end != 0 && (w >= len(s) || s[w] != end) {
			ok = false
			return 0
		}
		s = s[w:]
		if end != 0 {
			s = s[1:]
		}
		return n
	}
	ok = true
	y, m, d := take(4, 4, '-'), take(1, 2, '-'), take(1, 2, 0)
	if !ok || m < 1 || m > 12 || d < 1 || d > 31 {
		return 0, false
	}
	ms = (types.Days(int(y), int(m), 1) + d - 1) * types.MillisPerDay
	switch { // as in Java's old calendar
	case y == 0: // there is none: it is the first year before
		ms = (types.Days(1, int(m), 1) + d - 1) * types.MillisPerDay
	case y < 1582 && y%100 == 0 && y%400 != 0 && m == 2 && d > 28: // a leap year there, but not here
		if d == 29 {
			return 0, false
		}
		ms -= types.MillisPerDay
	case y == 1582 && m == 10 && d > 4 && d < 15: // days that the calendar reform left out
		ms += 10 * types.MillisPerDay
	}
	if len(s) == 0 {
		return ms, true
	}
	if s[0] != ' ' {
		return 0, false
	}
	s = s[1:]
	hour, minute, second := take(1, 9, ':'), take(1, 9, ':'), take(1, 9, 0)
	ms += hour*types.MillisPerHour + minute*types.MillisPerMinute + second*types.MillisPerSecond
	if ok && len(s) > 1 && s[0] == '.' {
		s = s[1:]
		n, w := digits(s, 9)
		s = s[w:]
		ms += n * pow10(9-w) / 1e6
		ok = w > 0
	}
	return ms, ok && len(s) == 0
}
