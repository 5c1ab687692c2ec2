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
// its own, and no more rows of a partition are kept than are wanted, unless the plan says
// that rows may move back after all. The old rows that the input takes back are of no
// interest.
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
	o.top = topLists{rows: o.rows, table: o.ends.table, keys: &o.kept}
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
	at := sort.Search(n, func(i int) bool { return o.kept.compare(list[i], id) > 0 })
	if old := o.index.Take(id, anyRow); old >= 0 {
		return o.move(list, old, id, at, to, ord)
	}
	full := int64(n) >= to
	if full && at == n && !o.plan.KeepAll {
		o.out.drop(id)
		return nil
	}
	o.top.lists.Insert(g, at, id)
	o.index.Add(id)
	list = o.top.lists.Of(g)
	o.enter(list, at, to, ord)
	if full && !o.plan.KeepAll {
		last := list[n]
		o.index.Take(last, anyRow)
		o.out.drop(last)
		o.top.lists.Remove(g, n)
	}
	return nil
}

// anyRow is the order of rows that have different keys.
func anyRow(int32, int32) bool { return false }

// enter says that the row at a place is new among the first ones.
func (o *rankUpdate) enter(list []int32, at int, to, ord int64) {
	n := min(int64(len(list))-1, to) // of the rows that stood there before
	switch {
	case int64(at) >= to:
	case o.plain && n == to && to == 1:
		o.out.send(stream.UpdateBefore, list[1], 0, ord)
		o.out.send(stream.UpdateAfter, list[0], 0, ord)
	case o.plain:
		if n == to {
			o.out.send(stream.Delete, list[to], 0, ord)
		}
		o.out.send(stream.Insert, list[at], 0, ord)
	default:
		for q := int64(at); q < n; q++ {
			o.replace(list[q+1], list[q], q+1, to, ord)
		}
		if n < to {
			o.send(stream.Insert, list[n], n+1, to, ord)
		}
	}
}

// move puts row id, which belongs to place at, where row old was, which has its key. As
// in Flink the old row is taken back right after the one whose number the new row gets.
func (o *rankUpdate) move(list []int32, old, id int32, at int, to, ord int64) error {
	was := 0
	for list[was] != old {
		was++
	}
	if o.kept.compare(old, id) == 0 {
		at = was
	}
	o.index.Add(id)
	o.out.drop(old)
	if at > was {
		return o.moveBack(list, old, id, was, at-1, to, ord)
	}
	copy(list[at+1:was+1], list[at:was])
	list[at] = id
	switch {
	case int64(was) >= to:
		o.enter(list[:was+1], at, to, ord)
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

// moveBack is move for a row that now belongs behind others.
func (o *rankUpdate) moveBack(list []int32, old, id int32, was, at int, to, ord int64) error {
	if !o.plan.KeepAll {
		return diag.New(diag.Internal, o.plan.Info().Span, "a row moved back in the order of a Top-N that was planned for rows that move forward")
	}
	copy(list[was:at], list[was+1:at+1])
	list[at] = id
	switch {
	case int64(was) >= to:
	case !o.plain:
		for q := was; q <= at; q++ {
			o.replace(old, list[q], int64(q+1), to, ord)
			old = list[q]
		}
	case int64(at) < to || to == 1:
		o.out.send(stream.UpdateBefore, old, 0, ord)
		o.out.send(stream.UpdateAfter, list[min(int64(at), to-1)], 0, ord)
	default:
		o.out.send(stream.Delete, old, 0, ord)
		o.out.send(stream.Insert, list[to-1], 0, ord)
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
