package exec

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/stream"
)

// unionAll merges its inputs by ordinal, then port. It sends what has an ordinal up to
// the least Thru of its ports, and as watermark the minimum of theirs. A batch that
// nothing else can interleave with passes without a copy; that is the common case
// where the inputs are different sources.
type unionAll struct {
	env   *Env
	merge *merger
	marks []stream.Mark
	out   stream.Batch
}

func newUnionAll(p *physical.UnionAll) (Operator, error) {
	if len(p.Sources) == 0 {
		return nil, badPlan(p, "no inputs")
	}
	return &unionAll{merge: newMerger(len(p.Sources), p.Schema)}, nil
}

// Open implements Operator.
func (o *unionAll) Open(_ context.Context, env *Env) error {
	o.env = env
	return env.State.Register("merge", 1, counted{o.merge})
}

// counted is a merger whose ports are only used by add, so that what waits need not be
// gone through to know its size.
type counted struct{ *merger }

// Bytes implements state.Object.
func (c counted) Bytes() int64 { return c.held }

// Rows implements state.Object.
func (c counted) Rows() int64 { return c.heldRows }

// ProcessBatch implements Operator.
func (o *unionAll) ProcessBatch(ctx context.Context, port int, b *stream.Batch, out Output) error {
	m := o.merge
	o.env.Counters.Used.Add(int64(b.Live()))
	before := m.watermark
	var send *stream.Batch
	if m.alone(port, b) {
		o.pass(port, b)
		send = &o.out
	} else {
		send = m.add(port, b)
	}
	if m.watermark > before {
		o.env.Counters.Watermark.Store(int64(m.watermark))
	}
	if send == nil {
		return nil
	}
	err := out.Batch(ctx, send)
	m.recycle()
	return err
}

// pass makes out a header over b, with the marks that raise the minimum.
func (o *unionAll) pass(port int, b *stream.Batch) {
	m := o.merge
	p := &m.ports[port]
	m.reach(p, b.Thru)
	o.out = *b
	o.out.Thru = m.least()
	if !b.HasMarks() {
		return
	}
	others := m.othersMinimum(port)
	top := b.LastMark(p.wm)
	if others >= top {
		// This port alone holds the minimum back: its marks are those of the output.
		m.raise(p, top)
		m.watermark = max(m.watermark, top)
		return
	}
	o.marks = o.marks[:0]
	for cursor := 0; ; {
		k, next, ok := b.NextMark(cursor, p.wm, stream.MinWatermark)
		if !ok {
			break
		}
		cursor = next
		m.raise(p, k.W)
		if w := min(k.W, others); w > m.watermark {
			m.watermark = w
			o.marks = append(o.marks, stream.Mark{Pos: k.Pos, Ord: k.Ord, W: w})
		}
	}
	o.out.Marks, o.out.After = o.marks, nil
}

// Finish implements Operator.
func (o *unionAll) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *unionAll) Close() error { return nil }
