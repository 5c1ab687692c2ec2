package exec

import (
	"math"

	"streamsql/exec/state"
	"streamsql/stream"
)

// aggClass says how the slices of a window are combined for an aggregate call.
type aggClass uint8

const (
	// subtracted: a running total, to which new slices are added and from which expired
	// ones are taken away.
	subtracted aggClass = iota
	// stacked: slices lie on two stacks. In front, each entry holds its own rows and those
	// of the group's later entries in front; in the back, a group has one total. A window
	// is the oldest entry in front and the total in the back. When the front is used up,
	// the back becomes the front.
	stacked
	// newestFirst and oldestFirst: slices are combined one by one for each window, since
	// their order matters.
	newestFirst
	oldestFirst

	classes
)

// exactSlices is up to how many slices a window may have for sums of floating-point
// numbers to be added slice by slice, as Flink adds them. With more, only the last
// digits may differ.
const exactSlices = 16

// classify chooses the class of each call. CUMULATE adds all slices, oldest first, to
// a total that starts anew with each longest window.
func (s *sliceSet) classify() {
	slices := s.slices.PerWindow()
	for i, c := range s.calls {
		class := newestFirst
		set := c.Distinct && !c.Res.IgnoresDuplicates && len(c.Args) > 0
		switch {
		case s.cumulates() || state.CanSubtract(c):
			class = subtracted
		case c.Res.Commutes && !set && (c.Res.OrderInsensitive || slices > exactSlices):
			class = stacked
		case c.Res.ByArrival || s.oldest:
			class = oldestFirst
		}
		s.class = append(s.class, class)
		s.byClass[class] = append(s.byClass[class], c)
		s.places[class] = append(s.places[class], i)
	}
	for c := range classes {
		s.tmp[c] = make([]stream.Vec, len(s.places[c]))
	}
}

// advance brings the totals to the window that ends at end: they hold its slices up to
// done.
func (s *sliceSet) advance(end int64) error {
	if err := s.expire(s.slices.WindowStart(end)); err != nil {
		return err
	}
	for s.merged < len(s.open) && s.open[s.merged].end <= end {
		if err := s.merge(s.open[s.merged]); err != nil {
			return err
		}
	}
	return nil
}

// merge adds slice p to the totals.
func (s *sliceSet) merge(p *slice) error {
	n, all := s.table.Len(), s.upTo(len(p.groups))
	if err := s.running.Merge(p.groups, p.aggs[subtracted], all, n); err != nil {
		return err
	}
	if err := s.back.Merge(p.groups, p.aggs[stacked], all, n); err != nil {
		return err
	}
	for e, g := range p.groups {
		s.firstBack[g] = min(s.firstBack[g], p.first[e])
	}
	if s.retract {
		for e, g := range p.groups {
			s.counts[g] += p.counts[e]
		}
	}
	if s.cumulates() {
		s.inside = true
		for _, g := range p.groups {
			s.live[g] = 1
		}
		s.unlink(p)
		return nil
	}
	for _, g := range p.groups {
		s.live[g]++
	}
	s.merged++
	return nil
}

// pass ends the window that ends at end and drops what the next one does not need.
func (s *sliceSet) pass(end int64) error {
	s.setDone(end)
	start := s.slices.WindowStart(end + s.slices.Interval)
	if s.cumulates() {
		if start >= end {
			s.restart()
		}
	} else if err := s.expire(start); err != nil {
		return err
	}
	return s.compact()
}

// restart empties the totals of CUMULATE.
func (s *sliceSet) restart() {
	s.inside = false
	s.running.Reset()
	s.running.Grow(s.table.Len())
	for g, n := range s.live {
		if n > 0 && s.head[g] == 0 {
			s.dead++
		}
		s.live[g], s.firstBack[g] = 0, noArrival
	}
	clear(s.counts)
}

// expire takes slices that start before start out of the totals.
func (s *sliceSet) expire(start int64) error {
	if s.merged == 0 || s.open[0].start >= start {
		return nil
	}
	for s.merged > 0 && s.open[0].start < start {
		p := s.open[0]
		if err := s.running.Subtract(p.groups, p.aggs[subtracted], s.upTo(len(p.groups))); err != nil {
			return err
		}
		for _, g := range p.groups {
			s.live[g]--
		}
		if s.retract {
			for e, g := range p.groups {
				s.counts[g] -= p.counts[e]
			}
		}
		s.unlink(p)
		s.merged--
	}
	if s.merged == 0 || !s.isFront(s.open[0]) {
		return s.flip()
	}
	return nil
}

