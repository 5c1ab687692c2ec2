package exec

import (
	"context"
	"math"

	"streamsql/planner/physical"
	"streamsql/stream"
)

// clock is what of a graph follows processing time. Operators never read a clock: the
// driver tells the time before each batch, and again when something is due.
type clock struct {
	now     int64   // the driver's last reading; it never falls
	sources []*node // processingTime operators
	windows []*node // operators whose windows close by the clock
	timed   []*node // operators with timers of their own
}

// ticker is an operator that acts at moments of processing time.
type ticker interface {
	// due is the clock at which it wants to act next, MaxInt64 if nothing waits.
	due() int64
	// tick acts on all that is due at now; what it sends has ordinal ord.
	tick(ctx context.Context, now, ord int64, out Output) error
}

// add notes what a node has to do with the clock.
func (c *clock) add(n *node, p physical.Node) {
	delayed := false
	switch p := p.(type) {
	case *physical.ProcessingTime:
		c.sources = append(c.sources, n)
	case *physical.WindowTVF:
		if p.Processing {
			c.windows = append(c.windows, n)
		}
	case *physical.WindowAggregate:
		if p.Processing {
			c.windows = append(c.windows, n)
		}
		delayed = p.EarlyDelay > 0 || p.LateDelay > 0
	}
	if delayed {
		c.timed = append(c.timed, n)
	}
}

// used reports whether the clock matters to the plan at all.
func (c *clock) used() bool { return len(c.sources)+len(c.timed) > 0 }

// due is the clock at which the next tick must come, MaxInt64 if nothing waits.
func (c *clock) due() int64 {
	next := int64(math.MaxInt64)
	for _, n := range c.windows {
		if t := n.counters.NextTimer.Load(); t != int64(stream.MaxWatermark) {
			next = min(next, t+1)
		}
	}
	for _, n := range c.timed {
		next = min(next, tickerOf(n).due())
	}
	return next
}

// tickerOf is the operator of a node with timers.
func tickerOf(n *node) ticker {
	if w, ok := n.op.(*clockWindows); ok {
		return w.Operator.(ticker)
	}
	return n.op.(ticker)
}

// HasClock reports whether the plan wants to hear of the time at all.
func (g *Graph) HasClock() bool { return g.clock.used() }

// Due is the processing time at which Tick must be called next, MaxInt64 if nothing
// waits for the clock.
func (g *Graph) Due() int64 { return g.clock.due() }

// SetClock says what time it is for what is pushed next. A clock that is put back
// stands still.
func (g *Graph) SetClock(now int64) { g.clock.now = max(g.clock.now, now) }

// Tick does what is due by the clock: windows of processing time close, aggregates that
// fire periodically send. All of it has ordinal ord; what stands before it has been
// delivered.
func (g *Graph) Tick(ctx context.Context, ord int64) (err error) {
	defer g.recovered(&err)
	if g.err != nil {
		return g.err
	}
	if err := g.tick(ctx, ord); err != nil {
		return g.fail(err)
	}
	g.late.commit(math.MaxInt64)
	return nil
}

func (g *Graph) tick(ctx context.Context, ord int64) error {
	g.late.source(0, &stream.Batch{Base: ord, Thru: ord})
	if g.multi {
		if err := g.raise(ctx, -1, ord-1); err != nil {
			return err
		}
	}
	for _, n := range g.nodes {
		var t ticker
		if o, ok := n.op.(*processingTime); ok {
			t = clockSource{o}
		} else if t = g.timedBy(n); t == nil || t.due() > g.clock.now {
			continue
		}
		caller := g.running
		g.running = n
		lap := g.watch.start()
		err := t.tick(ctx, g.clock.now, ord, n)
		g.watch.stop(lap, &n.counters)
		g.running = caller
		if err != nil {
			return explain(n.plan, err)
		}
	}
	if g.multi {
		return g.raise(ctx, -1, ord)
	}
	return nil
}

// timedBy returns the timers of a node, nil if it has none.
func (g *Graph) timedBy(n *node) ticker {
	for _, m := range g.clock.timed {
		if m == n {
			return tickerOf(n)
		}
	}
	return nil
}

// clockSource is a processingTime as a ticker: every tick is for it.
type clockSource struct{ *processingTime }

func (clockSource) due() int64 { return math.MinInt64 }

// tick tells the plan what time it is, before the next batch of a source. What is due
// comes first, with an ordinal of its own.
func (j *Job) tick(ctx context.Context) error {
	g := j.graph
	if !g.HasClock() {
		return nil
	}
	g.SetClock(j.cfg.Now())
	if g.Due() > g.clock.now {
		return nil
	}
	j.next++
	return g.Tick(ctx, 2*j.next-1)
}
