package builtin

import (
	"math/bits"
	"slices"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// argument gives the loops of an accumulator one simple form of input: a slice of
// values by physical row, and the rows to take. It owns the scratch for it.
type argument[T stream.Fixed] struct {
	sel []int32
	buf []T
}

// read returns the values of v and the rows whose value is not NULL: sel, or all of
// 0..N-1 if sel is nil and all is set.
func (a *argument[T]) read(v *stream.Vec, rows expr.Rows) (vals []T, sel []int32, all bool) {
	sel, all = notNull(&a.sel, v, rows)
	if v.Enc != stream.Const {
		return stream.Values[T](v), sel, all
	}
	if cap(a.buf) < rows.N {
		a.buf = make([]T, rows.N)
	}
	vals = a.buf[:rows.N]
	if v.Type.Kind != types.Null {
		x := stream.Values[T](v)[0]
		for i := range vals {
			vals[i] = x
		}
	}
	return vals, sel, all
}

// bytes is the memory of the scratch.
func (a *argument[T]) bytes() int64 {
	var x T
	return int64(cap(a.sel))*4 + int64(cap(a.buf))*int64(unsafe.Sizeof(x))
}

// notNull returns the rows whose value is not NULL, using buf if a selection must
// be made.
func notNull(buf *[]int32, v *stream.Vec, rows expr.Rows) (sel []int32, all bool) {
	if v.Type.Kind != types.Null {
		if v.Valid == nil || v.Enc == stream.Const && !v.IsNull(0) {
			return rows.Sel, rows.Sel == nil
		}
		if v.Enc != stream.Const {
			s := (*buf)[:0]
			if rows.Sel == nil {
				s = appendSetBits(s, v.Valid, rows.N)
			} else {
				for _, i := range rows.Sel {
					if v.Valid[i>>6]&(1<<(i&63)) != 0 {
						s = append(s, i)
					}
				}
			}
			*buf = s
			return s, false
		}
	}
	return (*buf)[:0], false
}

// appendSetBits appends the places of the bits below n that are set.
func appendSetBits(s []int32, words []uint64, n int) []int32 {
	s = slices.Grow(s, n)
	out, k := s[len(s):len(s)+n], 0
	for w := 0; w<<6 < n; w++ {
		x := words[w]
		if rest := n - w<<6; rest < 64 {
			x &= 1<<rest - 1
		}
		for ; x != 0; x &= x - 1 {
			out[k] = int32(w<<6 + bits.TrailingZeros64(x))
			k++
		}
	}
	return s[:len(s)+k]
}

// extend makes s at least n long; new elements are zero. Memory behind len may hold
// old values.
func extend[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	if cap(s) < n {
		t := make([]T, n, max(n, 2*cap(s), 64))
		copy(t, s)
		return t
	}
	old := len(s)
	s = s[:n]
	clear(s[old:])
	return s
}

func groupAt(groups []int32, k int) int {
	if groups == nil {
		return k
	}
	return int(groups[k])
}

// countRows is COUNT(*) and COUNT(x, ...): rows without a NULL among the arguments.
type countRows struct {
	n   expr.Cells[int64]
	sel [2][]int32
}

func (c *countRows) Grow(n int) { c.n.Grow(n) }
func (c *countRows) Reset()     { c.n.Reset() }

// Touch implements expr.Toucher.
func (c *countRows) Touch(g int32) byte { return c.n.Touch(g) }

func (c *countRows) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	c.add(groups, args, rows, 1)
	return nil
}

func (c *countRows) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	c.add(groups, args, rows, -1)
	return nil
}

func (c *countRows) add(groups []int32, args []*stream.Vec, rows expr.Rows, step int64) {
	for k, v := range args {
		sel, all := notNull(&c.sel[k&1], v, rows)
		if !all {
			rows.Sel = sel
		}
		if !all && len(sel) == 0 {
			return
		}
	}
	flat, ok := c.n.Flat()
	chunks := c.n.Chunks()
	switch {
	case ok && rows.Sel == nil:
		for _, g := range groups[:rows.N] {
			flat[g] += step
		}
	case ok:
		for _, i := range rows.Sel {
			flat[groups[i]] += step
		}
	case rows.Sel == nil:
		for _, g := range groups[:rows.N] {
			chunks[uint32(g)>>expr.CellBits][g&expr.CellMask] += step
		}
	default:
		for _, i := range rows.Sel {
			g := groups[i]
			chunks[uint32(g)>>expr.CellBits][g&expr.CellMask] += step
		}
	}
}

func (c *countRows) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*countRows)
	for i, g := range groups {
		*c.n.At(int(g)) += *f.n.At(int(fromGroups[i]))
	}
	return nil
}

func (c *countRows) Result(groups []int32, n int, out *stream.Vec) error {
	dst := stream.Values[int64](out)
	if flat, ok := c.n.Flat(); ok && groups == nil {
		copy(dst, flat[:n])
		return nil
	}
	for k := range n {
		dst[k] = *c.n.At(groupAt(groups, k))
	}
	return nil
}

func (c *countRows) Bytes() int64 { return c.n.Bytes() + int64(cap(c.sel[0])+cap(c.sel[1]))*4 }

func (c *countRows) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(c.n.Len()))
	for g := range c.n.Len() {
		e.Int64(*c.n.At(g))
	}
}

func (c *countRows) Restore(d *stream.Decoder) error {
	c.n.Reset()
	c.n.Grow(d.Count(8))
	for g := range c.n.Len() {
		*c.n.At(g) = d.Int64()
	}
	return d.Err()
}
