package exec

import (
	"context"
	"errors"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// project computes columns. Rows, marks and ordinals stay.
type project struct {
	env     *Env
	exprs   []expr.Expr
	program *eval.Program
	moment  eval.Env
	before  watermarkState
	cols    []stream.Vec
	out     stream.Batch
	cut     stream.Batch
	early   *earlyProject // work done for the next batch
}

func newProject(p *physical.Project) (Operator, error) {
	return &project{exprs: p.Exprs}, nil
}

// Open implements Operator.
func (o *project) Open(_ context.Context, env *Env) (err error) {
	o.env = env
	o.moment.Now = env.Now
	o.before.w = stream.MinWatermark
	o.cols = make([]stream.Vec, len(o.exprs))
	if o.program, err = eval.Compile(o.exprs, env.Zone); err != nil {
		return err
	}
	return env.State.Register("watermark", 1, &o.before)
}

// ProcessBatch implements Operator.
func (o *project) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.moment.Watermark = o.before.w
	o.before.w = b.LastMark(o.before.w)
	cols := o.cols
	var bad error
	if done := o.early; done != nil && done.rows == b.N {
		cols = done.columns(b)
	} else if err := o.program.Run(b, &o.moment, cols); err != nil {
		if b, bad = failAt(&o.cut, b, err); b == nil {
			return bad
		}
	}
	o.early = nil
	o.out = *b
	o.out.Cols = cols
	o.env.Counters.Used.Add(int64(b.Live()))
	if err := out.Batch(ctx, &o.out); err != nil {
		return err
	}
	return bad
}

// unread implements unreader.
func (o *project) unread(int64) { o.env.Counters.Used.Store(o.env.Counters.In.Load()) }

// Finish implements Operator.
func (o *project) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *project) Close() error { return nil }

// failAt splits b at the row that an evaluation failed at: it returns what stands
// before it, as a header in cut, and the failure to return after that has been sent. A
// failure without a row gives no batch.
func failAt(cut, b *stream.Batch, err error) (*stream.Batch, error) {
	var e *eval.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	ord := b.Ordinal(e.Row)
	prefix(cut, b, e.Row)
	cut.Thru = ord - 1
	return cut, Fail(ord, e.Diag)
}
