package state

// RowIndex finds rows of a RowStore by the content of some columns. Equal rows may be
// there several times. It is no state of its own: it is built again from the rows.
type RowIndex struct {
	rows    *RowStore
	columns []int // that count
	seed    uint64
	heads   []int32 // by hash: 1 + a row, 0: none
	next    []int32 // by row: 1 + the next row of the chain
	hashes  []uint32
	n       int
}

// NewRowIndex returns an empty index over columns of rows.
func NewRowIndex(rows *RowStore, columns []int, seed uint64) *RowIndex {
	return &RowIndex{rows: rows, columns: columns, seed: scramble(seed), heads: make([]int32, 16)}
}

// Add puts a row into the index.
func (x *RowIndex) Add(id int32) {
	for len(x.next) <= int(id) {
		x.next, x.hashes = append(x.next, 0), append(x.hashes, 0)
	}
	if x.n >= len(x.heads) {
		x.grow()
	}
	x.hashes[id] = uint32(x.rows.Hash(id, x.columns, x.seed) >> 32)
	x.link(id)
	x.n++
}

func (x *RowIndex) link(id int32) {
	h := &x.heads[x.hashes[id]&uint32(len(x.heads)-1)]
	x.next[id], *h = *h, id+1
}

func (x *RowIndex) grow() {
	old := x.heads
	x.heads = make([]int32, 2*len(old))
	for _, at := range old {
		for at != 0 {
			following := x.next[at-1]
			x.link(at - 1)
			at = following
		}
	}
}

// Take finds a row that equals row id, which need not be in the index, takes it out and
// returns it; of several the one that before puts first. It returns -1 if there is none.
func (x *RowIndex) Take(id int32, before func(a, b int32) bool) int32 {
	h := uint32(x.rows.Hash(id, x.columns, x.seed) >> 32)
	best := int32(-1)
	for at := x.heads[h&uint32(len(x.heads)-1)]; at != 0; at = x.next[at-1] {
		if k := at - 1; x.hashes[k] == h && x.rows.Equal(k, id, x.columns) && (best < 0 || before(k, best)) {
			best = k
		}
	}
	if best >= 0 {
		x.unlink(best)
	}
	return best
}

// Find returns a row of the index that equals row id, -1 if there is none.
func (x *RowIndex) Find(id int32) int32 {
	h := uint32(x.rows.Hash(id, x.columns, x.seed) >> 32)
	for at := x.heads[h&uint32(len(x.heads)-1)]; at != 0; at = x.next[at-1] {
		if k := at - 1; x.hashes[k] == h && x.rows.Equal(k, id, x.columns) {
			return k
		}
	}
	return -1
}

// Remove takes row id, which is in the index, out.
func (x *RowIndex) Remove(id int32) { x.unlink(id) }

func (x *RowIndex) unlink(id int32) {
	at := &x.heads[x.hashes[id]&uint32(len(x.heads)-1)]
	for *at != id+1 {
		at = &x.next[*at-1]
	}
	*at = x.next[id]
	x.n--
}

// Reset takes all rows out and keeps the memory.
func (x *RowIndex) Reset() {
	clear(x.heads)
	x.next, x.hashes, x.n = x.next[:0], x.hashes[:0], 0
}

// Bytes is the memory held.
func (x *RowIndex) Bytes() int64 {
	return int64(cap(x.heads)+cap(x.next)+cap(x.hashes)) * 4
}
