package exec

import (
	"context"
	"sort"

	"streamsql/exec/state"
	"streamsql/stream"
)

// rankAppend is a Top-N over rows that are only added. It keeps no more rows of a
// partition than are wanted.
type rankAppend struct {
	rank
	top topLists
}

// topLists is declared state: the first rows of each partition, in order.
type topLists struct {
	rows  *state.RowStore
	table *state.Table // the partitions
	lists state.Lists
	keys  *storedKeys
}

// Open implements Operator.
func (o *rankAppend) Open(_ context.Context, env *Env) error {
	if err := o.open(env); err != nil {
		return err
	}
	o.top = topLists{rows: o.rows, table: o.ends.table, keys: &o.kept}
	return env.State.Register("rows", 1, &o.top)
}

// ProcessBatch implements Operator.
func (o *rankAppend) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	live := liveRows(b, &o.iota)
	groups := o.keys.find(o.ends.table, b, live)
	o.top.lists.Grow(o.ends.table.Len())
	o.out.begin(b)
	if err := o.process(ctx, b, out, live, groups, o.take); err != nil {
		return err
	}
	return o.out.flush(ctx, out, b.Thru)
}

// take judges one row of partition g.
func (o *rankAppend) take(b *stream.Batch, _ int, r, g int32) error {
	list, to := o.top.lists.Of(g), o.to(g)
	n := len(list)
	if to < 1 {
		return nil
	}
	key := o.order.of(b, int(r))
	// A row that is equal to the last one came after it.
	start := keyStart(key)
	if int64(n) >= to && o.kept.compareKey(list[n-1], start, key) <= 0 {
		return nil
	}
	at := sort.Search(n, func(i int) bool { return o.kept.compareKey(list[i], start, key) > 0 })
	id, ord := o.out.store(r), b.Ordinal(int(r))
	o.kept.set(id, key)
	o.top.lists.Insert(g, at, id)
	list = o.top.lists.Of(g)
	full := int64(n) >= to
	switch last := list[n]; {
	case o.plain && full && o.plan.To == 1 && !o.ends.column:
		o.out.send(stream.UpdateBefore, last, 0, ord)
		o.out.send(stream.UpdateAfter, id, 0, ord)
	case o.plain:
		if full {
			o.out.send(stream.Delete, last, 0, ord)
		}
		o.out.send(stream.Insert, id, 0, ord)
	default:
		for q := at; q < n; q++ {
			o.replace(list[q+1], list[q], int64(q+1), to, ord)
		}
		if !full {
			o.send(stream.Insert, last, int64(n+1), to, ord)
		}
	}
	if full {
		o.out.drop(list[n])
		o.top.lists.Remove(g, n)
	}
	return nil
}

// Rows implements state.Object.
func (s *topLists) Rows() int64 { return int64(s.rows.Len()) }

// Bytes implements state.Object.
func (s *topLists) Bytes() int64 { return s.rows.Bytes() + s.lists.Bytes() + s.keys.bytes() }

// Snapshot implements state.Object.
func (s *topLists) Snapshot(e *stream.Encoder) {
	for g := range int32(s.table.Len()) {
		list := s.lists.Of(g)
		e.Uint64(uint64(len(list)))
		for _, id := range list {
			s.rows.SnapshotRow(e, id)
		}
	}
}

// Restore implements state.Object. The partitions have been restored before.
func (s *topLists) Restore(d *stream.Decoder) error {
	s.lists.Grow(s.table.Len())
	for g := range int32(s.table.Len()) {
		for range d.Count(8) {
			id := s.rows.RestoreRow(d)
			s.keys.restored(id)
			s.lists.Append(g, id)
		}
	}
	return d.Err()
}
