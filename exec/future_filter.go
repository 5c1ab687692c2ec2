package exec

import (
	"context"
	"strings"

	"streamsql/connector"
	"streamsql/expr/builtin"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// futureFilter drops rows whose event time is further ahead of the clock than the table
// allows: one clock that is wrong would raise the watermark for all, and make every
// other row late. Such a row is a bad row of its source.
type futureFilter struct {
	plan *physical.FutureFilter
	env  *Env
	out  stream.Batch
	keep []int32
}

func newFutureFilter(p *physical.FutureFilter) (Operator, error) {
	if p.Max <= 0 {
		return nil, badPlan(p, "the limit is %d", p.Max)
	}
	return &futureFilter{plan: p, keep: []int32{}}, nil
}

// Open implements Operator.
func (o *futureFilter) Open(_ context.Context, env *Env) error {
	o.env = env
	return nil
}

// ProcessBatch implements Operator.
func (o *futureFilter) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	times := &b.Cols[o.plan.Time]
	limit := satAdd(o.env.Now(), o.plan.Max)
	if times.Type.Kind != types.TimestampLTZ && o.env.Zone != nil {
		limit = satAdd(limit, o.env.Zone.Offset(limit))
	}
	o.out = *b
	if b.Live() > 0 && times.Type.Kind != types.Null && int64(highest(times, b, stream.MinWatermark)) > limit {
		o.drop(b, times, limit)
	}
	o.env.Counters.Used.Add(int64(o.out.Live()))
	return out.Batch(ctx, &o.out)
}

// drop leaves out the rows above the limit. A time that is NULL is not above it.
func (o *futureFilter) drop(b *stream.Batch, times *stream.Vec, limit int64) {
	vals := stream.Values[int64](times)
	o.keep = o.keep[:0]
	for k := range b.Live() {
		row := liveRow(b, k)
		if vals[times.At(row)] <= limit || times.IsNull(row) {
			o.keep = append(o.keep, int32(row))
			continue
		}
		o.report(b, row)
	}
	o.env.Counters.Filtered.Add(int64(b.Live() - len(o.keep)))
	o.out.Sel = o.keep
}

// report hands a row to whoever takes the bad rows of the query.
func (o *futureFilter) report(b *stream.Batch, row int) {
	if o.env.bad == nil {
		return
	}
	r := connector.BadRow{Column: o.plan.Schema.Fields[o.plan.Time].Name, Reason: "future"}
	r.File, r.Line = b.OriginOf(row)
	var text strings.Builder
	var buf []byte
	for c := range b.Cols {
		if c > 0 {
			text.WriteByte(',')
		}
		if v := &b.Cols[c]; !v.IsNull(row) {
			buf = builtin.AppendText(buf[:0], v, row, o.env.Zone)
			text.Write(buf)
		}
	}
	r.Text = text.String()
	o.env.bad(o.plan.Table, r)
}

// Finish implements Operator.
func (o *futureFilter) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *futureFilter) Close() error { return nil }
