package exec

import (
	"context"
	"math"

	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// lateFilter drops rows whose window is closed at the watermark in force before
// them. It is an operator of its own so that the aggregate above it sees rows of
// open windows only.
type lateFilter struct {
	plan      *physical.LateFilter
	env       *Env
	watermark watermarkState

	out   stream.Batch
	front stream.Batch
	keep  []int32
	marks []stream.Timestamp
	late  LateRows
}

func newLateFilter(p *physical.LateFilter) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &lateFilter{plan: p, keep: []int32{}}, nil
}

func (f *lateFilter) Open(_ context.Context, env *Env) error {
	f.env = env
	f.watermark.w = stream.MinWatermark
	return env.State.Register("watermark", 1, &f.watermark)
}

func (f *lateFilter) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	times := &b.Cols[f.plan.Time]
	if row := firstNull(times, b); row >= 0 {
		if err := f.pass(ctx, before(&f.front, b, b.Ordinal(row)), out); err != nil {
			return err
		}
		return nullTime(f.plan.Info(), f.plan.Input, f.plan.Time, b.Ordinal(row))
	}
	return f.pass(ctx, b, out)
}

// pass forwards b without its late rows.
func (f *lateFilter) pass(ctx context.Context, b *stream.Batch, out Output) error {
	before := f.watermark.w
	last := b.LastMark(before)
	f.watermark.w = last
	cols := append(f.out.Cols[:0], b.Cols...)
	f.out = *b
	f.out.Cols = cols
	live := b.Live()
	// The last mark closes the most: where nothing is late for it, nothing is late.
	if edge := f.plan.Window.ClosedBefore(last, f.plan.Lateness); live > 0 && minTime(&b.Cols[f.plan.Time], b) < edge {
		f.judge(b, before)
	}
	f.env.Counters.Used.Add(int64(f.out.Live()))
	return out.Batch(ctx, &f.out)
}

// judge holds each row against the watermark before it.
func (f *lateFilter) judge(b *stream.Batch, before stream.Timestamp) {
	f.marks = resize(f.marks, b.N)
	b.Watermarks(f.marks, before)
	f.keep = f.keep[:0]
	l := &f.late
	l.Rows, l.Start, l.End, l.Watermark = l.Rows[:0], l.Start[:0], l.End[:0], l.Watermark[:0]

	times := &b.Cols[f.plan.Time]
	vals := stream.Values[int64](times)
	spec, lateness := f.plan.Window, f.plan.Lateness
	w := before
	edge := spec.ClosedBefore(w, lateness)
	take := func(i int) {
		if f.marks[i] != w {
			w = f.marks[i]
			edge = spec.ClosedBefore(w, lateness)
		}
		t := vals[times.At(i)]
		if t >= edge {
			f.keep = append(f.keep, int32(i))
			return
		}
		start, end := spec.Range(t)
		l.Rows = append(l.Rows, int32(i))
		l.Start, l.End = append(l.Start, start), append(l.End, end)
		l.Watermark = append(l.Watermark, w)
	}
	if b.Sel == nil {
		for i := range b.N {
			take(i)
		}
	} else {
		for _, i := range b.Sel {
			take(int(i))
		}
	}
	if len(l.Rows) > 0 {
		f.out.Sel = f.keep
		if f.keep == nil {
			f.out.Sel = none
		}
		l.Batch, l.Lateness, l.Time = b, lateness, f.plan.Time
		f.env.LateRows(l)
		l.Batch = nil
	}
}

func (f *lateFilter) Finish(context.Context, Output) error { return nil }
func (f *lateFilter) Close() error                         { return nil }

// checkWindow refuses windows that the operators do not know.
func checkWindow(n *physical.Base, w window.Spec) error {
	if w.Kind != window.Tumble {
		return diag.New(diag.Unsupported, n.Span, "this kind of window is not supported").WithHint("use TUMBLE")
	}
	if w.Size <= 0 {
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

// minTime returns the least time of the live rows, none of which is NULL.
// It is MaxInt64 if there are none.
func minTime(times *stream.Vec, b *stream.Batch) int64 {
	lo, _ := timeBounds(times, b)
	return lo
}

// timeBounds returns the least and greatest time of the live rows.
func timeBounds(times *stream.Vec, b *stream.Batch) (lo, hi int64) {
	lo, hi = math.MaxInt64, math.MinInt64
	vals := stream.Values[int64](times)
	switch {
	case b.Live() == 0:
	case times.Enc == stream.Const:
		return vals[0], vals[0]
	case b.Sel == nil:
		for _, t := range vals[:b.N] {
			lo, hi = min(lo, t), max(hi, t)
		}
	default:
		for _, i := range b.Sel {
			t := vals[i]
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
