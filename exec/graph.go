package exec

import (
	"context"
	"errors"
	"fmt"
	"math"

	"streamsql/connector"
	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// Graph is the operators of a plan with the edges between them, without anything
// that reads: batches are pushed in at its heads. Job drives one; operator scripts
// drive it message by message. One goroutine at a time may use it.
type Graph struct {
	nodes []*node // inputs before consumers
	heads []head  // where batches enter, in plan order
	emit  func(*stream.Batch) error

	lanes   []*node // operators that hand rows to lanes
	multi   bool    // some operator has several inputs, so Thru must be raised on every edge
	running *node   // the innermost operator that is being called
	late    lateBook
	limit   int64 // bytes of state; 0: none
	bytes   int64 // of state, all operators
	mark    stream.Batch
	watch   stopwatch
	trace   *tracer // nil: nobody watches
	clock   clock
	err     error // the graph has failed and takes no more
}

// node is one operator with its outgoing edge. It is the Output that the operator
// sees.
type node struct {
	g          *Graph
	plan       physical.Node
	op         Operator // nil: a scan
	env        Env
	counters   Counters
	store      state.Store
	name       string
	index      int
	out        []consumer
	root       bool
	wm         stream.Timestamp
	weighs     bool             // it has state whose size changes
	held       int64            // bytes of state at the last account
	light      int              // batches since then
	sentBefore int64            // rows sent before it
	ahead      bool             // batches stop here: the driver takes them from got and sends pieces on
	got        *stream.Batch    // valid until an operator up to here is called again
	behind     int64            // rows of the batch sent last that nobody wanted any more
	tail       bool             // the watermark of its edge is published
	sent       Counter          // that watermark
	traced     stream.Timestamp // that watermark, as the tracer has seen it
}

// head is a node without input, and the chain behind it that computes the watermark:
// scan, project, watermark assigner. The driver may run that chain ahead of the rest to
// learn the watermark of each row; tail is its last node.
type head struct {
	scan, tail *node
	future     *node // its filter of rows in the future; nil: none
}

type consumer struct {
	n    *node
	port int
}

// GraphConfig is what the operators of a graph share.
type GraphConfig struct {
	BatchSize   int
	Seed        uint64
	MemoryLimit int64
	Lanes       int // see Env
	WideFrom    int
	Zone        expr.Zone
	Now         func() int64
	Clock       func() int64 // see Config
	Sink        func(handle int) (connector.Sink, error)
	Late        func(stream.LateRow)
	Trace       func(stream.TraceEvent)
	Bad         func(table string, r connector.BadRow)
}

// NewGraph makes the operators of a plan. emit takes the batches of the root,
// unless it is a Sink; they are valid during the call.
func NewGraph(p *physical.Plan, cfg GraphConfig, emit func(*stream.Batch) error) (*Graph, error) {
	if cfg.BatchSize <= 0 {
		cfg.BatchSize = 4096
	}
	if cfg.Now == nil {
		cfg.Now = func() int64 { return 0 }
	}
	g := &Graph{emit: emit, limit: cfg.MemoryLimit, watch: stopwatch{clock: cfg.Clock}}
	g.late.deliver = cfg.Late
	g.late.zone = cfg.Zone
	g.trace = newTracer(cfg)
	b := builder{g: g, cfg: cfg, made: map[physical.Node]*node{}}
	root, err := b.node(p.Root)
	if err != nil {
		return nil, err
	}
	root.root = true
	b.allowStop(p.Root)
	g.findTails()
	return g, nil
}

// Scans returns the plan nodes at which batches enter, in plan order.
func (g *Graph) Scans() []physical.Node {
	plans := make([]physical.Node, len(g.heads))
	for i, h := range g.heads {
		plans[i] = h.scan.plan
	}
	return plans
}

// Open opens all operators. After an error the graph must still be closed.
func (g *Graph) Open(ctx context.Context) (err error) {
	defer g.recovered(&err)
	for _, n := range g.nodes {
		n.sent.Store(int64(stream.MinWatermark))
		n.counters.Watermark.Store(int64(stream.MinWatermark))
		n.counters.MaxTime.Store(int64(stream.MinWatermark))
		n.counters.NextTimer.Store(int64(stream.MaxWatermark))
		n.wm, n.traced = stream.MinWatermark, stream.MinWatermark
		if n.op == nil {
			continue
		}
		g.running = n
		if err := n.op.Open(ctx, &n.env); err != nil {
			return explain(n.plan, err)
		}
		n.weighs = !n.store.Steady()
	}
	g.running = nil
	return nil
}

// Push hands a batch with its ordinals to the consumers of a head. Everything that it
// causes has happened when Push returns. Before, the other heads promise to send
// nothing up to the batch's Thru.
func (g *Graph) Push(ctx context.Context, head int, b *stream.Batch) (err error) {
	defer g.recovered(&err)
	return g.push(ctx, head, g.heads[head].scan, b)
}

// push is Push without the guard against panics; at is the node whose consumers get
// the batch.
func (g *Graph) push(ctx context.Context, head int, at *node, b *stream.Batch) error {
	if g.trace != nil {
		return g.pushRows(ctx, head, at, b)
	}
	return g.pushBatch(ctx, head, at, b)
}

func (g *Graph) pushBatch(ctx context.Context, head int, at *node, b *stream.Batch) error {
	if g.err != nil {
		return g.err
	}
	g.late.source(head, b)
	if g.multi {
		if err := g.raise(ctx, head, b.Thru); err != nil {
			return g.fail(err)
		}
	}
	send := at.send
	if at == g.heads[head].scan {
		send = at.Batch
	}
	if err := send(ctx, b); err != nil {
		return g.fail(err)
	}
	g.late.commit(math.MaxInt64)
	if !g.multi {
		g.trace.end() // with several inputs more of it may come with what the others promise
	}
	return nil
}

// runAhead runs the chain of a head over b and returns what its tail sends, which is
// valid until the next call for that head. With an error the batch holds what stands
// before it.
func (g *Graph) runAhead(ctx context.Context, head int, b *stream.Batch) (*stream.Batch, error) {
	h := &g.heads[head]
	h.tail.ahead, h.tail.got = true, nil
	err := h.scan.Batch(ctx, b)
	return h.tail.got, err
}

// fail ends the graph: what was recorded behind the place of the failure did not
// happen.
func (g *Graph) fail(err error) error {
	g.late.commit(ordinalOf(err))
	g.trace.end()
	g.err = err
	return err
}

// raise tells the edges behind all heads but skip that everything up to thru is
// delivered.
func (g *Graph) raise(ctx context.Context, skip int, thru int64) error {
	for i, h := range g.heads {
		if i == skip {
			continue
		}
		g.mark.Clear()
		g.mark.Thru, g.mark.Base = thru, thru+1
		g.mark.Cols = emptyColumns(g.mark.Cols, h.tail.plan.Info().Schema)
		if err := h.tail.send(ctx, &g.mark); err != nil {
			return err
		}
	}
	return nil
}

// Finish ends the input: all heads must have sent the mark MaxWatermark, unless an
// earlier Push returned ErrEnough. Operators finish in plan order, inputs first.
func (g *Graph) Finish(ctx context.Context) (err error) {
	defer g.recovered(&err)
	if g.err != nil && !isEnough(g.err) {
		return g.err
	}
	if err := g.settle(true); err != nil {
		return err
	}
	if g.multi && g.err == nil {
		if err := g.raise(ctx, -1, math.MaxInt64); err != nil && !isEnough(err) {
			return g.fail(err)
		}
	}
	for _, n := range g.nodes {
		if n.op == nil {
			continue
		}
		g.running = n
		lap := g.watch.start()
		err := n.op.Finish(ctx, n)
		g.watch.stop(lap, &n.counters)
		if err != nil && !isEnough(err) {
			return g.fail(explain(n.plan, err))
		}
		if n.weighs { // single rows may have come since
			g.bytes += n.account()
		}
	}
	g.running = nil
	g.late.commit(math.MaxInt64)
	g.trace.end()
	return nil
}

// settler is an operator whose lanes may still be at work when it returns. It reports
// whether they have got rows since it was last called.
type settler interface {
	settle() (handed bool, err error)
}

// settle waits for all lanes: counters are then those of everything that was pushed. What
// the driver has accounted itself is weighed again only if weigh is set: it was before.
func (g *Graph) settle(weigh bool) error {
	for _, n := range g.lanes {
		g.running = n
		handed, err := n.op.(settler).settle()
		if err != nil {
			return g.fail(explain(n.plan, err))
		}
		if handed || weigh {
			g.bytes += n.account()
		}
	}
	g.running = nil
	return nil
}

// Idle says that no input waits: sinks make visible what they hold.
func (g *Graph) Idle(ctx context.Context) error {
	if err := g.settle(false); err != nil {
		return err
	}
	if s, ok := g.nodes[len(g.nodes)-1].op.(*sink); ok { // a sink is the root, so the last node
		return explain(g.nodes[len(g.nodes)-1].plan, s.idle(ctx))
	}
	return nil
}

// Close closes all operators and returns the first error.
func (g *Graph) Close() error {
	var errs []error
	for _, n := range g.nodes {
		if n.op == nil {
			continue
		}
		if err := n.op.Close(); err != nil {
			errs = append(errs, explain(n.plan, err))
		}
	}
	for _, n := range g.lanes {
		n.account() // without an end nobody has waited for them
	}
	return errors.Join(errs...)
}

// Snapshot writes the state of all operators. It must be called between pushes.
func (g *Graph) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(g.nodes)))
	for _, n := range g.nodes {
		e.String(n.plan.Info().ID)
		e.Int64(int64(n.wm))
		n.store.Snapshot(e)
	}
}

