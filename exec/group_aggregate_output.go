package exec

import (
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// groupOutput builds the output of a groupAggregate from the results around each row.
type groupOutput struct {
	plan  *physical.GroupAggregate
	batch stream.Batch
	cols  []stream.Vec
	marks []stream.Mark

	// By output row: where it stands among the results, its input row, ordinal and kind.
	from, rows []int32
	ords       []int64
	kinds      []stream.RowKind
}

func (w *groupOutput) init(p *physical.GroupAggregate) {
	w.plan = p
	w.cols = make([]stream.Vec, len(p.Schema.Fields))
}

// build makes the output for the first n of rows, with the rises of the watermark up to
// position limit of b.
func (w *groupOutput) build(o *groupAggregate, b *stream.Batch, rows expr.Rows, n, limit int) {
	w.from, w.rows, w.ords, w.kinds, w.marks = w.from[:0], w.rows[:0], w.ords[:0], w.kinds[:0], w.marks[:0]
	marks, cursor := b.HasMarks(), 0
	for k := range n {
		i := rowOf(rows, k)
		if marks {
			cursor = w.move(o, b, cursor, i)
		}
		w.answer(o, b, k, i)
	}
	if marks {
		w.move(o, b, cursor, limit)
	}
	w.batch = stream.Batch{N: len(w.from), Cols: w.cols, Marks: w.marks, Base: b.Base, Ord: w.ords, Kinds: w.kinds, Thru: b.Thru}
	if len(w.from) == 0 {
		w.batch.Ord, w.batch.Kinds = nil, nil
	}
	in := len(w.plan.Keys)
	for c, col := range w.plan.Keys {
		repeat(&w.cols[c], &b.Cols[col], w.rows, w.plan.Schema.Fields[c].Type)
	}
	for c := range w.plan.Aggs {
		repeat(&w.cols[in+c], &o.pairs[c], w.from, w.plan.Schema.Fields[in+c].Type)
	}
}

// answer appends what the row at position k, physical row i, changes.
func (w *groupOutput) answer(o *groupAggregate, b *stream.Batch, k, i int) {
	switch o.roles[i] {
	case rowFirst:
		w.row(b, 2*k+1, i, stream.Insert)
	case rowLast:
		w.row(b, 2*k, i, stream.Delete)
	default:
		if o.changed[k] || o.plan.TTL > 0 {
			if o.plan.Mode != physical.Upsert {
				w.row(b, 2*k, i, stream.UpdateBefore)
			}
			w.row(b, 2*k+1, i, stream.UpdateAfter)
		}
	}
}

func (w *groupOutput) row(b *stream.Batch, from, i int, kind stream.RowKind) {
	w.from, w.rows = append(w.from, int32(from)), append(w.rows, int32(i))
	w.ords, w.kinds = append(w.ords, b.Ordinal(i)), append(w.kinds, kind)
}

// move appends the rises of the watermark up to position limit of b.
func (w *groupOutput) move(o *groupAggregate, b *stream.Batch, cursor, limit int) int {
	for {
		m, next, ok := b.NextMark(cursor, o.wm.w, stream.MinWatermark)
		if !ok || int(m.Pos) > limit {
			return cursor
		}
		cursor, o.wm.w = next, m.W
		w.marks = append(w.marks, stream.Mark{Pos: int32(len(w.from)), Ord: m.Ord, W: m.W})
	}
}
