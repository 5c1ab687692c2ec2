package state

import (
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Table gives each distinct key a dense group id, in order of first arrival. NULL
// is a key like any other, all NaN are one key, and -0.0 differs from 0.0 (as in
// Flink's keyed state).
//
// Keys lie in order of ids, in arrays that grow without moving; an index finds them
// by hash. Keys that come as ids into a dictionary are found by id once each of
// them has been seen. As long as all do, the ids are kept in place of the keys.
type Table struct {
	layout keyLayout
	seed   uint64

	index     index
	n         int
	nullGroup int32 // group of the NULL key where it stands outside the index; -1: none yet

	words   expr.Cells[uint64] // by the form of the keys, one of these is in use
	pairs   expr.Cells[[2]uint64]
	triples expr.Cells[[3]uint64]
	texts   expr.Cells[text]
	arena   arena

	dict   dictGroups
	fresh  []int32     // rows of the last Find that opened a group
	beside *Aggregates // the state of the groups, by their ids; nil: none or elsewhere

	*Scratch
}

// Scratch is what a look-up needs for its duration: one chunk's keys and hashes.
// Tables of one operator share it, so that many small tables stay small.
type Scratch struct {
	at         [chunk]int32 // physical rows
	w0, w1, w2 [chunk]uint64
	tags, cand [chunk]uint32
	slot       [chunk]uint64
	text       [chunk]text
	nulls      [chunk]bool
	pos        [chunk]int32
	iota       [chunk]int32
	row        rowBuffer
	rows       int // rows that the last table to be reset had been asked for
	sum        uint64

	// Of Distinct.
	group   stream.Vec
	keys    []*stream.Vec
	ids     []int32
	numbers []int32
	sel     []int32
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
const chunk = 512

// NewTable returns an empty table for keys of the given types (none: one single
// group). The seed changes where keys are stored, never an order.
func NewTable(keys []types.Type, seed uint64, s *Scratch) *Table {
	return newTable(layoutKeys(keys), seed, s)
}

func newTable(l keyLayout, seed uint64, s *Scratch) *Table {
	t := &Table{layout: l, seed: scramble(seed), nullGroup: -1, Scratch: s}
	t.index.init()
	return t
}

// Len returns the number of groups.
func (t *Table) Len() int { return t.n }

// Rows returns the number of groups.
func (t *Table) Rows() int64 { return int64(t.n) }

// Bytes is the memory held.
func (t *Table) Bytes() int64 {
	return t.index.held + t.words.Bytes() + t.pairs.Bytes() + t.triples.Bytes() + t.texts.Bytes() +
		t.arena.bytes + int64(cap(t.dict.groups)+cap(t.dict.ids)+cap(t.fresh))*4
}

// Beside says that a holds state by the ids of the groups. Where one row is looked up
// that state is asked for together with the key, so that their misses overlap.
func (t *Table) Beside(a *Aggregates) { t.beside = a }

// guess asks for the state of the group that is likely to be found, if there is one.
func (t *Table) guess(id uint32) {
	if id != 0 && t.beside != nil {
		t.beside.touch(int32(id - 1))
	}
}

// Fresh returns the physical rows of the last Find that opened a group, in order:
// the last of them opened group Len()-1. Valid until the next Find.
func (t *Table) Fresh() []int32 { return t.fresh }

// Reset drops all groups and keeps the memory, in a form that makes the next
// Reset cheap if few groups came.
func (t *Table) Reset() {
	if t.index.n > 0 {
		t.index.reset()
	}
	t.Scratch.rows = t.dict.rows
	t.dict.reset()
	t.n, t.nullGroup = 0, -1
	t.words.Reset()
	t.pairs.Reset()
	t.triples.Reset()
	t.texts.Reset()
	t.arena.reset()
	t.fresh = t.fresh[:0]
}

// Find writes into groups[i] the group of each asked physical row i, opening
// groups for new keys. keys are vectors of the table's types in any encoding.
func (t *Table) Find(keys []*stream.Vec, rows expr.Rows, groups []int32) {
	t.fresh = t.fresh[:0]
	n := rows.Len()
	switch {
	case t.layout.form == noKey:
		t.findSingle(rows, groups)
		return
	case n == 1 && t.layout.bare:
		row := firstRow(rows)
		groups[row] = t.findOne(keys[0], row)
		return
	case t.layout.form == textKey && keys[0].Enc == stream.Dict:
		t.dict.rows += n
		if t.useDict(keys[0].Dict, n) {
			t.findDict(keys[0], rows, groups)
			return
		}
	}
	t.list()
	for from := 0; from < n; from += chunk {
		m := min(chunk, n-from)
		t.locate(rows, from, m)
		switch t.layout.form {
		case wordKey:
			t.findWords(keys, m, groups)
		case pairKey:
			t.findPairs(keys, m, groups)
		case tripleKey:
			t.findTriples(keys, m, groups)
		case textKey:
			t.findText(keys[0], m, groups)
		default:
			t.row.encode(keys, t.at[:m])
			t.findBytes(t.row.data, t.row.off, t.iota[:m], false, groups)
		}
	}
}

// locate writes the physical rows of a chunk.
func (t *Table) locate(rows expr.Rows, from, m int) {
	if rows.Sel != nil {
		copy(t.at[:m], rows.Sel[from:from+m])
		return
	}
	for k := range t.at[:m] {
		t.at[k] = int32(from + k)
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

// warm asks for the keys of all candidates, which start with a word, so that their
// misses overlap.
func warm[T uint64 | [2]uint64 | [3]uint64 | text](t *Table, c *expr.Cells[T], cand []uint32) {
	if c.Bytes() < nearCache {
		return
	}
	chunks, sum := c.Chunks(), uint64(0)
	for _, id := range cand {
		if id != 0 {
			sum += *(*uint64)(unsafe.Pointer(&chunks[(id-1)>>expr.CellBits][(id-1)&expr.CellMask]))
		}
	}
	t.sum += sum
}

// nearCache is up to which size keys are taken to lie in a cache of the core.
const nearCache = 512 << 10

// findOne finds the key of one row.
func (t *Table) findOne(v *stream.Vec, row int32) int32 {
	if v.IsNull(int(row)) {
		return t.findNull(row)
	}
	at, w := [1]int32{row}, [1]uint64{}
	loadWords(v, at[:], w[:])
	tag := uint32(hashWord(w[0], t.seed) >> 32)
	p, rest := t.index.of(tag)
	id, _ := p.next(placeOf(rest, len(p.slots)), tag)
	t.guess(id)
	if id != 0 && *t.words.At(int(id - 1)) == w[0] {
		return int32(id - 1)
	}
	return t.findWord(tag, w[0], row)
}

func (t *Table) findWords(keys []*stream.Vec, m int, groups []int32) {
	at, w0, tags, cand := t.at[:m], t.w0[:m], t.tags[:m], t.cand[:m]
	hasNulls := t.layout.packWord(keys, at, w0, t.nulls[:m])
	t.tagWords(m)
	t.index.candidates(tags, cand, t.slot[:])
	warm(t, &t.words, cand)
	chunks := t.words.Chunks()
	for k, w := range w0 {
		row := at[k]
		if hasNulls && t.nulls[k] {
			groups[row] = t.findNull(row)
			chunks = t.words.Chunks()
			continue
		}
		if id := cand[k] - 1; cand[k] != 0 && chunks[id>>expr.CellBits][id&expr.CellMask] == w {
			groups[row] = int32(id)
			continue
		}
		groups[row] = t.findWord(tags[k], w, row)
		chunks = t.words.Chunks()
	}
}

// findWord finds one key in the ordinary way, or opens a group for it.
func (t *Table) findWord(tag uint32, w uint64, row int32) int32 {
	p, rest := t.index.of(tag)
	i := placeOf(rest, len(p.slots))
	for {
		var id uint32
		if id, i = p.next(i, tag); id == 0 {
			break
		}
		if *t.words.At(int(id - 1)) == w {
			return int32(id - 1)
		}
	}
	t.words.Append(w)
	return t.openAt(p, i-1, tag, row)
}

// open gives the key that has just been stored the next id.
func (t *Table) open(tag uint32, row int32) int32 {
	id := t.n
	t.n++
	t.fresh = append(t.fresh, row)
	t.index.add(tag, id)
	return int32(id)
}

// openAt is open where a search for the key has ended at a free slot of the index.
func (t *Table) openAt(p *part, slot int, tag uint32, row int32) int32 {
	id := t.n
	t.n++
	t.fresh = append(t.fresh, row)
	t.index.addAt(p, slot, tag, id)
	return int32(id)
}

func (t *Table) findPairs(keys []*stream.Vec, m int, groups []int32) {
	at, w0, w1, tags, cand := t.at[:m], t.w0[:m], t.w1[:m], t.tags[:m], t.cand[:m]
	t.layout.packWords(keys, at, w0, w1, nil)
	t.tagPairs(m)
	t.index.candidates(tags, cand, t.slot[:])
	if m == 1 {
		t.guess(cand[0])
	}
	warm(t, &t.pairs, cand)
	chunks := t.pairs.Chunks()
	for k, row := range at {
		if id := cand[k] - 1; cand[k] != 0 {
			c := &chunks[id>>expr.CellBits][id&expr.CellMask]
			if c[0] == w0[k] && c[1] == w1[k] {
				groups[row] = int32(id)
				continue
			}
		}
		groups[row] = t.findPair(tags[k], [2]uint64{w0[k], w1[k]}, row)
		chunks = t.pairs.Chunks()
	}
}

func (t *Table) findPair(tag uint32, w [2]uint64, row int32) int32 {
	p, rest := t.index.of(tag)
	i := placeOf(rest, len(p.slots))
	for {
		var id uint32
		if id, i = p.next(i, tag); id == 0 {
			break
		}
		if *t.pairs.At(int(id - 1)) == w {
			return int32(id - 1)
		}
	}
	t.pairs.Append(w)
	return t.openAt(p, i-1, tag, row)
}

func (t *Table) findTriples(keys []*stream.Vec, m int, groups []int32) {
	at, w0, w1, w2, tags, cand := t.at[:m], t.w0[:m], t.w1[:m], t.w2[:m], t.tags[:m], t.cand[:m]
	t.layout.packWords(keys, at, w0, w1, w2)
	t.tagTriples(m)
	t.index.candidates(tags, cand, t.slot[:])
	if m == 1 {
		t.guess(cand[0])
	}
	warm(t, &t.triples, cand)
	chunks := t.triples.Chunks()
	for k, row := range at {
		if id := cand[k] - 1; cand[k] != 0 {
			c := &chunks[id>>expr.CellBits][id&expr.CellMask]
			if c[0] == w0[k] && c[1] == w1[k] && c[2] == w2[k] {
				groups[row] = int32(id)
				continue
			}
		}
		groups[row] = t.findTriple(tags[k], [3]uint64{w0[k], w1[k], w2[k]}, row)
		chunks = t.triples.Chunks()
	}
}

func (t *Table) findTriple(tag uint32, w [3]uint64, row int32) int32 {
	p, rest := t.index.of(tag)
	i := placeOf(rest, len(p.slots))
	for {
		var id uint32
		if id, i = p.next(i, tag); id == 0 {
			break
		}
		if *t.triples.At(int(id - 1)) == w {
			return int32(id - 1)
		}
	}
	t.triples.Append(w)
	return t.openAt(p, i-1, tag, row)
}

// findNull returns the group of the NULL key of a one-column table, which has an
// id but no place in the index.
func (t *Table) findNull(row int32) int32 {
	if t.nullGroup < 0 {
		t.nullGroup = int32(t.n)
		switch {
		case t.layout.form == wordKey:
			t.words.Append(0)
		case t.dict.alone:
			t.dict.ids = append(t.dict.ids, noID)
		default:
			t.texts.Append(text{})
		}
		t.n++
		t.fresh = append(t.fresh, row)
	}
	return t.nullGroup
}

// Merge finds the groups of all keys of another table of the same key types, in
// order of their ids, opening groups for those that are new here. The groups are
// appended to groups.
func (t *Table) Merge(from *Table, groups []int32) []int32 {
	var (
		cols = make([]stream.Vec, len(t.layout.types))
		keys = make([]*stream.Vec, len(cols))
		ids  = make([]int32, 0, 4096)
	)
	for c := range cols {
		keys[c] = &cols[c]
	}
	for at := 0; at < from.n; at += cap(ids) {
		ids = ids[:0]
		for g := at; g < min(from.n, at+cap(ids)); g++ {
			ids = append(ids, int32(g))
		}
		from.Keys(ids, len(ids), cols)
		t.Find(keys, expr.Rows{N: len(ids)}, ids)
		groups = append(groups, ids...)
	}
	return groups
}
