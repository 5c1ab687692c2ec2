package builtin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func patternOperators() []*expr.Function {
	return []*expr.Function{
		{Name: "LIKE", Class: "comparison", Operator: true, Usage: "text LIKE pattern [ESCAPE character]",
			Doc:      "Matches the whole text; % stands for any characters, _ for one. There is no escape character unless given.",
			Examples: []expr.Example{{SQL: "'abc' LIKE 'a%'", Result: "TRUE"}, {SQL: "'a%c' LIKE 'a!%%' ESCAPE '!'", Result: "TRUE"}},
			Resolve:  resolveLike},
		{Name: "||", Class: "string", Operator: true, Usage: "text || text", Doc: "Texts joined.",
			Examples: []expr.Example{{SQL: "'a' || 'bc'", Result: "abc"}}, Resolve: resolveJoin},
	}
}

func resolveLike(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: like(boolType, args)}
	var escape string
	if len(args) == 3 {
		s, ok := constText(lits, 2)
		if !ok {
			return res, errors.New("expects the ESCAPE character as a literal")
		}
		if utf8.RuneCountInString(s) != 1 {
			return res, fmt.Errorf("expects one ESCAPE character, not '%s'", s)
		}
		escape = s
	}
	if s, ok := constText(lits, 1); ok {
		p, err := parsePattern([]byte(s), escape)
		if err != nil {
			return res, err
		}
		res.New = safe(p.run)
		return res, nil
	}
	res.CanFail = escape != ""
	res.New = func() expr.Kernel { return likeColumn(escape) }
	return res, nil
}

// likeColumn matches against a pattern per row; a pattern that repeats is parsed
// once.
func likeColumn(escape string) expr.Kernel {
	p := new(pattern)
	var text []byte
	known := false
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		return each(rows, func(i int) error {
			if !isValid(out, i) {
				return nil
			}
			if b := args[1].Bytes(i); !known || !bytes.Equal(b, text) {
				text, known = append(text[:0], b...), true
				if err := p.parse(text, escape); err != nil {
					known = false
					return &expr.RowError{Row: i, Msg: err.Error()}
				}
			}
			out.SetBool(i, p.match(args[0].Bytes(i)))
			return nil
		})
	}
}

// pattern is a parsed LIKE pattern: literal pieces with gaps between them. A piece
// may hold _ marks, one per character; then wild is set.
type pattern struct {
	pieces   []piece
	anyStart bool // begins with %
	anyEnd   bool // ends with %
	buf      []byte
	marks    []bool
}

// piece is text between two %. mark[i] says that byte i stands for one character
// of any kind; nil: none does.
type piece struct {
	text []byte
	mark []bool
	wild bool
}

func parsePattern(s []byte, escape string) (*pattern, error) {
	p := new(pattern)
	return p, p.parse(s, escape)
}

// parse reads a pattern into p, reusing its memory.
func (p *pattern) parse(s []byte, escape string) error {
	p.pieces, p.buf, p.marks = p.pieces[:0], p.buf[:0], p.marks[:0]
	p.anyStart, p.anyEnd = false, false
	if cap(p.buf) < len(s) {
		p.buf, p.marks = make([]byte, 0, len(s)), make([]bool, 0, len(s))
	}
	start, wild := 0, false
	end := func() {
		if n := len(p.buf); n > start {
			p.pieces = append(p.pieces, piece{p.buf[start:n:n], p.marks[start:n:n], wild})
		}
		start, wild = len(p.buf), false
	}
	for i := 0; i < len(s); {
		p.anyEnd = false
		if escape != "" && bytes.HasPrefix(s[i:], []byte(escape)) {
			rest := s[i+len(escape):]
			switch {
			case len(rest) > 0 && (rest[0] == '%' || rest[0] == '_'):
				p.buf, p.marks = append(p.buf, rest[0]), append(p.marks, false)
				i += len(escape) + 1
			case bytes.HasPrefix(rest, []byte(escape)):
				for _, b := range []byte(escape) {
					p.buf, p.marks = append(p.buf, b), append(p.marks, false)
				}
				i += 2 * len(escape)
			default:
				return fmt.Errorf("the escape character in pattern '%s' must stand before %%, _ or itself", s)
			}
			continue
		}
		switch c := s[i]; c {
		case '%':
			p.anyStart = p.anyStart || i == 0
			p.anyEnd = true
			end()
		case '_':
			p.buf, p.marks = append(p.buf, '_'), append(p.marks, true)
			wild = true
		default:
			p.buf, p.marks = append(p.buf, c), append(p.marks, false)
		}
		i++
	}
	end()
	return nil
}

// run matches a constant pattern; the shapes that people write most are tested in the
// loop.
func (p *pattern) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	v := textRowsOf(args[0])
	shape, first, last := p.shape()
	is := func(i int) bool { return p.fits(shape, v.at(i), first, last) }
	if rows.Sel != nil || shape == otherShape {
		setBools(out, rows, is)
		return
	}
	words := out.Words()
	if shape == prefixShape || shape == suffixShape {
		if quick := endWords(shape, args[0], first, words, rows.N); quick {
			return
		}
	}
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, rows.N); i++ {
			if p.fits(shape, v.at(i), first, last) {
				w |= 1 << (i & 63)
			}
		}
		words[k] = w
	}
}

