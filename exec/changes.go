package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// changeOutput builds the output of operators that keep rows in a store and answer each
// input row with changes of rows there. Rows are written to the store, sent and freed
// many at a time: a row that is taken out stays in the store until all that was said
// about it has been sent.
type changeOutput struct {
	rows   *state.RowStore
	schema stream.Schema
	number int  // column of the number; -1: none
	size   int  // rows to aim at
	silent bool // nobody wants the old row of an update

	in      *stream.Batch // whose rows are to be stored
	from    []int32       // rows of in
	to      []int32       // and their numbers in the store
	ids     []int32
	kinds   []stream.RowKind
	ords    []int64
	numbers []int64
	gone    []int32
	plain   bool // only +I so far
	batch   stream.Batch
	cols    []stream.Vec
	empty   []stream.Vec
}

// init sets the store, whose first columns are those of the plan node but the number.
func (c *changeOutput) init(rows *state.RowStore, p *physical.Base, number bool, size int) {
	s := p.Schema
	c.rows, c.schema, c.size, c.number = rows, s, max(1, size), -1
	c.silent = p.Mode == physical.Upsert
	n := len(s.Fields)
	if number {
		c.number = n - 1
	}
	c.cols, c.empty = make([]stream.Vec, n), make([]stream.Vec, n)
	for i, f := range s.Fields {
		c.empty[i].Reset(f.Type, 0)
	}
}

// begin starts the output for an input batch.
func (c *changeOutput) begin(b *stream.Batch) {
	c.in = b
	c.batch.Base = b.Base
	c.clear()
}

func (c *changeOutput) clear() {
	c.ids, c.kinds, c.ords, c.numbers = c.ids[:0], c.kinds[:0], c.ords[:0], c.numbers[:0]
	c.batch.Marks, c.plain = c.batch.Marks[:0], true
}

// store gives a row of the input a place in the store. It is written there by put.
func (c *changeOutput) store(row int32) int32 {
	id := c.rows.New()
	c.from, c.to = append(c.from, row), append(c.to, id)
	return id
}

// put writes the rows that have got a place.
func (c *changeOutput) put() {
	if len(c.from) > 0 {
		c.rows.Put(c.in.Cols, c.from, c.to)
		c.from, c.to = c.from[:0], c.to[:0]
	}
}

// drop frees a row once everything about it has been sent.
func (c *changeOutput) drop(id int32) { c.gone = append(c.gone, id) }

// send says what becomes of a stored row; number is its place in an order.
func (c *changeOutput) send(kind stream.RowKind, id int32, number, ord int64) {
	if kind == stream.UpdateBefore && c.silent {
		return
	}
	c.ids, c.kinds, c.ords = append(c.ids, id), append(c.kinds, kind), append(c.ords, ord)
	if c.number >= 0 {
		c.numbers = append(c.numbers, number)
	}
	if kind != stream.Insert {
		c.plain = false
	}
}

// mark appends a rise of the watermark.
func (c *changeOutput) mark(m stream.Mark) {
	m.Pos = int32(len(c.ids))
	c.batch.Marks = append(c.batch.Marks, m)
}

// pass appends the rises of the watermark up to a row of the input.
func (c *changeOutput) pass(cut *cutter, limit int32) {
	for {
		m, ok := cut.next(limit)
		if !ok {
			return
		}
		c.mark(m)
	}
}

// room sends what is there if it makes a batch. Everything before ordinal ord is then
// delivered.
func (c *changeOutput) room(ctx context.Context, out Output, ord int64) error {
	if len(c.ids) < c.size {
		return nil
	}
	if err := c.flush(ctx, out, ord-1); err != nil {
		return err
	}
	c.clear()
	return out.Poll(ctx)
}

// flush sends what is there.
func (c *changeOutput) flush(ctx context.Context, out Output, thru int64) error {
	c.put()
	b := &c.batch
	b.N, b.Thru = len(c.ids), thru
	if b.N == 0 {
		b.Cols, b.Ord, b.Kinds = c.empty, nil, nil
	} else {
		b.Cols, b.Ord, b.Kinds = c.cols, c.ords, nil
		width := len(c.cols)
		if c.number >= 0 {
			width--
			v := &c.cols[c.number]
			v.Reset(c.schema.Fields[c.number].Type, b.N)
			copy(stream.Values[int64](v), c.numbers)
		}
		c.rows.Gather(c.ids, c.cols[:width])
		if !c.plain {
			b.Kinds = c.kinds
		}
	}
	for _, id := range c.gone {
		c.rows.Free(id)
	}
	c.gone = c.gone[:0]
	return out.Batch(ctx, b)
}

// liveRows returns the live rows of b; iota is scratch.
func liveRows(b *stream.Batch, iota *[]int32) []int32 {
	if b.Sel != nil {
		return b.Sel
	}
	for len(*iota) < b.N {
		*iota = append(*iota, int32(len(*iota)))
	}
	return (*iota)[:b.N]
}

// firstColumns returns 0..n-1.
func firstColumns(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// fail sends what stands before ordinal ord and returns err as the failure there.
func (c *changeOutput) fail(ctx context.Context, out Output, ord int64, err error) error {
	if e := c.flush(ctx, out, ord-1); e != nil {
		return e
	}
	return Fail(ord, err)
}
