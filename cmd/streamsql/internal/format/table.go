package format

import (
	"slices"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"streamsql"
)

// A table holds rows back until it knows how wide its columns are: for live results
// a batch, otherwise this many rows or bytes. Wider values that come later push
// their line to the right; nothing is ever cut.
const (
	tableSampleRows  = 4096
	tableSampleBytes = 4 << 20
	liveNumberWidth  = 8 // the first batch of a live result says little about numbers
)

// gap stands between columns.
const gap = "  "

type tablePrinter struct {
	cols  []Column // with op, if changes are shown
	right []bool
	width []int
	live  bool
	op    int // 1 if the first column is op

	fixed bool // widths are decided and the header is written
	text  []byte
	ends  []int // of the held cells in text
	wide  bool  // some of them are not as wide as long
	cell  []byte
	cells []Cell
	lines lines
}

func newTable(cols []Column, l Layout) *tablePrinter {
	p := &tablePrinter{live: l.Live}
	if l.Changes {
		p.op = 1
		p.cols = append(p.cols, Column{Name: "op"})
	}
	p.cols = append(p.cols, cols...)
	p.lines.cols = make([]lineColumn, len(cols))
	for _, c := range p.cols {
		p.right = append(p.right, isNumber(c.Type))
		w := displayWidth([]byte(c.Name))
		if l.Live && isNumber(c.Type) {
			w = max(w, liveNumberWidth)
		}
		p.width = append(p.width, w)
	}
	return p
}

func (p *tablePrinter) Begin(dst []byte) []byte { return dst }

func (p *tablePrinter) Row(dst []byte, kind streamsql.RowKind, cells []Cell) []byte {
	if p.fixed {
		if p.op == 1 {
			dst = p.append(dst, 0, []byte(kind.String()))
		}
		for i, c := range cells {
			if c.Plain && !c.Null {
				dst = p.pad(dst, i+p.op, c.Text, len(c.Text))
				continue
			}
			p.cell = appendShown(p.cell[:0], c)
			dst = p.append(dst, i+p.op, p.cell)
		}
		return dst
	}
	if p.op == 1 {
		p.hold([]byte(kind.String()), 0)
	}
	for i, c := range cells {
		if c.Plain && !c.Null {
			p.keep(c.Text, i+p.op, len(c.Text))
			continue
		}
		p.cell = appendShown(p.cell[:0], c)
		p.hold(p.cell, i+p.op)
	}
	if len(p.ends) >= tableSampleRows*len(p.cols) || len(p.text) >= tableSampleBytes {
		return p.fix(dst)
	}
	return dst
}

// Rows prints rows once the widths are decided; those before are held one by one.
func (p *tablePrinter) Rows(dst []byte, r *Rows, from, to int) []byte {
	if p.cells == nil {
		p.cells = make([]Cell, len(r.Cols))
	}
	for ; from < to && !p.fixed; from++ {
		r.Cells(p.cells, from)
		dst = p.Row(dst, r.Kind(from), p.cells)
	}
	if from < to && p.op == 0 && p.lines.copies(r, from, to) {
		return p.appendLines(dst, from, to)
	}
	for row := from; row < to; row++ {
		if p.op == 1 {
			dst = p.append(dst, 0, []byte(r.Kind(row).String()))
		}
		for i := range r.Cols {
			t := &r.Cols[i]
			text := t.Bytes(row)
			if r.Plain[i] && len(text) > 0 {
				dst = p.pad(dst, i+p.op, text, len(text))
				continue
			}
			p.cell = appendShown(p.cell[:0], Cell{Text: text, Null: t.IsNull(row)})
			dst = p.append(dst, i+p.op, p.cell)
		}
	}
	return dst
}

