package builtin

import (
	"math"
	"streamsql/expr"
	"streamsql/stream"
)

// operand returns the first n values of a fixed-width argument; a constant is a
// slice of one value, also where n is larger.
func operand[T stream.Fixed](v *stream.Vec, n int) []T {
	s := stream.Values[T](v)
	if v.Enc == stream.Const {
		return s[:1]
	}
	return s[:n]
}

// each calls f for every row that is asked for, until it fails.
func each(rows expr.Rows, f func(i int) error) error {
	if rows.Sel != nil {
		for _, i := range rows.Sel {
			if err := f(int(i)); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range rows.N {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// isValid reports whether the output row i is wanted as far as NULLs go.
func isValid(out *stream.Vec, i int) bool {
	return out.Valid == nil || out.Valid[i>>6]>>(i&63)&1 != 0
}

// eachText calls f for all rows in order with done closing each one: f appends the
// bytes of row i to out.Data; rows that are NULL or not asked for stay empty, as do those
// behind more bytes than a vector has, which is an error of the whole (package eval).
func eachText(out *stream.Vec, rows expr.Rows, f func(i int)) {
	if rows.Sel != nil {
		next := 0
		for _, i := range rows.Sel {
			skipText(out, next, int(i))
			if isValid(out, int(i)) && len(out.Data) <= math.MaxInt32 {
				f(int(i))
			}
			closeText(out)
			next = int(i) + 1
		}
		skipText(out, next, rows.N)
		return
	}
	off := out.Off[:rows.N+1] // Reset has made room
	for i := range rows.N {
		if isValid(out, i) && len(out.Data) <= math.MaxInt32 {
			f(i)
		}
		off[i+1] = int32(len(out.Data))
	}
	out.Off, out.N = off, rows.N
}

// skipText closes empty rows up to row to.
func skipText(out *stream.Vec, from, to int) int {
	for ; from < to; from++ {
		closeText(out)
	}
	return to
}

// closeText ends one row of a Bytes vector whose data has been appended.
func closeText(out *stream.Vec) {
	out.Off = append(out.Off, int32(len(out.Data)))
	out.N++
}

// setBools writes a BOOLEAN result for the rows that are asked for.
func setBools(out *stream.Vec, rows expr.Rows, f func(i int) bool) {
	words := out.Words()
	if rows.Sel != nil {
		for _, i := range rows.Sel {
			var bit uint64
			if f(int(i)) {
				bit = 1
			}
			words[i>>6] = words[i>>6]&^(1<<(i&63)) | bit<<(i&63)
		}
		return
	}
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, rows.N); i++ {
			if f(i) {
				w |= 1 << (i & 63)
			}
		}
		words[k] = w
	}
}

// at returns row i of an operand slice.
func at[T any](s []T, i int) T {
	if len(s) == 1 {
		return s[0]
	}
	return s[i]
}
