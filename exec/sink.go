package exec

import (
	"context"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// sink writes to the table of INSERT INTO. What it wrote is committed at the end of
// the input and nowhere else.
type sink struct {
	plan   *physical.Sink
	env    *Env
	target connector.Sink
	writer connector.Writer
	commit bool
	dirty  bool    // rows were written since the last flush
	before []int32 // the rows before one that is refused
	kept   []int32 // the rows but the old ones of updates
}

func newSink(p *physical.Sink, open func(int) (connector.Sink, error)) (Operator, error) {
	if open == nil {
		return nil, badPlan(p, "no sinks are given")
	}
	s, err := open(p.Handle)
	if err != nil {
		return nil, err
	}
	return &sink{plan: p, target: s}, nil
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
	if o.plan.Upsert && b.Kinds != nil {
		if b = o.withoutBefore(b); b.Live() == 0 {
			return nil
		}
		n = b.Live()
	}
	good, fault := o.required(b)
	if fault != nil {
		if good == 0 {
			return fault
		}
		o.before = appendLive(o.before[:0], b, good)
		cut := *b
		cut.Sel = o.before
		b, n = &cut, good
	}
	o.dirty = true
	o.env.Counters.Used.Add(int64(n))
	if err := o.writer.Write(ctx, b); err != nil {
		return err
	}
	return fault
}

// withoutBefore leaves the old rows of updates out.
func (o *sink) withoutBefore(b *stream.Batch) *stream.Batch {
	o.kept = o.kept[:0]
	for k := range b.Live() {
		if row := liveRow(b, k); b.Kinds[row] != stream.UpdateBefore {
			o.kept = append(o.kept, int32(row))
		}
	}
	left := int64(b.Live() - len(o.kept))
	if left == 0 {
		return b
	}
	o.env.Counters.Filtered.Add(left)
	cut := *b
	if cut.Sel = o.kept; cut.Sel == nil {
		cut.Sel = none
	}
	return &cut
}

// required refuses a NULL in a column that the table declares NOT NULL. It returns how
// many live rows stand before the first such row.
func (o *sink) required(b *stream.Batch) (good int, err error) {
	good = b.Live()
	for _, c := range o.plan.NotNull {
		v := &b.Cols[c]
		if v.Valid == nil && v.Type.Kind != types.Null {
			continue
		}
		for i := range good {
			row := i
			if b.Sel != nil {
				row = int(b.Sel[i])
			}
			if v.IsNull(row) {
				name := o.plan.Schema.Fields[c].Name
				good, err = i, diag.New(diag.Runtime, o.plan.Span, "column %q of table %q is NOT NULL, but a row has NULL there", name, o.plan.Table).
					WithHint("filter such rows: WHERE ... IS NOT NULL, or SET 'table.exec.sink.not-null-enforcer' = 'DROP'")
				break
			}
		}
	}
	return good, err
}

// appendLive appends the positions of the first n live rows.
func appendLive(dst []int32, b *stream.Batch, n int) []int32 {
	if b.Sel != nil {
		return append(dst, b.Sel[:n]...)
	}
	for i := range n {
		dst = append(dst, int32(i))
	}
	return dst
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
