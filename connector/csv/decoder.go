package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"streamsql/connector"
	"streamsql/connector/field"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Decoder decodes csv. It implements text.Decoder.
type Decoder struct {
	opts   Options
	fields []stream.Field // physical columns of the table
	cols   []column       // the wanted ones, in order
	report func(connector.BadRow)
	fastOK bool // the options are such that the fast path may be tried

	// Per input.
	file   string
	line   int64 // of the record to come, from 1
	byteAt int64 // offset of the bytes given to Decode
	start  bool  // nothing of the input has been used
	// overlong: the place is inside a line that is too long and given up
	overlong bool
	resume   int64 // where such a line went on when reading began; 0: nowhere
	header   []string
	width    int   // fields of a complete record
	target   []int // by field: index into cols, or -1
	needed   int   // fields that a record must have: the last wanted one + 1, or width
	plan     []step

	// Per batch.
	batch  *stream.Batch
	size   int
	rows   int
	full   bool
	shift  int64 // line - row of the last origin
	origin bool  // the batch has an origin already

	split     splitter
	pending   []fault // values of the record that became NULL
	bad       int64
	badFields int64
}

// NewDecoder returns a decoder that fills the wanted columns of a table. bad takes
// what could not be read (nil: it is only counted).
func NewDecoder(schema stream.Schema, wanted []int, o Options, bad func(connector.BadRow)) (*Decoder, error) {
	d := &Decoder{opts: o, fields: schema.Fields, report: bad, fastOK: o.fast()}
	d.split.opts = &d.opts
	d.cols = make([]column, len(wanted))
	for i, w := range wanted {
		f := schema.Fields[w]
		d.cols[i].Column = field.Column{Index: w, Name: f.Name, Type: f.Type, Separators: [2]byte{' ', 'T'}}
	}
	if err := Check(schema); err != nil {
		return nil, err
	}
	for i := range d.cols {
		d.cols[i].op = d.cols[i].pick()
		d.cols[i].literal = o.NullLiteral
		d.fastOK = d.fastOK && !d.cols[i].Type.IsNested()
	}
	return d, nil
}

// Fork implements text.Divisible.
func (d *Decoder) Fork(bad func(connector.BadRow)) text.Divisible {
	f := &Decoder{opts: d.opts, fields: d.fields, report: bad, fastOK: d.fastOK, cols: make([]column, len(d.cols))}
	f.split.opts = &f.opts
	for i := range d.cols {
		c := &d.cols[i]
		f.cols[i] = column{op: c.op, literal: c.literal}
		if c.Dict != nil {
			f.cols[i].Dict = field.NewDictionary(c.Type)
		}
		f.cols[i].Index, f.cols[i].Name, f.cols[i].Type, f.cols[i].Separators = c.Index, c.Name, c.Type, c.Separators
	}
	return f
}

// Check refuses schemas with types that csv cannot hold.
func Check(schema stream.Schema) error {
	for _, f := range schema.Fields {
		if !holds(f.Type, true) {
			return diag.New(diag.Unsupported, diag.Span{}, "format \"csv\" has no type %s, which column %q has", f.Type.Name(), f.Name).
				WithHint("declare column %q as STRING", f.Name)
		}
	}
	return nil
}

// holds reports whether a field can hold values of type t: an ARRAY or ROW of simple
// types, where deep says so.
func holds(t types.Type, deep bool) bool {
	switch t.Kind {
	case types.Null, types.IntervalDay, types.IntervalMonth, types.Variant, types.Bitmap, types.Map, types.Multiset:
		return false
	case types.Array:
		return deep && holds(t.Elem(), false)
	case types.Row:
		for _, f := range t.Fields() {
			if !holds(f.Type, false) {
				return false
			}
		}
		return deep
	}
	return true
}

// Begin implements text.Decoder.
func (d *Decoder) Begin(file string) {
	d.file, d.line, d.byteAt, d.start, d.header = file, 1, 0, true, nil
	d.origin, d.overlong, d.resume = false, false, 0
	if !d.opts.Header {
		d.positional()
	}
}

// positional maps fields to columns by their position.
func (d *Decoder) positional() {
	d.width = len(d.fields)
	d.target = d.target[:0]
	for range d.fields {
		d.target = append(d.target, -1)
	}
	for i := range d.cols {
		d.target[d.cols[i].Index] = i
	}
	d.prepare()
}

