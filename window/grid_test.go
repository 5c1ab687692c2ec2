package window

import (
	"testing"
	"time"

	"streamsql/stream"
)

// tzdata is a Zone over package time.
type tzdata struct{ loc *time.Location }

func (z tzdata) Offset(utc int64) int64 {
	_, off := time.UnixMilli(utc).In(z.loc).Zone()
	return int64(off) * 1000
}

// Instant tries the offsets around: of two that fit the greater gives the earlier
// instant; if none fits, the time is skipped and the offset before the gap counts.
func (z tzdata) Instant(local int64) int64 {
	before, after := z.Offset(local-day), z.Offset(local+day)
	for _, off := range []int64{max(before, after), min(before, after)} {
		if z.Offset(local-off) == off {
			return local - off
		}
	}
	return local - before
}

func losAngeles(t *testing.T) Zone {
	loc, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Skip("no time zone data")
	}
	return tzdata{loc}
}

func millis(t *testing.T, s string) int64 {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.999", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// The instants of these tests are those of Flink 2.3 around the clock changes of
// 2026 in Los Angeles.
func TestGridAtClockChanges(t *testing.T) {
	g := Grid{Spec: Spec{Size: 2 * 3600_000}, Zone: losAngeles(t)}
	for _, c := range []struct{ end, fires, time string }{
		{"2026-03-08 02:00:00", "2026-03-08 09:59:59.999", "2026-03-08 09:59:59.999"},
		{"2026-03-08 03:00:00", "2026-03-08 10:00:00", "2026-03-08 10:59:59.999"},
		{"2026-03-08 04:00:00", "2026-03-08 10:59:59.999", "2026-03-08 10:59:59.999"},
		{"2026-11-01 01:00:00", "2026-11-01 07:59:59.999", "2026-11-01 07:59:59.999"},
		{"2026-11-01 02:00:00", "2026-11-01 09:59:59.999", "2026-11-01 08:59:59.999"},
		{"2026-11-01 01:30:00", "2026-11-01 09:29:59.999", "2026-11-01 08:29:59.999"},
		{"2026-11-01 03:00:00", "2026-11-01 10:59:59.999", "2026-11-01 10:59:59.999"},
	} {
		end := millis(t, c.end)
		if got := g.FiresAt(end); int64(got) != millis(t, c.fires) {
			t.Errorf("the window to %s fires at %s, want %s", c.end, time.UnixMilli(int64(got)).UTC(), c.fires)
		}
		if got := g.Time(end); got != millis(t, c.time) {
			t.Errorf("the window to %s has time %s, want %s", c.end, time.UnixMilli(got).UTC(), c.time)
		}
	}
}

// TestGridZoneLateness holds the edge of ClosedBefore against the definition, minute by
// minute around the changes.
func TestGridZoneLateness(t *testing.T) {
	zone := losAngeles(t)
	for _, size := range []int64{30 * 60_000, 3600_000, 7200_000, day} {
		for _, lateness := range []int64{0, 45 * 60_000} {
			g := Grid{Spec: Spec{Size: size}, Zone: zone}
			for _, change := range []string{"2026-03-08 10:00:00", "2026-11-01 09:00:00"} {
				mid := millis(t, change)
				local := make([]int64, 1)
				for w := mid - 4*3600_000; w < mid+4*3600_000; w += 15*60_000 - 1 {
					edge := g.ClosedBefore(stream.Timestamp(w), lateness)
					for at := mid - 4*3600_000; at < mid+4*3600_000; at += 10 * 60_000 {
						x := g.Local(local, []int64{at})[0]
						_, end := g.Range(x)
						if late := g.CleanedAt(end, lateness) <= stream.Timestamp(w); late != (x < edge) {
							t.Fatalf("size %d, lateness %d: a row of %s at watermark %s: late %v, below the edge %v", size, lateness,
								time.UnixMilli(at).UTC(), time.UnixMilli(w).UTC(), late, x < edge)
						}
					}
				}
			}
		}
	}
}
