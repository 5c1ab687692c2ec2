package state

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Table gives each distinct key a dense group id, in order of first arrival. NULL
// is a key like any other, all NaN are one key, and -0.0 differs from 0.0 (as in
// Flink's keyed state).
//
// The index is an open-addressed array of 8-byte slots: the upper 32 bits of the
// key's hash, which also give the slot's place, and the group id + 1. So growing
// moves slots without looking at keys.
type Table struct {
	layout keyLayout
	seed   uint64

	slots []uint64 // power of two; 0 is free
	spare []uint64 // all zero: the previous or a former, larger array
	shift uint     // 32 - log2(len(slots))

	n         int
	nullGroup int32    // group of the NULL key where it stands outside the index; -1: none yet
	words     []uint64 // one or two words a group
	arena     []byte   // byte keys
	ends      []int    // key g is arena[ends[g]:ends[g+1]]

	fresh []int32 // rows of the last Find that opened a group

	*Scratch
}

// Scratch is what a look-up needs for its duration: one chunk's keys and hashes.
// Tables of one operator share it, so that many small tables stay small.
type Scratch struct {
	at     [chunk]int32 // physical rows
	w0, w1 [chunk]uint64
	tags   [chunk]uint32
	nulls  [chunk]bool
	iota   [chunk]int32
	row    rowBuffer

	// Of Distinct.
	group stream.Vec
	keys  []*stream.Vec
	ids   []int32
	sel   []int32
}

// NewScratch returns scratch memory for tables that are used one at a time.
func NewScratch() *Scratch {
	s := &Scratch{sel: []int32{}}
	for i := range s.iota {
		s.iota[i] = int32(i)
	}
	return s
}

// chunk is how many rows go through hashing and then probing at a time, so that
// the loads of many keys overlap.
const chunk = 1024

const minSlots = 64

// NewTable returns an empty table for keys of the given types (none: one single
// group). The seed changes where keys are stored, never an order.
func NewTable(keys []types.Type, seed uint64, s *Scratch) *Table {
	t := &Table{layout: layoutKeys(keys), seed: scramble(seed), nullGroup: -1, Scratch: s}
	t.resize(minSlots)
	if t.layout.form >= textKey {
		t.ends = append(t.ends, 0)
	}
	return t
}

// Len returns the number of groups.
func (t *Table) Len() int { return t.n }

// Rows returns the number of groups.
func (t *Table) Rows() int64 { return int64(t.n) }

// Bytes is the memory held.
func (t *Table) Bytes() int64 {
	return int64(cap(t.slots)+cap(t.spare)+cap(t.words)+cap(t.ends))*8 + int64(cap(t.arena)) + int64(cap(t.fresh))*4
}

// Fresh returns the physical rows of the last Find that opened a group, in order:
// the last of them opened group Len()-1. Valid until the next Find.
func (t *Table) Fresh() []int32 { return t.fresh }

// Reset drops all groups and keeps the memory, in a form that makes the next
// Reset cheap if few groups came.
func (t *Table) Reset() {
	clear(t.slots)
	if want := slotsFor(t.n); want < len(t.slots)/4 {
		if cap(t.slots) > cap(t.spare) {
			t.spare, t.slots = t.slots, t.spare
		}
		if cap(t.slots) < want {
			t.slots = make([]uint64, want)
		}
		t.slots = t.slots[:want]
		t.shift = shiftFor(want)
	}
	t.n, t.nullGroup = 0, -1
	t.words, t.arena, t.fresh = t.words[:0], t.arena[:0], t.fresh[:0]
	if t.layout.form >= textKey {
		t.ends = t.ends[:1]
	}
}

// Find writes into groups[i] the group of each asked physical row i, opening
// groups for new keys. keys are Flat or Const vectors of the table's types.
func (t *Table) Find(keys []*stream.Vec, rows expr.Rows, groups []int32) {
	t.fresh = t.fresh[:0]
	n := rows.Len()
	if t.layout.form == noKey {
		t.findSingle(rows, groups)
		return
	}
	for from := 0; from < n; from += chunk {
		m := min(chunk, n-from)
		if rows.Sel != nil {
			copy(t.at[:m], rows.Sel[from:from+m])
		} else {
			for k := range t.at[:m] {
				t.at[k] = int32(from + k)
			}
		}
		switch t.layout.form {
		case wordKey:
			t.findWords(keys, m, groups)
		case pairKey:
			t.findPairs(keys, m, groups)
		case textKey:
			t.findText(keys[0], m, groups)
		default:
			t.row.encode(keys, t.at[:m])
			t.findBytes(t.row.data, t.row.off, t.iota[:m], false, groups)
		}
	}
}

