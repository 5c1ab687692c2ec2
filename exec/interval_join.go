package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// intervalJoin is what a join by an interval of time does with its rows; it takes both
// inputs as a join of all rows does. For each key and side there is one timer, set for
// the first row to be kept: what has expired by then goes, with its padding, and the
// timer is set for the row that goes next. (Flink: TimeIntervalJoin.)
type intervalJoin struct {
	*join
	plan  *physical.IntervalJoin
	size  [2]int64 // how much later than a row of the side one of the other may be
	delay int64    // by which the watermark is held back
	never bool     // no two rows are near enough
	times [2]int   // columns
	edges [2]edgeColumn
	kept  intervalState
}

func newIntervalJoin(p *physical.IntervalJoin) (Operator, error) {
	op, err := newJoin(&physical.Join{
		Base: p.Base, Left: p.Left, Right: p.Right, Kind: p.Kind, LeftKeys: p.LeftKeys, RightKeys: p.RightKeys, NullSafe: p.NullSafe, Cond: p.Cond,
	})
	if err != nil {
		return nil, err
	}
	if p.Left.Info().Mode != physical.Append || p.Right.Info().Mode != physical.Append || p.Kind > physical.FullOuter {
		return nil, badPlan(p, "it takes rows that are only added, and tests none")
	}
	v := &intervalJoin{join: op.(*join), plan: p, size: [2]int64{-p.Lower, p.Upper}, never: p.Upper < p.Lower, times: [2]int{p.LeftTime, p.RightTime}}
	if !v.never {
		v.delay = max(v.size[0], v.size[1])
	}
	v.interval = v
	return v, nil
}

// Open implements Operator.
func (v *intervalJoin) Open(ctx context.Context, env *Env) error {
	if err := v.join.Open(ctx, env); err != nil {
		return err
	}
	// Unique keys of the inputs say nothing here: every row is kept.
	for i := range v.state.sides {
		v.state.sides[i].index, v.state.sides[i].unique = nil, false
	}
	v.kept.rows = &v.state
	return env.State.Register("times", 1, &v.kept)
}

// clock is the watermark as times are compared with it: it begins in 1970.
func (v *intervalJoin) clock() int64 { return max(0, int64(v.state.watermark)) }

// expiry is the time up to which rows of a side have expired.
func (v *intervalJoin) expiry(side int) int64 {
	if v.state.watermark == stream.MaxWatermark {
		return int64(v.state.watermark)
	}
	return v.clock() - v.size[side] - 1
}

// take answers the row at a place among the begun rows of a side.
func (v *intervalJoin) take(ctx context.Context, side int, b *stream.Batch, place int, out Output) error {
	s := &v.sides[side]
	row, id := s.rows[place], s.ids[place]
	ord, g, t := b.Ordinal(int(row)), s.groups[row], v.edges[side].of(row)
	c := change{o: v.join, ctx: ctx, out: out, side: side, id: id, ord: ord}
	found := false
	if to := t + v.size[side]; !v.never && v.kept.expired[1-side] < to {
		v.kept.expired[1-side] = v.expiry(1 - side)
		v.match.matched = v.match.matched[:0]
		if !s.alone[row] {
			v.match.matched = v.kept.between(1-side, g, t-v.size[1-side], to, v.match.matched)
		}
		matched, failed, err := v.match.filter(ctx, side, id, v.match.matched, out)
		switch {
		case err != nil:
			return err
		case failed != nil:
			return v.out.fail(ctx, out, ord, diag.As(failed))
		}
		found = len(matched) > 0
		if err := v.probe(&c, g, matched); err != nil {
			return err
		}
	}
	if !v.never && v.clock() < t+v.size[side] {
		v.keep(side, g, id, t, found)
		return nil
	}
	if !found && s.outer {
		if err := c.padded(stream.Insert, side, id); err != nil {
			return err
		}
	}
	v.out.drop(side, id)
	return nil
}

