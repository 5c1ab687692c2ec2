package exec

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
)

// What is known about a group of a window that fires periodically.
const (
	groupSent    = 1 << iota // a result of it is out
	groupChanged             // rows have come since, or nothing is out yet
	groupWaits               // a timer is set
	groupOnTime              // it was there when its window closed
)

// paneChanges is what the groups of a window have sent.
type paneChanges struct {
	groups []uint8
	old    [][]byte // by group: the result that is out, while it is changed
	life   int      // timers set in an earlier life of the pane are void
}

func (c *paneChanges) reset() {
	clear(c.old)
	c.groups, c.old = c.groups[:0], c.old[:0]
	c.life++
}

func (c *paneChanges) grow(n int) {
	for len(c.groups) < n {
		c.groups, c.old = append(c.groups, 0), append(c.old, nil)
	}
}

// groupTimer is the moment at which a group sends what has changed.
type groupTimer struct {
	at         int64
	end, start int64 // of the pane's window when it was set
	group      int32
	life       int
	pane       *pane
}

// compare orders timers as results of one firing are: by window end, then start, then
// first arrival of the group.
func (t groupTimer) compare(o groupTimer) int {
	return cmp.Or(cmp.Compare(t.at, o.at), cmp.Compare(t.end, o.end), cmp.Compare(t.start, o.start), cmp.Compare(t.group, o.group))
}

// delays are the timers of an aggregate that fires in periods of processing time: each
// group of a window from its first row on, and again, with a period of its own, from
// the first row that comes after the window has closed. It is declared state.
type delays struct {
	o     *assignedAggregate
	queue []groupTimer // in order
}

func newDelays(o *assignedAggregate) *delays {
	if o.plan.EarlyDelay == 0 && o.plan.LateDelay == 0 {
		return nil
	}
	return &delays{o: o}
}

// set sets a timer.
func (d *delays) set(t groupTimer) {
	i := len(d.queue)
	if i > 0 && d.queue[i-1].compare(t) > 0 {
		i = sort.Search(i, func(k int) bool { return d.queue[k].compare(t) > 0 })
	}
	d.queue = slices.Insert(d.queue, i, t)
}

// touch notes that rows are about to change groups of p, whose timers run for delay.
func (d *delays) touch(p *pane, groups []int32, rows expr.Rows, delay int64) error {
	p.changes.grow(p.table.Len())
	at := satAdd(d.o.env.Clock(), delay)
	for i := range rows.Len() {
		row := i
		if rows.Sel != nil {
			row = int(rows.Sel[i])
		}
		g := groups[row]
		s := p.changes.groups[g]
		if s&groupChanged == 0 {
			if s&groupSent != 0 {
				if err := d.o.remember(p, g); err != nil {
					return err
				}
			}
			s |= groupChanged
		}
		if s&groupWaits == 0 {
			s |= groupWaits
			d.set(groupTimer{at, p.end, p.start, g, p.changes.life, p})
		}
		p.changes.groups[g] = s
	}
	return nil
}

// due implements ticker.
func (d *delays) due() int64 {
	for len(d.queue) > 0 && d.queue[0].life != d.queue[0].pane.changes.life {
		d.queue = d.queue[:copy(d.queue, d.queue[1:])]
	}
	if len(d.queue) == 0 {
		return math.MaxInt64
	}
	return d.queue[0].at
}

// take takes the timers that are due and sets each to its next moment behind now.
func (d *delays) take(now int64) []groupTimer {
	n := sort.Search(len(d.queue), func(k int) bool { return d.queue[k].at > now })
	list := slices.Clone(d.queue[:n])
	d.queue = d.queue[:copy(d.queue, d.queue[n:])]
	list = slices.DeleteFunc(list, func(t groupTimer) bool { return t.life != t.pane.changes.life })
	for _, t := range list {
		delay := d.o.plan.EarlyDelay
		if t.pane.changes.groups[t.group]&groupOnTime != 0 {
			delay = d.o.plan.LateDelay
		}
		t.at += (now - t.at + delay) / delay * delay
		d.set(t)
	}
	return list
}

// onTime notes that the window of p has closed and all its results are out. Timers go
// on only if the period stays.
func (d *delays) onTime(p *pane) {
	p.changes.grow(p.table.Len())
	keeps := d.o.plan.EarlyDelay == d.o.plan.LateDelay
	if !keeps {
		p.changes.life++
	}
	for g := range p.changes.groups {
		s := p.changes.groups[g]&groupWaits | groupOnTime
		if !keeps {
			s = groupOnTime
		}
		if !d.o.retract || p.counts[g] != 0 {
			s |= groupSent
		}
		p.changes.groups[g] = s
	}
}

