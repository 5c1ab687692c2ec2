package exec

import (
	"context"

	"streamsql/planner/physical"
	"streamsql/stream"
)

// answer takes the row at a place among the begun rows of a side, whose matches on the
// other side are known.
func (o *join) answer(ctx context.Context, side int, b *stream.Batch, place int, matched []int32, out Output) error {
	s := &o.sides[side]
	row := s.rows[place]
	c := change{o: o, ctx: ctx, out: out, side: side, id: s.ids[place], ord: b.Ordinal(int(row)), kind: b.Kind(int(row))}
	g := s.groups[row]
	var err error
	switch {
	case o.semi() && side == 0:
		err = c.test(g, matched)
	case o.semi():
		err = c.tested(g, matched)
	case c.kind.Retracts():
		err = c.goes(g, matched)
	default:
		err = c.comes(g, matched)
	}
	return err
}

// change is a row of one side and what it makes a join send. A row that matches several
// others says of one after the other what becomes of its padding and of the pair.
type change struct {
	o    *join
	ctx  context.Context
	out  Output
	side int
	id   int32
	ord  int64
	kind stream.RowKind
}

// keep adds the row to its side; one whose NULL matches nothing is not kept, as nothing
// asks for it again.
func (c *change) keep(g, pairs int32) {
	gone := c.id
	if g >= 0 {
		gone = c.o.state.sides[c.side].add(g, c.id, pairs, c.o.now)
	}
	if gone >= 0 {
		c.o.out.drop(c.side, gone)
	}
}

// forget takes the row out of its side.
func (c *change) forget(g int32) {
	c.o.out.drop(c.side, c.id)
	if g < 0 {
		return
	}
	if old := c.o.state.sides[c.side].retract(g, c.id, c.o.now); old >= 0 {
		c.o.out.drop(c.side, old)
	}
}

// comes answers a row that is added.
func (c *change) comes(g int32, matched []int32) error {
	o := c.o
	outer, otherOuter := o.sides[c.side].outer, o.sides[1-c.side].outer
	others := &o.state.sides[1-c.side]
	kind := c.kind
	if outer || otherOuter {
		kind = stream.Insert
	}
	pairs := int32(0)
	if len(matched) == 0 && outer {
		if err := c.padded(stream.Insert, c.side, c.id); err != nil {
			return err
		}
	}
	for _, m := range matched {
		l := others.links.At(int(m))
		for range l.count {
			if otherOuter && l.pairs == 0 {
				if err := c.padded(stream.Delete, 1-c.side, m); err != nil {
					return err
				}
			}
			if err := c.pair(kind, m); err != nil {
				return err
			}
		}
		pairs += l.count
		if otherOuter {
			l.pairs++
			others.touch(m, o.now)
		}
	}
	c.keep(g, pairs)
	return nil
}

// goes answers a row that is taken back.
func (c *change) goes(g int32, matched []int32) error {
	o := c.o
	outer, otherOuter := o.sides[c.side].outer, o.sides[1-c.side].outer
	others := &o.state.sides[1-c.side]
	kind := c.kind
	if outer {
		kind = stream.Delete
	}
	if len(matched) == 0 && outer {
		if err := c.padded(stream.Delete, c.side, c.id); err != nil {
			return err
		}
	}
	for _, m := range matched {
		l := others.links.At(int(m))
		for range l.count {
			if err := c.pair(kind, m); err != nil {
				return err
			}
			if otherOuter && l.pairs == 1 {
				if err := c.padded(stream.Insert, 1-c.side, m); err != nil {
					return err
				}
			}
		}
		if otherOuter {
			l.pairs--
			others.touch(m, o.now)
		}
	}
	c.forget(g)
	return nil
}

// test answers a left row of a semi or anti join: it is passed on as it came, or not.
func (c *change) test(g int32, matched []int32) error {
	o := c.o
	if len(matched) > 0 == (o.plan.Kind == physical.LeftSemi) {
		if err := c.padded(c.kind, 0, c.id); err != nil {
			return err
		}
	}
	if c.kind.Retracts() {
		c.forget(g)
		return nil
	}
	pairs := int32(0)
	for _, m := range matched {
		pairs += o.state.sides[1].links.At(int(m)).count
	}
	c.keep(g, pairs)
	return nil
}

// tested answers a right row of a semi or anti join, which changes what is said of left
// rows that get their first match, or lose their last one.
func (c *change) tested(g int32, matched []int32) error {
	o := c.o
	lefts := &o.state.sides[0]
	kind, from, step := c.kind, int32(0), int32(1)
	if c.kind.Retracts() {
		from, step = 1, -1
	}
	if o.plan.Kind == physical.LeftAnti {
		kind = stream.Delete
		if step < 0 {
			kind = stream.Insert
		}
	}
	for _, m := range matched {
		l := lefts.links.At(int(m))
		if l.pairs == from {
			for range l.count {
				if err := c.padded(kind, 0, m); err != nil {
					return err
				}
			}
		}
		l.pairs += step
		lefts.touch(m, o.now)
	}
	if step > 0 {
		c.keep(g, 0)
	} else {
		c.forget(g)
	}
	return nil
}

