package json

import (
	"slices"
	"unsafe"

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

type node struct{ edges []*edge }

// edge is one text between values. It is compared with two words, which are the
// first one twice, under mask, where it is shorter than eight bytes and overlap
// where it is shorter than sixteen, and then with rest.
type edge struct {
	first, second, mask uint64
	secondAt            int
	rest                []piece
	size                int
	text                []byte
	next                int32 // node; noNode: none
	op                  op    // what to do with the value
	col                 *column
}

// piece is a word of an edge's text behind the first sixteen bytes.
type piece struct {
	at   int
	word uint64
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
		do, col := opSkip, (*column)(nil)
		if m.col >= 0 {
			col = &d.cols[m.col]
			do = col.op
		} else if line[m.from] == '"' {
			do = opSkipText
		}
		l.nodes[at].add(next, do, col, line[from:m.from])
		at, from = next, m.to
	}
	l.nodes[at].add(noNode, opEnd, nil, line[from:])
}

// add puts an edge with a text in, unless it is there.
func (n *node) add(next int32, op op, col *column, text []byte) {
	if len(n.edges) == maxEdges || len(text) > maxText {
		return
	}
	for i := range n.edges {
		if string(n.edges[i].text) == string(text) {
			return
		}
	}
	e := &edge{next: next, op: op, col: col, text: slices.Clone(text), size: len(text)}
	padded := append(slices.Clone(text), make([]byte, 8)...)
	e.first = field.Word(padded, 0)
	e.second, e.mask = e.first, ^uint64(0)
	if e.size < 8 {
		e.mask = 1<<(8*e.size) - 1
	} else {
		e.secondAt = min(8, e.size-8)
		e.second = field.Word(text, e.secondAt)
	}
	for at := 16; at < e.size; at += 8 {
		at := min(at, e.size-8)
		e.rest = append(e.rest, piece{at, field.Word(text, at)})
	}
	n.edges = append(n.edges, e)
}

// matches reports whether the text stands at i.
func (e *edge) matches(p unsafe.Pointer, i int) bool {
	return ((word(p, i)^e.first)|(word(p, i+e.secondAt)^e.second))&e.mask == 0 && (len(e.rest) == 0 || e.matchesRest(p, i))
}

// matchesRest compares the words in order: so it does not go on behind a line feed.
func (e *edge) matchesRest(p unsafe.Pointer, i int) bool {
	for _, r := range e.rest {
		if word(p, i+r.at) != r.word {
			return false
		}
	}
	return true
}

// follow returns the edge whose text stands at i, or nil.
func (n *node) follow(p unsafe.Pointer, i int) *edge {
	for _, e := range n.edges {
		if e.matches(p, i) {
			return e
		}
	}
	return nil
}
