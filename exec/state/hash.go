package state

import (
	"encoding/binary"
	"math/bits"
)

// Odd constants with well spread bits (the golden ratio and two primes of the
// splitmix family).
const (
	mixA = 0x9E3779B97F4A7C15
	mixB = 0xBF58476D1CE4E5B9
	mixC = 0x94D049BB133111EB
)

// mix multiplies to 128 bits and folds.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// scramble makes a full-width multiplier from any seed, 0 included.
func scramble(seed uint64) uint64 {
	seed += mixA
	seed = (seed ^ seed>>30) * mixB
	seed = (seed ^ seed>>27) * mixC
	return seed ^ seed>>31
}

func hashWord(w, seed uint64) uint64 { return mix(w^seed, mixA) }

func hashPair(a, b, seed uint64) uint64 { return mix(a^seed, b^mixB) ^ mix(b^seed, mixC) }

func hashTriple(w [3]uint64, seed uint64) uint64 {
	return hashPair(hashPair(w[0], w[1], seed), w[2], seed)
}

// tagWords, tagPairs and tagTriples write the tags of the m keys of a chunk, which lie in
// w0, w1 and w2.
func (t *Table) tagWords(m int) {
	tags := t.tags[:m]
	for k, w := range t.w0[:m] {
		tags[k] = uint32(hashWord(w, t.seed) >> 32)
	}
}

func (t *Table) tagPairs(m int) {
	tags, w0, w1 := t.tags[:m], t.w0[:m], t.w1[:m]
	for k := range tags {
		tags[k] = uint32(hashPair(w0[k], w1[k], t.seed) >> 32)
	}
}

func (t *Table) tagTriples(m int) {
	tags, w0, w1, w2 := t.tags[:m], t.w0[:m], t.w1[:m], t.w2[:m]
	for k := range tags {
		tags[k] = uint32(hashTriple([3]uint64{w0[k], w1[k], w2[k]}, t.seed) >> 32)
	}
}

// hashBytes takes 16 bytes a step; the last step reads backwards over bytes it
// has seen, so no tail loop is needed. The length goes in at the end: a key and
// its extension by zero bytes differ.
func hashBytes(b []byte, seed uint64) uint64 {
	n := len(b)
	h := seed
	var x, y uint64
	switch {
	case n > 16:
		p := b
		for len(p) > 16 {
			h = mix(binary.LittleEndian.Uint64(p)^mixA, binary.LittleEndian.Uint64(p[8:])^h)
			p = p[16:]
		}
		x, y = binary.LittleEndian.Uint64(b[n-16:]), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 8:
		x, y = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		x, y = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		x = uint64(b[0]) | uint64(b[n>>1])<<8 | uint64(b[n-1])<<16
	}
	return mix(mix(x^mixB, y^h)^mixC, uint64(n)^seed)
}
