package exec

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// processingTime puts rows on processing time: their time is the clock that the driver
// has read before their batch, and the watermark behind it is that of the clock, which
// only ticks raise. Watermarks of event time end here.
type processingTime struct {
	plan *physical.ProcessingTime
	env  *Env
	out  stream.Batch
	time stream.Vec
	mark [1]stream.Mark
	sent watermarkState // the clock's watermark
}

func newProcessingTime(p *physical.ProcessingTime) (Operator, error) {
	if t := p.Schema.Fields[p.Time].Type; t.Kind != types.TimestampLTZ {
		return nil, badPlan(p, "processing time is %s", t)
	}
	return &processingTime{plan: p}, nil
}

// Open implements Operator.
func (o *processingTime) Open(_ context.Context, env *Env) error {
	o.env = env
	o.sent.w = stream.MinWatermark
	return env.State.Register("clock", 1, &o.sent)
}

// ProcessBatch implements Operator.
func (o *processingTime) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	cols := append(o.out.Cols[:0], b.Cols...)
	o.out = *b
	o.out.Cols, o.out.Marks, o.out.After = cols, nil, nil
	o.time.Reset(b.Cols[o.plan.Time].Type, b.N)
	// The clock may have been put back since a restored state was written.
	now := max(o.env.Clock(), satAdd(int64(o.sent.w), 1))
	times := stream.Values[int64](&o.time)
	for i := range b.N {
		times[i] = now
	}
	o.out.Cols[o.plan.Time] = o.time
	if b.HasMarks() && b.LastMark(stream.MinWatermark) == stream.MaxWatermark {
		last := b.Marks[len(b.Marks)-1]
		o.mark[0] = stream.Mark{Pos: int32(b.N), Ord: last.Ord, W: last.W}
		o.out.Marks = o.mark[:]
	}
	o.env.Counters.Used.Add(int64(b.Live()))
	return out.Batch(ctx, &o.out)
}

// tick raises the watermark to the last millisecond that is over.
func (o *processingTime) tick(ctx context.Context, now, ord int64, out Output) error {
	w := stream.Timestamp(now - 1)
	if w <= o.sent.w {
		return nil
	}
	o.sent.w = w
	o.mark[0] = stream.Mark{Ord: ord, W: w}
	o.out = stream.Batch{Cols: emptyColumns(o.out.Cols, o.plan.Schema), Marks: o.mark[:], Base: ord, Thru: ord}
	return out.Batch(ctx, &o.out)
}

// Finish implements Operator.
func (o *processingTime) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *processingTime) Close() error { return nil }

// clockWindows is an operator with windows of processing time. As in Flink the end of
// input closes none of them: what is still open has no result.
type clockWindows struct {
	Operator
	schema stream.Schema
	cut    stream.Batch
	last   stream.Batch
}

// ProcessBatch implements Operator.
func (o *clockWindows) ProcessBatch(ctx context.Context, port int, b *stream.Batch, out Output) error {
	n := len(b.Marks)
	if n == 0 || b.Marks[n-1].W != stream.MaxWatermark {
		return o.Operator.ProcessBatch(ctx, port, b, out)
	}
	end := b.Marks[n-1]
	o.cut = *b
	o.cut.Marks, o.cut.Thru = b.Marks[:n-1], end.Ord-1
	if err := o.Operator.ProcessBatch(ctx, port, &o.cut, out); err != nil {
		return err
	}
	o.last.Clear()
	o.last.Cols = emptyColumns(o.last.Cols, o.schema)
	o.last.Marks = append(o.last.Marks[:0], stream.Mark{Ord: end.Ord, W: end.W})
	o.last.Base, o.last.Thru = end.Ord, b.Thru
	return out.Batch(ctx, &o.last)
}

// report implements reporter.
func (o *clockWindows) report() { o.Operator.(reporter).report() }

// settle implements settler.
func (o *clockWindows) settle() (bool, error) {
	if s, ok := o.Operator.(settler); ok {
		return s.settle()
	}
	return false, nil
}

// byClock makes an operator with windows of processing time of one with windows.
func byClock(op Operator, processing bool, schema stream.Schema) Operator {
	if !processing || op == nil {
		return op
	}
	return &clockWindows{Operator: op, schema: schema}
}
