package types

import "testing"

// The expected values are those of Flink 2.3, but that it takes February 30 of a
// TIMESTAMP in the SQL form as the last day of the month.
func TestParseJSONTimes(t *testing.T) {
	const day = 19723 * 86400000 // 2024-01-01
	for _, c := range []struct {
		text string
		sql  int64 // -1: refused
		iso  int64
	}{
		{"2024-01-01 00:00:00", day, -1},
		{"2024-01-01T00:00:00", -1, day},
		{"2024-01-01t00:00:00", -1, day},
		{"2024-01-01T00:00", -1, day},
		{"2024-01-01 00:00", -1, -1},
		{"2024-01-01", -1, -1},
		{"2024-01-01 00:00:00Z", -1, -1},
		{"2024-01-01T00:00:00Z", -1, -1},
		{"2024-01-01 12:13:14.1", day + 43994100, -1},
		{"2024-01-01T12:13:14.123456789", -1, day + 43994123},
		{"2024-01-01 12:13:14.1234567891", -1, -1},
		{"2024-01-01 12:13:14.", day + 43994000, -1},
		{" 2024-01-01 12:13:14", -1, -1},
		{"2024-01-01 12:13:14 ", -1, -1},
		{"2024-01-01 24:00:00", day + 86400000, -1},
		{"2024-01-01T24:00:00", -1, -1},
		{"2024-01-01 23:59:60", -1, -1},
		{"2024-1-1 1:2:3", -1, -1},
		{"12024-01-01 00:00:00", -1, -1},
		{"2024-13-01 00:00:00", -1, -1},
		{"2023-02-29 00:00:00", -1, -1},
		{"2024-02-30T00:00:00", -1, -1},
		{"0000-01-01 00:00:00", -1, -1},
		{"", -1, -1},
	} {
		for _, iso := range []bool{false, true} {
			want := c.sql
			if iso {
				want = c.iso
			}
			got, fault := ParseJSONTimestamp([]byte(c.text), 1e3, 3, iso)
			if fault != OK {
				got = -1
			}
			if got != want {
				t.Errorf("%q, iso %v: %d (%s), want %d", c.text, iso, got, fault, want)
			}
			got, fault = ParseJSONTimestampLTZ([]byte(c.text+"Z"), 1e3, 3, iso)
			if fault != OK {
				got = -1
			}
			if got != want {
				t.Errorf("%q with Z, iso %v: %d (%s), want %d", c.text, iso, got, fault, want)
			}
		}
	}
	if _, fault := ParseJSONTimestampLTZ([]byte("2024-01-01 00:00:00"), 1e3, 3, false); fault != NoZone {
		t.Errorf("without zone: %s", fault)
	}
	for text, want := range map[string]int64{"10:20:30": 37230000, "10:20:30.1239": 37230123, "24:00:00": 0, "10:20": -1, "24:00:01": -1, "10:20:30Z": -1, "": -1} {
		got, fault := ParseJSONTime([]byte(text), 3)
		if fault != OK {
			got = -1
		}
		if got != want {
			t.Errorf("time %q: %d (%s), want %d", text, got, fault, want)
		}
	}
	for text, want := range map[string]int64{"2024-01-01": 19723, "2024-1-1": -1, "2024-02-30": -1, "2024-01-001": -1, "2024-1-001": -1, "": -1} {
		got, fault := ParseJSONDate([]byte(text))
		if fault != OK {
			got = -1
		}
		if got != want {
			t.Errorf("date %q: %d (%s), want %d", text, got, fault, want)
		}
	}
}
