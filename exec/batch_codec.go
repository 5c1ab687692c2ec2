package exec

import (
	"unsafe"

	"streamsql/stream"
	"streamsql/types"
)

// appendRun writes live rows [from, to) of a column of b to dst from row at on. dst is
// Flat and was Reset for rows rows; it is filled in order.
func appendRun(dst *stream.Vec, at, rows int, src *stream.Vec, b *stream.Batch, from, to int) {
	switch l := src.Type.Layout(); {
	case src.Enc == stream.Dict && l != types.Bytes:
		for i := from; i < to; i++ {
			dst.Put(at+i-from, rows, src.Value(liveRow(b, i)))
		}
		return
	case l == types.Bytes:
		for i := from; i < to; i++ {
			if r := liveRow(b, i); src.IsNull(r) {
				dst.AppendBytes(nil)
			} else {
				dst.AppendBytes(src.Bytes(r))
			}
		}
	case l == types.Bits:
		for i := from; i < to; i++ {
			if r := liveRow(b, i); !src.IsNull(r) {
				dst.SetBool(at+i-from, src.Bool(r))
			}
		}
	case src.Enc == stream.Flat && b.Sel == nil:
		w := l.Width()
		copy(dst.Data[at*w:(at+to-from)*w], src.Data[from*w:to*w])
	default:
		gatherFixed(dst, at, src, b, from, to, l.Width())
	}
	if src.Valid == nil && src.Type.Kind != types.Null {
		return
	}
	for i := from; i < to; i++ {
		if src.IsNull(liveRow(b, i)) {
			dst.SetNull(at+i-from, rows)
		}
	}
}

func gatherFixed(dst *stream.Vec, at int, src *stream.Vec, b *stream.Batch, from, to, width int) {
	switch width {
	case 1:
		gatherValues[int8](dst, at, src, b, from, to)
	case 2:
		gatherValues[int16](dst, at, src, b, from, to)
	case 4:
		gatherValues[int32](dst, at, src, b, from, to)
	case 8:
		gatherValues[int64](dst, at, src, b, from, to)
	case 16:
		gatherValues[types.Num128](dst, at, src, b, from, to)
	}
}

func gatherValues[T stream.Fixed](dst *stream.Vec, at int, src *stream.Vec, b *stream.Batch, from, to int) {
	d, s := stream.Values[T](dst)[at:], stream.Values[T](src)
	for i := from; i < to; i++ {
		d[i-from] = s[src.At(liveRow(b, i))]
	}
}

// encodeBatch writes a compact batch: Flat columns, no selection, sparse marks,
// ordinals by row.
func encodeBatch(e *stream.Encoder, b *stream.Batch) {
	e.Uint64(uint64(b.N))
	for i := range b.N {
		e.Int64(b.Ordinal(i))
	}
	e.Bool(b.Kinds != nil)
	if b.Kinds != nil {
		for _, k := range b.Kinds[:b.N] {
			e.Uint64(uint64(k))
		}
	}
	e.Uint64(uint64(len(b.Marks)))
	for _, m := range b.Marks {
		e.Int64(int64(m.Pos))
		e.Int64(m.Ord)
		e.Int64(int64(m.W))
	}
	for c := range b.Cols {
		encodeVec(e, &b.Cols[c], b.N)
	}
}

func encodeVec(e *stream.Encoder, v *stream.Vec, n int) {
	e.Bool(v.Valid != nil)
	if v.Valid != nil {
		for _, w := range v.Valid[:(n+63)/64] {
			e.Uint64(w)
		}
	}
	switch l := v.Type.Layout(); l {
	case types.Bytes:
		for i := range n {
			e.Blob(v.Data[v.Off[i]:v.Off[i+1]])
		}
	case types.Bits:
		e.Blob(v.Data[:(n+7)/8])
	default:
		e.Blob(v.Data[:n*l.Width()])
	}
}

// decodeBatch reads a batch of the schema into an empty one.
func decodeBatch(d *stream.Decoder, b *stream.Batch, schema stream.Schema) error {
	n := d.Count(8)
	b.N = n
	b.Ord = make([]int64, n)
	for i := range b.Ord {
		b.Ord[i] = d.Int64()
	}
	if d.Bool() {
		b.Kinds = make([]stream.RowKind, n)
		for i := range b.Kinds {
			b.Kinds[i] = stream.RowKind(d.Uint64())
		}
	}
	for range d.Count(24) {
		b.Marks = append(b.Marks, stream.Mark{Pos: int32(d.Int64()), Ord: d.Int64(), W: stream.Timestamp(d.Int64())})
	}
	b.Cols = make([]stream.Vec, len(schema.Fields))
	for c, f := range schema.Fields {
		if err := decodeVec(d, &b.Cols[c], f.Type, n); err != nil {
			return err
		}
	}
	return d.Err()
}

func decodeVec(d *stream.Decoder, v *stream.Vec, t types.Type, n int) error {
	v.Reset(t, n)
	if d.Bool() {
		words := v.OwnValid(n)
		for i := range (n + 63) / 64 {
			words[i] = d.Uint64()
		}
	}
	if t.Layout() == types.Bytes {
		for range n {
			v.AppendBytes(d.Blob())
		}
		return d.Err()
	}
	blob := d.Blob()
	if len(blob) > len(v.Data) {
		return d.Fail(stream.ErrSnapshot)
	}
	copy(v.Data, blob)
	return d.Err()
}

// batchBytes is the memory that a batch holds.
func batchBytes(b *stream.Batch) int64 {
	n := int64(cap(b.Ord))*8 + int64(cap(b.Kinds)) + int64(cap(b.Marks))*int64(unsafe.Sizeof(stream.Mark{}))
	for i := range b.Cols {
		c := &b.Cols[i]
		n += int64(cap(c.Data)) + int64(cap(c.Off))*4 + int64(cap(c.Valid))*8
	}
	return n
}