// pair sends the row with one of the other side.
func (c *change) pair(kind stream.RowKind, other int32) error {
	if err := c.o.out.room(c.ctx, c.out, c.ord); err != nil {
		return err
	}
	if c.side == 0 {
		c.o.out.send(kind, c.id, other, c.ord)
	} else {
		c.o.out.send(kind, other, c.id, c.ord)
	}
	return nil
}

// padded sends a row of a side without one of the other.
func (c *change) padded(kind stream.RowKind, side int, id int32) error {
	if err := c.o.out.room(c.ctx, c.out, c.ord); err != nil {
		return err
	}
	if side == 0 {
		c.o.out.send(kind, id, -1, c.ord)
	} else {
		c.o.out.send(kind, -1, id, c.ord)
	}
	return nil
}

// joinOutput builds the output of a join from pairs of rows of its sides; -1 stands for
// the NULLs of a row without a match.
type joinOutput struct {
	o           *join
	size        int
	width       int // columns of the left side
	left, right []int32
	kinds       []stream.RowKind
	ords        []int64
	plain       bool       // only +I so far
	gone        [2][]int32 // rows to be freed when what was said of them has been sent
	batch       stream.Batch
	cols        []stream.Vec
	none        []stream.Vec
}

func (w *joinOutput) init(o *join) {
	fields := o.plan.Schema.Fields
	w.o, w.size, w.width = o, max(1, o.env.BatchSize), len(o.plan.Left.Info().Schema.Fields)
	w.cols, w.none = make([]stream.Vec, len(fields)), make([]stream.Vec, len(fields))
	for i, f := range fields {
		w.none[i].Reset(f.Type, 0)
	}
}

// begin starts an output; base is an ordinal that nothing in it precedes.
func (w *joinOutput) begin(base int64) {
	w.clear()
	w.batch.Base = base
}

func (w *joinOutput) clear() {
	w.left, w.right, w.kinds, w.ords = w.left[:0], w.right[:0], w.kinds[:0], w.ords[:0]
	w.batch.Marks, w.plain = w.batch.Marks[:0], true
}

func (w *joinOutput) empty() bool { return len(w.ords) == 0 && len(w.batch.Marks) == 0 }

func (w *joinOutput) send(kind stream.RowKind, left, right int32, ord int64) {
	w.left, w.right = append(w.left, left), append(w.right, right)
	w.kinds, w.ords = append(w.kinds, kind), append(w.ords, ord)
	if kind != stream.Insert {
		w.plain = false
	}
}

// mark appends a rise of the watermark.
func (w *joinOutput) mark(ord int64, at stream.Timestamp) {
	w.batch.Marks = append(w.batch.Marks, stream.Mark{Pos: int32(len(w.ords)), Ord: ord, W: at})
}

// drop frees a row once everything about it has been sent.
func (w *joinOutput) drop(side int, id int32) { w.gone[side] = append(w.gone[side], id) }

// room sends what is there if it makes a batch. Everything before ordinal ord is then
// delivered.
func (w *joinOutput) room(ctx context.Context, out Output, ord int64) error {
	if len(w.ords) < w.size {
		return nil
	}
	if err := w.flush(ctx, out, ord-1); err != nil {
		return err
	}
	w.clear()
	return out.Poll(ctx)
}

// flush sends what is there.
func (w *joinOutput) flush(ctx context.Context, out Output, thru int64) error {
	b := &w.batch
	b.N, b.Thru = len(w.ords), thru
	b.Cols, b.Ord, b.Kinds = w.none, nil, nil
	if b.N > 0 {
		b.Cols, b.Ord = w.cols, w.ords
		w.o.state.sides[0].store.Gather(w.left, w.cols[:w.width])
		w.o.state.sides[1].store.Gather(w.right, w.cols[w.width:])
		for i, f := range w.o.plan.Schema.Fields {
			w.cols[i].Type = f.Type
		}
		if !w.plain {
			b.Kinds = w.kinds
		}
	}
	for i, ids := range w.gone {
		for _, id := range ids {
			w.o.state.sides[i].store.Free(id)
		}
		w.gone[i] = ids[:0]
	}
	return out.Batch(ctx, b)
}

// fail sends what stands before ordinal ord and returns err as the failure there.
func (w *joinOutput) fail(ctx context.Context, out Output, ord int64, err error) error {
	if e := w.flush(ctx, out, ord-1); e != nil {
		return e
	}
	return Fail(ord, err)
}
