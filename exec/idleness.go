package exec

import (
	"context"
	"math"

	"streamsql/stream"
)

// idler is an operator with several ports: one that is idle leaves the minimum of the
// watermarks. Status tells it that a port is idle or active again, at an ordinal up to
// which all ports have delivered. It returns whether its output changes its status too.
type idler interface {
	Status(ctx context.Context, port int, c stream.Control, out Output) (changed bool, err error)
}

// idleness is which ports of an operator take no part in its watermark.
type idleness struct {
	idle   []bool
	behind []bool // active again, with a watermark below the one that was sent meanwhile
	away   int    // ports that are one of these
	told   bool   // the output is idle
}

func newIdleness(ports int) idleness {
	return idleness{idle: make([]bool, ports), behind: make([]bool, ports)}
}

// least returns the watermark of the operator, given those of its ports and the one
// that was sent: the least of the ports that take part. A port that has caught up takes
// part again. Where none is left the watermark stays, even if some ports have ended:
// the idle ones may still send rows.
func (s *idleness) least(wm func(port int) stream.Timestamp, sent stream.Timestamp) stream.Timestamp {
	least, ended := stream.MaxWatermark, true
	for i := range s.idle {
		w := wm(i)
		if w == stream.MaxWatermark {
			continue
		}
		ended = false
		if s.behind[i] && w >= sent {
			s.behind[i] = false
			s.away--
		}
		if !s.idle[i] && !s.behind[i] {
			least = min(least, w)
		}
	}
	if least == stream.MaxWatermark && !ended {
		return sent
	}
	return max(least, sent)
}

// set notes the status of a port and returns the watermark of the operator, and whether
// its output changes its status. When the last port that took part goes, and had held
// the others back, the watermark is the highest of all.
func (s *idleness) set(port int, idle bool, wm func(port int) stream.Timestamp, sent stream.Timestamp) (w stream.Timestamp, changed bool) {
	if s.idle[port] || s.behind[port] {
		s.away--
	}
	s.idle[port], s.behind[port] = idle, !idle && wm(port) < sent
	if s.idle[port] || s.behind[port] {
		s.away++
	}
	all, running, highest := true, false, sent
	for i := range s.idle {
		if x := wm(i); x != stream.MaxWatermark {
			all, running, highest = all && s.idle[i], true, max(highest, x)
		}
	}
	all = all && running
	w = s.least(wm, sent)
	if all && !s.told && wm(port) >= sent {
		w = max(w, highest)
	}
	changed, s.told = all != s.told, all
	return w, changed
}

// status tells the operators behind a head that it is idle, or active again.
func (g *Graph) status(ctx context.Context, head int, c stream.Control) error {
	if g.err != nil {
		return g.err
	}
	if !g.multi {
		return nil
	}
	g.late.source(head, &stream.Batch{Base: c.Ord + 1, Thru: c.Ord})
	err := g.raise(ctx, -1, c.Ord)
	if err == nil {
		err = g.heads[head].tail.tell(ctx, c)
	}
	if err != nil {
		return g.fail(err)
	}
	g.late.commit(math.MaxInt64)
	return nil
}

// tell hands a status on to the consumers of n.
func (n *node) tell(ctx context.Context, c stream.Control) error {
	for _, to := range n.out {
		m := to.n
		if op, ok := m.op.(idler); ok {
			caller := n.g.running
			n.g.running = m
			changed, err := op.Status(ctx, to.port, c, m)
			n.g.running = caller
			if err != nil {
				return explain(m.plan, err)
			}
			if !changed {
				continue
			}
		}
		if err := m.tell(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Status implements idler.
func (o *unionAll) Status(ctx context.Context, port int, c stream.Control, out Output) (bool, error) {
	m := o.merge
	w, changed := m.away.set(port, c.Kind == stream.Idle, m.portWatermark, m.watermark)
	if w <= m.watermark {
		return changed, nil
	}
	m.watermark = w
	o.env.Counters.Watermark.Store(int64(w))
	b := &o.out
	*b = stream.Batch{Cols: emptyColumns(nil, m.schema), Base: c.Ord + 1, Thru: c.Ord}
	o.marks = append(o.marks[:0], stream.Mark{Ord: c.Ord, W: w})
	b.Marks = o.marks
	return changed, out.Batch(ctx, b)
}

// Status implements idler.
func (o *windowJoin) Status(ctx context.Context, port int, c stream.Control, out Output) (bool, error) {
	w, changed := o.away.set(port, c.Kind == stream.Idle, o.portWatermark, o.list.watermark)
	if w <= o.list.watermark {
		return changed, nil
	}
	o.out.begin(c.Ord + 1)
	if w >= o.list.next() {
		if err := o.fire(ctx, c.Ord, w, out); err != nil {
			return changed, err
		}
	}
	o.list.watermark = w
	o.out.mark(c.Ord, w)
	o.env.Counters.Watermark.Store(int64(w))
	o.report()
	return changed, o.out.flush(ctx, out, c.Ord)
}

func (o *windowJoin) portWatermark(port int) stream.Timestamp { return o.sides[port].port().wm }
