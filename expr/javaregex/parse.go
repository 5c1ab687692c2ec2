package javaregex

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type flagSet uint8

const (
	foldCase flagSet = 1 << iota
	foldAll
	multiline
	dotAll
	unixLines
	comments
)

// SyntaxError says that a text is no regular expression.
type SyntaxError struct {
	Pattern, What string
}

// Error returns one line.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("regular expression '%s' is not valid: %s", start(e.Pattern), e.What)
}

// UnsupportedError says that a regular expression, which may be valid, uses what is not
// supported.
type UnsupportedError struct {
	Pattern, What, Hint string
}

// Error returns one line.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("regular expression '%s' uses %s, which is not supported; %s", start(e.Pattern), e.What, e.Hint)
}

// start returns as much of an expression as an error shows.
func start(pattern string) string {
	n := 0
	for i := range pattern {
		if n++; n > 100 {
			return pattern[:i] + "..."
		}
	}
	return pattern
}

const (
	maxNesting = 250     // of groups and classes
	maxParts   = 1 << 18 // of an expression; each may be a call on the stack
)

type parser struct {
	text   string
	rest   []rune // what is left, after \Q..\E
	flags  flagSet
	groups int
	names  map[string]int
	depth  int
}

func (p *parser) bad(what string) error { return &SyntaxError{Pattern: p.text, What: what} }

func (p *parser) unsupported(what, hint string) error {
	return &UnsupportedError{Pattern: p.text, What: what, Hint: hint}
}

const end = -1

// peek returns the next character, end behind the last one. With (?x) white space and
// comments are no characters.
func (p *parser) peek() rune {
	if p.flags&comments != 0 {
		p.skipBlank()
	}
	return p.here()
}

// here returns the next character whatever it is.
func (p *parser) here() rune {
	if len(p.rest) == 0 {
		return end
	}
	return p.rest[0]
}

func (p *parser) skipBlank() {
	for len(p.rest) > 0 {
		switch c := p.rest[0]; {
		case c < 128 && spaceSet.has(c):
			p.rest = p.rest[1:]
		case c == '#':
			for len(p.rest) > 0 && !lineEndSet.has(p.rest[0]) {
				p.rest = p.rest[1:]
			}
		default:
			return
		}
	}
}

func (p *parser) next() rune {
	c := p.here()
	if c != end {
		p.rest = p.rest[1:]
	}
	return c
}

func (p *parser) have(c rune) bool {
	if p.here() == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

// unquoted returns the expression with each character between \Q and \E escaped.
func unquoted(text string) []rune {
	in := []rune(text)
	var out []rune
	for i := 0; i < len(in); {
		switch {
		case in[i] != '\\' || i+1 == len(in):
			out = append(out, in[i])
			i++
		case in[i+1] != 'Q':
			out = append(out, in[i], in[i+1])
			i += 2
		default:
			for i += 2; i < len(in); i++ {
				if in[i] == '\\' && i+1 < len(in) && in[i+1] == 'E' {
					i += 2
					break
				}
				if in[i] < 128 {
					out = append(out, []rune(fmt.Sprintf(`\x%02x`, in[i]))...)
				} else {
					out = append(out, in[i])
				}
			}
		}
	}
	return out
}

func parse(text string) (*node, *parser, error) {
	p := &parser{text: text, rest: unquoted(text), names: map[string]int{}}
	if !utf8.ValidString(text) {
		return nil, nil, p.bad("it is no UTF-8")
	}
	n, err := p.choice()
	if err == nil && len(p.rest) > 0 {
		err = p.bad("')' without '('")
	}
	return n, p, err
}

// choice reads alternatives up to ')' or the end.
func (p *parser) choice() (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.unsupported("groups nested that deep", "write it flatter")
	}
	defer func() { p.depth-- }()
	var subs []*node
	for {
		s, err := p.sequence()
		if err != nil {
			return nil, err
		}
		subs = append(subs, s)
		if p.peek() != '|' {
			break
		}
		p.next()
	}
	if len(subs) == 1 {
		return subs[0], nil
	}
	return &node{kind: nodeChoice, subs: subs}, nil
}

func (p *parser) sequence() (*node, error) {
	seq := &node{kind: nodeSequence}
	for {
		var n *node
		var err error
		switch c := p.peek(); c {
		case end, '|', ')':
			return seq, nil
		case '(':
			p.next()
			n, err = p.group()
			if n == nil && err == nil {
				continue // only flags
			}
		case '*', '+', '?':
			return nil, p.bad(fmt.Sprintf("'%c' has nothing to repeat", c))
		case '{':
			n = &node{kind: nodeEmpty} // {2} repeats nothing
		default:
			n, err = p.atom()
		}
		if err == nil {
			n, err = p.repeat(n)
		}
		if err != nil {
			return nil, err
		}
		seq.subs = append(seq.subs, n)
	}
}

func (p *parser) atom() (*node, error) {
	switch c := p.next(); c {
	case '[':
		s, err := p.class()
		return &node{kind: nodeSet, set: s}, err
	case '.':
		return &node{kind: nodeSet, set: p.point()}, nil
	case '^':
		if p.flags&multiline != 0 {
			return &node{kind: nodeLineBegin, unix: p.flags&unixLines != 0}, nil
		}
		return &node{kind: nodeBegin}, nil
	case '$':
		n := &node{kind: nodeFinalEnd, unix: p.flags&unixLines != 0}
		if p.flags&multiline != 0 {
			n.kind = nodeLineEnd
		}
		return n, nil
	case '\\':
		return p.escape()
	default:
		return p.literal(c), nil
	}
}

