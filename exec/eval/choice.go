package eval

import (
	"math/bits"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// choice is CASE. A condition or result that is cheap is computed for all rows, any
// other one for the rows that need it.
type choice struct {
	state
	conds []node
	thens []node // one more than conds: ELSE
	typ   types.Type
	cheap []bool     // of conds, then of thens
	takes [][]uint64 // bitmaps of the rows of each branch
	left  []uint64   // of those that no branch has taken
	sel   []int32
	vecs  []*stream.Vec
	which []int32 // Bytes results: branch of each row + 1; 0: the row is not asked for
}

// isCheap reports whether n costs less for all rows than the choice of rows, and cannot
// fail.
func isCheap(n node) bool {
	switch n := n.(type) {
	case *column, *constant:
		return true
	case *retyped:
		return isCheap(n.arg)
	case *call:
		if n.fails || n.costly || !n.light {
			return false
		}
		for _, a := range n.args {
			if !isCheap(a) {
				return false
			}
		}
		return true
	}
	return false
}

func (n *choice) compute(p *Program, rows expr.Rows, out *stream.Vec) (*stream.Vec, error) {
	n.start(rows)
	last := len(n.conds)
	for k, c := range n.conds {
		n.vecs[k] = nil
		n.takes[k] = n.takes[k][:0]
		need, any := n.need(n.left, rows, n.cheap[k])
		if !any {
			continue
		}
		v, err := p.eval(c, need)
		if err != nil {
			return nil, err
		}
		for j, w := range n.left {
			t, _ := known(v, j)
			n.takes[k] = append(n.takes[k], w&t)
			n.left[j] = w &^ t
		}
		if err := n.branch(p, k, n.takes[k], rows); err != nil {
			return nil, err
		}
	}
	n.takes[last] = append(n.takes[last][:0], n.left...)
	n.vecs[last] = nil
	if err := n.branch(p, last, n.takes[last], rows); err != nil {
		return nil, err
	}
	out.Reset(n.typ, rows.N)
	n.merge(out, rows.N)
	tidy(out, rows.N)
	return out, nil
}

// start puts all rows that are asked for to those left.
func (n *choice) start(rows expr.Rows) {
	words := (rows.N + 63) >> 6
	if cap(n.left) < words {
		n.left = make([]uint64, words)
	}
	n.left = n.left[:words]
	if rows.Sel == nil {
		setFirst(n.left, rows.N)
		return
	}
	clear(n.left)
	for _, i := range rows.Sel {
		n.left[i>>6] |= 1 << (i & 63)
	}
}

// setFirst sets the first n bits of words, the last of which holds the n-th one.
func setFirst(words []uint64, n int) {
	for j := range words {
		words[j] = ^uint64(0)
	}
	if rest := n & 63; rest > 0 {
		words[len(words)-1] = 1<<rest - 1
	}
}

// need returns the rows for which a part is computed where those of the bitmap need it,
// and whether any does.
func (n *choice) need(words []uint64, rows expr.Rows, cheap bool) (expr.Rows, bool) {
	var some uint64
	for _, w := range words {
		some |= w
	}
	if some == 0 || cheap {
		return rows, some != 0
	}
	n.sel = setRows(words, nil, rows.N, n.sel[:0])
	return expr.Rows{N: rows.N, Sel: n.sel}, true
}

// branch evaluates the result of branch k.
func (n *choice) branch(p *Program, k int, take []uint64, rows expr.Rows) (err error) {
	if need, any := n.need(take, rows, n.cheap[len(n.conds)+k]); any {
		n.vecs[k], err = p.operand(n.thens[k], need)
	}
	return err
}

// merge puts the results of the branches together.
func (n *choice) merge(out *stream.Vec, rows int) {
	for _, v := range n.vecs {
		if v != nil && (v.Valid != nil || v.Type.Kind == types.Null) {
			n.validity(out, rows)
			break
		}
	}
	bottom := true // nothing is written yet
	switch l := out.Type.Layout(); l {
	case types.Bytes:
		n.mergeTexts(out, rows)
		return
	case types.Bits:
		clear(out.Words())
		bottom = false
	}
	for k := len(n.vecs) - 1; k >= 0; k-- {
		switch v := n.vecs[k]; {
		case v == nil || v.Type.Kind == types.Null:
		case bottom && v.Enc == stream.Flat:
			copy(out.Data, v.Data[:min(len(out.Data), len(v.Data))])
			bottom = false
		case bottom:
			setFirst(n.left, rows)
			lay(out, v, n.left)
			bottom = false
		default:
			lay(out, v, n.takes[k])
		}
	}
}

// validity sets which rows of out are NULL.
func (n *choice) validity(out *stream.Vec, rows int) {
	valid := out.OwnValid(rows)
	clear(valid)
	for k, v := range n.vecs {
		if v == nil || v.Type.Kind == types.Null || v.Enc == stream.Const && v.IsNull(0) {
			continue
		}
		for j, w := range n.takes[k] {
			if v.Valid != nil && v.Enc != stream.Const {
				w &= v.Valid[j]
			}
			valid[j] |= w
		}
	}
}

// mergeTexts appends the texts of the rows in order.
func (n *choice) mergeTexts(out *stream.Vec, rows int) {
	if cap(n.which) < rows {
		n.which = make([]int32, rows)
	}
	which := n.which[:rows]
	clear(which)
	for k, v := range n.vecs {
		if v == nil || v.Type.Kind == types.Null {
			continue
		}
		for j, w := range n.takes[k] {
			if out.Valid != nil {
				w &= out.Valid[j]
			}
			for ; w != 0; w &= w - 1 {
				which[j<<6+bits.TrailingZeros64(w)] = int32(k) + 1
			}
		}
	}
	data, off := out.Data, out.Off[:rows+1]
	for i, k := range which {
		if k > 0 {
			v, at := n.vecs[k-1], i
			if v.Enc == stream.Const {
				at = 0
			}
			lo, hi := v.Off[at], v.Off[at+1]
			if end := len(data) + shortText; hi-lo <= shortText && cap(data) >= end && cap(v.Data) >= int(lo)+shortText {
				*(*[shortText]byte)(data[len(data):end]) = *(*[shortText]byte)(v.Data[lo : lo+shortText])
				data = data[:end-shortText+int(hi-lo)]
			} else {
				data = append(data, v.Data[lo:hi]...)
			}
		}
		off[i+1] = int32(len(data))
	}
	out.Data, out.Off, out.N = data, off, rows
}

// shortText is up to how many bytes of a text are copied at once, as so many.
const shortText = 16

// lay copies the values of v at the rows of a bitmap to out, a Flat vector of the same
// layout.
func lay(out, v *stream.Vec, take []uint64) {
	switch out.Type.Layout() {
	case types.Bits:
		words := out.Words()
		for j, w := range take {
			t, _ := known(v, j)
			words[j] |= t & w
		}
	case types.Int8:
		layFixed[uint8](out, v, take)
	case types.Int16:
		layFixed[uint16](out, v, take)
	case types.Int32, types.Float32:
		layFixed[uint32](out, v, take)
	case types.Int64, types.Float64:
		layFixed[uint64](out, v, take)
	case types.Int128:
		layFixed[types.Num128](out, v, take)
	}
}

func layFixed[T stream.Fixed](out, v *stream.Vec, take []uint64) {
	dst, src := stream.Values[T](out), stream.Values[T](v)
	one := v.Enc == stream.Const
	for j, w := range take {
		switch first := j << 6; {
		case first+64 > len(dst) || bits.OnesCount64(w) <= fewBits:
			for ; w != 0; w &= w - 1 {
				i := first + bits.TrailingZeros64(w)
				if one {
					dst[i] = src[0]
				} else {
					dst[i] = src[i]
				}
			}
		case one:
			builtin.SetWord((*[64]T)(dst[first:]), src[0], w)
		case w == ^uint64(0):
			copy(dst[first:first+64], src[first:first+64])
		default:
			builtin.BlendWord((*[64]T)(dst[first:]), (*[64]T)(src[first:]), w)
		}
	}
}
