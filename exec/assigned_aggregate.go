package exec

import (
	"context"

	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// assignedAggregate is a windowAggregate whose rows belong to windows of any shape: to
// one that stands in their columns, or to several overlapping ones. It keeps each
// window by itself, so HOP and CUMULATE come here only where single windows send changes: those that
// have fired, for late rows, or all for each row.
type assignedAggregate struct {
	windowAggregate
	slices window.Slices
	wins   []edges // of the row at hand
	delays *delays // nil: nothing fires in periods
}

type edges struct{ start, end int64 }

func newAssignedAggregate(p *physical.WindowAggregate) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &assignedAggregate{windowAggregate: windowAggregate{plan: p}, slices: window.NewSlices(p.Window)}, nil
}

// Open implements Operator.
func (o *assignedAggregate) Open(ctx context.Context, env *Env) error {
	if err := o.windowAggregate.Open(ctx, env); err != nil {
		return err
	}
	if o.delays = newDelays(o); o.delays == nil {
		return nil
	}
	o.touch = func(p *pane, rows expr.Rows) error {
		if o.plan.EarlyDelay == 0 {
			return nil
		}
		return o.delays.touch(p, o.groups, rows, o.plan.EarlyDelay)
	}
	o.closes = func(ctx context.Context, p *pane, ord int64, out Output) error {
		if o.plan.EarlyDelay > 0 {
			p.changes.grow(p.table.Len())
			for g := range p.changes.groups {
				if err := o.sendChange(ctx, p, int32(g), ord, out); err != nil {
					return err
				}
			}
		}
		o.delays.onTime(p)
		return nil
	}
	return env.State.Register("delays", 1, o.delays)
}

func (o *assignedAggregate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.out.begin(b)
	if row := firstNull(&b.Cols[o.plan.Time], b); row >= 0 {
		var front stream.Batch
		ord := b.Ordinal(row)
		if err := o.process(ctx, before(&front, b, ord), out); err != nil {
			return err
		}
		return nullTime(o.plan.Info(), o.plan.Input, o.plan.Time, ord)
	}
	return o.process(ctx, b, out)
}

func (o *assignedAggregate) process(ctx context.Context, b *stream.Batch, out Output) error {
	if err := o.consume(ctx, b, out); err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(b.Live()))
	o.panes.clean(o.plan.Lateness)
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// consume lists rows by window and accounts them when a mark fires something.
func (o *assignedAggregate) consume(ctx context.Context, b *stream.Batch, out Output) error {
	o.times = localTimes(o.panes.grid, &b.Cols[o.plan.Time], &o.local)
	o.cut.start(b, o.panes.watermark)
	o.hit = o.hit[:0]
	live := b.Sel
	if live == nil {
		live = o.rowsUpTo(b.N)
	}
	first := o.panes.next()
	for k := 0; ; k++ {
		limit := int32(b.N)
		if k < len(live) {
			limit = live[k]
		}
		for {
			m, ok := o.cut.next(limit)
			if !ok {
				break
			}
			if m.W >= first {
				if err := o.addListed(b); err != nil {
					return err
				}
				if err := o.fire(ctx, m, out); err != nil {
					return err
				}
				first = o.panes.next()
			}
			o.panes.watermark = m.W
			o.out.mark(m)
		}
		if k == len(live) {
			break
		}
		at, err := o.take(ctx, b, live[k], out)
		if err != nil {
			return err
		}
		first = min(first, at)
	}
	return o.addListed(b)
}

// addListed accounts the listed rows.
func (o *assignedAggregate) addListed(b *stream.Batch) error {
	var err error
	for _, p := range o.hit {
		err = first(err, o.update(p, b, expr.Rows{N: b.N, Sel: p.rows}))
		p.rows = p.rows[:0]
	}
	o.hit = o.hit[:0]
	return err
}

// take lists a row in the windows that have not fired, corrects those that have, and
// returns the first timer of the former.
func (o *assignedAggregate) take(ctx context.Context, b *stream.Batch, row int32, out Output) (stream.Timestamp, error) {
	first := never
	o.assign(b, row)
	for _, w := range o.wins {
		at := o.panes.grid.FiresAt(w.end)
		switch {
		case at > o.panes.watermark:
			p, err := o.panes.open(w.start, w.end)
			if err != nil {
				return 0, err
			}
			first = min(first, at)
			if o.plan.EarlyFire && o.plan.EarlyDelay == 0 {
				if err := o.change(ctx, b, row, p, out); err != nil {
					return 0, err
				}
				continue
			}
			if len(p.rows) == 0 {
				o.hit = append(o.hit, p)
			}
			p.rows = append(p.rows, row)
		case o.plan.LateFire && o.panes.grid.CleanedAt(w.end, o.plan.Lateness) > o.panes.watermark:
			if err := o.takeLate(ctx, b, row, w, out); err != nil {
				return 0, err
			}
		}
	}
	return first, nil
}

