package exec

import (
	"math"

	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// gridOf returns the grid on which an operator lays the times of column col: that of
// the session's wall clock where they are instants.
func gridOf(spec window.Spec, input physical.Node, col int, env *Env) window.Grid {
	g := window.Grid{Spec: spec}
	if input.Info().Schema.Fields[col].Type.Kind == types.TimestampLTZ && env.Zone != nil && env.Zone.Name() != "UTC" {
		g.Zone = env.Zone
	}
	return g
}

// localTimes returns the wall clock times of a rowtime column, one a physical row or a
// single one for all rows. scratch is used where they are not the column's own.
func localTimes(g window.Grid, times *stream.Vec, scratch *[]int64) []int64 {
	vals := stream.Values[int64](times)
	if g.Zone == nil {
		return vals
	}
	*scratch = resize(*scratch, len(vals))
	return g.Local(*scratch, vals)
}

// checkWindow refuses windows without extent.
func checkWindow(n *physical.Base, w window.Spec) error {
	bad := false
	switch w.Kind {
	case window.Session:
		bad = w.Gap <= 0
	case window.Hop, window.Cumulate:
		bad = w.Size <= 0 || w.Slide <= 0 || w.Kind == window.Cumulate && w.Size%w.Slide != 0
	case window.Tumble:
		bad = w.Size <= 0
	}
	if bad {
		return diag.New(diag.Window, n.Span, "a window needs a length above zero")
	}
	return nil
}

// firstNull returns the first live row whose time is NULL, or -1.
func firstNull(times *stream.Vec, b *stream.Batch) int {
	if times.Valid == nil && times.Type.Kind != types.Null || b.Live() == 0 {
		return -1
	}
	if b.Sel == nil {
		for i := range b.N {
			if times.IsNull(i) {
				return i
			}
		}
		return -1
	}
	for _, i := range b.Sel {
		if times.IsNull(int(i)) {
			return int(i)
		}
	}
	return -1
}

// nullTime is the error for a row without event time.
func nullTime(n *physical.Base, input physical.Node, col int, ord int64) error {
	name := input.Info().Schema.Fields[col].Name
	return Fail(ord, diag.New(diag.Runtime, n.Span, "event-time column %q is NULL", name).
		WithHint("drop such rows with WHERE %s IS NOT NULL in front of the window", name))
}

// timeBounds returns the least and greatest of times, given as localTimes does, over
// the live rows: MaxInt64 and MinInt64 if there are none.
func timeBounds(times []int64, b *stream.Batch) (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	switch {
	case b.Live() == 0:
	case len(times) == 1:
		return times[0], times[0]
	case b.Sel == nil:
		for _, t := range times[:b.N] {
			lo, hi = min(lo, t), max(hi, t)
		}
	default:
		for _, i := range b.Sel {
			t := times[i]
			lo, hi = min(lo, t), max(hi, t)
		}
	}
	return lo, hi
}

// resize returns s with length n, contents undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 2*cap(s)))
	}
	return s[:n]
}
