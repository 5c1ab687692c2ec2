package streamsql

import (
	"slices"
	"unsafe"

	"streamsql/stream"
	"streamsql/types"
)

// gather makes dst a Flat vector with the n selected rows of src, in any encoding. It
// uses the memory that dst has, or makes some that is no larger than needed.
func gather(dst, src *stream.Vec, sel []int32, n int) {
	dst.Type, dst.N = src.Type, n
	if src.Type.Kind == types.Null {
		return
	}
	if src.Enc == stream.Dict && src.Type.Layout() != types.Bytes {
		spread(dst, src, sel, n)
		return
	}
	gatherNulls(dst, src, sel, n)
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
	dst.Valid = nil
	if src.Valid == nil || n == 0 || src.Enc == stream.Const && !src.IsNull(0) {
		return
	}
	words := dst.OwnValid(n)
	switch {
	case src.Enc == stream.Const:
		clear(words)
	case sel == nil:
		copy(words, src.Valid)
	default:
		gatherBits(words, src.Valid, sel)
	}
	if dst.CountNulls(n) == 0 {
		dst.Valid = nil
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

func gatherBools(dst, src *stream.Vec, sel []int32, n int) {
	words := fixed[uint64](dst, (n+63)/64)
	switch {
	case n == 0:
	case src.Enc == stream.Const:
		var all uint64
		if src.Bool(0) {
			all = ^all
		}
		for i := range words {
			words[i] = all
		}
	case sel == nil:
		copy(words, src.Words())
	default:
		gatherBits(words, src.Words(), sel)
	}
}

func gatherFixed[T stream.Fixed](dst, src *stream.Vec, sel []int32, n int) {
	s := stream.Values[T](src)
	if sel == nil && src.Enc == stream.Flat {
		dst.Data = append(dst.Data[:0], src.Data[:len(bytesOf(s[:n]))]...) // spares clearing new memory first
		return
	}
	d := fixed[T](dst, n)
	switch {
	case n == 0:
	case src.Enc == stream.Const:
		for i := range d {
			d[i] = s[0]
		}
	default:
		for i, r := range sel {
			d[i] = s[r]
		}
	}
}

// fixed makes the data of v n values with undefined contents and returns them.
func fixed[T any](v *stream.Vec, n int) []T {
	var zero T
	if size := n * int(unsafe.Sizeof(zero)); cap(v.Data) < size {
		v.Data = bytesOf(make([]T, n))
	} else {
		v.Data = v.Data[:size]
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v.Data))), n)
}

// bytesOf returns the memory of values as bytes.
func bytesOf[T any](d []T) []byte {
	if len(d) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*int(unsafe.Sizeof(d[0])))
}

func gatherBytes(dst, src *stream.Vec, sel []int32, n int) {
	off, data := dst.Off[:0], dst.Data[:0]
	switch {
	case src.Enc == stream.Flat && sel == nil && src.Off[0] == 0:
		off = append(off, src.Off[:n+1]...)
		data = append(data, src.Data[:src.Off[n]]...)
	case src.Enc == stream.Flat && sel != nil:
		size := 0
		for _, r := range sel {
			size += int(src.Off[r+1] - src.Off[r])
		}
		off, data = append(slices.Grow(off, n+1), 0), slices.Grow(data, size)
		for _, r := range sel {
			data = append(data, src.Data[src.Off[r]:src.Off[r+1]]...)
			off = append(off, int32(len(data)))
		}
	default:
		off = append(slices.Grow(off, n+1), 0)
		for i := range n {
			if sel != nil {
				i = int(sel[i])
			}
			if !src.IsNull(i) {
				data = append(data, src.Bytes(i)...)
			}
			off = append(off, int32(len(data)))
		}
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
