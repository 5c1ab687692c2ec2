package field

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Quick reads the value of a column at place i of p into a row and returns the place
// behind it. It knows the form that most values have; -1: the value has another one. It
// does not look at what stands behind the value: where that is nothing that ends a value,
// the value has another form as well.
//
// Quick calls nothing, so it costs no frame, and branches on little but the form. It goes
// past no line feed, and reads no more than 32 bytes from one on.
type Quick func(c *Column, p unsafe.Pointer, i, row int) int

// load is Word without a check that the bytes are there.
func load(p unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

// store is the opposite of load.
func store(p unsafe.Pointer, i int, w uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, i))[:], w)
}

// NotQuick is for columns whose values have no common form.
func (c *Column) NotQuick(unsafe.Pointer, int, int) int { return -1 }

// QuickInt64 reads a BIGINT of up to seven digits.
func (c *Column) QuickInt64(p unsafe.Pointer, i, row int) int {
	w := load(p, i)
	sign := minus(w)
	v, n := digits7(w, sign)
	if n-8 > 48 {
		return -1
	}
	c.I64[row] = v
	return i + int((n+sign)>>3)
}

// QuickInt32 reads an INT of up to seven digits.
func (c *Column) QuickInt32(p unsafe.Pointer, i, row int) int {
	w := load(p, i)
	sign := minus(w)
	v, n := digits7(w, sign)
	if n-8 > 48 {
		return -1
	}
	c.I32[row] = int32(v)
	return i + int((n+sign)>>3)
}

// minus returns how many bits of a word a minus sign at its start takes.
func minus(w uint64) (sign uint64) {
	if byte(w) == '-' {
		sign = 8
	}
	return sign
}

// digits7 reads an integer of up to seven digits behind the sign that minus has found. n is
// how many bits of the word they take; 0 or 64: it is something else.
func digits7(w, sign uint64) (v int64, n uint64) {
	t := w>>(sign&63) ^ Zeros
	n = uint64(bits.TrailingZeros64(NonDigit(t))) &^ 7
	all := -int64(sign >> 3)
	return (int64(Digits8(t<<(-n&63))) ^ all) - all, n
}

// QuickFloat64 reads a DOUBLE of up to seven digits and a point, without a sign.
func (c *Column) QuickFloat64(p unsafe.Pointer, i, row int) int {
	w := load(p, i)
	t := w ^ Zeros
	m := NonDigit(t)
	point := uint64(bits.TrailingZeros64(m)) &^ 7
	m &= m - 1
	if m == 0 {
		return -1
	}
	end := uint64(bits.TrailingZeros64(m)) &^ 7
	if byte(w>>(point&63)) != '.' || end == 8 {
		return -1
	}
	// Take the point out by moving what is below it up by one byte.
	low := uint64(1)<<(point&63) - 1
	t = (t&low<<8 | t&^(low<<8|0xff)) << (-end & 63)
	c.F64[row] = float64(int64(Digits8(t))) / floatPow10[(end-point)>>3-1]
	return i + int(end>>3)
}

// QuickTime reads a TIMESTAMP(3) of seconds or milliseconds in the month of the one
// before.
func (c *Column) QuickTime(p unsafe.Pointer, i, row int) int {
	k := &c.cache
	if load(p, i) != k.a || !k.known {
		return -1
	}
	if b := load(p, i+8); b != k.b {
		base, ok := k.minute(b ^ uint64(c.Separators[0])<<16)
		if !ok {
			return -1
		}
		k.b, k.base = b, base
	}
	const zero = uint64(':') | '0'<<8 | '0'<<16 | '.'<<24 | '0'<<32 | '0'<<40 | '0'<<48
	// No top bit: the two marks are equal, no other byte is above what it can be. A carry
	// only comes from a byte that has its own top bit set.
	const over = 0x7f | 0x7a<<8 | 0x76<<16 | 0x7f<<24 | 0x76<<32 | 0x76<<40 | 0x76<<48
	t := load(p, i+16) ^ zero
	bad := (t + over | t) & Tops
	switch {
	case bad<<8 == 0:
		c.I64[row] = k.base + int64(Digits8(t<<16&0xffff000000|t<<8&^(1<<40-1)))
		return i + 23
	case bad<<40 == 0:
		c.I64[row] = k.base + int64(t>>8&15*10+t>>16&15)*1000
		return i + 19
	}
	return -1
}

// minute is what dd HH:mm stands for in the cached month, in milliseconds; the separator
// in t is 0.
func (k *clock) minute(t uint64) (base int64, ok bool) {
	const zero = uint64('0') | '0'<<8 | '0'<<24 | '0'<<32 | ':'<<40 | '0'<<48 | '0'<<56
	const over = 0x7c | 0x76<<8 | 0x7f<<16 | 0x7d<<24 | 0x76<<32 | 0x7f<<40 | 0x7a<<48 | 0x76<<56
	t ^= zero
	v := t*10 + t>>8
	day, hour := v&0xff, v>>24&0xff
	return k.month + int64(day*1440+hour*60+v>>48&0xff)*60_000,
		(t+over|t)&Tops == 0 && day-1 < uint64(k.days) && hour < 24
}

