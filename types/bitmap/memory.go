package bitmap

import "unsafe"

// Memory lends sets their memory, takes it back and counts it. The sets of one Memory
// belong to one goroutine.
type Memory struct {
	held  int64
	bits  []*words   // free
	lists [][]uint16 // free
	left  words      // operands of combine
	right words
	list  []uint16 // a result of combine
	forms []form   // of the blocks that AppendTo writes
}

// Bytes is the memory held by all sets and kept for them.
func (m *Memory) Bytes() int64 {
	return m.held + int64(unsafe.Sizeof(*m)) + int64(cap(m.bits))*8 + int64(cap(m.lists))*24 + int64(cap(m.list))*2 + int64(cap(m.forms))
}

// takeWords returns words of any content.
func (m *Memory) takeWords() *words {
	if n := len(m.bits); n > 0 {
		w := m.bits[n-1]
		m.bits = m.bits[:n-1]
		return w
	}
	m.held += wordsBytes
	return new(words)
}

// takeList returns an empty list.
func (m *Memory) takeList() []uint16 {
	if n := len(m.lists); n > 0 {
		l := m.lists[n-1]
		m.lists = m.lists[:n-1]
		return l
	}
	m.held += 2 * firstList
	return make([]uint16, 0, firstList)
}

// firstList is how many numbers a new list has room for.
const firstList = 4

// grow counts what a list has grown from its old capacity.
func (m *Memory) grow(old int, list []uint16) { m.held += 2 * int64(cap(list)-old) }

// release takes back the memory of a part.
func (m *Memory) release(p *part) {
	if p.bits != nil {
		m.bits = append(m.bits, p.bits)
		p.bits = nil
	}
	if p.list != nil {
		m.lists = append(m.lists, p.list[:0])
		p.list = nil
	}
}
