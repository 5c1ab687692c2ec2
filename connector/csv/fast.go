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
	opSkip op = iota // fields that are not wanted
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
	quick field.Quick
	col   *column
	next  *step
	end   byte // delimiter, or line feed behind the last one
}

// pickQuick chooses how the fields are mostly read in the batch at hand.
func (s *step) pickQuick() field.Quick {
	c := s.col
	switch {
	case c.op == opSkip && c.Skip == 1:
		return (*field.Column).QuickSkip
	case c.op == opSkip && s.end >= ' ':
		return (*field.Column).QuickSkips
	case c.op == opText && c.IDs != nil:
		return (*field.Column).QuickSpan
	case c.op == opText:
		return (*field.Column).QuickText
	case c.op == opInt64:
		return (*field.Column).QuickInt64
	case c.op == opSmallInt && c.I32 != nil:
		return (*field.Column).QuickInt32
	case c.op == opFloat64:
		return (*field.Column).QuickFloat64
	case c.op == opTimestamp && c.Type.Precision == 3:
		return (*field.Column).QuickTime
	}
	return (*field.Column).NotQuick
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
	if len(d.plan) == 0 {
		return pos
	}
	d.placed()
	d.prepareBatch()
	row, p, empty := d.rows, unsafe.Pointer(unsafe.SliceData(buf)), d.opts.SkipEmptyLines
	for row < d.size && pos < last {
		if empty && (buf[pos] == '\n' || buf[pos] == '\r') {
			break
		}
		next, at := quickly(&d.plan[0], p, pos, row)
		if at != nil {
			if next = d.patiently(at, buf, next, row); next < 0 {
				break
			}
		}
		if next-pos > text.MaxRecord {
			break
		}
		pos = next
		row++
	}
	for k := range d.cols {
		if c := &d.cols[k]; c.IDs != nil {
			c.Dict.Resolve(buf, c.Spans[d.rows:row], c.IDs[d.rows:row])
		}
	}
	d.line += int64(row - d.rows)
	d.rows = row
	d.weigh()
	return pos
}

// quickly reads fields from the one of a step on, with the line end behind the last one,
// and returns where, and at which step, it has met one that has no common form. A list
// of steps leaves it the fewest values to keep over the calls.
func quickly(s *step, p unsafe.Pointer, i, row int) (next int, at *step) {
	for s != nil {
		end := s.quick(&s.col.Column, p, i, row)
		if end < 0 || *(*byte)(unsafe.Add(p, end)) != s.end {
			break
		}
		i, s = end+1, s.next
	}
	return i, s
}

// patiently reads fields from the one of a step on, which has no common form.
func (d *Decoder) patiently(s *step, buf []byte, i, row int) int {
	for s != nil {
		end := d.general(s, buf, i, row)
		if end < 0 {
			return -1
		}
		if s.next == nil && buf[end] == '\r' {
			end++
		}
		if buf[end] != s.end {
			return -1
		}
		i, s = quickly(s.next, unsafe.Pointer(unsafe.SliceData(buf)), end+1, row)
	}
	return i
}

// general reads a field of any form that the fast path knows.
func (d *Decoder) general(s *step, buf []byte, i, row int) int {
	c := s.col
	pattern, quote := c.End, c.Quote
	switch c.op {
	case opText:
		if c.IDs != nil {
			return c.fastID(buf, i, row, pattern, quote)
		}
		return c.fastText(buf, i, row, pattern, quote)
	case opInt64:
		v, next := field.Int(buf, i)
		c.I64[row] = v
		return next
	case opFloat64:
		next := c.Float64(buf, i, row)
		if next < 0 {
			c.F64[row], next = float(buf, i, 64)
		}
		return next
	case opTimestamp:
		return c.Timestamp(buf, i, row)
	case opSkip:
		if c.Skip == 1 {
			return fastSkip(buf, i, pattern, quote)
		}
		return fastSkips(buf, i, int(c.Skip), pattern, quote)
	}
	return d.rare(c, buf, i, row)
}

