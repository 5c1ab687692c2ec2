package json

import (
	"bytes"
	"fmt"

	"streamsql/connector/text"
	"streamsql/internal/diag"
)

// slow decodes one line, or what is left of it, by all the rules and returns the
// place behind it; pos itself if the line is cut. Where an array fills the batch
// it returns the place behind the last element used.
func (d *Decoder) slow(data []byte, pos int, st text.State) (int, error) {
	end := bytes.IndexByte(data[pos:], '\n')
	next := pos + end + 1
	if end < 0 {
		if st == text.More {
			return pos, nil
		}
		end, next = len(data)-pos, len(data)
	}
	line := data[pos : pos+end]
	whole := next > pos+end || st == text.End
	if d.place == overlong || len(bytes.TrimSuffix(line, carriageReturn)) > text.MaxRecord {
		return d.tooLong(line, pos, next, whole)
	}
	if d.place != lineStart {
		return d.array(line, pos, next, d.place)
	}
	if len(line) == 0 || len(line) == 1 && line[0] == '\r' {
		d.nextLine()
		return next, nil
	}
	i := blank(line, 0)
	if i < len(line) && line[i] == '[' {
		return d.array(line[i+1:], pos+i+1, next, arrayStart)
	}
	if f := d.object(line, i, true); f != nil {
		if !d.opts.IgnoreParseErrors || f.fatal {
			return pos, d.failure(f, line)
		}
		d.drop(f, line)
	} else {
		d.commit(line)
		if next > pos+end {
			d.layout.learn(data[pos:next], d.list, d)
		}
	}
	d.nextLine()
	return next, nil
}

var carriageReturn = []byte{'\r'}

// tooLong leaves out a line that is too long, or one more part of it; whole says
// that it ends at next.
func (d *Decoder) tooLong(line []byte, pos, next int, whole bool) (int, error) {
	if d.place != overlong {
		f := &fault{reason: "line is longer than 16 MiB", hint: "write each object on a line of its own"}
		if !d.opts.IgnoreParseErrors {
			return pos, d.failure(f, line)
		}
		d.drop(f, line)
	}
	if whole {
		d.nextLine()
		return next, nil
	}
	d.place = overlong
	return next - 1, nil // whoever reads must see that the line goes on
}

func (d *Decoder) nextLine() {
	d.line++
	d.place = lineStart
}

// array decodes what is left of an array, one row an element; rest is at pos in
// the data, and next is behind the line.
func (d *Decoder) array(rest []byte, pos, next int, at place) (int, error) {
	if d.forked {
		// The place inside the line is not known to whoever puts the parts together.
		return pos, diag.New(diag.Internal, diag.Span{}, "array in a part of %s", d.file)
	}
	for {
		var f *fault
		i := blank(rest, 0)
		if i < len(rest) && rest[i] == ']' {
			if i = blank(rest, i+1); i < len(rest) {
				f = problem{i, "text behind the array"}.fault()
			}
			return d.endArray(f, at, rest, pos, next)
		}
		if at == arrayElement && (i == len(rest) || rest[i] != ',') {
			return d.endArray(expected(rest, i, "',' or ']'").fault(), at, rest, pos, next)
		}
		if d.IsFull() {
			d.place = at
			return pos, nil
		}
		if at == arrayElement {
			i = blank(rest, i+1)
		}
		if f = d.object(rest, i, false); f != nil {
			return d.endArray(f, at, rest, pos, next)
		}
		d.commit(rest[i:d.end])
		pos += d.end
		rest, at = rest[d.end:], arrayElement
	}
}

// endArray ends the line of an array of which rest is left, at a place in it. What is
// behind a fault is lost, as in Flink.
func (d *Decoder) endArray(f *fault, at place, rest []byte, pos, next int) (int, error) {
	if f != nil {
		if !d.opts.IgnoreParseErrors || f.fatal {
			d.place = at // whoever goes on here must meet the fault again
			return pos, d.failure(f, rest)
		}
		d.drop(f, rest)
	}
	d.nextLine()
	return next, nil
}

// object decodes the object at b[i] into the row to come; alone says that nothing
// may follow it. d.end is then behind it.
func (d *Decoder) object(b []byte, i int, alone bool) *fault {
	if i >= len(b) || b[i] != '{' {
		if alone {
			return problem{i, "'{' expected"}.fault()
		}
		return expected(b, i, "'{'").fault()
	}
	var p problem
	if d.list, d.end, p = members(d.list[:0], b, i); p.reason != "" {
		return p.fault()
	}
	if alone {
		if i = blank(b, d.end); i < len(b) {
			return problem{i, "text behind the object"}.fault()
		}
	}
	for i := range d.cols {
		d.cols[i].from = 0
	}
	for i := range d.list {
		m := &d.list[i]
		key := b[m.key:m.keyEnd]
		if bytes.IndexByte(key, '\\') >= 0 {
			d.own = unescape(d.own[:0], key)
			key = d.own
		}
		m.col = -1
		if k, ok := d.byKey[string(key)]; ok {
			m.col = k
			d.cols[k].from, d.cols[k].to = m.from, m.to // of a key that is there twice the last value
		}
	}
	return d.values(b)
}

// values converts the values that were found.
func (d *Decoder) values(b []byte) *fault {
	d.pending = d.pending[:0]
	for i := range d.cols {
		c := &d.cols[i]
		c.Valid(d.rows)
		var f *fault
		switch {
		case c.from > 0:
			f = d.value(c, d.rows, b[c.from:c.to])
		case d.opts.FailOnMissing:
			return &fault{col: c, reason: "is missing", hint: "set 'json.fail-on-missing-field' = 'false' to read missing keys as NULL"}
		default:
			f = d.null(c, d.rows)
		}
		if f == nil {
			continue
		}
		if f.row || f.fatal || !d.opts.IgnoreParseErrors {
			return f
		}
		if g := d.null(c, d.rows); g != nil {
			return g
		}
		d.pending = append(d.pending, *f)
	}
	return nil
}

// commit ends a row of the batch; record is its text.
func (d *Decoder) commit(record []byte) {
	for i := range d.pending {
		d.nulled(&d.pending[i], record)
	}
	d.placed()
	d.rows++
	d.weigh()
}

// drop leaves a record out.
func (d *Decoder) drop(f *fault, record []byte) {
	for i := range d.cols {
		d.cols[i].Valid(d.rows)
	}
	d.skipped(f, record)
}

func (p problem) fault() *fault {
	f := &fault{row: true, reason: fmt.Sprintf("%s at byte %d", p.reason, p.at+1)}
	if p.reason == cutOff {
		f.reason, f.hint = p.reason, "write each object on one line"
	}
	return f
}
