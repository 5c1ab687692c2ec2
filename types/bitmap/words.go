package bitmap

import (
	"encoding/binary"
	"math/bits"
)

// words has a bit for each number of a block.
type words [1024]uint64

// set sets bit x; it returns 1 if it was not set.
func (w *words) set(x uint16) int {
	was := w[x>>6] >> (x & 63) & 1
	w[x>>6] |= 1 << (x & 63)
	return int(1 - was)
}

// drop clears bit x; it returns 1 if it was set.
func (w *words) drop(x uint16) int {
	was := w[x>>6] >> (x & 63) & 1
	w[x>>6] &^= 1 << (x & 63)
	return int(was)
}

// setRun sets bit start and the more bits behind it.
func (w *words) setRun(start, more uint16) {
	first, last := int(start)>>6, (int(start)+int(more))>>6
	head := ^uint64(0) << (start & 63)
	tail := ^uint64(0) >> (63 - (start+more)&63)
	if first == last {
		w[first] |= head & tail
		return
	}
	w[first] |= head
	for i := first + 1; i < last; i++ {
		w[i] = ^uint64(0)
	}
	w[last] |= tail
}

// load reads a block.
func (w *words) load(x *block) {
	if x.form == wordsForm {
		for i := range w {
			w[i] = binary.LittleEndian.Uint64(x.data[8*i:])
		}
		return
	}
	clear(w[:])
	if x.form == arrayForm {
		for at := 0; at < len(x.data); at += 2 {
			n := binary.LittleEndian.Uint16(x.data[at:])
			w[n>>6] |= 1 << (n & 63)
		}
		return
	}
	for at := 0; at < len(x.data); at += 4 {
		w.setRun(binary.LittleEndian.Uint16(x.data[at:]), binary.LittleEndian.Uint16(x.data[at+2:]))
	}
}

// count returns how many bits are set.
func (w *words) count() int {
	n := 0
	for _, x := range w {
		n += bits.OnesCount64(x)
	}
	return n
}

// runs returns how many runs of bits are set.
func (w *words) runs() int {
	n, before := 0, uint64(0)
	for _, x := range w {
		n += bits.OnesCount64(x &^ (x<<1 | before))
		before = x >> 63
	}
	return n
}

// appendNumbers appends the numbers whose bits are set.
func (w *words) appendNumbers(list []uint16) []uint16 {
	for i, x := range w {
		for ; x != 0; x &= x - 1 {
			list = append(list, uint16(i<<6+bits.TrailingZeros64(x)))
		}
	}
	return list
}

// appendRuns appends the runs of bits that are set.
func (w *words) appendRuns(list []uint16) []uint16 {
	start := w.next(0, 0)
	for start < 1<<16 {
		end := w.next(start, ^uint64(0))
		list = append(list, uint16(start), uint16(end-start-1))
		start = w.next(end, 0)
	}
	return list
}

// next returns the first bit from start on that is not as in all, 65,536 if there is
// none.
func (w *words) next(start int, all uint64) int {
	if start>>6 == len(w) {
		return 1 << 16
	}
	x := (w[start>>6] ^ all) & (^uint64(0) << (start & 63))
	for i := start >> 6; ; x = w[i] ^ all {
		if x != 0 {
			return i<<6 + bits.TrailingZeros64(x)
		}
		if i++; i == len(w) {
			return 1 << 16
		}
	}
}

// listRuns returns how many runs a list of numbers in order has.
func listRuns(list []uint16) int {
	n := 0
	for i, x := range list {
		if i == 0 || x != list[i-1]+1 {
			n++
		}
	}
	return n
}

// shortest returns the form in which a block with that many numbers and runs is
// written. It is the rule of the library that Flink uses, whose ties are no runs.
func shortest(card, runs int) form {
	switch {
	case 2+4*runs < min(2*card, wordsBytes):
		return runsForm
	case card > maxArray:
		return wordsForm
	}
	return arrayForm
}
