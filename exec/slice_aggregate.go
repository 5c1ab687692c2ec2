package exec

import (
	"context"
	"math"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// sliceAggregate groups rows by HOP or CUMULATE window and keys. A row is accounted
// once, to its slice; windows are put together of slices when they fire.
type sliceAggregate struct {
	plan  *physical.WindowAggregate
	env   *Env
	set   sliceSet
	grid  window.Grid
	local []int64
	times []int64 // of the batch at hand, as localTimes gives them

	out     windowOutput
	window  pane // the edges of the window that fires
	keys    []*stream.Vec
	groups  []int32
	entries []int32
	sel     []int32
	one     []int32
	iota    []int32
	cut     cutter
	hit     []*slice
	late    []int32 // CUMULATE: rows of the window at hand whose slice is in the total
	gaps    bool    // some times lie in no window
}

func newSliceAggregate(p *physical.WindowAggregate) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &sliceAggregate{plan: p, sel: []int32{}}, nil
}

func (o *sliceAggregate) Open(_ context.Context, env *Env) error {
	o.env = env
	input := o.plan.Input.Info()
	s := &o.set
	for _, c := range o.plan.Keys {
		s.keys = append(s.keys, input.Schema.Fields[c].Type)
	}
	o.grid = gridOf(o.plan.Window, o.plan.Input, o.plan.Time, env)
	s.slices = window.NewSlices(o.plan.Window)
	s.ends = s.slices.Ends(o.grid.Zone)
	s.calls, s.seed, s.retract, s.oldest = o.plan.Aggs, env.Seed, input.Mode != physical.Append, o.plan.Legacy
	if err := s.init(); err != nil {
		return err
	}
	o.gaps = s.slices.Interval > s.slices.Size
	o.keys = make([]*stream.Vec, len(o.plan.Keys))
	o.out.init(o.plan, o.grid, env, false)
	o.report()
	return env.State.Register("slices", 1, s)
}

func (o *sliceAggregate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
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

func (o *sliceAggregate) process(ctx context.Context, b *stream.Batch, out Output) error {
	if err := o.consume(ctx, b, out); err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(b.Live()))
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// consume takes the rows and marks of b. Where its last mark fires nothing, its own
// rows included, all rows go in at once.
func (o *sliceAggregate) consume(ctx context.Context, b *stream.Batch, out Output) error {
	before := o.set.watermark
	last := b.LastMark(before)
	o.times = localTimes(o.grid, &b.Cols[o.plan.Time], &o.local)
	first := o.set.next()
	if b.Live() > 0 {
		lo, _ := timeBounds(o.times, b)
		first = min(first, o.timerOf(lo))
	}
	if last >= first {
		return o.consumeCut(ctx, b, out)
	}
	live := b.Sel
	if live == nil {
		live = o.upTo(b.N)
	}
	if err := o.add(b, live); err != nil {
		return err
	}
	o.out.forward(b, before)
	o.set.sync(last)
	return nil
}

// timerOf is the watermark at which the first window that may hold a row with wall
// clock time t fires.
func (o *sliceAggregate) timerOf(t int64) stream.Timestamp {
	_, end := o.set.slices.Slice(t)
	return o.set.timer(o.set.rowEnd(end))
}

// consumeCut goes through rows and marks in order and stops at each mark that fires
// something.
func (o *sliceAggregate) consumeCut(ctx context.Context, b *stream.Batch, out Output) error {
	o.cut.start(b, o.set.watermark)
	live := b.Sel
	if live == nil {
		live = o.upTo(b.N)
	}
	first := o.set.next()
	done := 0 // live[:done] are in their slices
	var start, end int64
	var at stream.Timestamp // of the last row
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
				if err := o.add(b, live[done:k]); err != nil {
					return err
				}
				done = k
				if err := o.fire(ctx, m, out); err != nil {
					return err
				}
				first = o.set.next()
			}
			if m.W >= o.set.doneUntil {
				start, end = 0, 0 // the next row's first window may be another one
			}
			o.set.sync(m.W)
			o.out.mark(m)
		}
		if k == len(live) {
			break
		}
		t := o.timeOf(live[k])
		if t < start || t >= end {
			start, end = o.set.slices.Slice(t)
			at = o.set.timer(o.set.rowEnd(end))
		}
		first = min(first, at)
	}
	return o.add(b, live[done:])
}

