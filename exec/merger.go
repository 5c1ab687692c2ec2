package exec

import (
	"math"

	"streamsql/stream"
)

// merger puts the batches of several ports into one order: by ordinal, then port. It
// holds what may still be preceded by something on another port.
type merger struct {
	schema    stream.Schema
	ports     []mergePort
	thru      *minima          // by port: the ordinal up to which it has delivered
	wm        *minima          // by port: the watermark of what was sent
	heads     *minima          // by port: the ordinal of what waits first
	waiting   int              // ports where something waits
	held      int64            // bytes of what waits
	heldRows  int64            // and its rows
	watermark stream.Timestamp // minimum over the ports, sent
	away      idleness
	runs      []run
	rows      int
	out       stream.Batch
	marks     []stream.Mark
	spent     []*stream.Batch // fully sent; their memory is free after the output was taken
	free      []*stream.Batch
}

type mergePort struct {
	index  int
	thru   int64            // as in the merger, also where that is used without add
	wm     stream.Timestamp // of what was sent
	queue  []mergeItem
	sparse stream.Batch // header and marks of a borrowed batch
	marks  []stream.Mark
}

// mergeItem is a waiting batch: compact, with marks in the sparse form.
type mergeItem struct {
	b        *stream.Batch
	row      int // next live row
	mark     int // next mark
	borrowed bool
	fresh    bool // copied, and not counted as held
}

// run is consecutive live rows of one batch.
type run struct {
	b        *stream.Batch
	from, to int
}

func newMerger(ports int, schema stream.Schema) *merger {
	m := &merger{schema: schema, ports: make([]mergePort, ports), watermark: stream.MinWatermark}
	m.thru = newMinima(ports, -1)
	m.wm = newMinima(ports, int64(stream.MinWatermark))
	m.heads = newMinima(ports, nothing)
	m.away = newIdleness(ports)
	for i := range m.ports {
		m.ports[i] = mergePort{index: i, thru: -1, wm: stream.MinWatermark}
	}
	return m
}

// nothing is the next ordinal of a port where nothing waits.
const nothing = math.MaxInt64

// least returns the ordinal up to which all ports have delivered.
func (m *merger) least() int64 { return m.thru.least() }

// othersMinimum returns the least watermark of the ports but one.
func (m *merger) othersMinimum(port int) stream.Timestamp {
	before, behind := m.wm.others(port)
	return stream.Timestamp(min(before, behind))
}

// portWatermark returns the watermark of what was sent of a port.
func (m *merger) portWatermark(port int) stream.Timestamp { return m.ports[port].wm }

// minimum returns the watermark over all ports that take part in it.
func (m *merger) minimum() stream.Timestamp {
	if m.away.away == 0 {
		return stream.Timestamp(m.wm.least())
	}
	return m.away.least(m.portWatermark, m.watermark)
}

// alone reports whether nothing waits, nothing of another port can come between the
// rows of b, and all ports take part in the watermark.
func (m *merger) alone(port int, b *stream.Batch) bool {
	before, behind := m.thru.others(port)
	return m.waiting == 0 && min(before, behind) >= b.Thru && m.away.away == 0
}

// reach notes how far a port has delivered.
func (m *merger) reach(p *mergePort, thru int64) {
	p.thru = thru
	m.thru.set(p.index, thru)
}

// raise notes the watermark of what was sent of a port.
func (m *merger) raise(p *mergePort, w stream.Timestamp) {
	p.wm = w
	m.wm.set(p.index, int64(w))
}

// add takes a batch and returns what can be sent now, nil if that is nothing, not
// even progress. The result is valid until recycle.
func (m *merger) add(port int, b *stream.Batch) *stream.Batch {
	before := m.least()
	p := &m.ports[port]
	m.reach(p, b.Thru)
	if b.N > 0 || b.HasMarks() {
		p.queue = append(p.queue, mergeItem{b: p.borrow(b), borrowed: true})
		if len(p.queue) == 1 {
			m.waiting++
			m.look(p)
		}
	}
	thru := m.least()
	m.runs, m.rows, m.marks = m.runs[:0], 0, m.marks[:0]
	for m.step(thru) {
	}
	m.keep(p)
	if n := len(p.queue); n > 0 {
		if t := &p.queue[n-1]; t.fresh {
			t.fresh = false
			m.held += batchBytes(t.b)
			m.heldRows += int64(t.b.N)
		}
	}
	if m.rows == 0 && len(m.marks) == 0 && thru == before {
		return nil
	}
	m.gather()
	m.out.Thru = thru
	return &m.out
}

