package javaregex

import (
	"errors"
	"unicode"
	"unicode/utf16"
)

// Bounds of all searches in one text: what backtracks without end, or nests too deep for
// the stack, is an error instead.
const (
	maxSteps = 20_000_000 // and some for each unit, so that a long text alone is no fault
	maxDepth = 1_000_000
)

var (
	errSteps = errors.New("takes too many steps on a text; write it so that its parts cannot match the same characters in several ways")
	errDepth = errors.New("repeats a group too often on a text; repeat single characters or classes instead")
)

// machine runs the steps of an expression over UTF-16 units.
type machine struct {
	units  []uint16
	groups []int // start and end of each group, -1: not matched
	locals []int
	last   int // where an isolated part ended
	behind int // where a look behind must end
	prev   int // where the match before ended, for \G
	steps  int // taken so far; whoever repeats something calls tick, others only add
	depth  int // calls on the stack, as far as loops make them
	err    error
}

// at returns the code point at i and how many units it has.
func (m *machine) at(i int) (rune, int) {
	u := rune(m.units[i])
	if u >= 0xD800 && u < 0xDC00 && i+1 < len(m.units) {
		if r := utf16.DecodeRune(u, rune(m.units[i+1])); r != unicode.ReplacementChar {
			return r, 2
		}
	}
	return u, 1
}

// before returns the code point that ends at i and how many units it has.
func (m *machine) before(i int) (rune, int) {
	u := rune(m.units[i-1])
	if u >= 0xDC00 && u < 0xE000 && i > 1 {
		if r := utf16.DecodeRune(rune(m.units[i-2]), u); r != unicode.ReplacementChar {
			return r, 2
		}
	}
	return u, 1
}

func (m *machine) tick() bool {
	if m.steps++; m.steps > maxSteps+16*len(m.units) && m.err == nil {
		m.err = errSteps
	}
	return m.err == nil
}

// search finds the first match at or behind from.
func (m *machine) search(start step, whole bool, from int) bool {
	// As in Java, what a failed attempt left in a group stays for the next one.
	for k := range m.groups {
		m.groups[k] = -1
	}
	for k := range m.locals {
		m.locals[k] = -1
	}
	for i := from; i <= len(m.units); i++ {
		if !m.tick() {
			return false
		}
		if start.match(m, i) {
			m.groups[0], m.groups[1] = i, m.last
			return m.err == nil
		}
		if m.err != nil {
			return false
		}
		if whole && i < len(m.units) {
			if _, w := m.at(i); w == 2 {
				i++
			}
		}
	}
	return false
}

type accept struct{}

func (accept) match(m *machine, i int) bool { m.last = i; return true }

type behindEnd struct{}

func (behindEnd) match(m *machine, i int) bool { return i == m.behind }

type never struct{}

func (never) match(*machine, int) bool { return false }

type setStep struct {
	set  *set
	next step
}

func (s *setStep) match(m *machine, i int) bool {
	m.steps++
	if i >= len(m.units) {
		return false
	}
	r, w := m.at(i)
	return s.set.has(r) && s.next.match(m, i+w)
}

type choiceStep struct{ ways []step }

func (s *choiceStep) match(m *machine, i int) bool {
	for _, w := range s.ways {
		if !m.tick() {
			return false
		}
		if w.match(m, i) {
			return true
		}
	}
	return false
}

type openStep struct {
	start int
	next  step
}

func (s *openStep) match(m *machine, i int) bool {
	m.steps++
	saved := m.locals[s.start]
	m.locals[s.start] = i
	ok := s.next.match(m, i)
	m.locals[s.start] = saved
	return ok
}

type closeStep struct {
	start, group int
	next         step
}

func (s *closeStep) match(m *machine, i int) bool {
	lo, hi := m.groups[2*s.group], m.groups[2*s.group+1]
	m.groups[2*s.group], m.groups[2*s.group+1] = m.locals[s.start], i
	if s.next.match(m, i) {
		return true
	}
	m.groups[2*s.group], m.groups[2*s.group+1] = lo, hi
	return false
}

// runStep repeats one character.
type runStep struct {
	set         *set
	least, most int
	lazy        bool
	next        step
}

func (s *runStep) match(m *machine, i int) bool {
	n, from := 0, i
	take := func() bool {
		if n >= s.most || i >= len(m.units) {
			return false
		}
		r, w := m.at(i)
		if !s.set.has(r) {
			return false
		}
		i += w
		n++
		return m.tick()
	}
	for n < s.least {
		if !take() {
			return false
		}
	}
	if s.lazy {
		for {
			if s.next.match(m, i) {
				return true
			}
			if !take() {
				return false
			}
		}
	}
	for take() {
	}
	for m.tick() {
		if s.next.match(m, i) {
			return true
		}
		if n == s.least {
			return false
		}
		_, w := m.before(i)
		i = max(from, i-w)
		n--
	}
	return false
}

type possessiveStep struct {
	body        step
	least, most int
	next        step
}

func (s *possessiveStep) match(m *machine, i int) bool {
	for n := 0; n < s.most; n++ {
		if !m.tick() {
			return false
		}
		if !s.body.match(m, i) {
			if n < s.least {
				return false
			}
			break
		}
		if m.last == i && n >= s.least {
			break
		}
		i = m.last
	}
	return s.next.match(m, i)
}

// loopStep repeats a part that may match in several ways. It comes up again behind each
// repetition; loopStart begins it.
type loopStep struct {
	count, begin int // locals
	least, most  int
	lazy         bool
	weight       int // calls on the stack for each repetition, at most
	body, next   step
}

