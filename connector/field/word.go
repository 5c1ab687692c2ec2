package field

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are handled as one little-endian word. A mask has the top bit of
// each byte that matches; only its lowest bit is sure to be right, where nothing
// else is said, since a match may borrow from the byte above.
const (
	Ones  = 0x0101010101010101
	Tops  = 0x8080808080808080
	Zeros = 0x3030303030303030 // "00000000"
)

// Word loads the eight bytes at i.
func Word(buf []byte, i int) uint64 { return binary.LittleEndian.Uint64(buf[i : i+8]) }

// Zero masks the bytes of x that are 0.
func Zero(x uint64) uint64 { return (x - Ones) &^ x & Tops }

// ZeroExact is Zero, right in every bit.
func ZeroExact(x uint64) uint64 { return ^((x&^Tops + ^uint64(Tops)) | x | ^uint64(Tops)) }

// Control masks the bytes of w below 0x0e: line ends and what is as rare.
func Control(w uint64) uint64 { return (w - 0x0e*Ones) &^ w & Tops }

// NonDigit masks the bytes of t, which is a word XOR Zeros, that are no digits.
func NonDigit(t uint64) uint64 { return (t + 0x76*Ones | t) & Tops }

// Digits8 is the number that eight digits make; t holds them as 0 to 9, the first
// one lowest.
func Digits8(t uint64) uint64 {
	t = t*10 + t>>8
	const two = 0x000000ff000000ff
	return (t&two*(100+1000000<<32) + (t>>16)&two*(1+10000<<32)) >> 32
}

// At is the byte position of the lowest bit of a mask.
func At(mask uint64) int { return bits.TrailingZeros64(mask) >> 3 }

var pow10 = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

var floatPow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number reads digits with at most one point among them, at least one digit and
// at most 18: the value without the point, and the number of digits behind it.
// next is behind the number, or -1.
func number(buf []byte, i int) (v uint64, frac, next int) {
	t := Word(buf, i) ^ Zeros
	m := NonDigit(t)
	if m != 0 {
		n := At(m)
		if buf[i+n] != '.' {
			if n == 0 {
				return 0, 0, -1
			}
			return Digits8(t << (64 - 8*n)), 0, i + n
		}
		if m &= m - 1; m != 0 {
			// Take the point out by moving what is below it up by one byte.
			e := At(m)
			low := uint64(1)<<(8*n) - 1
			y := t&low<<8 | t&^(low|0xff<<(8*n))
			if e > 1 {
				return Digits8(y << (64 - 8*e)), e - n - 1, i + e
			}
			return 0, 0, -1
		}
	}
	return longNumber(buf, i)
}

func longNumber(buf []byte, i int) (v uint64, frac, next int) {
	digits, point := 0, -1
	for {
		c := buf[i] - '0'
		if c <= 9 {
			v = v*10 + uint64(c)
			digits++
			if digits > 18 {
				return 0, 0, -1
			}
		} else if buf[i] == '.' && point < 0 {
			point = digits
		} else {
			break
		}
		i++
	}
	if digits == 0 {
		return 0, 0, -1
	}
	if point >= 0 {
		frac = digits - point
	}
	return v, frac, i
}
