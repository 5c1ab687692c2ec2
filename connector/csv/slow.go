package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// slow decodes one record by all the rules and returns the place behind it; pos
// itself if the record is cut.
func (d *Decoder) slow(data []byte, pos int, st text.State) (int, error) {
	if d.overlong {
		return d.passLine(data, pos, st), nil
	}
	if st == text.Full && len(data)-pos <= text.Enough {
		st = text.More // that was told of a record before this one
	}
	if skip, ok := d.noRecord(data[pos:], st); ok {
		d.line += lines(data[pos : pos+skip])
		return pos + skip, nil
	}
	rest := data[pos:]
	if d.opts.AllowComments {
		for len(rest) > 1 && rest[0] == ' ' {
			rest = rest[1:] // as in Flink, blanks before a record go where comments may stand
		}
	}
	lead := len(data) - pos - len(rest)
	if st == text.Full && len(rest) <= text.Enough {
		st = text.More
	}
	n, size, o, f := d.split.record(rest, st)
	if o == cut {
		return pos, nil
	}
	next, record := pos+lead+n, rest[:size]
	if o == wholeRecord {
		if d.opts.Header && d.header == nil {
			if err := d.firstRecord(); err != nil {
				return pos, err
			}
			d.line += lines(data[pos:next])
			return next, nil
		}
		d.pending = d.pending[:0]
		f = d.row(record, pos+lead)
		if f == nil {
			for i := range d.pending {
				d.nulled(&d.pending[i], record)
			}
			d.commit()
			d.weigh()
			d.line += lines(data[pos:next])
			return next, nil
		}
	}
	if !d.opts.IgnoreParseErrors || f.fatal || d.opts.Header && d.header == nil {
		return pos, d.failure(f, record)
	}
	for i := range d.cols {
		d.cols[i].Valid(d.rows)
	}
	d.skipped(f, record)
	if n == 0 {
		d.overlong = true
		return len(data) - 1, nil // whoever reads must see that the line goes on
	}
	d.line += lines(data[pos:next])
	return next, nil
}

// passLine skips what is left of a line that is too long; nothing while its end is not
// in the data.
func (d *Decoder) passLine(data []byte, pos int, st text.State) int {
	end := lineText(data, pos)
	if st != text.End && (end == len(data) || data[end] == '\r' && end+1 == len(data)) {
		if st == text.Full {
			return len(data) - 1
		}
		return pos
	}
	next := lineEnd(data, end)
	d.line += lines(data[pos:next])
	d.overlong = false
	return next
}

// noRecord reports how many bytes at the start of data are a line that is no
// record: a comment, or an empty line where those do not count.
func (d *Decoder) noRecord(data []byte, st text.State) (int, bool) {
	if len(data) == 0 || !d.opts.AllowComments && !d.opts.SkipEmptyLines {
		return 0, false
	}
	i := 0
	if d.opts.AllowComments {
		for i < len(data) && data[i] == ' ' {
			i++
		}
	}
	switch {
	case i == len(data):
		return len(data), st != text.More
	case d.opts.AllowComments && data[i] == '#':
		i = lineText(data, i)
		if st == text.Full && i >= len(data)-1 {
			d.overlong = true
			return len(data) - 1, true
		}
	case data[i] != '\n' && data[i] != '\r':
		return 0, false
	}
	if st == text.More && (i == len(data) || data[i] == '\r' && i+1 == len(data)) {
		return 0, false // then the record is cut as well
	}
	return lineEnd(data, i), true
}

// row converts the fields that were split into a row of the batch. offset is the
// record's place in the data.
func (d *Decoder) row(record []byte, offset int) *fault {
	texts := d.split.texts
	if n := len(texts); n > d.width {
		last := n - 1
		comma := n == d.width+1 && d.opts.TrailingComma && len(texts[last]) == 0 && !d.split.quotes[last]
		if !comma && !d.opts.IgnoreTrailing {
			return d.count(n)
		}
	} else if n < d.needed && (!d.opts.IgnoreParseErrors || d.opts.FailOnMissing || d.opts.Header) {
		return d.count(n)
	}
	for i := range d.cols {
		d.cols[i].Valid(d.rows)
	}
	for field, t := range d.target {
		if t < 0 {
			continue
		}
		c := &d.cols[t]
		if field >= len(texts) {
			if f := d.null(c); f != nil {
				return f
			}
			continue
		}
		if f := d.value(c, texts[field], record, offset); f != nil {
			return f
		}
	}
	return nil
}