// timeOf returns the wall clock time of a row of the batch at hand.
func (o *sliceAggregate) timeOf(row int32) int64 {
	if len(o.times) == 1 {
		return o.times[0]
	}
	return o.times[row]
}

// upTo returns 0..n-1.
func (o *sliceAggregate) upTo(n int) []int32 {
	for len(o.iota) < n {
		o.iota = append(o.iota, int32(len(o.iota)))
	}
	return o.iota[:n]
}

// add puts rows into the entries of their groups and slices.
func (o *sliceAggregate) add(b *stream.Batch, rows []int32) error {
	if o.gaps {
		rows = o.inWindows(rows)
	}
	if len(rows) == 0 {
		return nil
	}
	s := &o.set
	for k, c := range o.plan.Keys {
		o.keys[k] = &b.Cols[c]
	}
	o.groups, o.entries = resize(o.groups, b.N), resize(o.entries, b.N)
	s.table.Find(o.keys, expr.Rows{N: b.N, Sel: rows}, o.groups)
	s.grow()
	if err := o.spread(rows); err != nil {
		return err
	}
	s.arrived += int64(len(rows))
	var fault error
	for _, p := range o.hit {
		err := o.update(b, p)
		p.rows = p.rows[:0]
		s.measure(p)
		if err != nil {
			fault = first(fault, failedRow(b, expr.Rows{N: b.N, Sel: rows}, err))
		}
	}
	if len(o.late) > 0 && fault == nil {
		if err := o.updateTotals(b, o.late); err != nil {
			return failedRow(b, expr.Rows{N: b.N, Sel: rows}, err)
		}
	}
	return fault
}

// inWindows returns the rows that lie in a window.
func (o *sliceAggregate) inWindows(rows []int32) []int32 {
	o.sel = o.sel[:0]
	for _, i := range rows {
		if start, end := o.set.slices.Slice(o.timeOf(i)); o.set.slices.FirstEnd(start, end) != math.MaxInt64 {
			o.sel = append(o.sel, i)
		}
	}
	return o.sel
}

// spread finds the entries of rows and lists the rows by slice.
func (o *sliceAggregate) spread(rows []int32) error {
	s := &o.set
	o.hit, o.late = o.hit[:0], o.late[:0]
	for from := 0; from < len(rows); {
		start, end := s.slices.Slice(o.timeOf(rows[from]))
		to := len(rows)
		if len(o.times) > 1 {
			to = from + 1
			for to < len(rows) && o.times[rows[to]] >= start && o.times[rows[to]] < end {
				to++
			}
		}
		part, arrival := rows[from:to], s.arrived+int64(from)
		from = to
		if s.cumulates() && end <= s.done {
			o.spreadLate(part, arrival)
			continue
		}
		p, err := s.find(start, end)
		if err != nil {
			return err
		}
		if len(p.rows) == 0 {
			o.hit = append(o.hit, p)
		}
		p.rows = append(p.rows, part...)
		if err := o.enter(p, part, arrival); err != nil {
			return err
		}
	}
	return nil
}

// enter finds the entries in p of rows that arrive one after the other.
func (o *sliceAggregate) enter(p *slice, rows []int32, arrival int64) error {
	s := &o.set
	tail, groups, entries := s.tail, o.groups, o.entries
	for k, i := range rows {
		g := groups[i]
		if r := tail[g]; r.slot() == p.slot {
			entries[i] = r.entry()
			continue
		}
		e, err := s.entry(p, g, arrival+int64(k))
		if err != nil {
			return err
		}
		entries[i] = e
	}
	return nil
}

// spreadLate lists rows of the window at hand of CUMULATE whose slice is in the total.
func (o *sliceAggregate) spreadLate(rows []int32, arrival int64) {
	s := &o.set
	for k, i := range rows {
		if g := o.groups[i]; s.live[g] == 0 {
			s.live[g], s.firstBack[g], s.inside = 1, arrival+int64(k), true
			if s.head[g] == 0 {
				s.dead--
			}
		}
		o.late = append(o.late, i)
	}
}

// update accounts the rows listed in p to its entries, and to the totals if p is in
// them already.
func (o *sliceAggregate) update(b *stream.Batch, p *slice) error {
	s := &o.set
	rows := expr.Rows{N: b.N, Sel: p.rows}
	if s.retract {
		countKinds(b, p.rows, o.entries, p.counts)
	}
	for c, a := range p.aggs {
		if len(s.places[c]) == 0 {
			continue
		}
		if err := a.Update(b, o.entries, rows, len(p.groups)); err != nil {
			return err
		}
	}
	if !s.isLate(p) {
		return nil
	}
	if err := o.updateTotals(b, p.rows); err != nil {
		return err
	}
	if len(s.places[stacked]) == 0 {
		return nil
	}
	if !s.isFront(p) {
		return s.back.Update(b, o.groups, rows, s.table.Len())
	}
	return o.updateFront(b, p)
}