// Restore reads a snapshot of a graph of the same plan; the graph must have been
// opened and not used yet.
func (g *Graph) Restore(d *stream.Decoder) error {
	if n := d.Count(8); d.Err() == nil && n != len(g.nodes) {
		return d.Fail(fmt.Errorf("snapshot holds %d operators, the plan has %d", n, len(g.nodes)))
	}
	for _, n := range g.nodes {
		if id := d.String(); d.Err() == nil && id != n.plan.Info().ID {
			return d.Fail(fmt.Errorf("snapshot holds operator %q where the plan has %q", id, n.plan.Info().ID))
		}
		n.wm = stream.Timestamp(d.Int64())
		n.counters.Watermark.Store(int64(n.wm))
		if err := n.store.Restore(d); err != nil {
			return fmt.Errorf("operator %q: %w", n.plan.Info().ID, err)
		}
		if r, ok := n.op.(reporter); ok {
			r.report()
		}
		g.bytes += n.account()
	}
	return d.Err()
}

// reporter is an operator that publishes what waits in it, and for what.
type reporter interface{ report() }

// Batch is the edge behind n: it hands b to every consumer in plan order.
func (n *node) Batch(ctx context.Context, b *stream.Batch) error {
	count(&n.counters.Out, b.Live())
	n.behind = 0
	if n.tail && b.HasMarks() {
		if w := int64(b.LastMark(stream.MinWatermark)); w > n.sent.Load() {
			n.sent.Store(w)
		}
	}
	if n.ahead {
		n.got = b
		return nil
	}
	var err error
	if len(n.out) == 1 && n.g.trace == nil {
		err = n.out[0].n.take(ctx, n.out[0].port, b)
	} else {
		err = n.send(ctx, b)
	}
	if isEnough(err) {
		n.behind = rowsBehind(b, ordinalOf(err))
		n.counters.Out.Add(-n.behind)
	}
	return err
}

