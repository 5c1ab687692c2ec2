package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// windowAggregate groups rows by tumbling window and keys and sends a window's rows
// when the watermark reaches its last millisecond. With late firing a fired window
// stays for the allowed lateness and a row for it corrects the result at once.
type windowAggregate struct {
	plan    *physical.WindowAggregate
	env     *Env
	retract bool // the input takes rows back
	panes   paneSet
	local   []int64
	times   []int64 // of the batch at hand, as localTimes gives them

	out    windowOutput
	keys   []*stream.Vec
	groups []int32
	iota   []int32
	ids    []int32
	cut    cutter
	hit    []*pane // panes that have rows of the segment at hand

	wideFrom, fewRows int // of an exchange

	touch  func(p *pane, rows expr.Rows) error                             // before rows change groups; may be nil
	closes func(ctx context.Context, p *pane, ord int64, out Output) error // when a window has closed; may be nil
}

func newWindowAggregate(p *physical.WindowAggregate) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &windowAggregate{plan: p}, nil
}

func (o *windowAggregate) Open(_ context.Context, env *Env) error {
	o.env = env
	input := o.plan.Input.Info()
	o.retract = input.Mode != physical.Append
	for _, c := range o.plan.Keys {
		o.panes.keys = append(o.panes.keys, input.Schema.Fields[c].Type)
	}
	o.panes.grid = gridOf(o.plan.Window, o.plan.Input, o.plan.Time, env)
	o.panes.calls, o.panes.seed, o.panes.retract = o.plan.Aggs, env.Seed, o.retract
	o.panes.watermark, o.panes.scratch = stream.MinWatermark, state.NewScratch()
	// A first pane now shows a plan whose aggregates cannot be built before any row.
	first, err := o.panes.make()
	if err != nil {
		return err
	}
	o.panes.release(first)
	o.keys = make([]*stream.Vec, len(o.plan.Keys))
	o.out.init(o.plan, o.panes.grid, env, o.plan.LateFire || o.plan.EarlyFire)
	o.wideFrom, o.fewRows = wideFrom, fewRows
	if env.WideFrom > 0 {
		o.wideFrom, o.fewRows = env.WideFrom, 0
	}
	o.report()
	return env.State.Register("windows", 1, &o.panes)
}

func (o *windowAggregate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
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

func (o *windowAggregate) process(ctx context.Context, b *stream.Batch, out Output) error {
	if err := o.consume(ctx, b, out); err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(b.Live()))
	o.panes.clean(o.plan.Lateness)
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// consume takes the rows and marks of b. Where its last mark reaches neither a
// waiting window nor one that its own rows could open, nothing fires and no row comes
// late: all rows go in at once.
func (o *windowAggregate) consume(ctx context.Context, b *stream.Batch, out Output) error {
	last := b.LastMark(o.panes.watermark)
	o.times = localTimes(o.panes.grid, &b.Cols[o.plan.Time], &o.local)
	lo, hi := timeBounds(o.times, b)
	first := o.panes.next()
	if b.Live() > 0 && (o.panes.grid.Zone != nil || lo <= int64(last)) { // else its last millisecond lies above
		_, end := o.panes.grid.Range(lo)
		first = min(first, o.panes.grid.FiresAt(end))
	}
	if last >= first {
		return o.consumeCut(ctx, b, out)
	}
	if err := o.add(b, expr.Rows{N: b.N, Sel: b.Sel}, lo, hi); err != nil {
		return err
	}
	o.out.forward(b, o.panes.watermark)
	o.panes.watermark = last
	return nil
}

// consumeCut goes through rows and marks in order and stops at each mark that fires
// something and at each row that comes late for a fired window.
func (o *windowAggregate) consumeCut(ctx context.Context, b *stream.Batch, out Output) error {
	o.cut.start(b, o.panes.watermark)
	live := b.Sel
	if live == nil {
		live = o.rowsUpTo(b.N)
	}
	first := o.panes.next() // the next mark that fires, rows in hand included
	done := 0               // live[:done] are in their windows
	var start, end int64
	var at stream.Timestamp // of the last row's window
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
				if err := o.addRange(b, live[done:k]); err != nil {
					return err
				}
				done = k
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
		if t := o.timeOf(live[k]); t < start || t >= end {
			start, end = o.panes.grid.Range(t)
			at = o.panes.grid.FiresAt(end)
		}
		if o.plan.LateFire && at <= o.panes.watermark {
			if err := o.addRange(b, live[done:k]); err != nil {
				return err
			}
			done = k + 1
			if err := o.correct(ctx, b, live[k], start, end, out); err != nil {
				return err
			}
			continue
		}
		first = min(first, at)
	}
	return o.addRange(b, live[done:])
}

