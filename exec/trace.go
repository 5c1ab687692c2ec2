package exec

import (
	"context"
	"slices"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// tracer reports what each source row does. With one the driver sends rows one by one,
// so that whatever happens until the next row is the doing of this one. A nil tracer
// reports nothing; operators call it only where a window or a late row is concerned.
type tracer struct {
	deliver func(stream.TraceEvent)
	zone    expr.Zone

	event   stream.TraceEvent
	open    bool
	ord     int64 // of the event's row; -1: none
	rows    int64 // numbered so far
	late    bool  // an operator dropped the row
	kept    bool  // as a row of LATE
	merged  bool
	dropped bool                 // by a condition
	shown   []stream.TraceWindow // of a row function: nobody may collect by them
	taken   map[traceKey]int64
	columns map[*node][]string
}

// traceKey is a window as event times.
type traceKey struct{ start, end stream.Timestamp }

func newTracer(cfg GraphConfig) *tracer {
	if cfg.Trace == nil {
		return nil
	}
	return &tracer{deliver: cfg.Trace, zone: cfg.Zone, taken: map[traceKey]int64{}, columns: map[*node][]string{}}
}

// begin starts the event of what the tail of a head sends: a row with its mark, or a
// mark alone.
func (t *tracer) begin(n *node, b *stream.Batch) {
	if b.N == 0 && !b.HasMarks() {
		return
	}
	t.end()
	before := n.traced
	n.traced = b.LastMark(before)
	if b.N == 0 && n.traced == before {
		return
	}
	t.open, t.ord = true, -1
	t.late, t.kept, t.merged, t.dropped, t.shown = false, false, false, false, nil
	if t.columns[n] == nil {
		t.columns[n] = n.plan.Info().Schema.Names()
	}
	t.event = stream.TraceEvent{
		Table: tableBelow(n.plan), Columns: t.columns[n], Before: before, After: n.traced,
	}
	time := timeColumn(n)
	t.event.TimeColumn, t.event.Location = time, locationOf(n.plan, t.zone)
	if b.N == 0 {
		return
	}
	t.rows += int64(b.N)
	t.event.Row = t.rows
	if b.Live() == 0 {
		t.dropped = true
		return
	}
	row := liveRow(b, 0)
	t.ord = b.Ordinal(row)
	t.event.Values, t.event.Nulls = t.texts(b, row)
	if time >= 0 && !b.Cols[time].IsNull(row) {
		t.event.Time = stream.Timestamp(b.Cols[time].Value(row).I)
	}
}

// end delivers the event at hand.
func (t *tracer) end() {
	if t == nil || !t.open {
		return
	}
	t.open = false
	e := &t.event
	if len(e.Windows) == 0 && !t.late {
		e.Windows = t.shown
	}
	switch {
	case e.Row == 0:
	case len(e.Windows) == 0 && t.late && t.kept:
		e.Fate = stream.Late
	case len(e.Windows) == 0 && t.late:
		e.Fate = stream.Dropped
	case t.merged:
		e.Fate = stream.Merged
	case len(e.Windows) > 0:
		e.Fate = stream.InTime
	case t.dropped:
		e.Fate = stream.Filtered
	default:
		e.Fate = stream.Passed
	}
	t.deliver(*e)
	t.event = stream.TraceEvent{}
}

// texts returns a row as CAST AS STRING shows it.
func (t *tracer) texts(b *stream.Batch, row int) ([]string, []bool) {
	texts, nulls := make([]string, len(b.Cols)), make([]bool, len(b.Cols))
	for c := range b.Cols {
		v := &b.Cols[c]
		if nulls[c] = v.IsNull(row); !nulls[c] {
			texts[c] = string(builtin.AppendText(nil, v, row, t.zone))
		}
	}
	return texts, nulls
}

// results notes what the query sends.
func (t *tracer) results(b *stream.Batch) {
	if !t.open {
		return
	}
	for i := range b.Live() {
		row := liveRow(b, i)
		c := stream.TraceChange{Kind: b.Kind(row)}
		c.Values, c.Nulls = t.texts(b, row)
		t.event.Results = append(t.event.Results, c)
	}
}

// take notes the windows to which an operator is about to assign the event's row. The
// rows that a window has sent are no concern of it.
func (t *tracer) take(n *node, b *stream.Batch) {
	if sink, ok := n.plan.(*physical.Sink); ok && sink != nil {
		t.results(b)
		return
	}
	if !t.open || t.ord < 0 {
		return
	}
	for i := range b.Live() {
		if row := liveRow(b, i); b.Ordinal(row) == t.ord {
			t.assign(n, n.plan, b, row)
		}
	}
}

func (t *tracer) assign(n *node, p physical.Node, b *stream.Batch, row int) {
	switch p := p.(type) {
	case *physical.LateRows:
		t.assign(n, p.Judge, b, row)
	case *physical.LateFilter:
		if _, judge := n.plan.(*physical.LateRows); judge {
			t.spread(n, p.Window, p.Columns, p.Input, p.Time, p.Lateness, b, row)
		}
	case *physical.WindowAggregate:
		t.spread(n, p.Window, p.Columns, p.Input, p.Time, p.Lateness, b, row)
	case *physical.WindowTVF:
		if len(t.event.Windows) == 0 {
			t.spread(n, p.Window, physical.WindowColumns{}, p.Input, p.Time, maxLateness, b, row)
			t.shown, t.event.Windows = t.event.Windows, nil
		}
	case *physical.WindowRank:
		t.attached(n, p.Window, b, row)
	case *physical.WindowDeduplicate:
		t.attached(n, p.Window, b, row)
	}
}

// maxLateness makes no window too late: row functions know no lateness.
const maxLateness = 1 << 61

// spread notes the windows of a grid; sessions report theirs themselves.
func (t *tracer) spread(n *node, w window.Spec, c physical.WindowColumns, input physical.Node, time int, lateness int64, b *stream.Batch, row int) {
	if w.Kind == window.Attached {
		t.columnsAt(attachedGrid(c, &n.env), c, n.wm, lateness, b, row)
		return
	}
	if w.Kind == window.Session || b.Cols[time].IsNull(row) {
		return
	}
	g := gridOf(w, input, time, &n.env)
	at := b.Cols[time].Value(row).I
	if g.Zone != nil {
		at += g.Zone.Offset(at)
	}
	take := func(start, end int64) {
		if lateness == maxLateness || g.CleanedAt(end, lateness) > n.wm {
			t.into(g, start, end, lateness != maxLateness)
		}
	}
	first, last := g.Range(at)
	switch w.Kind {
	case window.Cumulate:
		for end := window.Start(at, w.Offset, w.Slide) + w.Slide; end <= last; end += w.Slide {
			take(first, end)
		}
	case window.Hop:
		for from := window.Start(at-w.Size, w.Offset, w.Slide) + w.Slide; from <= at; from += w.Slide {
			take(from, from+w.Size)
		}
	default:
		take(first, last)
	}
}

// attached notes the window that stands in a row's columns.
func (t *tracer) attached(n *node, c physical.WindowColumns, b *stream.Batch, row int) {
	t.columnsAt(attachedGrid(c, &n.env), c, n.wm, 0, b, row)
}

func (t *tracer) columnsAt(g window.Grid, c physical.WindowColumns, w stream.Timestamp, lateness int64, b *stream.Batch, row int) {
	start, end := edgeAt(&b.Cols[c.Start], int32(row)), edgeAt(&b.Cols[c.End], int32(row))
	if g.CleanedAt(end, lateness) > w {
		t.into(g, start, end, true)
	}
}

// into notes that the event's row went to a window.
func (t *tracer) into(g window.Grid, start, end int64, counted bool) {
	w := traceWindow(g, start, end)
	for _, known := range t.event.Windows {
		if known.Start == w.Start && known.End == w.End {
			return
		}
	}
	if counted {
		k := traceKey{w.Start, w.End}
		t.taken[k]++
		w.Rows = t.taken[k]
	}
	t.event.Windows = append(t.event.Windows, w)
}

// joined notes that a row, by ordinal, went to a window.
func (t *tracer) joined(ord int64, g window.Grid, start, end int64, counted bool) {
	if t != nil && t.open && ord == t.ord {
		t.into(g, start, end, counted)
	}
}

// fired notes that the results of a window come out; stays says that late rows may
// still correct them.
func (t *tracer) fired(g window.Grid, start, end int64, stays bool) {
	if t == nil || !t.open {
		return
	}
	w := traceWindow(g, start, end)
	if slices.ContainsFunc(t.event.Fired, func(f stream.TraceWindow) bool { return f.Start == w.Start && f.End == w.End }) {
		return
	}
	k := traceKey{w.Start, w.End}
	w.Rows = t.taken[k]
	if !stays {
		delete(t.taken, k)
	}
	t.event.Fired = append(t.event.Fired, w)
}

// corrected notes that the event's row went to a window that has fired.
func (t *tracer) corrected(ord int64, g window.Grid, start, end int64) {
	if t != nil && t.open && ord == t.ord {
		t.merged = true
		t.fired(g, start, end, true)
	}
}

// lateRows notes that the event's row is dropped as late.
func (t *tracer) lateRows(l *LateRows, kept bool) {
	if t == nil || !t.open {
		return
	}
	for k, row := range l.Rows {
		if l.Batch.Ordinal(int(row)) == t.ord {
			t.late, t.kept = true, t.kept || kept
			t.event.Missed = append(t.event.Missed, stream.TraceWindow{Start: stream.Timestamp(l.Start[k]), End: stream.Timestamp(l.End[k])})
		}
	}
}

// sent looks at what an operator sends: a row that a filter dropped.
func (t *tracer) sent(n *node, b *stream.Batch) {
	if _, ok := n.op.(*filter); ok && t.open && b.N > 0 && b.Live() == 0 && b.Ordinal(0) == t.ord {
		t.dropped = true
	}
}

func traceWindow(g window.Grid, start, end int64) stream.TraceWindow {
	return stream.TraceWindow{Start: stream.Timestamp(g.Time(start + 1)), End: g.FiresAt(end) + 1}
}

// timeColumn is the event-time column of what the tail of a head sends, or -1.
func timeColumn(n *node) int {
	if w, ok := n.op.(*watermarkAssigner); ok {
		return w.time
	}
	for i, f := range n.plan.Info().Schema.Fields {
		if f.Time == stream.Rowtime && (f.Type.Kind == types.Timestamp || f.Type.Kind == types.TimestampLTZ) {
			return i
		}
	}
	return -1
}

// tableBelow returns the table that a chain reads.
func tableBelow(p physical.Node) string {
	for len(p.Inputs()) == 1 {
		p = p.Inputs()[0]
	}
	return tableOf(p)
}

// pushRows is push with a tracer: row by row.
func (g *Graph) pushRows(ctx context.Context, head int, at *node, b *stream.Batch) error {
	if b.N <= 1 {
		return g.pushBatch(ctx, head, at, b)
	}
	var one stream.Batch
	var cut cutter
	cut.start(b, stream.MinWatermark)
	for i := range b.N {
		copyRange(&one, b, i, i+1)
		one.Base, one.Thru = b.Ordinal(i), b.Ordinal(i)+1
		for {
			m, ok := cut.next(int32(i + 1))
			if !ok {
				break
			}
			m.Pos -= int32(i)
			one.Marks = append(one.Marks, m)
		}
		if i == b.N-1 {
			one.Thru = b.Thru
		}
		if err := g.pushBatch(ctx, head, at, &one); err != nil {
			return err
		}
	}
	return nil
}