// weigh ends the batch where a column has much text.
func (d *Decoder) weigh() {
	for i := range d.cols {
		d.full = d.full || d.cols[i].IsFull(d.rows)
	}
}

// prepareBatch points the plan to the batch at hand.
func (d *Decoder) prepareBatch() {
	for k := range d.plan {
		s := &d.plan[k]
		s.quick = s.pickQuick()
		if c := s.col; c.IDs != nil && len(c.Spans) < d.size {
			c.Spans = make([]field.Span, d.size)
		}
	}
}

// rare are the operations on types that are not met often.
func (d *Decoder) rare(c *column, buf []byte, i, row int) int {
	switch c.op {
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
	end := fastSkip(buf, i, c.End, c.Quote)
	if end < 0 || buf[i] == d.opts.Quote || c.literal != nil && string(buf[i:end]) == string(c.literal) {
		return -1
	}
	if c.Parse(row, buf[i:end], &rules) != types.OK {
		return -1
	}
	return end
}

// fastText copies a text while it looks for its end.
func (c *column) fastText(buf []byte, i, row int, pattern uint64, quote byte) int {
	if buf[i] == quote && quote != 0 {
		text, next := c.unquote(buf, i+1, quote)
		if next < 0 || !utf8.Valid(text) {
			return -1
		}
		c.PutBytes(row, text)
		return c.nulled(row, text, next)
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
	c.Off[row+1] = int32(to + n)
	return c.nulled(row, buf[i:i+n], i+n)
}

// nulled makes the row NULL if its text says so; next is returned, or -1.
func (c *column) nulled(row int, text []byte, next int) int {
	if c.literal == nil || string(text) != string(c.literal) {
		return next
	}
	if c.Type.NotNull {
		return -1
	}
	c.PutNull(row)
	return next
}

// unquote returns the text behind an opening quote and the place behind the closing one;
// -1: there is a control character in it. The text is valid until the next one.
func (c *column) unquote(buf []byte, i int, quote byte) (text []byte, next int) {
	pattern := uint64(quote) * field.Ones
	c.own = c.own[:0]
	for {
		n, _ := field.Text(buf, i, pattern)
		if buf[i+n] != quote {
			return nil, -1
		}
		if buf[i+n+1] != quote {
			if len(c.own) == 0 {
				return buf[i : i+n], i + n + 1
			}
			c.own = append(c.own, buf[i:i+n]...)
			return c.own, i + n + 1
		}
		c.own = append(c.own, buf[i:i+n+1]...)
		i += n + 2
	}
}

// fastID finds the end of a text, and its id if that cannot wait.
func (c *column) fastID(buf []byte, i, row int, pattern uint64, quote byte) int {
	c.Spans[row] = field.NoSpan
	if buf[i] == quote && quote != 0 {
		text, next := c.unquote(buf, i+1, quote)
		if next < 0 {
			return -1
		}
		if c.IDs[row] = c.Dict.Add(text); c.IDs[row] < 0 {
			return -1
		}
		return c.nulled(row, text, next)
	}
	n, ascii := field.Text(buf, i, pattern)
	if ascii {
		c.Spans[row] = field.NewSpan(i, n)
	} else if c.IDs[row] = c.Dict.Find(buf, i, n); c.IDs[row] < 0 {
		return -1
	}
	return c.nulled(row, buf[i:i+n], i+n)
}

// fastSkip finds the end of a field.
func fastSkip(buf []byte, i int, pattern uint64, quote byte) int {
	if buf[i] != quote || quote == 0 {
		n, _ := field.Text(buf, i, pattern)
		return i + n
	}
	for i++; ; i += 2 {
		n, _ := field.Text(buf, i, uint64(quote)*field.Ones)
		i += n
		if buf[i] != quote {
			return -1
		}
		if buf[i+1] != quote {
			return i + 1
		}
	}
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
