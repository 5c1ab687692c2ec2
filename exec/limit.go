package exec

import (
	"context"
	"math"
	"sort"

	"streamsql/connector"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// limit passes some rows by their number. Where nothing else depends on the input
// going on, it ends the query with the last row it passes: an endless source stops at
// once.
type limit struct {
	env    *Env
	stops  bool
	want   int64 // rows to pass, from the plan
	offset int64
	seen   limitState
	schema stream.Schema
	out    stream.Batch
	cut    stream.Batch
	sel    []int32
	after  []stream.Timestamp
}

func newLimit(p *physical.Limit) (Operator, error) {
	return &limit{want: p.Count, offset: p.Offset, schema: p.Schema}, nil
}

// limitState is the number of rows that have come.
type limitState struct{ rows int64 }

// Snapshot implements state.Object.
func (s *limitState) Snapshot(e *stream.Encoder) { e.Int64(s.rows) }

// Restore implements state.Object.
func (s *limitState) Restore(d *stream.Decoder) error {
	s.rows = d.Int64()
	return d.Err()
}

// Bytes implements state.Object.
func (s *limitState) Bytes() int64 { return 0 }

// Rows implements state.Object.
func (s *limitState) Rows() int64 { return 0 }

// Open implements Operator.
func (o *limit) Open(_ context.Context, env *Env) error {
	o.env = env
	return env.State.Register("rows", 1, &o.seen)
}

// ProcessBatch implements Operator.
func (o *limit) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	if o.reached() {
		return connector.ErrEnough
	}
	live := int64(b.Live())
	from := min(max(o.offset-o.seen.rows, 0), live)
	to := min(max(o.end()-o.seen.rows, 0), live)
	o.seen.rows += live
	o.env.Counters.Used.Add(to - from)
	if !o.reached() {
		o.env.Counters.Filtered.Add(live - (to - from))
		o.out = *b
		o.choose(b, from, to)
		return out.Batch(ctx, &o.out)
	}
	// The query ends with this row: neither the mark that it raises nor anything behind
	// it happens. Rows behind it do not count as rows that came.
	o.env.Counters.Filtered.Add(from)
	last := int(to - 1)
	if b.Sel != nil {
		last = int(b.Sel[last])
	}
	prefix(&o.cut, b, last+1)
	o.out = o.cut
	o.choose(b, from, to)
	m := o.out.Marks
	o.out.Marks = m[:sort.Search(len(m), func(i int) bool { return int(m[i].Pos) > last })]
	if b.After != nil {
		o.after = append(o.after[:0], b.After[:last]...)
		before := stream.MinWatermark
		if last > 0 {
			before = b.After[last-1]
		}
		o.after = append(o.after, before)
		o.out.After = o.after
	}
	o.out.Thru = b.Ordinal(last)
	if err := out.Batch(ctx, &o.out); err != nil {
		return err
	}
	return Fail(b.Ordinal(last), connector.ErrEnough)
}

// unread implements unreader: rows behind the last one may have its ordinal.
func (o *limit) unread(int64) {
	c := o.env.Counters
	c.In.Store(c.Used.Load() + c.Filtered.Load())
}

// end is the number of the row behind the last one that passes.
func (o *limit) end() int64 { return satAdd(o.offset, o.want) }

// reached reports whether the query is to end.
func (o *limit) reached() bool { return o.stops && o.seen.rows >= o.end() }

// choose selects the live rows [from, to) of b.
func (o *limit) choose(b *stream.Batch, from, to int64) {
	switch {
	case to-from == int64(b.Live()):
	case b.Sel != nil:
		o.out.Sel = b.Sel[from:to]
	default:
		o.sel = o.sel[:0]
		for i := from; i < to; i++ {
			o.sel = append(o.sel, int32(i))
		}
		o.out.Sel = o.sel
		if o.out.Sel == nil {
			o.out.Sel = none
		}
	}
}

// Finish sends the end of event time where the limit has cut it off, so that what is
// above closes its windows.
func (o *limit) Finish(ctx context.Context, out Output) error {
	if !o.reached() {
		return nil
	}
	o.out = stream.Batch{
		Cols: emptyColumns(nil, o.schema), Thru: unbounded,
		Marks: []stream.Mark{{Ord: unbounded, W: stream.MaxWatermark}},
	}
	return out.Batch(ctx, &o.out)
}

// unbounded is the ordinal behind all others.
const unbounded = math.MaxInt64

// Close implements Operator.
func (o *limit) Close() error { return nil }
