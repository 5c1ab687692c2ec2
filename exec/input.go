package exec

import (
	"context"
	"sync/atomic"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// input is one head of the plan as the driver reads it.
type input struct {
	head       int
	counters   *Counters // of the scan
	table      string
	span       diag.Span
	source     connector.Source // nil: a constant table
	traits     connector.Traits
	columns    []int
	watermarks bool // rows come with watermarks, from an assigner or the source itself
	reader     connector.Reader
	reading    atomic.Pointer[connector.Reader] // the same, for readers of the statistics
	position   connector.Position               // from a snapshot: where to start
	batch      stream.Batch                     // what Next fills

	ahead connector.Ahead // the reader, if it decodes in goroutines of its own
	chain []forker        // operators whose work these do early

	intern []int // columns for which a dictionary pays

	// Merging by watermark: the batch that the head's chain made of it, and where
	// reading stands in it.
	got    *stream.Batch
	row    int
	mark   int
	wm     stream.Timestamp // before the next row
	failed error            // what stands behind the batch

	arriving bool // a goroutine reads ahead: position is that of the last batch taken

	idleAfter int64        // milliseconds without rows after which it is idle; 0: never
	last      atomic.Int64 // when it has sent something, by the clock of the job; 0: not started
	idle      bool         // the plan has been told; only with the turn

	over   bool
	base   atomic.Int64 // rows delivered before a restart
	ended  atomic.Bool
	handed atomic.Int64 // rows handed to the plan
	pushed atomic.Int64 // rows that a pushed source sent
}

// newInput resolves the source of a head. An error has the place of the table.
func newInput(head int, p physical.Node, g *Graph, cfg *Config) (*input, error) {
	in := &input{head: head, span: p.Info().Span, wm: stream.MinWatermark}
	switch p := p.(type) {
	case *physical.Values:
		in.traits.Bounded = true
		v, err := newValues(p, cfg)
		if err != nil {
			return nil, err
		}
		in.reader = v
	case *physical.Scan:
		in.table, in.columns = p.Table, p.Columns
		if cfg.Source == nil {
			return nil, badPlan(p, "no sources are given")
		}
		src, err := cfg.Source(p.Handle)
		if err != nil {
			return nil, err
		}
		in.source, in.traits = src, src.Traits()
		if in.byArrival() {
			in.idleAfter = p.IdleTimeout
		}
	default:
		return nil, badPlan(p, "not a source")
	}
	h := g.heads[head]
	in.counters = &h.scan.counters
	_, assigned := h.tail.op.(*watermarkAssigner)
	in.watermarks = assigned || in.traits.Watermarks
	return in, nil
}

// open starts the reading of a source that is pulled. With workers it may read and
// decode ahead in goroutines of its own, and do the work of the chain there.
func (in *input) open(ctx context.Context, cfg *Config, workers int) error {
	if in.reader == nil {
		o := in.options(cfg)
		if cfg.Stutter == 0 {
			o.Prepare = prepare(in.chain)
			if !in.arriving {
				o.Intern = in.intern
			}
		}
		o.Workers = workers
		r, err := in.source.Open(ctx, o)
		if err != nil {
			return readError(in, err)
		}
		in.reader = r
	}
	if v, ok := in.reader.(*values); ok && in.position != nil {
		if err := v.seek(in.position); err != nil {
			return err
		}
	}
	opened := in.reader
	in.reading.Store(&opened)
	if a, ok := in.reader.(connector.Ahead); ok && cfg.Stutter == 0 {
		in.ahead = a
	}
	if cfg.Clock != nil {
		in.reader = &timedReader{Reader: in.reader, clock: cfg.Clock, c: in.counters}
	}
	if cfg.Stutter != 0 {
		in.reader = newStutter(in.reader, cfg.Stutter+uint64(in.head)<<32)
	}
	return nil
}

// hand gives the chain the work that was done for the batch that Next gave.
func (in *input) hand() {
	if in.ahead != nil {
		hand(in.chain, in.ahead.Prepared())
	}
}

// waits reports whether Next may have to wait; nobody knows with a reader that is
// called by the plan itself.
func (in *input) waits() bool {
	if in.ahead != nil {
		return !in.ahead.Ready()
	}
	a, ok := in.reader.(*readAhead)
	return !ok || a.waits()
}

func (in *input) options(cfg *Config) connector.OpenOptions {
	o := connector.OpenOptions{Columns: in.columns, BatchSize: cfg.BatchSize, ReadBuffer: cfg.ReadBuffer, From: in.position}
	if cfg.Bad != nil {
		o.Bad = func(r connector.BadRow) { cfg.Bad(in.table, r) }
	}
	return o
}

func (in *input) isPushed() bool {
	_, ok := in.source.(connector.Pushed)
	return ok
}

// byArrival reports whether the rows come when somebody produces them.
func (in *input) byArrival() bool { return in.traits.Live || in.isPushed() }

// account counts the rows of a batch as handed over: all, or those up to the
// ordinal at which the plan stopped.
func (in *input) account(b *stream.Batch, err error) {
	n := int64(b.N)
	if err != nil {
		if ord := ordinalOf(err); ord < b.Base {
			n = 0
		} else {
			n = min(n, (ord-b.Base)/2+1)
		}
	}
	in.handed.Add(n)
}

// counts returns the reader's counts.
func (in *input) counts() connector.Counts {
	c := connector.Counts{Delivered: in.pushed.Load()}
	if r := in.reading.Load(); r != nil {
		c = (*r).Counts()
	}
	c.Delivered += in.base.Load()
	return c
}
