package exec

import (
	"context"
	"slices"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// expand sends each row once per grouping set, set by set, with the ordinal of the
// row. The keys that a set leaves out are NULL.
type expand struct {
	plan *physical.Expand
	env  *Env

	out   stream.Batch
	cols  []stream.Vec
	marks []stream.Mark
	ords  []int64
	kinds []stream.RowKind
	times []int32 // each live row as often as there are sets
	wm    watermarkState
}

func newExpand(p *physical.Expand) (Operator, error) {
	if len(p.Sets) == 0 {
		return nil, badPlan(p, "no sets")
	}
	return &expand{plan: p}, nil
}

// Open implements Operator.
func (o *expand) Open(_ context.Context, env *Env) error {
	o.env = env
	o.cols = make([]stream.Vec, len(o.plan.Schema.Fields))
	o.wm.w = stream.MinWatermark
	return env.State.Register("watermark", 1, &o.wm)
}

// ProcessBatch implements Operator.
func (o *expand) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	n := b.Live()
	o.env.Counters.Used.Add(int64(n))
	o.fill(b)
	o.place(b)
	o.out = stream.Batch{N: n * len(o.plan.Sets), Cols: o.cols, Marks: o.marks, Base: b.Base, Ord: o.ords, Thru: b.Thru}
	if b.Kinds != nil {
		o.out.Kinds = o.kinds
	}
	return out.Batch(ctx, &o.out)
}

// place writes the ordinals and kinds of the rows and moves the marks to their new
// positions.
func (o *expand) place(b *stream.Batch) {
	sets := len(o.plan.Sets)
	o.ords, o.kinds, o.marks = o.ords[:0], o.kinds[:0], o.marks[:0]
	cursor := 0
	move := func(limit int, at int) {
		for {
			m, next, ok := b.NextMark(cursor, o.wm.w, stream.MinWatermark)
			if !ok || int(m.Pos) > limit {
				return
			}
			cursor, o.wm.w = next, m.W
			o.marks = append(o.marks, stream.Mark{Pos: int32(at), Ord: m.Ord, W: m.W})
		}
	}
	marks := b.HasMarks()
	for k := range b.Live() {
		row := liveRow(b, k)
		if marks {
			move(row, k*sets)
		}
		ord := b.Ordinal(row)
		for range sets {
			o.ords = append(o.ords, ord)
		}
		if b.Kinds != nil {
			for range sets {
				o.kinds = append(o.kinds, b.Kinds[row])
			}
		}
	}
	if marks {
		move(b.N, b.Live()*sets)
	}
	if o.ords == nil {
		o.ords = []int64{}
	}
}

// fill writes the columns.
func (o *expand) fill(b *stream.Batch) {
	sets, n := o.plan.Sets, b.Live()
	o.times = slices.Grow(o.times[:0], n*len(sets))
	for k := range n {
		row := int32(liveRow(b, k))
		for range sets {
			o.times = append(o.times, row)
		}
	}
	in := len(b.Cols)
	for c := range b.Cols {
		repeat(&o.cols[c], &b.Cols[c], o.times, o.plan.Schema.Fields[c].Type)
	}
	for k, c := range o.plan.Keys {
		dst := &o.cols[in+k]
		repeat(dst, &b.Cols[c], o.times, o.plan.Schema.Fields[in+k].Type)
		for s, set := range sets {
			if !set[k] {
				continue
			}
			for i := s; i < len(o.times); i += len(sets) {
				dst.SetNull(i, len(o.times))
			}
		}
	}
	number := &o.cols[len(o.cols)-1]
	number.Reset(o.plan.Schema.Fields[len(o.cols)-1].Type, len(o.times))
	vals := stream.Values[int32](number)
	for i := range vals {
		vals[i] = int32(i % len(sets))
	}
}

// repeat makes dst a Flat vector of the values of src at the rows.
func repeat(dst, src *stream.Vec, rows []int32, t types.Type) {
	n := len(rows)
	dst.Reset(t, n)
	switch l := src.Type.Layout(); {
	case l == types.Bytes:
		for _, r := range rows {
			if src.IsNull(int(r)) {
				dst.AppendBytes(nil)
			} else {
				dst.AppendBytes(src.Bytes(int(r)))
			}
		}
	case l == types.Bits:
		for i, r := range rows {
			dst.SetBool(i, !src.IsNull(int(r)) && src.Bool(int(r)))
		}
	case src.Enc == stream.Dict:
		for i, r := range rows {
			dst.Put(i, n, src.Value(int(r)))
		}
	default:
		repeatFixed(dst, src, rows, l.Width())
	}
	if src.Valid == nil && src.Type.Kind != types.Null {
		return
	}
	for i, r := range rows {
		if src.IsNull(int(r)) {
			dst.SetNull(i, n)
		}
	}
}

func repeatFixed(dst, src *stream.Vec, rows []int32, width int) {
	switch width {
	case 1:
		repeatValues[int8](dst, src, rows)
	case 2:
		repeatValues[int16](dst, src, rows)
	case 4:
		repeatValues[int32](dst, src, rows)
	case 8:
		repeatValues[int64](dst, src, rows)
	case 16:
		repeatValues[types.Num128](dst, src, rows)
	}
}

func repeatValues[T stream.Fixed](dst, src *stream.Vec, rows []int32) {
	d, s := stream.Values[T](dst), stream.Values[T](src)
	if src.Enc == stream.Const {
		for i := range d {
			d[i] = s[0]
		}
		return
	}
	for i, r := range rows {
		d[i] = s[r]
	}
}

// Finish implements Operator.
func (o *expand) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *expand) Close() error { return nil }