// endWords tests one end of texts, the first eight bytes of it at once; false: there is
// no room behind the texts to read so many.
func endWords(shape patternShape, v *stream.Vec, end []byte, words []uint64, n int) bool {
	data, off, size := v.Data[:cap(v.Data)], v.Off, len(end)
	if v.Enc != stream.Flat || size == 0 || len(data) < int(off[n])+8 {
		return false
	}
	var start [8]byte
	short := copy(start[:], end)
	want, mask := binary.LittleEndian.Uint64(start[:]), ^uint64(0)>>(64-8*short)
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, n); i++ {
			lo, hi := int(off[i]), int(off[i+1])
			if hi-lo < size {
				continue
			}
			if shape == suffixShape {
				lo = hi - size
			}
			is := binary.LittleEndian.Uint64(data[lo:])&mask == want
			if size > 8 && is {
				is = string(data[lo+8:lo+size]) == string(end[8:])
			}
			w |= bit(is) << (i & 63)
		}
		words[k] = w
	}
	return true
}

// patternShape is a form of pattern without _ that has a test of its own.
type patternShape uint8

const (
	otherShape  patternShape = iota
	wholeShape               // a
	prefixShape              // a%
	suffixShape              // %a
	infixShape               // %a%
	endsShape                // a%b
)

// shape returns the shape of the pattern and its texts.
func (p *pattern) shape() (s patternShape, first, last []byte) {
	n := len(p.pieces)
	if n == 0 || n > 2 || p.pieces[0].wild || p.pieces[n-1].wild {
		return otherShape, nil, nil
	}
	first, last = p.pieces[0].text, p.pieces[n-1].text
	switch {
	case n == 2 && !p.anyStart && !p.anyEnd:
		return endsShape, first, last
	case n == 2:
		return otherShape, nil, nil
	case p.anyStart && p.anyEnd:
		return infixShape, first, last
	case p.anyEnd:
		return prefixShape, first, last
	case p.anyStart:
		return suffixShape, first, last
	}
	return wholeShape, first, last
}

// fits reports whether the whole of s fits a pattern of the shape.
func (p *pattern) fits(shape patternShape, s, first, last []byte) bool {
	switch shape {
	case prefixShape:
		return hasPrefix(s, first)
	case suffixShape:
		return hasSuffix(s, last)
	case infixShape:
		return bytes.Contains(s, first)
	case endsShape:
		return len(s) >= len(first)+len(last) && hasPrefix(s, first) && hasSuffix(s, last)
	case wholeShape:
		return string(s) == string(first)
	}
	return p.match(s)
}

// match reports whether the whole of s fits. Each piece is taken at its first
// place, which loses nothing because only the ends are anchored.
func (p *pattern) match(s []byte) bool {
	pieces := p.pieces
	if len(pieces) == 0 {
		return p.anyStart || len(s) == 0
	}
	if !p.anyStart {
		n := pieces[0].prefix(s)
		if n < 0 {
			return false
		}
		s, pieces = s[n:], pieces[1:]
		if len(pieces) == 0 {
			return p.anyEnd || len(s) == 0
		}
	}
	last := len(pieces)
	if !p.anyEnd {
		last--
	}
	for _, q := range pieces[:last] {
		at, n := q.find(s)
		if at < 0 {
			return false
		}
		s = s[at+n:]
	}
	if p.anyEnd {
		return true
	}
	return pieces[last].suffix(s)
}

// prefix returns the number of bytes of s that the piece takes at the start, or -1.
func (q piece) prefix(s []byte) int {
	if !q.wild {
		if bytes.HasPrefix(s, q.text) {
			return len(q.text)
		}
		return -1
	}
	n := 0
	for i, c := range q.text {
		if n >= len(s) {
			return -1
		}
		if q.mark[i] {
			_, w := utf8.DecodeRune(s[n:])
			n += w
			continue
		}
		if s[n] != c {
			return -1
		}
		n++
	}
	return n
}

// find returns the first place of the piece in s and the bytes it takes there.
func (q piece) find(s []byte) (at, n int) {
	if !q.wild {
		return bytes.Index(s, q.text), len(q.text)
	}
	for at = 0; at <= len(s); {
		if n = q.prefix(s[at:]); n >= 0 {
			return at, n
		}
		if at == len(s) {
			break
		}
		_, w := utf8.DecodeRune(s[at:])
		at += w
	}
	return -1, 0
}

// suffix reports whether the piece takes exactly the end of s.
func (q piece) suffix(s []byte) bool {
	if !q.wild {
		return bytes.HasSuffix(s, q.text)
	}
	// Match from the back: a mark takes the character that ends there.
	end := len(s)
	for i := len(q.text) - 1; i >= 0; i-- {
		if end == 0 {
			return false
		}
		if q.mark[i] {
			_, w := utf8.DecodeLastRune(s[:end])
			end -= w
			continue
		}
		if s[end-1] != q.text[i] {
			return false
		}
		end--
	}
	return end == 0 || utf8.RuneStart(s[end])
}

// resolveJoin binds ||: lengths add up, STRING stays STRING.
func resolveJoin(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	a, b := args[0], args[1]
	t := types.NewVarchar(int(min(int64(a.Length)+int64(b.Length), types.MaxLength)))
	if a.Kind == types.Char && b.Kind == types.Char {
		t.Kind = types.Char
	}
	return expr.Resolution{Args: to, Result: like(t, args), New: safe(join)}, nil
}
