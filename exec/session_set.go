package exec

import (
	"math"
	"slices"
	"sort"

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

	// By session.
	key        []int32 // -1: the session is over
	start, end []int64
	prev, next []int32
	first      []int64 // arrival number of the first row
	over       int     // sessions that are over

	near    closings // sessions whose slot has been reached
	reached int64
	wheel   []turn // the others, by slot
	width   int64
	due     []int32
	pool    [][]int32
}

// closing is the end that a session had when it was listed.
type closing struct {
	end int64
	id  int32
}

// closings is a heap, the first end on top.
type closings []closing

func (h *closings) push(c closing) {
	l := append(*h, c)
	i := len(l) - 1
	for i > 0 {
		up := (i - 1) / 2
		if l[up].end <= c.end {
			break
		}
		l[i] = l[up]
		i = up
	}
	l[i] = c
	*h = l
}

// pop removes the top and returns its session.
func (h *closings) pop() int32 {
	l := *h
	id, last := l[0].id, l[len(l)-1]
	l = l[:len(l)-1]
	*h = l
	h.sink(0, last)
	return id
}

// sink puts c at place i or below it.
func (h *closings) sink(i int, c closing) {
	l := *h
	for 2*i+1 < len(l) {
		down := 2*i + 1
		if down+1 < len(l) && l[down+1].end < l[down].end {
			down++
		}
		if c.end <= l[down].end {
			break
		}
		l[i] = l[down]
		i = down
	}
	if i < len(l) {
		l[i] = c
	}
}

// turn lists sessions whose end lay in one stretch of time when they were listed. They
// may have grown since: then they move when their old end is reached.
type turn struct {
	slot int64
	min  int64 // no session listed here ends before
	ids  []int32
}

// noSession is the answer for a late row.
const noSession = -1

func (s *sessionSet) init() {
	s.watermark = stream.MinWatermark
	s.scratch = state.NewScratch()
	s.table = state.NewTable(s.keys, s.seed, s.scratch)
	// Sessions that grow move about once per width.
	s.width = max(1, s.grid.Gap/4)
	s.reached = math.MinInt64
}

// grow makes room for the keys of the table.
func (s *sessionSet) grow() {
	for len(s.last) < s.table.Len() {
		s.last = append(s.last, -1)
		s.idle++
	}
}

// take finds the session of a row of key g with wall clock time t, or makes it. merged
// is called for each other session that the row joins to it, before it is gone. It
// returns noSession if the row is late: it touches no open session and its own has
// closed.
func (s *sessionSet) take(g int32, t, arrival int64, merged func(into, from int32) error) (int32, error) {
	lo, hi := t, t+s.grid.Gap
	id := s.last[g]
	if id >= 0 && lo >= s.start[id] && lo <= s.end[id] {
		s.end[id] = max(s.end[id], hi)
		return id, nil
	}
	behind := int32(-1)
	for id >= 0 && s.start[id] > hi {
		behind, id = id, s.prev[id]
	}
	if id < 0 || s.end[id] < lo {
		if s.grid.FiresAt(hi) <= s.watermark {
			return noSession, nil
		}
		return s.open(g, lo, hi, arrival, id, behind), nil
	}
	for p := s.prev[id]; p >= 0 && s.end[p] >= lo; p = s.prev[id] {
		// The one that was seen first goes on.
		into, from := id, p
		if s.first[p] < s.first[id] {
			into, from = p, id
		}
		if err := merged(into, from); err != nil {
			return 0, err
		}
		s.start[into] = min(s.start[id], s.start[p])
		s.end[into] = max(s.end[id], s.end[p])
		s.remove(from)
		id = into
	}
	s.start[id], s.end[id] = min(s.start[id], lo), max(s.end[id], hi)
	return id, nil
}

// open makes a session between two others of its key.
func (s *sessionSet) open(g int32, start, end, arrival int64, before, behind int32) int32 {
	id := int32(len(s.key))
	s.key, s.start, s.end = append(s.key, g), append(s.start, start), append(s.end, end)
	s.prev, s.next, s.first = append(s.prev, before), append(s.next, behind), append(s.first, arrival)
	if before >= 0 {
		s.next[before] = id
	}
	if behind >= 0 {
		s.prev[behind] = id
	} else {
		if before < 0 {
			s.idle--
		}
		s.last[g] = id
	}
	s.list(id)
	return id
}

// remove takes a session out of its key's list.
func (s *sessionSet) remove(id int32) {
	p, n, g := s.prev[id], s.next[id], s.key[id]
	if p >= 0 {
		s.next[p] = n
	}
	if n >= 0 {
		s.prev[n] = p
	} else {
		s.last[g] = p
		if p < 0 {
			s.idle++
		}
	}
	s.key[id] = -1
	s.over++
}

// list enters a session into the wheel.
func (s *sessionSet) list(id int32) {
	end := s.end[id]
	slot := floorDiv(end, s.width)
	if slot <= s.reached {
		s.near.push(closing{end, id})
		return
	}
	i := len(s.wheel)
	if i > 0 && s.wheel[i-1].slot >= slot {
		i = sort.Search(i-1, func(k int) bool { return s.wheel[k].slot >= slot })
	}
	if i == len(s.wheel) || s.wheel[i].slot != slot {
		t := turn{slot: slot, min: end}
		if n := len(s.pool); n > 0 {
			t.ids, s.pool = s.pool[n-1], s.pool[:n-1]
		}
		s.wheel = slices.Insert(s.wheel, i, t)
	}
	t := &s.wheel[i]
	t.ids = append(t.ids, id)
	t.min = min(t.min, end)
}

