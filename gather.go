package streamsql

import (
	"math/bits"
	"unsafe"

	"streamsql/stream"
	"streamsql/types"
)

// gather makes dst, a zero Vec, a Flat vector with the n selected rows of src, in any
// encoding, in memory of its own that is no larger than needed.
func gather(dst, src *stream.Vec, sel []int32, n int) {
	dst.Type = src.Type
	if src.Type.Kind == types.Null {
		dst.N = n
		return
	}
	if src.Enc == stream.Dict && src.Type.Layout() != types.Bytes {
		spread(dst, src, sel, n)
		return
	}
	gatherNulls(dst, src, sel, n)
	dst.N = n
	switch src.Type.Layout() {
	case types.Bits:
		gatherBools(dst, src, sel, n)
	case types.Int8:
		gatherFixed[int8](dst, src, sel, n)
	case types.Int16:
		gatherFixed[int16](dst, src, sel, n)
	case types.Int32, types.Float32:
		gatherFixed[int32](dst, src, sel, n)
	case types.Int64, types.Float64:
		gatherFixed[int64](dst, src, sel, n)
	case types.Int128:
		gatherFixed[types.Num128](dst, src, sel, n)
	case types.Bytes:
		gatherBytes(dst, src, sel, n)
	}
}

// gatherNulls copies the validity of the selected rows. Where none of them is NULL the
// vector stays without.
func gatherNulls(dst, src *stream.Vec, sel []int32, n int) {
	if src.Valid == nil || n == 0 {
		return
	}
	words := make([]uint64, (n+63)/64)
	switch {
	case src.Enc == stream.Const:
		if src.IsNull(0) {
			dst.Valid = words
		}
		return
	case sel == nil:
		copy(words, src.Valid)
	default:
		gatherBits(words, src.Valid, sel)
	}
	if countOnes(words, n) < n {
		dst.Valid = words
	}
}

// gatherBits collects the selected bits of a bitmap into whole words.
func gatherBits(dst, src []uint64, sel []int32) {
	for k := range dst {
		part := sel[k*64 : min(len(sel), k*64+64)]
		var w uint64
		for i, r := range part {
			w |= (src[r>>6] >> (r & 63) & 1) << i
		}
		dst[k] = w
	}
}

func countOnes(words []uint64, n int) int {
	ones := 0
	for _, w := range words[:n>>6] {
		ones += bits.OnesCount64(w)
	}
	if rest := n & 63; rest > 0 {
		ones += bits.OnesCount64(words[n>>6] & (1<<rest - 1))
	}
	return ones
}

func gatherBools(dst, src *stream.Vec, sel []int32, n int) {
	words := make([]uint64, (n+63)/64)
	switch {
	case n == 0:
	case src.Enc == stream.Const:
		if src.Bool(0) {
			for i := range words {
				words[i] = ^uint64(0)
			}
		}
	case sel == nil:
		copy(words, src.Words())
	default:
		gatherBits(words, src.Words(), sel)
	}
	dst.Data = bytesOf(words)
}

func gatherFixed[T stream.Fixed](dst, src *stream.Vec, sel []int32, n int) {
	s := stream.Values[T](src)
	var d []T
	switch {
	case n == 0:
	case src.Enc == stream.Const:
		d = make([]T, n)
		for i := range d {
			d[i] = s[0]
		}
	case sel == nil:
		d = append([]T(nil), s[:n]...) // spares clearing the memory first
	default:
		d = make([]T, n)
		for i, r := range sel {
			d[i] = s[r]
		}
	}
	dst.Data = bytesOf(d)
}

// bytesOf returns the memory of values as bytes.
func bytesOf[T any](d []T) []byte {
	if len(d) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*int(unsafe.Sizeof(d[0])))
}

func gatherBytes(dst, src *stream.Vec, sel []int32, n int) {
	if sel == nil && src.Enc == stream.Flat && src.Off[0] == 0 {
		dst.Off = append([]int32(nil), src.Off[:n+1]...)
		dst.Data = append([]byte(nil), src.Data[:src.Off[n]]...)
		return
	}
	row := func(i int) []byte {
		if sel != nil {
			i = int(sel[i])
		}
		if src.IsNull(i) {
			return nil
		}
		return src.Bytes(i)
	}
	size := 0
	for i := range n {
		size += len(row(i))
	}
	off, data := make([]int32, n+1), make([]byte, 0, size)
	for i := range n {
		data = append(data, row(i)...)
		off[i+1] = int32(len(data))
	}
	dst.Off, dst.Data = off, data
}

// spread writes out a dictionary of values of fixed width.
func spread(dst, src *stream.Vec, sel []int32, n int) {
	dst.Reset(src.Type, n)
	for i := range n {
		r := i
		if sel != nil {
			r = int(sel[i])
		}
		dst.Put(i, n, src.Value(r))
	}
}
