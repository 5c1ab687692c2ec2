package streamsql

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/internal/diag"
	"streamsql/planner"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
)

// Mode says which changes a query sends.
type Mode = physical.ChangelogMode

// The modes.
const (
	Append  = physical.Append  // +I only
	Upsert  = physical.Upsert  // +I, +U, -D by key
	Retract = physical.Retract // +I, -U, +U, -D
)

// Column is a column of a table or result.
type Column struct {
	Name    string
	Type    string // as in DESCRIBE, for example "TIMESTAMP(3)"; " NOT NULL" at the end where NULL cannot occur
	Rowtime bool   // the event-time column
}

// Query is a running query. Its counters and late rows can be read at any time, from
// any goroutine, also after its end.
type Query struct {
	engine   *Engine
	plan     *physical.Plan
	job      *exec.Job
	schema   *arrow.Schema
	out      chan Batch
	free     chan []stream.Vec // memory of batches that were only borrowed
	cancel   context.CancelFunc
	release  func() bool // nil: the user's context is not watched
	done     chan struct{}
	err      error // valid after done
	started  time.Time
	ended    atomic.Int64 // nanoseconds from start to end; 0: running
	iterated atomic.Bool
	closed   atomic.Bool  // by its user, who wants no more
	reached  atomic.Int64 // watermark at the output
	clock    func() int64 // EXPLAIN ANALYZE: nanoseconds; results are discarded
	took     int64        // by clock; valid after done

	mu   sync.Mutex
	late []LateRow
	bad  []BadRow
}

// resultBatches is how many result batches wait for a slow reader before the query
// waits for it.
const resultBatches = 8

// Query plans a query and starts it. Results wait in a bounded buffer: when nobody
// reads, the query waits, so a goroutine that both sends rows to a Push and reads the
// results can block itself. Canceling ctx stops the query without flushing what is
// open; iteration then ends with an error that wraps ctx.Err().
func (e *Engine) Query(ctx context.Context, text string) (*Query, error) {
	return e.query(ctx, text, func(*physical.Plan) {})
}

// QueryFirst is Query, but the query ends with its first rows, as if LIMIT stood at its
// end. Where rows change, each change counts as one with changes, and the query goes
// on to its end without: how many rows are left is not known before. Those of ORDER BY
// with LIMIT then come in that order, as from QueryFinal.
func (e *Engine) QueryFirst(ctx context.Context, text string, rows int64, changes bool) (*Query, error) {
	return e.query(ctx, text, func(p *physical.Plan) {
		if !changes {
			p.Root = inOrder(p.Root)
		}
		info := *p.Root.Info()
		if info.Mode != Append && !changes {
			return
		}
		info.ID, info.State, info.OnClose = "First", "none", false
		p.Root = &physical.Limit{Base: info, Input: p.Root, Count: max(0, rows)}
	})
}

// QueryFinal is Query for a reader who wants the rows that are left at the end of the
// input, not the changes that led to them. Where just they can be made, their Mode is
// Append and they come at the end; otherwise it is Query. The rows of ORDER BY with
// LIMIT over input that ends come in that order.
func (e *Engine) QueryFinal(ctx context.Context, text string) (*Query, error) {
	return e.query(ctx, text, func(p *physical.Plan) {
		finalRows(p.Root)
		p.Root = inOrder(p.Root)
	})
}

// QueryOrdered is Query for a reader who puts the rows that are left together from the
// changes, and shows how far they are when somebody stops the query. Changes have no
// order, so of ORDER BY with LIMIT only the rows that are left come, in that order, when
// the input is over; their Mode is Append. Where the input does not end, or is Live,
// waiting for that would show nothing for long: there it is Query.
func (e *Engine) QueryOrdered(ctx context.Context, text string) (*Query, error) {
	return e.query(ctx, text, func(p *physical.Plan) {
		if !live(p.Root) {
			p.Root = inOrder(p.Root)
		}
	})
}

