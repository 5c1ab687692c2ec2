package exec

import (
	"context"
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// fromChangelog gives rows the kind that stands in one of their columns, and takes the
// column out.
type fromChangelog struct {
	plan  *physical.FromChangelog
	env   *Env
	cols  []stream.Vec
	kinds []stream.RowKind
	out   stream.Batch
	cut   stream.Batch
}

func newFromChangelog(p *physical.FromChangelog) (Operator, error) {
	return &fromChangelog{plan: p}, nil
}

// Open implements Operator.
func (o *fromChangelog) Open(_ context.Context, env *Env) error {
	o.env = env
	return nil
}

// ProcessBatch implements Operator.
func (o *fromChangelog) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.kinds = resize(o.kinds, b.N)
	op := &b.Cols[o.plan.Op]
	var fault error
	for k := range b.Live() {
		i := liveRow(b, k)
		kind, ok := o.kindOf(op, i)
		if !ok {
			ord := b.Ordinal(i)
			prefix(&o.cut, b, i)
			o.cut.Thru = ord - 1
			b, fault = &o.cut, Fail(ord, o.fault(op, i))
			break
		}
		o.kinds[i] = kind
	}
	o.env.Counters.Used.Add(int64(b.Live()))
	o.cols = append(append(o.cols[:0], b.Cols[:o.plan.Op]...), b.Cols[o.plan.Op+1:]...)
	o.out = *b
	o.out.Cols, o.out.Kinds = o.cols, o.kinds[:b.N]
	if err := out.Batch(ctx, &o.out); err != nil {
		return err
	}
	return fault
}

func (o *fromChangelog) kindOf(op *stream.Vec, i int) (stream.RowKind, bool) {
	if op.IsNull(i) {
		return 0, false
	}
	text := op.Bytes(i)
	for c := range o.plan.Codes {
		if code := &o.plan.Codes[c]; code.Code == string(text) {
			return code.Kind, true
		}
	}
	return 0, false
}

// fault is the error for a row whose code is not known.
func (o *fromChangelog) fault(op *stream.Vec, i int) error {
	found := "NULL"
	if !op.IsNull(i) {
		found = "'" + string(op.Bytes(i)) + "'"
	}
	var known []string
	for _, c := range o.plan.Codes {
		known = append(known, c.Code)
	}
	return diag.New(diag.Runtime, o.plan.Span, "FROM_CHANGELOG: column %q has %s, which stands for no change", o.plan.Input.Info().Schema.Fields[o.plan.Op].Name, found).
		WithHint("known are %s; give others with op_mapping => MAP['c', 'INSERT', ...]", strings.Join(known, ", "))
}

// Finish implements Operator.
func (o *fromChangelog) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *fromChangelog) Close() error { return nil }

// toChangelog makes a new row of each change, with its kind as first column.
type toChangelog struct {
	plan  *physical.ToChangelog
	env   *Env
	codes [4]string
	known [4]bool
	op    stream.Vec
	cols  []stream.Vec
	sel   []int32
	out   stream.Batch
}

func newToChangelog(p *physical.ToChangelog) (Operator, error) {
	o := &toChangelog{plan: p}
	for _, c := range p.Codes {
		o.codes[c.Kind], o.known[c.Kind] = c.Code, true
	}
	return o, nil
}

// Open implements Operator.
func (o *toChangelog) Open(_ context.Context, env *Env) error {
	o.env = env
	return nil
}

// ProcessBatch implements Operator.
func (o *toChangelog) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.op.Reset(o.plan.Schema.Fields[0].Type, b.N)
	for i := range b.N {
		o.op.AppendString(o.codes[b.Kind(i)])
	}
	o.sel = o.sel[:0]
	for k := range b.Live() {
		if i := liveRow(b, k); o.known[b.Kind(i)] {
			o.sel = append(o.sel, int32(i))
		}
	}
	live, kept := b.Live(), len(o.sel)
	o.env.Counters.Used.Add(int64(kept))
	o.env.Counters.Filtered.Add(int64(live - kept))
	o.cols = append(append(o.cols[:0], o.op), b.Cols...)
	o.out = *b
	o.out.Cols, o.out.Kinds, o.out.Sel = o.cols, nil, chosen(b, o.sel)
	return out.Batch(ctx, &o.out)
}

// Finish implements Operator.
func (o *toChangelog) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *toChangelog) Close() error { return nil }
