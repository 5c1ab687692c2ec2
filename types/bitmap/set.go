package bitmap

import (
	"slices"
	"sort"
	"unsafe"
)

// Set is a set that can be changed. Its Memory must be given with Use before anything
// else.
type Set struct {
	m     *Memory
	parts []part // in order of their keys; none is empty
	card  int64
}

// part is a block of a Set. It has runs only where they are the shortest form.
type part struct {
	key  uint16
	form form
	card int
	list []uint16 // arrayForm: the numbers in order; runsForm: see there
	bits *words   // wordsForm
}

// Use gives the set the memory that it lives in.
func (s *Set) Use(m *Memory) { s.m = m }

// Reset empties the set and gives its memory back.
func (s *Set) Reset() {
	for i := range s.parts {
		s.m.release(&s.parts[i])
	}
	s.parts, s.card = s.parts[:0], 0
}

// IsEmpty reports whether there are no numbers in the set.
func (s *Set) IsEmpty() bool { return len(s.parts) == 0 }

// Cardinality returns the number of numbers in the set.
func (s *Set) Cardinality() int64 { return s.card }

// find returns the place of a key among the parts.
func (s *Set) find(key uint16) (int, bool) {
	n := len(s.parts)
	if n == 0 || s.parts[n-1].key < key {
		return n, false
	}
	i := sort.Search(n, func(i int) bool { return s.parts[i].key >= key })
	return i, s.parts[i].key == key
}

// Add puts a number into the set.
func (s *Set) Add(x uint32) {
	key, low := uint16(x>>16), uint16(x)
	i, found := s.find(key)
	if !found {
		s.insert(i, part{key: key, card: 1, list: append(s.m.takeList(), low)})
		return
	}
	p := &s.parts[i]
	was := p.card
	switch p.form {
	case runsForm:
		p.unroll(s.m)
		s.Add(x)
		return
	case wordsForm:
		p.card += p.bits.set(low)
	default:
		at, there := len(p.list), false
		if p.list[at-1] >= low {
			at, there = slices.BinarySearch(p.list, low)
		}
		switch {
		case there:
		case p.card == maxArray:
			p.toWords(s.m)
			p.card += p.bits.set(low)
		default:
			old := cap(p.list)
			p.list = slices.Insert(p.list, at, low)
			s.m.grow(old, p.list)
			p.card++
		}
	}
	s.card += int64(p.card - was)
}

// Remove takes a number out of the set.
func (s *Set) Remove(x uint32) {
	key, low := uint16(x>>16), uint16(x)
	i, found := s.find(key)
	if !found {
		return
	}
	p := &s.parts[i]
	was := p.card
	switch p.form {
	case runsForm:
		p.unroll(s.m)
		s.Remove(x)
		return
	case wordsForm:
		p.card -= p.bits.drop(low)
		p.shrink(s.m)
	default:
		if at, there := slices.BinarySearch(p.list, low); there {
			p.list = slices.Delete(p.list, at, at+1)
			p.card--
		}
	}
	s.card += int64(p.card - was)
	if p.card == 0 {
		s.m.release(p)
		s.parts = slices.Delete(s.parts, i, i+1)
	}
}

// insert puts a part that there was not at place i.
func (s *Set) insert(i int, p part) {
	s.card += int64(p.card)
	old := cap(s.parts)
	s.parts = slices.Insert(s.parts, i, p)
	s.m.held += int64(cap(s.parts)-old) * int64(unsafe.Sizeof(part{}))
}

// unroll gives runs the form of what can be changed number by number.
func (p *part) unroll(m *Memory) {
	p.toWords(m)
	if p.card <= maxArray {
		p.toArray(m)
	}
}

// toWords changes the form to words.
func (p *part) toWords(m *Memory) {
	bits := m.takeWords()
	p.writeWords(bits)
	m.release(p)
	p.form, p.bits = wordsForm, bits
}

// toArray changes words to a list of at most maxArray numbers.
func (p *part) toArray(m *Memory) {
	list := m.takeList()
	old := cap(list)
	list = p.bits.appendNumbers(list)
	m.grow(old, list)
	m.release(p)
	p.form, p.list = arrayForm, list
}

// shrink makes a list of words that few numbers have been left in. Where adding makes
// words of a list there are twice as many, so that a number that comes and goes does
// not change the form each time.
func (p *part) shrink(m *Memory) {
	if p.form == wordsForm && p.card < maxArray/2 {
		p.toArray(m)
	}
}

// writeWords writes the numbers as words.
func (p *part) writeWords(w *words) {
	switch p.form {
	case wordsForm:
		*w = *p.bits
	case runsForm:
		clear(w[:])
		for i := 0; i < len(p.list); i += 2 {
			w.setRun(p.list[i], p.list[i+1])
		}
	default:
		clear(w[:])
		for _, x := range p.list {
			w[x>>6] |= 1 << (x & 63)
		}
	}
}
