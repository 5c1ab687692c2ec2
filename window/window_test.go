package window

import (
	"math"
	"math/rand/v2"
	"testing"

	"streamsql/stream"
)

func TestStart(t *testing.T) {
	for _, c := range []struct{ t, offset, size, want int64 }{
		{0, 0, 10, 0},
		{9, 0, 10, 0},
		{10, 0, 10, 10},
		{-1, 0, 10, -10},
		{-10, 0, 10, -10},
		{-11, 0, 10, -20},
		{1, 2, 10, -8},
		{2, 2, 10, 2},
		{11, 2, 10, 2},
		{12, 2, 10, 12},
		{0, -4, 10, -4},
		{5, -4, 10, -4},
		{6, -4, 10, 6},
		{-4, -4, 10, -4},
		{-5, -4, 10, -14},
		{7, 0, 1, 7},
		{-7, 0, 1, -7},
	} {
		if got := Start(c.t, c.offset, c.size); got != c.want {
			t.Errorf("Start(%d, %d, %d) = %d, want %d", c.t, c.offset, c.size, got, c.want)
		}
	}
}

func TestCloseRules(t *testing.T) {
	if got := FiresAt(10); got != 9 {
		t.Errorf("FiresAt(10) = %d, want 9", got)
	}
	for _, c := range []struct {
		end, lateness int64
		want          stream.Timestamp
	}{
		{10, 0, 9},
		{10, 5, 14},
		{-10, 5, -6},
		{10, math.MaxInt64, stream.MaxWatermark},
		{math.MaxInt64, 0, math.MaxInt64 - 1},
		{math.MaxInt64, 2, stream.MaxWatermark},
		{-10, math.MaxInt64, math.MaxInt64 - 11},
	} {
		if got := CleanedAt(c.end, c.lateness); got != c.want {
			t.Errorf("CleanedAt(%d, %d) = %d, want %d", c.end, c.lateness, got, c.want)
		}
	}
}

func TestClosedBefore(t *testing.T) {
	s := Grid{Spec: Spec{Size: 10}}
	for _, c := range []struct {
		w        stream.Timestamp
		lateness int64
		want     int64
	}{
		{8, 0, 0},
		{9, 0, 10},
		{18, 0, 10},
		{19, 0, 20},
		{-1, 0, 0},
		{-2, 0, -10},
		{13, 5, 0},
		{14, 5, 10},
		{stream.MinWatermark, 0, math.MinInt64},
		{stream.MinWatermark, 1000, math.MinInt64},
		{stream.MaxWatermark, 0, math.MaxInt64},
	} {
		if got := s.ClosedBefore(c.w, c.lateness); got != c.want {
			t.Errorf("ClosedBefore(%d, %d) = %d, want %d", c.w, c.lateness, got, c.want)
		}
	}
}

// checkSpec holds the laws of the grid for one time: the window contains it, its
// neighbours touch it, moving the time by the size moves the window by the size, and
// the edge of ClosedBefore says the same as the definition of lateness.
func checkSpec(t *testing.T, s Spec, at, w, lateness int64) {
	t.Helper()
	start, end := s.Range(at)
	if at < start || at >= end || end-start != s.Size {
		t.Fatalf("%+v: [%d, %d) is no window for %d", s, start, end, at)
	}
	if prev, e := s.Range(start - 1); e != start || prev != start-s.Size {
		t.Fatalf("%+v: [%d, %d) does not touch [%d, %d)", s, prev, e, start, end)
	}
	if next, _ := s.Range(end); next != end {
		t.Fatalf("%+v: the window at %d starts at %d", s, end, next)
	}
	if moved, _ := s.Range(at + s.Size); moved != end {
		t.Fatalf("%+v: %d moved by the size lies in a window from %d, want %d", s, at, moved, end)
	}
	if r := (start - s.Offset) % s.Size; r != 0 {
		t.Fatalf("%+v: start %d is off the grid", s, start)
	}
	late := CleanedAt(end, lateness) <= stream.Timestamp(w)
	if below := at < (Grid{Spec: s}).ClosedBefore(stream.Timestamp(w), lateness); below != late {
		t.Fatalf("%+v: %d at watermark %d, lateness %d: below the edge %v, late %v", s, at, w, lateness, below, late)
	}
}

func TestGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		size := 1 + r.Int64N(30)
		s := Spec{Size: size, Offset: r.Int64N(2*size-1) - size + 1}
		at := r.Int64N(400) - 200
		checkSpec(t, s, at, at+r.Int64N(80)-40, r.Int64N(20))
	}
}

func FuzzGrid(f *testing.F) {
	f.Add(int64(-1), int64(3), int64(10), int64(9), int64(0))
	f.Add(int64(math.MinInt64), int64(0), int64(1), int64(math.MinInt64), int64(1))
	f.Add(int64(1767225600000), int64(-3600000), int64(86400000), int64(math.MaxInt64), int64(5000))
	f.Fuzz(func(t *testing.T, at, offset, size, w, lateness int64) {
		const far = 1 << 55 // more than a million years
		size = 1 + (size&math.MaxInt64)%far
		lateness = (lateness & math.MaxInt64) % far
		checkSpec(t, Spec{Size: size, Offset: offset % size}, at%far, w, lateness)
	})
}
