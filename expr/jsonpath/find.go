package jsonpath

import (
	"bytes"
	"errors"
)

// ErrNotFound says that a path that needs to lead somewhere does not.
var ErrNotFound = errors.New("the path leads nowhere")

// Find returns the value at path p below root: for a definite path the value, for
// others a new array of all values. A lax path that leads nowhere gives None.
func (d *Document) Find(root int, p *Path) (int, error) {
	f := finder{d: d, steps: p.steps, list: None, found: None}
	if !p.definite {
		f.list = d.add(node{kind: Array})
	}
	ok := f.step(root, 0, !p.Lax)
	switch {
	case p.definite && f.found != None:
		return f.found, nil
	case !p.definite && (ok || p.Lax):
		return f.list, nil
	case p.Lax && !f.failed:
		return None, nil
	}
	return None, ErrNotFound
}

type finder struct {
	d     *Document
	steps []step
	list  int // the array of results, or None
	found int // the result of a definite path
	// failed: a function could not be applied, which lax does not hide.
	failed bool
}

// step applies step i to a value. It fails if the path must lead on and does not:
// behind a step that may give many values (definite is false) nothing must.
func (f *finder) step(id, i int, definite bool) bool {
	if i == len(f.steps) {
		f.result(id)
		return true
	}
	d, s := f.d, &f.steps[i]
	n := d.nodes[id]
	switch s.kind {
	case property:
		return f.property(id, i, definite)
	case wildcard:
		places := d.placesOf(n)
		for c := n.child; c != None; c = d.nodes[c].next {
			if v := d.valueIn(places, n, c); v != None {
				f.step(v, i+1, false)
			}
		}
	case index, slice:
		if n.kind != Array {
			return !definite
		}
		if s.kind == slice {
			f.slice(n, i)
			return true
		}
		for _, k := range s.indexes {
			if c := d.element(n, k); c != None && !f.step(c, i+1, definite && len(s.indexes) == 1) {
				return false
			}
		}
	case deep:
		f.deep(id, i+1)
	case function:
		return f.function(id, i)
	}
	return true
}

func (f *finder) result(id int) {
	if f.list == None {
		f.found = id
		return
	}
	n := f.d.nodes[id]
	n.next = None
	f.d.nodes = append(f.d.nodes, n)
	f.d.append(f.list, len(f.d.nodes)-1)
}

func (f *finder) property(id, i int, definite bool) bool {
	d, s := f.d, &f.steps[i]
	if d.nodes[id].kind != Object {
		return !definite
	}
	if len(s.names) == 1 {
		c := d.member(id, s.names[0])
		if c == None {
			return !definite
		}
		return f.step(c, i+1, definite)
	}
	if i < len(f.steps)-1 {
		for _, name := range s.names {
			if c := d.member(id, name); c != None {
				f.step(c, i+1, false)
			}
		}
		return true
	}
	merged := d.add(node{kind: Object})
	for _, name := range s.names {
		c := d.member(id, name)
		if c == None {
			continue
		}
		n := d.nodes[c]
		n.next = None
		d.nodes = append(d.nodes, n)
		d.append(merged, len(d.nodes)-1)
	}
	f.result(merged)
	return true
}

// deep applies step i to a value and everything below it.
func (f *finder) deep(id, i int) {
	n := f.d.nodes[id]
	if n.kind < Array {
		return
	}
	f.step(id, i, false)
	places := f.d.placesOf(n)
	for c := n.child; c != None; c = f.d.nodes[c].next {
		if v := f.d.valueIn(places, n, c); v != None {
			f.deep(v, i)
		}
	}
}

// valueAt returns what counts at the place of a child: of a key that comes several times
// its last value at its first place, and None at the others.
func (d *Document) valueAt(parent node, child int32) int {
	if parent.kind != Object {
		return int(child)
	}
	key := append([]byte(nil), d.keyOf(child, 1)...)
	for c := parent.child; c != child; c = d.nodes[c].next {
		if bytes.Equal(d.keyOf(c, 0), key) {
			return None
		}
	}
	last := child
	for c := d.nodes[child].next; c != None; c = d.nodes[c].next {
		if bytes.Equal(d.keyOf(c, 0), key) {
			last = c
		}
	}
	return int(last)
}

// fewMembers is up to how many members of an object are compared with each other.
const fewMembers = 16

// placesOf returns for each first place of a key in an object of many members its last
// value; nil for other values, whose places valueAt finds.
func (d *Document) placesOf(parent node) map[int32]int32 {
	if parent.kind != Object || parent.n <= fewMembers {
		return nil
	}
	first := make(map[string]int32, parent.n)
	places := make(map[int32]int32, parent.n)
	for c := parent.child; c != None; c = d.nodes[c].next {
		at, known := first[string(d.keyOf(c, 0))]
		if !known {
			at = c
			first[string(d.keyOf(c, 0))] = c
		}
		places[at] = c
	}
	return places
}

// valueIn is valueAt with the places of the parent, if it has them.
func (d *Document) valueIn(places map[int32]int32, parent node, child int32) int {
	if places == nil {
		return d.valueAt(parent, child)
	}
	if v, ok := places[child]; ok {
		return int(v)
	}
	return None
}

func (f *finder) slice(n node, i int) {
	s, size := &f.steps[i], int(n.n)
	bound := func(x int, has bool, otherwise int) int {
		if !has {
			return otherwise
		}
		if x < 0 {
			x += size
		}
		return min(max(x, 0), size)
	}
	from, to := bound(s.from, s.hasFrom, 0), bound(s.to, s.hasTo, size)
	k := 0
	for c := n.child; c != None && k < to; c = f.d.nodes[c].next {
		if k >= from {
			f.step(int(c), i+1, false)
		}
		k++
	}
}

// element returns element k of an array; a negative k counts from the end.
func (d *Document) element(n node, k int) int {
	if k < 0 {
		k += int(n.n)
	}
	if k < 0 || k >= int(n.n) {
		return None
	}
	c := n.child
	for ; k > 0; k-- {
		c = d.nodes[c].next
	}
	return int(c)
}

// member returns the last value of an object with that key.
func (d *Document) member(id int, name string) int {
	found := None
	for c := d.nodes[id].child; c != None; c = d.nodes[c].next {
		n := &d.nodes[c]
		if !n.keyEscaped && int(n.keyHi-n.keyLo) != len(name) {
			continue
		}
		if string(d.keyOf(c, 0)) == name {
			found = int(c)
		}
	}
	return found
}