type loopStart struct{ loop *loopStep }

type markStep struct {
	begin int
	next  step
}

func (s *markStep) match(m *machine, i int) bool {
	saved := m.locals[s.begin]
	m.locals[s.begin] = i
	ok := s.next.match(m, i)
	m.locals[s.begin] = saved
	return ok
}

func (s *loopStart) match(m *machine, i int) bool {
	l := s.loop
	m.steps++
	saved := m.locals[l.count]
	defer func() { m.locals[l.count] = saved }()
	m.locals[l.count] = 1
	switch {
	case l.least > 0:
		return l.body.match(m, i)
	case l.most == 0:
		return l.next.match(m, i)
	case l.lazy:
		return l.next.match(m, i) || l.body.match(m, i)
	}
	return l.body.match(m, i) || l.next.match(m, i)
}

func (s *loopStep) match(m *machine, i int) bool {
	if m.depth += s.weight; m.depth > maxDepth && m.err == nil {
		m.err = errDepth
	}
	defer func() { m.depth -= s.weight }()
	if !m.tick() {
		return false
	}
	if i <= m.locals[s.begin] { // nothing was taken: enough
		return s.next.match(m, i)
	}
	n := m.locals[s.count]
	again := func() bool {
		m.locals[s.count] = n + 1
		if s.body.match(m, i) {
			return true
		}
		m.locals[s.count] = n
		return false
	}
	switch {
	case n < s.least:
		return again()
	case s.lazy:
		return s.next.match(m, i) || n < s.most && again()
	}
	return n < s.most && again() || s.next.match(m, i)
}

type atomicStep struct{ body, next step }

func (s *atomicStep) match(m *machine, i int) bool {
	return s.body.match(m, i) && s.next.match(m, m.last)
}

type lookStep struct {
	negative, behind bool
	least, most      int
	body, next       step
}

func (s *lookStep) match(m *machine, i int) bool {
	m.steps++
	found := false
	if s.behind {
		saved := m.behind
		m.behind = i
		for j := i - s.least; !found && j >= max(0, i-s.most); j-- {
			found = m.tick() && s.body.match(m, j)
		}
		m.behind = saved
	} else {
		found = s.body.match(m, i)
	}
	return found != s.negative && m.err == nil && s.next.match(m, i)
}

type referenceStep struct {
	group int
	fold  bool
	next  step
}

func (s *referenceStep) match(m *machine, i int) bool {
	if 2*s.group+1 >= len(m.groups) || m.groups[2*s.group] < 0 {
		return false
	}
	lo, hi := m.groups[2*s.group], m.groups[2*s.group+1]
	if i+hi-lo > len(m.units) {
		return false
	}
	m.steps += hi - lo
	for k := lo; k < hi; k++ {
		a, b := m.units[k], m.units[i+k-lo]
		if a != b && !(s.fold && lowerASCII(a) == lowerASCII(b)) {
			return false
		}
	}
	return s.next.match(m, i+hi-lo)
}

func lowerASCII(u uint16) uint16 {
	if u >= 'A' && u <= 'Z' {
		u += 'a' - 'A'
	}
	return u
}

// edgeStep takes no character.
type edgeStep struct {
	kind nodeKind
	unix bool
	next step
}

func (s *edgeStep) match(m *machine, i int) bool {
	m.steps++
	n := len(m.units)
	ok := false
	switch s.kind {
	case nodeBegin:
		ok = i == 0
	case nodeEnd:
		ok = i == n
	case nodeLastEnd:
		ok = i == m.prev
	case nodeFinalEnd:
		ok = i == n || i == n-1 && s.ends(m, i) || !s.unix && i == n-2 && m.units[i] == '\r' && m.units[i+1] == '\n'
	case nodeLineEnd:
		ok = i == n || s.ends(m, i)
	case nodeLineBegin:
		ok = i < n && (i == 0 || s.lineEnd(m.units[i-1]) && (s.unix || m.units[i-1] != '\r' || m.units[i] != '\n'))
	default:
		ok = m.wordEdge(i) == (s.kind == nodeWordEdge)
	}
	return ok && s.next.match(m, i)
}

func (s *edgeStep) lineEnd(u uint16) bool {
	return u == '\n' || !s.unix && lineEndSet.has(rune(u))
}

// ends reports whether a line end starts at i.
func (s *edgeStep) ends(m *machine, i int) bool {
	return s.lineEnd(m.units[i]) && (s.unix || m.units[i] != '\n' || i == 0 || m.units[i-1] != '\r')
}

// wordEdge reports whether a word starts or ends at i: letters, digits and _ of all
// scripts make words, and marks on them.
func (m *machine) wordEdge(i int) bool {
	left, right := false, false
	if i > 0 {
		r, w := m.before(i)
		left = m.word(r, i-w)
	}
	if i < len(m.units) {
		r, _ := m.at(i)
		right = m.word(r, i)
	}
	return left != right
}

func (m *machine) word(r rune, i int) bool {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nd, r):
		return true
	case !unicode.Is(unicode.Mn, r):
		return false
	}
	for i > 0 && m.tick() {
		b, w := m.before(i)
		i -= w
		if unicode.IsLetter(b) || unicode.Is(unicode.Nd, b) {
			return true
		}
		if !unicode.Is(unicode.Mn, b) {
			return false
		}
	}
	return false
}
