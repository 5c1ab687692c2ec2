package json

import (
	"encoding/binary"
	"unsafe"

	"streamsql/connector/field"
)

// The loop over values reads the input without a check of its bounds; see run.

// word loads the eight bytes at i.
func word(p unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

// byteAt loads the byte at i.
func byteAt(p unsafe.Pointer, i int) byte { return *(*byte)(unsafe.Add(p, i)) }

// digits8 loads the eight bytes at i, digits as 0 to 9, and counts the digits in front
// of what is none.
func digits8(p unsafe.Pointer, i int) (t uint64, n int) {
	t = word(p, i) ^ field.Zeros
	return t, field.At(field.NonDigit(t))
}

// secondNonDigit returns the place of the second byte of t that is no digit; 8: there
// is none.
func secondNonDigit(t uint64) int {
	m := field.NonDigit(t)
	return field.At(m & (m - 1))
}

// isShort reports whether n digits are what JSON's integers start with, and less than
// eight.
func isShort(t uint64, n int) bool { return uint(n-1) < 7 && (byte(t) != 0 || n == 1) }

// isOver reports whether the byte at i ends a number, whose digits end there: it is a
// comma or a closing brace, or one of four others that are no part of a number either.
func isOver(p unsafe.Pointer, i int) bool { return byteAt(p, i)|(','^'}') == ','|'}' }

// withoutPoint takes the byte at n out of t, by moving what is below it up.
func withoutPoint(t uint64, n int) uint64 {
	low := uint64(1)<<(8*n&63) - 1
	return t&low<<8 | t&^(low|0xff<<(8*n&63))
}

var tens = [8]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// special masks the bytes of w that are a quotation mark, a backslash or a control
// character. With the second lowest bit turned the quotation mark is next to the
// control characters.
func special(w uint64) uint64 {
	return (((w ^ 0x02*field.Ones) - 0x21*field.Ones) | ((w ^ backslashes) - field.Ones)) &^ w & field.Tops
}

// minute is the start of a timestamp that was read before: an opening quotation mark
// and all up to the minute, which is 17 bytes, and what it stands for.
type minute struct {
	a, b, c uint64 // the bytes from 0, 8 and 9 on
	base    int64
}

// noMinute is that of no text: the words contradict each other.
var noMinute = minute{b: 0, c: 1}

// millis reads :ss.fff and the closing quotation mark as milliseconds.
func millis(w uint64) (int64, bool) {
	const zero = uint64(':') | '0'<<8 | '0'<<16 | '.'<<24 | '0'<<32 | '0'<<40 | '0'<<48 | '"'<<56
	// No top bit: the three marks are equal, the others digits, the first one up to 5. A
	// carry only comes from a byte that has its own top bit set.
	const over = uint64(0x7f) | 0x7a<<8 | 0x76<<16 | 0x7f<<24 | 0x76<<32 | 0x76<<40 | 0x76<<48 | 0x7f<<56
	t := w ^ zero
	x := t>>8*10 + t>>16 // ss, 0f and ff in every second byte
	v := (x&(0xff|0xff<<32)*(1000<<32|1))>>32 + x>>16&0xff*100
	return int64(v), (t+over|t)&field.Tops == 0
}