// AtEnd reports whether no row of the query comes before its input is over: ORDER BY
// sorts what is left then, or QueryFinal has put off what an aggregate would send.
func (q *Query) AtEnd() bool {
	root := q.plan.Root
	if first, ok := root.(*physical.Limit); ok { // of QueryFirst
		root = first.Input
	}
	_, n := belowProjections(root)
	switch n := n.(type) {
	case *physical.GroupAggregate:
		return n.AtEnd
	case *physical.Sort:
		return true
	}
	return false
}

// belowProjections returns the projections at the root of a plan, and what they read.
func belowProjections(root physical.Node) ([]*physical.Project, physical.Node) {
	var above []*physical.Project
	for {
		p, ok := root.(*physical.Project)
		if !ok {
			return above, root
		}
		above, root = append(above, p), p.Input
	}
}

// inOrder sorts the rows that ORDER BY with LIMIT leaves at the end of the input: the
// changes that led to them come and go in no order.
func inOrder(root physical.Node) physical.Node {
	above, n := belowProjections(root)
	top, ok := n.(*physical.Rank)
	if !ok || !top.Bounded || len(top.Partition) > 0 || len(top.Order) == 0 {
		return root
	}
	info := *top.Info()
	info.ID, info.State, info.Mode, info.OnClose = "Ordered", "as many rows", Append, true
	sorted := &physical.Sort{Base: info, Input: top, Order: top.Order}
	if len(above) == 0 {
		return sorted
	}
	for _, p := range above {
		p.Mode = Append
	}
	above[len(above)-1].Input = sorted
	return root
}

// finalRows makes an aggregate send its groups at the end only. It must be at the root,
// or below projections that keep its key: then the rows that are left of its changes
// stand in the same order, that of the first row of each group.
func finalRows(root physical.Node) {
	above, n := belowProjections(root)
	g, ok := n.(*physical.GroupAggregate)
	if !ok || g.TTL > 0 || !g.Bounded || g.Input.Info().Mode != Append || len(g.Keys) > 0 && len(root.Info().Key) == 0 {
		return
	}
	g.AtEnd, g.Mode, g.OnClose = true, Append, true
	for _, p := range above {
		p.Mode = Append
	}
}

// query plans a query, lets edit change the plan, and starts it.
func (e *Engine) query(ctx context.Context, text string, edit func(*physical.Plan)) (q *Query, err error) {
	defer guard(&err)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.checkOpen(ctx); err != nil {
		return nil, err
	}
	stmt, err := sql.ParseOne(text)
	if err != nil {
		return nil, diag.WithSource(err, text)
	}
	qs, ok := stmt.(*sql.QueryStatement)
	if !ok {
		return nil, diag.WithSource(diag.New(diag.InvalidArgument, stmt.Span(), "this statement is no query").
			WithHint("run it with Exec"), text)
	}
	b := e.bind(ctx, text)
	plan, err := planner.Query(b.env(), qs.Query, text)
	if err != nil {
		return nil, diag.WithSource(err, text)
	}
	edit(plan)
	q = e.newQuery(plan)
	return q, e.start(ctx, q, b, text)
}

func (e *Engine) newQuery(plan *physical.Plan) *Query {
	return &Query{
		engine: e, plan: plan,
		schema:  arrowSchema(plan.Root.Info().Schema),
		out:     make(chan Batch, resultBatches),
		free:    make(chan []stream.Vec, resultBatches),
		done:    make(chan struct{}),
		started: time.Now(),
	}
}

// start builds the plan's job and runs it in a goroutine of its own.
func (e *Engine) start(ctx context.Context, q *Query, b *binding, text string) error {
	job, err := exec.Build(q.plan, e.execConfig(b, q))
	if err != nil {
		return diag.WithSource(err, text)
	}
	q.job = job
	q.reached.Store(int64(stream.MinWatermark))
	user := ctx
	if e.cfg.flushOnStop {
		ctx = context.WithoutCancel(ctx)
		q.release = context.AfterFunc(user, job.EndInput)
	}
	ctx, q.cancel = context.WithCancel(ctx)
	e.running[q] = struct{}{}
	go q.run(ctx, user, text)
	b.awaitPushes(ctx) // ctx ends when the query does
	return nil
}

