package exec

import (
	"context"
	"unsafe"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// never is the timer of a window aggregate where nothing waits. No window fires
// there: ends are below the greatest time.
const never = stream.MaxWatermark

// windowOutput builds the output of a window aggregate: rows and marks in order. A
// firing of many groups goes out in several batches; the mark stands in the last.
type windowOutput struct {
	plan  *physical.WindowAggregate
	grid  window.Grid
	clock func() int64
	size  int
	kinds bool // rows other than +I are possible

	batch stream.Batch
	cols  []stream.Vec // keys, aggregates, properties
	part  []stream.Vec // one firing, where it is appended to rows before it
	empty []stream.Vec
	ords  []int64
	kind  []stream.RowKind

	old, new []stream.Vec // results of one group
	one      [1]int32
}

func (w *windowOutput) init(p *physical.WindowAggregate, g window.Grid, env *Env, kinds bool) {
	w.plan, w.grid, w.clock, w.size, w.kinds = p, g, env.Clock, max(1, env.BatchSize), kinds
	n := len(p.Keys) + len(p.Aggs) + len(p.Props)
	w.cols, w.part, w.empty = make([]stream.Vec, n), make([]stream.Vec, n), make([]stream.Vec, n)
	w.old, w.new = make([]stream.Vec, len(p.Aggs)), make([]stream.Vec, len(p.Aggs))
	for i := range w.empty {
		w.empty[i].Reset(p.Schema.Fields[i].Type, 0)
	}
}

// begin starts the output for input b.
func (w *windowOutput) begin(b *stream.Batch) {
	w.clear()
	w.batch.Base = b.Base
}

func (w *windowOutput) clear() {
	w.batch.N, w.batch.Marks = 0, w.batch.Marks[:0]
	w.ords, w.kind = w.ords[:0], w.kind[:0]
}

// mark appends a rise of the watermark.
func (w *windowOutput) mark(m stream.Mark) {
	m.Pos = int32(w.batch.N)
	w.batch.Marks = append(w.batch.Marks, m)
}

// forward appends all rises of b, where before was in force.
func (w *windowOutput) forward(b *stream.Batch, before stream.Timestamp) {
	pos := int32(w.batch.N)
	if b.After == nil {
		for _, m := range b.Marks {
			if m.W > before {
				before = m.W
				m.Pos = pos
				w.batch.Marks = append(w.batch.Marks, m)
			}
		}
		return
	}
	marks := w.batch.Marks
	for i, t := range b.After[:b.N] {
		if t > before {
			before = t
			marks = append(marks, stream.Mark{Pos: pos, Ord: b.Ordinal(i) + 1, W: t})
		}
	}
	w.batch.Marks = marks
}

// room sends what is there if n more rows would make the batch too large. Everything
// up to ordinal thru is then delivered.
func (w *windowOutput) room(ctx context.Context, out Output, n int, thru int64) error {
	if w.batch.N == 0 || w.batch.N+n <= w.size {
		return nil
	}
	if err := w.flush(ctx, out, thru); err != nil {
		return err
	}
	w.clear()
	return nil
}

// flush sends what is there.
func (w *windowOutput) flush(ctx context.Context, out Output, thru int64) error {
	b := &w.batch
	b.Thru = thru
	if b.N == 0 {
		b.Cols, b.Ord, b.Kinds = w.empty, nil, nil
		return out.Batch(ctx, b)
	}
	b.Cols, b.Ord = w.cols, w.ords
	if w.kinds {
		b.Kinds = w.kind
	}
	return out.Batch(ctx, b)
}

// target returns where to write rows that commit then counts in.
func (w *windowOutput) target() []stream.Vec {
	if w.batch.N > 0 {
		return w.part
	}
	return w.cols
}

// rows appends the results of n groups of p (nil: all), or of those in front of one that
// has none.
func (w *windowOutput) rows(p *pane, groups []int32, n int, kind stream.RowKind, ord int64) error {
	dst := w.target()
	nk, na := len(w.plan.Keys), len(w.plan.Aggs)
	p.table.Keys(groups, n, dst[:nk])
	if err := p.aggs.Results(groups, n, dst[nk:nk+na]); err != nil {
		err = w.ofGroup(err, dst)
		if at := state.FaultAt(err, 0); at > 0 {
			if groups != nil {
				groups = groups[:at]
			}
			if e := w.rows(p, groups, at, kind, ord); e != nil {
				return e
			}
		}
		return err
	}
	w.props(p, n, dst[nk+na:])
	w.commit(dst, n, kind, ord)
	return nil
}

// ofGroup names the group whose result cannot be given; the keys stand in dst.
func (w *windowOutput) ofGroup(err error, dst []stream.Vec) error {
	return ofGroup(err, w.plan.Schema.Fields, dst[:len(w.plan.Keys)], state.FaultAt(err, 0))
}

// result gives the results of one group.
func (w *windowOutput) result(p *pane, g int32, to []stream.Vec) error {
	w.one[0] = g
	err := p.aggs.Results(w.one[:], 1, to)
	if err != nil {
		dst := w.target()
		p.table.Keys(w.one[:], 1, dst[:len(w.plan.Keys)])
		return w.ofGroup(err, dst)
	}
	return nil
}

// previous and current append one group with the results in old and new.
func (w *windowOutput) previous(p *pane, g int32, kind stream.RowKind, ord int64) {
	w.single(p, g, w.old, kind, ord)
}

func (w *windowOutput) current(p *pane, g int32, kind stream.RowKind, ord int64) {
	w.single(p, g, w.new, kind, ord)
}

func (w *windowOutput) single(p *pane, g int32, results []stream.Vec, kind stream.RowKind, ord int64) {
	dst := w.target()
	nk, na := len(w.plan.Keys), len(w.plan.Aggs)
	w.one[0] = g
	p.table.Keys(w.one[:], 1, dst[:nk])
	for i := range results {
		dst[nk+i].Reset(results[i].Type, 0)
		appendVec(&dst[nk+i], &results[i])
	}
	w.props(p, 1, dst[nk+na:])
	w.commit(dst, 1, kind, ord)
}

func (w *windowOutput) props(p *pane, n int, dst []stream.Vec) {
	for i, prop := range w.plan.Props {
		t := p.start
		switch prop.Kind {
		case physical.WindowEnd:
			t = p.end
		case physical.WindowTime:
			t = p.end - 1
			if w.plan.Processing {
				t = w.clock() // the time of a window of processing time is that of its result
			} else if prop.Type.Kind == types.TimestampLTZ {
				t = w.grid.Time(p.end)
			}
		}
		dst[i].Reset(prop.Type, n)
		vals := stream.Values[int64](&dst[i])
		for k := range vals {
			vals[k] = t
		}
	}
}

// commit counts n rows that lie in dst into the batch, copying them behind the rows
// that are there if dst is not the batch's own columns.
func (w *windowOutput) commit(dst []stream.Vec, n int, kind stream.RowKind, ord int64) {
	if w.batch.N > 0 {
		for i := range dst {
			appendVec(&w.cols[i], &dst[i])
		}
	}
	w.batch.N += n
	for range n {
		w.ords = append(w.ords, ord)
	}
	if w.kinds {
		for range n {
			w.kind = append(w.kind, kind)
		}
	}
}

// update appends what a group with a new result sends: had says whether the old one is
// out.
func (w *windowOutput) update(p *pane, g int32, had bool, ord int64) {
	switch {
	case !had:
		w.current(p, g, stream.Insert, ord)
	case w.changed():
		w.previous(p, g, stream.UpdateBefore, ord)
		w.current(p, g, stream.UpdateAfter, ord)
	}
}

// changed reports whether old and new differ as Flink compares results: -0.0 equals
// 0.0, NaN equals nothing.
func (w *windowOutput) changed() bool {
	for i := range w.old {
		if !sameResult(&w.old[i], &w.new[i]) {
			return true
		}
	}
	return false
}

func sameResult(a, b *stream.Vec) bool {
	if a.IsNull(0) || b.IsNull(0) {
		return a.IsNull(0) && b.IsNull(0)
	}
	switch l := a.Type.Layout(); l {
	case types.Bits:
		return a.Bool(0) == b.Bool(0)
	case types.Float32:
		return stream.Values[float32](a)[0] == stream.Values[float32](b)[0]
	case types.Float64:
		return stream.Values[float64](a)[0] == stream.Values[float64](b)[0]
	case types.Bytes:
		return string(a.Bytes(0)) == string(b.Bytes(0))
	default:
		return string(a.Data[:l.Width()]) == string(b.Data[:l.Width()])
	}
}

// appendVec appends the values of a Flat vector to another of the same type.
func appendVec(dst, src *stream.Vec) {
	at, n := dst.N, src.N
	if src.Valid != nil || dst.Valid != nil {
		appendValid(dst, src, at, n)
	}
	switch l := dst.Type.Layout(); l {
	case types.Bytes:
		shift := int32(len(dst.Data))
		dst.Data = append(dst.Data, src.Data[:src.Off[n]]...)
		for _, off := range src.Off[1 : n+1] {
			dst.Off = append(dst.Off, off+shift)
		}
	case types.Bits:
		dst.Data = extendData(dst.Data, (at+n+63)/64*8)
		for i := range n {
			dst.SetBool(at+i, src.Bool(i))
		}
	default:
		w := l.Width()
		dst.Data = extendData(dst.Data, (at+n)*w)
		copy(dst.Data[at*w:], src.Data[:n*w])
	}
	dst.N = at + n
}

// appendValid makes dst's validity hold at+n values.
func appendValid(dst, src *stream.Vec, at, n int) {
	old := dst.Valid
	words := dst.OwnValid(at + n)
	switch {
	case old == nil:
		for i := range words {
			words[i] = ^uint64(0)
		}
	case len(words) > 0 && len(old) > 0 && &words[0] != &old[0]:
		copy(words, old)
	}
	for i := range n {
		k := at + i
		if src.IsNull(i) {
			words[k>>6] &^= 1 << (k & 63)
		} else {
			words[k>>6] |= 1 << (k & 63)
		}
	}
}

// extendData returns b with n bytes, its contents kept, aligned and with slack like
// the buffers of package stream.
func extendData(b []byte, n int) []byte {
	if cap(b) >= n+stream.Slack {
		return b[:n]
	}
	words := make([]uint64, (max(n, 2*cap(b))+stream.Slack+7)/8)
	d := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
	copy(d, b)
	return d[:n]
}
