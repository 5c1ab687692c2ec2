package javaregex

import (
	"fmt"
	"strings"
	"unicode"
)

// escape reads what follows a backslash outside a class.
func (p *parser) escape() (*node, error) {
	edge := func(k nodeKind) (*node, error) {
		p.next()
		return &node{kind: k, unix: p.flags&unixLines != 0}, nil
	}
	switch c := p.here(); c {
	case 'A':
		return edge(nodeBegin)
	case 'z':
		return edge(nodeEnd)
	case 'Z':
		return edge(nodeFinalEnd)
	case 'G':
		return edge(nodeLastEnd)
	case 'B':
		return edge(nodeNoWordEdge)
	case 'b':
		p.next()
		if len(p.rest) >= 3 && string(p.rest[:3]) == "{g}" {
			return nil, p.unsupported(`\b{g}`, `write \b`)
		}
		return &node{kind: nodeWordEdge}, nil
	case 'X':
		return nil, p.unsupported(`\X`, "write .")
	case 'R':
		p.next()
		pair := &node{kind: nodeSequence, subs: []*node{{kind: nodeSet, set: newSet('\r', '\r')}, {kind: nodeSet, set: newlineSet}}}
		return &node{kind: nodeChoice, subs: []*node{pair, {kind: nodeSet, set: verticalSet}}}, nil
	case 'k':
		p.next()
		if !p.have('<') {
			return nil, p.bad(`'<' is missing behind \k`)
		}
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		g, ok := p.names[name]
		if !ok {
			return nil, p.bad("there is no group '" + name + "' in front")
		}
		return &node{kind: nodeBackReference, group: g, fold: p.flags&foldCase != 0}, nil
	default:
		if c >= '1' && c <= '9' {
			return p.backReference(), nil
		}
		s, _, err := p.escapedSet()
		return &node{kind: nodeSet, set: s}, err
	}
}

// backReference reads a number: more digits belong to it as long as there are as many
// groups in front.
func (p *parser) backReference() *node {
	n := int(p.next() - '0')
	for c := p.here(); c >= '0' && c <= '9' && n*10+int(c-'0') <= p.groups; c = p.here() {
		n = n*10 + int(p.next()-'0')
	}
	return &node{kind: nodeBackReference, group: n, fold: p.flags&foldCase != 0}
}

// escapedSet reads an escape that stands for characters: single reports whether it is one
// character, which may begin or end a range.
func (p *parser) escapedSet() (_ *set, single bool, err error) {
	switch c := p.here(); c {
	case 'd':
		return p.named(digitSet)
	case 'D':
		return p.named(digitSet.negate())
	case 'w':
		return p.named(wordSet)
	case 'W':
		return p.named(wordSet.negate())
	case 's':
		return p.named(spaceSet)
	case 'S':
		return p.named(spaceSet.negate())
	case 'h':
		return p.named(horizontalSet)
	case 'H':
		return p.named(horizontalSet.negate())
	case 'v':
		return p.named(verticalSet)
	case 'V':
		return p.named(verticalSet.negate())
	case 'p', 'P':
		p.next()
		s, err := p.propertyClass()
		if err == nil && c == 'P' {
			s = s.negate()
		}
		return s, false, err
	}
	c, err := p.escapedChar()
	return p.span(c, c), true, err
}

func (p *parser) named(s *set) (*set, bool, error) {
	p.next()
	return s, false, nil
}

func (p *parser) propertyClass() (*set, error) {
	if p.have('{') {
		var b strings.Builder
		for p.here() != '}' {
			c := p.next()
			if c == end {
				return nil, p.bad(`'}' is missing behind \p`)
			}
			b.WriteRune(c)
		}
		p.next()
		if b.Len() == 0 {
			return nil, p.bad(`\p{} has no name`)
		}
		return p.property(b.String())
	}
	c := p.next()
	if c == end {
		return nil, p.bad(`\p has no name`)
	}
	return p.property(string(c))
}

// escapedChar reads an escape that stands for one character.
func (p *parser) escapedChar() (rune, error) {
	switch c := p.next(); c {
	case end:
		return 0, p.bad("a backslash ends it")
	case '0':
		return p.octal()
	case 'a':
		return 7, nil
	case 'e':
		return 27, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'c':
		if c := p.next(); c != end {
			return c ^ 64, nil
		}
		return 0, p.bad(`\c lacks its character`)
	case 'u':
		r, ok := p.hex(4)
		if ok && r >= 0xD800 && r < 0xDC00 && len(p.rest) >= 6 && p.rest[0] == '\\' && p.rest[1] == 'u' {
			saved := p.rest
			p.rest = p.rest[2:]
			if low, ok := p.hex(4); ok && low >= 0xDC00 && low < 0xE000 {
				return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, nil
			}
			p.rest = saved
		}
		if !ok {
			return 0, p.bad(`\u takes four hexadecimal digits`)
		}
		return r, nil
	case 'x':
		return p.hexEscape()
	case 'N':
		return 0, p.unsupported(`\N`, `write \x{..} with the number of the character`)
	default:
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '1' && c <= '9' {
			return 0, p.bad(fmt.Sprintf(`\%c means nothing`, c))
		}
		return c, nil
	}
}

func (p *parser) octal() (rune, error) {
	digit := func() (rune, bool) {
		c := p.here()
		return c - '0', c >= '0' && c <= '7'
	}
	n, ok := digit()
	if !ok {
		return 0, p.bad(`\0 takes octal digits`)
	}
	p.next()
	if d, ok := digit(); ok {
		p.next()
		first := n
		n = n*8 + d
		if d, ok := digit(); ok && first <= 3 {
			p.next()
			n = n*8 + d
		}
	}
	return n, nil
}

// hex reads n hexadecimal digits.
func (p *parser) hex(n int) (rune, bool) {
	r := rune(0)
	for range n {
		d, ok := hexDigit(p.here())
		if !ok {
			return 0, false
		}
		p.next()
		r = r<<4 | d
	}
	return r, true
}

func (p *parser) hexEscape() (rune, error) {
	if !p.have('{') {
		if r, ok := p.hex(2); ok {
			return r, nil
		}
		return 0, p.bad(`\x takes two hexadecimal digits`)
	}
	r, digits := rune(0), 0
	for {
		d, ok := hexDigit(p.here())
		if !ok {
			break
		}
		p.next()
		digits++
		if r = r<<4 | d; r > unicode.MaxRune {
			return 0, p.bad(`\x{..} is no character`)
		}
	}
	if digits == 0 || !p.have('}') {
		return 0, p.bad(`\x{..} takes hexadecimal digits`)
	}
	return r, nil
}

func hexDigit(c rune) (rune, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
