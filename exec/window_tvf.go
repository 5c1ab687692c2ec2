package exec

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// windowTVF appends window_start, window_end and window_time to every row. It knows
// no lateness and no state.
type windowTVF struct {
	plan *physical.WindowTVF
	env  *Env

	out   stream.Batch
	front stream.Batch
	props [3]stream.Vec
	grid  window.Grid
	local []int64
}

func newWindowTVF(p *physical.WindowTVF) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &windowTVF{plan: p}, nil
}

func (o *windowTVF) Open(_ context.Context, env *Env) error {
	o.env = env
	o.grid = gridOf(o.plan.Window, o.plan.Input, o.plan.Time, env)
	return nil
}

func (o *windowTVF) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	if row := firstNull(&b.Cols[o.plan.Time], b); row >= 0 {
		if err := o.assign(ctx, before(&o.front, b, b.Ordinal(row)), out); err != nil {
			return err
		}
		return nullTime(o.plan.Info(), o.plan.Input, o.plan.Time, b.Ordinal(row))
	}
	return o.assign(ctx, b, out)
}

func (o *windowTVF) assign(ctx context.Context, b *stream.Batch, out Output) error {
	times := &b.Cols[o.plan.Time]
	in := len(b.Cols)
	for k := range o.props {
		t := o.plan.Schema.Fields[in+k].Type
		if times.Enc == stream.Const {
			o.props[k].ResetConst(t)
		} else {
			o.props[k].Reset(t, b.N)
		}
	}
	o.fill(localTimes(o.grid, times, &o.local), b, times.Enc == stream.Const)
	cols := append(append(o.out.Cols[:0], b.Cols...), o.props[:]...)
	o.out = *b
	o.out.Cols = cols
	o.env.Counters.Used.Add(int64(b.Live()))
	return out.Batch(ctx, &o.out)
}

// fill writes the windows of the live rows; neighbours mostly share one.
func (o *windowTVF) fill(times []int64, b *stream.Batch, constant bool) {
	starts, ends, last := stream.Values[int64](&o.props[0]), stream.Values[int64](&o.props[1]), stream.Values[int64](&o.props[2])
	var start, end, shown int64
	put := func(i int) {
		if t := times[i]; t < start || t >= end {
			start, end = o.grid.Range(t)
			shown = o.grid.Time(end)
			if o.plan.Processing {
				shown = o.env.Clock()
			}
		}
		starts[i], ends[i], last[i] = start, end, shown
	}
	switch {
	case constant:
		put(0)
	case b.Sel == nil:
		for i := range b.N {
			put(i)
		}
	default:
		for _, i := range b.Sel {
			put(int(i))
		}
	}
}

func (o *windowTVF) Finish(context.Context, Output) error { return nil }
func (o *windowTVF) Close() error                         { return nil }
