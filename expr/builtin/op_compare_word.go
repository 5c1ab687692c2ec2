package builtin

import (
	"math/bits"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
)

// A word of a BOOLEAN result takes 64 rows. Its bits are made without a branch that a
// value decides and without a shift by a variable, from the last row to the first.

// bit returns 1 for true.
func bit(b bool) (w uint64) {
	if b {
		w = 1
	}
	return w
}

// nibble puts four bits together, the first one lowest. Four and not one by one, since
// each step would wait for the one before.
func nibble(a, b, c, d bool) uint64 { return (bit(d)*2+bit(c))*4 + (bit(b)*2 + bit(a)) }

// shiftIn appends a bit below w: whether x is less than y. It is one subtraction and one
// addition with carry.
func shiftIn(w, x, y uint64) uint64 {
	_, less := bits.Sub64(x, y, 0)
	w, _ = bits.Add64(w, w, less)
	return w
}

// signBit is added to integers of 64 bits to order them as unsigned. A variable, since
// as a constant it becomes an instruction that takes longer.
var signBit uint64 = 1 << 63

// rank returns an integer as an unsigned number in the same order. sign is signBit.
func rank[T integer](v T, sign uint64) uint64 {
	if unsafe.Sizeof(v) == 8 {
		return uint64(v) ^ sign
	}
	return uint64(uint32(int32(v)) ^ 1<<31)
}

// compareNumbers makes the loop of one relation for numbers of any type.
func compareNumbers[T number](rel relation) relate {
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := operand[T](a, rows.N), operand[T](b, rows.N)
		words := out.Words()
		switch full := rows.N >> 6; {
		case len(y) == 1:
			for k := range full {
				words[k] = wordConst(rel, (*[64]T)(x[k<<6:]), y[0])
			}
		case len(x) == 1:
			for k := range full {
				words[k] = constWord(rel, x[0], (*[64]T)(y[k<<6:]))
			}
		default:
			for k := range full {
				words[k] = wordWord(rel, (*[64]T)(x[k<<6:]), (*[64]T)(y[k<<6:]))
			}
		}
		lastWord(rel, x, y, words, rows.N)
	}
}

// compareIntegers is compareNumbers with a shorter way for a constant.
func compareIntegers[T integer](rel relation) relate {
	general := compareNumbers[T](rel)
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := operand[T](a, rows.N), operand[T](b, rows.N)
		if rows.N < 64 || len(x) == len(y) {
			general(a, b, out, rows)
			return
		}
		words, flip := out.Words(), uint64(0)
		full := words[:rows.N>>6]
		switch {
		case rel == equal:
			if len(x) == 1 {
				x, y = y, x
			}
			for k := range full {
				full[k] = wordEquals((*[64]T)(x[k<<6:]), y[0])
			}
		case (len(y) == 1) == (rel == less): // x < constant, or the opposite of constant < y
			if len(x) == 1 {
				x, y, flip = y, x, ^flip
			}
			for k := range full {
				full[k] = flip ^ wordBelow((*[64]T)(x[k<<6:]), y[0], signBit)
			}
		default: // constant < y, or the opposite of x > constant
			if len(y) == 1 {
				x, y, flip = y, x, ^flip
			}
			for k := range full {
				full[k] = flip ^ wordAbove((*[64]T)(y[k<<6:]), x[0], signBit)
			}
		}
		x, y = operand[T](a, rows.N), operand[T](b, rows.N)
		lastWord(rel, x, y, words, rows.N)
	}
}

// lastWord compares the rows of the last word if there are fewer than 64.
func lastWord[T number](rel relation, x, y []T, words []uint64, n int) {
	if n&63 == 0 {
		return
	}
	var w uint64
	for i := n &^ 63; i < n; i++ {
		v, u := at(x, i), at(y, i)
		w |= bit(v < u && rel != equal || v == u && rel != less) << (i & 63)
	}
	words[n>>6] = w
}

// wordBelow returns the bits of x < y.
func wordBelow[T integer](x *[64]T, y T, sign uint64) (w uint64) {
	c := rank(y, sign)
	for i := 60; i >= 0; i -= 4 {
		w = shiftIn(w, rank(x[i+3], sign), c)
		w = shiftIn(w, rank(x[i+2], sign), c)
		w = shiftIn(w, rank(x[i+1], sign), c)
		w = shiftIn(w, rank(x[i], sign), c)
	}
	return w
}

// wordAbove returns the bits of x > y.
func wordAbove[T integer](x *[64]T, y T, sign uint64) (w uint64) {
	c := rank(y, sign)
	for i := 60; i >= 0; i -= 4 {
		w = shiftIn(w, c, rank(x[i+3], sign))
		w = shiftIn(w, c, rank(x[i+2], sign))
		w = shiftIn(w, c, rank(x[i+1], sign))
		w = shiftIn(w, c, rank(x[i], sign))
	}
	return w
}

// wordEquals returns the bits of x = y: where no bit differs, 1 is more.
func wordEquals[T integer](x *[64]T, y T) (w uint64) {
	c := key(y)
	for i := 60; i >= 0; i -= 4 {
		w = shiftIn(w, key(x[i+3])^c, 1)
		w = shiftIn(w, key(x[i+2])^c, 1)
		w = shiftIn(w, key(x[i+1])^c, 1)
		w = shiftIn(w, key(x[i])^c, 1)
	}
	return w
}

func wordConst[T number](rel relation, x *[64]T, y T) (w uint64) {
	switch rel {
	case equal:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x[i] == y, x[i+1] == y, x[i+2] == y, x[i+3] == y)
		}
	case less:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x[i] < y, x[i+1] < y, x[i+2] < y, x[i+3] < y)
		}
	default:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x[i] <= y, x[i+1] <= y, x[i+2] <= y, x[i+3] <= y)
		}
	}
	return w
}

func constWord[T number](rel relation, x T, y *[64]T) (w uint64) {
	switch rel {
	case equal:
		return wordConst(equal, y, x)
	case less:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x < y[i], x < y[i+1], x < y[i+2], x < y[i+3])
		}
	default:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x <= y[i], x <= y[i+1], x <= y[i+2], x <= y[i+3])
		}
	}
	return w
}

func wordWord[T number](rel relation, x, y *[64]T) (w uint64) {
	switch rel {
	case equal:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x[i] == y[i], x[i+1] == y[i+1], x[i+2] == y[i+2], x[i+3] == y[i+3])
		}
	case less:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x[i] < y[i], x[i+1] < y[i+1], x[i+2] < y[i+2], x[i+3] < y[i+3])
		}
	default:
		for i := 60; i >= 0; i -= 4 {
			w = w<<4 | nibble(x[i] <= y[i], x[i+1] <= y[i+1], x[i+2] <= y[i+2], x[i+3] <= y[i+3])
		}
	}
	return w
}
