package exec

import (
	"context"
	"sort"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// attachedGrid returns what says when windows fire whose start and end stand in
// columns.
func attachedGrid(w physical.WindowColumns, env *Env) window.Grid {
	var g window.Grid
	if w.Local && env.Zone != nil && env.Zone.Name() != "UTC" {
		g.Zone = env.Zone
	}
	return g
}

// windowPane is what an operator keeps of one window.
type windowPane interface {
	size() (rows, bytes int64)
	reset()
	snapshot(e *stream.Encoder)
	restore(d *stream.Decoder) error
}

// rowPane keeps what is to be sent of one window.
type rowPane interface {
	windowPane
	// add takes rows of the window, in order.
	add(b *stream.Batch, rows []int32)
	// finish puts the rows to be sent in order and returns how many there are.
	finish() int
	// write makes Flat vectors of rows [from, to) of that order.
	write(from, to int, out []stream.Vec)
}

// openWindow is a window that waits for its end.
type openWindow[P windowPane] struct {
	start, end int64
	at         stream.Timestamp // the watermark that closes it
	pane       P
	rows       []int32  // scratch: rows of the segment at hand
	held       [2]int64 // rows and bytes that are accounted for it
}

// windowList is the declared state of operators that keep rows of windows: the open
// ones by end and start, and the watermark.
type windowList[P windowPane] struct {
	grid      window.Grid
	make      func() P
	watermark stream.Timestamp
	open      []*openWindow[P]
	pool      []*openWindow[P]
	held      [2]int64 // rows and bytes of all, the pool included
}

// account brings the size of a window into the sum. It is called when the window has
// changed, so that knowing the sum does not mean to go through all windows.
func (l *windowList[P]) account(w *openWindow[P]) {
	rows, bytes := w.pane.size()
	bytes += int64(cap(w.rows)) * 4
	l.held[0] += rows - w.held[0]
	l.held[1] += bytes - w.held[1]
	w.held = [2]int64{rows, bytes}
}

// next is the watermark at which the next window closes.
func (l *windowList[P]) next() stream.Timestamp {
	if len(l.open) == 0 {
		return never
	}
	return l.open[0].at
}

// find returns the window [start, end), making it on first use.
func (l *windowList[P]) find(start, end int64) *openWindow[P] {
	n := len(l.open)
	before := func(i int) bool {
		w := l.open[i]
		return w.end < end || w.end == end && w.start < start
	}
	i := n
	for i > 0 && n-i < 4 && !before(i-1) { // rows mostly fall into the newest windows
		i--
	}
	if i > 0 && !before(i-1) {
		i = sort.Search(i, func(k int) bool { return !before(k) })
	}
	if i < n && l.open[i].start == start && l.open[i].end == end {
		return l.open[i]
	}
	w := l.take()
	w.start, w.end, w.at = start, end, l.grid.FiresAt(end)
	l.open = append(l.open, nil)
	copy(l.open[i+1:], l.open[i:])
	l.open[i] = w
	return w
}

func (l *windowList[P]) take() *openWindow[P] {
	if n := len(l.pool); n > 0 {
		w := l.pool[n-1]
		l.pool = l.pool[:n-1]
		return w
	}
	return &openWindow[P]{pane: l.make()}
}

// shift removes the window that closes first.
func (l *windowList[P]) shift() *openWindow[P] {
	w := l.open[0]
	n := copy(l.open, l.open[1:])
	l.open[n] = nil
	l.open = l.open[:n]
	return w
}

// release takes back a window that is over.
func (l *windowList[P]) release(w *openWindow[P]) {
	if len(l.pool) < poolSize {
		w.pane.reset()
		l.account(w)
		l.pool = append(l.pool, w)
		return
	}
	l.held[0] -= w.held[0]
	l.held[1] -= w.held[1]
}

// Rows is the number of rows kept.
func (l *windowList[P]) Rows() int64 { return l.held[0] }

// Bytes is the memory held, that of windows kept for reuse included.
func (l *windowList[P]) Bytes() int64 { return l.held[1] }

// Snapshot writes the watermark and the open windows.
func (l *windowList[P]) Snapshot(e *stream.Encoder) {
	e.Int64(int64(l.watermark))
	e.Uint64(uint64(len(l.open)))
	for _, w := range l.open {
		e.Int64(w.start)
		e.Int64(w.end)
		w.pane.snapshot(e)
	}
}

// Restore reads them.
func (l *windowList[P]) Restore(d *stream.Decoder) error {
	l.watermark = stream.Timestamp(d.Int64())
	for range d.Count(16) {
		start, end := d.Int64(), d.Int64()
		w := l.find(start, end)
		if err := w.pane.restore(d); err != nil {
			return err
		}
		l.account(w)
	}
	return d.Err()
}

// windowRows is an operator with one input that keeps rows of windows until they
// close. What it keeps of them is the business of its panes.
type windowRows struct {
	node   *physical.Base
	window physical.WindowColumns
	list   windowList[rowPane]
	env    *Env

	out  firing
	cut  cutter
	iota []int32
	hit  []*openWindow[rowPane]
	late LateRows
}

func (o *windowRows) open(env *Env, makePane func() rowPane) error {
	o.env = env
	o.list = windowList[rowPane]{grid: attachedGrid(o.window, env), make: makePane, watermark: stream.MinWatermark}
	o.out.init(o.node.Schema, env.BatchSize)
	o.report()
	return env.State.Register("windows", 1, &o.list)
}

// ProcessBatch implements Operator.
func (o *windowRows) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.out.begin(b.Base)
	if err := o.consume(ctx, b, out); err != nil {
		return err
	}
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// consume takes the rows and marks of b. Where its last mark reaches neither an open
// window nor one that its own rows open, nothing closes and no row comes late: all
// rows go in at once.
func (o *windowRows) consume(ctx context.Context, b *stream.Batch, out Output) error {
	last := b.LastMark(o.list.watermark)
	live := b.Sel
	if live == nil {
		live = o.rowsUpTo(b.N)
	}
	first := o.list.next()
	ends := edgesOf(&b.Cols[o.window.End])
	if len(live) > 0 {
		first = min(first, o.list.grid.FiresAt(ends.least(live)))
	}
	if last >= first {
		return o.consumeCut(ctx, b, live, out)
	}
	o.add(b, live)
	o.cut.start(b, o.list.watermark)
	for {
		m, ok := o.cut.next(int32(b.N))
		if !ok {
			break
		}
		o.out.mark(m.Ord, m.W)
	}
	o.list.watermark = last
	o.env.Counters.Used.Add(int64(len(live)))
	return nil
}

// consumeCut goes through rows and marks in order and stops at each mark that closes a
// window.
func (o *windowRows) consumeCut(ctx context.Context, b *stream.Batch, live []int32, out Output) error {
	o.cut.start(b, o.list.watermark)
	starts, ends := edgesOf(&b.Cols[o.window.Start]), edgesOf(&b.Cols[o.window.End])
	l := &o.late
	l.clear()
	first := o.list.next() // the next mark that closes a window, rows in hand included
	done := 0              // live[:done] are in their windows
	end := int64(0)
	at := stream.MinWatermark // when a window that ends at end closes
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
				o.add(b, live[done:k])
				done = k
				if err := o.fire(ctx, m, out); err != nil {
					return err
				}
				first = o.list.next()
			}
			o.list.watermark = m.W
			o.out.mark(m.Ord, m.W)
		}
		if k == len(live) {
			break
		}
		row := live[k]
		if e := ends.of(row); e != end || at == stream.MinWatermark {
			end, at = e, o.list.grid.FiresAt(e)
		}
		if at <= o.list.watermark {
			o.add(b, live[done:k])
			done = k + 1
			l.add(row, o.list.grid.Time(starts.of(row)+1), int64(at)+1, o.list.watermark)
			continue
		}
		first = min(first, at)
	}
	o.add(b, live[done:])
	o.env.Counters.Used.Add(int64(len(live) - len(l.Rows)))
	o.env.LateRows(l, b, o.window.Time)
	return nil
}