// flip makes all slices in the totals the front.
func (s *sliceSet) flip() error {
	n := s.table.Len()
	for g := range s.firstBack {
		s.firstBack[g] = noArrival
	}
	s.back.Reset()
	s.back.Grow(n)
	s.mid = math.MinInt64
	if s.merged == 0 {
		return nil
	}
	for i := s.merged - 1; i >= 0; i-- {
		p := s.open[i]
		all := s.upTo(len(p.groups))
		if err := s.back.Merge(p.groups, p.aggs[stacked], all, n); err != nil {
			return err
		}
		p.suffix.Reset()
		if err := p.suffix.Merge(all, s.back, p.groups, len(all)); err != nil {
			return err
		}
		p.suffixFirst = p.suffixFirst[:0]
		for e, g := range p.groups {
			s.firstBack[g] = min(s.firstBack[g], p.first[e])
			p.suffixFirst = append(p.suffixFirst, s.firstBack[g])
		}
		s.measure(p)
	}
	for g := range s.firstBack {
		s.firstBack[g] = noArrival
	}
	s.back.Reset()
	s.back.Grow(n)
	s.mid = s.open[s.merged-1].end
	return nil
}

// present returns the groups with rows in the totals by their first arrival there.
func (s *sliceSet) present() []int32 {
	s.order, s.firsts = s.order[:0], s.firsts[:0]
	for g, n := range s.live {
		if n == 0 || s.retract && s.counts[g] == 0 {
			continue
		}
		first := s.firstBack[g]
		if !s.cumulates() {
			r := s.head[g]
			if p := s.bySlot[r.slot()]; s.isFront(p) {
				first = min(first, p.suffixFirst[r.entry()])
			}
		}
		s.order, s.firsts = append(s.order, int32(g)), append(s.firsts, first)
	}
	s.sorter.sort(s.order, s.firsts)
	return s.order
}

// results writes the results of groups, one vector per call.
func (s *sliceSet) results(groups []int32, out []stream.Vec) error {
	var fault error
	for c := range classes {
		n := len(groups)
		if len(s.places[c]) == 0 {
			continue
		}
		for k, i := range s.places[c] {
			s.tmp[c][k] = out[i]
		}
		var err error
		if c == subtracted {
			err = s.running.Results(groups, n, s.tmp[c])
		} else if err = s.combine(c, groups); err == nil {
			err = s.fold[c].Results(nil, n, s.tmp[c])
		}
		for k, i := range s.places[c] {
			out[i] = s.tmp[c][k]
		}
		if err != nil {
			fault = err
			groups = groups[:state.FaultAt(err, 0)]
		}
	}
	return fault
}

// combine puts the calls of a class for groups together in fold, by position.
func (s *sliceSet) combine(c aggClass, groups []int32) error {
	to, n := s.fold[c], len(groups)
	to.Reset()
	to.Grow(n)
	s.listed = s.listed[:0]
	list := func(r entryRef, k int) {
		p := s.bySlot[r.slot()]
		if len(p.rows) == 0 {
			s.listed = append(s.listed, p)
		}
		p.rows, p.ids = append(p.rows, int32(k)), append(p.ids, r.entry())
	}
	if c == stacked {
		if err := to.Merge(s.upTo(n), s.back, groups, n); err != nil {
			return err
		}
		for k, g := range groups {
			if r := s.head[g]; s.isFront(s.bySlot[r.slot()]) {
				list(r, k)
			}
		}
		return s.mergeListed(to, s.listed, n, func(p *slice) *state.Aggregates { return p.suffix })
	}
	for k, g := range groups {
		for r, i := s.head[g], s.live[g]; i > 0; i-- {
			list(r, k)
			r = s.bySlot[r.slot()].next[r.entry()]
		}
	}
	s.listed = append(s.listed[:0], s.open[:s.merged]...)
	if c == newestFirst {
		for i, j := 0, len(s.listed)-1; i < j; i, j = i+1, j-1 {
			s.listed[i], s.listed[j] = s.listed[j], s.listed[i]
		}
	}
	return s.mergeListed(to, s.listed, n, func(p *slice) *state.Aggregates { return p.aggs[c] })
}

func (s *sliceSet) mergeListed(to *state.Aggregates, list []*slice, n int, from func(*slice) *state.Aggregates) error {
	for _, p := range list {
		if len(p.rows) == 0 {
			continue
		}
		if err := to.Merge(p.rows, from(p), p.ids, n); err != nil {
			return err
		}
		p.rows, p.ids = p.rows[:0], p.ids[:0]
	}
	return nil
}
