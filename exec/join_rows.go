package exec

import (
	"math"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
)

// joinRows is what a join keeps of one side: for each key its rows by arrival. Rows that
// are told apart by columns take each other's place; where none are known and rows are
// taken back, equal ones are counted.
type joinRows struct {
	store   *state.RowStore
	index   *state.RowIndex // nil: rows are only added, and each is kept
	unique  bool            // rows of equal columns of the index take each other's place
	counted bool            // pairs of each row are counted
	ttl     int64

	ends  expr.Cells[joinEnds] // by group
	links expr.Cells[joinLink] // by row
	last  expr.Cells[int64]    // by row: when it was written, where there is a ttl
	held  int
}

// joinEnds are the first and the last row of a group, plus 1; 0: it has none.
type joinEnds struct{ first, last int32 }

// joinLink stands a row in its group: the rows around it, plus 1, how many equal rows it
// stands for, and how many pairs it has. As in Flink that number is not checked: over
// rows that are taken back without ever having come it is wrong, even negative.
type joinLink struct{ next, prev, count, pairs int32 }

func (r *joinRows) expired(id int32, now int64) bool {
	return r.ttl > 0 && *r.last.At(int(id)) <= now-r.ttl
}

func (r *joinRows) touch(id int32, now int64) {
	if r.ttl > 0 {
		*r.last.At(int(id)) = now
	}
}

// matches appends the rows of a group to list.
func (r *joinRows) matches(g int32, now int64, list []int32) []int32 {
	if int(g) >= r.ends.Len() {
		return list
	}
	for at := r.ends.At(int(g)).first; at != 0; at = r.links.At(int(at - 1)).next {
		if !r.expired(at-1, now) {
			list = append(list, at-1)
		}
	}
	return list
}

// add takes row id of the store, which has a number of pairs, into group g. It returns
// a row of which no more is needed; -1: none.
func (r *joinRows) add(g, id, pairs int32, now int64) int32 {
	old := int32(-1)
	if r.index != nil {
		old = r.index.Find(id)
	}
	if old >= 0 {
		if !r.unique && !r.expired(old, now) {
			l := r.links.At(int(old))
			l.count++
			l.pairs = pairs
			r.touch(old, now)
			return id
		}
		r.remove(g, old)
	}
	r.link(g, id, joinLink{count: 1, pairs: pairs})
	r.touch(id, now)
	return old
}

// retract takes a row that equals row id of the store out of group g. It returns a row
// of which no more is needed; -1: none.
func (r *joinRows) retract(g, id int32, now int64) int32 {
	old := r.index.Find(id)
	if old < 0 {
		return -1
	}
	if l := r.links.At(int(old)); !r.unique && l.count > 1 && !r.expired(old, now) {
		l.count--
		r.touch(old, now)
		return -1
	}
	r.remove(g, old)
	return old
}

// link puts a row at the end of a group.
func (r *joinRows) link(g, id int32, l joinLink) {
	r.ends.Grow(int(g) + 1)
	r.links.Grow(int(id) + 1)
	if r.ttl > 0 {
		r.last.Grow(int(id) + 1)
	}
	e := r.ends.At(int(g))
	l.prev, l.next = e.last, 0
	*r.links.At(int(id)) = l
	if e.last != 0 {
		r.links.At(int(e.last - 1)).next = id + 1
	} else {
		e.first = id + 1
	}
	e.last = id + 1
	r.held++
	if r.index != nil {
		r.index.Add(id)
	}
}

// remove takes a row out of its group.
func (r *joinRows) remove(g, id int32) {
	e, l := r.ends.At(int(g)), r.links.At(int(id))
	if l.prev != 0 {
		r.links.At(int(l.prev - 1)).next = l.next
	} else {
		e.first = l.next
	}
	if l.next != 0 {
		r.links.At(int(l.next - 1)).prev = l.prev
	} else {
		e.last = l.prev
	}
	r.held--
	if r.index != nil {
		r.index.Remove(id)
	}
}

// joinState is the declared state of a join: the rows of both sides by key, and the
// watermark of both.
type joinState struct {
	keys      partitionKeys
	table     *state.Table
	sides     [2]joinRows
	ttl       int64
	swept     int64 // when expired rows were last looked for
	watermark stream.Timestamp
}

