package streamsql

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"

	"streamsql/connector"
	"streamsql/expr/govalue"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Push is a source that Go code feeds with rows: register it with RegisterSource,
// query it, then Send. T is a struct; its exported fields are the columns, named by
// the tag `sql:"name"` or the field. Types: bool, int8 to int64, float32, float64,
// string, []byte, time.Time (TIMESTAMP(3): the UTC wall clock), time.Duration (a
// day-time interval); a pointer field is nullable.
//
// A row runs through the plan in the goroutine that sends it; Send returns when the
// query has taken it. Send waits while no query reads the source, and while the
// query's results wait for their reader. Several queries may read one Push: each
// sees the rows sent since it started. The methods may be called from any goroutine.
type Push[T any] struct {
	schema stream.Schema
	fields []accessor // one per column
	size   uintptr    // of a row
	nested bool       // some field is a slice, map or struct
	err    error      // T does not fit

	attached chan struct{} // closed when the first query reads

	busy    chan struct{} // holds one value while somebody sends or ends: a mutex that can be waited for until a context ends
	queries []*pushed     // only while busy

	mu     sync.Mutex // never held for long
	joined []*pushed  // queries that started since the last row
	ended  bool
	endErr error
}

// pushed is one query that reads a Push.
type pushed struct {
	columns []int
	feed    func(context.Context, *stream.Batch) error
	end     func(error)
	batch   stream.Batch
	gone    error // the query ended; rows are not for it any more
}

// NewPush returns a source for rows of type T. Slices become ARRAY, maps MAP (entries in
// the order of their keys) and structs ROW columns.
func NewPush[T any]() *Push[T] {
	p := &Push[T]{busy: make(chan struct{}, 1), attached: make(chan struct{})}
	t := reflect.TypeFor[T]()
	p.size = t.Size()
	var fields []govalue.Field
	p.schema, fields, p.err = schemaOf(t)
	for i, f := range fields {
		if p.err == nil {
			var a accessor
			a, p.err = newAccessor(t, f, p.schema.Fields[i].Type)
			p.fields = append(p.fields, a)
			p.nested = p.nested || a.form == inNested
		}
	}
	return p
}

// Schema implements connector.Source.
func (p *Push[T]) Schema() stream.Schema { return p.schema }

// fault says why T does not fit.
func (p *Push[T]) fault() error { return p.err }

// Traits implements connector.Source: a Push is live, ends by End, and may send
// watermarks with Advance.
func (p *Push[T]) Traits() connector.Traits {
	return connector.Traits{Bounded: true, Live: true, Watermarks: true}
}

// Open implements connector.Source; a Push is attached, never opened.
func (p *Push[T]) Open(context.Context, connector.OpenOptions) (connector.Reader, error) {
	return nil, diag.New(diag.Unsupported, diag.Span{}, "a pushed source cannot be read by pulling")
}

// Attach implements connector.Pushed.
func (p *Push[T]) Attach(o connector.OpenOptions, feed func(context.Context, *stream.Batch) error, end func(error)) error {
	if p.err != nil {
		return p.err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		end(p.endErr)
		return nil
	}
	p.joined = append(p.joined, &pushed{columns: o.Columns, feed: feed, end: end,
		batch: stream.Batch{Cols: make([]stream.Vec, len(o.Columns))}})
	select {
	case <-p.attached:
	default:
		close(p.attached)
	}
	return nil
}

// Send hands rows to the queries that read the source, in order, and returns when
// they have taken them. It never drops a row: while no query reads the source it
// waits for one, until ctx ends. A query whose results nobody reads takes rows until its
// result buffer is full: then Send waits for it, also beyond the end of ctx, until the
// results are read or the query is closed or canceled. If ctx ends before the rows are taken, no query has
// them, and they can be sent again. When every query has ended it returns their error,
// or an error with code Closed.
func (p *Push[T]) Send(ctx context.Context, rows ...T) error {
	if err := p.lock(ctx); err != nil {
		return err
	}
	defer p.unlock()
	var kept []T // rows that reflection may look at: those of plain fields need not leave the caller's stack
	if p.nested {
		kept = slices.Clone(rows)
	}
	for {
		taken := false
		for _, q := range p.queries {
			if q.gone != nil {
				continue
			}
			b := &q.batch
			b.Clear()
			b.N = len(rows)
			for i, c := range q.columns {
				if a := &p.fields[c]; a.form == inNested {
					a.nested(&b.Cols[i], unsafe.Pointer(unsafe.SliceData(kept)), len(kept), p.size)
				} else {
					a.fill(&b.Cols[i], unsafe.Pointer(unsafe.SliceData(rows)), len(rows), p.size)
				}
			}
			if err := q.take(ctx, taken); err != nil {
				return err
			}
			taken = true
		}
		if over, err := p.outcome(); over {
			return err
		}
	}
}