// value converts one field.
func (d *Decoder) value(c *column, v, record []byte, offset int) *fault {
	if c.literal != nil && bytes.Equal(v, c.literal) || d.opts.EmptyIsNull && len(v) == 0 {
		return d.null(c)
	}
	if c.Type.IsNested() {
		return d.nestedValue(c, v)
	}
	if c.op == opText {
		if !utf8.Valid(v) {
			return d.notUTF8(c, v, record, offset)
		}
		c.PutText(d.rows, v)
		return nil
	}
	wrong := c.Parse(d.rows, v, &rules)
	if wrong == types.OK {
		return nil
	}
	f := &fault{col: c, value: v, reason: "is not " + article(c.Type)}
	if wrong != types.Malformed {
		f.reason += ": " + wrong.String()
	}
	if len(v) == 0 && len(d.opts.NullLiteral) == 0 {
		f.hint = "set 'csv.null-literal' = '' to read empty fields as NULL"
	}
	if !d.opts.IgnoreParseErrors {
		return f
	}
	if g := d.null(c); g != nil {
		return g
	}
	d.pending = append(d.pending, *f)
	return nil
}

// null sets the column to NULL, if it may be.
func (d *Decoder) null(c *column) *fault {
	if c.Type.NotNull {
		return &fault{col: c, reason: "is NULL, but the column is declared NOT NULL", fatal: true,
			hint: fmt.Sprintf("declare column %q without NOT NULL", c.Name)}
	}
	c.PutNull(d.rows)
	return nil
}

// count is the fault of a record with n fields.
func (d *Decoder) count(n int) *fault {
	plural := "s"
	if n == 1 {
		plural = ""
	}
	return &fault{reason: fmt.Sprintf("%d field%s, %d expected", n, plural, d.width), count: true}
}

// notUTF8 names the first bad byte of a text.
func (d *Decoder) notUTF8(c *column, v, record []byte, offset int) *fault {
	i := 0
	for i < len(v) {
		r, n := utf8.DecodeRune(v[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	where := d.byteAt + int64(offset)
	if j := bytes.Index(record, v[i:]); j >= 0 {
		where += int64(j)
	}
	return &fault{col: c, value: v, reason: fmt.Sprintf("is not UTF-8: byte 0x%02x at offset %d of the file", v[i], where),
		hint: "convert the file to UTF-8"}
}

// article puts "a" or "an" before the name of a type.
func article(t types.Type) string {
	name := t.Name()
	if name == "INT" {
		return "an " + name
	}
	return "a " + name
}

// firstRecord takes the fields that were split as the header.
func (d *Decoder) firstRecord() error {
	header := make([]string, len(d.split.texts))
	for i, t := range d.split.texts {
		if !utf8.Valid(t) {
			return d.failure(&fault{value: t, reason: "in the header is not UTF-8", hint: "convert the file to UTF-8"}, nil)
		}
		header[i] = strings.TrimSpace(string(t))
	}
	if d.opts.Inferred {
		for i, name := range header {
			if name != "" {
				continue
			}
			name = unnamed(i, header)
			if slices.ContainsFunc(d.fields, func(f stream.Field) bool { return f.Name == name }) {
				header[i] = name
			}
		}
	}
	if n := len(header); d.opts.TrailingComma && n > 1 && header[n-1] == "" && !d.split.quotes[n-1] {
		header = header[:n-1]
	}
	return d.useHeader(header)
}

// useHeader maps fields to columns by name: exactly, else without regard to case.
func (d *Decoder) useHeader(header []string) error {
	d.header, d.width = header, len(header)
	d.target = d.target[:0]
	for range header {
		d.target = append(d.target, -1)
	}
	wanted := map[int]int{}
	for i := range d.cols {
		wanted[d.cols[i].Index] = i
	}
	for f, field := range d.fields {
		at, err := d.find(field.Name, header)
		if err != nil {
			return err
		}
		if i, ok := wanted[f]; ok {
			d.target[at] = i
		}
	}
	d.prepare()
	return nil
}

func (d *Decoder) find(name string, header []string) (int, error) {
	exact, folded, found := -1, -1, 0
	for i, h := range header {
		if h == name {
			if exact >= 0 {
				return 0, diag.New(diag.Decode, diag.Span{}, "%s: the header names column %q twice", d.file, name).
					WithHint("rename one of the columns in the file")
			}
			exact = i
		}
		if strings.EqualFold(h, name) {
			folded = i
			found++
		}
	}
	if exact >= 0 {
		return exact, nil
	}
	if found == 1 {
		return folded, nil
	}
	return 0, diag.New(diag.Decode, diag.Span{}, "%s: the header has no column %q", d.file, name).
		WithDetail("header: %s", text.Shorten([]byte(strings.Join(header, ",")), 200)).
		DidYouMean(name, header, "declare the columns as the header names them, or set 'csv.header' = 'false'")
}