func (n *node) send(ctx context.Context, b *stream.Batch) error {
	if t := n.g.trace; t != nil {
		n.show(t, b)
	}
	if n.root && n.g.emit != nil {
		return n.g.emit(b)
	}
	if len(n.out) == 1 {
		return n.out[0].n.take(ctx, n.out[0].port, b)
	}
	// All branches get the batch also when one fails: another one may fail at an earlier
	// row. What the others do behind the failure is never seen: merges further up wait
	// for the branch that failed.
	var first error
	for _, c := range n.out {
		err := c.n.take(ctx, c.port, b)
		switch {
		case err == nil:
		case isStop(err) || isEnough(err):
			return err
		case first == nil || ordinalOf(err) < ordinalOf(first):
			first = err
		}
	}
	return first
}

// show tells the tracer what n sends.
func (n *node) show(t *tracer, b *stream.Batch) {
	if n.tail {
		t.begin(n, b)
	}
	t.sent(n, b)
	if n.root {
		t.results(b)
	}
}

// Poll implements Output.
func (n *node) Poll(ctx context.Context) error { return ctx.Err() }

// take runs the operator over one input batch and keeps its books.
func (n *node) take(ctx context.Context, port int, b *stream.Batch) error {
	count(&n.counters.In, b.Live())
	if t := n.g.trace; t != nil {
		t.take(n, b)
	}
	if n.env.ports == 1 && b.HasMarks() {
		if w := b.LastMark(n.wm); w > n.wm {
			n.wm = w
			n.counters.Watermark.Store(int64(w))
		}
	}
	caller := n.g.running
	n.g.running = n
	var lap lap
	timed := n.g.watch.clock != nil
	if timed {
		lap = n.g.watch.start()
	}
	err := n.op.ProcessBatch(ctx, port, b, n)
	if timed {
		n.g.watch.stop(lap, &n.counters)
	}
	n.g.running = caller
	if isEnough(err) {
		if u, ok := n.op.(unreader); ok {
			n.counters.In.Add(-rowsBehind(b, ordinalOf(err)))
			u.unread(n.behind)
		}
	}
	if n.weighs && n.due(b) {
		g := n.g
		if g.bytes += n.account(); g.limit > 0 && g.bytes > g.limit && err == nil {
			err = diag.New(diag.Memory, n.plan.Info().Span, "the memory limit of %d bytes is passed: %s holds %d bytes of state",
				g.limit, n.name, n.held).WithHint("raise the memory limit")
		}
	}
	if err != nil {
		return explain(n.plan, err)
	}
	return nil
}

