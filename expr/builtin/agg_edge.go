package builtin

import (
	"math"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// edge is FIRST_VALUE or LAST_VALUE of insert-only input: the value, not NULL, that
// arrived first or last.
type edge struct {
	last bool
	typ  types.Type
	text texts                 // texts
	vals expr.Cells[edgeValue] // other values, as 128-bit integers
	has  expr.Cells[bool]
	sel  []int32
}

// edgeValue is a fixed-width value as probe.load gives it.
type edgeValue struct {
	hi int64
	lo uint64
}

func newEdge(t types.Type, last bool) *edge { return &edge{typ: t, last: last} }

func (a *edge) isText() bool { return a.typ.Layout() == types.Bytes }

func (a *edge) Grow(n int) {
	if a.isText() {
		a.text.grow(n)
		return
	}
	a.vals.Grow(n)
	a.has.Grow(n)
}

func (a *edge) Reset() {
	a.text.reset()
	a.vals.Reset()
	a.has.Reset()
}

func (a *edge) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	v := args[0]
	sel, all := notNull(&a.sel, v, rows)
	if all {
		for i := range rows.N {
			a.offer(groups[i], v, i)
		}
		return nil
	}
	for _, i := range sel {
		a.offer(groups[i], v, int(i))
	}
	return nil
}

func (a *edge) offer(g int32, v *stream.Vec, i int) {
	if a.isText() {
		if a.last || !a.text.has(int(g)) {
			a.text.set(int(g), v.Bytes(i))
		}
		return
	}
	if a.last || !*a.has.At(int(g)) {
		var p probe
		p.loadExact(v, a.typ.Layout(), v.At(i))
		*a.vals.At(int(g)) = edgeValue{p.hi, p.lo}
		*a.has.At(int(g)) = true
	}
}

// loadExact is load, but a float keeps its bits; there is one NaN.
func (p *probe) loadExact(v *stream.Vec, lay types.Layout, i int) {
	switch lay {
	case types.Float32:
		x := stream.Values[float32](v)[i]
		if x != x {
			x = float32(math.NaN())
		}
		p.hi = int64(int32(math.Float32bits(x)))
	case types.Float64:
		x := stream.Values[float64](v)[i]
		if x != x {
			x = math.NaN()
		}
		p.hi = int64(math.Float64bits(x))
	default:
		p.load(v, lay, i)
	}
}

func (a *edge) Retract([]int32, []*stream.Vec, expr.Rows) error { return errNoRetract }

// Merge takes from's values as arrived later.
func (a *edge) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*edge)
	for i, g := range groups {
		h := fromGroups[i]
		if a.isText() {
			if f.text.has(int(h)) && (a.last || !a.text.has(int(g))) {
				a.text.set(int(g), f.text.get(int(h)))
			}
			continue
		}
		if *f.has.At(int(h)) && (a.last || !*a.has.At(int(g))) {
			*a.vals.At(int(g)), *a.has.At(int(g)) = *f.vals.At(int(h)), true
		}
	}
	return nil
}

func (a *edge) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *edge) put(g int32, k, n int, out *stream.Vec) error {
	if a.isText() {
		a.text.put(int(g), k, n, out)
		return nil
	}
	x := a.vals.At(int(g))
	putExact(out, a.typ.Layout(), k, x.hi, x.lo)
	if !*a.has.At(int(g)) {
		out.SetNull(k, n)
	}
	return nil
}

// putExact writes what loadExact has loaded.
func putExact(out *stream.Vec, lay types.Layout, k int, hi int64, lo uint64) {
	switch lay {
	case types.Float32:
		lay = types.Int32
	case types.Float64:
		lay = types.Int64
	}
	putFixed(out, lay, k, &msNode{hi: hi, lo: lo})
}

func (a *edge) Bytes() int64 {
	return a.text.bytes() + a.vals.Bytes() + a.has.Bytes() + int64(cap(a.sel))*4
}

func (a *edge) Snapshot(e *stream.Encoder) {
	if a.isText() {
		a.text.snapshot(e)
		return
	}
	e.Uint64(uint64(a.vals.Len()))
	for g := range a.vals.Len() {
		x := a.vals.At(g)
		e.Bool(*a.has.At(g))
		e.Int64(x.hi)
		e.Uint64(x.lo)
	}
}

func (a *edge) Restore(d *stream.Decoder) error {
	if a.isText() {
		return a.text.restore(d)
	}
	a.Reset()
	a.Grow(d.Count(17))
	for g := range a.vals.Len() {
		*a.has.At(g) = d.Bool()
		x := a.vals.At(g)
		x.hi, x.lo = d.Int64(), d.Uint64()
	}
	return d.Err()
}
