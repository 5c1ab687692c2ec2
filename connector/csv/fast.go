package csv

import (
	"math/bits"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"streamsql/types"
)

// op is what the fast path does with a field.
type op uint8

const (
	opSkip op = iota // not wanted
	opTail           // the last n fields, none of them wanted
	opText
	opInt8
	opInt16
	opInt32
	opInt64
	opFloat32
	opFloat64
	opDecimal
	opTimestamp
	opDate
	opBool
	opOther // by the parser of the slow path
)

// step is one field, or several at the end, of a record.
type step struct {
	op  op
	n   int
	col *column
}

// pick chooses the operation for the column's type.
func (c *column) pick() op {
	switch c.typ.Kind {
	case types.Char, types.Varchar:
		return opText
	case types.TinyInt:
		return opInt8
	case types.SmallInt:
		return opInt16
	case types.Int:
		return opInt32
	case types.BigInt:
		return opInt64
	case types.Float:
		return opFloat32
	case types.Double:
		return opFloat64
	case types.Decimal:
		if c.typ.Layout() == types.Int64 {
			return opDecimal
		}
	case types.Timestamp:
		return opTimestamp
	case types.Date:
		return opDate
	case types.Boolean:
		return opBool
	}
	return opOther
}

// fast decodes records from pos on until one that it leaves to the slow path, or
// to the end of the batch or data; last is behind a line feed, so that every loop
// ends. It returns the start of the first record it has not decoded. buf includes
// the slack.
func (d *Decoder) fast(buf []byte, pos, last int) int {
	d.placed()
	rows := d.rows
	delim, quote := d.opts.Delimiter[0], d.opts.Quote
	pattern := uint64(delim) * ones
	plan := d.plan
records:
	for rows < d.size && pos < last {
		if d.opts.SkipEmptyLines && (buf[pos] == '\n' || buf[pos] == '\r') {
			break
		}
		i := pos
		for k := range plan {
			if k > 0 {
				if buf[i] != delim {
					break records
				}
				i++
			}
			c := plan[k].col
			switch plan[k].op {
			case opText:
				i = c.fastText(buf, i, rows, pattern, quote)
			case opInt64:
				var v int64
				v, i = fastInt(buf, i)
				c.i64[rows] = v
			case opFloat64:
				i = c.fastFloat64(buf, i, rows)
			case opTimestamp:
				i = c.fastTimestamp(buf, i, rows)
			case opSkip:
				i = fastSkip(buf, i, pattern, quote)
			case opTail:
				i = fastTail(buf, i, plan[k].n, pattern)
			default:
				i = d.fastRare(plan[k].op, c, buf, i, rows, pattern)
			}
			if i < 0 {
				break records
			}
		}
		switch {
		case buf[i] == '\n':
			i++
		case buf[i] == '\r' && buf[i+1] == '\n':
			i += 2
		default:
			break records
		}
		pos = i
		rows++
	}
	d.line += int64(rows - d.rows)
	d.rows = rows
	d.weigh()
	return pos
}

// weigh ends the batch where a column has much text.
func (d *Decoder) weigh() {
	for i := range d.cols {
		if c := &d.cols[i]; c.off != nil && c.off[d.rows] > maxText {
			d.full = true
		}
	}
}

// fastRare are the operations that need not be in the loop itself.
func (d *Decoder) fastRare(o op, c *column, buf []byte, i, row int, pattern uint64) int {
	switch o {
	case opInt8, opInt16, opInt32:
		v, next := fastInt(buf, i)
		switch {
		case o == opInt32 && int64(int32(v)) == v:
			c.i32[row] = int32(v)
		case o == opInt16 && int64(int16(v)) == v:
			c.i16[row] = int16(v)
		case o == opInt8 && int64(int8(v)) == v:
			c.i8[row] = int8(v)
		default:
			return -1
		}
		return next
	case opFloat32:
		return c.fastFloat32(buf, i, row)
	case opDecimal:
		return c.fastDecimal(buf, i, row)
	case opDate:
		return c.fastDate(buf, i, row)
	case opBool:
		return c.fastBool(buf, i, row)
	}
	end := fastSkip(buf, i, pattern, d.opts.Quote)
	if end < 0 || buf[i] == d.opts.Quote || c.literal != nil && string(buf[i:end]) == string(c.literal) {
		return -1
	}
	if d.scalars.parse(c, row, buf[i:end]) != types.OK {
		return -1
	}
	return end
}

// fastText copies a text while it looks for its end.
func (c *column) fastText(buf []byte, i, row int, pattern uint64, quote byte) int {
	quoted := buf[i] == quote && quote != 0
	if quoted {
		i++
		pattern = uint64(quote) * ones
	}
	to := int(c.off[row])
	n := 0
	var seen uint64
	for {
		if to+n+8 > len(c.data) {
			c.grow(to+n, 8)
		}
		w := word(buf, i+n)
		*(*uint64)(unsafe.Pointer(&c.data[to+n])) = w // eight bytes are there, see above
		seen |= w
		if m := zero(w^pattern) | control(w); m != 0 {
			n += at(m)
			break
		}
		n += 8
	}
	if seen&tops != 0 && !utf8.Valid(c.data[to:to+n]) {
		return -1
	}
	next := i + n
	if quoted {
		if buf[next] != quote {
			return -1
		}
		next++
	}
	if c.literal != nil && string(c.data[to:to+n]) == string(c.literal) {
		if c.typ.NotNull {
			return -1
		}
		c.putNull(row)
		return next
	}
	c.off[row+1] = int32(to + n)
	return next
}

