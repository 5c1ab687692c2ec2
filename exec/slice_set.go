package exec

import (
	"math"
	"sort"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// entryRef names a group's entry in a slice: the slice's slot + 1 and the entry's
// number. 0 is none.
type entryRef uint64

func refTo(s *slice, e int32) entryRef { return entryRef(s.slot+1)<<32 | entryRef(uint32(e)) }
func (r entryRef) slot() int32         { return int32(r>>32) - 1 }
func (r entryRef) entry() int32        { return int32(uint32(r)) }

// slice is a piece of the time line that each window contains whole or not at all. It
// has one entry for each group with rows in it, in order of arrival.
type slice struct {
	slot       int32
	start, end int64

	groups     []int32
	prev, next []entryRef // the group's entries in the slices before and behind
	first      []int64    // arrival number of the first row
	counts     []int64    // rows, where the input takes rows back
	aggs       [classes]*state.Aggregates

	// Of slices in front: the entry's calls and first arrival with those of the group's
	// later entries up to the last slice in front.
	suffix      *state.Aggregates
	suffixFirst []int64

	held int64   // bytes, as measured
	rows []int32 // scratch: rows of the segment at hand, or positions of groups
	ids  []int32 // scratch: their entries
}

// sliceSet is the declared state of an aggregate over HOP or CUMULATE windows: slices
// and what has been combined of them for the next window.
//
// Rows go into the entry of their group and slice, which costs one look-up whatever
// the number of windows. A slice is combined into the totals when the first window
// with it fires; up to done all windows have fired.
type sliceSet struct {
	slices  window.Slices
	ends    window.Grid
	keys    []types.Type
	calls   []expr.AggregateCall
	class   []aggClass
	byClass [classes][]expr.AggregateCall
	places  [classes][]int
	seed    uint64
	retract bool
	oldest  bool // slices are combined oldest first
	scratch *state.Scratch

	watermark stream.Timestamp
	done      int64            // the last window that has fired, or would have with rows, ends here
	doneUntil stream.Timestamp // done holds below this watermark
	arrived   int64            // rows so far

	table *state.Table
	// By group.
	head, tail []entryRef
	live       []int32 // entries in the totals; CUMULATE: 1 if in the window
	counts     []int64 // rows in the totals, where the input takes rows back
	firstBack  []int64 // first arrival in the slices in the back, or in the window
	dead       int     // groups without rows

	open    []*slice // by start
	merged  int      // open[:merged] are in the totals
	entries int64    // of all slices
	held    int64    // bytes of all slices
	inside  bool     // CUMULATE: the window at hand has rows
	mid     int64    // slices that start before are in front

	running *state.Aggregates // calls of class subtracted
	back    *state.Aggregates // calls of class stacked, slices in the back
	fold    [classes]*state.Aggregates

	bySlot []*slice
	pool   []*slice
	iota   []int32
	order  []int32
	firsts []int64
	tmp    [classes][]stream.Vec
	listed []*slice
	sorter radixSorter
}

const noArrival = math.MaxInt64

func (s *sliceSet) init() error {
	s.watermark, s.done, s.mid = stream.MinWatermark, math.MinInt64, math.MinInt64
	s.doneUntil = stream.MinWatermark
	s.scratch = state.NewScratch()
	s.table = state.NewTable(s.keys, s.seed, s.scratch)
	s.classify()
	var err error
	if s.running, err = s.aggregates(subtracted); err != nil {
		return err
	}
	if s.back, err = s.aggregates(stacked); err != nil {
		return err
	}
	for c := stacked; c < classes; c++ {
		if s.fold[c], err = s.aggregates(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *sliceSet) aggregates(c aggClass) (*state.Aggregates, error) {
	return state.NewAggregates(s.byClass[c], s.seed, s.scratch)
}

func (s *sliceSet) cumulates() bool { return s.slices.Kind == window.Cumulate }

// upTo returns 0..n-1.
func (s *sliceSet) upTo(n int) []int32 {
	for len(s.iota) < n {
		s.iota = append(s.iota, int32(len(s.iota)))
	}
	return s.iota[:n]
}

// sync moves done to the watermark, where no window with rows ends in between.
func (s *sliceSet) sync(w stream.Timestamp) {
	s.watermark = w
	if w < s.doneUntil {
		return
	}
	if t := s.ends.ClosedBefore(w, 0); t > s.done {
		s.setDone(t)
	}
}

func (s *sliceSet) setDone(t int64) {
	s.done = t
	if t == math.MaxInt64 {
		s.doneUntil = stream.MaxWatermark
		return
	}
	s.doneUntil = s.ends.FiresAt(t + s.slices.Interval)
}

// nextEnd is the end of the next window with rows, or MaxInt64.
func (s *sliceSet) nextEnd() int64 {
	switch {
	case s.merged > 0 || s.inside:
		return s.done + s.slices.Interval
	case len(s.open) > 0:
		return s.slices.FirstEnd(s.open[0].start, s.open[0].end)
	}
	return math.MaxInt64
}

// next is the watermark at which the next window fires, or never.
func (s *sliceSet) next() stream.Timestamp { return s.timer(s.nextEnd()) }

func (s *sliceSet) timer(end int64) stream.Timestamp {
	if end == math.MaxInt64 {
		return never
	}
	return s.ends.FiresAt(end)
}

// rowEnd returns the end of the first window that has not fired and may contain a row
// of the slice that ends at end.
func (s *sliceSet) rowEnd(end int64) int64 {
	first := window.Start(end-1, s.ends.Offset, s.slices.Interval) + s.slices.Interval
	if s.done > math.MinInt64 && s.done < math.MaxInt64-s.slices.Interval {
		first = max(first, s.done+s.slices.Interval)
	}
	return first
}

// find returns the slice [start, end), making it on first use.
func (s *sliceSet) find(start, end int64) (*slice, error) {
	l := s.open
	i := len(l)
	if i > 0 && l[i-1].start >= start {
		if i--; l[i].start > start {
			i = sort.Search(i, func(k int) bool { return l[k].start >= start })
		}
		if l[i].start == start {
			return l[i], nil
		}
	}
	p, err := s.make()
	if err != nil {
		return nil, err
	}
	p.start, p.end = start, end
	s.open = append(s.open, nil)
	copy(s.open[i+1:], s.open[i:])
	s.open[i] = p
	if end <= s.done {
		s.merged++ // empty so far, it is as good as merged
	}
	return p, nil
}

func (s *sliceSet) make() (*slice, error) {
	if n := len(s.pool); n > 0 {
		p := s.pool[n-1]
		s.pool = s.pool[:n-1]
		return p, nil
	}
	p := &slice{slot: int32(len(s.bySlot))}
	for c := range classes {
		var err error
		if p.aggs[c], err = s.aggregates(c); err != nil {
			return nil, err
		}
	}
	var err error
	if p.suffix, err = s.aggregates(stacked); err != nil {
		return nil, err
	}
	s.bySlot = append(s.bySlot, p)
	return p, nil
}

func (s *sliceSet) release(p *slice) {
	s.entries -= int64(len(p.groups))
	for _, a := range p.aggs {
		a.Reset()
	}
	p.suffix.Reset()
	p.groups, p.prev, p.next = p.groups[:0], p.prev[:0], p.next[:0]
	p.first, p.counts, p.suffixFirst = p.first[:0], p.counts[:0], p.suffixFirst[:0]
	s.pool = append(s.pool, p)
}

// grow makes room for the groups of the table.
func (s *sliceSet) grow() {
	for len(s.head) < s.table.Len() {
		s.head, s.tail, s.live = append(s.head, 0), append(s.tail, 0), append(s.live, 0)
		s.firstBack = append(s.firstBack, noArrival)
		if s.retract {
			s.counts = append(s.counts, 0)
		}
		s.dead++
	}
}

// isLate reports whether p is in the totals already.
func (s *sliceSet) isLate(p *slice) bool { return p.end <= s.done }

// isFront reports whether p, a slice in the totals, has suffixes.
func (s *sliceSet) isFront(p *slice) bool { return p.start < s.mid }

// entry returns the entry of group g in p, making it for a row with an arrival number.
func (s *sliceSet) entry(p *slice, g int32, arrival int64) (int32, error) {
	r, behind := s.tail[g], entryRef(0)
	for r != 0 {
		q := s.bySlot[r.slot()]
		if q == p {
			return r.entry(), nil
		}
		if q.start < p.start {
			break
		}
		behind, r = r, q.prev[r.entry()]
	}
	e := int32(len(p.groups))
	self := refTo(p, e)
	p.groups, p.prev, p.next = append(p.groups, g), append(p.prev, r), append(p.next, behind)
	p.first = append(p.first, arrival)
	s.entries++
	if s.retract {
		p.counts = append(p.counts, 0)
	}
	if s.head[g] == 0 && s.live[g] == 0 {
		s.dead--
	}
	if r == 0 {
		s.head[g] = self
	} else {
		s.bySlot[r.slot()].next[r.entry()] = self
	}
	if behind == 0 {
		s.tail[g] = self
	} else {
		s.bySlot[behind.slot()].prev[behind.entry()] = self
	}
	if s.isLate(p) {
		return e, s.enterLate(p, g, e, behind, arrival)
	}
	return e, nil
}

// enterLate accounts a new entry of a slice that is in the totals.
func (s *sliceSet) enterLate(p *slice, g, e int32, behind entryRef, arrival int64) error {
	s.live[g]++
	if !s.isFront(p) {
		s.firstBack[g] = min(s.firstBack[g], arrival)
		return nil
	}
	p.suffix.Grow(len(p.groups))
	if behind != 0 {
		if q := s.bySlot[behind.slot()]; s.isFront(q) {
			p.suffixFirst = append(p.suffixFirst, min(arrival, q.suffixFirst[behind.entry()]))
			return p.suffix.Merge([]int32{e}, q.suffix, []int32{behind.entry()}, len(p.groups))
		}
	}
	p.suffixFirst = append(p.suffixFirst, arrival)
	return nil
}

// unlink takes p, the oldest slice, out of the chains of its groups and releases it.
func (s *sliceSet) unlink(p *slice) {
	for e, g := range p.groups {
		r := p.next[e]
		s.head[g] = r
		if r != 0 {
			s.bySlot[r.slot()].prev[r.entry()] = 0
			continue
		}
		s.tail[g] = 0
		if s.live[g] == 0 {
			s.dead++
		}
	}
	n := copy(s.open, s.open[1:])
	s.open[n] = nil
	s.open = s.open[:n]
	s.release(p)
}

// compact renumbers the groups that have rows, where most have none.
func (s *sliceSet) compact() error {
	n := s.table.Len()
	if n == 0 {
		return nil
	}
	if s.dead == n {
		s.table.Reset()
		s.running.Reset()
		s.back.Reset()
		s.head, s.tail, s.live = s.head[:0], s.tail[:0], s.live[:0]
		s.counts, s.firstBack, s.dead = s.counts[:0], s.firstBack[:0], 0
		return nil
	}
	if (s.dead < 1024 || 2*s.dead < n) && !s.running.Spare() {
		return nil
	}
	keep := make([]int32, 0, n-s.dead)
	ids := make([]int32, n)
	for g := range n {
		if s.head[g] != 0 || s.live[g] > 0 {
			ids[g] = int32(len(keep))
			keep = append(keep, int32(g))
		}
	}
	table, err := renumber(s.table, s.keys, s.seed, s.scratch, keep)
	if err != nil {
		return err
	}
	s.table = table
	for i, list := range []**state.Aggregates{&s.running, &s.back} {
		to, err := s.aggregates(aggClass(i))
		if err != nil {
			return err
		}
		if err := to.Merge(s.upTo(len(keep)), *list, keep, len(keep)); err != nil {
			return err
		}
		*list = to
	}
	for k, g := range keep {
		s.head[k], s.tail[k], s.live[k], s.firstBack[k] = s.head[g], s.tail[g], s.live[g], s.firstBack[g]
		if s.retract {
			s.counts[k] = s.counts[g]
		}
	}
	m := len(keep)
	s.head, s.tail, s.live, s.firstBack, s.dead = s.head[:m], s.tail[:m], s.live[:m], s.firstBack[:m], 0
	if s.retract {
		s.counts = s.counts[:m]
	}
	for _, p := range s.open {
		for e, g := range p.groups {
			p.groups[e] = ids[g]
		}
	}
	return nil
}

// renumber returns a table with the keys of the given groups, in their order.
func renumber(t *state.Table, types []types.Type, seed uint64, scratch *state.Scratch, keep []int32) (*state.Table, error) {
	to := state.NewTable(types, seed, scratch)
	if len(types) == 0 {
		to.Find(nil, expr.Rows{N: len(keep)}, make([]int32, len(keep)))
		return to, nil
	}
	cols, keys := make([]stream.Vec, len(types)), make([]*stream.Vec, len(types))
	for i := range cols {
		keys[i] = &cols[i]
	}
	for at := 0; at < len(keep); at += 4096 {
		part := keep[at:min(at+4096, len(keep))]
		t.Keys(part, len(part), cols)
		to.Find(keys, expr.Rows{N: len(part)}, make([]int32, len(part)))
	}
	return to, nil
}
