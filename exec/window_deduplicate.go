package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// windowDeduplicate keeps one row of each window and partition: the one with the
// lowest time or, of equal ones, the first; or the one with the highest, of equal ones
// the last.
type windowDeduplicate struct {
	windowRows
	plan    *physical.WindowDeduplicate
	columns []types.Type
	keys    partitionKeys
}

func newWindowDeduplicate(p *physical.WindowDeduplicate) (Operator, error) {
	return &windowDeduplicate{plan: p, windowRows: windowRows{node: p.Info(), window: p.Window}}, nil
}

// Open implements Operator.
func (o *windowDeduplicate) Open(_ context.Context, env *Env) error {
	o.columns = columnTypes(o.plan.Input)
	o.keys.init(o.plan.Input, o.plan.Partition, env)
	return o.open(env, func() rowPane {
		return &firstPane{op: o, table: o.keys.table(), rows: state.NewRowStore(o.columns)}
	})
}

// columnTypes returns the types of a node's columns.
func columnTypes(n physical.Node) []types.Type {
	fields := n.Info().Schema.Fields
	list := make([]types.Type, len(fields))
	for i, f := range fields {
		list[i] = f.Type
	}
	return list
}

// partitionKeys finds the partitions of rows.
type partitionKeys struct {
	columns []int
	types   []types.Type
	seed    uint64
	scratch *state.Scratch
	vecs    []*stream.Vec
	groups  []int32
}

func (k *partitionKeys) init(input physical.Node, columns []int, env *Env) {
	k.columns, k.seed, k.scratch = columns, env.Seed, state.NewScratch()
	k.vecs = make([]*stream.Vec, len(columns))
	for _, c := range columns {
		k.types = append(k.types, input.Info().Schema.Fields[c].Type)
	}
}

func (k *partitionKeys) table() *state.Table { return state.NewTable(k.types, k.seed, k.scratch) }

// find returns the groups of rows in a table, by physical row.
func (k *partitionKeys) find(t *state.Table, b *stream.Batch, rows []int32) []int32 {
	for i, c := range k.columns {
		k.vecs[i] = &b.Cols[c]
	}
	k.groups = resize(k.groups, b.N)
	t.Find(k.vecs, expr.Rows{N: b.N, Sel: rows}, k.groups)
	return k.groups
}

// rowWrites collects which rows of a batch go under which numbers of a store. A number
// that is written again before the rows are put takes the later one.
type rowWrites struct {
	rows, ids []int32
	at        []int32 // where a number may stand in ids
}

func (w *rowWrites) reset() { w.rows, w.ids = w.rows[:0], w.ids[:0] }

// set notes a row; replaced says that the number had a row before, which is dropped.
func (w *rowWrites) set(s *state.RowStore, id, row int32, replaced bool) {
	for len(w.at) <= int(id) {
		w.at = append(w.at, 0)
	}
	if replaced {
		if k := w.at[id]; int(k) < len(w.ids) && w.ids[k] == id {
			w.rows[k] = row
			return
		}
		s.Clear(id)
	}
	w.at[id] = int32(len(w.ids))
	w.rows, w.ids = append(w.rows, row), append(w.ids, id)
}

// firstPane is one window of a deduplication. The row of partition g has number g.
type firstPane struct {
	op     *windowDeduplicate
	table  *state.Table
	rows   *state.RowStore
	times  []int64
	writes rowWrites
	ids    []int32
}

func (p *firstPane) add(b *stream.Batch, rows []int32) {
	groups := p.op.keys.find(p.table, b, rows)
	times, last := edgesOf(&b.Cols[p.op.plan.Order]), p.op.plan.Last
	p.writes.reset()
	for _, r := range rows {
		g, t := groups[r], times.of(r)
		if int(g) == len(p.times) {
			p.times = append(p.times, t)
			p.writes.set(p.rows, p.rows.New(), r, false)
			continue
		}
		if known := p.times[g]; last && t < known || !last && t >= known {
			continue
		}
		p.times[g] = t
		p.writes.set(p.rows, g, r, true)
	}
	p.rows.Put(b.Cols, p.writes.rows, p.writes.ids)
}

func (p *firstPane) finish() int {
	n := p.table.Len()
	for len(p.ids) < n {
		p.ids = append(p.ids, int32(len(p.ids)))
	}
	return n
}

func (p *firstPane) write(from, to int, out []stream.Vec) { p.rows.Gather(p.ids[from:to], out) }

func (p *firstPane) size() (rows, bytes int64) {
	return int64(p.rows.Len()), p.table.Bytes() + p.rows.Bytes() + int64(cap(p.times))*8 + int64(cap(p.writes.at)+cap(p.ids))*4
}

func (p *firstPane) reset() {
	p.table.Reset()
	p.rows.Reset()
	p.times = p.times[:0]
}

func (p *firstPane) snapshot(e *stream.Encoder) {
	p.table.Snapshot(e)
	for g, t := range p.times {
		e.Int64(t)
		p.rows.SnapshotRow(e, int32(g))
	}
}

func (p *firstPane) restore(d *stream.Decoder) error {
	if err := p.table.Restore(d); err != nil {
		return err
	}
	for range p.table.Len() {
		p.times = append(p.times, d.Int64())
		p.rows.RestoreRow(d)
	}
	return d.Err()
}
