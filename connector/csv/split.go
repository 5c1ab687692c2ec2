package csv

import (
	"bytes"

	"streamsql/connector/text"
)

// splitter splits one record into fields by all the rules.
type splitter struct {
	opts   *Options
	spans  []span
	texts  [][]byte // the fields, valid until the next record
	quotes []bool   // the field was quoted
	own    []byte   // texts that differ from the input: quotes and escapes taken out
}

// span says where a field's text lies: in the input, or in own.
type span struct {
	from, to int
	own      bool
}

// outcome of splitting.
type outcome uint8

const (
	wholeRecord outcome = iota // a record
	cut                        // it ends behind the data
	wrong                      // it breaks the rules
)

// record splits the record at the start of data. n is the number of bytes with
// the line end, size without. Where the record is wrong, they tell the same of
// the text that is given up (n is 0: it is a line that is too long, and its end is not
// in the data), and f says why.
func (s *splitter) record(data []byte, st text.State) (n, size int, o outcome, f *fault) {
	s.spans, s.quotes, s.own = s.spans[:0], s.quotes[:0], s.own[:0]
	delim := s.opts.Delimiter
	i := 0
	for {
		i, o, f = s.field(data, i, st)
		if o == wholeRecord && i == len(data) && st == text.Full {
			o, f = wrong, tooLong()
		}
		switch o {
		case cut:
			return 0, 0, cut, nil
		case wrong:
			return s.giveUp(data, i, st, f)
		}
		if !bytes.HasPrefix(data[i:], delim) {
			break
		}
		i += len(delim)
	}
	if st == text.More && (i == len(data) || data[i] == '\r' && i+1 == len(data)) {
		return 0, 0, cut, nil // a line feed may follow
	}
	if i > text.MaxRecord {
		return s.giveUp(data, 0, st, tooLong())
	}
	s.finish(data)
	return lineEnd(data, i), i, wholeRecord, nil
}

// giveUp finds the end of a wrong record whose fault is at i. Text behind a quote:
// behind the line where it stands. A quote that is never closed, or a record that is
// too long: behind the line where the record starts. All of this depends on the input
// alone, not on how much of it is in the data.
func (s *splitter) giveUp(data []byte, i int, st text.State, f *fault) (int, int, outcome, *fault) {
	if i == len(data) {
		if i > text.Enough {
			f = tooLong()
		}
		i = 0
	}
	size := lineText(data, i)
	if size > text.MaxRecord && i > 0 {
		f = tooLong()
		size = lineText(data, 0)
	}
	if size == len(data) || size+1 == len(data) && data[size] == '\r' {
		switch {
		case st == text.More:
			return 0, 0, cut, nil
		case st == text.Full:
			return 0, size, wrong, f
		}
	}
	return lineEnd(data, size), size, wrong, f
}

func tooLong() *fault {
	return &fault{reason: "record is longer than 16 MiB", hint: "look for a quote that is not closed"}
}

// finish makes the texts.
func (s *splitter) finish(data []byte) {
	s.texts = s.texts[:0]
	for _, p := range s.spans {
		if p.own {
			s.texts = append(s.texts, s.own[p.from:p.to:p.to])
		} else {
			s.texts = append(s.texts, data[p.from:p.to:p.to])
		}
	}
}