// timeOf returns the wall clock time of a row of the batch at hand.
func (o *windowAggregate) timeOf(row int32) int64 {
	if len(o.times) == 1 {
		return o.times[0]
	}
	return o.times[row]
}

// rowsUpTo returns 0..n-1.
func (o *windowAggregate) rowsUpTo(n int) []int32 {
	for len(o.iota) < n {
		o.iota = append(o.iota, int32(len(o.iota)))
	}
	return o.iota[:n]
}

func (o *windowAggregate) addRange(b *stream.Batch, rows []int32) error {
	if len(rows) == 0 {
		return nil
	}
	part := stream.Batch{N: b.N, Sel: rows}
	lo, hi := timeBounds(o.times, &part)
	return o.add(b, expr.Rows{N: b.N, Sel: rows}, lo, hi)
}

// add puts rows, whose times are lo to hi, into their open windows.
func (o *windowAggregate) add(b *stream.Batch, rows expr.Rows, lo, hi int64) error {
	if rows.Len() == 0 {
		return nil
	}
	start, end := o.panes.grid.Range(lo)
	if hi < end {
		p, err := o.panes.open(start, end)
		if err != nil {
			return err
		}
		return o.update(p, b, rows)
	}
	if err := o.spread(rows); err != nil {
		return err
	}
	var err error
	for _, p := range o.hit {
		err = first(err, o.update(p, b, expr.Rows{N: b.N, Sel: p.rows}))
		p.rows = p.rows[:0]
	}
	return err
}

// spread sorts rows by window into the panes' own lists and notes these panes in hit.
func (o *windowAggregate) spread(rows expr.Rows) error {
	o.hit = o.hit[:0]
	sel := rows.Sel
	if sel == nil {
		sel = o.rowsUpTo(rows.N)
	}
	var p *pane
	for _, i := range sel {
		t := o.times[i]
		if p == nil || t < p.start || t >= p.end {
			start, end := o.panes.grid.Range(t)
			var err error
			if p, err = o.panes.open(start, end); err != nil {
				return err
			}
			if len(p.rows) == 0 {
				o.hit = append(o.hit, p)
			}
		}
		p.rows = append(p.rows, i)
	}
	return nil
}

// update accounts rows to one window.
func (o *windowAggregate) update(p *pane, b *stream.Batch, rows expr.Rows) error {
	if p.wide != nil || rows.Len() > o.fewRows && o.widens(p) {
		return o.exchangeRows(p, b, rows)
	}
	for k, c := range o.plan.Keys {
		o.keys[k] = &b.Cols[c]
	}
	o.groups = resize(o.groups, b.N)
	p.table.Find(o.keys, rows, o.groups)
	n := p.table.Len()
	if o.touch != nil {
		if err := o.touch(p, rows); err != nil {
			return Fail(b.Ordinal(firstRow(rows)), err)
		}
	}
	if o.retract {
		p.count(b, o.groups, rows)
	}
	if err := p.aggs.Update(b, o.groups, rows, n); err != nil {
		return failedRow(b, rows, err)
	}
	return nil
}

func firstRow(rows expr.Rows) int {
	if rows.Sel != nil {
		return int(rows.Sel[0])
	}
	return 0
}

// fire sends the rows of all windows that the mark reaches: windows by end, in each
// the groups by first arrival.
func (o *windowAggregate) fire(ctx context.Context, m stream.Mark, out Output) error {
	for len(o.panes.wait) > 0 && o.panes.next() <= m.W {
		p := o.panes.shift()
		o.env.trace.fired(o.panes.grid, p.start, p.end, o.plan.LateFire)
		if p.wide != nil {
			if err := o.fireWide(ctx, p, m, out); err != nil {
				return err
			}
			o.panes.release(p)
			continue
		}
		o.panes.many = false
		ids, n := o.present(p)
		if o.plan.EarlyFire {
			n = 0 // all has been sent row by row
		}
		for from := 0; from < n; from += o.out.size {
			to := min(n, from+o.out.size)
			part := o.part(ids, from, to, n)
			if err := o.out.room(ctx, out, to-from, m.Ord-1); err != nil {
				return err
			}
			if err := o.out.rows(p, part, to-from, stream.Insert, m.Ord); err != nil {
				return o.fail(ctx, out, m.Ord, err)
			}
			if err := out.Poll(ctx); err != nil {
				return err
			}
		}
		if o.closes != nil {
			if err := o.closes(ctx, p, m.Ord, out); err != nil {
				return err
			}
		}
		if o.plan.LateFire {
			o.panes.keep(p)
		} else {
			o.panes.release(p)
		}
	}
	return nil
}