// timer is a watermark below which no session closes, or never.
func (s *sessionSet) timer() stream.Timestamp {
	at := never
	if len(s.near) > 0 {
		at = s.grid.FiresAt(s.near[0].end)
	}
	if len(s.wheel) > 0 {
		at = min(at, s.grid.FiresAt(s.wheel[0].min))
	}
	return at
}

// close returns the sessions that watermark w closes, by end, start and first arrival.
// They stay until remove.
func (s *sessionSet) close(w stream.Timestamp) []int32 {
	s.due = s.due[:0]
	for {
		switch {
		case len(s.near) > 0 && s.grid.FiresAt(s.near[0].end) <= w:
			id := s.near.pop()
			switch {
			case s.key[id] < 0:
			case s.grid.FiresAt(s.end[id]) <= w:
				s.due = append(s.due, id)
			default:
				s.list(id)
			}
			continue
		case len(s.wheel) > 0 && s.grid.FiresAt(s.wheel[0].min) <= w:
			s.turn()
			continue
		}
		break
	}
	slices.SortFunc(s.due, func(a, b int32) int {
		switch {
		case s.end[a] != s.end[b]:
			return compare(s.end[a], s.end[b])
		case s.start[a] != s.start[b]:
			return compare(s.start[a], s.start[b])
		}
		return compare(s.first[a], s.first[b])
	})
	return s.due
}

// turn sorts out the first turn: its sessions close next, or have grown.
func (s *sessionSet) turn() {
	t := s.wheel[0]
	s.wheel = slices.Delete(s.wheel, 0, 1)
	s.reached = t.slot
	for _, id := range t.ids {
		if s.key[id] >= 0 {
			s.list(id)
		}
	}
	s.pool = append(s.pool, t.ids[:0])
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// worn reports whether it is time to renumber.
func (s *sessionSet) worn() bool {
	return s.over > 0 && (s.over == len(s.key) || s.over > 1024 && 2*s.over > len(s.key))
}

// renumber drops what is over and idle and returns the old numbers of the sessions that
// are left, in their new order.
func (s *sessionSet) renumber() ([]int32, error) {
	var left []int32
	ids := make([]int32, len(s.key))
	for id, g := range s.key {
		ids[id] = -1
		if g >= 0 {
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
		s.key[k], s.start[k], s.end[k], s.first[k] = s.key[id], s.start[id], s.end[id], s.first[id]
		s.prev[k], s.next[k] = move(s.prev[id]), move(s.next[id])
	}
	n := len(left)
	s.key, s.start, s.end, s.first, s.prev, s.next = s.key[:n], s.start[:n], s.end[:n], s.first[:n], s.prev[:n], s.next[:n]
	s.over = 0
	near := s.near[:0]
	for _, c := range s.near {
		if ids[c.id] >= 0 {
			near = append(near, closing{c.end, ids[c.id]})
		}
	}
	s.near = near
	for i := len(near)/2 - 1; i >= 0; i-- {
		near.sink(i, near[i])
	}
	w := s.wheel[:0]
	for _, t := range s.wheel {
		kept := t.ids[:0]
		for _, id := range t.ids {
			if ids[id] >= 0 {
				kept = append(kept, ids[id])
			}
		}
		if t.ids = kept; len(kept) > 0 {
			w = append(w, t)
		} else {
			s.pool = append(s.pool, kept)
		}
	}
	clear(s.wheel[len(w):])
	s.wheel = w
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
	for id, g := range s.key {
		s.key[id] = ids[g]
	}
	return nil
}

// bytes is the memory held.
func (s *sessionSet) bytes() int64 {
	n := s.table.Bytes() + int64(cap(s.last)+cap(s.key)+cap(s.prev)+cap(s.next)+cap(s.due))*4 + int64(cap(s.near))*16 +
		int64(cap(s.start)+cap(s.end)+cap(s.first))*8
	for i := range s.wheel {
		n += int64(cap(s.wheel[i].ids)) * 4
	}
	return n
}

// rows is the number of open sessions.
func (s *sessionSet) rows() int64 { return int64(len(s.key) - s.over) }

// snapshot writes the keys and the sessions.
func (s *sessionSet) snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.arrived)
	s.table.Snapshot(e)
	e.Uint64(uint64(len(s.key)))
	for id, g := range s.key {
		e.Int64(int64(g))
		e.Int64(s.start[id])
		e.Int64(s.end[id])
		e.Int64(s.first[id])
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
			s.key, s.start, s.end = append(s.key, g), append(s.start, start), append(s.end, end)
			s.prev, s.next, s.first = append(s.prev, -1), append(s.next, -1), append(s.first, first)
			s.over++
			continue
		}
		before, behind := s.last[g], int32(-1)
		for before >= 0 && s.start[before] > start {
			behind, before = before, s.prev[before]
		}
		s.open(g, start, end, first, before, behind)
	}
	return d.Err()
}