func (t *Table) findSingle(rows expr.Rows, groups []int32) {
	if t.n == 0 && rows.Len() > 0 {
		first := int32(0)
		if rows.Sel != nil {
			first = rows.Sel[0]
		}
		t.fresh = append(t.fresh, first)
		t.n = 1
	}
	if rows.Sel == nil {
		clear(groups[:rows.N])
		return
	}
	for _, i := range rows.Sel {
		groups[i] = 0
	}
}

func (t *Table) findWords(keys []*stream.Vec, m int, groups []int32) {
	hasNulls := t.layout.packWord(keys, t.at[:m], t.w0[:m], t.nulls[:m])
	for k, w := range t.w0[:m] {
		t.tags[k] = uint32(hashWord(w, t.seed) >> 32)
	}
	slots, mask, shift := t.slots, uint32(len(t.slots)-1), t.shift
	for k := range m {
		if hasNulls && t.nulls[k] {
			groups[t.at[k]] = t.findNull(t.at[k])
			slots, mask, shift = t.slots, uint32(len(t.slots)-1), t.shift
			continue
		}
		tag, w := t.tags[k], t.w0[k]
		for i := tag >> shift; ; i++ {
			s := slots[i&mask]
			if s == 0 {
				groups[t.at[k]] = int32(t.n)
				t.words = append(t.words, w)
				t.insert(i&mask, tag, t.at[k])
				slots, mask, shift = t.slots, uint32(len(t.slots)-1), t.shift
				break
			}
			if uint32(s>>32) == tag && t.words[uint32(s)-1] == w {
				groups[t.at[k]] = int32(uint32(s) - 1)
				break
			}
		}
	}
}

func (t *Table) findPairs(keys []*stream.Vec, m int, groups []int32) {
	t.layout.packPair(keys, t.at[:m], t.w0[:m], t.w1[:m])
	for k := range m {
		t.tags[k] = uint32(hashPair(t.w0[k], t.w1[k], t.seed) >> 32)
	}
	slots, mask, shift := t.slots, uint32(len(t.slots)-1), t.shift
	for k := range m {
		tag, a, b := t.tags[k], t.w0[k], t.w1[k]
		for i := tag >> shift; ; i++ {
			s := slots[i&mask]
			if s == 0 {
				groups[t.at[k]] = int32(t.n)
				t.words = append(t.words, a, b)
				t.insert(i&mask, tag, t.at[k])
				slots, mask, shift = t.slots, uint32(len(t.slots)-1), t.shift
				break
			}
			if g := uint32(s) - 1; uint32(s>>32) == tag && t.words[2*g] == a && t.words[2*g+1] == b {
				groups[t.at[k]] = int32(g)
				break
			}
		}
	}
}

func (t *Table) findText(v *stream.Vec, m int, groups []int32) {
	switch {
	case v.Enc == stream.Const && v.IsNull(0):
		for k := range t.nulls[:m] {
			t.nulls[k] = true
		}
		t.findBytes(nil, nil, t.iota[:m], true, groups)
	case v.Enc == stream.Const:
		zero := t.row.zeros(m)
		t.findBytes(v.Data, v.Off, zero, false, groups)
	case v.Valid == nil:
		t.findBytes(v.Data, v.Off, t.at[:m], false, groups)
	default:
		for k, i := range t.at[:m] {
			t.nulls[k] = v.Valid[i>>6]&(1<<(i&63)) == 0
		}
		t.findBytes(v.Data, v.Off, t.at[:m], true, groups)
	}
}

