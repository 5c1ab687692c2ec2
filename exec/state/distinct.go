package state

import (
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Distinct is the set of values that each group has seen for one DISTINCT
// aggregate, with how often, so that values can be taken back.
//
// A value that is no word is kept once for all groups and stands for itself by its
// number.
type Distinct struct {
	table  *Table   // of group and values or their numbers
	large  []*Table // by argument: numbers of values; nil: the value is a word
	number []stream.Vec
	counts expr.Cells[int64]
	absent int // values with count 0
	// ordered: the order in which values have come to their group matters where groups are
	// merged. entered is when, by value; a value that has gone and comes back comes last.
	ordered bool
	entered expr.Cells[int64]
	clock   int64

	// Lists of the values of each group, for merging; made when first needed.
	head, next []int32
	// Scratch of merging: values of the other set, their groups here, what they add.
	from, into  []int32
	steps       []int64
	come, leave []int32
	cols        []stream.Vec
	*Scratch
}

// NewDistinct returns an empty set for arguments of the given types.
func NewDistinct(args []types.Type, seed uint64, s *Scratch) *Distinct {
	d := &Distinct{large: make([]*Table, len(args)), number: make([]stream.Vec, len(args)), Scratch: s}
	keys, whole := []types.Type{types.Of(types.Int)}, []int{0}
	for i, t := range args {
		if l := t.Layout(); l == types.Bytes || l == types.Int128 {
			d.large[i] = NewTable([]types.Type{t}, seed, s)
			whole = append(whole, len(keys))
			t = types.Of(types.Int)
		}
		keys = append(keys, t)
	}
	d.table = newTable(layoutKeys(keys, whole...), seed, s)
	return d
}

// Add counts the values of rows and returns the rows whose value is new to their
// group, valid until the scratch is used again.
func (d *Distinct) Add(groups []int32, args []*stream.Vec, rows expr.Rows) expr.Rows {
	return d.count(groups, args, rows, 1)
}

// Retract takes the values of rows back and returns the rows after which the group
// has their value no more.
func (d *Distinct) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) expr.Rows {
	return d.count(groups, args, rows, -1)
}

// count adds step to the counts and selects rows at which a value comes to or
// leaves a group. A value that was taken back before it came counts below zero and
// is not in the group.
func (d *Distinct) count(groups []int32, args []*stream.Vec, rows expr.Rows, step int64) expr.Rows {
	ids := d.find(groups, args, rows)
	d.sel = d.sel[:0]
	take := func(i int32) {
		count := d.counts.At(int(ids[i]))
		c := *count
		*count = c + step
		d.note(c, c+step)
		if step > 0 && c == 0 || step < 0 && c == 1 {
			d.sel = append(d.sel, i)
			if d.ordered && step > 0 {
				d.enter(ids[i])
			}
		}
	}
	if rows.Sel == nil {
		for i := range rows.N {
			take(int32(i))
		}
	} else {
		for _, i := range rows.Sel {
			take(i)
		}
	}
	return expr.Rows{N: rows.N, Sel: d.sel}
}

// Steps counts the values of rows, one after the other: steps says by row whether a
// value comes (1) or goes (-1). What makes no difference to the set becomes 0.
func (d *Distinct) Steps(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8) {
	ids := d.find(groups, args, rows)
	each(rows, func(i int32) {
		count, step := d.counts.At(int(ids[i])), int64(steps[i])
		c := *count
		*count = c + step
		d.note(c, c+step)
		switch {
		case step > 0 && c != 0 || step < 0 && c != 1:
			steps[i] = 0
		case step > 0 && d.ordered:
			d.enter(ids[i])
		}
	})
}

// enter notes that a value comes to its group now.
func (d *Distinct) enter(id int32) {
	d.clock++
	*d.entered.At(int(id)) = d.clock
}

