package exec

import (
	"unsafe"

	"streamsql/exec/state"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// sessionSet is the open sessions of all keys. A session is [start, end): from its
// first row to the gap behind its last one. The sessions of a key are a list by start;
// they neither overlap nor touch.
type sessionSet struct {
	grid    window.Grid
	keys    []types.Type
	seed    uint64
	scratch *state.Scratch

	watermark stream.Timestamp
	arrived   int64 // rows so far

	table *state.Table
	last  []int32 // by key: its last session; -1: none
	idle  int     // keys without sessions

	sessions []session
	over     int // sessions that are over

	closings closings
	due      []int32
	places   []int32 // scratch: last of the keys of rows
	sum      int64
	sorter   radixSorter
	order    []int64
}

// session is one session of a key. The parts lie side by side, as most rows need several
// of them.
type session struct {
	start, end int64
	prev, next int32 // the key's sessions before and behind; -1: none
	key        int32 // -1: the session is over
	first      int64 // arrival number of the first row
}

// noSession is the answer for a late row.
const noSession = -1

func (s *sessionSet) init() {
	s.watermark = stream.MinWatermark
	s.scratch = state.NewScratch()
	s.table = state.NewTable(s.keys, s.seed, s.scratch)
	s.closings.init(s.grid.Gap)
}

// grow makes room for the keys of the table.
func (s *sessionSet) grow() {
	for len(s.last) < s.table.Len() {
		s.last = append(s.last, -1)
		s.idle++
	}
}

// warm asks for the last sessions of the keys of rows, so that their misses overlap.
func (s *sessionSet) warm(keys, rows []int32) {
	if len(s.sessions) < manySessions {
		return
	}
	s.places = resize(s.places, len(rows))
	places, sum := s.places[:len(rows)], int64(0)
	for k, i := range rows {
		places[k] = s.last[keys[i]]
	}
	for _, id := range places {
		sum += s.sessions[max(id, 0)].end
	}
	s.sum += sum
}

// manySessions is the number from which sessions are taken not to lie in a cache of the
// core.
const manySessions = 1 << 13

// take finds the session of a row of key g with wall clock time t, or makes it. merged
// is called for each other session that the row joins to it, before it is gone. It
// returns noSession if the row is late: it touches no open session and its own has
// closed.
func (s *sessionSet) take(g int32, t, arrival int64, merged func(into, from int32) error) (int32, error) {
	lo, hi := t, t+s.grid.Gap
	id := s.last[g]
	if id >= 0 {
		if p := &s.sessions[id]; lo >= p.start && lo <= p.end {
			p.end = max(p.end, hi)
			return id, nil
		}
	}
	behind := int32(-1)
	for id >= 0 && s.sessions[id].start > hi {
		behind, id = id, s.sessions[id].prev
	}
	if id < 0 || s.sessions[id].end < lo {
		if s.grid.FiresAt(hi) <= s.watermark {
			return noSession, nil
		}
		return s.open(session{start: lo, end: hi, prev: id, next: behind, key: g, first: arrival}), nil
	}
	p := &s.sessions[id]
	for before := p.prev; before >= 0 && s.sessions[before].end >= lo; before = p.prev {
		// The one that was seen first goes on.
		q := &s.sessions[before]
		start, end, gone := min(p.start, q.start), max(p.end, q.end), before
		if q.first < p.first {
			id, gone, p = before, id, q
		}
		if err := merged(id, gone); err != nil {
			return 0, err
		}
		p.start, p.end = start, end
		s.remove(gone)
	}
	p.start, p.end = min(p.start, lo), max(p.end, hi)
	return id, nil
}

// open adds a session between two others of its key.
func (s *sessionSet) open(p session) int32 {
	id := int32(len(s.sessions))
	s.sessions = append(s.sessions, p)
	if p.prev >= 0 {
		s.sessions[p.prev].next = id
	}
	if p.next >= 0 {
		s.sessions[p.next].prev = id
	} else {
		if p.prev < 0 {
			s.idle--
		}
		s.last[p.key] = id
	}
	s.closings.add(id, p.end)
	return id
}

// remove takes a session out of its key's list.
func (s *sessionSet) remove(id int32) {
	p := &s.sessions[id]
	if p.prev >= 0 {
		s.sessions[p.prev].next = p.next
	}
	if p.next >= 0 {
		s.sessions[p.next].prev = p.prev
	} else {
		s.last[p.key] = p.prev
		if p.prev < 0 {
			s.idle++
		}
	}
	p.key = -1
	s.over++
}

// timer is a watermark below which no session closes, or never.
func (s *sessionSet) timer() stream.Timestamp {
	if end, ok := s.closings.next(); ok {
		return s.grid.FiresAt(end)
	}
	return never
}

// close returns the sessions that watermark w closes, by end, start and first arrival.
// They stay until remove.
func (s *sessionSet) close(w stream.Timestamp) []int32 {
	s.due = s.due[:0]
	for {
		end, ok := s.closings.next()
		if !ok || s.grid.FiresAt(end) > w {
			break
		}
		id, ok := s.closings.take()
		if !ok {
			s.closings.turn(s.sessions)
			continue
		}
		switch p := &s.sessions[id]; {
		case p.key < 0:
		case p.end > end:
			s.closings.add(id, p.end)
		default:
			s.due = append(s.due, id)
		}
	}
	// They have come by end.
	for from := 0; from < len(s.due); {
		p, sorted := &s.sessions[s.due[from]], true
		end, to := p.end, from+1
		for ; to < len(s.due); to++ {
			q := &s.sessions[s.due[to]]
			if q.end != end {
				break
			}
			sorted = sorted && (p.start < q.start || p.start == q.start && p.first < q.first)
			p = q
		}
		if !sorted {
			s.arrange(s.due[from:to])
		}
		from = to
	}
	return s.due
}

// arrange sorts sessions of one end by start and first arrival.
func (s *sessionSet) arrange(ids []int32) {
	s.order = resize(s.order, len(ids))
	for k, id := range ids {
		s.order[k] = s.sessions[id].first
	}
	s.sorter.sort(ids, s.order)
	for k, id := range ids {
		s.order[k] = s.sessions[id].start
	}
	s.sorter.sort(ids, s.order)
}

// worn reports whether it is time to renumber.
func (s *sessionSet) worn() bool {
	n := len(s.sessions)
	return s.over > 0 && (s.over == n || s.over > 1024 && 2*s.over > n)
}

// renumber drops what is over and idle and returns the old numbers of the sessions that
// are left, in their new order.
func (s *sessionSet) renumber() ([]int32, error) {
	left := make([]int32, 0, len(s.sessions)-s.over)
	ids := make([]int32, len(s.sessions))
	for id := range s.sessions {
		ids[id] = -1
		if s.sessions[id].key >= 0 {
			ids[id] = int32(len(left))
			left = append(left, int32(id))
		}
	}
	move := func(id int32) int32 {
		if id < 0 {
			return -1
		}
		return ids[id]
	}
	for k, id := range left {
		p := s.sessions[id]
		p.prev, p.next = move(p.prev), move(p.next)
		s.sessions[k] = p
	}
	s.sessions, s.over = s.sessions[:len(left)], 0
	s.closings.renumber(ids)
	for g, id := range s.last {
		s.last[g] = move(id)
	}
	return left, s.dropKeys()
}

// dropKeys renumbers the keys if most of them are idle.
func (s *sessionSet) dropKeys() error {
	n := s.table.Len()
	if s.idle == n {
		s.table.Reset()
		s.last, s.idle = s.last[:0], 0
		return nil
	}
	if s.idle < 1024 || 2*s.idle < n {
		return nil
	}
	keep := make([]int32, 0, n-s.idle)
	ids := make([]int32, n)
	for g, id := range s.last {
		if id >= 0 {
			ids[g] = int32(len(keep))
			keep = append(keep, int32(g))
		}
	}
	table, err := renumber(s.table, s.keys, s.seed, s.scratch, keep)
	if err != nil {
		return err
	}
	s.table = table
	for k, g := range keep {
		s.last[k] = s.last[g]
	}
	s.last, s.idle = s.last[:len(keep)], 0
	for id := range s.sessions {
		s.sessions[id].key = ids[s.sessions[id].key]
	}
	return nil
}

// bytes is the memory held.
func (s *sessionSet) bytes() int64 {
	return s.table.Bytes() + s.closings.bytes() + int64(cap(s.sessions))*int64(unsafe.Sizeof(session{})) +
		int64(cap(s.last)+cap(s.due)+cap(s.places)+cap(s.sorter.ids))*4 + int64(cap(s.order)+cap(s.sorter.keys))*8
}

// rows is the number of open sessions.
func (s *sessionSet) rows() int64 { return int64(len(s.sessions) - s.over) }

// snapshot writes the keys and the sessions.
func (s *sessionSet) snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.arrived)
	s.table.Snapshot(e)
	e.Uint64(uint64(len(s.sessions)))
	for i := range s.sessions {
		p := &s.sessions[i]
		e.Int64(int64(p.key))
		e.Int64(p.start)
		e.Int64(p.end)
		e.Int64(p.first)
	}
}

// restore reads them.
func (s *sessionSet) restore(d *stream.Decoder) error {
	s.watermark = stream.Timestamp(d.Int64())
	s.arrived = d.Int64()
	if err := s.table.Restore(d); err != nil {
		return err
	}
	s.grow()
	for range d.Count(32) {
		g, start, end, first := int32(d.Int64()), d.Int64(), d.Int64(), d.Int64()
		if g >= int32(len(s.last)) {
			return d.Fail(stream.ErrSnapshot)
		}
		if g < 0 { // it is over, but its number still counts
			s.sessions = append(s.sessions, session{start: start, end: end, prev: -1, next: -1, key: -1, first: first})
			s.over++
			continue
		}
		before, behind := s.last[g], int32(-1)
		for before >= 0 && s.sessions[before].start > start {
			behind, before = before, s.sessions[before].prev
		}
		s.open(session{start: start, end: end, prev: before, next: behind, key: g, first: first})
	}
	return d.Err()
}
