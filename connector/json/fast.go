package json

import (
	"unicode/utf8"
	"unsafe"

	"streamsql/connector/field"
	"streamsql/connector/text"
	"streamsql/types"
)

// op is what the fast path does with a value.
type op uint8

const (
	opSkip     op = iota // not wanted
	opSkipText           // and probably a text
	opText
	opSmallInt // TINYINT, SMALLINT
	opInt32
	opInt64
	opFloat32
	opFloat64
	opDecimal
	opMillis    // TIMESTAMP(3)
	opTimestamp // and the others
	opDate
	opBool
	opOther // by the parser of the slow path
	opEnd   // there is none: the line ends
	opNext  // the same, where nothing else is to be done
)

// pick chooses the operation for a type.
func pick(t types.Type) op {
	switch t.Kind {
	case types.Char, types.Varchar:
		return opText
	case types.TinyInt, types.SmallInt:
		return opSmallInt
	case types.Int:
		return opInt32
	case types.BigInt:
		return opInt64
	case types.Float:
		return opFloat32
	case types.Double:
		return opFloat64
	case types.Decimal:
		if t.Layout() == types.Int64 {
			return opDecimal
		}
	case types.Timestamp:
		if t.Precision == 3 {
			return opMillis
		}
		return opTimestamp
	case types.Date:
		return opDate
	case types.Boolean:
		return opBool
	}
	return opOther
}

// fast decodes lines from pos on until one that it leaves to the slow path, or to
// the end of the batch or data; last is behind a line feed, so that every loop
// ends. It returns the start of the first line it has not decoded. buf includes
// the slack.
func (d *Decoder) fast(buf []byte, pos, last int) int {
	d.placed()
	for k := range d.cols {
		if c := &d.cols[k]; c.IDs != nil && len(c.spans) < d.size {
			c.spans = make([]field.Span, d.size)
		}
	}
	pos, rows := d.lines(buf, pos, last)
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

// lines decodes lines for fast and returns the place behind the last one, and the rows
// of the batch with it.
func (d *Decoder) lines(buf []byte, pos, last int) (int, int) {
	p := unsafe.Pointer(unsafe.SliceData(buf))
	i, row, s, away := pos, d.rows, d.expected(), false
	for row < d.size && pos < last {
		var known bool
		if s, i, pos, row, known = run(p, s, i, pos, row, last, d.size); i == pos && known {
			break
		}
		if !known {
			if s = d.stray(p, i, s, away); s == nil {
				break
			}
			away = true
			i += s.size
		}
		if s.op == opEnd || s.op == opNext {
			if i-pos > text.MaxRecord || !d.settle(row, away) {
				break
			}
			pos, s, away = i, d.expected(), false
			row++
			continue
		}
		if i = d.read(s, buf, i, row); i < 0 {
			break
		}
		s = s.then
	}
	return pos, row
}

// read reads a value, or skips it, and returns the place behind it, or -1.
func (d *Decoder) read(s *step, buf []byte, i, row int) int {
	c, next := s.col, -1
	switch s.op {
	case opSkip, opSkipText:
		return fastSkip(buf, i)
	case opText:
		if c.IDs != nil {
			next = c.fastID(buf, i, row)
		} else {
			next = c.fastText(buf, i, row)
		}
	case opInt64:
		c.I64[row], next = fastInt(buf, i)
	case opFloat64:
		if next = c.Float64(buf, i, row); next >= 0 && !isNumber(buf, i, next) {
			next = -1
		}
	case opMillis:
		next = c.fastMillis(buf, i, row)
	default:
		next = c.fastRare(s.op, buf, i, row)
	}
	if next < 0 {
		return d.general(c, buf, i, row)
	}
	return next
}

// general reads any value as the slow path does.
func (d *Decoder) general(c *column, buf []byte, i, row int) int {
	const null = uint64('n') | 'u'<<8 | 'l'<<16 | 'l'<<24
	if field.Word(buf, i)&0xffffffff == null && !c.Type.NotNull {
		c.fastNull(row)
		return i + 4
	}
	if c.IDs != nil {
		c.spans[row] = field.NoSpan
	}
	end, p := skipValue(buf, i, 1)
	if p.reason != "" || d.value(c, row, buf[i:end]) != nil {
		return -1
	}
	return end
}

// fastRare are the operations that need not be in the loop itself.
func (c *column) fastRare(o op, buf []byte, i, row int) int {
	start := i
	switch o {
	case opSmallInt, opInt32:
		i = c.SmallInt(buf, i, row)
	case opFloat32:
		i = c.Float32(buf, i, row)
	case opDecimal:
		i = c.Decimal(buf, i, row)
	case opTimestamp:
		return closed(buf, c.Timestamp(buf, i+1, row), i)
	case opDate:
		return closed(buf, c.Date(buf, i+1, row), i)
	case opBool:
		return c.fastBool(buf, i, row)
	default:
		return -1
	}
	if i >= 0 && !isNumber(buf, start, i) {
		return -1
	}
	return i
}

// closed returns the place behind a string whose quote was at i and whose text
// was read up to end, or -1.
func closed(buf []byte, end, i int) int {
	if end < 0 || buf[i] != '"' || buf[end] != '"' {
		return -1
	}
	return end + 1
}

// isNumber reports whether buf[i:end], which was read as digits with a point and a
// sign, is a number of JSON.
func isNumber(buf []byte, i, end int) bool {
	if buf[i] == '-' {
		i++
	}
	return buf[end-1] != '.' && (buf[i] == '0' && buf[i+1]-'0' > 9 || buf[i]-'1' < 9)
}

// fastInt reads an integer of up to 18 digits.
func fastInt(buf []byte, i int) (v int64, next int) {
	if v, next = field.Int(buf, i); next < 0 || !isNumber(buf, i, next) {
		return 0, -1
	}
	return v, next
}

// fastText copies a string while it looks for its end; -1 if it has an escape or
// a control character.
func (c *column) fastText(buf []byte, i, row int) int {
	if buf[i] != '"' {
		return -1
	}
	i++
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
		if m := special(w); m != 0 {
			n += field.At(m)
			break
		}
		n += 8
	}
	if buf[i+n] != '"' || seen&field.Tops != 0 && !utf8.Valid(c.Data[to:to+n]) {
		return -1
	}
	c.Off[row+1] = int32(to + n)
	return i + n + 1
}

