package streamsql

import (
	"context"
	"reflect"
	"sync"
	"time"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
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
	fields []columnField
	err    error // T does not fit

	mu       sync.Mutex
	queries  []*pushed
	attached chan struct{} // closed when the first query reads
	ended    bool
	endErr   error
	rowtime  int
}

// pushed is one query that reads a Push.
type pushed struct {
	columns []int
	feed    func(context.Context, *stream.Batch) error
	end     func(error)
	batch   stream.Batch
	gone    error // the query ended; rows are not for it any more
}

// NewPush returns a source for rows of type T.
func NewPush[T any]() *Push[T] {
	p := &Push[T]{attached: make(chan struct{})}
	p.schema, p.fields, p.err = schemaOf(reflect.TypeFor[T]())
	return p
}

// Schema implements connector.Source.
func (p *Push[T]) Schema() stream.Schema { return p.schema }

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
	p.queries = append(p.queries, &pushed{columns: o.Columns, feed: feed, end: end,
		batch: stream.Batch{Cols: make([]stream.Vec, len(o.Columns))}})
	if len(p.queries) == 1 {
		select {
		case <-p.attached:
		default:
			close(p.attached)
		}
	}
	return nil
}

// Send hands rows to the queries that read the source, in order, and returns when
// they have taken them. It never drops a row: while no query reads the source it
// waits for one, until ctx ends. When every query has ended it returns their error,
// or an error with code Closed.
func (p *Push[T]) Send(ctx context.Context, rows ...T) error {
	return p.deliver(ctx, func(q *pushed) {
		b := &q.batch
		b.Clear()
		b.N = len(rows)
		for i, c := range q.columns {
			fillColumn(&b.Cols[i], p.schema.Fields[c].Type, p.fields[c], rows)
		}
	})
}

// Advance raises the watermark of the source to t: no row with an event time at or
// before t will follow; later ones that do are late. An earlier t changes nothing.
func (p *Push[T]) Advance(ctx context.Context, t time.Time) error {
	return p.deliver(ctx, func(q *pushed) {
		q.batch.Clear()
		q.batch.Marks = append(q.batch.Marks, stream.Mark{W: stream.Timestamp(t.UnixMilli())})
	})
}

// deliver fills a batch for each query and feeds it.
func (p *Push[T]) deliver(ctx context.Context, fill func(*pushed)) error {
	if p.err != nil {
		return p.err
	}
	select {
	case <-p.attached:
	case <-ctx.Done():
		return canceled(ctx.Err())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return diag.New(diag.Closed, diag.Span{}, "the source has ended").WithHint("send before End")
	}
	var failed error
	open := 0
	for _, q := range p.queries {
		if q.gone == nil {
			fill(q)
			q.gone = q.feed(ctx, &q.batch)
		}
		if q.gone == nil {
			open++
		} else if failed == nil {
			failed = q.gone
		}
	}
	if open > 0 {
		return nil
	}
	if failed == connector.ErrEnough {
		return diag.New(diag.Closed, diag.Span{}, "no query wants more rows of this source").Wrap(failed)
	}
	return failed
}

// End ends the source: with nil, input is over and all windows close; with an error
// the queries fail with it. Further calls change nothing.
func (p *Push[T]) End(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended, p.endErr = true, err
	for _, q := range p.queries {
		q.end(err)
	}
}

// fillColumn writes one field of all rows.
func fillColumn[T any](v *stream.Vec, t types.Type, f columnField, rows []T) {
	v.Reset(t, len(rows))
	for i := range rows {
		field := reflect.ValueOf(&rows[i]).Elem().FieldByIndex(f.Index)
		if field.Kind() == reflect.Pointer {
			if field.IsNil() {
				v.Put(i, len(rows), types.NullValue)
				continue
			}
			field = field.Elem()
		}
		v.Put(i, len(rows), goValue(field, t))
	}
}

func goValue(f reflect.Value, t types.Type) types.Value {
	switch {
	case t.IsTimestamp():
		return types.IntValue(f.Interface().(time.Time).UnixMilli())
	case t.Kind == types.IntervalDay:
		return types.IntValue(f.Int() / int64(time.Millisecond))
	}
	switch f.Kind() {
	case reflect.Bool:
		return types.BoolValue(f.Bool())
	case reflect.Float32, reflect.Float64:
		return types.FloatValue(f.Float())
	case reflect.String:
		return types.TextValue(f.String())
	case reflect.Slice:
		return types.TextValue(string(f.Bytes()))
	}
	return types.IntValue(f.Int())
}