// Advance raises the watermark of the source to t: no row with an event time at or
// before t will follow; later ones that do are late. An earlier t changes nothing.
func (p *Push[T]) Advance(ctx context.Context, t time.Time) error {
	if err := p.lock(ctx); err != nil {
		return err
	}
	defer p.unlock()
	for {
		taken := false
		for _, q := range p.queries {
			if q.gone != nil {
				continue
			}
			q.batch.Clear()
			q.batch.Marks = append(q.batch.Marks, stream.Mark{W: stream.Timestamp(t.UnixMilli())})
			if err := q.take(ctx, taken); err != nil {
				return err
			}
			taken = true
		}
		if over, err := p.outcome(); over {
			return err
		}
	}
}

// take hands the query its batch. A query that is busy is waited for until ctx ends,
// which is the error; but what another query has taken, this one gets too.
func (q *pushed) take(ctx context.Context, taken bool) error {
	if taken {
		ctx = context.WithoutCancel(ctx)
	}
	err := q.feed(ctx, &q.batch)
	if err != nil && err == ctx.Err() {
		return canceled(err)
	}
	q.gone = err
	return nil
}

// lock waits for the first query and takes the source, unless it returns an error.
func (p *Push[T]) lock(ctx context.Context) error {
	if p.err != nil {
		return p.err
	}
	select {
	case <-p.attached:
	default:
		select {
		case <-p.attached:
		case <-ctx.Done():
			return canceled(ctx.Err())
		}
	}
	select { // whoever is free to send sends, even if ctx has ended by now
	case p.busy <- struct{}{}:
	default:
		select {
		case p.busy <- struct{}{}:
		case <-ctx.Done():
			return canceled(ctx.Err())
		}
	}
	if p.ended { // written while busy
		p.unlock()
		return diag.New(diag.Closed, diag.Span{}, "the source has ended").WithHint("send before End")
	}
	p.mu.Lock()
	p.join()
	p.mu.Unlock()
	return nil
}

// join makes those who read p.queries see the queries that started meanwhile.
func (p *Push[T]) join() {
	if len(p.joined) == 0 {
		return
	}
	p.queries = slices.DeleteFunc(p.queries, func(q *pushed) bool { return q.gone != nil })
	p.queries = append(p.queries, p.joined...)
	p.joined = nil
}

func (p *Push[T]) unlock() { <-p.busy }

// outcome is what a sender hears: nil as long as some query reads. It is not over if
// all have ended, and another has started meanwhile.
func (p *Push[T]) outcome() (over bool, err error) {
	for _, q := range p.queries {
		if q.gone == nil {
			return true, nil
		}
		if err == nil {
			err = q.gone
		}
	}
	p.mu.Lock()
	started := len(p.joined) > 0
	p.join()
	p.mu.Unlock()
	if started {
		return false, nil
	}
	stopped := diag.As(err)
	if err == connector.ErrEnough || stopped != nil && stopped.Code == diag.Canceled {
		err = diag.New(diag.Closed, diag.Span{}, "no query wants more rows of this source").WithHint("start a query, or stop sending")
	}
	return true, err
}

// End ends the source: with nil, input is over and all windows close; with an error
// the queries fail with it. Further calls change nothing.
func (p *Push[T]) End(err error) {
	p.busy <- struct{}{}
	defer p.unlock()
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return
	}
	p.ended, p.endErr = true, err
	p.join()
	p.mu.Unlock()
	for _, q := range p.queries {
		q.end(err)
	}
}
