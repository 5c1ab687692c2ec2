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

// choice is CASE.
type choice struct {
	state
	conds []node
	thens []node // one more than conds: ELSE
	typ   types.Type
	sels  [][]int32 // rows of each branch
	rest  []int32
	next  []int32
	vecs  []*stream.Vec
	which []int32 // Bytes results: branch of each row + 1; 0: the row is not asked for
}

func (n *choice) compute(p *Program, rows expr.Rows, out *stream.Vec) (*stream.Vec, error) {
	left := rows
	for k, c := range n.conds {
		n.sels[k], n.vecs[k] = n.sels[k][:0], nil
		if left.Len() == 0 {
			continue
		}
		v, err := p.eval(c, left)
		if err != nil {
			return nil, err
		}
		n.split(k, v, left)
		left = expr.Rows{N: rows.N, Sel: n.rest}
		if err := n.branch(p, k, n.sels[k], rows.N); err != nil {
			return nil, err
		}
	}
	last := len(n.conds)
	n.sels[last] = append(n.sels[last][:0], n.rest...)
	if err := n.branch(p, last, n.sels[last], rows.N); err != nil {
		return nil, err
	}
	out.Reset(n.typ, rows.N)
	if n.typ.Layout() == types.Bytes {
		n.mergeBytes(out, rows.N)
		return out, nil
	}
	for k, v := range n.vecs {
		if v != nil {
			scatter(out, v, n.sels[k], rows.N)
		}
	}
	return out, nil
}

// split parts the rows left into those for which v is TRUE (branch k) and the rest.
func (n *choice) split(k int, v *stream.Vec, left expr.Rows) {
	then, rest := n.sels[k], n.next[:0]
	take := func(i int32) {
		if !v.IsNull(int(i)) && v.Bool(int(i)) {
			then = append(then, i)
		} else {
			rest = append(rest, i)
		}
	}
	if left.Sel != nil {
		for _, i := range left.Sel {
			take(i)
		}
	} else {
		for i := range int32(left.N) {
			take(i)
		}
	}
	if rest == nil {
		rest = []int32{}
	}
	n.sels[k] = then
	n.next, n.rest = n.rest, rest
}

// branch evaluates the result of branch k for its rows.
func (n *choice) branch(p *Program, k int, sel []int32, rows int) error {
	n.vecs[k] = nil
	if len(sel) == 0 {
		return nil
	}
	v, err := p.operand(n.thens[k], expr.Rows{N: rows, Sel: sel})
	n.vecs[k] = v
	return err
}

func (n *choice) mergeBytes(out *stream.Vec, rows int) {
	if cap(n.which) < rows {
		n.which = make([]int32, rows)
	}
	which := n.which[:rows]
	clear(which)
	for k, sel := range n.sels {
		for _, i := range sel {
			which[i] = int32(k) + 1
		}
	}
	for i, k := range which {
		if k == 0 {
			out.AppendBytes(nil)
			continue
		}
		if v := n.vecs[k-1]; v.IsNull(i) {
			out.AppendBytes(nil)
			out.SetNull(i, rows)
		} else {
			out.AppendBytes(v.Bytes(i))
		}
	}
}

// scatter copies the values of v at the rows of sel to out, a Flat vector of the
// same layout with n rows.
func scatter(out, v *stream.Vec, sel []int32, n int) {
	if v.Valid != nil || v.Type.Kind == types.Null {
		for _, i := range sel {
			if v.IsNull(int(i)) {
				out.SetNull(int(i), n)
			}
		}
		if v.Type.Kind == types.Null {
			return
		}
	}
	switch out.Type.Layout() {
	case types.Bits:
		for _, i := range sel {
			out.SetBool(int(i), v.Bool(int(i)))
		}
	case types.Int8:
		scatterFixed[uint8](out, v, sel)
	case types.Int16:
		scatterFixed[uint16](out, v, sel)
	case types.Int32, types.Float32:
		scatterFixed[uint32](out, v, sel)
	case types.Int64, types.Float64:
		scatterFixed[uint64](out, v, sel)
	case types.Int128:
		scatterFixed[types.Num128](out, v, sel)
	}
}

func scatterFixed[T stream.Fixed](out, v *stream.Vec, sel []int32) {
	dst, src := stream.Values[T](out), stream.Values[T](v)
	if v.Enc == stream.Const {
		x := src[0]
		for _, i := range sel {
			dst[i] = x
		}
		return
	}
	for _, i := range sel {
		dst[i] = src[i]
	}
}
