package exec

import (
	"sort"

	"streamsql/stream"
	"streamsql/types"
)

// before makes dst a header over the part of b whose ordinals are below ord. The
// memory stays b's.
func before(dst, b *stream.Batch, ord int64) *stream.Batch {
	k := sort.Search(b.N, func(i int) bool { return b.Ordinal(i) >= ord })
	prefix(dst, b, k)
	for len(dst.Marks) > 0 && dst.Marks[len(dst.Marks)-1].Ord >= ord {
		dst.Marks = dst.Marks[:len(dst.Marks)-1]
	}
	dst.Thru = min(b.Thru, ord-1)
	return dst
}

// prefix makes dst a header over the first k rows of b and the marks up to there. The
// memory stays b's; dst must be used for nothing else, as its list of columns is
// reused.
func prefix(dst, b *stream.Batch, k int) {
	cols := dst.Cols[:0]
	for i := range b.Cols {
		c := b.Cols[i]
		if c.Enc != stream.Const {
			c.N = k
		}
		cols = append(cols, c)
	}
	sel := b.Sel
	if sel != nil {
		sel = sel[:sort.Search(len(sel), func(i int) bool { return int(sel[i]) >= k })]
	}
	marks := b.Marks[:sort.Search(len(b.Marks), func(i int) bool { return int(b.Marks[i].Pos) > k })]
	*dst = stream.Batch{N: k, Cols: cols, Sel: sel, Kinds: b.Kinds, Marks: marks, Base: b.Base, Ord: b.Ord, Thru: b.Thru, From: b.From}
	if b.After != nil {
		dst.After = b.After[:k]
	}
}

// copyRange makes dst own a copy of rows [from, to) of a source batch, with their
// origins, kinds and selection; marks are the caller's business.
func copyRange(dst, src *stream.Batch, from, to int) {
	n := to - from
	if len(dst.Cols) != len(src.Cols) {
		dst.Cols = make([]stream.Vec, len(src.Cols))
	}
	for i := range src.Cols {
		copyVec(&dst.Cols[i], &src.Cols[i], from, to)
	}
	dst.N, dst.Kinds, dst.Ord, dst.After, dst.Sel = n, nil, nil, nil, nil
	dst.Marks, dst.From = dst.Marks[:0], dst.From[:0]
	if src.Kinds != nil {
		dst.Kinds = src.Kinds[from:to]
	}
	if src.Sel != nil {
		dst.Sel = make([]int32, 0, n)
		for _, r := range src.Sel {
			if int(r) >= from && int(r) < to {
				dst.Sel = append(dst.Sel, r-int32(from))
			}
		}
	}
	for i, o := range src.From {
		end := int32(src.N)
		if i+1 < len(src.From) {
			end = src.From[i+1].Row
		}
		first := max(o.Row, int32(from))
		if first < min(end, int32(to)) {
			dst.From = append(dst.From, stream.Origin{Row: first - int32(from), File: o.File, Line: o.Line + int64(first-o.Row)})
		}
	}
}

// copyVec makes dst a Flat (or Const) copy of rows [from, to) of src.
func copyVec(dst, src *stream.Vec, from, to int) {
	n := to - from
	if src.Enc == stream.Const {
		dst.Reset(src.Type, 1)
		copyRows(dst, src, 0, 1)
		dst.Enc = stream.Const
		return
	}
	dst.Reset(src.Type, n)
	copyRows(dst, src, from, to)
}

func copyRows(dst, src *stream.Vec, from, to int) {
	n := to - from
	if n == 0 {
		return
	}
	switch l := src.Type.Layout(); {
	case src.Enc == stream.Dict || l == types.Bits:
		for i := from; i < to; i++ {
			if l == types.Bytes && src.IsNull(i) {
				dst.AppendBytes(nil)
			} else if l == types.Bytes {
				dst.AppendBytes(src.Bytes(i))
			} else if !src.IsNull(i) {
				dst.Put(i-from, n, src.Value(i))
			}
		}
	case l == types.Bytes:
		lo := src.Off[from]
		dst.Data = append(dst.Data, src.Data[lo:src.Off[to]]...)
		for _, o := range src.Off[from+1 : to+1] {
			dst.Off = append(dst.Off, o-lo)
		}
		dst.N = n
	default:
		w := l.Width()
		copy(dst.Data, src.Data[from*w:to*w])
	}
	if src.Valid != nil {
		copyBits(dst.OwnValid(n), src.Valid, from, n)
	}
}

// copyBits writes bits [from, from+n) of src to dst from bit 0 on. Bits behind n are
// undefined.
func copyBits(dst, src []uint64, from, n int) {
	words, shift := (n+63)/64, uint(from&63)
	src = src[from>>6:]
	if shift == 0 {
		copy(dst[:words], src)
		return
	}
	for i := range words {
		w := src[i] >> shift
		if i+1 < len(src) {
			w |= src[i+1] << (64 - shift)
		}
		dst[i] = w
	}
}
