package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// timestamp is an event time or watermark: milliseconds since 1970.
type timestamp interface{ ~int64 }

// Known reports whether a time is one: not before the first watermark, not behind
// the last.
func Known[T timestamp](t T) bool { return int64(t) != math.MinInt64 && int64(t) != math.MaxInt64 }

// Time is an event time or watermark without zone as SQL writes it.
func Time[T timestamp](t T) string { return TimeIn(t, nil) }

// TimeIn is an event time or watermark as the result of its query shows it: in a place,
// or, if that is nil, without zone.
func TimeIn[T timestamp](t T, at *time.Location) string {
	switch int64(t) {
	case math.MinInt64:
		return "none yet"
	case math.MaxInt64:
		return "end of input"
	}
	if at == nil {
		at = time.UTC
	}
	text := time.UnixMilli(int64(t)).In(at).Format("2006-01-02 15:04:05.000")
	return strings.TrimSuffix(text, ".000")
}

// isoTime is a time for programs: an instant, whose times stand in a place, ends in Z.
func isoTime[T timestamp](t T, at *time.Location) *string {
	if !Known(t) {
		return nil
	}
	text := time.UnixMilli(int64(t)).UTC().Format("2006-01-02T15:04:05.000")
	if at != nil {
		text += "Z"
	}
	return &text
}

// Count writes a number with commas between thousands.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// rows is a number of rows with the word.
func rows(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return Count(n) + " rows"
}

// Rows is the line that ends a result: (3 rows, 0.21 s).
func Rows(n int64, took time.Duration) string {
	return fmt.Sprintf("(%s, %s)", rows(n), Seconds(took))
}

// Seconds is a time that something took.
func Seconds(d time.Duration) string {
	s := d.Seconds()
	switch {
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return Duration(d.Round(time.Second))
}

// Duration is a duration as --delay takes it, without parts that are zero.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// atLeast rounds a duration up to what somebody would type: it stays enough.
func atLeast(d time.Duration) time.Duration {
	unit := time.Millisecond
	switch {
	case d > time.Hour:
		unit = time.Minute
	case d > time.Minute:
		unit = time.Second
	}
	return (d + unit - 1) / unit * unit
}

// Bytes is a size.
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		if n < 1_000_000 {
			return fmt.Sprintf("%.0f kB", math.Floor(float64(n)/1e3))
		}
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n < 10_000_000_000:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// Rate is a number per second, shortened.
func Rate(r float64) string {
	switch {
	case r < 10_000:
		return Count(int64(r))
	case r < 1_000_000:
		return Count(int64(r/1000)) + "k"
	}
	return fmt.Sprintf("%.1fM", r/1e6)
}

// percent is a share, with the digits that it needs to be above zero.
func percent(part, whole int64) string {
	p := 100 * float64(part) / float64(whole)
	switch {
	case p >= 9.95:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 0.095:
		return fmt.Sprintf("%.1f %%", p)
	case p >= 0.0095:
		return fmt.Sprintf("%.2f %%", p)
	}
	return "below 0.01 %"
}
