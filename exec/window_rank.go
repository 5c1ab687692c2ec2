package exec

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// windowRank numbers the rows of each window and partition in an order and sends the
// first ones. It never keeps more rows of a partition than can be sent.
type windowRank struct {
	windowRows
	plan    *physical.WindowRank
	columns []types.Type // of the input, then the sort key
	keys    partitionKeys
	order   sortKeys
}

func newWindowRank(p *physical.WindowRank) (Operator, error) {
	if p.From < 1 || p.To < p.From || len(p.Order) == 0 {
		return nil, badPlan(p, "rows %d to %d in an order of %d columns", p.From, p.To, len(p.Order))
	}
	return &windowRank{plan: p, windowRows: windowRows{node: p.Info(), window: p.Window}, order: sortKeys{order: p.Order}}, nil
}

// Open implements Operator.
func (o *windowRank) Open(_ context.Context, env *Env) error {
	o.columns = append(columnTypes(o.plan.Input), types.Of(types.Varbinary))
	o.keys.init(o.plan.Input, o.plan.Partition, env)
	return o.open(env, func() rowPane {
		return &rankPane{op: o, table: o.keys.table(), rows: state.NewRowStore(o.columns), key: len(o.columns) - 1}
	})
}

// rankPane is one window of a Top-N. The rows of a partition form a heap whose first
// element is the one that the next better row displaces.
type rankPane struct {
	op      *windowRank
	table   *state.Table
	rows    *state.RowStore
	key     int // column of the sort key
	heaps   state.Lists
	arrived []int64 // by row number: the how manieth row of the window it was
	count   int64
	writes  rowWrites
	ids     []int32
	numbers []int64
}

func (p *rankPane) add(b *stream.Batch, rows []int32) {
	groups := p.op.keys.find(p.table, b, rows)
	p.heaps.Grow(p.table.Len())
	p.writes.reset()
	for _, r := range rows {
		p.count++
		g, key := groups[r], p.op.order.of(b, int(r))
		heap := p.heaps.Of(g)
		if int64(len(heap)) < p.op.plan.To {
			id := p.rows.New()
			p.set(id, key)
			p.heaps.Append(g, id)
			p.up(p.heaps.Of(g))
			p.writes.set(p.rows, id, r, false)
			continue
		}
		// A row that is equal to the last one came after it.
		id := heap[0]
		if bytes.Compare(key, p.rows.BytesOf(id, p.key)) >= 0 {
			continue
		}
		p.writes.set(p.rows, id, r, true)
		p.set(id, key)
		p.down(heap)
	}
	p.rows.Put(b.Cols, p.writes.rows, p.writes.ids)
}

// set gives row id its key and its place in the order of arrival.
func (p *rankPane) set(id int32, key []byte) {
	for len(p.arrived) <= int(id) {
		p.arrived = append(p.arrived, 0)
	}
	p.arrived[id] = p.count
	p.rows.SetBytes(id, p.key, key)
}

// compare orders rows by key, then arrival.
func (p *rankPane) compare(a, b int32) int {
	if c := bytes.Compare(p.rows.BytesOf(a, p.key), p.rows.BytesOf(b, p.key)); c != 0 {
		return c
	}
	return cmp.Compare(p.arrived[a], p.arrived[b])
}

// up moves the last element of a heap to its place.
func (p *rankPane) up(heap []int32) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if p.compare(heap[i], heap[parent]) <= 0 {
			return
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
}

// down moves the first element of a heap to its place.
func (p *rankPane) down(heap []int32) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && p.compare(heap[child+1], heap[child]) > 0 {
			child++
		}
		if p.compare(heap[child], heap[i]) <= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

func (p *rankPane) finish() int {
	p.ids, p.numbers = p.ids[:0], p.numbers[:0]
	for g := range int32(p.heaps.Groups()) {
		list := p.heaps.Of(g)
		slices.SortFunc(list, p.compare)
		for i := p.op.plan.From - 1; i < int64(len(list)); i++ {
			p.ids, p.numbers = append(p.ids, list[i]), append(p.numbers, i+1)
		}
	}
	return len(p.ids)
}

func (p *rankPane) write(from, to int, out []stream.Vec) {
	p.rows.Gather(p.ids[from:to], out[:p.key])
	if p.op.plan.Number {
		v := &out[p.key]
		v.Reset(p.op.plan.Schema.Fields[p.key].Type, to-from)
		copy(stream.Values[int64](v), p.numbers[from:to])
	}
}

func (p *rankPane) size() (rows, bytes int64) {
	bytes = p.table.Bytes() + p.rows.Bytes() + p.heaps.Bytes()
	bytes += int64(cap(p.arrived)+cap(p.numbers))*8 + int64(cap(p.writes.at)+cap(p.ids))*4
	return int64(p.rows.Len()), bytes
}

func (p *rankPane) reset() {
	p.table.Reset()
	p.rows.Reset()
	p.heaps.Reset()
	p.arrived, p.count = p.arrived[:0], 0
}

func (p *rankPane) snapshot(e *stream.Encoder) {
	p.table.Snapshot(e)
	e.Int64(p.count)
	for g := range int32(p.table.Len()) {
		heap := p.heaps.Of(g)
		e.Uint64(uint64(len(heap)))
		for _, id := range heap {
			e.Int64(p.arrived[id])
			p.rows.SnapshotRow(e, id)
		}
	}
}

func (p *rankPane) restore(d *stream.Decoder) error {
	if err := p.table.Restore(d); err != nil {
		return err
	}
	p.count = d.Int64()
	p.heaps.Grow(p.table.Len())
	for g := range int32(p.table.Len()) {
		for range d.Count(8) {
			at := d.Int64()
			id := p.rows.RestoreRow(d)
			for len(p.arrived) <= int(id) {
				p.arrived = append(p.arrived, 0)
			}
			p.arrived[id] = at
			p.heaps.Append(g, id)
		}
	}
	return d.Err()
}