// weighEvery is how many batches of one row, behind which nothing is sent, may come
// before the state is weighed again: to weigh it costs as much as to account the row.
const weighEvery = 16

// due reports whether the state is to be weighed behind b.
func (n *node) due(b *stream.Batch) bool {
	n.light++
	if out := n.counters.Out.n; b.N > 1 || out != n.sentBefore || n.light == weighEvery {
		n.sentBefore, n.light = out, 0
		return true
	}
	return false
}

// account publishes the size of the state and returns by how much it grew.
func (n *node) account() int64 {
	bytes := n.store.Bytes()
	publish(&n.counters.stateBytes, bytes)
	publish(&n.counters.stateRows, n.store.Rows())
	grown := bytes - n.held
	n.held = bytes
	return grown
}

// count adds to a counter.
func count(c *Counter, n int) {
	if n != 0 {
		c.Add(int64(n))
	}
}

// publish sets a counter. Where nothing changes, readers keep their copy of it.
func publish(c *Counter, x int64) {
	if c.n != x {
		c.Store(x)
	}
}

// recovered turns a panic into an error that names the operator.
func (g *Graph) recovered(err *error) {
	p := recover()
	if p == nil {
		return
	}
	*err = g.panicked(p)
}

func (g *Graph) panicked(p any) error {
	where, span := "the driver", diag.Span{}
	if g.running != nil {
		where, span = "operator "+g.running.name, g.running.plan.Info().Span
	}
	g.err = diag.New(diag.Internal, span, "internal fault in %s: %v", where, p).
		WithHint("please report it with the statement and a sample of the input")
	return g.err
}
