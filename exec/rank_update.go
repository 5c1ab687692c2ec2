package exec

import (
	"context"
	"sort"

	"streamsql/exec/state"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// rankUpdate is a Top-N over rows that replace each other by a key and only move
// forward in the order. So a row that has fallen out can only come back by a change of
// its own, and no more rows of a partition are kept than are wanted. The old rows that
// the input takes back are of no interest.
type rankUpdate struct {
	rank
	top   topLists
	index *state.RowIndex
	ids   []int32 // of the batch at hand
}

// Open implements Operator.
func (o *rankUpdate) Open(_ context.Context, env *Env) error {
	if err := o.open(env); err != nil {
		return err
	}
	o.top = topLists{rows: o.rows, table: o.ends.table}
	o.index = state.NewRowIndex(o.rows, o.plan.RowKey, env.Seed)
	return env.State.Register("rows", 1, &indexedLists{&o.top, o.index})
}

// ProcessBatch implements Operator.
func (o *rankUpdate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	live := liveRows(b, &o.iota)
	groups := o.keys.find(o.ends.table, b, live)
	o.top.lists.Grow(o.ends.table.Len())
	o.out.begin(b)
	o.ids = o.storeAll(b, live, o.ids)
	if err := o.process(ctx, b, out, live, groups, o.take); err != nil {
		return err
	}
	return o.out.flush(ctx, out, b.Thru)
}

// take judges one row of partition g.
func (o *rankUpdate) take(b *stream.Batch, k int, r, g int32) error {
	id, to, ord := o.ids[k], o.to(g), b.Ordinal(int(r))
	if b.Kind(int(r)).Retracts() || to < 1 {
		o.out.drop(id)
		return nil
	}
	list := o.top.lists.Of(g)
	n := len(list)
	at := sort.Search(n, func(i int) bool { return o.compare(list[i], id) > 0 })
	old := o.index.Take(id, func(a, b int32) bool { return false })
	if old >= 0 {
		return o.move(list, g, old, id, at, to, ord)
	}
	full := int64(n) >= to
	if full && at == n {
		o.out.drop(id)
		return nil
	}
	o.top.lists.Insert(g, at, id)
	o.index.Add(id)
	list = o.top.lists.Of(g)
	last := list[n]
	switch {
	case o.plain && full && to == 1:
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
		o.index.Take(last, func(a, b int32) bool { return false })
		o.out.drop(last)
		o.top.lists.Remove(g, n)
	}
	return nil
}

// move puts row id, which belongs to place at, where row old was, which has its key. As
// in Flink the old row is taken back right after the one whose number the new row gets.
func (o *rankUpdate) move(list []int32, g, old, id int32, at int, to, ord int64) error {
	was := 0
	for list[was] != old {
		was++
	}
	if o.compare(old, id) == 0 {
		at = was
	}
	if at > was {
		return diag.New(diag.Internal, o.plan.Info().Span, "a row moved back in the order of a Top-N that was planned for rows that move forward")
	}
	o.index.Add(id)
	o.out.drop(old)
	copy(list[at+1:was+1], list[at:was])
	list[at] = id
	switch {
	case o.plain:
		o.out.send(stream.UpdateBefore, old, 0, ord)
		o.out.send(stream.UpdateAfter, id, 0, ord)
	case at == was:
		o.replace(old, id, int64(at+1), to, ord)
	default:
		o.send(stream.UpdateBefore, list[at+1], int64(at+1), to, ord)
		o.send(stream.UpdateBefore, old, int64(was+1), to, ord)
		o.send(stream.UpdateAfter, id, int64(at+1), to, ord)
		for q := at + 1; q < was; q++ {
			o.replace(list[q+1], list[q], int64(q+1), to, ord)
		}
		o.send(stream.UpdateAfter, list[was], int64(was+1), to, ord)
	}
	return nil
}

// indexedLists is topLists with an index that is built again.
type indexedLists struct {
	*topLists
	index *state.RowIndex
}

// Bytes implements state.Object.
func (s *indexedLists) Bytes() int64 { return s.topLists.Bytes() + s.index.Bytes() }

// Restore implements state.Object.
func (s *indexedLists) Restore(d *stream.Decoder) error {
	if err := s.topLists.Restore(d); err != nil {
		return err
	}
	for g := range int32(s.table.Len()) {
		for _, id := range s.lists.Of(g) {
			s.index.Add(id)
		}
	}
	return nil
}
