package field

// clock keeps what the last time of a column was made from: neighbours mostly
// share the minute or the month.
type clock struct {
	known bool
	a, b  uint64 // the text
	base  int64  // what it stands for
	month int64  // the day before the first one of its month
	days  int64  // of the month
}

// Timestamp reads yyyy-MM-dd HH:mm:ss[.f] with up to nine digits at i, and returns
// the place behind it, or -1.
func (c *Column) Timestamp(buf []byte, i, row int) int {
	a, b := Word(buf, i), Word(buf, i+8)
	if k := &c.cache; !k.known || a != k.a || b != k.b {
		if !c.minute(buf[i : i+16]) {
			return -1
		}
		k.known, k.a, k.b = true, a, b
	}
	if v, ok := millis(Word(buf, i+16)); ok && c.Type.Precision == 3 {
		c.I64[row] = c.cache.base + v
		return i + 23
	}
	s1, s2 := buf[i+17]-'0', buf[i+18]-'0'
	if buf[i+16] != ':' || s1 > 5 || s2 > 9 {
		return -1
	}
	unit := c.Type.TimeUnit()
	v := c.cache.base + int64(s1*10+s2)*unit
	i += 19
	if buf[i] != '.' {
		c.I64[row] = v
		return i
	}
	i++
	first := i
	var f uint64
	for {
		x := buf[i] - '0'
		if x > 9 {
			break
		}
		f = f*10 + uint64(x)
		if i++; i-first > 9 {
			return -1
		}
	}
	n := i - first
	if p := int(c.Type.Precision); n > p {
		f /= pow10[n-p]
		n = p
	}
	c.I64[row] = v + int64(f*uint64(unit)/pow10[n])
	return i
}

// millis reads :ss.fff and the byte behind, which must be no digit.
func millis(w uint64) (int64, bool) {
	const zero = uint64(':') | '0'<<8 | '0'<<16 | '.'<<24 | '0'<<32 | '0'<<40 | '0'<<48
	t := w ^ zero
	// No top bit: the two marks are equal and the others digits. A carry only comes from
	// a byte that has its own top bit set.
	const over = uint64(0x7f) | 0x76<<8 | 0x76<<16 | 0x7f<<24 | 0x76<<32 | 0x76<<40 | 0x76<<48
	t &= 1<<56 - 1
	if (t+over|t)&(Tops>>8) != 0 || t>>8&0xff > 5 || byte(w>>56)-'0' <= 9 {
		return 0, false
	}
	return int64(t>>8&15)*10_000 + int64(t>>16&15)*1000 + int64(t>>32&15)*100 + int64(t>>40&15)*10 + int64(t>>48&15), true
}

// minute reads yyyy-MM-dd HH:mm into the cache.
func (c *Column) minute(s []byte) bool {
	days, ok := day(s)
	h, ok1 := two(s[11:])
	m, ok2 := two(s[14:])
	if !ok || !ok1 || !ok2 || s[10] != c.Separators[0] && s[10] != c.Separators[1] || s[13] != ':' || h > 23 || m > 59 {
		return false
	}
	unit := c.Type.TimeUnit()
	if unit == 1e9 && (days < -106_000 || days > 106_000) {
		return false // does not surely fit
	}
	y, _ := year(s)
	month, _ := two(s[5:])
	day, _ := two(s[8:])
	c.cache.days = monthDays(y, month)
	c.cache.month = (days - day) * 86400 * unit
	c.cache.base = (days*86400 + h*3600 + m*60) * unit
	return true
}

// Date reads yyyy-MM-dd.
func (c *Column) Date(buf []byte, i, row int) int {
	a := Word(buf, i)
	if k := &c.cache; !k.known || a != k.a {
		y, ok := year(buf[i : i+8])
		m, ok1 := two(buf[i+5:])
		if !ok || !ok1 || buf[i+4] != '-' || buf[i+7] != '-' || m < 1 || m > 12 {
			return -1
		}
		k.known, k.a = true, a
		k.base, k.days = civil(y, m, 1)-1, monthDays(y, m)
	}
	d, ok := two(buf[i+8:])
	if !ok || d < 1 || d > c.cache.days {
		return -1
	}
	c.I32[row] = int32(c.cache.base + d)
	return i + 10
}

// day reads yyyy-MM-dd as days since 1970.
func day(s []byte) (int64, bool) {
	y, ok := year(s)
	m, ok1 := two(s[5:])
	d, ok2 := two(s[8:])
	if !ok || !ok1 || !ok2 || s[4] != '-' || s[7] != '-' || m < 1 || m > 12 || d < 1 || d > monthDays(y, m) {
		return 0, false
	}
	return civil(y, m, d), true
}

func year(s []byte) (int64, bool) {
	hi, ok := two(s)
	lo, ok1 := two(s[2:])
	return hi*100 + lo, ok && ok1 && hi+lo > 0 // the year 0 is for the slow path
}

// two reads two digits.
func two(s []byte) (int64, bool) {
	a, b := s[0]-'0', s[1]-'0'
	return int64(a)*10 + int64(b), a <= 9 && b <= 9
}

func monthDays(y, m int64) int64 {
	switch m {
	case 2:
		if y%4 == 0 && (y%100 != 0 || y%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// civil is the day since 1970 of a date of the proleptic Gregorian calendar,
// counted in years that start in March so that the leap day is the last one.
func civil(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + d - 719469
}