// probe sends the pairs of a row, and takes rows of its key on the other side away that
// have expired.
func (v *intervalJoin) probe(c *change, g int32, matched []int32) error {
	other := 1 - c.side
	r := &v.state.sides[other]
	if int(g) >= r.ends.Len() {
		return nil
	}
	expired := v.kept.expired[other]
	for at := r.ends.At(int(g)).first; at != 0; {
		id := at - 1
		l := r.links.At(int(id))
		at = l.next
		if len(matched) > 0 && matched[0] == id {
			matched = matched[1:]
			l.pairs = 1
			if err := c.pair(stream.Insert, id); err != nil {
				return err
			}
		}
		if *v.kept.times[other].At(int(id)) <= expired {
			if err := v.expire(c, other, g, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// expire takes a row away, padded if it has found no other.
func (v *intervalJoin) expire(c *change, side int, g, id int32) error {
	r := &v.state.sides[side]
	if v.sides[side].outer && r.links.At(int(id)).pairs == 0 {
		if err := c.padded(stream.Insert, side, id); err != nil {
			return err
		}
	}
	r.remove(g, id)
	v.out.drop(side, id)
	return nil
}

// keep stores a row for later ones of the other side.
func (v *intervalJoin) keep(side int, g, id int32, t int64, found bool) {
	l := joinLink{count: 1}
	if found {
		l.pairs = 1
	}
	v.state.sides[side].link(g, id, l)
	v.kept.times[side].Grow(int(id) + 1)
	*v.kept.times[side].At(int(id)) = t
	v.kept.due[side].Grow(int(g) + 1)
	if !v.kept.due[side].At(int(g)).set {
		v.timer(side, g, t)
	}
}

// timer sets the timer of a key and side for a row of time t.
func (v *intervalJoin) timer(side int, g int32, t int64) {
	at := t + v.size[side] + v.plan.MinCleanup + 1
	*v.kept.due[side].At(int(g)) = intervalTimer{at, true}
	v.kept.queue.push(at, v.kept.count, 0, g<<1|int32(side))
	v.kept.count++
}

// raise takes a rise of the watermark: timers up to it go off, then it is passed on.
func (v *intervalJoin) raise(ctx context.Context, ord int64, w stream.Timestamp, out Output) error {
	v.state.watermark = w
	for v.kept.queue.reached(w) {
		t := v.kept.queue.pop()
		side, g := int(t.group&1), t.group>>1
		v.kept.expired[side] = v.expiry(side)
		c := change{o: v.join, ctx: ctx, out: out, side: side, ord: ord}
		r := &v.state.sides[side]
		left, least := false, int64(0)
		for at := r.ends.At(int(g)).first; at != 0; {
			id := at - 1
			at = r.links.At(int(id)).next
			switch time := *v.kept.times[side].At(int(id)); {
			case time <= v.kept.expired[side]:
				if err := v.expire(&c, side, g, id); err != nil {
					return err
				}
			case !left || time < least:
				left, least = true, time
			}
		}
		v.kept.due[side].At(int(g)).set = false
		if left {
			v.timer(side, g, least)
		}
	}
	v.env.Counters.NextTimer.Store(int64(v.kept.queue.next()))
	switch {
	case w == stream.MaxWatermark:
		v.out.mark(ord, w)
	case int64(w) >= int64(stream.MinWatermark)+v.delay:
		v.out.mark(ord, w-stream.Timestamp(v.delay))
	}
	return nil
}

// intervalState is declared state: by side the times of the rows and the timers of keys.
type intervalState struct {
	rows    *joinState
	times   [2]expr.Cells[int64]         // by row
	due     [2]expr.Cells[intervalTimer] // by group
	queue   timeQueue                    // of groups, times two, plus the side
	count   int64                        // timers set so far
	expired [2]int64                     // by side: up to which time rows had expired when it was last looked at
}

type intervalTimer struct {
	at  int64
	set bool
}

// between appends the rows of a side and group whose times lie in [from, to].
func (s *intervalState) between(side int, g int32, from, to int64, list []int32) []int32 {
	r := &s.rows.sides[side]
	if int(g) >= r.ends.Len() {
		return list
	}
	for at := r.ends.At(int(g)).first; at != 0; at = r.links.At(int(at - 1)).next {
		if t := *s.times[side].At(int(at - 1)); t >= from && t <= to {
			list = append(list, at-1)
		}
	}
	return list
}

// waits reports whether a group has a timer.
func (s *intervalState) waits(g int) bool {
	for i := range s.due {
		if g < s.due[i].Len() && s.due[i].At(g).set {
			return true
		}
	}
	return false
}

// moved gives the groups other numbers: that of group g is to[g].
func (s *intervalState) moved(to []int32) {
	for i := range s.due {
		var due expr.Cells[intervalTimer]
		for g := range s.due[i].Len() {
			if d := *s.due[i].At(g); d.set {
				due.Grow(int(to[g]) + 1)
				*due.At(int(to[g])) = d
			}
		}
		s.due[i] = due
	}
	for k := range s.queue.heap {
		t := &s.queue.heap[k]
		t.group = to[t.group>>1]<<1 | t.group&1
	}
}

var _ state.Object = (*intervalState)(nil)

// Rows implements state.Object.
func (s *intervalState) Rows() int64 { return 0 }

// Bytes implements state.Object.
func (s *intervalState) Bytes() int64 {
	return s.times[0].Bytes() + s.times[1].Bytes() + s.due[0].Bytes() + s.due[1].Bytes() + s.queue.bytes()
}

// Snapshot implements state.Object.
func (s *intervalState) Snapshot(e *stream.Encoder) {
	for i := range s.times {
		e.Int64(s.expired[i])
		r := &s.rows.sides[i]
		for g := range r.ends.Len() {
			for at := r.ends.At(g).first; at != 0; at = r.links.At(int(at - 1)).next {
				e.Int64(*s.times[i].At(int(at - 1)))
			}
		}
	}
	e.Int64(s.count)
	e.Uint64(uint64(len(s.queue.heap)))
	for _, t := range s.queue.heap {
		e.Int64(t.time)
		e.Int64(t.arrived)
		e.Int64(int64(t.group))
	}
}

// Restore implements state.Object. The rows are there already, in the same order.
func (s *intervalState) Restore(d *stream.Decoder) error {
	for i := range s.times {
		s.expired[i] = d.Int64()
		r := &s.rows.sides[i]
		s.times[i].Grow(r.links.Len())
		for g := range r.ends.Len() {
			for at := r.ends.At(g).first; at != 0; at = r.links.At(int(at - 1)).next {
				*s.times[i].At(int(at - 1)) = d.Int64()
			}
		}
	}
	s.count = d.Int64()
	for range d.Count(8) {
		at, arrived, group := d.Int64(), d.Int64(), d.Int64()
		if d.Err() == nil && (group < 0 || group>>1 >= int64(s.rows.table.Len())) {
			d.Fail(stream.ErrSnapshot)
		}
		if d.Err() != nil {
			return d.Err()
		}
		s.queue.push(at, arrived, 0, int32(group))
		s.due[group&1].Grow(int(group>>1) + 1)
		*s.due[group&1].At(int(group >> 1)) = intervalTimer{at, true}
	}
	return d.Err()
}
