package exec

import (
	"context"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// filter keeps the rows for which a condition is TRUE. It only selects: marks stay at
// their places, also those of rows that are dropped.
type filter struct {
	env     *Env
	cond    expr.Expr
	program *eval.Program
	moment  eval.Env
	before  watermarkState
	sel     []int32
	out     stream.Batch
	cut     stream.Batch
	early   *earlyFilter // work done for the next batch
}

func newFilter(p *physical.Filter) (Operator, error) {
	return &filter{cond: p.Cond}, nil
}

// Open implements Operator.
func (o *filter) Open(_ context.Context, env *Env) (err error) {
	o.env = env
	o.moment.Now = env.Now
	o.before.w = stream.MinWatermark
	if o.program, err = eval.Compile([]expr.Expr{o.cond}, env.Zone); err != nil {
		return err
	}
	return env.State.Register("watermark", 1, &o.before)
}

// ProcessBatch implements Operator.
func (o *filter) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.moment.Watermark = o.before.w
	o.before.w = b.LastMark(o.before.w)
	var err, bad error
	var sel []int32
	if done := o.early; done != nil && done.rows == b.N {
		sel = done.sel
	} else {
		if o.sel, err = o.program.Filter(b, &o.moment, o.sel); err != nil {
			if b, bad = failAt(&o.cut, b, err); b == nil {
				return bad
			}
		}
		sel = o.sel
	}
	o.early = nil
	live, kept := b.Live(), len(sel)
	o.env.Counters.Used.Add(int64(kept))
	count(&o.env.Counters.Filtered, live-kept)
	if kept < live {
		o.out = *b
		o.out.Sel = chosen(b, sel)
		b = &o.out
	}
	if err := out.Batch(ctx, b); err != nil {
		return err
	}
	return bad
}

// unread implements unreader.
func (o *filter) unread(out int64) {
	c := o.env.Counters
	c.Filtered.Store(c.In.Load() - c.Used.Add(-out))
}

// chosen returns the selection for b of the rows sel, which are all or some of the live
// ones.
func chosen(b *stream.Batch, sel []int32) []int32 {
	switch {
	case len(sel) == b.Live():
		return b.Sel
	case sel == nil:
		return none
	}
	return sel
}

// Finish implements Operator.
func (o *filter) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *filter) Close() error { return nil }
