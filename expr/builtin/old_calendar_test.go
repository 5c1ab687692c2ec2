package builtin

import (
	"testing"

	"streamsql/types"
)

// Every day has one date in the Julian calendar, the one behind the date of the day before.
func TestJulianCalendar(t *testing.T) {
	for _, start := range []int64{oldCalendarEnd - 4000, -719164, -719530, -1_000_000} {
		y, m, d := civil(start, true)
		for day := start + 1; day < start+3000; day++ {
			length := types.DaysInMonth(2001, m)
			if m == 2 && y%4 == 0 {
				length = 29
			}
			if d++; d > length {
				m, d = m+1, 1
			}
			if m > 12 {
				y, m = y+1, 1
			}
			if gy, gm, gd := civil(day, true); gy != y || gm != m || gd != d {
				t.Fatalf("day %d is %d-%d-%d, not %d-%d-%d", day, y, m, d, gy, gm, gd)
			}
			if back := julianDays(y, m, d); back != day {
				t.Fatalf("%d-%d-%d is day %d, not %d", y, m, d, day, back)
			}
		}
	}
	if y, m, d := civil(oldCalendarEnd-1, true); y != 1582 || m != 10 || d != 4 {
		t.Errorf("the day before the reform is %d-%d-%d", y, m, d)
	}
	if d := oldDays(1582, 1582, 10, 15); d != oldCalendarEnd {
		t.Errorf("October 15, 1582 is day %d", d)
	}
	if d := oldDays(1582, 1582, 10, 4); d != oldCalendarEnd-1 {
		t.Errorf("October 4, 1582 is day %d", d)
	}
}