// updateTotals accounts rows to the running totals.
func (o *sliceAggregate) updateTotals(b *stream.Batch, rows []int32) error {
	s := &o.set
	if s.retract {
		countKinds(b, rows, o.groups, s.counts)
	}
	return s.running.Update(b, o.groups, expr.Rows{N: b.N, Sel: rows}, s.table.Len())
}

// updateFront accounts the rows listed in p, a slice in front, to the suffixes that
// contain p.
func (o *sliceAggregate) updateFront(b *stream.Batch, p *slice) error {
	s := &o.set
	for _, i := range p.rows {
		o.one = append(o.one[:0], i)
		for r := s.head[o.groups[i]]; r != 0; {
			q := s.bySlot[r.slot()]
			if q.start > p.start {
				break
			}
			o.entries[i] = r.entry()
			if err := q.suffix.Update(b, o.entries, expr.Rows{N: b.N, Sel: o.one}, len(q.groups)); err != nil {
				return err
			}
			r = q.next[r.entry()]
		}
	}
	return nil
}

// countKinds counts rows by group: additions up, retractions down.
func countKinds(b *stream.Batch, rows, groups []int32, counts []int64) {
	for _, i := range rows {
		if b.Kind(int(i)).Retracts() {
			counts[groups[i]]--
		} else {
			counts[groups[i]]++
		}
	}
}

// fire sends the rows of all windows that the mark reaches, by their ends.
func (o *sliceAggregate) fire(ctx context.Context, m stream.Mark, out Output) error {
	s := &o.set
	for {
		end := s.nextEnd()
		if s.timer(end) > m.W || end == math.MaxInt64 {
			return nil
		}
		if err := s.advance(end); err != nil {
			return o.fail(ctx, out, m.Ord, err)
		}
		o.window.start, o.window.end = s.slices.WindowStart(end), end
		due := s.present()
		if len(due) > 0 {
			o.env.trace.fired(o.grid, o.window.start, end, false)
		}
		if err := o.emit(ctx, due, m.Ord, out); err != nil {
			return err
		}
		if err := s.pass(end); err != nil {
			return o.fail(ctx, out, m.Ord, err)
		}
	}
}

// emit sends one row for each of groups.
func (o *sliceAggregate) emit(ctx context.Context, groups []int32, ord int64, out Output) error {
	nk, na := len(o.plan.Keys), len(o.plan.Aggs)
	for len(groups) > 0 {
		part := groups[:min(len(groups), o.out.size)]
		groups = groups[len(part):]
		if err := o.out.room(ctx, out, len(part), ord-1); err != nil {
			return err
		}
		dst := o.out.target()
		results := func() error {
			o.set.table.Keys(part, len(part), dst[:nk])
			return o.set.results(part, dst[nk:nk+na])
		}
		fault := results()
		if fault != nil {
			fault = o.out.ofGroup(fault, dst)
			if part = part[:state.FaultAt(fault, 0)]; len(part) == 0 || results() != nil {
				return o.fail(ctx, out, ord, fault)
			}
		}
		o.out.props(&o.window, len(part), dst[nk+na:])
		o.out.commit(dst, len(part), stream.Insert, ord)
		if fault != nil {
			return o.fail(ctx, out, ord, fault)
		}
		if err := out.Poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fail sends what stands before ordinal ord and returns err as the failure there.
func (o *sliceAggregate) fail(ctx context.Context, out Output, ord int64, err error) error {
	if e := o.out.flush(ctx, out, ord-1); e != nil {
		return e
	}
	return Fail(ord, err)
}

// report publishes what waits.
func (o *sliceAggregate) report() {
	o.env.Counters.NextTimer.Store(int64(o.set.next()))
	o.env.Counters.OpenRows.Store(int64(o.set.table.Len() - o.set.dead))
	o.env.Counters.Windows.Store(int64(len(o.set.open)))
}

func (o *sliceAggregate) Finish(context.Context, Output) error { return nil }
func (o *sliceAggregate) Close() error                         { return nil }
