package exec

import (
	"context"

	"streamsql/stream"
)

// firing builds the output of operators that send rows when windows close: rows and
// marks in order. A firing of many rows goes out in several batches; the mark stands in
// the last.
type firing struct {
	size  int // rows to aim at
	batch stream.Batch
	cols  []stream.Vec
	part  []stream.Vec // rows of one call, where they are appended to rows before them
	empty []stream.Vec
	ords  []int64
}

func (f *firing) init(s stream.Schema, size int) {
	f.size = max(1, size)
	n := len(s.Fields)
	f.cols, f.part, f.empty = make([]stream.Vec, n), make([]stream.Vec, n), make([]stream.Vec, n)
	for i := range f.empty {
		f.empty[i].Reset(s.Fields[i].Type, 0)
	}
}

// begin starts an output; base is an ordinal that nothing in it precedes.
func (f *firing) begin(base int64) {
	f.clear()
	f.batch.Base = base
}

func (f *firing) clear() {
	f.batch.N, f.batch.Marks, f.ords = 0, f.batch.Marks[:0], f.ords[:0]
}

// mark appends a rise of the watermark.
func (f *firing) mark(ord int64, w stream.Timestamp) {
	f.batch.Marks = append(f.batch.Marks, stream.Mark{Pos: int32(f.batch.N), Ord: ord, W: w})
}

// room sends what is there if n more rows would make the batch too large. Everything
// up to ordinal thru is then delivered.
func (f *firing) room(ctx context.Context, out Output, n int, thru int64) error {
	if f.batch.N == 0 || f.batch.N+n <= f.size {
		return nil
	}
	if err := f.flush(ctx, out, thru); err != nil {
		return err
	}
	f.clear()
	return nil
}

// target returns the vectors into which the next rows go; commit must follow.
func (f *firing) target() []stream.Vec {
	if f.batch.N > 0 {
		return f.part
	}
	return f.cols
}

// commit counts n rows that were written to the target.
func (f *firing) commit(n int, ord int64) {
	if f.batch.N > 0 {
		for i := range f.cols {
			appendVec(&f.cols[i], &f.part[i])
		}
	}
	f.batch.N += n
	for range n {
		f.ords = append(f.ords, ord)
	}
}

// flush sends what is there.
func (f *firing) flush(ctx context.Context, out Output, thru int64) error {
	b := &f.batch
	b.Thru = thru
	b.Cols, b.Ord = f.cols, f.ords
	if b.N == 0 {
		b.Cols, b.Ord = f.empty, nil
	}
	return out.Batch(ctx, b)
}

// fail sends what stands before ordinal ord and returns err as the failure there.
func (f *firing) fail(ctx context.Context, out Output, ord int64, err error) error {
	if e := f.flush(ctx, out, ord-1); e != nil {
		return e
	}
	return Fail(ord, err)
}
