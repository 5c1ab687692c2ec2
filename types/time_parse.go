package types

// scanner reads fixed forms from the start of a text.
type scanner struct {
	b  []byte
	ok bool // no form has failed yet
}

// number reads from least to most ASCII digits.
func (s *scanner) number(least, most int) int {
	n, i := 0, 0
	for i < most && i < len(s.b) && s.b[i]-'0' <= 9 {
		n = 10*n + int(s.b[i]-'0')
		i++
	}
	s.ok = s.ok && i >= least
	s.b = s.b[i:]
	return n
}

// sign reads one character.
func (s *scanner) sign(c byte) {
	if !s.have(c) {
		s.ok = false
	}
}

// have reads c if it is next.
func (s *scanner) have(c byte) bool {
	if len(s.b) == 0 || s.b[0] != c {
		return false
	}
	s.b = s.b[1:]
	return true
}

// fraction reads a point and 0 to 9 digits, if the point is there.
func (s *scanner) fraction() (nanos int, fault Fault) {
	if !s.have('.') {
		return 0, OK
	}
	unit := 100_000_000
	for i := 0; i < len(s.b) && s.b[i]-'0' <= 9; i++ {
		if i == 9 {
			return 0, TooManyDigits
		}
		nanos += int(s.b[i]-'0') * unit
		unit /= 10
		if i == len(s.b)-1 || s.b[i+1]-'0' > 9 {
			s.b = s.b[i+1:]
			return nanos, OK
		}
	}
	return nanos, OK
}

// clock returns the seconds of the day of a time that ends at 24:00:00.
func clock(hour, minute, second, nanos int) (int, Fault) {
	if hour > 23 || minute > 59 || second > 59 {
		if hour != 24 || minute|second|nanos != 0 {
			return 0, NoSuchTime
		}
	}
	return (hour*60+minute)*60 + second, OK
}

// ParseDate reads a DATE as CAST from text does: year[-month[-day]], blanks around
// each part, everything behind a blank ignored.
func ParseDate(b []byte) (days int64, fault Fault) {
	for i, c := range b {
		if c == ' ' {
			if i > 0 {
				b = b[:i]
			}
			break
		}
	}
	parts := [3]int{0, 1, 1}
	for i := range parts {
		end := len(b)
		if i < 2 {
			for j, c := range b {
				if c == '-' {
					end = j
					break
				}
			}
		}
		part := trimControls(b[:end])
		n, f := parseInt(part, Int)
		if f != OK || part[0] == '+' || n < 0 || n > 9999 {
			return 0, Malformed
		}
		parts[i] = int(n)
		if end == len(b) {
			break
		}
		b = b[end+1:]
	}
	return dayOf(parts[0], parts[1], parts[2])
}

// dayOf returns the day number of a day that exists.
func dayOf(year, month, day int) (int64, Fault) {
	if month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, month) {
		return 0, NoSuchDay
	}
	return Days(year, month, day), OK
}

// ParseTime reads a TIME as CAST from text does: hour[:minute[:second[.fraction]]]
// with any zeros in front, white space around it. The result is in milliseconds of
// the day, rounded half up.
func ParseTime(b []byte) (millis int64, fault Fault) {
	s := scanner{trimControls(b), true}
	const most = 18 // there may be zeros in front
	hour, minute, second := s.number(1, most), 0, 0
	if s.have(':') {
		minute = s.number(1, most)
		if s.have(':') {
			second = s.number(1, most)
			if s.have('.') {
				millis = s.roundedMillis()
			}
		}
	}
	if !s.ok || len(s.b) > 0 {
		return 0, Malformed
	}
	if hour > 23 || minute > 59 || second > 59 {
		return 0, NoSuchTime
	}
	millis += int64((hour*60+minute)*60+second) * MillisPerSecond
	if millis >= MillisPerDay {
		return 0, NoSuchTime
	}
	return millis, OK
}

// roundedMillis reads digits up to the end as a fraction of a second.
func (s *scanner) roundedMillis() (millis int64) {
	unit := int64(1000)
	for _, c := range s.b {
		d := int64(c - '0')
		if d > 9 {
			s.ok = false
		}
		switch {
		case unit > 1:
			unit /= 10
			millis += d * unit
		case unit == 1: // the first digit behind the milliseconds
			unit = 0
			if d >= 5 {
				millis++
			}
		}
	}
	s.b = nil
	return millis
}

// ParseTimestamp reads a TIMESTAMP as CAST from text does: year-month-day, alone
// or with a blank and hour:minute:second[.fraction]; the year has four digits, or more
// behind a +, the other numbers one or two, the fraction up to nine. A number may be
// missing, though not what separates it from others: '2024-02-' is the first of February,
// '2024-01-01 12::' noon. A day behind the end of its month is taken as the last day of
// the month; 24:00:00 is the next midnight. The result is the wall clock in seconds since
// 1970 and nanoseconds.
func ParseTimestamp(b []byte) (seconds int64, nanos int, fault Fault) {
	s := scanner{b, true}
	year := 0
	if s.have('+') {
		year = s.number(5, 9)
	} else {
		year = s.number(4, 4)
	}
	s.sign('-')
	month := s.part(1)
	s.sign('-')
	day := s.part(1)
	if !s.ok || year == 0 {
		return 0, 0, Malformed
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, 0, NoSuchDay
	}
	seconds = Days(year, month, min(day, DaysInMonth(year, month))) * 86400
	if len(s.b) == 0 {
		return seconds, 0, OK
	}
	s.sign(' ')
	hour := s.part(0)
	s.sign(':')
	minute := s.part(0)
	s.sign(':')
	second := s.part(0)
	nanos, fault = s.fraction()
	if fault != OK {
		return 0, 0, fault
	}
	if !s.ok || len(s.b) > 0 {
		return 0, 0, Malformed
	}
	sec, fault := clock(hour, minute, second, nanos)
	return seconds + int64(sec), nanos, fault
}

// part reads a part of a TIMESTAMP: one or two digits, or none, which is the number given.
// As in Flink, which reads two digits and then one or more, where one of both is enough,
// the number may stand twice, with two digits and behind them with any. A - with a digit
// is a negative number, which no part is.
func (s *scanner) part(none int) int {
	size := len(s.b)
	if size == 0 || s.b[0]-'0' > 9 {
		s.ok = s.ok && (size < 2 || s.b[0] != '-' || s.b[1]-'0' > 9)
		return none
	}
	n := int(s.b[0] - '0')
	if size == 1 || s.b[1]-'0' > 9 {
		s.b = s.b[1:]
		return n
	}
	n = 10*n + int(s.b[1]-'0')
	i, again := 2, 0
	for ; i < size && s.b[i]-'0' <= 9; i++ {
		again = min(10*again+int(s.b[i]-'0'), 1000)
	}
	s.ok = s.ok && (i == 2 || again == n)
	s.b = s.b[i:]
	return n
}

// Units turns seconds and nanoseconds into units of 1/unit second and cuts what
// lies beyond precision p. ok is false if the result does not fit: nanoseconds
// reach from 1677 to 2262 only.
func Units(seconds int64, nanos int, unit int64, p int32) (v int64, ok bool) {
	nanos -= nanos % nanosOf[min(max(p, 0), 9)]
	const most = 1<<63 - 1
	if limit := most/unit - 1; seconds > limit || seconds < -limit {
		return 0, false
	}
	return seconds*unit + int64(nanos)/(1e9/unit), true
}

// nanosOf holds the nanoseconds of one unit in the last digit, by precision.
var nanosOf = [10]int{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 10, 1}
