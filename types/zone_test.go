package types

import (
	"encoding/binary"
	"math"
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t *testing.T, name string) *Zone {
	t.Helper()
	z, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func millis(t *testing.T, text string) int64 {
	t.Helper()
	v, err := ParseText(NewTimestamp(3), text)
	if err != nil {
		t.Fatal(err)
	}
	return v.I
}

// Flink cases cast-time-tz (Berlin) and tz-new-york, and the rules of
// expr.Zone: a repeated time is the earlier instant, a skipped one moves forward.
func TestInstant(t *testing.T) {
	for _, c := range []struct{ zone, local, utc, shown string }{
		{"Europe/Berlin", "2024-03-31 01:59:59.999", "2024-03-31 00:59:59.999", "2024-03-31 01:59:59.999"},
		{"Europe/Berlin", "2024-03-31 02:30:00", "2024-03-31 01:30:00.000", "2024-03-31 03:30:00.000"},
		{"Europe/Berlin", "2024-03-31 03:00:00", "2024-03-31 01:00:00.000", "2024-03-31 03:00:00.000"},
		{"Europe/Berlin", "2024-10-27 02:30:00", "2024-10-27 00:30:00.000", "2024-10-27 02:30:00.000"},
		{"Europe/Berlin", "2024-10-27 03:00:00", "2024-10-27 02:00:00.000", "2024-10-27 03:00:00.000"},
		{"America/New_York", "2024-11-03 00:00:00", "2024-11-03 04:00:00.000", "2024-11-03 00:00:00.000"},
		{"America/New_York", "2024-11-03 01:30:00", "2024-11-03 05:30:00.000", "2024-11-03 01:30:00.000"},
		{"America/New_York", "2024-11-03 02:30:00", "2024-11-03 07:30:00.000", "2024-11-03 02:30:00.000"},
		{"America/New_York", "2024-03-10 02:30:00", "2024-03-10 07:30:00.000", "2024-03-10 03:30:00.000"},
		{"Pacific/Kiritimati", "2024-01-01 00:00:00", "2023-12-31 10:00:00.000", "2024-01-01 00:00:00.000"},
		{"Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00.000", "2011-12-31 12:00:00.000"}, // the day that Samoa left out
		{"+05:30", "2024-01-01 00:00:00", "2023-12-31 18:30:00.000", "2024-01-01 00:00:00.000"},
		{"GMT-8", "2024-01-01 00:00:00", "2024-01-01 08:00:00.000", "2024-01-01 00:00:00.000"},
		{"UTC", "2024-01-01 00:00:00", "2024-01-01 00:00:00.000", "2024-01-01 00:00:00.000"},
	} {
		z := zone(t, c.zone)
		at := z.Instant(millis(t, c.local))
		if got := string(AppendTimestamp(nil, at, 1e3, 3)); got != c.utc {
			t.Errorf("%s in %s is the instant %s, want %s", c.local, c.zone, got, c.utc)
		}
		if got := string(AppendTimestamp(nil, Local(at, 1e3, z), 1e3, 3)); got != c.shown {
			t.Errorf("%s in %s is shown as %s, want %s", c.local, c.zone, got, c.shown)
		}
	}
}

// Every instant must come back from its wall clock, but for the second pass of a
// repeated hour, which gives the first.
func TestInstantRoundTrip(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo"} {
		z := zone(t, name)
		second := 0
		for utc := millis(t, "2015-01-01 00:00:00"); utc < millis(t, "2020-01-01 00:00:00"); utc += 10 * MillisPerMinute {
			back := z.Instant(utc + z.Offset(utc))
			if back == utc {
				continue
			}
			second++
			if back > utc || utc-back > MillisPerHour || back+z.Offset(back) != utc+z.Offset(utc) {
				t.Fatalf("%s: instant %d comes back as %d", name, utc, back)
			}
		}
		if name == "Europe/Berlin" && second != 5*6 {
			t.Errorf("%s: %d instants of second passes in five years, want 30", name, second)
		}
	}
}

