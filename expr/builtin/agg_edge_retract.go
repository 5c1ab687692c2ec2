package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// retractableEdge is FIRST_VALUE or LAST_VALUE of input that takes rows back: all
// values of a group, not NULL, in order of arrival. Of equal values that which came
// first is taken out first; a value that is not there is ignored. (Flink:
// FirstValueWithRetractAggFunction.)
type retractableEdge struct {
	last   bool
	typ    types.Type
	set    multiset             // the values, to find them
	equals expr.Cells[listEnds] // by value: its arrivals
	groups expr.Cells[listEnds] // by group: its arrivals
	all    expr.Cells[arrival]  // of all groups
	free   int32                // arrival + 1, linked through next
	sel    []int32
}

// arrival is a value that has come. Arrivals are named by their number + 1.
type arrival struct {
	prev, next int32 // in the group
	equal      int32 // the next of the same value
	value      int32 // its node in the set
}

type listEnds struct{ first, last int32 }

func newRetractableEdge(t types.Type, last bool) *retractableEdge {
	return &retractableEdge{typ: t, last: last, set: multiset{text: t.Layout() == types.Bytes}}
}

func (a *retractableEdge) Grow(n int) {
	a.set.roots.Grow(n)
	a.groups.Grow(n)
}

func (a *retractableEdge) Reset() {
	a.set.reset()
	a.equals.Reset()
	a.groups.Reset()
	a.all.Reset()
	a.free = 0
}

func (a *retractableEdge) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return a.each(groups, args, rows, false)
}

func (a *retractableEdge) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return a.each(groups, args, rows, true)
}

func (a *retractableEdge) each(groups []int32, args []*stream.Vec, rows expr.Rows, take bool) error {
	sel, all := notNull(&a.sel, args[0], rows)
	if all {
		sel = nil
	} else if len(sel) == 0 {
		return nil
	}
	return each(expr.Rows{N: rows.N, Sel: sel}, func(i int) error { return a.step(groups[i], args, i, take) })
}

// Follow implements expr.Follower.
func (a *retractableEdge) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *retractableEdge) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	var p probe
	p.loadExact(v, a.typ.Layout(), v.At(i))
	if take {
		a.take(g, &p)
	} else {
		a.add(g, &p)
	}
	return nil
}

func (a *retractableEdge) add(g int32, p *probe) {
	a.set.add(g, p, 1)
	value := a.set.find(g, p)
	if a.equals.Len() < int(value) {
		a.equals.Grow(int(value))
	}
	id := a.free
	if id != 0 {
		a.free = a.at(id).next
	} else {
		a.all.Append(arrival{})
		id = int32(a.all.Len())
	}
	list, equal := a.groups.At(int(g)), a.equals.At(int(value-1))
	*a.at(id) = arrival{prev: list.last, value: value}
	if list.last == 0 {
		list.first = id
	} else {
		a.at(list.last).next = id
	}
	list.last = id
	if a.set.node(value).count == 1 {
		*equal = listEnds{id, id}
		return
	}
	a.at(equal.last).equal = id
	equal.last = id
}

func (a *retractableEdge) take(g int32, p *probe) {
	value := a.set.find(g, p)
	if value == 0 {
		return
	}
	list, equal := a.groups.At(int(g)), a.equals.At(int(value-1))
	id := equal.first
	x := *a.at(id)
	equal.first = x.equal
	if x.prev == 0 {
		list.first = x.next
	} else {
		a.at(x.prev).next = x.next
	}
	if x.next == 0 {
		list.last = x.prev
	} else {
		a.at(x.next).prev = x.prev
	}
	*a.at(id) = arrival{next: a.free}
	a.free = id
	a.set.add(g, p, -1)
}

func (a *retractableEdge) at(id int32) *arrival { return a.all.At(int(id - 1)) }

// probeOf returns the value of an arrival.
func (a *retractableEdge) probeOf(id int32) probe {
	n := a.set.node(a.at(id).value)
	p := probe{hi: n.hi, lo: n.lo}
	if a.set.text {
		p.text = a.set.arena[n.hi : n.hi+int64(n.lo)]
	}
	return p
}

// Merge takes from's values as arrived later.
func (a *retractableEdge) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*retractableEdge)
	for i, g := range groups {
		for id := f.groups.At(int(fromGroups[i])).first; id != 0; id = f.at(id).next {
			p := f.probeOf(id)
			a.add(g, &p)
		}
	}
	return nil
}

func (a *retractableEdge) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *retractableEdge) put(g int32, k, n int, out *stream.Vec) error {
	list := a.groups.At(int(g))
	id := list.first
	if a.last {
		id = list.last
	}
	var p probe
	if id != 0 {
		p = a.probeOf(id)
	}
	if a.set.text {
		out.AppendBytes(p.text)
	} else {
		putExact(out, a.typ.Layout(), k, p.hi, p.lo)
	}
	if id == 0 {
		out.SetNull(k, n)
	}
	return nil
}

func (a *retractableEdge) Bytes() int64 {
	return a.set.bytes() + a.equals.Bytes() + a.groups.Bytes() + a.all.Bytes() + int64(cap(a.sel))*4
}

// Snapshot writes the values of each group in order of arrival.
func (a *retractableEdge) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.groups.Len()))
	for g := range a.groups.Len() {
		first, n := a.groups.At(g).first, uint64(0)
		for id := first; id != 0; id = a.at(id).next {
			n++
		}
		e.Uint64(n)
		for id := first; id != 0; id = a.at(id).next {
			p := a.probeOf(id)
			if a.set.text {
				e.Blob(p.text)
			} else {
				e.Int64(p.hi)
				e.Uint64(p.lo)
			}
		}
	}
}

func (a *retractableEdge) Restore(d *stream.Decoder) error {
	a.Reset()
	a.Grow(d.Count(8))
	for g := range a.groups.Len() {
		for range d.Count(8) {
			var p probe
			if a.set.text {
				p.text = d.Blob()
			} else {
				p.hi, p.lo = d.Int64(), d.Uint64()
			}
			if d.Err() != nil {
				return d.Err()
			}
			a.add(int32(g), &p)
		}
	}
	return d.Err()
}