func (e *Engine) execConfig(b *binding, q *Query) exec.Config {
	cfg := exec.Config{
		BatchSize: e.cfg.batchSize, ReadBuffer: e.cfg.readBuffer, Workers: e.cfg.workers,
		Seed: e.cfg.seed, Stutter: e.cfg.stutter, MemoryLimit: e.cfg.memoryLimit,
		Source: b.sourceOf, Sink: b.sinkOf,
		Late: q.addLate, Bad: q.addBad,
		Now: e.nowMillis, Zone: b.zone, Clock: q.clock, Trace: e.cfg.trace,
	}
	if q.clock != nil {
		cfg.Workers = 1
	}
	return cfg
}

// run drives the job to its end and closes the result channel. user is the context that
// the query was started with.
func (q *Query) run(ctx, user context.Context, text string) {
	defer close(q.done)
	defer close(q.out)
	err := q.drive(ctx)
	if err != nil && ctx.Err() != nil && diag.As(err) == nil {
		err = canceled(ctx.Err())
	}
	if d := diag.As(err); d != nil && d.Code == diag.Canceled && q.closed.Load() && user.Err() == nil {
		err = nil
	}
	if err != nil && !errors.Is(err, connector.ErrEnough) {
		if d := diag.As(err); d != nil {
			d.Running = true
		}
		q.err = diag.WithSource(err, text)
	}
	q.cancel()
	if q.release != nil {
		q.release()
	}
	q.ended.Store(int64(max(1, time.Since(q.started))))
	q.engine.mu.Lock()
	delete(q.engine.running, q)
	q.engine.mu.Unlock()
}

func (q *Query) drive(ctx context.Context) (err error) {
	defer guard(&err)
	if q.clock != nil {
		began := q.clock()
		err := q.job.Run(ctx, func(*stream.Batch) error { return nil })
		q.took = q.clock() - began
		return err
	}
	watermark := stream.MinWatermark
	zone := q.engine.zoneOf(q.plan)
	return q.job.Run(ctx, func(b *stream.Batch) error {
		if w := b.LastMark(watermark); w != watermark {
			watermark = w
			q.reached.Store(int64(w))
		}
		if b.Live() == 0 {
			return nil
		}
		var vecs []stream.Vec
		select {
		case vecs = <-q.free:
		default:
		}
		select {
		case q.out <- newBatch(b, vecs, q.schema, watermark, zone):
			return nil
		case <-ctx.Done():
			return canceled(ctx.Err())
		}
	})
}

// Columns are the columns of the result.
func (q *Query) Columns() []Column { return columnsOf(q.plan.Root.Info().Schema) }

func columnsOf(s stream.Schema) []Column {
	cols := make([]Column, len(s.Fields))
	for i, f := range s.Fields {
		cols[i] = Column{Name: f.Name, Type: f.Type.String(), Rowtime: f.Time == stream.Rowtime}
	}
	return cols
}

// Schema is the result's columns as Arrow types; see Batch.
func (q *Query) Schema() *arrow.Schema { return q.schema }

// Mode says which kinds of changes the result holds.
func (q *Query) Mode() Mode { return q.plan.Root.Info().Mode }

// Bounded reports whether the query ends by itself when its input does.
func (q *Query) Bounded() bool { return q.plan.Root.Info().Bounded }

// Live reports whether rows arrive as somebody produces them: stdin, pipes, Push.
func (q *Query) Live() bool { return live(q.plan.Root) }

func live(root physical.Node) bool {
	found := false
	walkPlan(root, func(n physical.Node) {
		if s, ok := n.(*physical.Scan); ok && s.Live {
			found = true
		}
	})
	return found
}

func walkPlan(n physical.Node, f func(physical.Node)) {
	f(n)
	for _, in := range n.Inputs() {
		walkPlan(in, f)
	}
}