// prepare makes the plan of the fast path and finds out how many fields a record
// must have.
func (d *Decoder) prepare() {
	d.needed = 0
	d.plan = d.plan[:0]
	skipped := 0
	for f, t := range d.target {
		if t < 0 {
			skipped++
			continue
		}
		d.needed = f + 1
		if skipped > 0 {
			d.plan = append(d.plan, passing(skipped))
			skipped = 0
		}
		d.plan = append(d.plan, step{col: &d.cols[t]})
	}
	if skipped > 1 {
		d.plan = append(d.plan, passing(skipped-1))
	}
	if skipped > 0 {
		d.plan = append(d.plan, passing(1)) // which ends with the line
	}
	for k := range d.plan {
		s := &d.plan[k]
		s.end = d.opts.Delimiter[0]
		s.col.End, s.col.Quote, s.col.NullSize = uint64(s.end)*field.Ones, d.opts.Quote, -1
		if s.col.literal != nil {
			s.col.NullSize = len(s.col.literal)
		}
		if k+1 < len(d.plan) {
			s.next = &d.plan[k+1]
		} else {
			s.end = '\n'
		}
	}
	if d.opts.FailOnMissing || d.opts.Header {
		d.needed = d.width
	}
}

// passing is the step over n fields that are not wanted.
func passing(n int) step {
	c := &column{op: opSkip}
	c.Skip = uint64(n)
	return step{col: c}
}

// Start implements text.Decoder.
func (d *Decoder) Start(b *stream.Batch, size int) {
	if len(b.Cols) != len(d.cols) {
		b.Cols = make([]stream.Vec, len(d.cols))
	}
	for i := range d.cols {
		d.cols[i].Start(&b.Cols[i], size)
	}
	d.batch, d.size, d.rows, d.full, d.origin = b, size, 0, false, false
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
	e.Bool(d.start)
	e.Int64(d.byteAt)
	e.Uint64(uint64(len(d.header)))
	for _, h := range d.header {
		e.String(h)
	}
	e.Bool(d.overlong)
}

// Load implements text.Decoder.
func (d *Decoder) Load(s *stream.Decoder) {
	d.line, d.start, d.byteAt = s.Int64(), s.Bool(), s.Int64()
	n := s.Count(8)
	var header []string
	for range n {
		header = append(header, s.String())
	}
	if d.overlong = s.Bool(); d.overlong {
		d.resume = d.byteAt
	}
	if s.Err() != nil || n == 0 {
		return
	}
	if err := d.useHeader(header); err != nil {
		s.Fail(err)
	}
}

// Intern implements text.Interner.
func (d *Decoder) Intern(columns []int) {
	for i := range d.cols {
		if c := &d.cols[i]; c.op == opText && slices.Contains(columns, c.Index) {
			c.Dict = field.NewDictionary(c.Type)
		}
	}
}

// Head implements text.Divisible: it reads the header.
func (d *Decoder) Head(data []byte, s text.State) (n int, ok bool, err error) {
	if !d.opts.Header {
		return 0, true, nil
	}
	if s == text.More && len(data) < len(mark) {
		return 0, false, nil
	}
	if bytes.HasPrefix(data, mark) {
		n = len(mark)
	}
	for d.header == nil {
		if n == len(data) {
			return n, s == text.End, nil // without records there is no header
		}
		next, err := d.slow(data, n, s)
		if err != nil || next == n {
			return n, false, err
		}
		n = next
	}
	return n, true, nil
}

// lead is what holds for all of an input.
type lead struct {
	header []string
	resume int64
}

// Lead implements text.Divisible.
func (d *Decoder) Lead() any { return lead{d.header, d.resume} }

