package bitmap

import (
	"encoding/binary"
	"unsafe"
)

// op is an operation of two sets.
type op uint8

const (
	or op = iota
	xor
	and
	andNot
)

// Or adds the numbers of a set given by its canonical bytes.
func (s *Set) Or(b []byte) { s.combine(or, b) }

// Xor keeps the numbers that are in one of the two sets only.
func (s *Set) Xor(b []byte) { s.combine(xor, b) }

// And keeps the numbers that are in both sets.
func (s *Set) And(b []byte) { s.combine(and, b) }

// AndNot takes out the numbers of a set given by its canonical bytes.
func (s *Set) AndNot(b []byte) { s.combine(andNot, b) }

// combine goes through the blocks of both sets, by their keys. What is kept is written
// to the front of the parts; room for blocks that only b has is made there before.
func (s *Set) combine(op op, b []byte) {
	fresh := 0
	if op == or || op == xor {
		fresh = s.makeRoom(b)
	}
	old, kept := s.parts[fresh:], s.parts[:0]
	r, x := read(b), block{}
	more := r.next(&x)
	for len(old) > 0 || more && fresh > 0 {
		switch {
		case !more || len(old) > 0 && old[0].key < x.key:
			if op == and {
				s.card -= int64(old[0].card)
				s.m.release(&old[0])
			} else {
				kept = append(kept, old[0])
			}
			old = old[1:]
			continue
		case len(old) == 0 || x.key < old[0].key:
			if op == or || op == xor {
				kept = append(kept, s.m.load(&x))
				s.card += int64(x.card)
				fresh--
			}
		default:
			p := old[0]
			old = old[1:]
			s.card -= int64(p.card)
			p.combine(s.m, op, &x)
			s.card += int64(p.card)
			if p.card > 0 {
				kept = append(kept, p)
			} else {
				s.m.release(&p)
			}
		}
		more = r.next(&x)
	}
	clear(s.parts[len(kept):]) // they are copies of what is kept
	s.parts = kept
}

// makeRoom moves the parts back by as many places as there are blocks in b that have no
// part, and returns that number.
func (s *Set) makeRoom(b []byte) int {
	fresh, i := 0, 0
	r := read(b)
	for k := range r.n {
		key := binary.LittleEndian.Uint16(r.heads[4*k:])
		for i < len(s.parts) && s.parts[i].key < key {
			i++
		}
		if i == len(s.parts) || s.parts[i].key != key {
			fresh++
		}
	}
	if fresh == 0 {
		return 0
	}
	n, old := len(s.parts), cap(s.parts)
	for len(s.parts) < n+fresh {
		s.parts = append(s.parts, part{})
	}
	s.m.held += int64(cap(s.parts)-old) * int64(unsafe.Sizeof(part{}))
	copy(s.parts[fresh:], s.parts[:n])
	return fresh
}

// load makes a part of a block, in its form.
func (m *Memory) load(x *block) part {
	p := part{key: x.key, form: x.form, card: x.card}
	if x.form == wordsForm {
		p.bits = m.takeWords()
		p.bits.load(x)
		return p
	}
	p.list = m.takeList()
	old := cap(p.list)
	for at := 0; at < len(x.data); at += 2 {
		p.list = append(p.list, binary.LittleEndian.Uint16(x.data[at:]))
	}
	m.grow(old, p.list)
	return p
}

// combine changes a part by a block with the same key.
func (p *part) combine(m *Memory, op op, x *block) {
	if p.form == runsForm && x.form == arrayForm && op != and {
		p.unroll(m) // the next block, too, may be a list of few numbers
	}
	switch {
	case p.form == arrayForm && x.form == arrayForm:
		m.list = merge(m.list[:0], op, p.list, x.data)
		if p.card = len(m.list); p.card > maxArray {
			clear(m.left[:])
			for _, n := range m.list {
				m.left.set(n)
			}
			p.settle(m, &m.left)
			return
		}
		old := cap(p.list)
		p.list = append(p.list[:0], m.list...)
		m.grow(old, p.list)
	case p.form == wordsForm && x.form == arrayForm && op != and:
		for at := 0; at < len(x.data); at += 2 {
			n := binary.LittleEndian.Uint16(x.data[at:])
			switch {
			case op == or:
				p.card += p.bits.set(n)
			case p.bits.drop(n) == 1:
				p.card--
			case op == xor:
				p.card += p.bits.set(n)
			}
		}
		p.shrink(m)
	default:
		p.writeWords(&m.left)
		m.right.load(x)
		combineWords(&m.left, &m.right, op)
		p.settle(m, &m.left)
	}
}

func combineWords(left, right *words, op op) {
	switch op {
	case or:
		for i := range left {
			left[i] |= right[i]
		}
	case xor:
		for i := range left {
			left[i] ^= right[i]
		}
	case and:
		for i := range left {
			left[i] &= right[i]
		}
	case andNot:
		for i := range left {
			left[i] &^= right[i]
		}
	}
}

// settle gives the part the numbers of w, in the shortest form.
func (p *part) settle(m *Memory, w *words) {
	p.card = w.count()
	p.form = shortest(p.card, w.runs())
	if p.form == wordsForm {
		if p.bits == nil {
			m.release(p)
			p.bits = m.takeWords()
		}
		*p.bits = *w
		return
	}
	if p.list == nil {
		m.release(p)
		p.list = m.takeList()
	}
	old := cap(p.list)
	if p.form == runsForm {
		p.list = w.appendRuns(p.list[:0])
	} else {
		p.list = w.appendNumbers(p.list[:0])
	}
	m.grow(old, p.list)
}

// merge appends the result of an operation of two lists in order; the right one has two
// bytes a number.
func merge(dst []uint16, op op, left []uint16, right []byte) []uint16 {
	for len(left) > 0 && len(right) > 0 {
		l, r := left[0], binary.LittleEndian.Uint16(right)
		switch {
		case l < r:
			if op != and {
				dst = append(dst, l)
			}
			left = left[1:]
		case l > r:
			if op == or || op == xor {
				dst = append(dst, r)
			}
			right = right[2:]
		default:
			if op == or || op == and {
				dst = append(dst, l)
			}
			left, right = left[1:], right[2:]
		}
	}
	if op != and {
		dst = append(dst, left...)
	}
	if op == or || op == xor {
		for ; len(right) > 0; right = right[2:] {
			dst = append(dst, binary.LittleEndian.Uint16(right))
		}
	}
	return dst
}