// borrow returns a header over b whose marks are sparse.
func (p *mergePort) borrow(b *stream.Batch) *stream.Batch {
	p.sparse = *b
	if b.After == nil {
		return &p.sparse
	}
	p.marks = p.marks[:0]
	w := p.wm
	for cursor := 0; ; {
		k, next, ok := b.NextMark(cursor, w, stream.MinWatermark)
		if !ok {
			break
		}
		cursor, w = next, k.W
		p.marks = append(p.marks, k)
	}
	p.sparse.Marks, p.sparse.After = p.marks, nil
	return &p.sparse
}

// next returns the ordinal of the item's next row or mark.
func (t *mergeItem) next() (ord int64, isMark, ok bool) {
	row := t.b.N
	if t.row < t.b.Live() {
		row = liveRow(t.b, t.row)
	}
	if t.mark < len(t.b.Marks) && int(t.b.Marks[t.mark].Pos) <= row {
		return t.b.Marks[t.mark].Ord, true, true
	}
	if row == t.b.N {
		return 0, false, false
	}
	return t.b.Ordinal(row), false, true
}

// step moves the next run of rows, or the next mark, to the output; false if nothing
// up to thru is left.
func (m *merger) step(thru int64) bool {
	if m.waiting == 0 || m.heads.least() > thru {
		return false
	}
	best := m.heads.first()
	for len(m.ports[best].queue) == 0 {
		best++ // the last ordinal is no other than that of nothing
	}
	p := &m.ports[best]
	t := &p.queue[0]
	_, isMark, _ := t.next()
	if isMark {
		m.rise(p, t.b.Marks[t.mark])
		t.mark++
		m.look(p)
		return true
	}
	// At equal ordinals the lower port comes first.
	before, behind := m.heads.others(best)
	limit := min(before-1, behind, thru)
	from := t.row
	for t.row++; ; t.row++ {
		if ord, isMark, ok := t.next(); !ok || isMark || ord > limit {
			break
		}
	}
	m.runs = append(m.runs, run{t.b, from, t.row})
	m.rows += t.row - from
	if !t.borrowed {
		m.heldRows -= int64(t.row - from)
	}
	m.look(p)
	return true
}

// look finds the next thing of a port where something waits, and drops batches that
// are used up.
func (m *merger) look(p *mergePort) {
	for len(p.queue) > 0 {
		t := &p.queue[0]
		if ord, _, ok := t.next(); ok {
			m.heads.set(p.index, ord)
			return
		}
		if !t.borrowed {
			m.held -= batchBytes(t.b)
			m.spent = append(m.spent, t.b)
		}
		n := copy(p.queue, p.queue[1:])
		p.queue = p.queue[:n]
	}
	m.waiting--
	m.heads.set(p.index, nothing)
}

// rise takes a mark of a port and appends one to the output if the minimum rises.
func (m *merger) rise(p *mergePort, k stream.Mark) {
	if k.W <= p.wm {
		return
	}
	m.raise(p, k.W)
	if w := m.minimum(); w > m.watermark {
		m.watermark = w
		m.marks = append(m.marks, stream.Mark{Pos: int32(m.rows), Ord: k.Ord, W: w})
	}
}

// keep copies what is left of the batch that was added: its memory is only lent.
func (m *merger) keep(p *mergePort) {
	n := len(p.queue)
	if n == 0 || !p.queue[n-1].borrowed {
		return
	}
	t := &p.queue[n-1]
	src, from := t.b, t.row
	dst := m.take()
	rows := src.Live() - from
	m.columns(dst, []run{{src, from, src.Live()}}, rows)
	dst.Marks = dst.Marks[:0]
	live := from
	for _, k := range src.Marks[t.mark:] {
		for live < src.Live() && liveRow(src, live) < int(k.Pos) {
			live++
		}
		k.Pos = int32(live - from)
		dst.Marks = append(dst.Marks, k)
	}
	*t = mergeItem{b: dst, fresh: true}
}

