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