// present returns the n groups of p that have rows (nil: 0..n-1).
func (o *windowAggregate) present(p *pane) (ids []int32, n int) {
	if !o.retract {
		return nil, p.table.Len()
	}
	o.ids = o.ids[:0]
	for g, c := range p.counts {
		if c != 0 {
			o.ids = append(o.ids, int32(g))
		}
	}
	return o.ids, len(o.ids)
}

// part returns some of n groups, in the form of ids, without a list of all of them.
func (o *windowAggregate) part(ids []int32, from, to, n int) []int32 {
	switch {
	case ids != nil:
		return ids[from:to]
	case to-from == n:
		return nil
	}
	o.ids = appendRange(o.ids[:0], from, to-from)
	return o.ids
}

// correct takes one row for a window that has fired and sends what changes: -U and
// +U, +I for a group without a result so far, -D for one that lost its last row,
// nothing if all columns stay equal.
func (o *windowAggregate) correct(ctx context.Context, b *stream.Batch, row int32, start, end int64, out Output) error {
	o.env.trace.corrected(b.Ordinal(int(row)), o.panes.grid, start, end)
	p, err := o.panes.fired(start, end)
	if err != nil {
		return err
	}
	return o.change(ctx, b, row, p, out)
}

// change takes one row for window p and sends what changes.
func (o *windowAggregate) change(ctx context.Context, b *stream.Batch, row int32, p *pane, out Output) error {
	known := p.table.Len()
	g := o.groupOf(p, b, row)
	return o.changeGroup(ctx, b, row, p, g, int(g) < known, out)
}

// groupOf returns the group of a row in p, and lists the row in ids and its group in
// groups.
func (o *windowAggregate) groupOf(p *pane, b *stream.Batch, row int32) int32 {
	o.ids = append(o.ids[:0], row)
	for k, c := range o.plan.Keys {
		o.keys[k] = &b.Cols[c]
	}
	o.groups = resize(o.groups, b.N)
	p.table.Find(o.keys, expr.Rows{N: b.N, Sel: o.ids}, o.groups)
	return o.groups[row]
}

// changeGroup takes the row that groupOf has listed; known says whether its group had
// rows before.
func (o *windowAggregate) changeGroup(ctx context.Context, b *stream.Batch, row int32, p *pane, g int32, known bool, out Output) error {
	ord := b.Ordinal(int(row))
	rows := expr.Rows{N: b.N, Sel: o.ids}
	had := known && (!o.retract || p.counts[g] != 0)
	if had {
		if err := o.out.result(p, g, o.out.old); err != nil {
			return o.fail(ctx, out, ord, err)
		}
	}
	if o.retract {
		p.count(b, o.groups, rows)
	}
	if err := p.aggs.Update(b, o.groups, rows, p.table.Len()); err != nil {
		return o.fail(ctx, out, ord, err)
	}
	has := !o.retract || p.counts[g] != 0
	if !had && !has {
		return nil
	}
	if err := o.out.room(ctx, out, 2, ord-1); err != nil {
		return err
	}
	if !has {
		o.out.previous(p, g, stream.Delete, ord)
		return nil
	}
	if err := o.out.result(p, g, o.out.new); err != nil {
		return o.fail(ctx, out, ord, err)
	}
	o.out.update(p, g, had, ord)
	return nil
}

// fail sends what stands before ordinal ord and returns err as the failure there.
func (o *windowAggregate) fail(ctx context.Context, out Output, ord int64, err error) error {
	if e := o.out.flush(ctx, out, ord-1); e != nil {
		return e
	}
	return Fail(ord, err)
}

// report publishes what waits.
func (o *windowAggregate) report() {
	publish(&o.env.Counters.NextTimer, int64(o.panes.next()))
	publish(&o.env.Counters.OpenRows, o.panes.waiting())
	publish(&o.env.Counters.Windows, int64(len(o.panes.wait)))
}

func (o *windowAggregate) Finish(context.Context, Output) error { return nil }

func (o *windowAggregate) Close() error {
	if o.panes.exchange != nil {
		o.panes.exchange.close()
		o.report()
	}
	return nil
}
