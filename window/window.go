package window

import (
	"math"

	"streamsql/stream"
)

// Kind is the kind of a window.
type Kind uint8

// The kinds.
const (
	Tumble Kind = iota
	Hop
	Cumulate
	Session
	// Attached windows were given to the rows before: rows carry start and end.
	Attached
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

// Range returns the last window [start, end) that may contain t: of HOP the one that
// starts last at or before t (with a slide above the size t may lie behind it, in no
// window at all), of CUMULATE the longest.
func (s Spec) Range(t int64) (start, end int64) {
	start = Start(t, s.Offset, s.every())
	return start, start + s.Size
}

// every is the distance between the starts of windows that are last for some time.
func (s Spec) every() int64 {
	if s.Kind == Hop {
		return s.Slide
	}
	return s.Size
}