// Batches returns the results, once. Breaking out of the loop stops the query. An
// error comes last, with an empty batch.
func (q *Query) Batches() iter.Seq2[Batch, error] { return q.batches(false) }

// BorrowedBatches is Batches for readers that keep nothing of a batch: it is only valid
// until the loop's next step, when its memory goes to a later one.
func (q *Query) BorrowedBatches() iter.Seq2[Batch, error] { return q.batches(true) }

func (q *Query) batches(borrowed bool) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		if q.iterated.Swap(true) {
			yield(Batch{}, diag.New(diag.Closed, diag.Span{}, "the results of this query have been read already").
				WithHint("start the query again"))
			return
		}
		defer q.Close()
		for b := range q.out {
			if !yield(b, nil) {
				return
			}
			if borrowed {
				select {
				case q.free <- b.vecs:
				default:
				}
			}
		}
		<-q.done
		if q.err != nil {
			yield(Batch{}, q.err)
		}
	}
}

// EndInput ends the input of the query as if its sources had ended: all windows close,
// and the query ends by itself with their rows. It may be called from any goroutine; a
// query that has ended is not changed.
func (q *Query) EndInput() { q.job.EndInput() }

// Ready reports whether a result batch waits to be read: writers that buffer their
// output flush when nothing does.
func (q *Query) Ready() bool { return len(q.out) > 0 }

// Close stops the query, if it still runs, and waits for its end. It is idempotent.
func (q *Query) Close() error {
	q.closed.Store(true)
	q.halt()
	return nil
}

// halt stops the query and waits for its end.
func (q *Query) halt() {
	q.cancel()
	for range q.out { // unblocks a query that waits for a reader
	}
	<-q.done
}

// Err returns the error the query ended with, or nil while it runs or if it ended
// well. A query that was stopped by Close or by breaking out of Batches ended well.
func (q *Query) Err() error {
	select {
	case <-q.done:
		return q.err
	default:
		return nil
	}
}

// Watermark is the event time that the result has reached: no row at or before it
// will be added. ok is false before the first watermark; ended is true at the end of
// bounded input.
func (q *Query) Watermark() (t time.Time, ok, ended bool) {
	w := stream.Timestamp(q.reached.Load())
	return goTime(w), w != stream.MinWatermark, w == stream.MaxWatermark
}

// Stats reads the counters.
func (q *Query) Stats() Stats { return q.job.Stats() }

// Elapsed is the time since the start, up to the end.
func (q *Query) Elapsed() time.Duration {
	if n := q.ended.Load(); n > 0 {
		return time.Duration(n)
	}
	return time.Since(q.started)
}

// Late returns the rows that were dropped as late so far, in order. The first
// WithKeepLate rows are kept; Stats counts all.
func (q *Query) Late() iter.Seq[LateRow] {
	q.mu.Lock()
	rows := q.late
	q.mu.Unlock()
	return each(rows)
}

// Bad returns the input rows that were skipped so far because they cannot be read,
// in order. The first WithKeepLate rows are kept; Stats counts all.
func (q *Query) Bad() iter.Seq[BadRow] {
	q.mu.Lock()
	rows := q.bad
	q.mu.Unlock()
	return each(rows)
}

func each[T any](rows []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, r := range rows {
			if !yield(r) {
				return
			}
		}
	}
}

func (q *Query) addLate(r LateRow) {
	if f := q.engine.cfg.onLate; f != nil {
		f(r)
	}
	q.mu.Lock()
	if len(q.late) < q.engine.cfg.keepLate {
		q.late = append(q.late, r)
	}
	q.mu.Unlock()
}

func (q *Query) addBad(_ string, r BadRow) {
	if f := q.engine.cfg.onBad; f != nil {
		f(r)
	}
	q.mu.Lock()
	if len(q.bad) < q.engine.cfg.keepLate {
		q.bad = append(q.bad, r)
	}
	q.mu.Unlock()
}