// findBytes looks keys up that lie in data: the one of chunk row k at off[pos[k]].
func (t *Table) findBytes(data []byte, off []int32, pos []int32, hasNulls bool, groups []int32) {
	for k, p := range pos {
		if !hasNulls || !t.nulls[k] {
			t.tags[k] = uint32(hashBytes(data[off[p]:off[p+1]], t.seed) >> 32)
		}
	}
	slots, mask, shift := t.slots, uint32(len(t.slots)-1), t.shift
	for k, p := range pos {
		row := t.at[k]
		if hasNulls && t.nulls[k] {
			groups[row] = t.findNull(row)
			slots, mask, shift = t.slots, uint32(len(t.slots)-1), t.shift
			continue
		}
		tag, key := t.tags[k], data[off[p]:off[p+1]]
		for i := tag >> shift; ; i++ {
			s := slots[i&mask]
			if s == 0 {
				groups[row] = int32(t.n)
				t.appendKey(key)
				t.insert(i&mask, tag, row)
				slots, mask, shift = t.slots, uint32(len(t.slots)-1), t.shift
				break
			}
			if uint32(s>>32) == tag {
				g := uint32(s) - 1
				if string(t.arena[t.ends[g]:t.ends[g+1]]) == string(key) {
					groups[row] = int32(g)
					break
				}
			}
		}
	}
}

func (t *Table) appendKey(key []byte) {
	t.arena = append(t.arena, key...)
	t.ends = append(t.ends, len(t.arena))
}

// findNull returns the group of the NULL key of a one-column table, which has an
// id but no slot.
func (t *Table) findNull(row int32) int32 {
	if t.nullGroup < 0 {
		t.nullGroup = int32(t.n)
		if t.layout.form == wordKey {
			t.words = append(t.words, 0)
		} else {
			t.appendKey(nil)
		}
		t.n++
		t.fresh = append(t.fresh, row)
	}
	return t.nullGroup
}

// insert puts group n at free slot i; its key has been stored.
func (t *Table) insert(i, tag uint32, row int32) {
	t.n++
	t.slots[i] = uint64(tag)<<32 | uint64(uint32(t.n))
	t.fresh = append(t.fresh, row)
	if t.n > len(t.slots)/8*5 {
		t.resize(2 * len(t.slots))
	}
}

// resize gives the index size slots. Old slots are read in order of their tags,
// so the new array is written in order too.
func (t *Table) resize(size int) {
	old := t.slots
	if cap(t.spare) >= size {
		t.slots = t.spare[:size]
	} else {
		t.slots = make([]uint64, size)
	}
	t.spare = nil
	t.shift = shiftFor(size)
	mask := uint32(size - 1)
	for _, s := range old {
		if s != 0 {
			i := uint32(s>>32) >> t.shift
			for t.slots[i&mask] != 0 {
				i++
			}
			t.slots[i&mask] = s
		}
	}
	clear(old)
	t.spare = old
}

func shiftFor(size int) uint {
	shift := uint(32)
	for size > 1 {
		size >>= 1
		shift--
	}
	return shift
}

// slotsFor returns a size of the index that holds n groups without growing.
func slotsFor(n int) int {
	size := minSlots
	for n > size/8*5 {
		size *= 2
	}
	return size
}

// Snapshot writes the keys in order of group ids.
func (t *Table) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(t.n))
	e.Int64(int64(t.nullGroup))
	switch t.layout.form {
	case noKey:
	case wordKey, pairKey:
		for _, w := range t.words {
			e.Uint64(w)
		}
	default:
		for g := range t.n {
			e.Blob(t.arena[t.ends[g]:t.ends[g+1]])
		}
	}
}

// Restore reads what Snapshot wrote into an empty table of the same key types.
// Group ids stay what they were.
func (t *Table) Restore(d *stream.Decoder) error {
	t.Reset()
	n := d.Count(0)
	null := d.Int64()
	if d.Err() == nil && (null < -1 || null >= int64(n)) {
		return d.Fail(stream.ErrSnapshot)
	}
	if t.layout.form == noKey {
		if n > 1 {
			return d.Fail(stream.ErrSnapshot)
		}
		t.n = n
		return d.Err()
	}
	for g := 0; g < n && d.Err() == nil; g++ {
		var h uint64
		switch t.layout.form {
		case wordKey:
			w := d.Uint64()
			t.words = append(t.words, w)
			h = hashWord(w, t.seed)
		case pairKey:
			a, b := d.Uint64(), d.Uint64()
			t.words = append(t.words, a, b)
			h = hashPair(a, b, t.seed)
		default:
			key := d.Blob()
			t.appendKey(key)
			h = hashBytes(key, t.seed)
		}
		if int64(g) == null {
			t.nullGroup = int32(g)
			t.n++
			continue
		}
		tag, mask := uint32(h>>32), uint32(len(t.slots)-1)
		i := tag >> t.shift
		for t.slots[i&mask] != 0 {
			i++
		}
		t.insert(i&mask, tag, 0)
	}
	t.fresh = t.fresh[:0]
	return d.Err()
}
