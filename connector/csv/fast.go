package csv

import (
	"math/bits"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"streamsql/connector/field"
	"streamsql/connector/text"
	"streamsql/types"
)

// op is what the fast path does with a field.
type op uint8

const (
	opSkip op = iota // n fields that are not wanted
	opTail           // the last n fields, none of them wanted
	opText
	opSmallInt // and the others up to INT
	opInt64
	opFloat32
	opFloat64
	opDecimal
	opTimestamp
	opDate
	opBool
	opOther // by the parser of the slow path
)

// step is one field, or several that are not wanted, of a record.
type step struct {
	op  op
	n   int
	col *column
}

// pick chooses the operation for the column's type.
func (c *column) pick() op {
	switch c.Type.Kind {
	case types.Char, types.Varchar:
		return opText
	case types.TinyInt, types.SmallInt, types.Int:
		return opSmallInt
	case types.BigInt:
		return opInt64
	case types.Float:
		return opFloat32
	case types.Double:
		return opFloat64
	case types.Decimal:
		if c.Type.Layout() == types.Int64 {
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
	pattern := uint64(delim) * field.Ones
	plan := d.plan
	for k := range d.cols {
		if c := &d.cols[k]; c.IDs != nil && len(c.spans) < d.size {
			c.spans = make([]field.Span, d.size)
		}
	}
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
				if c.IDs != nil {
					i = c.fastID(buf, i, rows, pattern, quote)
				} else {
					i = c.fastText(buf, i, rows, pattern, quote)
				}
			case opInt64:
				var v int64
				v, i = field.Int(buf, i)
				c.I64[rows] = v
			case opFloat64:
				at := i
				if i = c.Float64(buf, at, rows); i < 0 {
					c.F64[rows], i = float(buf, at, 64)
				}
			case opTimestamp:
				i = c.Timestamp(buf, i, rows)
			case opSkip:
				if plan[k].n == 1 {
					i = fastSkip(buf, i, pattern, quote)
				} else {
					i = fastSkips(buf, i, plan[k].n, pattern, quote)
				}
			case opTail:
				i = fastTail(buf, i, plan[k].n, pattern)
			default:
				i = d.fastRare(plan[k].op, c, buf, i, rows, pattern)
			}
			if i < 0 {
				break records
			}
		}
		if i-pos > text.MaxRecord {
			break
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
	for k := range d.cols {
		if c := &d.cols[k]; c.IDs != nil {
			c.Dict.Resolve(buf, c.spans[d.rows:rows], c.IDs[d.rows:rows])
		}
	}
	d.line += int64(rows - d.rows)
	d.rows = rows
	d.weigh()
	return pos
}

// weigh ends the batch where a column has much text.
func (d *Decoder) weigh() {
	for i := range d.cols {
		d.full = d.full || d.cols[i].IsFull(d.rows)
	}
}

// fastRare are the operations that need not be in the loop itself.
func (d *Decoder) fastRare(o op, c *column, buf []byte, i, row int, pattern uint64) int {
	switch o {
	case opSmallInt:
		return c.SmallInt(buf, i, row)
	case opFloat32:
		return c.fastFloat32(buf, i, row)
	case opDecimal:
		return c.Decimal(buf, i, row)
	case opDate:
		return c.Date(buf, i, row)
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
		pattern = uint64(quote) * field.Ones
	}
	to := int(c.Off[row])
	n := 0
	var seen uint64
	for {
		if to+n+8 > len(c.Data) {
			c.Grow(to+n, 8)
		}
		w := field.Word(buf, i+n)
		*(*uint64)(unsafe.Pointer(&c.Data[to+n])) = w // eight bytes are there, see above
		seen |= w
		if m := field.Zero(w^pattern) | field.Control(w); m != 0 {
			n += field.At(m)
			break
		}
		n += 8
	}
	if seen&field.Tops != 0 && !utf8.Valid(c.Data[to:to+n]) {
		return -1
	}
	next := i + n
	if quoted {
		if buf[next] != quote {
			return -1
		}
		next++
	}
	if c.literal != nil && string(c.Data[to:to+n]) == string(c.literal) {
		if c.Type.NotNull {
			return -1
		}
		c.PutNull(row)
		return next
	}
	c.Off[row+1] = int32(to + n)
	return next
}

// fastID finds the end of a text, and its id if that cannot wait.
func (c *column) fastID(buf []byte, i, row int, pattern uint64, quote byte) int {
	quoted := buf[i] == quote && quote != 0
	if quoted {
		i++
		pattern = uint64(quote) * field.Ones
	}
	n, ascii := field.Text(buf, i, pattern)
	next := i + n
	if quoted {
		if buf[next] != quote {
			return -1
		}
		next++
	}
	c.spans[row] = field.NoSpan
	switch {
	case c.literal != nil && string(buf[i:i+n]) == string(c.literal):
		if c.Type.NotNull {
			return -1
		}
		c.PutNull(row)
	case ascii:
		c.spans[row] = field.NewSpan(i, n)
	default:
		id := c.Dict.Find(buf, i, n)
		if id < 0 {
			return -1
		}
		c.IDs[row] = id
	}
	return next
}

// fastSkip finds the end of a field.
func fastSkip(buf []byte, i int, pattern uint64, quote byte) int {
	quoted := buf[i] == quote && quote != 0
	if quoted {
		i++
		pattern = uint64(quote) * field.Ones
	}
	for {
		w := field.Word(buf, i)
		if m := field.Zero(w^pattern) | field.Control(w); m != 0 {
			i += field.At(m)
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

// fastSkips finds the end of the nth field from i on, several fields a word.
func fastSkips(buf []byte, i, n int, pattern uint64, quote byte) int {
	const quotes = '"' * field.Ones
	start := i // of the field at hand
	for {
		w := field.Word(buf, i)
		delims := field.ZeroExact(w ^ pattern)
		stop := field.Control(w)
		if pattern < '\x0e'*field.Ones {
			stop = field.Zero(w^'\n'*field.Ones) | field.Zero(w^'\r'*field.Ones)
		}
		if quote != 0 {
			stop |= field.Zero(w ^ quotes)
		}
		if stop != 0 {
			delims &= stop&-stop - 1
		}
		if c := bits.OnesCount64(delims); c >= n {
			for ; n > 1; n-- {
				delims &= delims - 1
			}
			return i + field.At(delims)
		} else if c > 0 {
			n -= c
			start = i + (63-bits.LeadingZeros64(delims))>>3 + 1
		}
		if stop == 0 {
			i += 8
			continue
		}
		// There is a quote, or an end that comes too early: this field by itself.
		end := fastSkip(buf, start, pattern, quote)
		if end < 0 {
			return -1
		}
		if n--; n == 0 {
			return end
		}
		if buf[end] != byte(pattern) {
			return -1
		}
		i, start = end+1, end+1
	}
}

// fastTail finds the end of a record that has n more fields, without quotes.
func fastTail(buf []byte, i, n int, pattern uint64) int {
	const quotes = '"' * field.Ones
	for {
		w := field.Word(buf, i)
		delims := field.ZeroExact(w ^ pattern)
		stop := field.Zero(w^quotes) | field.Control(w)
		if pattern < '\x0e'*field.Ones {
			stop = field.Zero(w^quotes) | field.Zero(w^'\n'*field.Ones) | field.Zero(w^'\r'*field.Ones)
		}
		if stop != 0 {
			n -= bits.OnesCount64(delims & (stop&-stop - 1))
			i += field.At(stop)
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

func (c *column) fastFloat32(buf []byte, i, row int) int {
	if next := c.Float32(buf, i, row); next >= 0 {
		return next
	}
	f, next := float(buf, i, 32)
	c.F32[row] = float32(f)
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

func (c *column) fastBool(buf []byte, i, row int) int {
	const blanks = 0x2020202020202020
	const yes, no = uint64('t') | 'r'<<8 | 'u'<<16 | 'e'<<24, uint64('f') | 'a'<<8 | 'l'<<16 | 's'<<24 | 'e'<<32
	w := field.Word(buf, i) | blanks
	switch {
	case w&0xffffffff == yes:
		c.Vec.SetBool(row, true)
		return i + 4
	case w&0xffffffffff == no:
		c.Vec.SetBool(row, false)
		return i + 5
	}
	return -1
}
