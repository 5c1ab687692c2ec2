package exec

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// Job is one run of a plan: a Graph and the driver that feeds it.
type Job struct {
	cfg    Config
	plan   *physical.Plan
	graph  *Graph
	inputs []*input
	emit   func(*stream.Batch) error

	next int64 // the number of the next source row: its ordinal is 2*next
	mark stream.Batch

	piece, whole stream.Batch // segments of a merge: with memory of its own, and a header over a whole batch

	restore []byte
	turn    chan struct{} // held by whoever may use the graph
	started atomic.Bool
	done    atomic.Bool
	rowsOut Counter

	reading  context.Context // of the sources; it ends before the job's own when EndInput is called
	ending   context.Context // ends when EndInput is called
	endInput context.CancelFunc
}

// Build makes the operators of a plan and resolves its sources and sinks. Nothing is
// opened yet.
func Build(p *physical.Plan, cfg Config) (*Job, error) {
	cfg.setDefaults()
	j := &Job{cfg: cfg, plan: p, turn: make(chan struct{}, 1)}
	j.ending, j.endInput = context.WithCancel(context.Background())
	g, err := NewGraph(p, GraphConfig{
		BatchSize: cfg.BatchSize, Seed: cfg.Seed, MemoryLimit: cfg.MemoryLimit,
		Lanes: cfg.lanes(), WideFrom: cfg.wideFrom(),
		Zone: cfg.Zone, Now: cfg.Now, Clock: cfg.Clock, Sink: cfg.Sink, Late: cfg.Late, Bad: cfg.Bad, Trace: cfg.Trace,
	}, j.send)
	if err != nil {
		return nil, err
	}
	j.graph = g
	for i, n := range g.Scans() {
		in, err := newInput(i, n, g, &j.cfg)
		if err != nil {
			return nil, err
		}
		if scan, ok := n.(*physical.Scan); ok {
			in.intern = internColumns(p.Root, scan)
		}
		j.inputs = append(j.inputs, in)
	}
	return j, nil
}

// Run reads all sources to their end and calls emit with the batches of the root;
// they are valid during the call, and emit is never called for an INSERT. It ends
// without error at the end of bounded input, and when emit returns ErrEnough. When ctx
// ends, Run returns its error at once: open windows are not flushed, sinks are not
// committed. A job runs once.
func (j *Job) Run(ctx context.Context, emit func(*stream.Batch) error) (err error) {
	if j.started.Swap(true) {
		return diag.New(diag.Closed, diag.Span{}, "the job has run already")
	}
	defer j.done.Store(true)
	j.emit = emit
	defer func() {
		if cerr := j.close(); err == nil {
			err = cerr
		}
	}()
	defer j.graph.recovered(&err)
	if err := j.graph.Open(ctx); err != nil {
		return err
	}
	if err := j.restoreState(); err != nil {
		return err
	}
	err = j.read(ctx)
	if err != nil && !isEnough(err) {
		return err
	}
	return j.graph.Finish(ctx)
}

// send is the edge behind the root.
func (j *Job) send(b *stream.Batch) error {
	count(&j.rowsOut, b.Live())
	if j.emit == nil {
		return nil
	}
	return j.emit(b)
}

// read feeds the graph until the sources end.
func (j *Job) read(ctx context.Context) error {
	if err := j.prime(ctx); err != nil {
		return err
	}
	defer j.readUntilEnding(ctx)()
	var bounded, arriving []*input
	for _, in := range j.inputs {
		if in.over {
			continue
		}
		if in.byArrival() {
			arriving = append(arriving, in)
		} else {
			bounded = append(bounded, in)
		}
	}
	// A live source must not be waited for where something waits for the clock.
	if len(j.inputs) == 1 && !j.inputs[0].isPushed() && !(j.inputs[0].byArrival() && j.graph.HasClock()) {
		if len(bounded)+len(arriving) == 0 {
			return nil
		}
		return j.straight(ctx, j.inputs[0])
	}
	if len(arriving) == 0 {
		return j.merge(ctx, bounded)
	}
	return j.arrivals(ctx, bounded, arriving)
}

