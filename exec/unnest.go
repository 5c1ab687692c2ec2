package exec

import (
	"context"
	"encoding/binary"
	"errors"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// unnest sends each row once for each element of the collection in one of its columns,
// with the columns of the element and the ordinal and kind of the row.
type unnest struct {
	plan *physical.Unnest
	env  *Env
	on   *eval.Program
	time eval.Env

	marks watermarkState
	cut   cutter
	out   firing
	kinds []stream.RowKind
	// By row of the output.
	list []unnested
	// The elements of one row that wait for the judgement of On.
	row  []unnested
	cols []stream.Vec
	sel  []int32
	from []int32
}

// unnested is an element of the collection of a row.
type unnested struct {
	from  int32 // row of the input
	entry int32 // place in the collection; -1: none, all is NULL
	place int32 // what ORDINALITY shows
}

func newUnnest(p *physical.Unnest) (Operator, error) {
	switch k := p.Input.Info().Schema.Fields[p.Column].Type.Kind; k {
	case types.Array, types.Map, types.Multiset:
		return &unnest{plan: p}, nil
	}
	return nil, badPlan(p, "the column is no collection")
}

// Open implements Operator.
func (o *unnest) Open(_ context.Context, env *Env) (err error) {
	o.env = env
	o.time.Now = env.Now
	o.out.init(o.plan.Schema, env.BatchSize)
	o.cols = make([]stream.Vec, len(o.plan.Schema.Fields))
	o.marks.w = stream.MinWatermark
	if o.plan.On != nil {
		if o.on, err = eval.Compile([]expr.Expr{o.plan.On}, env.Zone); err != nil {
			return err
		}
	}
	return env.State.Register("watermark", 1, &o.marks)
}

// ProcessBatch implements Operator.
func (o *unnest) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.begin(b.Base)
	o.cut.start(b, o.marks.w)
	live := b.Live()
	for k := 0; ; k++ {
		limit := int32(b.N)
		if k < live {
			limit = int32(liveRow(b, k))
		}
		o.out.batch.Marks = o.cut.pass(limit, &o.marks.w, o.out.batch.Marks, len(o.list))
		if k == live {
			break
		}
		if err := o.elements(b, limit); err != nil {
			return o.fail(ctx, b, limit, out, err)
		}
		for _, e := range o.row {
			if len(o.list) >= o.out.size {
				if err := o.send(ctx, b, out, b.Ordinal(int(limit))-1); err != nil {
					return err
				}
				o.begin(b.Base)
			}
			o.list = append(o.list, e)
		}
	}
	o.env.Counters.Used.Add(int64(live))
	return o.send(ctx, b, out, b.Thru)
}

// fail sends what stands before a row and returns its failure.
func (o *unnest) fail(ctx context.Context, b *stream.Batch, row int32, out Output, err error) error {
	ord := b.Ordinal(int(row))
	if e := o.send(ctx, b, out, ord-1); e != nil {
		return e
	}
	var at *eval.Error
	if errors.As(err, &at) {
		return Fail(ord, at.Diag)
	}
	return err
}

func (o *unnest) begin(base int64) {
	o.out.begin(base)
	o.list = o.list[:0]
}

// elements lists the elements of a row.
func (o *unnest) elements(b *stream.Batch, row int32) error {
	o.row = o.row[:0]
	v := &b.Cols[o.plan.Column]
	if !v.IsNull(int(row)) {
		o.open(v, row)
	}
	if o.on != nil && len(o.row) > 0 {
		o.fill(o.cols, b, o.row)
		o.time.Watermark = o.marks.w
		test := stream.Batch{N: len(o.row), Cols: o.cols}
		var err error
		if o.sel, err = o.on.Filter(&test, &o.time, o.sel); err != nil {
			return err
		}
		for k, i := range o.sel {
			o.row[k] = o.row[i]
		}
		o.row = o.row[:len(o.sel)]
	}
	if o.plan.Outer && len(o.row) == 0 {
		o.row = append(o.row, unnested{row, -1, 0})
	}
	return nil
}