// remember keeps the result of a group as the one that is out.
func (o *assignedAggregate) remember(p *pane, g int32) error {
	if err := o.out.result(p, g, o.out.old); err != nil {
		return err
	}
	var e stream.Encoder
	for i := range o.out.old {
		encodeVec(&e, &o.out.old[i], 1)
	}
	p.changes.old[g] = e.Bytes()
	return nil
}

// sendChange sends what has changed in a group since its last result.
func (o *assignedAggregate) sendChange(ctx context.Context, p *pane, g int32, ord int64, out Output) error {
	c := &p.changes
	s := c.groups[g]
	if s&groupChanged == 0 {
		return nil
	}
	had, has := s&groupSent != 0, !o.retract || p.counts[g] != 0
	s &^= groupChanged | groupSent
	if has {
		s |= groupSent
	}
	c.groups[g] = s
	if !had && !has {
		return nil
	}
	if err := o.out.room(ctx, out, 2, ord-1); err != nil {
		return err
	}
	if had {
		d := stream.NewDecoder(c.old[g])
		for i, a := range o.plan.Aggs {
			if err := decodeVec(d, &o.out.old[i], a.Res.Result, 1); err != nil {
				return err
			}
		}
		c.old[g] = nil
	}
	if !has {
		o.out.previous(p, g, stream.Delete, ord)
		return nil
	}
	if err := o.out.result(p, g, o.out.new); err != nil {
		return o.fail(ctx, out, ord, err)
	}
	o.out.update(p, g, had, ord)
	return nil
}

// due implements ticker.
func (o *assignedAggregate) due() int64 { return o.delays.due() }

// tick implements ticker.
func (o *assignedAggregate) tick(ctx context.Context, now, ord int64, out Output) error {
	o.out.clear()
	o.out.batch.Base = ord
	for _, t := range o.delays.take(now) {
		if err := o.sendChange(ctx, t.pane, t.group, ord, out); err != nil {
			return err
		}
		if err := out.Poll(ctx); err != nil {
			return err
		}
	}
	return o.out.flush(ctx, out, ord)
}

// Rows implements state.Object.
func (d *delays) Rows() int64 { return 0 }

// Bytes implements state.Object.
func (d *delays) Bytes() int64 {
	n := int64(cap(d.queue)) * int64(unsafe.Sizeof(groupTimer{}))
	for _, list := range [...][]*pane{d.o.panes.wait, d.o.panes.late} {
		for _, p := range list {
			n += int64(cap(p.changes.groups)) + int64(cap(p.changes.old))*24
			for _, b := range p.changes.old {
				n += int64(cap(b))
			}
		}
	}
	return n
}

// Snapshot writes what the windows' groups have sent, and the timers.
func (d *delays) Snapshot(e *stream.Encoder) {
	for _, list := range [...][]*pane{d.o.panes.wait, d.o.panes.late} {
		for _, p := range list {
			e.Blob(p.changes.groups)
			for _, b := range p.changes.old {
				e.Blob(b)
			}
		}
	}
	d.due()
	live := slices.DeleteFunc(slices.Clone(d.queue), func(t groupTimer) bool { return t.life != t.pane.changes.life })
	e.Uint64(uint64(len(live)))
	for _, t := range live {
		e.Int64(t.at)
		e.Int64(t.start)
		e.Int64(t.end)
		e.Int64(int64(t.group))
	}
}

// Restore reads it. The windows have been restored before.
func (d *delays) Restore(r *stream.Decoder) error {
	type edge struct{ start, end int64 }
	panes := map[edge]*pane{}
	for _, list := range [...][]*pane{d.o.panes.wait, d.o.panes.late} {
		for _, p := range list {
			panes[edge{p.start, p.end}] = p
			p.changes.groups = append(p.changes.groups[:0], r.Blob()...)
			p.changes.old = make([][]byte, len(p.changes.groups))
			for g := range p.changes.old {
				if b := r.Blob(); len(b) > 0 {
					p.changes.old[g] = slices.Clone(b)
				}
			}
		}
	}
	for range r.Count(32) {
		t := groupTimer{at: r.Int64(), start: r.Int64(), end: r.Int64()}
		t.pane = panes[edge{t.start, t.end}]
		g := r.Int64()
		if r.Err() == nil && (t.pane == nil || g < 0 || g >= int64(len(t.pane.changes.groups))) {
			return r.Fail(stream.ErrSnapshot)
		}
		if t.pane != nil {
			t.group, t.life = int32(g), t.pane.changes.life
			d.queue = append(d.queue, t)
		}
	}
	return r.Err()
}
