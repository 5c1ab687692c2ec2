package format

import "streamsql"

// csvPrinter writes RFC 4180 with a header line and line feeds. NULL is an empty
// field; an empty text is quoted, so that the two stay apart.
type csvPrinter struct {
	cols    []Column
	changes bool
	lines   lines
}

func newCSV(cols []Column, changes bool) *csvPrinter {
	p := &csvPrinter{cols: cols, changes: changes}
	p.lines.none, p.lines.tail = newLineText(`""`), newLineText("\n")
	for i := range cols {
		before := ","
		if i == 0 {
			before = ""
		}
		p.lines.cols = append(p.lines.cols, lineColumn{before: newLineText(before)})
	}
	return p
}

func (p *csvPrinter) Begin(dst []byte) []byte {
	if p.changes {
		dst = append(dst, "op"...)
	}
	for i, c := range p.cols {
		if i > 0 || p.changes {
			dst = append(dst, ',')
		}
		dst = appendField(dst, []byte(c.Name))
	}
	return append(dst, '\n')
}

func (p *csvPrinter) Row(dst []byte, kind streamsql.RowKind, cells []Cell) []byte {
	if p.changes {
		dst = append(dst, kind.String()...)
	}
	for i, c := range cells {
		if i > 0 || p.changes {
			dst = append(dst, ',')
		}
		switch {
		case c.Null:
		case c.Plain && len(c.Text) > 0:
			dst = append(dst, c.Text...)
		default:
			dst = appendField(dst, c.Text)
		}
	}
	return append(dst, '\n')
}

func (p *csvPrinter) Rows(dst []byte, r *Rows, from, to int) []byte {
	if !p.changes && p.lines.copies(r, from, to) {
		return p.lines.append(dst, from, to)
	}
	for row := from; row < to; row++ {
		if p.changes {
			dst = append(dst, r.Kind(row).String()...)
			dst = append(dst, ',')
		}
		for i := range r.Cols {
			t := &r.Cols[i]
			switch text := t.Bytes(row); {
			case len(text) > 0 && r.Plain[i]:
				dst = append(dst, text...)
			case len(text) > 0 || !t.IsNull(row):
				dst = appendField(dst, text)
			}
			dst = append(dst, ',')
		}
		dst[len(dst)-1] = '\n'
	}
	return dst
}

func (p *csvPrinter) Flush(dst []byte) []byte { return dst }
func (p *csvPrinter) End(dst []byte) []byte   { return dst }

func appendField(dst, text []byte) []byte {
	if len(text) > 0 && !quotedInCSV(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