// field reads the field at i and returns the place of the delimiter or line end
// behind it, or of the fault.
func (s *splitter) field(data []byte, i int, st text.State) (int, outcome, *fault) {
	o := s.opts
	if o.TrimSpaces {
		for i < len(data) && blank(data[i]) && !bytes.HasPrefix(data[i:], o.Delimiter) {
			i++
		}
	}
	if o.Quote != 0 && i < len(data) && data[i] == o.Quote {
		return s.quoted(data, i, st)
	}
	from, own := i, len(s.own)
	copied := false
	for i < len(data) {
		c := data[i]
		if c == '\n' || c == '\r' || c == o.Delimiter[0] && bytes.HasPrefix(data[i:], o.Delimiter) {
			break
		}
		if o.Escape != 0 && c == o.Escape {
			if !copied {
				s.own = append(s.own, data[from:i]...)
				copied = true
			}
			if i+1 == len(data) {
				return s.ended(st, i, "escape character at the end of the input")
			}
			s.own = append(s.own, unescaped(data[i+1]))
			i += 2
			continue
		}
		if copied {
			s.own = append(s.own, c)
		}
		i++
	}
	if i == len(data) && st == text.More {
		return 0, cut, nil
	}
	p := span{from, i, false}
	if copied {
		p = span{own, len(s.own), true}
	}
	if o.TrimSpaces {
		src := data
		if copied {
			src = s.own
		}
		for p.to > p.from && blank(src[p.to-1]) {
			p.to--
		}
	}
	s.spans, s.quotes = append(s.spans, p), append(s.quotes, false)
	return i, wholeRecord, nil
}

func (s *splitter) quoted(data []byte, i int, st text.State) (int, outcome, *fault) {
	o := s.opts
	i++
	from, own := i, len(s.own)
	copied := false
	for {
		j := i
		if o.Escape == 0 {
			if j = bytes.IndexByte(data[i:], o.Quote) + i; j < i {
				j = len(data)
			}
		}
		for j < len(data) && data[j] != o.Quote && data[j] != o.Escape {
			j++
		}
		if copied {
			s.own = append(s.own, data[i:j]...)
		}
		if j == len(data) || j+1 == len(data) && st == text.More {
			if st == text.Full {
				return len(data), wrong, tooLong()
			}
			return s.ended(st, len(data), "quote is not closed")
		}
		if !copied && (data[j] != o.Quote || j+1 < len(data) && data[j+1] == o.Quote) {
			s.own = append(s.own, data[from:j]...)
			copied = true
		}
		if data[j] != o.Quote { // the escape character
			if j+1 == len(data) {
				return s.ended(st, len(data), "quote is not closed")
			}
			s.own = append(s.own, unescaped(data[j+1]))
			i = j + 2
			continue
		}
		if j+1 < len(data) && data[j+1] == o.Quote {
			s.own = append(s.own, o.Quote)
			i = j + 2
			continue
		}
		p := span{from, j, false}
		if copied {
			p = span{own, len(s.own), true}
		}
		s.spans, s.quotes = append(s.spans, p), append(s.quotes, true)
		i = j + 1
		break
	}
	for i < len(data) && (data[i] == ' ' || data[i] == '\t') && !bytes.HasPrefix(data[i:], o.Delimiter) {
		i++
	}
	if i == len(data) {
		if st == text.More {
			return 0, cut, nil
		}
		return i, wholeRecord, nil
	}
	if data[i] == '\n' || data[i] == '\r' || bytes.HasPrefix(data[i:], o.Delimiter) {
		return i, wholeRecord, nil
	}
	if st == text.More && len(data)-i < len(o.Delimiter) {
		return 0, cut, nil
	}
	return i, wrong, &fault{reason: "text behind a closing quote"}
}

// ended is for a field that runs into the end of the data.
func (s *splitter) ended(st text.State, at int, reason string) (int, outcome, *fault) {
	if st == text.More {
		return 0, cut, nil
	}
	return at, wrong, &fault{reason: reason}
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	}
	return c
}

// lineEnd returns the place behind the next line end at or behind i, or the end
// of the data; lineText the place before it.
func lineEnd(data []byte, i int) int {
	i = lineText(data, i)
	if i+1 < len(data) && data[i] == '\r' && data[i+1] == '\n' {
		return i + 2
	}
	return min(i+1, len(data))
}

func lineText(data []byte, i int) int {
	for i < len(data) && data[i] != '\n' && data[i] != '\r' {
		i++
	}
	return i
}
