package window

import (
	"math"
	"sort"

	"streamsql/stream"
)

// Zone is what a Grid needs to know of a time zone; expr.Zone has it.
type Zone interface {
	// Offset returns local minus UTC, in milliseconds, at an instant.
	Offset(utcMillis int64) int64
	// Instant returns the instant of a local time: the earlier one of two, and for a
	// local time that is skipped the one moved forward by the gap.
	Instant(localMillis int64) int64
}

// Grid is a window grid over event times. With a zone, event times are
// instants (TIMESTAMP_LTZ) and windows lie on the zone's wall clock: starts and ends
// are local times, and Flink's rules say when such a window fires. Without one, event
// times are wall clock times themselves.
type Grid struct {
	Spec
	Zone Zone
}

// Local writes the wall clock times of event times into dst. Without a zone it
// returns times itself.
func (g Grid) Local(dst, times []int64) []int64 {
	if g.Zone == nil {
		return times
	}
	for i, t := range times {
		dst[i] = t + g.Zone.Offset(t)
	}
	return dst[:len(times)]
}

// FiresAt returns the watermark at which the window that ends at end fires.
func (g Grid) FiresAt(end int64) stream.Timestamp {
	if g.Zone == nil {
		return FiresAt(end)
	}
	return stream.Timestamp(g.timer(end - 1))
}

// CleanedAt is FiresAt with the allowed lateness, which counts on the wall clock too.
func (g Grid) CleanedAt(end, lateness int64) stream.Timestamp {
	at := CleanedAt(end, lateness)
	if g.Zone == nil || at == stream.MaxWatermark {
		return at
	}
	return stream.Timestamp(g.timer(int64(at)))
}

// Time returns window_time: the last millisecond of the window as an event time. At a
// change of the clock it may differ from FiresAt.
func (g Grid) Time(end int64) int64 {
	if g.Zone == nil {
		return end - 1
	}
	return g.Zone.Instant(end - 1)
}

// ClosedBefore returns the edge of the grid, in wall clock time, below which
// everything is closed at watermark w: a row is late, that is CleanedAt(its last
// window's end, lateness) ≤ w, iff its wall clock time is below the edge. For TUMBLE
// with lateness 0 it is the edge below which windows have fired.
func (g Grid) ClosedBefore(w stream.Timestamp, lateness int64) int64 {
	if w == stream.MaxWatermark {
		return math.MaxInt64
	}
	// Below this no window has both its edges in range.
	if lowest := math.MinInt64 + 2*(g.Size+g.Slide) + lateness + 2*day; int64(w) < lowest {
		return math.MinInt64
	}
	x := int64(w)
	if g.Zone != nil {
		x = g.passed(x)
	}
	every := g.every()
	return Start(x+1-lateness-g.Size, g.Offset, every) + every
}

const day = 24 * 60 * 60 * 1000

// timer returns the instant at which local time x counts as reached: the later one of
// two, so that a repeated hour is over only after its second pass, and the first
// instant after the gap for a time that is skipped.
func (g Grid) timer(x int64) int64 {
	at := g.Zone.Instant(x)
	off := g.Zone.Offset(at)
	if at+off != x {
		return g.change(at-day, at)
	}
	if later := g.Zone.Offset(at + day); later < off {
		if second := x - later; g.Zone.Offset(second) == later {
			return second
		}
	}
	return at
}

// passed returns the greatest local time that timer puts at or before instant w.
func (g Grid) passed(w int64) int64 {
	x := w + g.Zone.Offset(w)
	if g.timer(x) <= w {
		return x
	}
	// w is in the first pass of a repeated hour: nothing in it has been reached.
	at := g.change(w, w+day)
	return at + g.Zone.Offset(at) - 1
}

// change returns the first instant in (from, to] that has the offset of to.
func (g Grid) change(from, to int64) int64 {
	off := g.Zone.Offset(to)
	n := sort.Search(int(to-from), func(i int) bool { return g.Zone.Offset(from+1+int64(i)) == off })
	return from + 1 + int64(n)
}
