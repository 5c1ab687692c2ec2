package builtin

import (
	"fmt"
	"strings"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/types/bitmap"
)

// bitmapUnion says how an aggregate puts bitmaps, or numbers, together.
type bitmapUnion uint8

const (
	buildBitmap bitmapUnion = iota // of numbers
	orBitmaps
	andBitmaps
	xorBitmaps
)

// bitmapAggregates are BITMAP_BUILD_AGG and its like. Each has a form that gives the
// number of numbers only.
func bitmapAggregates() []*expr.Aggregate {
	var as []*expr.Aggregate
	for _, a := range [...]struct {
		union           bitmapUnion
		name, arg, doc  string
		example         string
		result, counted string
	}{
		{buildBitmap, "BUILD", "number", "The set of the INT numbers that are not NULL; NULL if there are none.",
			"CAST(price AS INT)", "{1,3,4}", "3"},
		{orBitmaps, "OR", "bitmap", "The numbers that are in any of the bitmaps; NULL if there is no bitmap.",
			"BITMAP_BUILD(ARRAY[1, CAST(price AS INT)])", "{1,3,4}", "3"},
		{andBitmaps, "AND", "bitmap", "The numbers that are in all bitmaps; NULL if there is no bitmap.",
			"BITMAP_BUILD(ARRAY[1, CAST(price AS INT)])", "{1}", "1"},
		{xorBitmaps, "XOR", "bitmap", "The numbers that are in an odd number of the bitmaps; NULL if there is no bitmap.",
			"BITMAP_BUILD(ARRAY[1, CAST(price AS INT)])", "{1,3,4}", "3"},
	} {
		for _, counted := range [...]bool{false, true} {
			name, doc, result := "BITMAP_"+a.name+"_AGG", a.doc, a.result
			if counted {
				name, doc, result = "BITMAP_"+a.name+"_CARDINALITY_AGG", "How many numbers BITMAP_"+a.name+"_AGG gives"+a.doc[strings.IndexByte(a.doc, ';'):], a.counted
			}
			as = append(as, &expr.Aggregate{
				Name: name, Usage: name + "([DISTINCT] " + a.arg + ")", Doc: doc,
				Examples: []expr.Example{ex(name+"("+a.example+")", result)},
				Resolve: func(args []types.Type, _, retract bool) (expr.AggregateResolution, error) {
					return resolveBitmapAggregate(a.union, counted, args, retract)
				},
			})
		}
	}
	return as
}

func resolveBitmapAggregate(union bitmapUnion, counted bool, args []types.Type, retract bool) (expr.AggregateResolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.AggregateResolution{}, err
	}
	r := expr.AggregateResolution{
		Args: args, Result: bitmapType, OrderInsensitive: true, IgnoresDuplicates: union != xorBitmaps,
		KeepsValues: union == buildBitmap || retract && union != xorBitmaps,
	}
	switch {
	case union == buildBitmap && (isBareNull(args) || becomesInt(args[0])):
		r.Args = []types.Type{intType}
	case union == buildBitmap && args[0].IsNumeric():
		return r, fmt.Errorf("expects an INT, not %s; CAST the value to INT: numbers in a bitmap have 32 bits", args[0].Name())
	case union == buildBitmap:
		return r, expects("an INT", args)
	case args[0].Kind == types.Null:
		return r, errNull
	case args[0].Kind != types.Bitmap:
		return r, expects("a BITMAP", args)
	}
	if counted {
		r.Result = bigintType
	}
	if retract && union != xorBitmaps {
		r.New = func() expr.Accumulator {
			return &bitmapCounts{bitmapTotals: bitmapTotals{union: union, counted: counted}}
		}
	} else {
		r.New = func() expr.Accumulator { return &bitmapTotals{union: union, counted: counted} }
	}
	return r, nil
}

// bitmapTotals keeps one set for each group. It takes rows back only where the union is
// undone by itself.
type bitmapTotals struct {
	union   bitmapUnion
	counted bool
	groups  []bitmapGroup
	memory  bitmap.Memory
	sel     []int32
	form    []byte
}

