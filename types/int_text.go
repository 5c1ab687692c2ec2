package types

import (
	"math/bits"
	"slices"
)

// powersOf10 are those that fit in a uint64.
var powersOf10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// AppendInteger appends x in decimal. The number of digits is known beforehand, so
// they are written where they belong.
func AppendInteger(dst []byte, x int64) []byte {
	u := uint64(x)
	if x < 0 {
		dst = append(dst, '-')
		u = -u
	}
	if u < 10 {
		return append(dst, byte('0'+u))
	}
	digits := bits.Len64(u) * 1233 >> 12 // log10(2) times the bits: right, or one too low
	if u >= powersOf10[digits] {
		digits++
	}
	n := len(dst)
	if cap(dst)-n < digits {
		dst = slices.Grow(dst, digits)
	}
	dst = dst[:n+digits]
	end := len(dst)
	for u >= 100 {
		pair := u % 100 * 2
		u /= 100
		end -= 2
		dst[end], dst[end+1] = digitPairs[pair], digitPairs[pair+1]
	}
	if u < 10 {
		dst[n] = byte('0' + u)
	} else {
		dst[n], dst[n+1] = digitPairs[2*u], digitPairs[2*u+1]
	}
	return dst
}