// QuickText copies a text of ASCII characters.
func (c *Column) QuickText(p unsafe.Pointer, i, row int) int {
	pattern := c.End
	w := load(p, i)
	quoted := byte(w) == c.Quote
	if quoted {
		i++
		w, pattern = load(p, i), uint64(c.Quote)*Ones
	}
	start, to, data := i, int(c.Off[row]), c.Data
	from := to - i
	for {
		if from+i+8 > len(data) {
			return -1
		}
		store(unsafe.Pointer(&data[from+i]), 0, w)
		if m := stops(w, pattern); m != 0 {
			i += At(m)
			break
		}
		i += 8
		w = load(p, i)
	}
	if i-start == c.NullSize {
		return -1
	}
	c.Off[row+1] = int32(from + i)
	if quoted {
		return c.closed(p, i)
	}
	return i
}

// QuickSpan finds the end of a text of ASCII characters whose id is looked for later.
func (c *Column) QuickSpan(p unsafe.Pointer, i, row int) int {
	pattern := c.End
	w := load(p, i)
	quoted := byte(w) == c.Quote
	if quoted {
		i++
		w, pattern = load(p, i), uint64(c.Quote)*Ones
	}
	start := i
	for {
		if m := stops(w, pattern); m != 0 {
			i += At(m)
			break
		}
		i += 8
		w = load(p, i)
	}
	if i-start == c.NullSize {
		return -1
	}
	c.Spans[row] = NewSpan(start, i-start)
	if quoted {
		return c.closed(p, i)
	}
	return i
}

// QuickSkip finds the end of a value of ASCII characters that nobody wants.
func (c *Column) QuickSkip(p unsafe.Pointer, i, _ int) int {
	pattern := c.End
	w := load(p, i)
	quoted := byte(w) == c.Quote
	if quoted {
		i++
		w, pattern = load(p, i), uint64(c.Quote)*Ones
	}
	for {
		if m := stops(w, pattern); m != 0 {
			i += At(m)
			break
		}
		i += 8
		w = load(p, i)
	}
	if quoted {
		return c.closed(p, i)
	}
	return i
}

// stops masks the first byte of a word that is no part of a text of plain ASCII.
func stops(w, pattern uint64) uint64 {
	return (Zero(w^pattern) | (w - 0x0e*Ones) | w) & Tops
}

// closed returns the place behind the quote at i; -1: there is none.
func (c *Column) closed(p unsafe.Pointer, i int) int {
	if *(*byte)(unsafe.Add(p, i)) != c.Quote {
		return -1
	}
	return i + 1
}

// QuickSkips finds the end of c.Skip values that nobody wants, with neither quotes nor
// control characters, by counting delimiters.
func (c *Column) QuickSkips(p unsafe.Pointer, i, _ int) int {
	n, pattern := c.Skip, c.End
	for {
		w0, w1, w2, w3 := load(p, i), load(p, i+8), load(p, i+16), load(p, i+24)
		rare := ((w0 ^ 0x02*Ones) - 0x21*Ones) | w0 | ((w1 ^ 0x02*Ones) - 0x21*Ones) | w1 |
			((w2 ^ 0x02*Ones) - 0x21*Ones) | w2 | ((w3 ^ 0x02*Ones) - 0x21*Ones) | w3
		if rare&Tops != 0 {
			return skipsByWord(p, i, n, pattern)
		}
		// In ASCII, 0x80 less what differs from the delimiter has the top bit where nothing does.
		m0, m1 := (Tops-(w0^pattern))>>7&Ones, (Tops-(w1^pattern))>>7&Ones
		m2, m3 := (Tops-(w2^pattern))>>7&Ones, (Tops-(w3^pattern))>>7&Ones
		count := (m0 + m1 + m2 + m3) * Ones >> 56
		if count >= n {
			return i + nth(m0, m1, m2, m3, n)
		}
		n -= count
		i += 32
	}
}

// nth returns the place of the nth byte that is 1, not 0, in four words, without branches,
// which nobody could predict.
func nth(m0, m1, m2, m3, n uint64) int {
	c0, c1, c2 := m0*Ones>>56, m1*Ones>>56, m2*Ones>>56
	b0, b1, b2 := (c0-n)>>63, (c0+c1-n)>>63, (c0+c1+c2-n)>>63 // 1: it is behind the word
	n -= c0&-b0 + c1&-b1 + c2&-b2
	m := m0 ^ (m0^m1)&-b0 ^ (m1^m2)&-b1 ^ (m2^m3)&-b2
	// How many there are up to each byte, compared with n.
	return int(b0+b1+b2)<<3 + At(((m*Ones|Tops)-n*Ones)&Tops)
}

// skipsByWord is QuickSkips where a byte is not ASCII, or may be a reason to stop.
func skipsByWord(p unsafe.Pointer, i int, n, pattern uint64) int {
	for {
		w := load(p, i)
		rare := rares(w) & Tops
		delims := ZeroExact(w^pattern) & (rare&-rare - 1)
		count := delims >> 7 * Ones >> 56
		if count >= n {
			return i + nth(delims>>7, 0, 0, 0, n)
		}
		if rare != 0 {
			return -1
		}
		n -= count
		i += 8
	}
}

// rares has the top bit of the first byte that is a quotation mark or a control character.
// With the second lowest bit turned, the one is next to the others.
func rares(w uint64) uint64 { return ((w ^ 0x02*Ones) - 0x21*Ones) &^ w }