// Times whose next change of the clock lies behind what an int64 holds.
func TestInstantAtTheLimits(t *testing.T) {
	for _, name := range []string{"America/New_York", "Asia/Kolkata", "+18:00", "-18:00"} {
		z := zone(t, name)
		for _, local := range []int64{math.MaxInt64, math.MaxInt64 - 1<<31, math.MaxInt64 - 1<<36, math.MinInt64, math.MinInt64 + 1<<31, math.MinInt64 + 1<<36} {
			at := z.Instant(local)
			if d := at - local; at != math.MaxInt64 && at != math.MinInt64 && d != -z.Offset(at) {
				t.Errorf("%s: the instant of %d is %d, which is off by %d", name, local, at, d)
			}
		}
	}
}

func TestLoadZone(t *testing.T) {
	for _, bad := range []string{"", "Local", "Mars/Olympus", "+25:00", "GMT+", "UTC+1:2", "+1:60", "europe/", "PLUS1"} {
		if _, err := LoadZone(bad); err == nil {
			t.Errorf("LoadZone(%q) succeeded", bad)
		}
	}
	for name, want := range map[string]int64{"Z": 0, "+1": 3600e3, "UTC+05:30": 19800e3, "GMT-08:00": -28800e3, "UT+00:00:30": 30e3} {
		if got := zone(t, name).Offset(0); got != want {
			t.Errorf("offset of %s = %d, want %d", name, got, want)
		}
	}
	var none *Zone
	if none.Offset(5) != 0 || none.Instant(5) != 5 || none.Name() != "UTC" {
		t.Error("a nil zone is not UTC")
	}
}

// Microseconds and nanoseconds keep their fraction when the zone is applied.
func TestLocalUnits(t *testing.T) {
	z := zone(t, "Asia/Kolkata")
	for _, unit := range []int64{1e3, 1e6, 1e9} {
		v := -1 * unit / 1e3 * 7 // 7 ms before 1970
		if unit > 1e3 {
			v++
		}
		if got, want := Local(v, unit, z)-v, 19800*unit; got != want {
			t.Errorf("unit %d: shifted by %d, want %d", unit, got, want)
		}
		if got := Instant(Local(v, unit, z), unit, z); got != v {
			t.Errorf("unit %d: %d comes back as %d", unit, v, got)
		}
	}
}

// A zone that changes its clock twice within a day: from +00:00 to +01:00 at noon
// of 1970-01-02 and on to +03:00 at 18:00 UTC.
func TestInstantBetweenChanges(t *testing.T) {
	data := append([]byte("TZif"), make([]byte, 16)...)
	for _, n := range []uint32{0, 0, 0, 2, 3, 2} { // counts: two changes, three kinds of time, two characters
		data = binary.BigEndian.AppendUint32(data, n)
	}
	data = binary.BigEndian.AppendUint32(data, 36*3600)
	data = binary.BigEndian.AppendUint32(data, 42*3600)
	data = append(data, 1, 2)
	for _, hours := range []uint32{0, 1, 3} {
		data = append(binary.BigEndian.AppendUint32(data, hours*3600), 0, 0)
	}
	loc, err := time.LoadLocationFromTZData("two", append(data, 'x', 0))
	if err != nil {
		t.Fatal(err)
	}
	z := &Zone{name: "two", loc: loc}
	for local, want := range map[string]string{
		"1970-01-02 11:59:59": "1970-01-02 11:59:59.000",
		"1970-01-02 12:30:00": "1970-01-02 12:30:00.000", // skipped: 13:30 local
		"1970-01-02 13:30:00": "1970-01-02 12:30:00.000",
		"1970-01-02 18:59:59": "1970-01-02 17:59:59.000",
		"1970-01-02 20:00:00": "1970-01-02 19:00:00.000", // skipped: 22:00 local
		"1970-01-02 21:00:00": "1970-01-02 18:00:00.000",
		"1970-01-03 21:00:00": "1970-01-03 18:00:00.000",
	} {
		if got := string(AppendTimestamp(nil, z.Instant(millis(t, local)), 1e3, 3)); got != want {
			t.Errorf("%s is %s, want %s", local, got, want)
		}
	}
}
