package exec

import (
	"streamsql/exec/state"
	"streamsql/stream"
)

// Rows is the number of entries of all slices and groups of the totals.
func (s *sliceSet) Rows() int64 {
	n := int64(0)
	if s.cumulates() && s.inside {
		n = int64(s.table.Len() - s.dead)
	}
	return n + s.entries
}

// Bytes is the memory held, that of slices kept for reuse included.
func (s *sliceSet) Bytes() int64 {
	n := s.held + s.table.Bytes() + s.running.Bytes() + s.back.Bytes() +
		int64(cap(s.head)+cap(s.tail)+cap(s.counts)+cap(s.firstBack))*8 + int64(cap(s.live))*4
	return n
}

// measure brings the memory held up to date after a change of p. Asking all slices each
// time would cost more than the rows of a small batch.
func (s *sliceSet) measure(p *slice) {
	n := p.suffix.Bytes() + int64(cap(p.groups)+cap(p.rows)+cap(p.ids))*4 +
		int64(cap(p.prev)+cap(p.next)+cap(p.first)+cap(p.counts)+cap(p.suffixFirst))*8
	for _, a := range p.aggs {
		n += a.Bytes()
	}
	s.held += n - p.held
	p.held = n
}

// Snapshot writes everything but the chains of entries, which follow from the slices.
func (s *sliceSet) Snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.done)
	e.Int64(s.mid)
	e.Int64(s.arrived)
	e.Bool(s.inside)
	s.table.Snapshot(e)
	for g := range s.table.Len() {
		e.Int64(int64(s.live[g]))
		e.Int64(s.firstBack[g])
		if s.retract {
			e.Int64(s.counts[g])
		}
	}
	s.running.Snapshot(e)
	s.back.Snapshot(e)
	e.Uint64(uint64(len(s.open)))
	for _, p := range s.open {
		e.Int64(p.start)
		e.Int64(p.end)
		e.Uint64(uint64(len(p.groups)))
		front := s.isLate(p) && s.isFront(p)
		for i, g := range p.groups {
			e.Int64(int64(g))
			e.Int64(p.first[i])
			if s.retract {
				e.Int64(p.counts[i])
			}
			if front {
				e.Int64(p.suffixFirst[i])
			}
		}
		for _, a := range p.aggs {
			a.Snapshot(e)
		}
		if front {
			p.suffix.Snapshot(e)
		}
	}
}

// Restore reads it.
func (s *sliceSet) Restore(d *stream.Decoder) error {
	s.watermark = stream.Timestamp(d.Int64())
	done := d.Int64()
	s.mid = d.Int64()
	s.arrived = d.Int64()
	s.inside = d.Bool()
	if err := s.table.Restore(d); err != nil {
		return err
	}
	s.grow()
	for g := range s.table.Len() {
		s.live[g] = int32(d.Int64())
		s.firstBack[g] = d.Int64()
		if s.retract {
			s.counts[g] = d.Int64()
		}
		if s.live[g] > 0 && s.cumulates() {
			s.dead--
		}
	}
	for _, a := range [...]*state.Aggregates{s.running, s.back} {
		if err := a.Restore(d); err != nil {
			return err
		}
	}
	if done != s.done {
		s.setDone(done)
	}
	for range d.Count(8) {
		if err := s.restoreSlice(d); err != nil {
			return err
		}
	}
	return d.Err()
}

func (s *sliceSet) restoreSlice(d *stream.Decoder) error {
	start, end := d.Int64(), d.Int64()
	p, err := s.find(start, end)
	if err != nil {
		return err
	}
	front := s.isLate(p) && s.isFront(p)
	for range d.Count(8) {
		g := int32(d.Int64())
		if g < 0 || int(g) >= len(s.head) {
			return d.Fail(stream.ErrSnapshot)
		}
		e := int32(len(p.groups))
		self, r := refTo(p, e), s.tail[g]
		p.groups, p.prev, p.next = append(p.groups, g), append(p.prev, r), append(p.next, 0)
		p.first = append(p.first, d.Int64())
		s.entries++
		if s.retract {
			p.counts = append(p.counts, d.Int64())
		}
		if front {
			p.suffixFirst = append(p.suffixFirst, d.Int64())
		}
		if r != 0 {
			s.bySlot[r.slot()].next[r.entry()] = self
		} else {
			s.head[g] = self
			if s.live[g] == 0 || !s.cumulates() {
				s.dead--
			}
		}
		s.tail[g] = self
	}
	for _, a := range p.aggs {
		if err := a.Restore(d); err != nil {
			return err
		}
	}
	if front {
		if err := p.suffix.Restore(d); err != nil {
			return err
		}
	}
	s.measure(p)
	return nil
}
