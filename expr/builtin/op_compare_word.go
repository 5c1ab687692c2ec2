package builtin

import (
	"math/bits"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
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
		if areFew(rows) {
			fewWords(rel, x, y, words, rows.Sel)
			return
		}
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

// compareFloats is compareNumbers, but for equality, which takes three instructions
// more because of NaN and is rare: the processor foretells it.
func compareFloats[T float32 | float64](rel relation) relate {
	if rel != equal {
		return compareNumbers[T](rel)
	}
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := operand[T](a, rows.N), operand[T](b, rows.N)
		if len(x) < len(y) {
			x, y = y, x
		}
		words := out.Words()
		for k := range words {
			end := min(k<<6+64, len(x))
			if len(y) == 1 {
				words[k] = rarelyConst(x[k<<6:end], y[0])
			} else {
				words[k] = rarelyEqual(x[k<<6:end], y[k<<6:end])
			}
		}
	}
}

func rarelyConst[T float32 | float64](x []T, y T) (w uint64) {
	for i, v := range x {
		if v == y {
			w |= 1 << (i & 63)
		}
	}
	return w
}

func rarelyEqual[T float32 | float64](x, y []T) (w uint64) {
	y = y[:len(x)]
	for i, v := range x {
		if v == y[i] {
			w |= 1 << (i & 63)
		}
	}
	return w
}

// compareSmallDecimals makes the loop for DECIMALs of 64 bits whose scales differ, if
// they have room at the larger one; else it gives nil.
func compareSmallDecimals(rel relation, a, b types.Type) relate {
	scale := max(a.Scale, b.Scale)
	if a.Layout() != types.Int64 || b.Layout() != types.Int64 || max(a.Precision+scale-a.Scale, b.Precision+scale-b.Scale) > 18 {
		return nil
	}
	unitA, unitB := types.Pow10(scale-a.Scale), types.Pow10(scale-b.Scale)
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := operand[int64](a, rows.N), operand[int64](b, rows.N)
		words := out.Words()
		var u, v [64]int64
		for k := range rows.N >> 6 {
			switch {
			case len(y) == 1:
				words[k] = columnWord(rel, false, scaledWord(&u, x, k, unitA), y[0]*unitB)
			case len(x) == 1:
				words[k] = columnWord(rel, true, scaledWord(&v, y, k, unitB), x[0]*unitA)
			default:
				words[k] = wordWord(rel, scaledWord(&u, x, k, unitA), scaledWord(&v, y, k, unitB))
			}
		}
		var w uint64
		for i := rows.N &^ 63; i < rows.N; i++ {
			c, d := at(x, i)*unitA, at(y, i)*unitB
			w |= bit(c < d && rel != equal || c == d && rel != less) << (i & 63)
		}
		if rows.N&63 != 0 {
			words[rows.N>>6] = w
		}
	}
}

// scaledWord returns the values of word k times unit: in own, unless they are the same.
func scaledWord(own *[64]int64, x []int64, k int, unit int64) *[64]int64 {
	in := (*[64]int64)(x[k<<6:])
	if unit == 1 {
		return in
	}
	for i, v := range in {
		own[i] = v * unit
	}
	return own
}

// compareIntegers is compareNumbers with a shorter way for a constant.
func compareIntegers[T integer](rel relation) relate {
	general := compareNumbers[T](rel)
	return func(a, b, out *stream.Vec, rows expr.Rows) {
		x, y := operand[T](a, rows.N), operand[T](b, rows.N)
		if rows.N < 64 || areFew(rows) || len(x) == len(y) && rel != equal {
			general(a, b, out, rows)
			return
		}
		words := out.Words()
		if len(x) == len(y) {
			for k := range rows.N >> 6 {
				words[k] = wordsEqual((*[64]T)(x[k<<6:]), (*[64]T)(y[k<<6:]))
			}
			lastWord(rel, x, y, words, rows.N)
			return
		}
		if len(y) == 1 {
			for k := range rows.N >> 6 {
				words[k] = columnWord(rel, false, (*[64]T)(x[k<<6:]), y[0])
			}
		} else {
			for k := range rows.N >> 6 {
				words[k] = columnWord(rel, true, (*[64]T)(y[k<<6:]), x[0])
			}
		}
		lastWord(rel, x, y, words, rows.N)
	}
}

// columnWord compares values with a constant, which is the left operand if first is set.
func columnWord[T integer](rel relation, first bool, x *[64]T, c T) uint64 {
	switch {
	case rel == equal:
		return wordEquals(x, c)
	case !first && rel == less:
		return wordBelow(x, c, signBit)
	case !first:
		return ^wordAbove(x, c, signBit)
	case rel == less:
		return wordAbove(x, c, signBit)
	}
	return ^wordBelow(x, c, signBit)
}

// areFew reports whether so few rows are asked for that the others are left out.
func areFew(rows expr.Rows) bool { return rows.Sel != nil && len(rows.Sel) < rows.N>>4 }

// fewWords compares the rows of sel and leaves the bits of the others as they are.
func fewWords[T number](rel relation, x, y []T, words []uint64, sel []int32) {
	for _, i := range sel {
		v, u := at(x, int(i)), at(y, int(i))
		b := bit(v < u && rel != equal || v == u && rel != less)
		words[i>>6] = words[i>>6]&^(1<<(i&63)) | b<<(i&63)
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

// wordsEqual is wordEquals for two columns.
func wordsEqual[T integer](x, y *[64]T) (w uint64) {
	for i := 60; i >= 0; i -= 4 {
		w = shiftIn(w, key(x[i+3])^key(y[i+3]), 1)
		w = shiftIn(w, key(x[i+2])^key(y[i+2]), 1)
		w = shiftIn(w, key(x[i+1])^key(y[i+1]), 1)
		w = shiftIn(w, key(x[i])^key(y[i]), 1)
	}
	return w
}

func wordConst[T number](rel relation, x *[64]T, y T) (w uint64) {
	switch rel {
	case equal:
		for i := 56; i >= 0; i -= 8 {
			w = w<<8 | nibble(x[i+4] == y, x[i+5] == y, x[i+6] == y, x[i+7] == y)<<4 | nibble(x[i] == y, x[i+1] == y, x[i+2] == y, x[i+3] == y)
		}
	case less:
		for i := 56; i >= 0; i -= 8 {
			w = w<<8 | nibble(x[i+4] < y, x[i+5] < y, x[i+6] < y, x[i+7] < y)<<4 | nibble(x[i] < y, x[i+1] < y, x[i+2] < y, x[i+3] < y)
		}
	default:
		for i := 56; i >= 0; i -= 8 {
			w = w<<8 | nibble(x[i+4] <= y, x[i+5] <= y, x[i+6] <= y, x[i+7] <= y)<<4 | nibble(x[i] <= y, x[i+1] <= y, x[i+2] <= y, x[i+3] <= y)
		}
	}
	return w
}

func constWord[T number](rel relation, x T, y *[64]T) (w uint64) {
	switch rel {
	case equal:
		return wordConst(equal, y, x)
	case less:
		for i := 56; i >= 0; i -= 8 {
			w = w<<8 | nibble(x < y[i+4], x < y[i+5], x < y[i+6], x < y[i+7])<<4 | nibble(x < y[i], x < y[i+1], x < y[i+2], x < y[i+3])
		}
	default:
		for i := 56; i >= 0; i -= 8 {
			w = w<<8 | nibble(x <= y[i+4], x <= y[i+5], x <= y[i+6], x <= y[i+7])<<4 | nibble(x <= y[i], x <= y[i+1], x <= y[i+2], x <= y[i+3])
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
