package builtin

import (
	"math/bits"

	"streamsql/stream"
)

// BlendWord overwrites those of 64 values whose bit is set, without branches.
func BlendWord[T stream.Fixed](to, from *[64]T, w uint64) {
	for i := 60; i >= 0; i -= 4 {
		w = bits.RotateLeft64(w, 4)
		a, b, c, d := to[i], to[i+1], to[i+2], to[i+3]
		if x := from[i]; w&1 != 0 {
			a = x
		}
		if x := from[i+1]; w&2 != 0 {
			b = x
		}
		if x := from[i+2]; w&4 != 0 {
			c = x
		}
		if x := from[i+3]; w&8 != 0 {
			d = x
		}
		to[i], to[i+1], to[i+2], to[i+3] = a, b, c, d
	}
}

// SetWord is BlendWord with one value.
func SetWord[T stream.Fixed](to *[64]T, x T, w uint64) {
	if w == ^uint64(0) {
		for i := range to {
			to[i] = x
		}
		return
	}
	for i := 60; i >= 0; i -= 4 {
		w = bits.RotateLeft64(w, 4)
		a, b, c, d := to[i], to[i+1], to[i+2], to[i+3]
		if w&1 != 0 {
			a = x
		}
		if w&2 != 0 {
			b = x
		}
		if w&4 != 0 {
			c = x
		}
		if w&8 != 0 {
			d = x
		}
		to[i], to[i+1], to[i+2], to[i+3] = a, b, c, d
	}
}
