package json

import (
	"encoding/binary"
	"slices"

	"streamsql/connector/field"
)

// layout is what stood between the values of earlier lines. It is a graph: a node
// stands for the place behind the value of one key (the first one for the start of
// a line), an edge for the bytes from there up to the value of the next key, or to
// the end of the line. So it holds lines with optional keys and lines of several
// kinds, and whatever path is taken through it is an object.
type layout struct {
	nodes []node
	byKey map[string]int32 // keys as they are spelled
}

type node struct{ edges []edge }

// edge is one text between values. It is compared with word, under mask where it
// is shorter, and then with rest.
type edge struct {
	word, mask uint64
	rest       []uint64 // the words from byte 8 on
	tail       uint64   // the last eight bytes, if the text is longer than eight
	size       int
	text       []byte
	next       int32 // node; noNode: none
	op         op    // what to do with the value
	col        *column
}

// noNode is where an edge leads that ends the line.
const noNode = -1

// The layout stops to learn at these sizes, which no ordinary input has.
const (
	maxNodes = 1024
	maxEdges = 16
	maxText  = 1024 // bytes of an edge
)

func (l *layout) reset() {
	l.nodes = make([]node, 1, 16)
	l.byKey = map[string]int32{}
}

// learn adds the texts of a line, which ends with its line feed and has these
// members.
func (l *layout) learn(line []byte, list []member, d *Decoder) {
	at, from := int32(0), 0
	for i := range list {
		m := &list[i]
		next, ok := l.byKey[string(line[m.key:m.keyEnd])]
		if !ok {
			if len(l.nodes) == maxNodes {
				return
			}
			next = int32(len(l.nodes))
			l.nodes = append(l.nodes, node{})
			l.byKey[string(line[m.key:m.keyEnd])] = next
		}
		e := edge{next: next, op: opSkip}
		if m.col >= 0 {
			e.col = &d.cols[m.col]
			e.op = e.col.op
		}
		l.nodes[at].add(e, line[from:m.from])
		at, from = next, m.to
	}
	l.nodes[at].add(edge{next: noNode}, line[from:])
}

// add puts an edge with a text in, unless it is there.
func (n *node) add(e edge, text []byte) {
	if len(n.edges) == maxEdges || len(text) > maxText {
		return
	}
	for i := range n.edges {
		if string(n.edges[i].text) == string(text) {
			return
		}
	}
	e.text = slices.Clone(text)
	e.size = len(text)
	padded := append(slices.Clone(text), make([]byte, 8)...)
	e.word = field.Word(padded, 0)
	e.mask = ^uint64(0)
	if e.size < 8 {
		e.mask = 1<<(8*e.size) - 1
	}
	for i := 8; i+8 <= e.size; i += 8 {
		e.rest = append(e.rest, field.Word(text, i))
	}
	if e.size > 8 {
		e.tail = binary.LittleEndian.Uint64(text[e.size-8:])
	}
	n.edges = append(n.edges, e)
}

// matches reports whether the text stands at i.
func (e *edge) matches(buf []byte, i int) bool {
	if (field.Word(buf, i)^e.word)&e.mask != 0 {
		return false
	}
	return e.size <= 8 || e.matchesRest(buf, i)
}

func (e *edge) matchesRest(buf []byte, i int) bool {
	for k, w := range e.rest {
		if field.Word(buf, i+8*k+8) != w {
			return false
		}
	}
	return field.Word(buf, i+e.size-8) == e.tail
}
