package builtin

import (
	"bytes"
	"errors"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// collectionAggregates put the values of a group into one nested value.
func collectionAggregates() []*expr.Aggregate {
	return []*expr.Aggregate{
		{
			Name: "ARRAY_AGG", Usage: "ARRAY_AGG([DISTINCT] value)",
			Doc:      "An array of the values, NULLs too, in order of arrival; NULL if there are none.",
			Examples: []expr.Example{ex("ARRAY_AGG(item)", "[tea, cup, tea]"), ex("ARRAY_AGG(DISTINCT item)", "[tea, cup]")},
			Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
				if err := arity(args, 1, 1); err != nil {
					return expr.AggregateResolution{}, err
				}
				t := args[0]
				if t.Kind == types.Null {
					return expr.AggregateResolution{}, errNull
				}
				return expr.AggregateResolution{Args: args, Result: types.NewArray(t).WithNullability(!t.NotNull), KeepsValues: true, MakesValue: true,
					New: func() expr.Accumulator { return &gathered{elem: t} }}, nil
			},
		},
		{
			Name: "COLLECT", Usage: "COLLECT([DISTINCT] value)",
			Doc:      "A multiset of the values that are not NULL: how often each is there.",
			Examples: []expr.Example{ex("COLLECT(item)", "{cup=1, tea=2}")},
			Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
				if err := arity(args, 1, 1); err != nil {
					return expr.AggregateResolution{}, err
				}
				t := args[0]
				if t.Kind == types.Null {
					return expr.AggregateResolution{}, errNull
				}
				return expr.AggregateResolution{Args: args, Result: types.NewMultiset(t).Required(), OrderInsensitive: true, KeepsValues: true, MakesValue: true,
					New: func() expr.Accumulator { return newCollected(t) }}, nil
			},
		},
	}
}

// gathered is ARRAY_AGG: the raw bytes of the values of each group in order of arrival,
// with a byte before each that tells a NULL.
type gathered struct {
	elem   types.Type
	groups []gatheredList
	bytes  int64
	item   []byte
	form   [2][]byte
	array  types.ArrayBuilder
}

// gatheredList are the values of a group, and those that were taken before they came:
// parts of a group that is put together may stand on either side of them.
type gatheredList struct{ there, owed textList }

const (
	gatheredNull byte = iota
	gatheredValue
)

// Grow implements expr.Accumulator.
func (a *gathered) Grow(n int) { a.groups = extend(a.groups, n) }

// Reset implements expr.Accumulator.
func (a *gathered) Reset() {
	clear(a.groups)
	a.groups, a.bytes = a.groups[:0], 0
}

// load puts row i of v into a.item.
func (a *gathered) load(v *stream.Vec, i int) {
	if v.IsNull(i) {
		a.item = append(a.item[:0], gatheredNull)
	} else {
		a.item = append(append(a.item[:0], gatheredValue), v.Raw(i)...)
	}
}

func (l *textList) put(item []byte) {
	l.data = append(l.data, item...)
	l.ends = append(l.ends, int32(len(l.data)))
}

func (l *textList) bytes() int64 { return int64(cap(l.data) + 4*cap(l.ends)) }

// drop takes text k out.
func (l *textList) drop(k int) {
	n := int32(len(l.text(k)))
	l.data = slices.Delete(l.data, int(l.ends[k]-n), int(l.ends[k]))
	l.ends = slices.Delete(l.ends, k, k+1)
	for j := k; j < len(l.ends); j++ {
		l.ends[j] -= n
	}
}

// find returns the place of the first item that is the same value, -1 if none is.
func (a *gathered) find(l *textList, item []byte) int {
	for k := range l.ends {
		if t := l.text(k); bytes.Equal(t, item) {
			return k
		}
	}
	if a.elem.Plain() || item[0] == gatheredNull {
		return -1
	}
	a.form[0] = types.AppendKey(a.form[0][:0], a.elem, item[1:])
	for k := range l.ends {
		t := l.text(k)
		if t[0] == gatheredNull {
			continue
		}
		if a.form[1] = types.AppendKey(a.form[1][:0], a.elem, t[1:]); bytes.Equal(a.form[0], a.form[1]) {
			return k
		}
	}
	return -1
}

// account puts an item into one list of a group unless the other one holds it, from
// which it then goes.
func (a *gathered) account(to, other *textList, item []byte) {
	before := to.bytes()
	if len(other.ends) > 0 {
		if k := a.find(other, item); k >= 0 {
			other.drop(k)
			return
		}
	}
	to.put(item)
	a.bytes += to.bytes() - before
}

// Add implements expr.Accumulator.
func (a *gathered) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return each(rows, func(i int) error { return a.step(groups[i], args, i, false) })
}

// Retract implements expr.Accumulator.
func (a *gathered) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return each(rows, func(i int) error { return a.step(groups[i], args, i, true) })
}

func (a *gathered) step(g int32, args []*stream.Vec, i int, take bool) error {
	a.load(args[0], i)
	l := &a.groups[g]
	if take {
		a.account(&l.owed, &l.there, a.item)
		return nil
	}
	a.account(&l.there, &l.owed, a.item)
	return nil
}

// Follow implements expr.Follower.
func (a *gathered) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

// Merge implements expr.Accumulator.
func (a *gathered) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*gathered)
	for i, g := range groups {
		l, m := &a.groups[g], &f.groups[fromGroups[i]]
		for k := range m.owed.ends {
			a.account(&l.owed, &l.there, m.owed.text(k))
		}
		for k := range m.there.ends {
			a.account(&l.there, &l.owed, m.there.text(k))
		}
	}
	return nil
}