// appendLines writes rows whose texts are copied, as lines does.
func (p *tablePrinter) appendLines(dst []byte, from, to int) []byte {
	size := 1
	for _, w := range p.width {
		size += w + len(gap)
	}
	size *= to - from
	for i := range p.cols {
		c := &p.lines.cols[i]
		size += int(c.off[to] - c.off[from])
	}
	at := len(dst)
	dst = slices.Grow(dst, size+lineBlock)
	dst = dst[:cap(dst)]
	for row := from; row < to; row++ {
		blanks := 0
		for i := range p.lines.cols {
			c := &p.lines.cols[i]
			start, end := int(c.off[row]), int(c.off[row+1])
			pad := max(0, p.width[i]-(end-start))
			if p.right[i] {
				blanks, pad = blanks+pad, 0
			}
			at = putBlanks(dst, at, blanks)
			at = putBlocks(dst, at, c.data, start, end)
			blanks = pad + len(gap)
		}
		dst[at] = '\n'
		at++
	}
	return dst[:at]
}

// Flush decides the widths of a live table with the rows it has; a bounded one
// waits for more.
func (p *tablePrinter) Flush(dst []byte) []byte {
	if p.live && !p.fixed && len(p.ends) > 0 {
		return p.fix(dst)
	}
	return dst
}

func (p *tablePrinter) End(dst []byte) []byte {
	if !p.fixed {
		return p.fix(dst)
	}
	return dst
}

func (p *tablePrinter) hold(shown []byte, col int) {
	width := displayWidth(shown)
	p.wide = p.wide || width != len(shown)
	p.keep(shown, col, width)
}

func (p *tablePrinter) keep(shown []byte, col, width int) {
	p.text = append(p.text, shown...)
	p.ends = append(p.ends, len(p.text))
	p.width[col] = max(p.width[col], width)
}

func (p *tablePrinter) fix(dst []byte) []byte {
	p.fixed = true
	for i, c := range p.cols {
		p.cell = appendShown(p.cell[:0], Cell{Text: []byte(c.Name)})
		dst = p.append(dst, i, p.cell)
	}
	start := 0
	for i, end := range p.ends {
		if col := i % len(p.cols); p.wide {
			dst = p.append(dst, col, p.text[start:end])
		} else {
			dst = p.pad(dst, col, p.text[start:end], end-start)
		}
		start = end
	}
	p.text, p.ends = nil, nil
	return dst
}

// append writes a cell, padded, with the gap before it or the line end behind it.
func (p *tablePrinter) append(dst []byte, col int, shown []byte) []byte {
	return p.pad(dst, col, shown, displayWidth(shown))
}

// pad is append for a text whose width is known.
func (p *tablePrinter) pad(dst []byte, col int, shown []byte, width int) []byte {
	if col > 0 {
		dst = append(dst, gap...)
	}
	pad := p.width[col] - width
	last := col == len(p.cols)-1
	if p.right[col] {
		dst = appendBlanks(dst, pad)
	}
	dst = append(dst, shown...)
	if !p.right[col] && !last {
		dst = appendBlanks(dst, pad)
	}
	if last {
		dst = append(dst, '\n')
	}
	return dst
}

func appendBlanks(dst []byte, n int) []byte {
	const blanks = "                                "
	if n <= 0 {
		return dst
	}
	for ; n > len(blanks); n -= len(blanks) {
		dst = append(dst, blanks...)
	}
	return append(dst, blanks[:n]...)
}

// appendShown appends a value as a terminal can take it: control characters, which
// could break the table or steer the terminal, are written as escapes.
func appendShown(dst []byte, c Cell) []byte {
	if c.Null {
		return append(dst, "NULL"...)
	}
	text := c.Text
	for len(text) > 0 {
		b := text[0]
		if b >= 0x20 && b < 0x7f {
			dst = append(dst, b)
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case b == '\n':
			dst = append(dst, `\n`...)
		case b == '\t':
			dst = append(dst, `\t`...)
		case b == '\r':
			dst = append(dst, `\r`...)
		case b < 0x20 || b == 0x7f || r == utf8.RuneError && size == 1:
			dst = append(dst, '\\', 'x', hexDigits[b>>4], hexDigits[b&15])
		case r >= 0x80 && r < 0xa0:
			dst = append(dst, '\\', 'x', hexDigits[r>>4], hexDigits[r&15])
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return dst
}

func displayWidth(text []byte) int {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return runewidth.StringWidth(string(text))
		}
	}
	return len(text)
}