func (p *parser) point() *set {
	switch {
	case p.flags&dotAll != 0:
		return anySet
	case p.flags&unixLines != 0:
		return newlineSet.negate()
	}
	return lineEndSet.negate()
}

func (p *parser) literal(c rune) *node { return &node{kind: nodeSet, set: p.span(c, c)} }

// span returns the characters from lo to hi, in any case with (?i).
func (p *parser) span(lo, hi rune) *set {
	if p.flags&foldCase == 0 {
		return newSet(lo, hi)
	}
	return folded(lo, hi, p.flags&foldAll != 0)
}

// repeat reads a quantifier behind n.
func (p *parser) repeat(n *node) (*node, error) {
	least, most := 0, unbounded
	switch c := p.peek(); c {
	case '?':
		most = 1
	case '*':
	case '+':
		least = 1
	case '{':
		p.next()
		if c := p.here(); c < '0' || c > '9' {
			return nil, p.bad("'{' is no repetition")
		}
		var err error
		if least, err = p.count(); err != nil {
			return nil, err
		}
		most = least
		if p.have(',') {
			most = unbounded
			if p.here() != '}' {
				if most, err = p.count(); err != nil {
					return nil, err
				}
			}
		}
		if p.here() != '}' {
			return nil, p.bad("'}' is missing")
		}
		if most < least {
			return nil, p.bad("a repetition ends before it starts")
		}
	default:
		return n, nil
	}
	p.next()
	if n.kind == nodeChoice { // \R: what it took it keeps
		n = &node{kind: nodeAtomic, subs: []*node{n}}
	}
	r := &node{kind: nodeRepeat, subs: []*node{n}, min: least, max: most}
	switch p.peek() {
	case '?':
		p.next()
		r.mode = lazy
	case '+':
		p.next()
		r.mode = possessive
	}
	return r, nil
}

func (p *parser) count() (int, error) {
	n := 0
	for p.here() >= '0' && p.here() <= '9' {
		if n = n*10 + int(p.next()-'0'); n > unbounded {
			return 0, p.bad("a repetition is too large")
		}
	}
	return n, nil
}

// group reads what follows '('. It is nil for flags alone.
func (p *parser) group() (*node, error) {
	saved := p.flags
	n := &node{kind: nodeSequence}
	if p.here() != '?' {
		p.groups++
		n.kind, n.group = nodeGroup, p.groups
	} else {
		p.next()
		switch c := p.next(); c {
		case ':':
		case '=', '!':
			n.kind, n.negative = nodeLook, c == '!'
		case '>':
			n.kind = nodeAtomic
		case '<':
			if c := p.here(); c == '=' || c == '!' {
				p.next()
				n.kind, n.behind, n.negative = nodeLook, true, c == '!'
				break
			}
			name, err := p.name()
			if err != nil {
				return nil, err
			}
			if _, ok := p.names[name]; ok {
				return nil, p.bad("the group '" + name + "' is there twice")
			}
			p.groups++
			p.names[name] = p.groups
			n.kind, n.group = nodeGroup, p.groups
		case end:
			return nil, p.bad("the kind of a group is missing")
		default:
			alone, err := p.inlineFlags(c)
			if alone || err != nil {
				return nil, err
			}
		}
	}
	sub, err := p.choice()
	if err != nil {
		return nil, err
	}
	if p.peek() != ')' {
		return nil, p.bad("')' is missing")
	}
	p.next()
	p.flags = saved
	n.subs = []*node{sub}
	if _, _, bounded := sub.lengths(); n.behind && !bounded && !sub.isRun() {
		return nil, p.unsupported("a repetition without end in (?<=..)", "write {0,100}, or look behind for one repeated character alone")
	}
	return n, nil
}

// inlineFlags reads the flags that start with c, up to ')' (then they stand alone) or ':'.
func (p *parser) inlineFlags(c rune) (alone bool, err error) {
	known := map[rune]flagSet{'i': foldCase, 'u': foldAll, 'm': multiline, 's': dotAll, 'd': unixLines, 'x': comments}
	off := false
	for ; ; c = p.next() {
		f, ok := known[c]
		switch {
		case ok && off:
			p.flags &^= f
		case ok:
			p.flags |= f
		case c == '-' && !off:
			off = true
		case c == 'U':
			return false, p.unsupported("the flag (?U)", `write \p{IsAlphabetic} and the like`)
		case c == 'c':
			return false, p.unsupported("the flag (?c)", "compare texts as they are")
		case c == ')':
			return true, nil
		case c == ':':
			return false, nil
		default:
			return false, p.bad("a group has an unknown flag")
		}
	}
}

// name reads the name of a group and the '>' behind it.
func (p *parser) name() (string, error) {
	var b strings.Builder
	for {
		c := p.next()
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case letter, c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
		case c == '>' && b.Len() > 0:
			return b.String(), nil
		default:
			return "", p.bad("the name of a group takes letters and digits")
		}
	}
}
