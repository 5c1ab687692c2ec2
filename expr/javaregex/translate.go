package javaregex

import (
	"fmt"
	"regexp"
	"strings"
)

// translation writes an expression for Go's engine.
type translation struct {
	b strings.Builder
	// What the text must be for the answers to be the same.
	ascii, noFinalLineEnd bool
}

const (
	mostRepeats = 1000    // that Go's engine takes
	mostText    = 1 << 18 // bytes that it compiles in a moment
)

// translate returns the expression for Go's engine, nil if it would answer otherwise
// for every text.
func translate(n *node) (*regexp.Regexp, *translation) {
	t := &translation{}
	if !t.node(n) {
		return nil, t
	}
	re, err := regexp.Compile(t.b.String())
	if err != nil {
		return nil, t // too large for that engine
	}
	return re, t
}

func (t *translation) node(n *node) bool {
	if t.b.Len() > mostText {
		return false
	}
	switch n.kind {
	case nodeEmpty:
		t.b.WriteString("(?:)")
	case nodeSet:
		t.set(n.set)
	case nodeSequence:
		for _, s := range n.subs {
			if !t.node(s) {
				return false
			}
		}
	case nodeChoice, nodeGroup:
		return t.group(n)
	case nodeRepeat:
		return t.repeat(n)
	case nodeBegin:
		t.b.WriteString(`\A`)
	case nodeEnd:
		t.b.WriteString(`\z`)
	case nodeFinalEnd:
		t.noFinalLineEnd = true
		t.b.WriteString(`\z`)
	case nodeWordEdge:
		t.ascii = true
		t.b.WriteString(`\b`)
	case nodeNoWordEdge:
		t.ascii = true
		t.b.WriteString(`\B`)
	default:
		return false
	}
	return true
}

func (t *translation) group(n *node) bool {
	if n.kind == nodeGroup {
		t.b.WriteByte('(')
	} else {
		t.b.WriteString("(?:")
	}
	for i, s := range n.subs {
		if i > 0 {
			t.b.WriteByte('|')
		}
		if !t.node(s) {
			return false
		}
	}
	t.b.WriteByte(')')
	return true
}

func (t *translation) repeat(n *node) bool {
	body := n.subs[0]
	least, _, _ := body.lengths()
	if n.mode == possessive || n.max == 0 || n.min > mostRepeats || n.max != unbounded && n.max > mostRepeats || least == 0 {
		return false
	}
	t.b.WriteString("(?:")
	if !t.node(body) {
		return false
	}
	t.b.WriteByte(')')
	switch {
	case n.max == unbounded:
		fmt.Fprintf(&t.b, "{%d,}", n.min)
	default:
		fmt.Fprintf(&t.b, "{%d,%d}", n.min, n.max)
	}
	if n.mode == lazy {
		t.b.WriteByte('?')
	}
	return true
}

func (t *translation) set(s *set) {
	if len(s.ranges) == 0 {
		t.b.WriteString(`[^\x{0}-\x{10FFFF}]`)
		return
	}
	t.b.WriteByte('[')
	for i := 0; i < len(s.ranges); i += 2 {
		fmt.Fprintf(&t.b, `\x{%X}-\x{%X}`, s.ranges[i], s.ranges[i+1])
	}
	t.b.WriteByte(']')
}
