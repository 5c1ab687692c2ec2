package javaregex

import (
	"fmt"
	"regexp"
	"unicode/utf16"
	"unicode/utf8"
)

// Regexp is a compiled regular expression.
type Regexp struct {
	text    string
	groups  int
	literal string // the text that it stands for
	least   int    // characters that a match has at least

	fast           *regexp.Regexp // nil: never the same
	ascii          bool           // fast is the same for ASCII only
	noFinalLineEnd bool           // fast is the same without a line end at the end only

	start  step
	locals int
	whole  bool // a search starts at whole characters only
}

// Compile reads an expression. The error is a *SyntaxError if it is none, and an
// *UnsupportedError if it may be one that is not supported.
func Compile(text string) (*Regexp, error) {
	n, p, err := parse(text)
	if err != nil {
		return nil, err
	}
	r := &Regexp{text: text, groups: p.groups}
	r.least, _, _ = n.lengths()
	r.whole = n.beyond()
	r.literal = n.literal()
	a := &assembler{}
	r.start = a.build(n, accept{})
	if a.steps > maxParts {
		return nil, p.unsupported("so many parts", "write it shorter")
	}
	fast, t := translate(n)
	r.fast, r.ascii, r.noFinalLineEnd = fast, t.ascii, t.noFinalLineEnd
	r.locals = a.locals
	return r, nil
}

// Groups returns the number of groups that capture.
func (r *Regexp) Groups() int { return r.groups }

// same reports whether Go's engine answers as Java's for the text.
func (r *Regexp) same(text []byte) bool {
	if r.fast == nil {
		return false
	}
	top := byte(0xF0) // of characters beyond U+FFFF
	if r.ascii {
		top = utf8.RuneSelf
	}
	for _, c := range text {
		if c >= top {
			return false
		}
	}
	if r.noFinalLineEnd && len(text) > 0 {
		last, _ := utf8.DecodeLastRune(text)
		return !lineEndSet.has(last)
	}
	return true
}

// Matcher finds matches of an expression in a text. Its memory is reused.
type Matcher struct {
	re   *Regexp
	text []byte
	loc  []int   // the match: start and end of each group, in bytes or units
	all  [][]int // matches to come
	fast bool
	run  machine
}

// Match reports whether the expression matches somewhere in the text.
func (m *Matcher) Match(re *Regexp, text []byte) (bool, error) {
	if re.same(text) {
		return re.fast.Match(text), nil
	}
	m.slow(re, text)
	return m.Next()
}

// First finds the first match.
func (m *Matcher) First(re *Regexp, text []byte) (bool, error) {
	if re.same(text) {
		m.re, m.text, m.fast = re, text, true
		m.loc, m.all = re.fast.FindSubmatchIndex(text), nil
		return m.loc != nil, nil
	}
	m.slow(re, text)
	return m.Next()
}

// All starts to find all matches, which Next gives.
func (m *Matcher) All(re *Regexp, text []byte) {
	if re.least > 0 && re.same(text) {
		m.re, m.text, m.fast = re, text, true
		m.all = re.fast.FindAllSubmatchIndex(text, -1)
		return
	}
	m.slow(re, text)
}

func (m *Matcher) slow(re *Regexp, text []byte) {
	m.re, m.text, m.fast, m.all = re, text, false, nil
	r := &m.run
	r.units = r.units[:0]
	for len(text) > 0 {
		c, w := utf8.DecodeRune(text)
		r.units = utf16.AppendRune(r.units, c)
		text = text[w:]
	}
	r.groups = append(r.groups[:0], make([]int, 2*re.groups+2)...)
	r.locals = append(r.locals[:0], make([]int, re.locals)...)
	r.prev, r.steps, r.depth, r.err = 0, 0, 0, nil
	r.groups[0], r.groups[1] = -1, 0
}

// Next finds the next match.
func (m *Matcher) Next() (bool, error) {
	if m.fast {
		if len(m.all) == 0 {
			return false, nil
		}
		m.loc, m.all = m.all[0], m.all[1:]
		return true, nil
	}
	r := &m.run
	from := r.groups[1]
	if r.groups[0] == from { // an empty match
		from++
	}
	r.prev = r.groups[1]
	ok := r.search(m.re.start, m.re.whole, from)
	if r.err != nil {
		return false, fmt.Errorf("regular expression '%s' %w", start(m.re.text), r.err)
	}
	m.loc = r.groups
	return ok, nil
}

// Start returns where the match starts, as a position for AppendSpan.
func (m *Matcher) Start() int { return m.loc[0] }

// End returns where the match ends, as a position for AppendSpan.
func (m *Matcher) End() int { return m.loc[1] }

// Size returns the position of the end of the text.
func (m *Matcher) Size() int {
	if m.fast {
		return len(m.text)
	}
	return len(m.run.units)
}

// Has reports whether a group took part in the match.
func (m *Matcher) Has(group int) bool { return m.loc[2*group] >= 0 }

// AppendGroup appends the text of a group.
func (m *Matcher) AppendGroup(dst []byte, group int) []byte {
	return m.AppendSpan(dst, m.loc[2*group], m.loc[2*group+1])
}

// AppendSpan appends the text between two positions. Half of a character is '?'.
func (m *Matcher) AppendSpan(dst []byte, from, to int) []byte {
	if m.fast {
		return append(dst, m.text[from:to]...)
	}
	u := m.run.units[from:to]
	for i := 0; i < len(u); i++ {
		r := rune(u[i])
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+1 < len(u) {
				low = rune(u[i+1])
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				r = '?'
			} else {
				i++
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// UnitsBefore returns the number of UTF-16 units before the match.
func (m *Matcher) UnitsBefore() int {
	if !m.fast {
		return m.loc[0]
	}
	return utf8.RuneCount(m.text[:m.loc[0]]) // no character has two
}

// Literal returns the text that the expression stands for, if it is a text.
func (r *Regexp) Literal() (string, bool) { return r.literal, r.literal != "" }
