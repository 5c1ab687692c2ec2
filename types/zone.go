package types

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Zone is a time zone: the rules of a named place, or a fixed offset. It is safe
// for concurrent use. A nil *Zone is UTC.
type Zone struct {
	name string
	loc  *time.Location
	last atomic.Pointer[zoneSpan] // the span looked up last
}

// zoneSpan is a time without change of the clock, in milliseconds.
type zoneSpan struct{ start, end, offset int64 }

// LoadZone returns the time zone of a name of the tz database ("Europe/Berlin"),
// "UTC", "Z", or an offset: "+01:00", "GMT-8", "UTC+05:30". The caller links the
// tz database in (package time/tzdata) if the host may lack one.
func LoadZone(name string) (*Zone, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("no time zone %q", name)
	}
	if seconds, ok := fixedOffset(name); ok {
		return &Zone{name: name, loc: time.FixedZone(name, seconds)}, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("no time zone %q", name)
	}
	return &Zone{name: name, loc: loc}, nil
}

// UTC is the default zone.
var UTC = &Zone{name: "UTC", loc: time.UTC}

// Location is the zone as package time knows it.
func (z *Zone) Location() *time.Location {
	if z == nil {
		return time.UTC
	}
	return z.loc
}

// fixedOffset reads Z, and [GMT|UTC|UT]±H[H][:mm[:ss]].
func fixedOffset(name string) (seconds int, ok bool) {
	if name == "Z" {
		return 0, true
	}
	s := name
	for _, prefix := range []string{"GMT", "UTC", "UT"} {
		if rest, found := strings.CutPrefix(s, prefix); found {
			s = rest
			break
		}
	}
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	parts := strings.Split(s[1:], ":")
	if len(parts) > 3 {
		return 0, false
	}
	unit := 3600
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || len(part) > 2 || i > 0 && (len(part) != 2 || n > 59) {
			return 0, false
		}
		seconds += int(n) * unit
		unit /= 60
	}
	if seconds > 18*3600 {
		return 0, false
	}
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// Name returns the name the zone was loaded by.
func (z *Zone) Name() string {
	if z == nil {
		return "UTC"
	}
	return z.name
}

// IsUTC reports whether local time is always UTC.
func (z *Zone) IsUTC() bool { return z == nil || z.loc == time.UTC }

// Offset returns local minus UTC, in milliseconds, at the instant utcMillis.
func (z *Zone) Offset(utcMillis int64) int64 {
	if z.IsUTC() {
		return 0
	}
	return z.span(utcMillis).offset
}

func (z *Zone) span(utcMillis int64) *zoneSpan {
	if s := z.last.Load(); s != nil && utcMillis >= s.start && utcMillis < s.end {
		return s
	}
	t := time.UnixMilli(utcMillis).In(z.loc)
	_, seconds := t.Zone()
	s := &zoneSpan{math.MinInt64, math.MaxInt64, int64(seconds) * MillisPerSecond}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		s.start = unixMilli(start)
	}
	if !end.IsZero() {
		s.end = unixMilli(end)
	}
	z.last.Store(s)
	return s
}

// unixMilli is t.UnixMilli, which wraps around, within its limits.
func unixMilli(t time.Time) int64 {
	switch seconds := t.Unix(); {
	case seconds > math.MaxInt64/MillisPerSecond:
		return math.MaxInt64
	case seconds < math.MinInt64/MillisPerSecond:
		return math.MinInt64
	}
	return t.UnixMilli()
}

// addSat returns a+b, or the limit that it passes.
func addSat(a, b int64) int64 {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	default:
		return sum
	}
}

// Instant returns the instant of a local wall clock time: a time that exists twice
// gives the earlier instant, one that does not exist moves forward by the gap.
func (z *Zone) Instant(localMillis int64) int64 {
	if z.IsUTC() {
		return localMillis
	}
	// Offsets lie within ±18 hours: the offsets in force before and behind any change
	// near the wall clock time are found on both sides of that range.
	const reach = 18 * MillisPerHour
	before := z.span(addSat(localMillis, -reach))
	if t := addSat(localMillis, -before.offset); t < before.end {
		// Still before the next change, or the first pass of a repeated hour.
		return t
	}
	after := z.span(addSat(localMillis, reach))
	for after.start > before.end {
		// There was a third offset between them.
		mid := z.span(before.end)
		if t := addSat(localMillis, -mid.offset); t < mid.end {
			if t < mid.start {
				return addSat(localMillis, -before.offset)
			}
			return t
		}
		before = mid
	}
	if t := addSat(localMillis, -after.offset); t >= after.start {
		return t
	}
	return addSat(localMillis, -before.offset)
}
