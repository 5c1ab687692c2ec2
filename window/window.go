package window

import (
	"math"

	"streamsql/stream"
)

// Kind is the kind of a window.
type Kind uint8

// The kinds. Hop, Cumulate and Session come with their own issue.
const (
	Tumble Kind = iota
	Hop
	Cumulate
	Session
)

// Spec is a window function with its parameters, in milliseconds.
type Spec struct {
	Kind   Kind
	Size   int64 // TUMBLE, HOP, CUMULATE: length
	Slide  int64 // HOP: slide; CUMULATE: step
	Offset int64
	Gap    int64 // SESSION
}

// Start returns the start of the tumbling window of length size, shifted by
// offset, that contains t.
func Start(t, offset, size int64) int64 {
	r := (t - offset) % size
	if r < 0 {
		r += size
	}
	return t - r
}

// FiresAt returns the watermark at which a window that ends at end fires: one
// millisecond before its exclusive end.
func FiresAt(end int64) stream.Timestamp { return stream.Timestamp(end - 1) }

// CleanedAt returns the watermark at which the state of a window is dropped and
// from which on its rows are late: FiresAt plus the allowed lateness, saturating.
func CleanedAt(end, lateness int64) stream.Timestamp {
	f := end - 1
	if f > 0 && lateness > math.MaxInt64-f {
		return stream.MaxWatermark
	}
	return stream.Timestamp(f + lateness)
}

// Range returns the tumbling window [start, end) that contains t.
func (s Spec) Range(t int64) (start, end int64) {
	start = Start(t, s.Offset, s.Size)
	return start, start + s.Size
}

// ClosedBefore returns the edge of the tumbling grid below which everything is
// closed at watermark w: a time t is late, that is CleanedAt(its window's end,
// lateness) ≤ w, iff t is below the edge. With lateness 0 it is the edge below which
// windows have fired.
func (s Spec) ClosedBefore(w stream.Timestamp, lateness int64) int64 {
	if w == stream.MaxWatermark {
		return math.MaxInt64
	}
	x := int64(w) + 1
	// Below this no window has both its edges in range.
	lowest := math.MinInt64 + 2*s.Size + lateness
	if x < lowest {
		return math.MinInt64
	}
	return Start(x-lateness, s.Offset, s.Size)
}