// open lists the elements of a collection: those of a multiset as often as they are
// there.
func (o *unnest) open(v *stream.Vec, row int32) {
	t, raw := v.Type, v.Bytes(int(row))
	var items types.ArrayValue
	var counts *types.ArrayValue
	if t.Kind == types.Array {
		items = types.ReadArray(t, raw)
	} else {
		m := types.ReadMap(t, raw)
		items = m.Keys
		if t.Kind == types.Multiset {
			counts = &m.Values
		}
	}
	rowsOnly := t.Kind != types.Map && t.Elem().Kind == types.Row
	place := int32(0)
	for k := range items.Len() {
		n := int32(1)
		if counts != nil {
			n = int32(binary.LittleEndian.Uint32(counts.Raw(k)))
		}
		for range n {
			place++
			if !rowsOnly || !items.IsNull(k) {
				o.row = append(o.row, unnested{row, int32(k), place})
			}
		}
	}
}

// send writes the listed rows out.
func (o *unnest) send(ctx context.Context, b *stream.Batch, out Output, thru int64) error {
	o.out.batch.Kinds = nil
	n := len(o.list)
	if n > 0 {
		o.fill(o.out.cols, b, o.list)
		for _, e := range o.list {
			o.out.ords = append(o.out.ords, b.Ordinal(int(e.from)))
		}
		if b.Kinds != nil {
			o.kinds = resize(o.kinds, n)
			for k, e := range o.list {
				o.kinds[k] = b.Kinds[e.from]
			}
			o.out.batch.Kinds = o.kinds
		}
		o.out.batch.N = n
	}
	return o.out.flush(ctx, out, thru)
}

// fill writes the columns of rows.
func (o *unnest) fill(cols []stream.Vec, b *stream.Batch, list []unnested) {
	fields := o.plan.Schema.Fields
	o.from = o.from[:0]
	for _, e := range list {
		o.from = append(o.from, e.from)
	}
	for k, c := range o.plan.Keep {
		repeat(&cols[k], &b.Cols[c], o.from, fields[k].Type)
	}
	made := cols[len(o.plan.Keep):]
	for k := range made {
		made[k].Reset(fields[len(o.plan.Keep)+k].Type, len(list))
	}
	if o.plan.Ordinality {
		last := &made[len(made)-1]
		for k, e := range list {
			if stream.Values[int32](last)[k] = e.place; e.entry < 0 {
				last.SetNull(k, len(list))
			}
		}
		made = made[:len(made)-1]
	}
	v := &b.Cols[o.plan.Column]
	for k := 0; k < len(list); {
		end := k + 1
		for end < len(list) && list[end].from == list[k].from {
			end++
		}
		putElements(made, v, list, k, end)
		k = end
	}
}

// putElements writes the elements at positions k to end of a list, which are of one row.
func putElements(made []stream.Vec, v *stream.Vec, list []unnested, k, end int) {
	n, t := len(list), v.Type
	if list[k].entry < 0 {
		for c := range made {
			putRaw(&made[c], k, n, nil)
		}
		return
	}
	raw := v.Bytes(int(list[k].from))
	if t.Kind == types.Map {
		m := types.ReadMap(t, raw)
		for ; k < end; k++ {
			putElement(&made[0], k, n, &m.Keys, int(list[k].entry))
			putElement(&made[1], k, n, &m.Values, int(list[k].entry))
		}
		return
	}
	var items types.ArrayValue
	if t.Kind == types.Array {
		items = types.ReadArray(t, raw)
	} else {
		items = types.ReadMap(t, raw).Keys
	}
	elem := t.Elem()
	for ; k < end; k++ {
		if elem.Kind != types.Row {
			putElement(&made[0], k, n, &items, int(list[k].entry))
			continue
		}
		r := types.ReadRow(elem, items.Raw(int(list[k].entry)))
		for c := range made {
			if r.IsNull(c) {
				putRaw(&made[c], k, n, nil)
			} else {
				putRaw(&made[c], k, n, present(r.Raw(c)))
			}
		}
	}
}

func putElement(dst *stream.Vec, k, n int, a *types.ArrayValue, i int) {
	if a.IsNull(i) {
		putRaw(dst, k, n, nil)
	} else {
		putRaw(dst, k, n, present(a.Raw(i)))
	}
}

// present tells the empty text from NULL.
func present(raw []byte) []byte {
	if raw == nil {
		return []byte{}
	}
	return raw
}

// putRaw writes row k of n, given by its raw bytes; nil is NULL.
func putRaw(dst *stream.Vec, k, n int, raw []byte) {
	if raw != nil {
		dst.PutRaw(k, raw)
		return
	}
	if dst.Type.Layout() == types.Bytes {
		dst.AppendBytes(nil)
	}
	dst.SetNull(k, n)
}

// Finish implements Operator.
func (o *unnest) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *unnest) Close() error { return nil }
