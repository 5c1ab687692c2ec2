package exec

import (
	"context"

	"streamsql/connector"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// sink writes to the table of INSERT INTO. What it wrote is committed at the end of
// the input and nowhere else.
type sink struct {
	env    *Env
	target connector.Sink
	writer connector.Writer
	commit bool
	dirty  bool // rows were written since the last flush
}

func newSink(p *physical.Sink, open func(int) (connector.Sink, error)) (Operator, error) {
	if open == nil {
		return nil, badPlan(p, "no sinks are given")
	}
	s, err := open(p.Handle)
	if err != nil {
		return nil, err
	}
	return &sink{target: s}, nil
}

// Open implements Operator.
func (o *sink) Open(ctx context.Context, env *Env) (err error) {
	o.env = env
	o.writer, err = o.target.Open(ctx)
	return err
}

// ProcessBatch implements Operator.
func (o *sink) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, _ Output) error {
	n := b.Live()
	if n == 0 {
		return nil
	}
	o.dirty = true
	o.env.Counters.Used.Add(int64(n))
	return o.writer.Write(ctx, b)
}

// idle makes visible what is written.
func (o *sink) idle(ctx context.Context) error {
	if !o.dirty {
		return nil
	}
	o.dirty = false
	return o.writer.Flush(ctx)
}

// Finish implements Operator.
func (o *sink) Finish(ctx context.Context, _ Output) error {
	if err := o.writer.Flush(ctx); err != nil {
		return err
	}
	o.commit = true
	return nil
}

// Close implements Operator.
func (o *sink) Close() error {
	if o.writer == nil {
		return nil
	}
	return o.writer.Close(o.commit)
}
