package stream

import (
	"math"
	"sort"
)

// Timestamp is an event time or watermark in milliseconds since 1970.
type Timestamp int64

// Watermark limits: before the first one, and at the end of bounded input.
const (
	MinWatermark Timestamp = math.MinInt64
	MaxWatermark Timestamp = math.MaxInt64
)

// RowKind is the kind of a change.
type RowKind uint8

// The kinds, as in Flink.
const (
	Insert       RowKind = iota // +I
	UpdateBefore                // -U: the old row of an update
	UpdateAfter                 // +U: the new row of an update
	Delete                      // -D
)

// String returns +I, -U, +U or -D.
func (k RowKind) String() string { return [...]string{"+I", "-U", "+U", "-D"}[k&3] }

// Retracts reports whether the change takes a row away.
func (k RowKind) Retracts() bool { return k == UpdateBefore || k == Delete }

// Mark is one rise of the watermark inside a batch: after physical row Pos-1 and
// before row Pos; Pos == N stands behind the last row.
type Mark struct {
	Pos int32
	Ord int64
	W   Timestamp
}

// Origin says where the rows of a source batch stand from physical row Row on:
// row Row is on line Line of File, each further row one line further, until the
// next Origin.
type Origin struct {
	Row  int32
	File string
	Line int64
}

// Batch is a piece of a stream: rows, and the rises of the watermark between
// them, in order.
type Batch struct {
	N     int         // physical rows
	Cols  []Vec       // one vector per column; Flat and Dict vectors have N values
	Sel   []int32     // live rows, ascending; nil: all
	Kinds []RowKind   // by physical row; nil: all Insert
	Marks []Mark      // every rise of the watermark on this edge, in order, none merged, none dropped; or, where most rows raise it,
	After []Timestamp // the dense form: After[i] is the watermark after physical row i (never falling); then Marks is empty
	Base  int64       // row i has ordinal Base+2i, or Ord[i] where Ord is set
	Ord   []int64
	Thru  int64    // everything with an ordinal ≤ Thru is now delivered on this edge
	From  []Origin // source batches only
}

// Live returns the number of live rows.
func (b *Batch) Live() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.N
}

// Ordinal returns the ordinal of physical row i.
func (b *Batch) Ordinal(i int) int64 {
	if b.Ord != nil {
		return b.Ord[i]
	}
	return b.Base + 2*int64(i)
}

// Kind returns the row kind of physical row i.
func (b *Batch) Kind(i int) RowKind {
	if b.Kinds == nil {
		return Insert
	}
	return b.Kinds[i]
}

// HasMarks reports whether the batch may raise the watermark.
func (b *Batch) HasMarks() bool { return len(b.Marks) > 0 || b.After != nil && b.N > 0 }

// LastMark returns the watermark after the batch, given that in force before it.
func (b *Batch) LastMark(before Timestamp) Timestamp {
	if b.After != nil {
		if b.N > 0 {
			return max(before, b.After[b.N-1])
		}
		return before
	}
	if n := len(b.Marks); n > 0 {
		return max(before, b.Marks[n-1].W)
	}
	return before
}

// NextMark returns the first rise at or behind cursor whose watermark is at least
// w and above before, and the cursor behind it; ok is false if there is none.
// Cursor 0 is the start of the batch; cursors are only passed back. It hides the
// two forms of Marks: in the dense form the mark of row i stands at position i+1
// and has the row's ordinal + 1.
func (b *Batch) NextMark(cursor int, before, w Timestamp) (m Mark, next int, ok bool) {
	if w <= before {
		w = before + 1
	}
	if b.After != nil {
		n := b.N
		if cursor >= n {
			return Mark{}, n, false
		}
		i := cursor + sort.Search(n-cursor, func(k int) bool { return b.After[cursor+k] >= w })
		if i >= n {
			return Mark{}, n, false
		}
		return Mark{int32(i + 1), b.Ordinal(i) + 1, b.After[i]}, i + 1, true
	}
	n := len(b.Marks)
	if cursor >= n {
		return Mark{}, n, false
	}
	i := cursor + sort.Search(n-cursor, func(k int) bool { return b.Marks[cursor+k].W >= w })
	if i >= n {
		return Mark{}, n, false
	}
	return b.Marks[i], i + 1, true
}

// Watermarks writes into dst[:N] the watermark that each physical row sees: that
// of the last mark at a position ≤ i, or before.
func (b *Batch) Watermarks(dst []Timestamp, before Timestamp) {
	if b.After != nil {
		w := before
		for i := range b.N {
			dst[i] = w
			w = max(w, b.After[i])
		}
		return
	}
	w, k := before, 0
	for i := range b.N {
		for k < len(b.Marks) && int(b.Marks[k].Pos) <= i {
			w = max(w, b.Marks[k].W)
			k++
		}
		dst[i] = w
	}
}

// OriginOf returns where physical row i of a source batch stands; line 0 if that
// is not known.
func (b *Batch) OriginOf(i int) (file string, line int64) {
	k := sort.Search(len(b.From), func(k int) bool { return int(b.From[k].Row) > i })
	if k == 0 {
		return "", 0
	}
	o := b.From[k-1]
	return o.File, o.Line + int64(i) - int64(o.Row)
}

// Clear empties the batch, keeping its buffers.
func (b *Batch) Clear() {
	b.N, b.Sel, b.Kinds, b.Ord = 0, nil, nil, nil
	b.Marks, b.After, b.From = b.Marks[:0], nil, b.From[:0]
	b.Base, b.Thru = 0, 0
}

// Take moves everything out of b into a new batch and leaves b empty, without
// buffers: the caller of the producer now owns the memory.
func (b *Batch) Take() *Batch {
	t := new(Batch)
	*t = *b
	*b = Batch{Cols: make([]Vec, len(b.Cols))}
	for i := range b.Cols {
		b.Cols[i].Type = t.Cols[i].Type
	}
	return t
}