// add puts rows into their windows.
func (o *windowRows) add(b *stream.Batch, rows []int32) {
	if len(rows) == 0 {
		return
	}
	starts, ends := edgesOf(&b.Cols[o.window.Start]), edgesOf(&b.Cols[o.window.End])
	w := o.list.find(starts.of(rows[0]), ends.of(rows[0]))
	o.hit = o.hit[:0]
	for _, r := range rows {
		if s, e := starts.of(r), ends.of(r); w.start != s || w.end != e {
			w = o.list.find(s, e)
		}
		if len(w.rows) == 0 {
			o.hit = append(o.hit, w)
		}
		w.rows = append(w.rows, r)
	}
	for _, w := range o.hit {
		w.pane.add(b, w.rows)
		w.rows = w.rows[:0]
		o.list.account(w)
	}
}

// fire sends the rows of all windows that the mark closes.
func (o *windowRows) fire(ctx context.Context, m stream.Mark, out Output) error {
	for len(o.list.open) > 0 && o.list.next() <= m.W {
		w := o.list.shift()
		o.env.trace.fired(o.list.grid, w.start, w.end, false)
		n := w.pane.finish()
		for from := 0; from < n; from += o.out.size {
			to := min(n, from+o.out.size)
			if err := o.out.room(ctx, out, to-from, m.Ord-1); err != nil {
				return err
			}
			w.pane.write(from, to, o.out.target())
			o.out.commit(to-from, m.Ord)
			if err := out.Poll(ctx); err != nil {
				return err
			}
		}
		o.list.release(w)
	}
	return nil
}

// rowsUpTo returns 0..n-1.
func (o *windowRows) rowsUpTo(n int) []int32 {
	for len(o.iota) < n {
		o.iota = append(o.iota, int32(len(o.iota)))
	}
	return o.iota[:n]
}

// report publishes what waits.
func (o *windowRows) report() {
	o.env.Counters.NextTimer.Store(int64(o.list.next()))
	o.env.Counters.OpenRows.Store(o.list.Rows())
	o.env.Counters.Windows.Store(int64(len(o.list.open)))
}

// Finish implements Operator.
func (o *windowRows) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *windowRows) Close() error { return nil }

// edgeColumn reads the starts or ends of windows.
type edgeColumn struct {
	vals []int64
	one  bool
}

func edgesOf(v *stream.Vec) edgeColumn {
	return edgeColumn{stream.Values[int64](v), v.Enc == stream.Const}
}

func (c edgeColumn) of(row int32) int64 {
	if c.one {
		return c.vals[0]
	}
	return c.vals[row]
}

// least returns the least value of some rows.
func (c edgeColumn) least(rows []int32) int64 {
	m := c.of(rows[0])
	if c.one {
		return m
	}
	for _, r := range rows {
		m = min(m, c.vals[r])
	}
	return m
}
