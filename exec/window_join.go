package exec

import (
	"context"
	"math"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// windowJoin keeps the rows of both inputs until the watermark of both passes their
// window, and then joins the window's rows. Rows and marks of the two inputs are taken
// by ordinal, then port, so that what is late does not depend on how they are cut.
type windowJoin struct {
	plan  *physical.WindowJoin
	env   *Env
	sides [2]joinSide
	list  windowList[*joinPane]
	away  idleness
	table partitionKeys // of both sides

	out   firing
	match joinMatch
	hit   []*openWindow[*joinPane]
}

// joinSide is one input: what has come of it and may still be preceded by something of
// the other, and where the work in its first batch stands.
type joinSide struct {
	queue    *merger // with one port
	window   physical.WindowColumns
	keys     []int
	columns  []types.Type
	inputs   []*stream.Vec
	ends     edgeColumn // of the first batch
	starts   edgeColumn
	begun    bool    // ends and starts are set
	rows     []int32 // of the first batch, met but not in their windows yet
	late     LateRows
	ids      []int32
	scratch  []int32
	nullable []int // keys in which a NULL matches nothing
}

func (s *joinSide) port() *mergePort { return &s.queue.ports[0] }

func newWindowJoin(p *physical.WindowJoin) (Operator, error) {
	if len(p.LeftKeys) != len(p.RightKeys) || len(p.LeftKeys) != len(p.NullSafe) {
		return nil, badPlan(p, "%d and %d keys", len(p.LeftKeys), len(p.RightKeys))
	}
	o := &windowJoin{plan: p, away: newIdleness(2)}
	for i, in := range p.Inputs() {
		s := &o.sides[i]
		s.queue = newMerger(1, in.Info().Schema)
		s.columns = columnTypes(in)
		s.late.Port = i
	}
	o.sides[0].window, o.sides[0].keys = p.LeftWindow, p.LeftKeys
	o.sides[1].window, o.sides[1].keys = p.RightWindow, p.RightKeys
	return o, nil
}

// Open implements Operator.
func (o *windowJoin) Open(_ context.Context, env *Env) error {
	o.env = env
	o.table.init(o.plan.Left, o.plan.LeftKeys, env)
	for i := range o.sides {
		s := &o.sides[i]
		s.inputs = make([]*stream.Vec, len(s.keys))
		for k, safe := range o.plan.NullSafe {
			if !safe {
				s.nullable = append(s.nullable, s.keys[k])
			}
		}
		if err := env.State.Register([...]string{"left", "right"}[i], 1, s.queue); err != nil {
			return err
		}
	}
	o.list = windowList[*joinPane]{grid: attachedGrid(o.plan.LeftWindow, env), make: o.pane, watermark: stream.MinWatermark}
	o.out.init(o.plan.Schema, env.BatchSize)
	if err := o.match.init(o); err != nil {
		return err
	}
	o.report()
	return env.State.Register("windows", 1, &o.list)
}

// ProcessBatch implements Operator.
func (o *windowJoin) ProcessBatch(ctx context.Context, port int, b *stream.Batch, out Output) error {
	o.env.Counters.Used.Add(int64(b.Live()))
	o.out.begin(b.Base)
	q := o.sides[port].queue
	p := &q.ports[0]
	before := o.thru()
	p.thru = b.Thru
	if b.N > 0 || b.HasMarks() {
		p.queue = append(p.queue, mergeItem{b: p.borrow(b), borrowed: true})
	}
	thru := o.thru()
	if err := o.advance(ctx, thru, out); err != nil {
		return err
	}
	q.keep(p)
	o.report()
	if o.out.batch.N == 0 && len(o.out.batch.Marks) == 0 && thru == before {
		return nil
	}
	return o.out.flush(ctx, out, thru)
}

// thru returns the ordinal up to which both inputs have delivered.
func (o *windowJoin) thru() int64 {
	return min(o.sides[0].port().thru, o.sides[1].port().thru)
}

// advance takes what has an ordinal up to thru. Where that closes no window and brings
// no late row, all rows go in at once.
func (o *windowJoin) advance(ctx context.Context, thru int64, out Output) error {
	last, whole := o.ahead(thru)
	var err error
	if whole && o.away.away == 0 && last < o.earliest() {
		for i := range o.sides {
			o.takeAll(i)
		}
		o.mergeMarks()
	} else {
		err = o.step(ctx, thru, out)
	}
	for i := range o.sides {
		o.put(i)
		o.sides[i].queue.recycle()
	}
	o.env.Counters.Watermark.Store(int64(o.list.watermark))
	return err
}

// ahead returns the watermark after everything that waits, and whether all of that has
// an ordinal up to thru.
func (o *windowJoin) ahead(thru int64) (stream.Timestamp, bool) {
	w := stream.MaxWatermark
	for i := range o.sides {
		p := o.sides[i].port()
		last := p.wm
		for k := range p.queue {
			b := p.queue[k].b
			if n := b.Live(); n > 0 && b.Ordinal(liveRow(b, n-1)) > thru {
				return 0, false
			}
			if n := len(b.Marks); n > 0 {
				if b.Marks[n-1].Ord > thru {
					return 0, false
				}
				last = b.LastMark(last)
			}
		}
		w = min(w, last)
	}
	return w, true
}

// earliest returns when the first window closes, those of the waiting rows included.
func (o *windowJoin) earliest() stream.Timestamp {
	end := int64(math.MaxInt64)
	for i := range o.sides {
		s := &o.sides[i]
		for k := range s.port().queue {
			t := &s.port().queue[k]
			ends := edgesOf(&t.b.Cols[s.window.End])
			for r := t.row; r < t.b.Live(); r++ {
				end = min(end, ends.of(int32(liveRow(t.b, r))))
			}
		}
	}
	if end == math.MaxInt64 {
		return o.list.next()
	}
	return min(o.list.next(), o.list.grid.FiresAt(end))
}

// takeAll puts all waiting rows of a side into their windows. The marks stay.
func (o *windowJoin) takeAll(side int) {
	s := &o.sides[side]
	for k := range s.port().queue {
		t := &s.port().queue[k]
		s.rows = s.rows[:0]
		for ; t.row < t.b.Live(); t.row++ {
			s.rows = append(s.rows, int32(liveRow(t.b, t.row)))
		}
		o.add(side, t.b, s.rows)
	}
	s.rows = s.rows[:0]
}

// mergeMarks takes all waiting marks, which close nothing, and forwards the rises of
// the minimum.
func (o *windowJoin) mergeMarks() {
	for {
		side, ord, _, ok := o.first()
		if !ok {
			return
		}
		p := o.sides[side].port()
		t := &p.queue[0]
		p.wm = max(p.wm, t.b.Marks[t.mark].W)
		t.mark++
		if w := o.minimum(); w > o.list.watermark {
			o.list.watermark = w
			o.out.mark(ord, w)
		}
	}
}

// minimum returns the watermark of both inputs.
func (o *windowJoin) minimum() stream.Timestamp {
	if o.away.away > 0 {
		return o.away.least(o.portWatermark, o.list.watermark)
	}
	return min(o.sides[0].port().wm, o.sides[1].port().wm)
}

// first returns the side whose next row or mark comes first.
func (o *windowJoin) first() (side int, ord int64, isMark, ok bool) {
	for i := range o.sides {
		at, mark, has := o.peek(i)
		if has && (!ok || at < ord) {
			side, ord, isMark, ok = i, at, mark, true
		}
	}
	return side, ord, isMark, ok
}

// peek returns the next row or mark of a side, dropping batches that are used up.
func (o *windowJoin) peek(side int) (ord int64, isMark, ok bool) {
	s := &o.sides[side]
	p := s.port()
	for len(p.queue) > 0 {
		t := &p.queue[0]
		if ord, isMark, ok = t.next(); ok {
			return ord, isMark, true
		}
		o.put(side)
		if !t.borrowed {
			s.queue.spent = append(s.queue.spent, t.b)
		}
		p.queue = p.queue[:copy(p.queue, p.queue[1:])]
	}
	return 0, false, false
}

// step goes through rows and marks in order and joins at each mark that closes a
// window.
func (o *windowJoin) step(ctx context.Context, thru int64, out Output) error {
	first := o.list.next() // the next watermark that closes a window, rows in hand included
	end, at := int64(0), stream.MinWatermark
	for {
		side, ord, isMark, ok := o.first()
		if !ok || ord > thru {
			return nil
		}
		s := &o.sides[side]
		p := s.port()
		t := &p.queue[0]
		if !isMark {
			row := int32(liveRow(t.b, t.row))
			t.row++
			if !s.begun {
				s.starts, s.ends, s.begun = edgesOf(&t.b.Cols[s.window.Start]), edgesOf(&t.b.Cols[s.window.End]), true
			}
			if e := s.ends.of(row); e != end || at == stream.MinWatermark {
				end, at = e, o.list.grid.FiresAt(e)
			}
			if at <= o.list.watermark {
				s.drop(row, o.list.grid.Time(s.starts.of(row)+1), at, o.list.watermark)
				continue
			}
			s.rows = append(s.rows, row)
			first = min(first, at)
			continue
		}
		p.wm = max(p.wm, t.b.Marks[t.mark].W)
		t.mark++
		w := o.minimum()
		if w <= o.list.watermark {
			continue
		}
		if w >= first {
			o.put(0)
			o.put(1)
			if err := o.fire(ctx, ord, w, out); err != nil {
				return err
			}
			first = o.list.next()
		}
		o.list.watermark = w
		o.out.mark(ord, w)
	}
}

// drop notes a late row of the first batch whose window started at start and closed at
// watermark at.
func (s *joinSide) drop(row int32, start int64, at, w stream.Timestamp) {
	s.late.add(row, start, int64(at)+1, w)
}

// put brings the rows of a side that were met to their windows, and reports the late
// ones.
func (o *windowJoin) put(side int) {
	s := &o.sides[side]
	if len(s.port().queue) > 0 {
		b := s.port().queue[0].b
		o.add(side, b, s.rows)
		if l := &s.late; len(l.Rows) > 0 {
			o.env.Counters.Used.Add(-int64(len(l.Rows)))
			o.env.LateRows(l, b, s.window.Time)
		}
	}
	s.late.clear()
	s.rows, s.begun = s.rows[:0], false
}

// add puts rows into their windows.
func (o *windowJoin) add(side int, b *stream.Batch, rows []int32) {
	if len(rows) == 0 {
		return
	}
	s := &o.sides[side]
	starts, ends := edgesOf(&b.Cols[s.window.Start]), edgesOf(&b.Cols[s.window.End])
	w := o.list.find(starts.of(rows[0]), ends.of(rows[0]))
	o.hit = o.hit[:0]
	for _, r := range rows {
		if from, to := starts.of(r), ends.of(r); w.start != from || w.end != to {
			w = o.list.find(from, to)
		}
		if len(w.rows) == 0 {
			o.hit = append(o.hit, w)
		}
		w.rows = append(w.rows, r)
		if o.env.trace != nil {
			o.env.trace.joined(b.Ordinal(int(r)), o.list.grid, w.start, w.end, true)
		}
	}
	for _, w := range o.hit {
		w.pane.add(side, b, w.rows)
		w.rows = w.rows[:0]
		o.list.account(w)
	}
}

// fire joins all windows that a mark closes.
func (o *windowJoin) fire(ctx context.Context, ord int64, w stream.Timestamp, out Output) error {
	for len(o.list.open) > 0 && o.list.next() <= w {
		win := o.list.shift()
		o.env.trace.fired(o.list.grid, win.start, win.end, false)
		if err := o.match.run(ctx, win.pane, ord, out); err != nil {
			return err
		}
		o.list.release(win)
	}
	return nil
}

// report publishes what waits.
func (o *windowJoin) report() {
	o.env.Counters.NextTimer.Store(int64(o.list.next()))
	o.env.Counters.OpenRows.Store(o.list.Rows())
	o.env.Counters.Windows.Store(int64(len(o.list.open)))
}

// Finish implements Operator.
func (o *windowJoin) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *windowJoin) Close() error { return nil }

