package exec

import (
	"sync"
	"sync/atomic"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// exchange hands rows to several goroutines, lanes, that account them to the groups of
// wide panes. Each group belongs to one lane, which gets its rows in order, so results
// are those of one goroutine to the last bit. Watermarks stay with the driver: which row is
// late and what fires when has nothing to do with lanes. The driver waits for them before
// it reads a group.
type exchange struct {
	panes  *paneSet
	keys   []int // columns of the input
	needed []int // columns of the input that lanes read
	router *state.Router
	lanes  []*lane
	free   chan *parcel
	busy   bool // lanes may have rows
	handed bool // they have got some since the graph has waited for them
	few    int  // up to so many rows the driver accounts itself
	pool   []*widePane
	ended  sync.WaitGroup
	fault  atomic.Pointer[laneFault]

	vecs  []*stream.Vec
	lists [][]int32
	cols  []stream.Vec  // keys on their way from one form of a pane to the other
	moved []*stream.Vec // the same
	to    []int32
	from  []int32
}

// lane is one of the goroutines, with what it needs for its groups.
type lane struct {
	index   int
	queue   chan *parcel
	scratch *state.Scratch
	batch   stream.Batch // rows as tables and aggregates of the lane see them
	dicts   []laneDict   // of its columns
	keys    []*stream.Vec
	groups  []int32
}

// laneDict is a lane's own header of a dictionary: tables remember it, and that of a
// batch changes when the dictionary becomes longer or the batch is used again.
type laneDict struct {
	of  *stream.Vec
	own *stream.Vec
}

// parcel is a copy of rows on their way to the lanes.
type parcel struct {
	batch stream.Batch
	dicts []stream.Vec  // those of its columns, as long as they were
	of    []*stream.Vec // whose headers they are copies of
	pane  *widePane
	first int64     // arrival number of row 0
	lists [][]int32 // rows by lane
	open  atomic.Int32
}

// laneFault is why a lane has failed: an error or what it panicked with.
type laneFault struct {
	err   error
	panic any
}

const (
	// parcels is how many may be on their way. More would only take the caches from what
	// the driver needs.
	parcels = 4

	// fewRows is how many rows are not worth handing over.
	fewRows = 256

	// maxLanes is more than what one driver can keep busy.
	maxLanes = 8
)

// newExchange starts n lanes for panes of a set, whose keys are columns of the input.
func newExchange(panes *paneSet, n, few int, keys []int) *exchange {
	n = min(n, maxLanes)
	x := &exchange{
		panes: panes, keys: keys, needed: neededBy(keys, panes.calls), few: few,
		router: state.NewRouter(panes.keys, n, ^panes.seed),
		free:   make(chan *parcel, parcels), vecs: make([]*stream.Vec, len(keys)),
		lists: make([][]int32, n), cols: make([]stream.Vec, len(keys)),
	}
	for i := range x.cols {
		x.moved = append(x.moved, &x.cols[i])
	}
	for range parcels {
		x.free <- &parcel{lists: make([][]int32, n)}
	}
	for i := range n {
		l := &lane{index: i, queue: make(chan *parcel, parcels), scratch: state.NewScratch()}
		l.keys = make([]*stream.Vec, len(keys))
		x.lanes = append(x.lanes, l)
		x.ended.Add(1)
		go x.run(l)
	}
	return x
}

// neededBy lists the columns of the input that keys and calls read, each once.
func neededBy(keys []int, calls []expr.AggregateCall) []int {
	var list []int
	seen := map[int]bool{}
	note := func(c int) {
		if !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	for _, c := range keys {
		note(c)
	}
	for _, c := range calls {
		for _, x := range c.Args {
			note(x.(*expr.Column).Index)
		}
		if c.Filter != nil {
			note(c.Filter.(*expr.Column).Index)
		}
	}
	return list
}

func (x *exchange) run(l *lane) {
	defer x.ended.Done()
	for p := range l.queue {
		x.work(l, p)
		if p.open.Add(-1) == 0 {
			x.free <- p
		}
	}
}

// work accounts a lane's rows of a parcel. Nobody further up could recover from a panic
// here: the driver repeats it.
func (x *exchange) work(l *lane, p *parcel) {
	defer func() {
		if v := recover(); v != nil {
			x.fault.CompareAndSwap(nil, &laneFault{panic: v})
		}
	}()
	l.take(x, &p.batch, p.of)
	if err := l.account(p.pane.shares[l.index], p.lists[l.index], p.first); err != nil {
		x.fault.CompareAndSwap(nil, &laneFault{err: err})
	}
}

// take takes what it needs of a batch; of is where the dictionaries of its columns came
// from, nil if they are those themselves.
func (l *lane) take(x *exchange, b *stream.Batch, of []*stream.Vec) {
	if len(l.batch.Cols) < len(b.Cols) {
		l.batch.Cols, l.dicts = make([]stream.Vec, len(b.Cols)), make([]laneDict, len(b.Cols))
		for i, c := range x.keys {
			l.keys[i] = &l.batch.Cols[c]
		}
	}
	l.batch.N = b.N
	for _, c := range x.needed {
		v := &l.batch.Cols[c]
		*v = b.Cols[c]
		if v.Enc != stream.Dict {
			continue
		}
		from := v.Dict
		if of != nil {
			from = of[c]
		}
		d := &l.dicts[c]
		if d.of != from && !v.Dict.Extends(d.own) {
			d.own = new(stream.Vec)
		}
		d.of = from
		*d.own = *v.Dict
		v.Dict = d.own
	}
}

// account accounts rows of the batch that was taken to the groups of a share.
func (l *lane) account(s *share, list []int32, first int64) error {
	rows := expr.Rows{N: l.batch.N, Sel: list}
	l.groups = resize(l.groups, l.batch.N)
	s.table.Find(l.keys, rows, l.groups)
	for _, row := range s.table.Fresh() {
		s.arrivals = append(s.arrivals, first+int64(row))
	}
	err := s.aggs.Update(&l.batch, l.groups, rows, s.table.Len())
	s.publish()
	return err
}

// failed returns why a lane has failed.
func (x *exchange) failed() error {
	f := x.fault.Load()
	if f == nil {
		return nil
	}
	if f.panic != nil {
		panic(f.panic)
	}
	return f.err
}

// add accounts rows of b to a wide pane, sooner or later.
func (x *exchange) add(w *widePane, b *stream.Batch, rows expr.Rows) error {
	first := w.arrived
	w.arrived += int64(b.N)
	if rows.Len() <= x.few {
		return x.addNow(w, b, rows, first)
	}
	if err := x.failed(); err != nil {
		return err
	}
	p := <-x.free
	x.pack(p, b, rows)
	p.pane, p.first = w, first
	open := int32(0)
	for _, list := range p.lists {
		if len(list) > 0 {
			open++
		}
	}
	p.open.Store(open)
	for i, l := range x.lanes {
		if len(p.lists[i]) > 0 {
			l.queue <- p // has room for all parcels
		}
	}
	x.busy, x.handed = true, true
	return nil
}

// addNow is add in the driver's goroutine.
func (x *exchange) addNow(w *widePane, b *stream.Batch, rows expr.Rows, first int64) error {
	if err := x.wait(); err != nil {
		return err
	}
	for i, c := range x.keys {
		x.vecs[i] = &b.Cols[c]
	}
	x.route(x.vecs, rows, x.lists)
	for i, list := range x.lists {
		if len(list) == 0 {
			continue
		}
		l := x.lanes[i]
		l.take(x, b, nil)
		if err := l.account(w.shares[i], list, first); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) route(keys []*stream.Vec, rows expr.Rows, lists [][]int32) {
	for i := range lists {
		lists[i] = lists[i][:0]
	}
	x.router.Route(keys, rows, lists)
}

// pack copies what lanes need of rows: a batch is only lent.
func (x *exchange) pack(p *parcel, b *stream.Batch, rows expr.Rows) {
	n := rows.Len()
	from := *b
	from.Sel = rows.Sel
	p.batch.N = n
	if len(p.batch.Cols) < len(b.Cols) {
		p.batch.Cols, p.dicts = make([]stream.Vec, len(b.Cols)), make([]stream.Vec, len(b.Cols))
		p.of = make([]*stream.Vec, len(b.Cols))
	}
	for _, c := range x.needed {
		dst, src := &p.batch.Cols[c], &b.Cols[c]
		if src.Enc == stream.Dict {
			packIDs(dst, src, &from, n)
			p.dicts[c], p.of[c] = *src.Dict, src.Dict
			dst.Dict = &p.dicts[c]
			continue
		}
		dst.Reset(src.Type, n)
		appendRun(dst, 0, n, src, &from, 0, n)
	}
	for i, c := range x.keys {
		x.vecs[i] = &p.batch.Cols[c]
	}
	x.route(x.vecs, expr.Rows{N: n}, p.lists)
}

// packIDs copies the ids of n rows of a column with a dictionary.
func packIDs(dst, src *stream.Vec, b *stream.Batch, n int) {
	dst.Reset(types.Of(types.Int), n)
	to, ids := dst.IDs(), src.IDs()
	for i := range to {
		to[i] = ids[liveRow(b, i)]
	}
	if src.Valid != nil {
		for i := range n {
			if src.IsNull(liveRow(b, i)) {
				dst.SetNull(i, n)
			}
		}
	}
	dst.Type, dst.Enc = src.Type, stream.Dict
}

// wait returns when the lanes have accounted all rows.
func (x *exchange) wait() error {
	if !x.busy {
		return x.failed()
	}
	var all [parcels]*parcel
	for i := range all {
		all[i] = <-x.free
	}
	for _, p := range all {
		x.free <- p
	}
	x.busy = false
	return x.failed()
}

// close ends the lanes.
func (x *exchange) close() {
	for _, l := range x.lanes {
		close(l.queue)
	}
	x.ended.Wait()
}
