package state

import (
	"streamsql/expr"
	"streamsql/stream"
)

// dictGroups is the direct way from a dictionary's ids to groups. Mostly every key is
// also in the table's index: then the array only saves looking it up again, and may be
// forgotten at any time. But while all keys of a table have come as ids of one dictionary
// whose values differ, there is nothing else: the keys are put into the index when one
// comes in another form.
type dictGroups struct {
	dict   *stream.Vec
	groups []int32 // group + 1 by id; 0: not looked up yet
	rows   int     // rows asked for since Reset, in Dict form
	since  int     // of these, since the dictionary changed
	alone  bool    // all keys are ids of dict and nowhere else
	ids    []int32 // alone: by group
}

// noID is the id of the NULL key.
const noID = -1

// key returns the value of an id.
func (g *dictGroups) key(id int32) []byte {
	if id == noID {
		return nil
	}
	return g.dict.Data[g.dict.Off[id]:g.dict.Off[id+1]]
}

// smallDict is up to how many values a dictionary always gets an array, and
// dictPerRow how many values per row of the window it may have beyond that.
const (
	smallDict  = 4096
	dictPerRow = 4
)

// useDict prepares the array for a batch of n rows over dictionary d. It is false if
// d is so large, or dictionaries change so often, that the array costs more than it
// saves.
func (t *Table) useDict(d *stream.Vec, n int) bool {
	g := &t.dict
	if d.N > smallDict && d.N/dictPerRow > max(g.rows, t.Scratch.rows) {
		return false
	}
	if !d.Extends(g.dict) {
		if len(g.groups) > smallDict && g.since < len(g.groups)/dictPerRow {
			g.since += n
			return false
		}
		t.list()
		clear(g.groups)
		g.groups, g.since = g.groups[:0], 0
		g.alone = t.n == 0 && d.Distinct
	}
	g.dict = d
	g.since += n
	if len(g.groups) < d.N {
		if cap(g.groups) < d.N {
			larger := make([]int32, d.N, d.N+d.N/4+64)
			copy(larger, g.groups)
			g.groups = larger
		} else {
			g.groups = g.groups[:d.N]
		}
	}
	return true
}

// reset forgets all groups. Behind its length the array is zero at all times.
func (g *dictGroups) reset() {
	clear(g.groups)
	g.groups, g.ids = g.groups[:0], g.ids[:0]
	g.rows, g.since, g.alone, g.dict = 0, 0, false, nil
}

// list puts keys that are only known by their ids into the index.
func (t *Table) list() {
	g := &t.dict
	if !g.alone {
		return
	}
	g.alone = false
	for group, id := range g.ids {
		if id == noID {
			t.texts.Append(text{})
			continue
		}
		key := g.key(id)
		x, tag := t.prepare(key)
		t.store(x, key)
		t.index.add(tag, group)
	}
	g.ids = g.ids[:0]
}

// findDict is Find for a Dict vector whose dictionary has an array.
func (t *Table) findDict(v *stream.Vec, rows expr.Rows, groups []int32) {
	ids, known := v.IDs(), t.dict.groups
	switch {
	case rows.Len() == 1:
		row := firstRow(rows)
		t.findDictRow(v, ids, row, groups)
		t.guess(uint32(groups[row] + 1))
	case rows.Sel == nil && v.Valid == nil:
		groups = groups[:len(ids)]
		for i, id := range ids[:rows.N] {
			g := known[id] - 1
			if g < 0 {
				g = t.meet(v.Dict, id, int32(i))
			}
			groups[i] = g
		}
	case rows.Sel == nil:
		for i := range rows.N {
			t.findDictRow(v, ids, int32(i), groups)
		}
	default:
		for _, i := range rows.Sel {
			t.findDictRow(v, ids, i, groups)
		}
	}
}

func (t *Table) findDictRow(v *stream.Vec, ids []int32, i int32, groups []int32) {
	if v.Valid != nil && v.Valid[i>>6]&(1<<(i&63)) == 0 {
		groups[i] = t.findNull(i)
		return
	}
	g := t.dict.groups[ids[i]] - 1
	if g < 0 {
		g = t.meet(v.Dict, ids[i], i)
	}
	groups[i] = g
}

// meet looks a dictionary's value up, by hash where it may be there in another form, and
// notes its group.
func (t *Table) meet(d *stream.Vec, id, row int32) int32 {
	if t.dict.alone {
		t.dict.ids = append(t.dict.ids, id)
		t.fresh = append(t.fresh, row)
		t.n++
		t.dict.groups[id] = int32(t.n)
		return int32(t.n - 1)
	}
	key := d.Data[d.Off[id]:d.Off[id+1]]
	x, tag := t.prepare(key)
	g := t.findKey(tag, &x, key, row)
	t.dict.groups[id] = g + 1
	return g
}
