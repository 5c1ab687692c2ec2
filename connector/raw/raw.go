package raw

import (
	"bytes"
	"unicode/utf8"

	"streamsql/connector"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// maxText is how many bytes a batch may have before it is full.
const maxText = 64 << 20

// Check refuses schemas that the format cannot hold.
func Check(schema stream.Schema) error {
	if len(schema.Fields) != 1 {
		return diag.New(diag.InvalidArgument, diag.Span{}, "format \"raw\" needs exactly one column, not %d", len(schema.Fields)).
			WithHint("declare one STRING column, and split it in the query")
	}
	if f := schema.Fields[0]; !f.Type.IsText() && !f.Type.IsBytes() {
		return diag.New(diag.Unsupported, diag.Span{}, "format \"raw\" does not hold %s, the type of column %q", f.Type.Name(), f.Name).
			WithHint("declare column %q as STRING, and cast it in the query", f.Name)
	}
	return nil
}

// Decoder decodes lines. It implements text.Decoder.
type Decoder struct {
	field  stream.Field
	wanted bool

	file string
	line int64

	batch  *stream.Batch
	size   int
	rows   int
	full   bool
	placed bool
}

// NewDecoder returns a decoder for a table; wanted is empty or {0}.
func NewDecoder(schema stream.Schema, wanted []int) (*Decoder, error) {
	if err := Check(schema); err != nil {
		return nil, err
	}
	return &Decoder{field: schema.Fields[0], wanted: len(wanted) > 0}, nil
}

// Fork implements text.Divisible.
func (d *Decoder) Fork(func(connector.BadRow)) text.Divisible {
	return &Decoder{field: d.field, wanted: d.wanted}
}

// Head implements text.Divisible: there is none.
func (d *Decoder) Head([]byte, text.State) (int, bool, error) { return 0, true, nil }

// Lead implements text.Divisible.
func (d *Decoder) Lead() any { return nil }

// Follow implements text.Divisible.
func (d *Decoder) Follow(file string, _ any, line, _ int64) error {
	d.file, d.line, d.placed = file, line, false
	return nil
}

// Line implements text.Divisible.
func (d *Decoder) Line() int64 { return d.line }

// Begin implements text.Decoder.
func (d *Decoder) Begin(file string) { d.file, d.line, d.placed = file, 1, false }

// Start implements text.Decoder.
func (d *Decoder) Start(b *stream.Batch, size int) {
	n := 0
	if d.wanted {
		n = 1
	}
	if len(b.Cols) != n {
		b.Cols = make([]stream.Vec, n)
	}
	if d.wanted {
		b.Cols[0].Reset(d.field.Type, size)
	}
	d.batch, d.size, d.rows, d.full, d.placed = b, size, 0, false, false
}

// Decode implements text.Decoder.
func (d *Decoder) Decode(data []byte, s text.State) (n int, err error) {
	pos := 0
	for pos < len(data) && !d.IsFull() {
		end := bytes.IndexByte(data[pos:], '\n')
		next := pos + end + 1
		if end < 0 {
			switch s {
			case text.More:
				return pos, nil
			case text.Full:
				return pos, d.tooLong()
			}
			next = len(data)
			end = next - pos
		}
		line := bytes.TrimSuffix(data[pos:pos+end], []byte{'\r'})
		if len(line) > text.MaxRecord {
			return pos, d.tooLong()
		}
		if d.field.Type.IsText() && !utf8.Valid(line) {
			return pos, d.fault("is not UTF-8").WithHint("declare column %q as BYTES", d.field.Name)
		}
		if !d.placed {
			d.batch.From = append(d.batch.From, stream.Origin{Row: int32(d.rows), File: d.file, Line: d.line})
			d.placed = true
		}
		if d.wanted {
			v := &d.batch.Cols[0]
			v.AppendBytes(line)
			d.full = len(v.Data) > maxText
		}
		d.rows++
		d.line++
		pos = next
	}
	return pos, nil
}

func (d *Decoder) tooLong() *diag.Error { return d.fault("line is longer than 16 MiB") }

func (d *Decoder) fault(what string) *diag.Error {
	return diag.New(diag.Decode, diag.Span{}, "%s:%d: column %q: %s", d.file, d.line, d.field.Name, what)
}

// Rows implements text.Decoder.
func (d *Decoder) Rows() int { return d.rows }

// IsFull implements text.Decoder.
func (d *Decoder) IsFull() bool { return d.full || d.rows >= d.size }

// Finish implements text.Decoder.
func (d *Decoder) Finish() { d.batch.N = d.rows }

// Bad implements text.Decoder: every line is good.
func (d *Decoder) Bad() int64 { return 0 }

// BadFields implements text.Decoder.
func (d *Decoder) BadFields() int64 { return 0 }

// Save implements text.Decoder.
func (d *Decoder) Save(e *stream.Encoder) { e.Int64(d.line) }

// Load implements text.Decoder.
func (d *Decoder) Load(s *stream.Decoder) { d.line = s.Int64() }

// AppendRow appends row i of the batch as a line. A NULL is an error, as in Flink.
func AppendRow(dst []byte, b *stream.Batch, i int) ([]byte, error) {
	v := &b.Cols[0]
	if v.IsNull(i) {
		return dst, diag.New(diag.Runtime, diag.Span{}, "format \"raw\" cannot write NULL").
			WithHint("replace it with COALESCE, or leave the row out")
	}
	dst = append(dst, v.Bytes(i)...)
	return append(dst, '\n'), nil
}
