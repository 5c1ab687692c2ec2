package json

import (
	"bytes"

	"streamsql/connector/field"
	"streamsql/stream"
	"streamsql/types"
)

// part decodes values of one place inside a nested type: the elements of an array, the
// keys and values of a map, a field of a row, or the column itself.
type part struct {
	leaf   column     // of a type that is not nested; else only its name and type count
	vec    stream.Vec // of the leaf: one row
	elem   *part      // of an ARRAY; the values of a MAP
	key    *part      // of a MAP
	fields []*part    // of a ROW
	byKey  map[string]int
	list   []member
	at     []int // by field: the place of its value in list, -1: none
	array  types.ArrayBuilder
	row    types.RowBuilder
	pairs  types.MapBuilder
	raw    []byte
}

// newPart returns what decodes values of type t; name is the path to them.
func newPart(name string, t types.Type, separators [2]byte) *part {
	p := &part{leaf: column{Column: field.Column{Name: name, Type: t, Separators: separators}, op: pick(t)}}
	switch t.Kind {
	case types.Array:
		p.elem = newPart(name+"[]", t.Elem(), separators)
	case types.Map:
		p.key, p.elem = newPart(name+" (key)", t.Key(), separators), newPart(name+"[]", t.Elem(), separators)
	case types.Multiset:
		p.key, p.elem = newPart(name+" (element)", t.Elem(), separators), newPart(name+" (count)", types.Of(types.Int).Required(), separators)
	case types.Row:
		p.byKey = map[string]int{}
		for i, f := range t.Fields() {
			p.fields = append(p.fields, newPart(name+"."+f.Name, f.Type, separators))
			p.byKey[f.Name] = i
		}
		p.at = make([]int, len(p.fields))
	}
	return p
}

// nestedValue converts the checked value raw into row of a column of a nested type.
func (d *Decoder) nestedValue(c *column, row int, raw []byte) *fault {
	if c.part == nil {
		c.part = newPart(c.Name, c.Type, c.Separators)
	}
	v, null, f := d.partValue(c.part, raw)
	switch {
	case f != nil:
		return f
	case null:
		return d.null(c, row)
	}
	c.PutBytes(row, v)
	return nil
}

// partValue converts the checked value b into raw bytes, which are valid until the next
// call for the same part.
func (d *Decoder) partValue(p *part, b []byte) (raw []byte, null bool, f *fault) {
	if b[0] == 'n' {
		return nil, true, d.partNull(p)
	}
	if !p.leaf.Type.IsNested() {
		p.vec.Valid = nil
		p.leaf.Start(&p.vec, 1)
		if f = d.value(&p.leaf, 0, b); f != nil {
			return nil, true, f
		}
		p.leaf.Finish(1)
		return p.vec.Raw(0), false, nil
	}
	want := byte('{')
	if p.leaf.Type.Kind == types.Array {
		want = '['
	}
	if b[0] != want {
		return nil, true, d.fault(&p.leaf, b, types.Malformed)
	}
	switch p.leaf.Type.Kind {
	case types.Array:
		f = d.arrayPart(p, b)
	case types.Row:
		f = d.rowPart(p, b)
	default:
		f = d.mapPart(p, b)
	}
	return p.raw, false, f
}

// partNull says what a NULL inside a value means.
func (d *Decoder) partNull(p *part) *fault {
	if !p.leaf.Type.NotNull {
		return nil
	}
	return &fault{col: &p.leaf, reason: "is NULL, but is declared NOT NULL", fatal: true, hint: "declare it without NOT NULL"}
}

// inner is partValue for a value inside another one: one that cannot be read becomes
// NULL there, if that is wanted.
func (d *Decoder) inner(p *part, b []byte) (raw []byte, null bool, f *fault) {
	raw, null, f = d.partValue(p, b)
	if f == nil || f.row || f.fatal || !d.opts.IgnoreParseErrors {
		return raw, null, f
	}
	d.pending = append(d.pending, *f)
	return nil, true, d.partNull(p)
}

func (d *Decoder) arrayPart(p *part, b []byte) *fault {
	p.array.Reset(p.leaf.Type.Elem())
	i := blank(b, 1)
	for b[i] != ']' {
		if b[i] == ',' {
			i = blank(b, i+1)
		}
		end, _ := skipValue(b, i, 1)
		raw, null, f := d.inner(p.elem, b[i:end])
		switch {
		case f != nil:
			return f
		case null:
			p.array.AppendNull()
		default:
			p.array.AppendRaw(raw)
		}
		i = blank(b, end)
	}
	p.raw = p.array.AppendTo(p.raw[:0])
	return nil
}

// keyOf returns the text of a member's key.
func (d *Decoder) keyOf(m *member, b []byte) []byte {
	key := b[m.key:m.keyEnd]
	if bytes.IndexByte(key, '\\') >= 0 {
		d.own = unescape(d.own[:0], key)
		key = d.own
	}
	return key
}

func (d *Decoder) rowPart(p *part, b []byte) *fault {
	p.list, _, _ = members(p.list[:0], b, 0)
	for i := range p.at {
		p.at[i] = -1
	}
	for k := range p.list {
		if i, ok := p.byKey[string(d.keyOf(&p.list[k], b))]; ok {
			p.at[i] = k // of a key that is there twice the last value
		}
	}
	p.row.Reset(p.leaf.Type)
	for i, part := range p.fields {
		var raw []byte
		var f *fault
		null := true
		switch {
		case p.at[i] >= 0:
			m := p.list[p.at[i]]
			raw, null, f = d.inner(part, b[m.from:m.to])
		case d.opts.FailOnMissing:
			return &fault{col: &part.leaf, reason: "is missing", hint: "set 'json.fail-on-missing-field' = 'false' to read missing keys as NULL"}
		default:
			f = d.partNull(part)
		}
		switch {
		case f != nil:
			return f
		case null:
			p.row.AppendNull()
		default:
			p.row.AppendRaw(raw)
		}
	}
	p.raw = p.row.AppendTo(p.raw[:0])
	return nil
}

func (d *Decoder) mapPart(p *part, b []byte) *fault {
	p.list, _, _ = members(p.list[:0], b, 0)
	p.pairs.Reset(p.leaf.Type)
	for k := range p.list {
		m := &p.list[k]
		raw, null, f := d.inner(p.elem, b[m.from:m.to])
		if f != nil {
			return f
		}
		if null {
			raw = nil
		} else if raw == nil {
			raw = []byte{}
		}
		p.key.vec.Valid = nil
		p.key.leaf.Start(&p.key.vec, 1)
		if f := d.text(&p.key.leaf, 0, d.keyOf(m, b), b[m.key-1:m.keyEnd+1]); f != nil {
			return f
		}
		p.key.leaf.Finish(1)
		p.pairs.PutRaw(p.key.vec.Raw(0), raw)
	}
	p.raw = p.pairs.AppendTo(p.raw[:0])
	return nil
}
