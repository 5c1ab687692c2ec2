package eval

import (
	"math/bits"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// logic is AND or OR with three-valued logic. It keeps two bitmaps, the rows known
// to be TRUE and those known to be FALSE; what is in neither is NULL. While no operand
// has had a NULL, the second one is the opposite of the first and not made.
type logic struct {
	state
	args    []node
	or      bool
	typ     types.Type
	sel     []int32
	isTrue  []uint64
	isFalse []uint64
	whole   bool // no NULL so far: isFalse is not set
	asked   []uint64
}

func (n *logic) compute(p *Program, rows expr.Rows, out *stream.Vec) (*stream.Vec, error) {
	first, err := p.eval(n.args[0], rows)
	if err != nil {
		return nil, err
	}
	out.Reset(n.typ, rows.N)
	n.isTrue, n.isFalse, n.whole = out.Words(), out.OwnValid(rows.N), isWhole(first)
	if n.whole {
		copy(n.isTrue, first.Words())
	} else {
		for k := range n.isTrue {
			n.isTrue[k], n.isFalse[k] = known(first, k)
		}
	}
	for _, a := range n.args[1:] {
		need := rows
		if s := a.base(); s.fails || s.costly || n.nearlyDecided(rows.N) {
			need.Sel = n.open(rows)
			if len(need.Sel) == 0 {
				break
			}
		}
		v, err := p.eval(a, need)
		if err != nil {
			return nil, err
		}
		n.merge(v)
	}
	if n.whole {
		out.Valid = nil
		return out, nil
	}
	for k, t := range n.isTrue {
		n.isFalse[k] |= t
	}
	tidy(out, rows.N)
	return out, nil
}

// isWhole reports whether v has a word for each 64 rows and no NULL.
func isWhole(v *stream.Vec) bool {
	return v.Enc == stream.Flat && v.Valid == nil && v.Type.Kind != types.Null
}

// merge takes in the value of a further operand.
func (n *logic) merge(v *stream.Vec) {
	isTrue, isFalse := n.isTrue, n.isFalse
	if n.whole && isWhole(v) {
		words := v.Words()[:len(isTrue)]
		if n.or {
			for k, w := range words {
				isTrue[k] |= w
			}
		} else {
			for k, w := range words {
				isTrue[k] &= w
			}
		}
		return
	}
	if n.whole {
		for k, w := range isTrue {
			isFalse[k] = ^w
		}
		n.whole = false
	}
	for k := range isTrue {
		t, f := known(v, k)
		if n.or {
			isTrue[k] |= t
			isFalse[k] &= f
		} else {
			isTrue[k] &= t
			isFalse[k] |= f
		}
	}
}

// known returns word k of the rows for which v is TRUE and of those for which it is
// FALSE.
func known(v *stream.Vec, k int) (isTrue, isFalse uint64) {
	if v.Enc == stream.Const {
		switch {
		case v.IsNull(0):
			return 0, 0
		case v.Bool(0):
			return ^uint64(0), 0
		}
		return 0, ^uint64(0)
	}
	w := v.Words()[k]
	if v.Valid == nil {
		return w, ^w
	}
	return w & v.Valid[k], ^w & v.Valid[k]
}

// nearlyDecided reports whether so few of N rows are open that further operands are
// better computed for those alone.
func (n *logic) nearlyDecided(rows int) bool {
	decided := n.isFalse
	if n.or || n.whole {
		decided = n.isTrue
	}
	open := 0
	for _, w := range decided {
		open += bits.OnesCount64(w)
	}
	if n.or || !n.whole {
		open = rows - open
	}
	return rows >= 1024 && open < rows>>5
}

// open returns the rows that are not decided yet.
func (n *logic) open(rows expr.Rows) []int32 {
	asked := n.isTrue
	if n.or || !n.whole {
		decided := n.isFalse
		if n.or {
			decided = n.isTrue
		}
		asked = n.asked[:0]
		for _, w := range decided {
			asked = append(asked, ^w)
		}
		n.asked = asked
	}
	if rows.Sel != nil {
		n.sel = keepRows(asked, nil, rows.Sel, n.sel[:0])
	} else {
		n.sel = setRows(asked, nil, rows.N, n.sel[:0])
	}
	return n.sel
}