// find returns the ids of the values of rows, new ones with count 0, by row.
func (d *Distinct) find(groups []int32, args []*stream.Vec, rows expr.Rows) []int32 {
	d.group = intVec(groups, rows.N)
	d.keys = append(d.keys[:0], &d.group)
	for i, v := range args {
		if t := d.large[i]; t != nil {
			d.number[i].Reset(types.Of(types.Int), rows.N)
			v = &d.number[i]
			t.Find(args[i:i+1], rows, stream.Values[int32](v))
		}
		d.keys = append(d.keys, v)
	}
	if cap(d.ids) < rows.N {
		d.ids = make([]int32, rows.N)
	}
	ids := d.ids[:rows.N]
	d.table.Find(d.keys, rows, ids)
	d.absent += d.table.Len() - d.counts.Len()
	d.counts.Grow(d.table.Len())
	if d.ordered {
		d.entered.Grow(d.table.Len())
	}
	return ids
}

// intVec is a vector over the first n of vals.
func intVec(vals []int32, n int) stream.Vec {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vals))), 4*n)
	return stream.Vec{Type: types.Of(types.Int), N: n, Data: bytes}
}

// entries writes groups and arguments of n entries of the set.
func (d *Distinct) entries(ids []int32, n int, cols []stream.Vec) {
	d.table.Keys(ids, n, cols)
	for i, t := range d.large {
		if t == nil {
			continue
		}
		c := &cols[i+1]
		numbers := append(d.numbers[:0], stream.Values[int32](c)...)
		d.numbers = numbers
		t.Keys(numbers, n, cols[i+1:i+2])
	}
}

// Reset empties the set and keeps the memory.
func (d *Distinct) Reset() {
	d.table.Reset()
	for _, t := range d.large {
		if t != nil {
			t.Reset()
		}
	}
	d.counts.Reset()
	d.entered.Reset()
	d.absent, d.clock = 0, 0
	d.head, d.next = d.head[:0], d.next[:0]
}

// Bytes is the memory held.
func (d *Distinct) Bytes() int64 {
	n := d.table.Bytes()
	for i, t := range d.large {
		n += int64(cap(d.number[i].Data))
		if t != nil {
			n += t.Bytes()
		}
	}
	return n + d.counts.Bytes() + d.entered.Bytes() + int64(cap(d.head)+cap(d.next))*4
}

// Rows is the number of values kept over all groups.
func (d *Distinct) Rows() int64 { return d.table.Rows() }

// Snapshot writes the set.
func (d *Distinct) Snapshot(e *stream.Encoder) {
	for _, t := range d.large {
		if t != nil {
			t.Snapshot(e)
		}
	}
	d.table.Snapshot(e)
	for v := range d.counts.Len() {
		e.Int64(*d.counts.At(v))
	}
	for v := range d.entered.Len() {
		e.Int64(*d.entered.At(v))
	}
}

// Restore reads it into an empty set.
func (d *Distinct) Restore(r *stream.Decoder) error {
	for _, t := range d.large {
		if t != nil {
			if err := t.Restore(r); err != nil {
				return err
			}
		}
	}
	if err := d.table.Restore(r); err != nil {
		return err
	}
	if !d.numbered() {
		return r.Fail(stream.ErrSnapshot)
	}
	d.counts.Reset()
	d.counts.Grow(d.table.Len())
	for v := range d.counts.Len() {
		c := d.counts.At(v)
		if *c = r.Int64(); *c == 0 {
			d.absent++
		}
	}
	if d.ordered {
		d.entered.Reset()
		d.entered.Grow(d.table.Len())
		for v := range d.entered.Len() {
			x := r.Int64()
			*d.entered.At(v), d.clock = x, max(d.clock, x)
		}
	}
	return r.Err()
}

// numbered reports whether all numbers of values are those of a value.
func (d *Distinct) numbered() bool {
	cols := make([]stream.Vec, len(d.large)+1)
	d.table.Keys(nil, d.table.Len(), cols)
	for i, t := range d.large {
		if t == nil {
			continue
		}
		for _, n := range stream.Values[int32](&cols[i+1]) {
			if n < 0 || int(n) >= t.Len() {
				return false
			}
		}
	}
	return true
}
