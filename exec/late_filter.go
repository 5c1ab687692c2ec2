package exec

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// lateFilter drops rows whose window is closed at the watermark in force before
// them. It is an operator of its own so that the aggregate above it sees rows of
// open windows only.
type lateFilter struct {
	plan      *physical.LateFilter
	env       *Env
	watermark watermarkState
	grid      window.Grid
	ahead     bool // a row whose time lies above the watermark is never late

	out   stream.Batch
	front stream.Batch
	keep  []int32
	marks []stream.Timestamp
	local []int64
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
	f.grid = gridOf(f.plan.Window, f.plan.Input, f.plan.Time, env)
	f.ahead = f.grid.Zone == nil && (f.grid.Kind != window.Hop || f.grid.Slide <= f.grid.Size)
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
	// The last mark closes the most: where nothing is late for it, nothing is late.
	if b.Live() > 0 {
		times := localTimes(f.grid, &b.Cols[f.plan.Time], &f.local)
		lo, _ := timeBounds(times, b)
		if !(f.ahead && lo > int64(last)) && lo < f.grid.ClosedBefore(last, f.plan.Lateness) {
			f.out = *b
			f.judge(b, times, before)
			b = &f.out
		}
	}
	f.env.Counters.Used.Add(int64(b.Live()))
	return out.Batch(ctx, b)
}

// judge holds each row against the watermark before it.
func (f *lateFilter) judge(b *stream.Batch, times []int64, before stream.Timestamp) {
	f.marks = resize(f.marks, b.N)
	b.Watermarks(f.marks, before)
	f.keep = f.keep[:0]
	l := &f.late
	l.clear()

	g, lateness := f.grid, f.plan.Lateness
	w := before
	edge := g.ClosedBefore(w, lateness)
	one := len(times) == 1
	take := func(i int) {
		if f.marks[i] != w {
			w = f.marks[i]
			edge = g.ClosedBefore(w, lateness)
		}
		k := i
		if one {
			k = 0
		}
		if times[k] >= edge {
			f.keep = append(f.keep, int32(i))
			return
		}
		start, end := g.Range(times[k])
		l.add(int32(i), g.Time(start+1), int64(g.FiresAt(end))+1, w)
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
		l.Lateness = lateness
		f.env.LateRows(l, b, f.plan.Time)
	}
}

func (f *lateFilter) Finish(context.Context, Output) error { return nil }
func (f *lateFilter) Close() error                         { return nil }