// bitmapGroup is the state of a group. Where retraction may be asked for, its numbers
// stand beside it: see bitmapCounts.
type bitmapGroup struct {
	set  bitmap.Set
	rows int64 // that are not NULL
}

// Grow implements expr.Accumulator.
func (a *bitmapTotals) Grow(n int) {
	for old := len(a.groups); old < n; old++ {
		a.groups = append(a.groups, bitmapGroup{})
		a.groups[old].set.Use(&a.memory)
	}
}

// Reset implements expr.Accumulator.
func (a *bitmapTotals) Reset() {
	for g := range a.groups {
		a.groups[g].set.Reset()
	}
	a.groups = a.groups[:0]
}

// Add implements expr.Accumulator.
func (a *bitmapTotals) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return eachNotNull(&a.sel, args[0], rows, func(i int) error { return a.step(groups[i], args, i, false) })
}

// Retract implements expr.Accumulator.
func (a *bitmapTotals) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return eachNotNull(&a.sel, args[0], rows, func(i int) error { return a.step(groups[i], args, i, true) })
}

// eachNotNull calls f for the rows whose value is not NULL.
func eachNotNull(buf *[]int32, v *stream.Vec, rows expr.Rows, f func(i int) error) error {
	if sel, all := notNull(buf, v, rows); !all {
		rows.Sel = sel
		if len(sel) == 0 {
			return nil
		}
	}
	return each(rows, f)
}

func (a *bitmapTotals) step(g int32, args []*stream.Vec, i int, take bool) error {
	v, x := args[0], &a.groups[g]
	switch {
	case v.IsNull(i):
		return nil
	case take && a.union != xorBitmaps:
		return errNoRetract
	case take:
		x.rows -= 2
	}
	x.rows++
	if a.union == buildBitmap {
		x.set.Add(uint32(stream.Values[int32](v)[v.At(i)]))
		return nil
	}
	a.combine(x, v.Bytes(i), x.rows == 1)
	return nil
}

// combine puts a bitmap into a group; first says that there has been none.
func (a *bitmapTotals) combine(x *bitmapGroup, b []byte, first bool) {
	switch {
	case a.union == xorBitmaps:
		x.set.Xor(b)
	case a.union == andBitmaps && !first:
		x.set.And(b)
	default:
		x.set.Or(b)
	}
}

// Follow implements expr.Follower.
func (a *bitmapTotals) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

// Merge implements expr.Accumulator.
func (a *bitmapTotals) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*bitmapTotals)
	for i, g := range groups {
		x, y := &a.groups[g], &f.groups[fromGroups[i]]
		if y.rows != 0 {
			a.form = y.set.AppendTo(a.form[:0])
			a.combine(x, a.form, x.rows == 0)
			x.rows += y.rows
		}
	}
	return nil
}

// Result implements expr.Accumulator.
func (a *bitmapTotals) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *bitmapTotals) put(g int32, k, n int, out *stream.Vec) error {
	x := &a.groups[g]
	putBitmap(&x.set, x.rows <= 0 || a.union == buildBitmap && x.set.IsEmpty(), a.counted, k, n, out)
	return nil
}

// putBitmap gives a set, or how many numbers it has, as value k of n.
func putBitmap(set *bitmap.Set, null, counted bool, k, n int, out *stream.Vec) {
	if null {
		out.SetNull(k, n)
	}
	switch {
	case counted && null:
		stream.Values[int64](out)[k] = 0
	case counted:
		stream.Values[int64](out)[k] = set.Cardinality()
	case !null:
		out.Data = set.AppendTo(out.Data)
		closeText(out)
	default:
		closeText(out)
	}
}

// Bytes implements expr.Accumulator.
func (a *bitmapTotals) Bytes() int64 {
	return a.memory.Bytes() + int64(cap(a.groups))*int64(unsafe.Sizeof(bitmapGroup{})) + int64(cap(a.sel))*4 + int64(cap(a.form))
}

// Snapshot implements expr.Accumulator.
func (a *bitmapTotals) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(a.groups)))
	for g := range a.groups {
		a.form = a.groups[g].set.AppendTo(a.form[:0])
		e.Int64(a.groups[g].rows)
		e.Blob(a.form)
	}
}