// takeLate takes a row for a window that has closed. Where such windows fire in periods,
// a group that was not there in time sends at once all the same, as in Flink.
func (o *assignedAggregate) takeLate(ctx context.Context, b *stream.Batch, row int32, w edges, out Output) error {
	if o.plan.LateDelay == 0 {
		return o.correct(ctx, b, row, w.start, w.end, out)
	}
	o.env.trace.corrected(b.Ordinal(int(row)), o.panes.grid, w.start, w.end)
	p, err := o.panes.fired(w.start, w.end)
	if err != nil {
		return err
	}
	known := p.table.Len()
	g := o.groupOf(p, b, row)
	p.changes.grow(p.table.Len())
	if p.changes.groups[g]&groupOnTime == 0 {
		return o.changeGroup(ctx, b, row, p, g, int(g) < known, out)
	}
	rows := expr.Rows{N: b.N, Sel: o.ids}
	if err := o.delays.touch(p, o.groups, rows, o.plan.LateDelay); err != nil {
		return Fail(b.Ordinal(int(row)), err)
	}
	if o.retract {
		p.count(b, o.groups, rows)
	}
	if err := p.aggs.Update(b, o.groups, rows, p.table.Len()); err != nil {
		return Fail(b.Ordinal(int(row)), err)
	}
	return nil
}

// assign lists the windows of a row, the last one first.
func (o *assignedAggregate) assign(b *stream.Batch, row int32) {
	o.wins = o.wins[:0]
	if o.plan.Window.Kind == window.Attached {
		o.wins = append(o.wins, edges{edgeAt(&b.Cols[o.plan.Columns.Start], row), edgeAt(&b.Cols[o.plan.Columns.End], row)})
		return
	}
	start, end := o.slices.Slice(o.timeOf(row))
	last, longest := o.plan.Window.Range(start)
	if o.plan.Window.Kind == window.Cumulate {
		for ; longest >= end; longest -= o.slices.Interval {
			o.wins = append(o.wins, edges{last, longest})
		}
		return
	}
	for ; last+o.plan.Window.Size >= end; last -= o.slices.Interval {
		o.wins = append(o.wins, edges{last, last + o.plan.Window.Size})
	}
}

// edgeAt returns the edge of a window in a column.
func edgeAt(v *stream.Vec, row int32) int64 { return stream.Values[int64](v)[v.At(int(row))] }

// attachedFilter drops rows whose window, which stands in their columns, is closed.
type attachedFilter struct {
	lateFilter
}

func newAttachedFilter(p *physical.LateFilter) (Operator, error) {
	return &attachedFilter{lateFilter: lateFilter{plan: p, keep: []int32{}}}, nil
}

func (f *attachedFilter) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	before := f.watermark.w
	f.watermark.w = b.LastMark(before)
	cols := append(f.out.Cols[:0], b.Cols...)
	f.out = *b
	f.out.Cols = cols
	f.judgeAttached(b, before)
	f.env.Counters.Used.Add(int64(f.out.Live()))
	return out.Batch(ctx, &f.out)
}

func (f *attachedFilter) judgeAttached(b *stream.Batch, before stream.Timestamp) {
	f.marks = resize(f.marks, b.N)
	b.Watermarks(f.marks, before)
	f.keep = f.keep[:0]
	l := &f.late
	l.clear()
	starts, ends := &b.Cols[f.plan.Columns.Start], &b.Cols[f.plan.Columns.End]
	var last int64
	var closed stream.Timestamp // the window that ends at last is closed from here on
	known := false
	for k := range b.Live() {
		i := int32(liveRow(b, k))
		end := edgeAt(ends, i)
		if !known || end != last {
			last, closed, known = end, f.grid.CleanedAt(end, f.plan.Lateness), true
		}
		if closed > f.marks[i] {
			f.keep = append(f.keep, i)
			continue
		}
		l.add(i, f.grid.Time(edgeAt(starts, i)+1), int64(f.grid.FiresAt(end))+1, f.marks[i])
	}
	if len(l.Rows) > 0 {
		f.out.Sel = f.keep
		l.Lateness = f.plan.Lateness
		f.env.LateRows(l, b, f.plan.Time)
	}
}
