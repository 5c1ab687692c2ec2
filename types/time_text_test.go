package types

import "testing"

func TestTimestampText(t *testing.T) {
	values := []int64{0, 1, 999, 1000, 1001, -1, -1000, -1001, 1_709_208_754_789, 1_709_208_754_001, 1_709_208_755_000, -99_999_999_999_999, 253_402_300_800_000, 5}
	for unit := int64(1000); unit <= 1e9; unit *= 1000 {
		for p := range int32(10) {
			w := NewTimestampText(unit, p)
			for _, v := range values {
				want := string(AppendTimestamp(nil, v, unit, p))
				for range 2 {
					if got := string(w.Append(nil, v)); got != want {
						t.Errorf("%d in units of 1/%d s with %d digits: %s, want %s", v, unit, p, got, want)
					}
				}
			}
		}
	}
}
