package types

import "strconv"

// ZoneRules converts between instants and the wall clock of a time zone. A nil
// ZoneRules is UTC. expr.Zone has the same methods.
type ZoneRules interface {
	// Offset returns local minus UTC, in milliseconds, at the instant utcMillis.
	Offset(utcMillis int64) int64
	// Instant returns the instant of a local wall clock time: a time that exists
	// twice gives the earlier instant, one that does not exist moves forward by the
	// gap.
	Instant(localMillis int64) int64
	Name() string
}

// Local shifts a TIMESTAMP_LTZ value in units of 1/unit second to the wall clock
// of zone z.
func Local(v, unit int64, z ZoneRules) int64 {
	if isUTC(z) {
		return v
	}
	perMilli := unit / MillisPerSecond
	millis, _ := FloorDiv(v, perMilli)
	return v + z.Offset(millis)*perMilli
}

// Instant is the inverse of Local.
func Instant(v, unit int64, z ZoneRules) int64 {
	if isUTC(z) {
		return v
	}
	perMilli := unit / MillisPerSecond
	millis, rest := FloorDiv(v, perMilli)
	return z.Instant(millis)*perMilli + rest
}

// isUTC spares the common zone the arithmetic and the call.
func isUTC(z ZoneRules) bool {
	if z == nil {
		return true
	}
	zone, ok := z.(*Zone)
	return ok && zone.IsUTC()
}

// AppendDate appends a DATE: 2024-02-29.
func AppendDate(dst []byte, days int64) []byte {
	y, m, d := Civil(days)
	if y < 0 {
		dst = append(dst, '-')
		y = -y
	}
	if y > 9999 {
		dst = strconv.AppendInt(dst, int64(y), 10)
	} else {
		dst = append2(append2(dst, y/100), y%100)
	}
	dst = append2(append(dst, '-'), m)
	return append2(append(dst, '-'), d)
}

// append2 appends 0 ≤ n < 100 with two digits.
func append2(dst []byte, n int) []byte {
	return append(dst, digitPairs[2*n], digitPairs[2*n+1])
}

const digitPairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// appendClock appends HH:mm:ss.
func appendClock(dst []byte, seconds int) []byte {
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	return append(dst,
		digitPairs[2*h], digitPairs[2*h+1], ':',
		digitPairs[2*m], digitPairs[2*m+1], ':',
		digitPairs[2*s], digitPairs[2*s+1])
}

// AppendTime appends a TIME(p) of millis of the day: 12:34:56, and for p > 0 a
// fraction without trailing zeros, but of at least one digit.
func AppendTime(dst []byte, millis int64, p int32) []byte {
	dst = appendClock(dst, int(millis/MillisPerSecond))
	if p <= 0 {
		return dst
	}
	dst = append(dst, '.')
	ms := int(millis % MillisPerSecond)
	for {
		dst = append(dst, byte('0'+ms/100))
		ms = ms % 100 * 10
		p--
		if ms == 0 || p <= 0 {
			return dst
		}
	}
}

// AppendTimestamp appends a TIMESTAMP(p) in units of 1/unit second with exactly p
// digits of the fraction: 2024-02-29 12:34:56.789. For a TIMESTAMP_LTZ give it the
// value shifted by Local.
func AppendTimestamp(dst []byte, v, unit int64, p int32) []byte {
	days, rest := FloorDiv(v, unit*86400)
	dst = AppendDate(dst, days)
	dst = append(dst, ' ')
	dst = appendClock(dst, int(rest/unit))
	if p <= 0 {
		return dst
	}
	dst = append(dst, '.')
	return appendFraction(dst, int(rest%unit*(1e9/unit)), int(p))
}

// appendFraction appends the first p digits of a fraction in nanoseconds.
func appendFraction(dst []byte, nanos, p int) []byte {
	for unit := 100_000_000; p > 0; p-- {
		dst = append(dst, byte('0'+nanos/unit))
		nanos %= unit
		unit = max(unit/10, 1)
	}
	return dst
}

// AppendIntervalDay appends a day-time interval in milliseconds: +1 02:03:04.567.
func AppendIntervalDay(dst []byte, millis int64) []byte {
	m := abs(millis)
	if millis < 0 {
		dst = append(dst, '-')
	} else {
		dst = append(dst, '+')
	}
	dst = strconv.AppendUint(dst, m/MillisPerDay, 10)
	dst = append(dst, ' ')
	rest := int(m % MillisPerDay)
	dst = appendClock(dst, rest/MillisPerSecond)
	dst = append(dst, '.')
	ms := rest % MillisPerSecond
	return append2(append(dst, byte('0'+ms/100)), ms%100)
}

// AppendIntervalMonth appends a year-month interval in months: +1-02.
func AppendIntervalMonth(dst []byte, months int64) []byte {
	m := abs(months)
	if months < 0 {
		dst = append(dst, '-')
	} else {
		dst = append(dst, '+')
	}
	dst = strconv.AppendUint(dst, m/12, 10)
	return append2(append(dst, '-'), int(m%12))
}

// TimestampText writes TIMESTAMP(p) values one after the other: what is the same as
// in the value before, all down to the second, is not computed again.
type TimestampText struct {
	unit   int64
	digits int
	start  int64  // of the second whose text is known, in units
	text   []byte // that text, with the point if a fraction follows
}

// NewTimestampText returns a writer of values in units of 1/unit second with p digits
// of the fraction.
func NewTimestampText(unit int64, p int32) *TimestampText {
	return &TimestampText{unit: unit, digits: int(p)}
}

// Append appends a value as AppendTimestamp does.
func (t *TimestampText) Append(dst []byte, v int64) []byte {
	rest := v - t.start
	if uint64(rest) >= uint64(t.unit) || t.text == nil {
		var second int64
		second, rest = FloorDiv(v, t.unit)
		t.start = v - rest
		t.text = AppendTimestamp(t.text[:0], second, 1, 0)
		if t.digits > 0 {
			t.text = append(t.text, '.')
		}
	}
	dst = append(dst, t.text...)
	if t.digits == 3 && t.unit == MillisPerSecond {
		ms := int(rest)
		return append(dst, byte('0'+ms/100), digitPairs[2*(ms%100)], digitPairs[2*(ms%100)+1])
	}
	return appendFraction(dst, int(rest*(1e9/t.unit)), t.digits)
}