// prime sends an empty batch through the plan where something may want no row at
// all (LIMIT 0): a live source must not be waited for.
func (j *Job) prime(ctx context.Context) error {
	for _, n := range j.graph.nodes {
		if l, ok := n.op.(*limit); ok && l.stops && l.want == 0 {
			return connector.ErrEnough
		}
	}
	return ctx.Err()
}

// straight reads the only source.
func (j *Job) straight(ctx context.Context, in *input) error {
	in.chain = j.graph.heads[in.head].earlyChain(nil)
	if err := j.open(ctx, in, j.cfg.Workers); err != nil {
		return err
	}
	if in.idleAfter > 0 {
		in.last.Store(j.cfg.Now())
	}
	scan := j.graph.heads[in.head].scan
	b := &in.batch
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Clear()
		if err := j.nextBatch(ctx, in, b); err != nil {
			if err == io.EOF {
				return j.end(ctx, in)
			}
			return readError(in, err)
		}
		if in.idleAfter > 0 {
			in.last.Store(j.cfg.Now())
		}
		if err := j.tick(ctx); err != nil {
			return err
		}
		j.number(b)
		in.hand()
		err := j.graph.push(ctx, in.head, scan, b)
		in.account(b, err)
		if err != nil {
			return err
		}
		if err := j.rest(ctx, in); err != nil {
			return err
		}
	}
}

// open opens a source that is pulled. With several workers its reading gets at least a
// goroutine.
func (j *Job) open(ctx context.Context, in *input, workers int) error {
	if err := in.open(ctx, &j.cfg, workers); err != nil {
		return err
	}
	if workers > 1 && in.ahead == nil {
		in.reader = newReadAhead(ctx, in.reader, j.cfg.Rest != nil)
	}
	return nil
}

// rest is called after each batch: what is written becomes visible if no further
// batch of a live source waits, and the hook may take a snapshot.
func (j *Job) rest(ctx context.Context, in *input) error {
	if in.byArrival() {
		if in.waits() {
			if err := j.graph.Idle(ctx); err != nil {
				return err
			}
		}
	}
	return j.hook()
}

// hook calls Config.Rest.
func (j *Job) hook() error {
	if j.cfg.Rest == nil {
		return nil
	}
	if err := j.graph.settle(true); err != nil {
		return err
	}
	return j.cfg.Rest(j)
}

// number gives a source batch its ordinals: row n of the job has 2n and a mark
// behind it 2n+1. Marks in front of the first row take a number of their own, as the
// place behind the row before has been promised away.
func (j *Job) number(b *stream.Batch) {
	if len(b.Marks) > 0 && b.Marks[0].Pos == 0 {
		j.next++
	}
	b.Base, b.Ord = 2*j.next, nil
	for i := range b.Marks {
		b.Marks[i].Ord = b.Base + 2*int64(b.Marks[i].Pos) - 1
	}
	j.next += int64(b.N)
	b.Thru = 2*j.next - 1
}

// end sends the last watermark of an input that is over.
func (j *Job) end(ctx context.Context, in *input) error {
	if err := j.tick(ctx); err != nil {
		return err
	}
	in.over = true
	m := &j.mark
	m.Clear()
	h := j.graph.heads[in.head]
	m.Cols = emptyColumns(m.Cols, h.scan.plan.Info().Schema)
	m.Marks = append(m.Marks, stream.Mark{W: stream.MaxWatermark})
	j.number(m)
	h.tail.ahead = false
	err := j.graph.push(ctx, in.head, h.scan, m)
	in.ended.Store(true)
	return err
}

// close closes readers and operators. Sinks are committed by their Finish.
func (j *Job) close() error {
	var errs []error
	for _, in := range j.inputs {
		if in.reader != nil {
			if err := in.reader.Close(); err != nil {
				errs = append(errs, readError(in, err))
			}
		}
	}
	errs = append(errs, j.graph.Close())
	return errors.Join(errs...)
}
