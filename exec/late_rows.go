package exec

import (
	"context"
	"math"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// lateRows sends the rows that another operator drops as late, with the window they
// missed. The other operator runs inside; what it sends is thrown away.
type lateRows struct {
	plan  *physical.LateRows
	env   *Env
	judge Operator
	inner Env
	// What the judge counts is not what this operator does: its rows in time are filtered
	// out here.
	counters Counters

	times stream.Schema // of the appended columns
	rows  []int32
	start []int64
	end   []int64
	marks []stream.Timestamp
	cols  [4]stream.Vec
	out   stream.Batch
	front stream.Batch
}

func newLateRows(p *physical.LateRows, judge Operator) (Operator, error) {
	if len(p.Judge.Inputs()) != 1 || p.Judge.Inputs()[0] != p.Input {
		return nil, badPlan(p, "the judge reads another input")
	}
	return &lateRows{plan: p, judge: judge, rows: []int32{}}, nil
}

// Open implements Operator.
func (o *lateRows) Open(ctx context.Context, env *Env) error {
	o.env = env
	o.inner = *env
	o.inner.Counters = &o.counters
	o.inner.late, o.inner.kept = o.take, true
	fields := o.plan.Schema.Fields
	o.times.Fields = fields[len(fields)-len(o.cols):]
	return o.judge.Open(ctx, &o.inner)
}

// take notes rows that the judge drops.
func (o *lateRows) take(l *LateRows) {
	o.rows = append(o.rows, l.Rows...)
	o.start, o.end, o.marks = append(o.start, l.Start...), append(o.end, l.End...), append(o.marks, l.Watermark...)
}

// ProcessBatch implements Operator.
func (o *lateRows) ProcessBatch(ctx context.Context, port int, b *stream.Batch, out Output) error {
	o.rows, o.start, o.end, o.marks = o.rows[:0], o.start[:0], o.end[:0], o.marks[:0]
	err := o.judge.ProcessBatch(ctx, port, b, nowhere{})
	if ord := ordinalOf(err); err != nil {
		if ord == math.MaxInt64 {
			return err
		}
		b = before(&o.front, b, ord)
	}
	o.env.Counters.Used.Add(int64(len(o.rows)))
	count(&o.env.Counters.Filtered, b.Live()-len(o.rows))
	if e := o.send(ctx, b, out); e != nil {
		return e
	}
	return err
}

// send sends the late rows of b in their places, with the marks of b.
func (o *lateRows) send(ctx context.Context, b *stream.Batch, out Output) error {
	cols := append(o.out.Cols[:0], b.Cols...)
	if len(o.rows) == 0 {
		for i := range o.cols {
			o.cols[i].ResetConst(o.times.Fields[i].Type)
			clear(stream.Values[int64](&o.cols[i]))
		}
	} else {
		o.fill(b.N)
	}
	o.out = *b
	o.out.Cols = append(cols, o.cols[:]...)
	o.out.Sel = o.rows
	return out.Batch(ctx, &o.out)
}

// fill writes window_start, window_end, watermark and late_by.
func (o *lateRows) fill(n int) {
	var vals [4][]int64
	for i := range o.cols {
		o.cols[i].Reset(o.times.Fields[i].Type, n)
		vals[i] = stream.Values[int64](&o.cols[i])
	}
	for k, r := range o.rows {
		vals[0][r], vals[1][r] = o.local(o.start[k]), o.local(o.end[k]-1)+1
		vals[2][r] = int64(o.marks[k])
		vals[3][r] = satAdd(int64(o.marks[k]), 1-o.end[k])
	}
}

// local turns an instant into the wall clock time on which windows lie.
func (o *lateRows) local(t int64) int64 {
	if o.times.Fields[2].Type.Kind == types.TimestampLTZ && o.env.Zone != nil {
		return t + o.env.Zone.Offset(t)
	}
	return t
}

// Finish implements Operator.
func (o *lateRows) Finish(ctx context.Context, _ Output) error {
	return o.judge.Finish(ctx, nowhere{})
}

// Close implements Operator.
func (o *lateRows) Close() error { return o.judge.Close() }

// nowhere is an output that nobody reads.
type nowhere struct{}

// Batch implements Output.
func (nowhere) Batch(context.Context, *stream.Batch) error { return nil }

// Poll implements Output.
func (nowhere) Poll(ctx context.Context) error { return ctx.Err() }