// fastID finds where a text is whose id is to be found, or the id itself if that cannot
// wait; -1 if it has an escape or a control character, or is not UTF-8.
func (c *column) fastID(buf []byte, i, row int) int {
	if buf[i] != '"' {
		return -1
	}
	id, n := c.Dict.Quoted(buf, i+1)
	if id < 0 {
		return -1
	}
	c.spans[row], c.IDs[row] = field.NoSpan, id
	return i + n + 2
}

// fastSkip returns the place behind a value, or -1.
func fastSkip(buf []byte, i int) int {
	j := -1
	switch c := buf[i]; {
	case c == '"':
		j = skipPlain(buf, i+1)
	case c-'0' <= 9 || c == '-':
		j = skipDecimal(buf, i)
	}
	if j >= 0 {
		return j
	}
	end, p := skipValue(buf, i, 1)
	if p.reason != "" {
		return -1
	}
	return end
}

// skipPlain returns the place behind a string without escapes, or -1.
func skipPlain(buf []byte, i int) int {
	for {
		w := field.Word(buf, i)
		if m := field.Zero(w^quotes) | field.Zero(w^backslashes) | field.Zero(w^feeds); m != 0 {
			if i += field.At(m); buf[i] == '"' {
				return i + 1
			}
			return -1
		}
		i += 8
	}
}

// skipDecimal returns the place behind a number without exponent that has at most
// seven digits on either side of the point, or -1.
func skipDecimal(buf []byte, i int) int {
	if buf[i] == '-' {
		i++
	}
	n := field.At(field.NonDigit(field.Word(buf, i) ^ field.Zeros))
	if n == 0 || n == 8 || n > 1 && buf[i] == '0' {
		return -1
	}
	if i += n; buf[i] == '.' {
		n = field.At(field.NonDigit(field.Word(buf, i+1) ^ field.Zeros))
		if n == 0 || n == 8 {
			return -1
		}
		i += n + 1
	}
	if buf[i]|0x20 == 'e' {
		return -1
	}
	return i
}

func (c *column) fastBool(buf []byte, i, row int) int {
	const yes, no = uint64('t') | 'r'<<8 | 'u'<<16 | 'e'<<24, uint64('f') | 'a'<<8 | 'l'<<16 | 's'<<24 | 'e'<<32
	w := field.Word(buf, i)
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