// Follow implements text.Divisible.
func (d *Decoder) Follow(file string, from any, line, offset int64) error {
	l, _ := from.(lead)
	header := l.header
	d.overlong = d.overlong && file == d.file && line == d.line && offset == d.byteAt || l.resume > 0 && l.resume == offset
	d.line, d.byteAt, d.start, d.origin = line, offset, false, false
	if d.file == file && len(d.header) == len(header) && (d.target != nil && len(header) == 0 || len(header) > 0 && &header[0] == &d.header[0]) {
		return nil
	}
	d.file, d.header = file, nil
	if d.opts.Header && header == nil {
		return nil // the input has no record at all
	}
	if d.opts.Header {
		return d.useHeader(header)
	}
	d.positional()
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
		if pos < last && (d.header != nil || !d.opts.Header) {
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

// commit ends a row of the batch.
func (d *Decoder) commit() {
	d.placed()
	d.rows++
}

// placed makes sure that the origin of the row to come is known.
func (d *Decoder) placed() {
	shift := d.line - int64(d.rows)
	if d.origin && shift == d.shift {
		return
	}
	from := d.batch.From
	if n := len(from); n > 0 && int(from[n-1].Row) == d.rows {
		from = from[:n-1] // of a record that became no row
	}
	d.batch.From = append(from, stream.Origin{Row: int32(d.rows), File: d.file, Line: d.line})
	d.origin, d.shift = true, shift
}

// lines counts the line ends in data: LF, CR LF or CR.
func lines(data []byte) int64 {
	n := bytes.Count(data, []byte{'\n'})
	for {
		i := bytes.IndexByte(data, '\r')
		if i < 0 {
			return int64(n)
		}
		if i+1 == len(data) || data[i+1] != '\n' {
			n++
		}
		data = data[i+1:]
	}
}

// fault is why a record or value cannot be read.
type fault struct {
	col    *column // nil: the record as a whole
	value  []byte  // of the column
	reason string
	hint   string
	fatal  bool // also with ignore-parse-errors
	count  bool // it is the number of fields
}

// failure makes the error for a fault in the record.
func (d *Decoder) failure(f *fault, record []byte) error {
	e := diag.New(diag.Decode, diag.Span{}, "%s:%d: %s", d.file, d.line, f.text())
	if f.col != nil {
		e = diag.New(diag.Decode, diag.Span{}, "%s:%d: column %q: %s", d.file, d.line, f.col.Name, f.text())
	}
	e.Detail = fmt.Sprintf("row: %s", text.Excerpt(record, 200))
	switch {
	case f.hint != "":
		e.Hint = f.hint
	case d.perhapsHeader(f, record):
		e.Hint = "if this line names the columns, set 'csv.header' = 'true'"
	case d.otherTime(f):
		e.Hint = "if all times are written in this way, declare the column as STRING and compute the time: t AS TO_TIMESTAMP(text, 'dd/MM/yyyy HH:mm:ss')"
	case d.opts.Inferred && f.col != nil:
		e.Hint = fmt.Sprintf("the type was guessed from the first rows: declare the table with column %q as STRING", f.col.Name)
	case d.opts.Inferred:
		e.Hint = "correct the row, or declare the table with 'csv.ignore-parse-errors' = 'true' to skip such rows"
	case f.col != nil:
		e.Hint = "set 'csv.ignore-parse-errors' = 'true' to read such values as NULL"
	default:
		e.Hint = "set 'csv.ignore-parse-errors' = 'true' to skip such rows"
	}
	return e
}

// perhapsHeader reports whether the record may be a header that nobody has announced:
// the first line, without digits, or with the name of the column where a fault is.
func (d *Decoder) perhapsHeader(f *fault, record []byte) bool {
	if d.line != 1 || d.opts.Inferred || d.opts.Header {
		return false
	}
	if f.col != nil && strings.EqualFold(string(f.value), f.col.Name) {
		return true
	}
	return (f.count || len(f.value) > 0) && !bytes.ContainsAny(record, "0123456789")
}

// otherTime reports whether times may be written in a form of their own: one that has no
// place in a TIMESTAMP stands in the first row.
func (d *Decoder) otherTime(f *fault) bool {
	first := int64(1)
	if d.opts.Header {
		first = 2
	}
	return d.line == first && !d.opts.Inferred && f.col != nil && f.col.Type.IsTimestamp() && bytes.ContainsAny(f.value, "0123456789")
}

func (f *fault) text() string {
	if f.value == nil {
		return f.reason
	}
	return fmt.Sprintf("%q %s", text.Shorten(f.value, 100), f.reason)
}

// skipped counts a record that is left out.
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
