package exec

import (
	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// widePane holds the groups of a window with many of them, divided among the lanes of an
// exchange.
type widePane struct {
	shares  []*share
	arrived int64   // arrival number of the next row
	order   []uint8 // shares of the groups that are sent next
}

// share is a lane's part of a window's groups, by their first arrivals. It belongs to
// the lane while rows are on their way, else to the driver.
type share struct {
	table    *state.Table
	aggs     *state.Aggregates
	arrivals []int64 // of each group's first row

	groups, bytes Counter // as they were after the last parcel

	next int          // the first group that has not been sent
	ids  []int32      // the groups that are sent next
	cols []stream.Vec // their keys and results
}

// publish tells the driver how large the share is.
func (s *share) publish() {
	publish(&s.groups, int64(s.table.Len()))
	publish(&s.bytes, s.table.Bytes()+s.aggs.Bytes()+int64(cap(s.arrivals))*8)
}

// make returns an empty wide pane.
func (x *exchange) make() (*widePane, error) {
	if n := len(x.pool); n > 0 {
		w := x.pool[n-1]
		x.pool = x.pool[:n-1]
		return w, nil
	}
	w := new(widePane)
	for _, l := range x.lanes {
		aggs, err := state.NewAggregates(x.panes.calls, x.panes.seed, l.scratch)
		if err != nil {
			return nil, err
		}
		s := &share{table: state.NewTable(x.panes.keys, x.panes.seed, l.scratch), aggs: aggs}
		s.table.Beside(aggs)
		s.cols = make([]stream.Vec, len(x.panes.keys)+len(x.panes.calls))
		w.shares = append(w.shares, s)
	}
	return w, nil
}

// release takes back a wide pane that no row is on its way to.
func (x *exchange) release(w *widePane) {
	w.arrived = 0
	for _, s := range w.shares {
		s.table.Reset()
		s.aggs.Reset()
		s.arrivals, s.next = s.arrivals[:0], 0
		s.publish()
	}
	if len(x.pool) < poolSize {
		x.pool = append(x.pool, w)
	}
}

// spare is the memory of wide panes that are kept for windows to come.
func (x *exchange) spare() int64 {
	var n int64
	for _, w := range x.pool {
		n += w.bytes()
	}
	return n
}

func (w *widePane) bytes() int64 {
	var n int64
	for _, s := range w.shares {
		n += s.bytes.Load()
	}
	return n
}

// widen divides the groups of a pane among the lanes.
func (x *exchange) widen(p *pane) error {
	if err := x.wait(); err != nil { // lanes have one scratch memory for all their shares
		return err
	}
	w, err := x.make()
	if err != nil {
		return err
	}
	n := p.table.Len()
	for first := 0; first < n; first += mergeStep {
		m := min(n-first, mergeStep)
		x.from = appendRange(x.from[:0], first, m)
		p.table.Keys(x.from, m, x.cols)
		x.route(x.moved, expr.Rows{N: m}, x.lists)
		for i, list := range x.lists {
			if len(list) == 0 {
				continue
			}
			if err := w.shares[i].take(x, p, list, first, m); err != nil {
				return err
			}
		}
	}
	w.arrived = int64(n)
	p.wide = w
	p.table.Reset()
	p.aggs.Reset()
	return nil
}

// take moves groups of a pane to a share: those at the places list of the m that start at
// first, whose keys lie in x.cols.
func (s *share) take(x *exchange, p *pane, list []int32, first, m int) error {
	x.to = resize(x.to, m)
	s.table.Find(x.moved, expr.Rows{N: m, Sel: list}, x.to)
	for k, i := range list {
		s.arrivals = append(s.arrivals, int64(first)+int64(i))
		x.from[k], x.to[k] = int32(first)+i, x.to[i] // k <= i
	}
	if err := s.aggs.Move(x.to[:len(list)], p.aggs, x.from[:len(list)], s.table.Len()); err != nil {
		return err
	}
	s.publish()
	return nil
}

// mergeStep is how many groups are moved or put in order at a time.
const mergeStep = 4096

// appendRange appends first..first+n-1.
func appendRange(ids []int32, first, n int) []int32 {
	for i := range n {
		ids = append(ids, int32(first+i))
	}
	return ids
}

// narrow brings the groups of a wide pane together again, in order of arrival.
func (x *exchange) narrow(p *pane) error {
	w := p.wide
	if err := x.wait(); err != nil {
		return err
	}
	for rest := w.len(); rest > 0; {
		m := min(rest, mergeStep)
		w.pick(m)
		for _, s := range w.shares {
			s.table.Keys(s.ids, len(s.ids), s.cols[:len(x.cols)])
		}
		for c := range x.cols {
			w.interleave(&x.cols[c], c)
		}
		x.to = resize(x.to, m)
		p.table.Find(x.moved, expr.Rows{N: m}, x.to)
		for i, s := range w.shares {
			x.from = x.from[:0]
			for k, share := range w.order {
				if int(share) == i {
					x.from = append(x.from, x.to[k])
				}
			}
			if err := p.aggs.Move(x.from, s.aggs, s.ids, p.table.Len()); err != nil {
				return err
			}
		}
		w.sent()
		rest -= m
	}
	p.wide = nil
	x.release(w)
	return nil
}

// len returns the number of groups.
func (w *widePane) len() int {
	n := 0
	for _, s := range w.shares {
		n += s.table.Len()
	}
	return n
}

// pick finds the next n groups by first arrival.
func (w *widePane) pick(n int) {
	w.order = w.order[:0]
	var heads [maxLanes]int
	for i, s := range w.shares {
		heads[i] = s.next
	}
	for range n {
		best, first := 0, int64(noArrival)
		for i, s := range w.shares {
			if h := heads[i]; h < len(s.arrivals) && s.arrivals[h] < first {
				best, first = i, s.arrivals[h]
			}
		}
		heads[best]++
		w.order = append(w.order, uint8(best))
	}
	for i, s := range w.shares {
		s.ids = appendRange(s.ids[:0], s.next, heads[i]-s.next)
	}
}

// sent passes over the groups that were picked.
func (w *widePane) sent() {
	for _, s := range w.shares {
		s.next += len(s.ids)
	}
}

// results computes keys and results of the next n groups. Where one has no result, rows
// is how many stand in front of it; name completes the error.
func (w *widePane) results(n, keys int, name func(err error, cols []stream.Vec) error) (rows int, fault error) {
	w.pick(n)
	failed := int64(noArrival)
	for _, s := range w.shares {
		s.table.Keys(s.ids, len(s.ids), s.cols[:keys])
		if err := s.aggs.Results(s.ids, len(s.ids), s.cols[keys:]); err != nil {
			if a := s.arrivals[s.next+state.FaultAt(err, 0)]; a < failed {
				failed, fault = a, name(err, s.cols)
			}
		}
	}
	if fault == nil {
		return n, nil
	}
	for _, s := range w.shares {
		for _, g := range s.ids {
			if s.arrivals[g] < failed {
				rows++
			}
		}
	}
	w.results(rows, keys, name) // in front of the first one that fails none does
	return rows, fault
}

// interleave makes dst column c of the groups that were picked.
func (w *widePane) interleave(dst *stream.Vec, c int) {
	n := len(w.order)
	t := w.shares[0].cols[c].Type
	dst.Reset(t, n)
	switch l := t.Layout(); l {
	case types.NoLayout:
	case types.Bits:
		w.each(func(i, k, at int) { dst.SetBool(i, w.shares[k].cols[c].Bool(at)) })
	case types.Bytes:
		w.each(func(_, k, at int) { dst.AppendBytes(w.shares[k].cols[c].Bytes(at)) })
	default:
		switch l.Width() {
		case 1:
			interleaveValues[int8](dst, w, c)
		case 2:
			interleaveValues[int16](dst, w, c)
		case 4:
			interleaveValues[int32](dst, w, c)
		case 8:
			interleaveValues[int64](dst, w, c)
		case 16:
			interleaveValues[types.Num128](dst, w, c)
		}
	}
	for _, s := range w.shares {
		if s.cols[c].Valid != nil {
			w.each(func(i, k, at int) {
				if w.shares[k].cols[c].IsNull(at) {
					dst.SetNull(i, n)
				}
			})
			return
		}
	}
}

// each calls f for each group that was picked with its place in its share's columns.
func (w *widePane) each(f func(i, share, at int)) {
	var at [maxLanes]int
	for i, k := range w.order {
		f(i, int(k), at[k])
		at[k]++
	}
}

func interleaveValues[T stream.Fixed](dst *stream.Vec, w *widePane, c int) {
	var from [maxLanes][]T
	for k, s := range w.shares {
		from[k] = stream.Values[T](&s.cols[c])
	}
	d := stream.Values[T](dst)
	for i, k := range w.order {
		rest := from[k%maxLanes] // no other k: only for the compiler, which then checks no bound
		d[i] = rest[0]
		from[k%maxLanes] = rest[1:]
	}
}
