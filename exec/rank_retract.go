package exec

import (
	"cmp"
	"context"

	"streamsql/exec/state"
	"streamsql/stream"
)

// rankRetract is a Top-N over rows that come and go. It keeps all rows, since any may
// move up when others go.
type rankRetract struct {
	rank
	all  orderedRows
	ids  []int32 // of the batch at hand
	part []int32
}

// orderedRows is declared state: the rows of each partition in their order.
type orderedRows struct {
	rows    *state.RowStore
	table   *state.Table // the partitions
	order   state.Ordered
	index   *state.RowIndex
	keys    *storedKeys
	arrived []int64 // by row
	count   int64
}

// Open implements Operator.
func (o *rankRetract) Open(_ context.Context, env *Env) error {
	if err := o.open(env); err != nil {
		return err
	}
	o.all = orderedRows{rows: o.rows, table: o.ends.table, keys: &o.kept, index: state.NewRowIndex(o.rows, firstColumns(o.kept.column), env.Seed)}
	return env.State.Register("rows", 1, &o.all)
}

// ProcessBatch implements Operator.
func (o *rankRetract) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	live := liveRows(b, &o.iota)
	groups := o.keys.find(o.ends.table, b, live)
	o.all.order.Grow(o.ends.table.Len())
	o.out.begin(b)
	o.ids = o.storeAll(b, live, o.ids)
	if err := o.process(ctx, b, out, live, groups, o.take); err != nil {
		return err
	}
	return o.out.flush(ctx, out, b.Thru)
}

// take judges one row of partition g.
func (o *rankRetract) take(b *stream.Batch, k int, r, g int32) error {
	if b.Kind(int(r)).Retracts() {
		o.remove(o.ids[k], g, b.Ordinal(int(r)))
	} else {
		o.add(o.ids[k], g, b.Ordinal(int(r)))
	}
	return nil
}

// add puts a row into its partition: the rows behind it move down.
func (o *rankRetract) add(id, g int32, ord int64) {
	s := &o.all
	s.arrive(id)
	s.index.Add(id)
	to := o.to(g)
	at := s.order.Insert(g, id, int(to), func(x int32) bool { return o.kept.compare(x, id) > 0 })
	room := to - int64(at)
	if room <= 0 {
		return
	}
	if o.plain {
		if o.part = s.order.From(g, int(to), 1, o.part[:0]); len(o.part) > 0 {
			o.out.send(stream.Delete, o.part[0], 0, ord)
		}
		o.out.send(stream.Insert, id, 0, ord)
		return
	}
	o.part = s.order.From(g, at, int(room)+1, o.part[:0])
	last := len(o.part) - 1
	for i := range last {
		o.replace(o.part[i+1], o.part[i], int64(at+i+1), to, ord)
	}
	if int64(last) < room {
		o.send(stream.Insert, o.part[last], int64(at+last+1), to, ord)
	}
}

// remove takes out the row that equals row id: the rows behind it move up. One that is
// not there changes nothing.
func (o *rankRetract) remove(id, g int32, ord int64) {
	s := &o.all
	o.out.drop(id)
	old := s.index.Take(id, s.before)
	if old < 0 {
		return
	}
	to := o.to(g)
	at := s.order.Remove(g, int(to), func(x int32) bool {
		c := o.kept.compare(x, old)
		return c > 0 || c == 0 && s.arrived[x] >= s.arrived[old]
	})
	o.out.drop(old)
	room := to - int64(at)
	if room <= 0 {
		return
	}
	if o.plain {
		o.out.send(stream.Delete, old, 0, ord)
		if o.part = s.order.From(g, int(to)-1, 1, o.part[:0]); len(o.part) > 0 {
			o.out.send(stream.Insert, o.part[0], 0, ord)
		}
		return
	}
	o.part = s.order.From(g, at, int(room), o.part[:0])
	for i, next := range o.part {
		o.replace(old, next, int64(at+i+1), to, ord)
		old = next
	}
	if int64(len(o.part)) < room {
		o.send(stream.Delete, old, int64(at+len(o.part)+1), to, ord)
	}
}

// arrive notes that a row came behind all others.
func (s *orderedRows) arrive(id int32) {
	for len(s.arrived) <= int(id) {
		s.arrived = append(s.arrived, 0)
	}
	s.arrived[id] = s.count
	s.count++
}

func (s *orderedRows) before(a, b int32) bool { return cmp.Less(s.arrived[a], s.arrived[b]) }

// Rows implements state.Object.
func (s *orderedRows) Rows() int64 { return int64(s.rows.Len()) }

// Bytes implements state.Object.
func (s *orderedRows) Bytes() int64 {
	return s.rows.Bytes() + s.order.Bytes() + s.index.Bytes() + s.keys.bytes() + int64(cap(s.arrived))*8
}

// Snapshot implements state.Object.
func (s *orderedRows) Snapshot(e *stream.Encoder) {
	e.Int64(s.count)
	var list []int32
	for g := range int32(s.table.Len()) {
		list = s.order.From(g, 0, s.order.Len(), list[:0])
		e.Uint64(uint64(len(list)))
		for _, id := range list {
			e.Int64(s.arrived[id])
			s.rows.SnapshotRow(e, id)
		}
	}
}

// Restore implements state.Object. The partitions have been restored before.
func (s *orderedRows) Restore(d *stream.Decoder) error {
	count := d.Int64()
	s.order.Grow(s.table.Len())
	for g := range int32(s.table.Len()) {
		for range d.Count(16) {
			s.count = d.Int64()
			id := s.rows.RestoreRow(d)
			s.keys.restored(id)
			s.arrive(id)
			s.index.Add(id)
			s.order.Insert(g, id, 0, func(int32) bool { return false })
		}
	}
	s.count = count
	return d.Err()
}
