package json

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"streamsql/connector"
	"streamsql/connector/field"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Decoder decodes json. It implements text.Decoder.
type Decoder struct {
	opts   Options
	rules  field.Rules
	cols   []column         // the wanted columns, in order
	byKey  map[string]int32 // index into cols
	report func(connector.BadRow)
	fastOK bool
	forked bool // it decodes parts of inputs, and leaves lines with arrays to the one that it was made of

	// Per input.
	file   string
	line   int64 // of the record to come, from 1
	byteAt int64 // offset of the bytes given to Decode
	start  bool  // nothing of the input has been used
	place  place // in the line
	resume *resume

	// Per batch.
	batch  *stream.Batch
	size   int
	rows   int
	full   bool
	shift  int64 // line - row of the last origin
	origin bool  // the batch has an origin already

	layout    layout
	path      path      // that of the last lines
	missing   []*column // whose keys it does not have
	detour    path      // of a line that has strayed
	strayed   int       // the row of the last one
	tag       uint64    // of the last one
	list      []member
	end       int // of the object in the line
	nested    nested
	own       []byte // a text that differs from the input: escapes taken out
	pending   []fault
	bad       int64
	badFields int64
}

// place says where in a line the decoder stands.
type place uint8

const (
	lineStart    place = iota
	arrayStart         // behind the bracket that opens an array of rows
	arrayElement       // behind an element of it
	overlong           // in a line that is too long and given up
)

// resume is a place inside a line where reading goes on.
type resume struct {
	offset int64
	place  place
}

// NewDecoder returns a decoder that fills the wanted columns of a table. bad takes
// what could not be read (nil: it is only counted).
func NewDecoder(schema stream.Schema, wanted []int, o Options, bad func(connector.BadRow)) (*Decoder, error) {
	if err := Check(schema); err != nil {
		return nil, err
	}
	d := &Decoder{opts: o, rules: newRules(o), report: bad, fastOK: true, cols: make([]column, len(wanted)), byKey: make(map[string]int32, len(wanted))}
	separators := [2]byte{' ', ' '}
	switch {
	case o.Inferred:
		separators[1] = 'T'
	case o.ISO:
		separators = [2]byte{'T', 't'}
	}
	for i, w := range wanted {
		f := schema.Fields[w]
		d.cols[i] = newColumn(field.Column{Index: w, Name: f.Name, Type: f.Type, Separators: separators})
		d.byKey[f.Name] = int32(i)
		d.fastOK = d.fastOK && !f.Type.IsNested()
	}
	d.layout.reset()
	return d, nil
}

// Begin implements text.Decoder.
func (d *Decoder) Begin(file string) {
	d.file, d.line, d.byteAt, d.start, d.place, d.resume = file, 1, 0, true, lineStart, nil
	d.origin = false
}

// Start implements text.Decoder.
func (d *Decoder) Start(b *stream.Batch, size int) {
	if len(b.Cols) != len(d.cols) {
		b.Cols = make([]stream.Vec, len(d.cols))
	}
	d.batch, d.size, d.rows, d.full, d.origin = b, size, 0, false, false
	for i := range d.cols {
		d.cols[i].Start(&b.Cols[i], size)
	}
}

// Rows implements text.Decoder.
func (d *Decoder) Rows() int { return d.rows }

// IsFull implements text.Decoder.
func (d *Decoder) IsFull() bool { return d.full || d.rows >= d.size }

// Bad implements text.Decoder.
func (d *Decoder) Bad() int64 { return d.bad }

// BadFields implements text.Decoder.
func (d *Decoder) BadFields() int64 { return d.badFields }

// Finish implements text.Decoder.
func (d *Decoder) Finish() {
	d.batch.N = d.rows
	if n := len(d.batch.From); n > 0 && int(d.batch.From[n-1].Row) >= d.rows {
		d.batch.From = d.batch.From[:n-1]
	}
	for i := range d.cols {
		d.cols[i].Finish(d.rows)
	}
}

// Save implements text.Decoder.
func (d *Decoder) Save(e *stream.Encoder) {
	e.Int64(d.line)
	e.Int64(d.byteAt)
	e.Bool(d.start)
	e.Int64(int64(d.place))
}

// Load implements text.Decoder.
func (d *Decoder) Load(s *stream.Decoder) {
	d.line, d.byteAt, d.start = s.Int64(), s.Int64(), s.Bool()
	if d.place = place(s.Int64()); d.place > overlong {
		s.Fail(diag.New(diag.InvalidArgument, diag.Span{}, "there is no place %d in a line", d.place))
	}
	if d.place != lineStart {
		d.resume = &resume{d.byteAt, d.place}
	}
}

// Fork implements text.Divisible.
func (d *Decoder) Fork(bad func(connector.BadRow)) text.Divisible {
	f := &Decoder{opts: d.opts, rules: d.rules, byKey: d.byKey, report: bad, fastOK: d.fastOK, forked: true, cols: make([]column, len(d.cols))}
	for i := range d.cols {
		c := &d.cols[i]
		f.cols[i] = newColumn(field.Column{Index: c.Index, Name: c.Name, Type: c.Type, Separators: c.Separators})
		if c.Dict != nil {
			f.cols[i].Dict = field.NewDictionary(c.Type)
		}
	}
	f.layout.reset()
	return f
}

