package javaregex

type nodeKind uint8

const (
	nodeEmpty nodeKind = iota
	nodeSet
	nodeSequence
	nodeChoice
	nodeGroup     // a group that captures
	nodeRepeat    // subs[0], min to max times
	nodeBegin     // \A, and ^
	nodeLineBegin // ^ with (?m)
	nodeEnd       // \z
	nodeFinalEnd  // $ and \Z: the end, or before a last line end
	nodeLineEnd   // $ with (?m)
	nodeWordEdge
	nodeNoWordEdge
	nodeLastEnd // \G
	nodeLook
	nodeAtomic
	nodeBackReference
	nodeNever
)

type repeatMode uint8

const (
	greedy repeatMode = iota
	lazy
	possessive
)

// unbounded is the most repetitions of * and +.
const unbounded = 1<<31 - 1

// node is a part of an expression.
type node struct {
	kind     nodeKind
	mode     repeatMode
	behind   bool // nodeLook
	negative bool // nodeLook
	fold     bool // nodeBackReference: ASCII letters in any case
	unix     bool // edges of lines: only \n ends one
	set      *set
	subs     []*node
	group    int // nodeGroup, nodeBackReference
	min, max int // nodeRepeat
}

// lengths returns the least and most characters that a node takes; bounded is false if
// there is no obvious most.
func (n *node) lengths() (least, most int, bounded bool) {
	switch n.kind {
	case nodeSet:
		return 1, 1, true
	case nodeBackReference:
		return 0, 0, false
	case nodeSequence, nodeGroup, nodeAtomic:
		bounded = true
		for _, s := range n.subs {
			lo, hi, b := s.lengths()
			least, most, bounded = least+lo, most+hi, bounded && b
		}
		return least, most, bounded
	case nodeChoice:
		least, bounded = unbounded, true
		for _, s := range n.subs {
			lo, hi, b := s.lengths()
			least, most, bounded = min(least, lo), max(most, hi), bounded && b
		}
		return least, most, bounded
	case nodeRepeat:
		lo, hi, b := n.subs[0].lengths()
		if n.max == unbounded || hi*n.max > 1<<30 {
			return lo * n.min, 0, false
		}
		return lo * n.min, hi * n.max, b
	}
	return 0, 0, true
}

// isRun reports whether a node is one repeated character.
func (n *node) isRun() bool {
	for n.kind == nodeSequence && len(n.subs) == 1 {
		n = n.subs[0]
	}
	return n.kind == nodeRepeat && n.subs[0].kind == nodeSet
}

// beyond reports whether a node names characters beyond U+FFFF.
func (n *node) beyond() bool {
	if n.kind == nodeSet {
		k := len(n.set.ranges)
		return k > 0 && n.set.ranges[k-1] > 0xFFFF
	}
	for _, s := range n.subs {
		if s.beyond() {
			return true
		}
	}
	return false
}

// literal returns the text that a node stands for, "" if it is not one text.
func (n *node) literal() string {
	text, _ := n.appendLiteral(nil)
	return string(text)
}

// appendLiteral appends the text that a node stands for, or returns nil if it is not one
// text.
func (n *node) appendLiteral(text []byte) (_ []byte, ok bool) {
	switch {
	case n.kind == nodeSet && len(n.set.ranges) == 2 && n.set.ranges[0] == n.set.ranges[1]:
		return append(text, string(n.set.ranges[0])...), true
	case n.kind == nodeSequence:
		ok = true
		for _, s := range n.subs {
			if text, ok = s.appendLiteral(text); !ok {
				return nil, false
			}
		}
		return text, ok
	}
	return nil, false
}
