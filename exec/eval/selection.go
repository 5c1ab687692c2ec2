package eval

import (
	"math/bits"
	"unsafe"

	"streamsql/stream"
)

// places holds for each byte the positions of its bits, two of 32 bits in a number.
var places = func() (t [256][4]uint64) {
	for b := range t {
		n := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				t[b][n/2] |= uint64(i) << (n % 2 * 32)
				n++
			}
		}
	}
	return t
}()

// fewBits is up to how many bits of a word are looked for one by one.
const fewBits = 16

// setRows appends the rows below n whose bit is set in words, and in valid if that is
// not nil.
func setRows(words, valid []uint64, n int, sel []int32) []int32 {
	if n == 1 {
		if words[0]&1 != 0 && (valid == nil || valid[0]&1 != 0) {
			sel = append(sel, 0)
		}
		return sel
	}
	from := len(sel)
	sel = room(sel, (n+63)&^63)
	m := from
	for k := range (n + 63) >> 6 {
		w := words[k]
		if valid != nil {
			w &= valid[k]
		}
		if rest := n - k<<6; rest < 64 {
			w &= 1<<rest - 1
		}
		row := int32(k << 6)
		if bits.OnesCount64(w) > fewBits {
			m += place(sel[m:], row, w)
			continue
		}
		for ; w != 0; w &= w - 1 {
			sel[m] = row + int32(bits.TrailingZeros64(w))
			m++
		}
	}
	return sel[:m]
}

// place writes the rows of a word with many bits to dst, which has room for 64, and
// returns their number. It takes eight rows at a time, whatever their bits are.
func place(dst []int32, row int32, w uint64) int {
	const both = 1<<32 + 1
	n, first := 0, uint64(row)*both
	for range 8 {
		b := byte(w)
		at, to := &places[b], (*[4]uint64)(unsafe.Pointer((*[8]int32)(dst[n:])))
		to[0], to[1], to[2], to[3] = at[0]+first, at[1]+first, at[2]+first, at[3]+first
		n += bits.OnesCount8(b)
		w >>= 8
		first += 8 * both
	}
	return n
}

// keepRows appends the live rows whose bit is set in words, and in valid if that is not
// nil.
func keepRows(words, valid []uint64, live, sel []int32) []int32 {
	m := len(sel)
	sel = room(sel, len(live))
	if valid == nil {
		valid = words
	}
	for _, i := range live {
		sel[m] = i
		m += int((words[i>>6] & valid[i>>6]) >> (i & 63) & 1)
	}
	return sel[:m]
}

// room returns sel with n more rows, whose contents are undefined.
func room(sel []int32, n int) []int32 {
	have := len(sel)
	if cap(sel)-have < n {
		more := make([]int32, have, have+n)
		copy(more, sel)
		sel = more
	}
	return sel[:have+n]
}

// trueRows appends the rows among live (nil: 0..n-1) for which v is TRUE.
func trueRows(v *stream.Vec, n int, live, sel []int32) []int32 {
	if v.Enc == stream.Const {
		if v.IsNull(0) || !v.Bool(0) {
			return sel
		}
		if live != nil {
			return append(sel, live...)
		}
		for i := range n {
			sel = append(sel, int32(i))
		}
		return sel
	}
	if live != nil {
		return keepRows(v.Words(), v.Valid, live, sel)
	}
	return setRows(v.Words(), v.Valid, n, sel)
}