// Result implements expr.Accumulator.
func (a *gathered) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *gathered) put(g int32, k, n int, out *stream.Vec) error {
	l := &a.groups[g].there
	if len(l.ends) == 0 {
		out.SetNull(k, n)
		closeText(out)
		return nil
	}
	a.array.Reset(a.elem)
	for i := range l.ends {
		if t := l.text(i); t[0] == gatheredNull {
			a.array.AppendNull()
		} else {
			a.array.AppendRaw(t[1:])
		}
	}
	out.Data = a.array.AppendTo(out.Data)
	closeText(out)
	return nil
}

// Bytes implements expr.Accumulator.
func (a *gathered) Bytes() int64 { return a.bytes + int64(cap(a.groups))*96 }

// Snapshot implements expr.Accumulator.
func (a *gathered) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(a.groups)))
	for g := range a.groups {
		for _, l := range []*textList{&a.groups[g].there, &a.groups[g].owed} {
			e.Uint64(uint64(len(l.ends)))
			for k := range l.ends {
				e.Blob(l.text(k))
			}
		}
	}
}

// Restore implements expr.Accumulator.
func (a *gathered) Restore(d *stream.Decoder) error {
	a.Reset()
	a.Grow(d.Count(16))
	for g := range a.groups {
		for _, l := range []*textList{&a.groups[g].there, &a.groups[g].owed} {
			for range d.Count(8) {
				b := d.Blob()
				if d.Err() != nil || len(b) == 0 || b[0] > gatheredValue {
					return d.Fail(stream.ErrSnapshot)
				}
				l.put(b)
			}
			a.bytes += l.bytes()
		}
	}
	return d.Err()
}

// collected is COLLECT: the values of each group in order, each with how often it is
// there.
type collected struct {
	elem   types.Type
	values multiset
	sel    []int32
	item   probe
	form   []byte
	dict   types.MapBuilder
	raw    stream.Vec
}

func newCollected(t types.Type) *collected {
	return &collected{elem: t, values: multiset{text: t.Layout() == types.Bytes}}
}

// Grow implements expr.Accumulator.
func (a *collected) Grow(n int) { a.values.roots.Grow(n) }

// Reset implements expr.Accumulator.
func (a *collected) Reset() { a.values.reset() }

// Add implements expr.Accumulator.
func (a *collected) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.count(groups, args[0], rows, 1)
	return nil
}

// Retract implements expr.Accumulator.
func (a *collected) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.count(groups, args[0], rows, -1)
	return nil
}

func (a *collected) count(groups []int32, v *stream.Vec, rows expr.Rows, step int64) {
	sel, all := notNull(&a.sel, v, rows)
	if all {
		for i := range rows.N {
			a.values.add(groups[i], a.probe(v, i), step)
		}
		return
	}
	for _, i := range sel {
		a.values.add(groups[i], a.probe(v, int(i)), step)
	}
}

// probe is row i of v in the form in which values are kept.
func (a *collected) probe(v *stream.Vec, i int) *probe {
	p := &a.item
	*p = probe{}
	if a.elem.IsNested() && !a.elem.Plain() {
		a.form = types.AppendKey(a.form[:0], a.elem, v.Raw(i))
		p.text = a.form
		return p
	}
	p.load(v, a.elem.Layout(), v.At(i))
	return p
}

func (a *collected) step(g int32, args []*stream.Vec, i int, take bool) error {
	switch {
	case args[0].IsNull(i):
	case take:
		a.values.add(g, a.probe(args[0], i), -1)
	default:
		a.values.add(g, a.probe(args[0], i), 1)
	}
	return nil
}

// Follow implements expr.Follower.
func (a *collected) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

// Merge implements expr.Accumulator.
func (a *collected) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	a.values.merge(groups, &from.(*collected).values, fromGroups)
	return nil
}

// Result implements expr.Accumulator.
func (a *collected) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

// errMultiset is the failure of a count that its type cannot hold.
var errMultiset = errors.New("COLLECT: a value comes more than 2147483647 times")

func (a *collected) put(g int32, k, _ int, out *stream.Vec) error {
	a.dict.Reset(out.Type)
	var failed error
	a.raw.Reset(a.elem, 1)
	a.values.walk(*a.values.roots.At(int(g)), func(x *msNode) {
		if x.count <= 0 {
			return
		}
		if x.count > 1<<31-1 {
			failed = &expr.RowError{Row: k, Msg: errMultiset.Error()}
			return
		}
		c := uint32(x.count)
		count := [...]byte{byte(c), byte(c >> 8), byte(c >> 16), byte(c >> 24)}
		if a.values.text {
			a.dict.Add(a.values.bytesOf(x), count[:])
			return
		}
		putFixed(&a.raw, a.elem.Layout(), 0, x)
		a.dict.Add(a.raw.Raw(0), count[:])
	})
	out.Data = a.dict.AppendTo(out.Data)
	closeText(out)
	return failed
}

// Bytes implements expr.Accumulator.
func (a *collected) Bytes() int64 { return a.values.bytes() + int64(cap(a.sel))*4 }

// Snapshot implements expr.Accumulator.
func (a *collected) Snapshot(e *stream.Encoder) { a.values.snapshot(e) }

// Restore implements expr.Accumulator.
func (a *collected) Restore(d *stream.Decoder) error { return a.values.restore(d) }
