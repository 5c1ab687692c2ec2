package exec

import (
	"sort"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// pane is one window with its groups.
type pane struct {
	start, end int64
	table      *state.Table
	aggs       *state.Aggregates
	counts     []int64     // rows a group, where the input takes rows back
	rows       []int32     // scratch: rows of the segment at hand
	changes    paneChanges // where groups fire in periods
	wide       *widePane   // where the groups are, if they are divided among lanes; else nil
}

// groups is the number of groups. Rows may be on their way to lanes.
func (p *pane) groups() int64 {
	n := p.table.Rows()
	if p.wide != nil {
		for _, s := range p.wide.shares {
			n += s.groups.Load()
		}
	}
	return n
}

// bytes is the memory held.
func (p *pane) bytes() int64 {
	n := p.table.Bytes() + p.aggs.Bytes() + int64(cap(p.counts))*8 + int64(cap(p.rows))*4
	if p.wide != nil {
		n += p.wide.bytes()
	}
	return n
}

// count keeps the number of rows of each group.
func (p *pane) count(b *stream.Batch, groups []int32, rows expr.Rows) {
	for len(p.counts) < p.table.Len() {
		p.counts = append(p.counts, 0)
	}
	step := func(i int) {
		if b.Kind(i).Retracts() {
			p.counts[groups[i]]--
		} else {
			p.counts[groups[i]]++
		}
	}
	if rows.Sel == nil {
		for i := range rows.N {
			step(i)
		}
		return
	}
	for _, i := range rows.Sel {
		step(int(i))
	}
}

// before reports whether the window stands before [start, end): by end, then start.
func (p *pane) before(start, end int64) bool {
	return p.end < end || p.end == end && p.start < start
}

// poolSize is how many empty panes are kept for windows to come; more are only open
// together in bursts.
const poolSize = 8

// paneSet is the declared state of a window aggregate: the windows that wait for
// their end, those that fired and may still be corrected, both by end, and the
// watermark.
type paneSet struct {
	keys    []types.Type
	calls   []expr.AggregateCall
	seed    uint64
	retract bool
	grid    window.Grid
	scratch *state.Scratch // of all tables

	watermark stream.Timestamp
	wait      []*pane
	late      []*pane
	pool      []*pane
	exchange  *exchange // of wide panes; nil until there is one
	many      bool      // the window that fired last had many groups
}

// make returns an empty pane.
func (s *paneSet) make() (*pane, error) {
	if n := len(s.pool); n > 0 {
		p := s.pool[n-1]
		s.pool = s.pool[:n-1]
		return p, nil
	}
	aggs, err := state.NewAggregates(s.calls, s.seed, s.scratch)
	if err != nil {
		return nil, err
	}
	p := &pane{table: state.NewTable(s.keys, s.seed, s.scratch), aggs: aggs}
	p.table.Beside(aggs)
	return p, nil
}

// release takes back a pane that is no longer needed.
func (s *paneSet) release(p *pane) {
	p.changes.reset()
	if p.wide != nil {
		s.exchange.release(p.wide)
		p.wide = nil
	}
	if len(s.pool) < poolSize {
		p.table.Reset()
		p.aggs.Reset()
		p.counts = p.counts[:0]
		s.pool = append(s.pool, p)
	}
}

// next is the watermark at which the next window fires, or never.
func (s *paneSet) next() stream.Timestamp {
	if len(s.wait) == 0 {
		return never
	}
	return s.grid.FiresAt(s.wait[0].end)
}

// open returns the waiting pane of a window, making it on first use.
func (s *paneSet) open(start, end int64) (*pane, error) { return s.find(&s.wait, start, end) }

// fired returns the pane of a window that has fired, making it on first use.
func (s *paneSet) fired(start, end int64) (*pane, error) { return s.find(&s.late, start, end) }

func (s *paneSet) find(list *[]*pane, start, end int64) (*pane, error) {
	l := *list
	// Rows mostly fall into the newest windows.
	i := len(l)
	if i > 0 && !l[i-1].before(start, end) {
		i = sort.Search(i-1, func(k int) bool { return !l[k].before(start, end) })
		if l[i].end == end && l[i].start == start {
			return l[i], nil
		}
	}
	p, err := s.make()
	if err != nil {
		return nil, err
	}
	p.start, p.end = start, end
	l = append(l, nil)
	copy(l[i+1:], l[i:])
	l[i] = p
	*list = l
	return p, nil
}

// shift removes the first waiting pane and returns it.
func (s *paneSet) shift() *pane {
	p := s.wait[0]
	n := copy(s.wait, s.wait[1:])
	s.wait[n] = nil
	s.wait = s.wait[:n]
	return p
}

// keep puts a fired pane aside for corrections. Windows fire by end, but a late row
// may have opened a pane behind it.
func (s *paneSet) keep(p *pane) {
	i := sort.Search(len(s.late), func(k int) bool { return !s.late[k].before(p.start, p.end) })
	s.late = append(s.late, nil)
	copy(s.late[i+1:], s.late[i:])
	s.late[i] = p
}

// clean drops fired panes that no row can reach any more.
func (s *paneSet) clean(lateness int64) {
	n := 0
	for n < len(s.late) && s.grid.CleanedAt(s.late[n].end, lateness) <= s.watermark {
		s.release(s.late[n])
		n++
	}
	if n > 0 {
		rest := copy(s.late, s.late[n:])
		clear(s.late[rest:])
		s.late = s.late[:rest]
	}
}

// waiting is the number of groups in windows that have not fired.
func (s *paneSet) waiting() int64 {
	var n int64
	for _, p := range s.wait {
		n += p.groups()
	}
	return n
}

// Rows is the number of groups in all windows.
func (s *paneSet) Rows() int64 {
	n := s.waiting()
	for _, p := range s.late {
		n += p.table.Rows()
	}
	return n
}

// Bytes is the memory held, that of panes kept for reuse included.
func (s *paneSet) Bytes() int64 {
	var n int64
	for _, list := range [...][]*pane{s.wait, s.late, s.pool} {
		for _, p := range list {
			n += p.bytes()
		}
	}
	if s.exchange != nil {
		n += s.exchange.spare()
	}
	return n
}

// Snapshot writes the watermark and all panes.
func (s *paneSet) Snapshot(e *stream.Encoder) {
	for _, p := range s.wait {
		if p.wide != nil {
			if err := s.exchange.narrow(p); err != nil {
				s.exchange.fault.CompareAndSwap(nil, &laneFault{err: err}) // for the next row
			}
		}
	}
	e.Int64(int64(s.watermark))
	for _, list := range [...][]*pane{s.wait, s.late} {
		e.Uint64(uint64(len(list)))
		for _, p := range list {
			e.Int64(p.start)
			e.Int64(p.end)
			p.table.Snapshot(e)
			p.aggs.Snapshot(e)
			if s.retract {
				for _, c := range p.counts {
					e.Int64(c)
				}
			}
		}
	}
}

// Restore reads them.
func (s *paneSet) Restore(d *stream.Decoder) error {
	s.watermark = stream.Timestamp(d.Int64())
	for _, list := range [...]*[]*pane{&s.wait, &s.late} {
		for range d.Count(16) {
			start, end := d.Int64(), d.Int64()
			p, err := s.find(list, start, end)
			if err != nil {
				return err
			}
			if err := p.table.Restore(d); err != nil {
				return err
			}
			if err := p.aggs.Restore(d); err != nil {
				return err
			}
			if s.retract {
				for range p.table.Len() {
					p.counts = append(p.counts, d.Int64())
				}
			}
		}
	}
	return d.Err()
}
