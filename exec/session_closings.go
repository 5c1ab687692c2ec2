package exec

import (
	"math"
	"slices"
	"sort"
)

// closings lists sessions by end. Sessions grow, so an end is that of the time when the
// session was listed; whoever takes a session whose end has moved lists it again. So a
// session moves about once per gap, however often it grows.
//
// A wheel has one list for each stretch of time. A stretch is sorted when it is reached,
// which costs less than to keep all sessions in order; a heap takes what is listed for it
// after that.
type closings struct {
	width   int64
	reached int64 // the last slot that has been sorted
	wheel   []turn
	pool    [][]int32

	run    []int32 // sessions of the slot that has been reached, by end
	ends   []int64
	done   int // run[:done] has been taken
	later  laterClosings
	sorter radixSorter
}

// turn lists the sessions of one stretch of time.
type turn struct {
	slot int64
	min  int64 // no session listed here ends before
	ids  []int32
}

func (c *closings) init(gap int64) {
	c.width = max(1, gap/64)
	c.reached = math.MinInt64
}

// add lists a session.
func (c *closings) add(id int32, end int64) {
	i := len(c.wheel) - 1
	if i < 0 || !c.within(end, c.wheel[i].slot) {
		slot := floorDiv(end, c.width)
		if slot <= c.reached {
			c.later.push(closing{end, id})
			return
		}
		i = c.turnOf(slot)
	}
	t := &c.wheel[i]
	t.ids = append(t.ids, id)
	t.min = min(t.min, end)
}

// within reports whether end lies in a slot. The slot's start may be out of range.
func (c *closings) within(end, slot int64) bool { return uint64(end-slot*c.width) < uint64(c.width) }

// turnOf returns the place of a slot's list, making it on first use.
func (c *closings) turnOf(slot int64) int {
	i := len(c.wheel)
	if i > 0 && c.wheel[i-1].slot >= slot {
		i = sort.Search(i-1, func(k int) bool { return c.wheel[k].slot >= slot })
	}
	if i == len(c.wheel) || c.wheel[i].slot != slot {
		t := turn{slot: slot, min: math.MaxInt64}
		if n := len(c.pool); n > 0 {
			t.ids, c.pool = c.pool[n-1], c.pool[:n-1]
		}
		c.wheel = slices.Insert(c.wheel, i, t)
	}
	return i
}

// next returns an end that no listed session's is before; ok is false if none is listed.
func (c *closings) next() (end int64, ok bool) {
	switch {
	case c.done < len(c.run) && (len(c.later) == 0 || c.ends[c.done] <= c.later[0].end):
		return c.ends[c.done], true
	case len(c.later) > 0:
		return c.later[0].end, true
	case len(c.wheel) > 0:
		return c.wheel[0].min, true
	}
	return 0, false
}

// take returns the session with the end that next has returned, or false if the
// sessions of the first slot must be sorted before.
func (c *closings) take() (int32, bool) {
	switch {
	case c.done < len(c.run) && (len(c.later) == 0 || c.ends[c.done] <= c.later[0].end):
		c.done++
		return c.run[c.done-1], true
	case len(c.later) > 0:
		return c.later.pop(), true
	}
	return 0, false
}

// turn sorts the sessions of the first slot; those that have grown out of it move. All
// that was sorted before has been taken.
func (c *closings) turn(sessions []session) {
	t := c.wheel[0]
	c.wheel = slices.Delete(c.wheel, 0, 1)
	c.reached = t.slot
	c.run, c.ends, c.done = c.run[:0], c.ends[:0], 0
	for _, id := range t.ids {
		s := &sessions[id]
		switch {
		case s.key < 0:
		case c.within(s.end, t.slot):
			c.run, c.ends = append(c.run, id), append(c.ends, s.end)
		default:
			c.add(id, s.end)
		}
	}
	c.sorter.sort(c.run, c.ends)
	c.pool = append(c.pool, t.ids[:0])
}

// renumber gives the sessions new numbers and forgets those whose number is negative.
func (c *closings) renumber(ids []int32) {
	n := 0
	for i := c.done; i < len(c.run); i++ {
		if id := ids[c.run[i]]; id >= 0 {
			c.run[n], c.ends[n] = id, c.ends[i]
			n++
		}
	}
	c.run, c.ends, c.done = c.run[:n], c.ends[:n], 0
	c.later.renumber(ids)
	w := c.wheel[:0]
	for _, t := range c.wheel {
		kept := t.ids[:0]
		for _, id := range t.ids {
			if ids[id] >= 0 {
				kept = append(kept, ids[id])
			}
		}
		if t.ids = kept; len(kept) > 0 {
			w = append(w, t)
		} else {
			c.pool = append(c.pool, kept)
		}
	}
	clear(c.wheel[len(w):])
	c.wheel = w
}

// bytes is the memory held.
func (c *closings) bytes() int64 {
	n := int64(cap(c.run)+cap(c.sorter.ids))*4 + int64(cap(c.ends)+cap(c.sorter.keys))*8 + int64(cap(c.later))*16
	for i := range c.wheel {
		n += int64(cap(c.wheel[i].ids)) * 4
	}
	return n
}

// closing is the end that a session had when it was listed.
type closing struct {
	end int64
	id  int32
}

// laterClosings is a heap, the first end on top.
type laterClosings []closing

func (h *laterClosings) push(c closing) {
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
func (h *laterClosings) pop() int32 {
	l := *h
	id, last := l[0].id, l[len(l)-1]
	l = l[:len(l)-1]
	*h = l
	l.sink(0, last)
	return id
}

// sink puts c at place i or below it.
func (h laterClosings) sink(i int, c closing) {
	for 2*i+1 < len(h) {
		down := 2*i + 1
		if down+1 < len(h) && h[down+1].end < h[down].end {
			down++
		}
		if c.end <= h[down].end {
			break
		}
		h[i] = h[down]
		i = down
	}
	if i < len(h) {
		h[i] = c
	}
}

func (h *laterClosings) renumber(ids []int32) {
	l := (*h)[:0]
	for _, c := range *h {
		if ids[c.id] >= 0 {
			l = append(l, closing{c.end, ids[c.id]})
		}
	}
	*h = l
	for i := len(l)/2 - 1; i >= 0; i-- {
		l.sink(i, l[i])
	}
}
