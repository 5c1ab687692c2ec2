package window

import "math"

// Slices cuts the time line of a HOP or CUMULATE grid into the longest pieces that lie
// whole inside or outside of each of its windows. Ends of windows are Interval apart.
type Slices struct {
	Spec
	Length   int64 // of a slice
	Interval int64 // between the ends of windows
}

// NewSlices returns the slices of a HOP or CUMULATE specification.
func NewSlices(s Spec) Slices {
	switch s.Kind {
	case Hop:
		return Slices{s, gcd(s.Size, s.Slide), s.Slide}
	case Cumulate:
		return Slices{s, s.Slide, s.Slide}
	}
	return Slices{s, s.Size, s.Size}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Slice returns the slice that contains t.
func (s Slices) Slice(t int64) (start, end int64) {
	start = Start(t, s.Offset, s.Length)
	return start, start + s.Length
}

// Ends is a tumbling grid whose edges are the ends of the windows.
func (s Slices) Ends(zone Zone) Grid {
	return Grid{Spec: Spec{Kind: Tumble, Size: s.Interval, Offset: (s.Offset + s.Size) % s.Interval}, Zone: zone}
}

// WindowStart returns the start of the window that ends at end.
func (s Slices) WindowStart(end int64) int64 {
	if s.Kind == Cumulate {
		return Start(end-1, s.Offset, s.Size)
	}
	return end - s.Size
}

// FirstEnd returns the end of the first window that contains the slice [start, end), or
// MaxInt64 if none does.
func (s Slices) FirstEnd(start, end int64) int64 {
	first := Start(end-1, s.Offset+s.Size, s.Interval) + s.Interval
	if s.WindowStart(first) > start {
		return math.MaxInt64
	}
	return first
}

// PerWindow returns how many slices the longest window has.
func (s Slices) PerWindow() int64 { return s.Size / s.Length }