// Intern implements text.Interner.
func (d *Decoder) Intern(columns []int) {
	for i := range d.cols {
		if c := &d.cols[i]; c.op == opText && slices.Contains(columns, c.Index) {
			c.Dict = field.NewDictionary(c.Type)
		}
	}
}

// Head implements text.Divisible: nothing stands in front of the rows.
func (d *Decoder) Head([]byte, text.State) (int, bool, error) { return 0, true, nil }

// Lead implements text.Divisible: it is the place inside a line where reading goes
// on, or nil.
func (d *Decoder) Lead() any { return d.resume }

// Follow implements text.Divisible.
func (d *Decoder) Follow(file string, lead any, line, offset int64) error {
	if file != d.file || line != d.line || offset != d.byteAt {
		d.place = lineStart
	}
	if r, _ := lead.(*resume); r != nil && r.offset == offset {
		d.place = r.place
	}
	d.file, d.line, d.byteAt, d.start, d.origin = file, line, offset, false, false
	return nil
}

// Line implements text.Divisible.
func (d *Decoder) Line() int64 { return d.line }

var mark = []byte("\xEF\xBB\xBF")

// Decode implements text.Decoder.
func (d *Decoder) Decode(data []byte, s text.State) (n int, err error) {
	pos := 0
	defer func() { d.byteAt += int64(n) }()
	if d.start {
		if s == text.More && len(data) < len(mark) && bytes.HasPrefix(mark, data) {
			return 0, nil
		}
		if bytes.HasPrefix(data, mark) {
			pos = len(mark)
		}
		if len(data) > 0 {
			d.start = false
		}
	}
	last := 0 // behind the last line feed
	if d.fastOK {
		last = bytes.LastIndexByte(data, '\n') + 1
	}
	for pos < len(data) && !d.IsFull() {
		if pos < last && d.place == lineStart {
			pos = d.fast(data[:len(data)+stream.Slack], pos, last)
			if pos == len(data) || d.IsFull() {
				break
			}
		}
		next, err := d.slow(data, pos, s)
		if err != nil {
			return next, err
		}
		if next == pos {
			break
		}
		pos = next
	}
	return pos, nil
}

// placed makes sure that the origin of the row to come is known.
func (d *Decoder) placed() {
	shift := d.line - int64(d.rows)
	if d.origin && shift == d.shift {
		return
	}
	from := d.batch.From
	if n := len(from); n > 0 && int(from[n-1].Row) == d.rows {
		from = from[:n-1] // of a line that became no row
	}
	d.batch.From = append(from, stream.Origin{Row: int32(d.rows), File: d.file, Line: d.line})
	d.origin, d.shift = true, shift
}

// weigh ends the batch where a column has much text.
func (d *Decoder) weigh() {
	for i := range d.cols {
		d.full = d.full || d.cols[i].IsFull(d.rows)
	}
}

// fault is why a line or value cannot be read.
type fault struct {
	col    *column // nil: the line as a whole
	value  []byte  // of the column, as it is spelled
	row    bool    // the whole line cannot be read
	reason string
	hint   string
	fatal  bool // also with ignore-parse-errors
}

// failure makes the error for a fault in the record.
func (d *Decoder) failure(f *fault, record []byte) error {
	e := diag.New(diag.Decode, diag.Span{}, "%s:%d: %s", d.file, d.line, f.text())
	if f.col != nil {
		e = diag.New(diag.Decode, diag.Span{}, "%s:%d: column %q: %s", d.file, d.line, f.col.Name, f.text())
	}
	e.Detail = fmt.Sprintf("row: %s", text.Excerpt(record, 200))
	hint := f.hint
	if hint == "" && f.col != nil {
		hint = d.timeHint(f.col, f.value)
	}
	switch {
	case hint != "":
		e.Hint = hint
	case d.opts.Inferred && f.col != nil:
		e.Hint = fmt.Sprintf("the type was guessed from the first rows: declare the table with column %q as STRING", f.col.Name)
	case d.opts.Inferred:
		e.Hint = "correct the row, or declare the table with 'json.ignore-parse-errors' = 'true' to skip such rows"
	case f.col != nil && !f.row:
		e.Hint = "set 'json.ignore-parse-errors' = 'true' to read such values as NULL"
	default:
		e.Hint = "set 'json.ignore-parse-errors' = 'true' to skip such rows"
	}
	return e
}

func (f *fault) text() string {
	if f.value == nil {
		return f.reason
	}
	v := text.Shorten(f.value, 100)
	if !utf8.ValidString(v) || strings.IndexFunc(v, func(r rune) bool { return !strconv.IsPrint(r) }) >= 0 {
		v = strconv.Quote(v)
	}
	return v + " " + f.reason
}

// skipped counts a line that is left out.
func (d *Decoder) skipped(f *fault, record []byte) {
	d.bad++
	d.tell(f, record, false)
}

// nulled counts a value that is left out.
func (d *Decoder) nulled(f *fault, record []byte) {
	d.badFields++
	d.tell(f, record, true)
}

func (d *Decoder) tell(f *fault, record []byte, nulled bool) {
	if d.report == nil {
		return
	}
	r := connector.BadRow{File: d.file, Line: d.line, Text: text.Shorten(record, 4096), Reason: f.text(), Nulled: nulled}
	if f.col != nil {
		r.Column = f.col.Name
	}
	d.report(r)
}