// Restore implements expr.Accumulator.
func (a *bitmapTotals) Restore(d *stream.Decoder) error {
	a.Reset()
	a.Grow(d.Count(16))
	for g := range a.groups {
		a.groups[g].rows = d.Int64()
		if b := d.Blob(); d.Err() != nil || a.groups[g].set.Parse(b) != nil {
			return d.Fail(stream.ErrSnapshot)
		}
	}
	return d.Err()
}

// bitmapCounts is bitmapTotals for input that takes rows back: it keeps how often each
// number is there. The sets hold the numbers that are; those of an intersection, which
// are as often there as there are bitmaps, are put together when they are asked for.
type bitmapCounts struct {
	bitmapTotals
	numbers multiset
}

// Grow implements expr.Accumulator.
func (a *bitmapCounts) Grow(n int) {
	a.bitmapTotals.Grow(n)
	a.numbers.roots.Grow(n)
}

// Reset implements expr.Accumulator.
func (a *bitmapCounts) Reset() {
	a.bitmapTotals.Reset()
	a.numbers.reset()
}

// Add implements expr.Accumulator.
func (a *bitmapCounts) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return eachNotNull(&a.sel, args[0], rows, func(i int) error { return a.step(groups[i], args, i, false) })
}

// Retract implements expr.Accumulator.
func (a *bitmapCounts) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	return eachNotNull(&a.sel, args[0], rows, func(i int) error { return a.step(groups[i], args, i, true) })
}

func (a *bitmapCounts) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	step := int64(1)
	if take {
		step = -1
	}
	a.groups[g].rows += step
	if a.union == buildBitmap {
		a.count(g, uint32(stream.Values[int32](v)[v.At(i)]), step)
		return nil
	}
	bitmap.Each(v.Bytes(i), func(x uint32) bool {
		a.count(g, x, step)
		return true
	})
	return nil
}

// count changes how often a number is there.
func (a *bitmapCounts) count(g int32, x uint32, step int64) {
	n := a.numbers.add(g, &probe{hi: int64(x)}, step)
	switch {
	case a.union == andBitmaps:
	case n > 0 && n-step <= 0:
		a.groups[g].set.Add(x)
	case n <= 0 && n-step > 0:
		a.groups[g].set.Remove(x)
	}
}

// Follow implements expr.Follower.
func (a *bitmapCounts) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

// Merge implements expr.Accumulator.
func (a *bitmapCounts) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*bitmapCounts)
	for i, g := range groups {
		y := fromGroups[i]
		a.groups[g].rows += f.groups[y].rows
		f.numbers.walk(*f.numbers.roots.At(int(y)), func(n *msNode) { a.count(g, uint32(n.hi), n.count) })
	}
	return nil
}

// Result implements expr.Accumulator.
func (a *bitmapCounts) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *bitmapCounts) put(g int32, k, n int, out *stream.Vec) error {
	x := &a.groups[g]
	if a.union == andBitmaps && x.rows > 0 {
		x.set.Reset()
		a.numbers.walk(*a.numbers.roots.At(int(g)), func(n *msNode) {
			if n.count == x.rows {
				x.set.Add(uint32(n.hi))
			}
		})
	}
	err := a.bitmapTotals.put(g, k, n, out)
	if a.union == andBitmaps {
		x.set.Reset()
	}
	return err
}

// Bytes implements expr.Accumulator.
func (a *bitmapCounts) Bytes() int64 { return a.bitmapTotals.Bytes() + a.numbers.bytes() }

// Snapshot implements expr.Accumulator.
func (a *bitmapCounts) Snapshot(e *stream.Encoder) {
	a.bitmapTotals.Snapshot(e)
	a.numbers.snapshot(e)
}

// Restore implements expr.Accumulator.
func (a *bitmapCounts) Restore(d *stream.Decoder) error {
	if err := a.bitmapTotals.Restore(d); err != nil {
		return err
	}
	return a.numbers.restore(d)
}
