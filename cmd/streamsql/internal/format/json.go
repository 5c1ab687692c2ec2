package format

import (
	"fmt"
	"unicode/utf8"

	"streamsql"
)

// jsonPrinter writes an object per row: one array, or (array false) one object per
// line.
type jsonPrinter struct {
	keys    [][]byte // `{"name":` of the first, `,"name":` of the others
	form    []jsonForm
	changes bool
	array   bool
	bytes   bool // a column holds bytes
	rows    bool // a row has been written
	lines   lines
}

type jsonForm uint8

const (
	jsonText jsonForm = iota
	jsonNumber
	jsonBool
	jsonReady // the text is JSON
)

func newJSON(cols []Column, changes, array bool) *jsonPrinter {
	p := &jsonPrinter{changes: changes, array: array}
	used := map[string]bool{}
	if changes {
		used["op"] = true
	}
	for _, c := range cols {
		// Most readers keep only one of two equal keys: the later one gets a number.
		name := c.Name
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", c.Name, n)
		}
		used[name] = true
		before := ","
		if len(p.keys) == 0 && !changes {
			before = "{"
		}
		p.keys = append(p.keys, append(appendJSONText([]byte(before), []byte(name)), ':'))
		form := jsonText
		switch {
		case isNumber(c.Type):
			form = jsonNumber
		case baseType(c.Type) == "BOOLEAN":
			form = jsonBool
		case c.JSON("json"):
			form = jsonReady
		}
		p.form = append(p.form, form)
	}
	p.initLines(cols)
	return p
}

// initLines lets the quotes of a text stand before and behind it as parts of what does
// not change. Bytes have no texts that are copied.
func (p *jsonPrinter) initLines(cols []Column) {
	quote := ""
	for i, key := range p.keys {
		before := quote + string(key)
		quote = ""
		if p.form[i] == jsonText {
			quote = `"`
		}
		switch baseType(cols[i].Type) {
		case "FLOAT", "DOUBLE":
			p.lines.cols = append(p.lines.cols, lineColumn{finite: true})
		default:
			p.lines.cols = append(p.lines.cols, lineColumn{truth: p.form[i] == jsonBool})
		}
		p.lines.cols[i].before = newLineText(before + quote)
		p.bytes = p.bytes || p.form[i] == jsonReady
	}
	p.lines.tail = newLineText(quote + "}\n")
	p.lines.none = newLineText("")
}

func (p *jsonPrinter) Begin(dst []byte) []byte {
	if p.array {
		dst = append(dst, '[')
	}
	return dst
}

func (p *jsonPrinter) Row(dst []byte, kind streamsql.RowKind, cells []Cell) []byte {
	dst = p.open(dst, kind)
	for i, c := range cells {
		dst = append(dst, p.keys[i]...)
		switch {
		case c.Null:
			dst = append(dst, "null"...)
		case c.Plain && p.form[i] == jsonText:
			dst = append(dst, '"')
			dst = append(dst, c.Text...)
			dst = append(dst, '"')
		default:
			dst = p.form[i].append(dst, c.Text)
		}
	}
	return p.close(dst)
}

func (p *jsonPrinter) Rows(dst []byte, r *Rows, from, to int) []byte {
	if !p.changes && !p.array && !p.bytes && p.lines.copies(r, from, to) {
		p.rows = true
		return p.lines.append(dst, from, to)
	}
	for row := from; row < to; row++ {
		dst = p.open(dst, r.Kind(row))
		for i, key := range p.keys {
			dst = append(dst, key...)
			t := &r.Cols[i]
			switch {
			case t.IsNull(row):
				dst = append(dst, "null"...)
			case r.Plain[i] && p.form[i] == jsonText:
				dst = append(dst, '"')
				dst = append(dst, t.Bytes(row)...)
				dst = append(dst, '"')
			default:
				dst = p.form[i].append(dst, t.Bytes(row))
			}
		}
		dst = p.close(dst)
	}
	return dst
}

// open begins a row, up to the key of its first value.
func (p *jsonPrinter) open(dst []byte, kind streamsql.RowKind) []byte {
	if p.array && p.rows {
		dst = append(dst, ",\n "...)
	}
	p.rows = true
	if p.changes {
		dst = append(dst, `{"op":"`...)
		dst = append(dst, kind.String()...)
		dst = append(dst, '"')
	}
	return dst
}

func (p *jsonPrinter) close(dst []byte) []byte {
	if p.array {
		return append(dst, '}')
	}
	return append(dst, '}', '\n')
}

func (p *jsonPrinter) Flush(dst []byte) []byte { return dst }

func (p *jsonPrinter) End(dst []byte) []byte {
	if p.array {
		dst = append(dst, "]\n"...)
	}
	return dst
}

func (f jsonForm) append(dst, text []byte) []byte {
	switch f {
	case jsonReady:
		return append(dst, text...)
	case jsonNumber:
		// NaN and Infinity are no JSON numbers.
		if n := len(text); n > 0 && text[n-1] >= '0' && text[n-1] <= '9' {
			return append(dst, text...)
		}
	case jsonBool:
		if len(text) == 4 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return appendJSONText(dst, text)
}

const hexDigits = "0123456789abcdef"

func appendJSONText(dst, text []byte) []byte {
	dst = append(dst, '"')
	if Plain(text) {
		dst = append(dst, text...)
		return append(dst, '"')
	}
	for len(text) > 0 {
		c := text[0]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(text)
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, `\ufffd`...)
			} else {
				dst = append(dst, text[:size]...)
			}
			text = text[size:]
			continue
		}
		text = text[1:]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20 || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
