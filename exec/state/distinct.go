package state

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Distinct is the set of values that each group has seen for one DISTINCT
// aggregate, with how often, so that values can be taken back.
type Distinct struct {
	table  *Table
	counts []int64
	absent int // values with count 0

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
	keys := append([]types.Type{types.Of(types.Int)}, args...)
	return &Distinct{table: NewTable(keys, seed, s), Scratch: s}
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
		c := d.counts[ids[i]]
		d.counts[ids[i]] = c + step
		d.note(c, c+step)
		if step > 0 && c == 0 || step < 0 && c == 1 {
			d.sel = append(d.sel, i)
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

// find returns the ids of the values of rows, new ones with count 0, by row.
func (d *Distinct) find(groups []int32, args []*stream.Vec, rows expr.Rows) []int32 {
	d.group.Reset(types.Of(types.Int), rows.N)
	copy(stream.Values[int32](&d.group), groups[:rows.N])
	d.keys = append(append(d.keys[:0], &d.group), args...)
	if cap(d.ids) < rows.N {
		d.ids = make([]int32, rows.N)
	}
	ids := d.ids[:rows.N]
	d.table.Find(d.keys, rows, ids)
	d.absent += d.table.Len() - len(d.counts)
	d.counts = grow(d.counts, d.table.Len())
	return ids
}

// Reset empties the set and keeps the memory.
func (d *Distinct) Reset() {
	d.table.Reset()
	d.counts, d.absent = d.counts[:0], 0
	d.head, d.next = d.head[:0], d.next[:0]
}

// Bytes is the memory held.
func (d *Distinct) Bytes() int64 {
	return d.table.Bytes() + int64(cap(d.counts))*8 + int64(cap(d.head)+cap(d.next))*4
}

// Rows is the number of values kept over all groups.
func (d *Distinct) Rows() int64 { return d.table.Rows() }

// Snapshot writes the set.
func (d *Distinct) Snapshot(e *stream.Encoder) {
	d.table.Snapshot(e)
	for _, c := range d.counts {
		e.Int64(c)
	}
}

// Restore reads it into an empty set.
func (d *Distinct) Restore(r *stream.Decoder) error {
	if err := d.table.Restore(r); err != nil {
		return err
	}
	d.counts = grow(d.counts[:0], d.table.Len())
	for i := range d.counts {
		if d.counts[i] = r.Int64(); d.counts[i] == 0 {
			d.absent++
		}
	}
	return r.Err()
}

// grow extends s to n elements; new ones are zero.
func grow(s []int64, n int) []int64 {
	if n <= len(s) {
		return s
	}
	if cap(s) < n {
		t := make([]int64, n, max(n, 2*cap(s)))
		copy(t, s)
		return t
	}
	old := len(s)
	s = s[:n]
	clear(s[old:])
	return s
}