// joinPane is the rows of one window. Row i of a side is the i-th that arrived.
type joinPane struct {
	op    *windowJoin
	table *state.Table
	rows  [2]*state.RowStore
	// groups holds for each row of a side the group of its key; -1: a NULL that matches
	// nothing.
	groups [2][]int32
}

func (o *windowJoin) pane() *joinPane {
	return &joinPane{op: o, table: o.table.table(), rows: [2]*state.RowStore{state.NewRowStore(o.sides[0].columns), state.NewRowStore(o.sides[1].columns)}}
}

func (p *joinPane) add(side int, b *stream.Batch, rows []int32) {
	s := &p.op.sides[side]
	for i, c := range s.keys {
		s.inputs[i] = &b.Cols[c]
	}
	s.scratch = resize(s.scratch, b.N)
	p.table.Find(s.inputs, expr.Rows{N: b.N, Sel: rows}, s.scratch)
	for _, c := range s.nullable {
		if v := &b.Cols[c]; v.Valid != nil || v.Type.Kind == types.Null {
			for _, r := range rows {
				if v.IsNull(int(r)) {
					s.scratch[r] = -1
				}
			}
		}
	}
	s.ids = s.ids[:0]
	for _, r := range rows {
		p.groups[side] = append(p.groups[side], s.scratch[r])
		s.ids = append(s.ids, p.rows[side].New())
	}
	p.rows[side].Put(b.Cols, rows, s.ids)
}

func (p *joinPane) size() (rows, bytes int64) {
	bytes = p.table.Bytes()
	for i, r := range p.rows {
		rows += int64(r.Len())
		bytes += r.Bytes() + int64(cap(p.groups[i]))*4
	}
	return rows, bytes
}

func (p *joinPane) reset() {
	p.table.Reset()
	for i := range p.rows {
		p.rows[i].Reset()
		p.groups[i] = p.groups[i][:0]
	}
}

func (p *joinPane) snapshot(e *stream.Encoder) {
	p.table.Snapshot(e)
	for i, groups := range p.groups {
		e.Uint64(uint64(len(groups)))
		for k, g := range groups {
			e.Int64(int64(g))
			p.rows[i].SnapshotRow(e, int32(k))
		}
	}
}

func (p *joinPane) restore(d *stream.Decoder) error {
	if err := p.table.Restore(d); err != nil {
		return err
	}
	for i := range p.groups {
		for range d.Count(8) {
			p.groups[i] = append(p.groups[i], int32(d.Int64()))
			p.rows[i].RestoreRow(d)
		}
	}
	return d.Err()
}
