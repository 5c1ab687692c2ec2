package csv

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"streamsql/connector/field"
	"streamsql/stream"
	"streamsql/types"
)

// nested decodes the fields of one column of an ARRAY or ROW type: parts between
// element delimiters, which cannot be quoted.
type nested struct {
	parts []column // of the array's elements (one), or the row's fields
	vecs  []stream.Vec
	array types.ArrayBuilder
	row   types.RowBuilder
	raw   []byte
}

func newNested(c *column) *nested {
	n := &nested{}
	add := func(name string, t types.Type) {
		p := column{Column: field.Column{Name: name, Type: t, Separators: c.Separators}, literal: c.literal}
		p.op = p.pick()
		n.parts = append(n.parts, p)
	}
	if c.Type.Kind == types.Array {
		add(c.Name, c.Type.Elem())
	}
	for _, f := range c.Type.Fields() {
		add(c.Name+"."+f.Name, f.Type)
	}
	n.vecs = make([]stream.Vec, len(n.parts))
	return n
}

// nestedValue converts one field of a column of an ARRAY or ROW type.
func (d *Decoder) nestedValue(c *column, v []byte) *fault {
	if c.nested == nil {
		c.nested = newNested(c)
	}
	n := c.nested
	delimiter := []byte(d.opts.ElementDelimiter)
	if c.Type.Kind == types.Row {
		if len(v) == 0 {
			return d.null(c)
		}
		return d.nestedRow(c, v, delimiter)
	}
	n.array.Reset(c.Type.Elem())
	for len(v) > 0 {
		e, rest, more := bytes.Cut(v, delimiter)
		raw, null, f := d.element(c, 0, e)
		switch {
		case f != nil:
			return f
		case null:
			n.array.AppendNull()
		default:
			n.array.AppendRaw(raw)
		}
		if v = rest; more && len(v) == 0 {
			v = nil
			if raw, null, f = d.element(c, 0, v); f != nil { // behind a delimiter at the end
				return f
			} else if null {
				n.array.AppendNull()
			} else {
				n.array.AppendRaw(raw)
			}
		}
	}
	n.raw = n.array.AppendTo(n.raw[:0])
	c.PutBytes(d.rows, n.raw)
	return nil
}

// nestedRow converts a ROW: too few parts are a fault, too many are left out, as in
// Flink.
func (d *Decoder) nestedRow(c *column, v, delimiter []byte) *fault {
	n := c.nested
	parts := bytes.Split(v, delimiter)
	if len(parts) < len(n.parts) && !d.opts.IgnoreParseErrors {
		return &fault{col: c, value: v, reason: fmt.Sprintf("has %d of the %d fields of %s", len(parts), len(n.parts), c.Type.Name()),
			hint: "set 'csv.ignore-parse-errors' = 'true' to read missing fields as NULL"}
	}
	n.row.Reset(c.Type)
	for i := range n.parts {
		if i >= len(parts) {
			n.row.AppendNull()
			continue
		}
		raw, null, f := d.element(c, i, parts[i])
		switch {
		case f != nil:
			return f
		case null:
			n.row.AppendNull()
		default:
			n.row.AppendRaw(raw)
		}
	}
	n.raw = n.row.AppendTo(n.raw[:0])
	c.PutBytes(d.rows, n.raw)
	return nil
}

// element converts part i of a nested value.
func (d *Decoder) element(c *column, i int, v []byte) (raw []byte, null bool, f *fault) {
	p, vec := &c.nested.parts[i], &c.nested.vecs[i]
	if p.literal != nil && bytes.Equal(v, p.literal) || d.opts.EmptyIsNull && len(v) == 0 {
		return nil, true, d.noElement(c, p)
	}
	vec.Valid = nil
	p.Start(vec, 1)
	if p.op == opText {
		if !utf8.Valid(v) {
			return nil, true, &fault{col: c, value: v, reason: "is not UTF-8", hint: "convert the file to UTF-8"}
		}
		p.PutText(0, v)
	} else if wrong := p.Parse(0, v, &rules); wrong != types.OK {
		f := &fault{col: c, value: v, reason: "is not " + article(p.Type)}
		if wrong != types.Malformed {
			f.reason += ": " + wrong.String()
		}
		if !d.opts.IgnoreParseErrors {
			return nil, true, f
		}
		d.pending = append(d.pending, *f)
		return nil, true, d.noElement(c, p)
	}
	p.Finish(1)
	return vec.Raw(0), false, nil
}

// noElement says what a NULL inside a value means.
func (d *Decoder) noElement(c, p *column) *fault {
	if !p.Type.NotNull {
		return nil
	}
	return &fault{col: c, reason: fmt.Sprintf("has a NULL inside, but its %s is declared NOT NULL", p.Type.Name()), fatal: true,
		hint: fmt.Sprintf("declare the parts of column %q without NOT NULL", c.Name)}
}

// appendNested appends a nested value, given by its raw bytes, as one field: its parts
// with the element delimiter between them, which nothing escapes.
func (e *Encoder) appendNested(dst []byte, t types.Type, raw []byte) []byte {
	quote := e.opts.Quote
	e.opts.Quote = 0 // the whole field is quoted, not its parts
	text := e.nested[:0]
	part := func(i int, t types.Type, null bool, raw func(int) []byte) {
		if i > 0 {
			text = append(text, e.opts.ElementDelimiter...)
		}
		e.one.ResetConst(t)
		if null {
			e.one.Put(0, 1, types.NullValue)
		} else {
			e.one.PutRaw(0, raw(i))
		}
		text = e.AppendValue(text, &e.one, 0)
	}
	if t.Kind == types.Array {
		a := types.ReadArray(t, raw)
		for i := range a.Len() {
			part(i, a.Elem(), a.IsNull(i), a.Raw)
		}
	} else {
		r := types.ReadRow(t, raw)
		for i, f := range t.Fields() {
			part(i, f.Type, r.IsNull(i), r.Raw)
		}
	}
	e.nested, e.opts.Quote = text, quote
	return e.quoted(dst, text)
}