// take returns an empty batch with buffers of its own.
func (m *merger) take() *stream.Batch {
	if n := len(m.free); n > 0 {
		b := m.free[n-1]
		m.free = m.free[:n-1]
		return b
	}
	return new(stream.Batch)
}

// recycle frees the batches that the last output was gathered from.
func (m *merger) recycle() {
	m.free = append(m.free, m.spent...)
	clear(m.spent)
	m.spent = m.spent[:0]
	clear(m.runs)
}

// gather makes the output of the runs and marks.
func (m *merger) gather() {
	m.columns(&m.out, m.runs, m.rows)
	m.out.Marks = m.marks
}

// columns makes dst a compact batch of the rows of runs, with their kinds and
// ordinals.
func (m *merger) columns(dst *stream.Batch, runs []run, rows int) {
	if len(dst.Cols) != len(m.schema.Fields) {
		dst.Cols = make([]stream.Vec, len(m.schema.Fields))
	}
	dst.N, dst.Sel, dst.After, dst.From = rows, nil, nil, nil
	ord, kinds := dst.Ord[:0], dst.Kinds[:0]
	changes := false
	for _, r := range runs {
		changes = changes || r.b.Kinds != nil
	}
	for _, r := range runs {
		for i := r.from; i < r.to; i++ {
			row := liveRow(r.b, i)
			ord = append(ord, r.b.Ordinal(row))
			if changes {
				kinds = append(kinds, r.b.Kind(row))
			}
		}
	}
	dst.Ord, dst.Kinds = ord, nil
	if dst.Ord == nil {
		dst.Ord = []int64{}
	}
	if changes {
		dst.Kinds = kinds
	}
	for c := range dst.Cols {
		d := &dst.Cols[c]
		d.Reset(m.schema.Fields[c].Type, rows)
		at := 0
		for _, r := range runs {
			appendRun(d, at, rows, &r.b.Cols[c], r.b, r.from, r.to)
			at += r.to - r.from
		}
	}
}

// Snapshot implements state.Object.
func (m *merger) Snapshot(e *stream.Encoder) {
	e.Int64(int64(m.watermark))
	for i := range m.ports {
		p := &m.ports[i]
		e.Int64(p.thru)
		e.Int64(int64(p.wm))
		e.Uint64(uint64(len(p.queue)))
		for _, t := range p.queue {
			e.Uint64(uint64(t.row))
			e.Uint64(uint64(t.mark))
			encodeBatch(e, t.b)
		}
	}
}

// Restore implements state.Object.
func (m *merger) Restore(d *stream.Decoder) error {
	m.watermark = stream.Timestamp(d.Int64())
	for i := range m.ports {
		p := &m.ports[i]
		m.reach(p, d.Int64())
		m.raise(p, stream.Timestamp(d.Int64()))
		for range d.Count(8) {
			t := mergeItem{row: d.Count(0), mark: d.Count(0), b: new(stream.Batch)}
			if err := decodeBatch(d, t.b, m.schema); err != nil {
				return err
			}
			p.queue = append(p.queue, t)
			m.held += batchBytes(t.b)
			m.heldRows += int64(t.b.N - t.row)
		}
		if len(p.queue) > 0 {
			m.waiting++
			m.look(p)
		}
	}
	return d.Err()
}

// Bytes implements state.Object.
func (m *merger) Bytes() int64 {
	var n int64
	for i := range m.ports {
		for _, t := range m.ports[i].queue {
			n += batchBytes(t.b)
		}
	}
	return n
}

// Rows implements state.Object.
func (m *merger) Rows() int64 {
	var n int64
	for i := range m.ports {
		for _, t := range m.ports[i].queue {
			n += int64(t.b.N - t.row)
		}
	}
	return n
}
