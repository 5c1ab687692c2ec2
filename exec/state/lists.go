package state

import "math/bits"

// Lists keeps a list of numbers for each group, all in one array: a list that outgrows
// its place moves to one of twice the size, and the old place is used again.
type Lists struct {
	heads []listHead
	space []int32
	free  [32][]int32 // places by the logarithm of their size
}

type listHead struct {
	at, n int32
	class int8 // logarithm of the size of the place
}

// Grow makes room for groups below n; new lists are empty.
func (l *Lists) Grow(n int) {
	for len(l.heads) < n {
		l.heads = append(l.heads, listHead{class: -1})
	}
}

// Groups returns the number of lists.
func (l *Lists) Groups() int { return len(l.heads) }

// Of returns the list of a group. It may be written to; it is valid until the next
// Append.
func (l *Lists) Of(g int32) []int32 {
	h := l.heads[g]
	return l.space[h.at : h.at+h.n]
}

// Append adds a number to the list of a group.
func (l *Lists) Append(g, x int32) {
	h := &l.heads[g]
	if h.class < 0 || h.n == 1<<h.class {
		l.move(h)
	}
	l.space[h.at+h.n] = x
	h.n++
}

// move gives a list a place of twice the size.
func (l *Lists) move(h *listHead) {
	class := h.class + 1
	var at int32
	if k := len(l.free[class]); k > 0 {
		at = l.free[class][k-1]
		l.free[class] = l.free[class][:k-1]
	} else {
		at = int32(len(l.space))
		l.space = append(l.space, make([]int32, 1<<class)...)
	}
	if h.class >= 0 {
		copy(l.space[at:], l.space[h.at:h.at+h.n])
		l.free[h.class] = append(l.free[h.class], h.at)
	}
	h.at, h.class = at, class
}

// Reset drops all lists and keeps the memory.
func (l *Lists) Reset() {
	l.heads, l.space = l.heads[:0], l.space[:0]
	for i := range l.free {
		l.free[i] = l.free[i][:0]
	}
}

// Bytes is the memory held.
func (l *Lists) Bytes() int64 {
	n := int64(cap(l.heads))*12 + int64(cap(l.space))*4
	for i := range l.free[:bits.Len(uint(len(l.space)))] {
		n += int64(cap(l.free[i])) * 4
	}
	return n
}

// Insert puts a number into the list of a group, at a place counted from 0.
func (l *Lists) Insert(g int32, at int, x int32) {
	l.Append(g, x)
	list := l.Of(g)
	copy(list[at+1:], list[at:])
	list[at] = x
}

// Remove takes a number out of the list of a group by its place.
func (l *Lists) Remove(g int32, at int) {
	list := l.Of(g)
	copy(list[at:], list[at+1:])
	l.heads[g].n--
}
