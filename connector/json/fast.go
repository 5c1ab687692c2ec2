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
	opSkip op = iota // not wanted
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

// pick chooses the operation for a type.
func pick(t types.Type) op {
	switch t.Kind {
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
		if t.Layout() == types.Int64 {
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

// fast decodes lines from pos on until one that it leaves to the slow path, or to
// the end of the batch or data; last is behind a line feed, so that every loop
// ends. It returns the start of the first line it has not decoded. buf includes
// the slack.
func (d *Decoder) fast(buf []byte, pos, last int) int {
	d.placed()
	rows := d.rows
	for rows < d.size && pos < last {
		next := d.fastLine(buf, pos, rows)
		if next < 0 {
			break
		}
		pos = next
		rows++
	}
	d.line += int64(rows - d.rows)
	d.rows = rows
	d.weigh()
	return pos
}

// fastLine decodes the line at pos and returns the place behind it, or -1.
func (d *Decoder) fastLine(buf []byte, pos, row int) int {
	d.tag++
	i, found, at := pos, 0, int32(0)
	for {
		e := d.layout.nodes[at].follow(buf, i)
		if e == nil {
			return -1
		}
		i += e.size
		if at = e.next; at == noNode {
			break
		}
		c := e.col
		if c != nil {
			if c.seen == d.tag {
				return -1 // the key is there twice
			}
			c.seen = d.tag
			found++
		}
		start := i
		switch e.op {
		case opSkip:
			if i = fastSkip(buf, i); i < 0 {
				return -1
			}
			continue
		case opText:
			if c.IDs != nil {
				i = c.fastID(buf, i, row)
			} else {
				i = c.fastText(buf, i, row)
			}
		case opInt64:
			c.I64[row], i = fastInt(buf, i)
		case opFloat64:
			if i = c.Float64(buf, i, row); i >= 0 && !isNumber(buf, start, i) {
				return -1
			}
		case opTimestamp:
			i = closed(buf, c.Timestamp(buf, i+1, row), start)
		default:
			i = c.fastRare(e.op, buf, i, row)
		}
		if i < 0 {
			if i = d.general(c, buf, start, row); i < 0 {
				return -1
			}
		}
	}
	if found < len(d.cols) && !d.absent(row) || i-pos > text.MaxRecord {
		return -1
	}
	return i
}

// follow returns the edge whose text stands at i, or nil.
func (n *node) follow(buf []byte, i int) *edge {
	for k := range n.edges {
		if e := &n.edges[k]; e.matches(buf, i) {
			return e
		}
	}
	return nil
}

// absent sets the columns to NULL whose keys the line does not have.
func (d *Decoder) absent(row int) bool {
	for i := range d.cols {
		c := &d.cols[i]
		if c.seen == d.tag {
			continue
		}
		if c.Type.NotNull || d.opts.FailOnMissing {
			return false
		}
		c.PutNull(row)
	}
	return true
}

// general reads any value as the slow path does.
func (d *Decoder) general(c *column, buf []byte, i, row int) int {
	const null = uint64('n') | 'u'<<8 | 'l'<<16 | 'l'<<24
	if field.Word(buf, i)&0xffffffff == null && !c.Type.NotNull {
		c.PutNull(row)
		return i + 4
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
	case opSmallInt:
		i = c.SmallInt(buf, i, row)
	case opFloat32:
		i = c.Float32(buf, i, row)
	case opDecimal:
		i = c.Decimal(buf, i, row)
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

const blanks = 0x20 * field.Ones

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
		if m := field.Zero(w^quotes) | field.Zero(w^backslashes) | (w-blanks)&^w&field.Tops; m != 0 {
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

// fastID finds the id of a string while it looks for its end.
func (c *column) fastID(buf []byte, i, row int) int {
	if buf[i] != '"' {
		return -1
	}
	id, n := c.Dict.Quoted(buf, i+1)
	if id < 0 {
		return -1
	}
	c.IDs[row] = id
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
