package field

// Int reads an integer of up to 18 digits at i, which may have a minus sign and
// leading zeros. next is behind it, or -1.
func Int(buf []byte, i int) (v int64, next int) {
	neg := buf[i] == '-'
	if neg {
		i++
	}
	t := Word(buf, i) ^ Zeros
	m := NonDigit(t)
	var u uint64
	if m != 0 {
		n := At(m)
		if n == 0 {
			return 0, -1
		}
		u = Digits8(t << (64 - 8*n))
		i += n
	} else {
		u = Digits8(t)
		i += 8
		for n := 8; ; n++ {
			c := buf[i] - '0'
			if c > 9 {
				break
			}
			if n == 18 {
				return 0, -1
			}
			u = u*10 + uint64(c)
			i++
		}
	}
	if neg {
		return -int64(u), i
	}
	return int64(u), i
}

// SmallInt reads a TINYINT, SMALLINT or INT; next is behind it, or -1.
func (c *Column) SmallInt(buf []byte, i, row int) (next int) {
	v, next := Int(buf, i)
	switch {
	case c.I32 != nil && int64(int32(v)) == v:
		c.I32[row] = int32(v)
	case c.I16 != nil && int64(int16(v)) == v:
		c.I16[row] = int16(v)
	case c.I8 != nil && int64(int8(v)) == v:
		c.I8[row] = int8(v)
	default:
		return -1
	}
	return next
}

// Float64 reads a DOUBLE without an exponent whose digits make an exact integer;
// next is behind it, or -1.
func (c *Column) Float64(buf []byte, i, row int) (next int) {
	neg := buf[i] == '-'
	if neg {
		i++
	}
	v, frac, next := number(buf, i)
	if next < 0 || v >= 1<<53 || buf[next]|0x20 == 'e' {
		return -1
	}
	f := float64(v) / floatPow10[frac] // both exact, so the quotient is the nearest number
	if neg {
		f = -f
	}
	c.F64[row] = f
	return next
}

// Float32 is Float64 for a FLOAT.
func (c *Column) Float32(buf []byte, i, row int) (next int) {
	neg := buf[i] == '-'
	if neg {
		i++
	}
	v, frac, next := number(buf, i)
	if next < 0 || v >= 1<<24 || frac > 10 || buf[next]|0x20 == 'e' {
		return -1
	}
	f := float32(v) / float32(floatPow10[frac])
	if neg {
		f = -f
	}
	c.F32[row] = f
	return next
}

// Decimal reads a DECIMAL of up to 18 digits that has no more digits behind the
// point than its scale; next is behind it, or -1.
func (c *Column) Decimal(buf []byte, i, row int) (next int) {
	neg := buf[i] == '-'
	if neg {
		i++
	}
	v, frac, next := number(buf, i)
	scale, whole := int(c.Type.Scale), int(c.Type.Precision-c.Type.Scale)
	if next < 0 || frac > scale || v >= pow10[whole+frac] {
		return -1
	}
	x := int64(v * pow10[scale-frac])
	if neg {
		x = -x
	}
	c.I64[row] = x
	return next
}
