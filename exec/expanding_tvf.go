package exec

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// expandingTVF sends each row once for each of its HOP or CUMULATE windows, with the
// edges of the window. It knows no lateness and no state.
type expandingTVF struct {
	plan *physical.WindowTVF
	env  *Env
	grid window.Grid

	marks watermarkState
	front stream.Batch
	local []int64
	out   firing
	from  []int32 // rows of the input, one for each row of the output
	wins  []edges
	cut   cutter
}

func newExpandingTVF(p *physical.WindowTVF) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &expandingTVF{plan: p}, nil
}

func (o *expandingTVF) Open(_ context.Context, env *Env) error {
	o.env = env
	o.grid = gridOf(o.plan.Window, o.plan.Input, o.plan.Time, env)
	o.out.init(o.plan.Schema, env.BatchSize)
	o.marks.w = stream.MinWatermark
	return env.State.Register("watermark", 1, &o.marks)
}

func (o *expandingTVF) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	if row := firstNull(&b.Cols[o.plan.Time], b); row >= 0 {
		if err := o.assign(ctx, before(&o.front, b, b.Ordinal(row)), out); err != nil {
			return err
		}
		return nullTime(o.plan.Info(), o.plan.Input, o.plan.Time, b.Ordinal(row))
	}
	return o.assign(ctx, b, out)
}

func (o *expandingTVF) assign(ctx context.Context, b *stream.Batch, out Output) error {
	o.begin(b.Base)
	times := localTimes(o.grid, &b.Cols[o.plan.Time], &o.local)
	o.cut.start(b, o.marks.w)
	n := b.Live()
	for k := 0; ; k++ {
		limit := int32(b.N)
		if k < n {
			limit = int32(liveRow(b, k))
		}
		o.out.batch.Marks = o.cut.pass(limit, &o.marks.w, o.out.batch.Marks, len(o.from))
		if k == n {
			break
		}
		t := times[0]
		if len(times) > 1 {
			t = times[limit]
		}
		if err := o.expand(ctx, b, limit, t, out); err != nil {
			return err
		}
	}
	o.env.Counters.Used.Add(int64(n))
	return o.send(ctx, b, out, b.Thru)
}

func (o *expandingTVF) begin(base int64) {
	o.out.begin(base)
	o.from, o.wins = o.from[:0], o.wins[:0]
}

// expand notes the windows of one row: those of HOP last one first, those of CUMULATE
// shortest first, as Flink sends them.
func (o *expandingTVF) expand(ctx context.Context, b *stream.Batch, row int32, t int64, out Output) error {
	w := o.plan.Window
	first, last := w.Range(t)
	step := func(e edges) error {
		if len(o.from) >= o.out.size {
			if err := o.send(ctx, b, out, b.Ordinal(int(row))-1); err != nil {
				return err
			}
			o.begin(b.Base)
		}
		o.from, o.wins = append(o.from, row), append(o.wins, e)
		return nil
	}
	if w.Kind == window.Cumulate {
		for end := window.Start(t, w.Offset, w.Slide) + w.Slide; end <= last; end += w.Slide {
			if err := step(edges{first, end}); err != nil {
				return err
			}
		}
		return nil
	}
	for ; first > t-w.Size; first -= w.Slide {
		if err := step(edges{first, first + w.Size}); err != nil {
			return err
		}
	}
	return nil
}

// send writes the noted rows out.
func (o *expandingTVF) send(ctx context.Context, b *stream.Batch, out Output, thru int64) error {
	n := len(o.from)
	o.out.batch.Kinds = nil
	if n > 0 {
		cols := o.out.cols
		in := len(b.Cols)
		listed := stream.Batch{N: b.N, Sel: o.from}
		for c := range b.Cols {
			cols[c].Reset(b.Cols[c].Type, n)
			appendRun(&cols[c], 0, n, &b.Cols[c], &listed, 0, n)
		}
		for c := in; c < in+3; c++ {
			cols[c].Reset(o.plan.Schema.Fields[c].Type, n)
		}
		starts, ends, shown := stream.Values[int64](&cols[in]), stream.Values[int64](&cols[in+1]), stream.Values[int64](&cols[in+2])
		for k, w := range o.wins {
			starts[k], ends[k], shown[k] = w.start, w.end, o.grid.Time(w.end)
		}
		if o.plan.Processing {
			for k := range shown {
				shown[k] = o.env.Clock()
			}
		}
		for _, i := range o.from {
			o.out.ords = append(o.out.ords, b.Ordinal(int(i)))
		}
		o.out.batch.N = n
		if b.Kinds != nil {
			kinds := make([]stream.RowKind, n)
			for k, i := range o.from {
				kinds[k] = b.Kinds[i]
			}
			o.out.batch.Kinds = kinds
		}
	}
	return o.out.flush(ctx, out, thru)
}

func (o *expandingTVF) Finish(context.Context, Output) error { return nil }
func (o *expandingTVF) Close() error                         { return nil }