// fastSkip finds the end of a field.
func fastSkip(buf []byte, i int, pattern uint64, quote byte) int {
	quoted := buf[i] == quote && quote != 0
	if quoted {
		i++
		pattern = uint64(quote) * ones
	}
	for {
		w := word(buf, i)
		if m := zero(w^pattern) | control(w); m != 0 {
			i += at(m)
			break
		}
		i += 8
	}
	if quoted {
		if buf[i] != quote {
			return -1
		}
		i++ // a second quote is no delimiter, so the caller gives up
	}
	return i
}

// fastTail finds the end of a record that has n more fields, without quotes.
func fastTail(buf []byte, i, n int, pattern uint64) int {
	const quotes = '"' * ones
	for {
		w := word(buf, i)
		delims := zeroExact(w ^ pattern)
		stop := zero(w^quotes) | control(w)
		if pattern < '\x0e'*ones {
			stop = zero(w^quotes) | zero(w^'\n'*ones) | zero(w^'\r'*ones)
		}
		if stop != 0 {
			n -= bits.OnesCount64(delims & (stop&-stop - 1))
			i += at(stop)
			break
		}
		n -= bits.OnesCount64(delims)
		i += 8
	}
	if n != 1 {
		return -1
	}
	return i
}

// fastInt reads an integer of up to 18 digits.
func fastInt(buf []byte, i int) (int64, int) {
	neg := buf[i] == '-'
	if neg {
		i++
	}
	t := word(buf, i) ^ zeros
	m := nonDigit(t)
	var v uint64
	if m != 0 {
		n := at(m)
		if n == 0 {
			return 0, -1
		}
		v = digits8(t << (64 - 8*n))
		i += n
	} else {
		v = digits8(t)
		i += 8
		for n := 8; ; n++ {
			c := buf[i] - '0'
			if c > 9 {
				break
			}
			if n == 18 {
				return 0, -1
			}
			v = v*10 + uint64(c)
			i++
		}
	}
	if neg {
		return -int64(v), i
	}
	return int64(v), i
}

func (c *column) fastFloat64(buf []byte, i, row int) int {
	start := i
	neg := buf[i] == '-'
	if neg {
		i++
	}
	v, frac, next := number(buf, i)
	if next < 0 || v >= 1<<53 || buf[next]|0x20 == 'e' {
		f, next := float(buf, start, 64)
		c.f64[row] = f
		return next
	}
	f := float64(v) / floatPow10[frac] // both exact, so the quotient is the nearest number
	if neg {
		f = -f
	}
	c.f64[row] = f
	return next
}

func (c *column) fastFloat32(buf []byte, i, row int) int {
	start := i
	neg := buf[i] == '-'
	if neg {
		i++
	}
	v, frac, next := number(buf, i)
	if next < 0 || v >= 1<<24 || frac > 10 || buf[next]|0x20 == 'e' {
		f, next := float(buf, start, 32)
		c.f32[row] = float32(f)
		return next
	}
	f := float32(v) / float32(floatPow10[frac])
	if neg {
		f = -f
	}
	c.f32[row] = f
	return next
}

// float reads a decimal number of any length with the standard library; next is
// behind it, or -1 for whatever is not surely read alike by Flink.
func float(buf []byte, i, size int) (f float64, next int) {
	end := i
	for c := buf[end]; c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c|0x20 == 'e'; c = buf[end] {
		end++
	}
	if end == i {
		return 0, -1
	}
	f, err := strconv.ParseFloat(unsafe.String(&buf[i], end-i), size)
	if err != nil {
		return 0, -1
	}
	return f, end
}

func (c *column) fastDecimal(buf []byte, i, row int) int {
	neg := buf[i] == '-'
	if neg {
		i++
	}
	v, frac, next := number(buf, i)
	scale, whole := int(c.typ.Scale), int(c.typ.Precision-c.typ.Scale)
	if next < 0 || frac > scale || v >= pow10[whole+frac] {
		return -1
	}
	x := int64(v * pow10[scale-frac])
	if neg {
		x = -x
	}
	c.i64[row] = x
	return next
}

func (c *column) fastBool(buf []byte, i, row int) int {
	const blanks = 0x2020202020202020
	const yes, no = uint64('t') | 'r'<<8 | 'u'<<16 | 'e'<<24, uint64('f') | 'a'<<8 | 'l'<<16 | 's'<<24 | 'e'<<32
	w := word(buf, i) | blanks
	switch {
	case w&0xffffffff == yes:
		c.vec.SetBool(row, true)
		return i + 4
	case w&0xffffffffff == no:
		c.vec.SetBool(row, false)
		return i + 5
	}
	return -1
}
