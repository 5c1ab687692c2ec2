package bitmap

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// The first bytes of a serialised set: plain says that no block has runs; mixed, in the
// lower half, that a bit for each block tells.
const (
	plain = 12346
	mixed = 12347
)

const (
	maxBlocks  = 1 << 16
	maxArray   = 4096 // the most numbers that a block lists one by one
	wordsBytes = 8 << 10
	// offsetsFrom is the least number of blocks for which the places of the blocks are
	// written even where there are runs.
	offsetsFrom = 4
)

// form is how a block lists its numbers.
type form uint8

const (
	arrayForm form = iota // in order, two bytes each
	wordsForm             // a bit for each number
	runsForm              // a number and how many follow it, two bytes each
)

// block is the numbers with one upper half.
type block struct {
	key  uint16
	form form
	card int
	data []byte // without the count of runs
}

// blocks goes through the blocks of canonical bytes.
type blocks struct {
	heads []byte // key and number of numbers - 1, two bytes each
	runs  []byte // bit i: block i has runs; nil: none has
	data  []byte
	i, n  int
}

// read returns the blocks of canonical bytes; no bytes are the empty set.
func read(b []byte) blocks {
	if len(b) < 8 {
		return blocks{}
	}
	var r blocks
	first := binary.LittleEndian.Uint32(b)
	if first == plain {
		r.n = int(binary.LittleEndian.Uint32(b[4:]))
		b = b[8:]
	} else {
		r.n = int(first>>16) + 1
		size := (r.n + 7) / 8
		r.runs, b = b[4:4+size], b[4+size:]
	}
	r.heads, b = b[:4*r.n], b[4*r.n:]
	if r.runs == nil || r.n >= offsetsFrom {
		b = b[4*r.n:]
	}
	r.data = b
	return r
}

// next gives the next block.
func (r *blocks) next(x *block) bool {
	if r.i == r.n {
		return false
	}
	head := binary.LittleEndian.Uint32(r.heads[4*r.i:])
	x.key, x.card = uint16(head), int(head>>16)+1
	size := 0
	switch {
	case r.runs != nil && r.runs[r.i>>3]>>(r.i&7)&1 != 0:
		x.form, size = runsForm, 4*int(binary.LittleEndian.Uint16(r.data))
		r.data = r.data[2:]
	case x.card > maxArray:
		x.form, size = wordsForm, wordsBytes
	default:
		x.form, size = arrayForm, 2*x.card
	}
	x.data, r.data = r.data[:size], r.data[size:]
	r.i++
	return true
}

// Cardinality returns the number of numbers of a set given by its canonical bytes.
func Cardinality(b []byte) int64 {
	n := int64(0)
	r := read(b)
	for i := range r.n {
		n += int64(binary.LittleEndian.Uint16(r.heads[4*i+2:])) + 1
	}
	return n
}

// Each calls f for the numbers of a set given by its canonical bytes, in order, until it
// returns false.
func Each(b []byte, f func(uint32) bool) {
	r := read(b)
	for x := (block{}); r.next(&x); {
		if !x.each(f) {
			return
		}
	}
}

func (x *block) each(f func(uint32) bool) bool {
	high := uint32(x.key) << 16
	switch x.form {
	case arrayForm:
		for at := 0; at < len(x.data); at += 2 {
			if !f(high | uint32(binary.LittleEndian.Uint16(x.data[at:]))) {
				return false
			}
		}
	case runsForm:
		for at := 0; at < len(x.data); at += 4 {
			start, more := uint32(binary.LittleEndian.Uint16(x.data[at:])), uint32(binary.LittleEndian.Uint16(x.data[at+2:]))
			for k := range more + 1 {
				if !f(high | (start + k)) {
					return false
				}
			}
		}
	case wordsForm:
		for at := 0; at < len(x.data); at += 8 {
			for w := binary.LittleEndian.Uint64(x.data[at:]); w != 0; w &= w - 1 {
				if !f(high | uint32(at*8+bits.TrailingZeros64(w))) {
					return false
				}
			}
		}
	}
	return true
}

// maxText is the length of a text behind which AppendText breaks off, as Flink does.
const maxText = 512 << 10

// AppendText appends a set given by its canonical bytes as Flink prints it: {1,2,3},
// the numbers without sign. A text that gets longer than half a megabyte ends with
// three dots.
func AppendText(dst, b []byte) []byte {
	start := len(dst)
	dst = append(dst, '{')
	Each(b, func(x uint32) bool {
		if len(dst) > start+1 {
			dst = append(dst, ',')
			if len(dst)-start > maxText {
				dst = append(dst, "..."...)
				return false
			}
		}
		dst = strconv.AppendUint(dst, uint64(x), 10)
		return true
	})
	return append(dst, '}')
}