// tidy gives up rows whose time is over, once in that time, and keys without rows where
// they are more than those with.
func (s *joinState) tidy(now int64, v *intervalJoin) {
	if s.ttl > 0 && s.swept <= now-s.ttl {
		s.swept = now
		for i := range s.sides {
			s.sides[i].sweep(now)
		}
	}
	if n := s.table.Len(); n >= manyEnded && n > 2*(s.sides[0].held+s.sides[1].held) {
		s.rebuild(v)
	}
}

func (r *joinRows) sweep(now int64) {
	for g := range r.ends.Len() {
		for at := r.ends.At(g).first; at != 0; {
			id := at - 1
			at = r.links.At(int(id)).next
			if r.expired(id, now) {
				r.remove(int32(g), id)
				r.store.Free(id)
			}
		}
	}
}

// rebuild makes a table of the keys that have rows, or a timer.
func (s *joinState) rebuild(v *intervalJoin) {
	old, table := s.table, s.keys.table()
	cols, keys := make([]stream.Vec, len(s.keys.types)), make([]*stream.Vec, len(s.keys.types))
	for c := range cols {
		keys[c] = &cols[c]
	}
	var ends [2]expr.Cells[joinEnds]
	const part = 4096
	var groups, to []int32
	places := make([]int32, old.Len())
	for g := 0; g < old.Len(); {
		groups = groups[:0]
		for ; g < old.Len() && len(groups) < part; g++ {
			if s.sides[0].has(g) || s.sides[1].has(g) || v != nil && v.kept.waits(g) {
				groups = append(groups, int32(g))
			}
		}
		if len(groups) == 0 {
			continue
		}
		to = resize(to, len(groups))
		old.Keys(groups, len(groups), cols)
		table.Find(keys, expr.Rows{N: len(groups)}, to)
		for k, from := range groups {
			places[from] = to[k]
			for i := range s.sides {
				ends[i].Grow(int(to[k]) + 1)
				if s.sides[i].has(int(from)) {
					*ends[i].At(int(to[k])) = *s.sides[i].ends.At(int(from))
				}
			}
		}
	}
	s.table, s.sides[0].ends, s.sides[1].ends = table, ends[0], ends[1]
	if v != nil {
		v.kept.moved(places)
	}
}

func (r *joinRows) has(g int) bool { return g < r.ends.Len() && r.ends.At(g).first != 0 }

// Rows implements state.Object.
func (s *joinState) Rows() int64 { return int64(s.sides[0].held + s.sides[1].held) }

// Bytes implements state.Object.
func (s *joinState) Bytes() int64 {
	n := s.table.Bytes()
	for i := range s.sides {
		r := &s.sides[i]
		n += r.store.Bytes() + r.ends.Bytes() + r.links.Bytes() + r.last.Bytes()
		if r.index != nil {
			n += r.index.Bytes()
		}
	}
	return n
}

// Snapshot implements state.Object.
func (s *joinState) Snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.swept)
	s.table.Snapshot(e)
	for i := range s.sides {
		r := &s.sides[i]
		e.Uint64(uint64(r.held))
		for g := range r.ends.Len() {
			for at := r.ends.At(g).first; at != 0; {
				l := r.links.At(int(at - 1))
				e.Int64(int64(g))
				e.Int64(int64(l.count))
				e.Int64(int64(l.pairs))
				if r.ttl > 0 {
					e.Int64(*r.last.At(int(at - 1)))
				}
				r.store.SnapshotRow(e, at-1)
				at = l.next
			}
		}
	}
}

// Restore implements state.Object.
func (s *joinState) Restore(d *stream.Decoder) error {
	s.watermark = stream.Timestamp(d.Int64())
	s.swept = d.Int64()
	if err := s.table.Restore(d); err != nil {
		return err
	}
	for i := range s.sides {
		r := &s.sides[i]
		for range d.Count(8) {
			g, count, pairs := d.Int64(), d.Int64(), d.Int64()
			last := int64(0)
			if r.ttl > 0 {
				last = d.Int64()
			}
			id := r.store.RestoreRow(d)
			if d.Err() == nil && (g < 0 || g >= int64(s.table.Len()) || count < 1 || count > math.MaxInt32) {
				d.Fail(stream.ErrSnapshot)
			}
			if d.Err() != nil {
				return d.Err()
			}
			r.link(int32(g), id, joinLink{count: int32(count), pairs: int32(pairs)})
			r.touch(id, last)
		}
	}
	return d.Err()
}
