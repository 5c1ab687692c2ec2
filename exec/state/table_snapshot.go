package state

import "streamsql/stream"

// Snapshot writes the keys in order of group ids.
func (t *Table) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(t.n))
	e.Int64(int64(t.nullGroup))
	switch t.layout.form {
	case noKey:
	case wordKey, pairKey, tripleKey:
		for g := range t.n {
			for _, w := range t.packed(g) {
				e.Uint64(w)
			}
		}
	default:
		for g := range t.n {
			t.row.data = t.appendText(t.row.data[:0], g)
			e.Blob(t.row.data)
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
		tag := t.restoreKey(d)
		if int64(g) == null {
			t.nullGroup = int32(g)
			t.n++
			continue
		}
		t.open(tag, 0)
	}
	t.fresh = t.fresh[:0]
	return d.Err()
}

// restoreKey reads and stores one key and returns its tag.
func (t *Table) restoreKey(d *stream.Decoder) uint32 {
	switch t.layout.form {
	case wordKey:
		w := d.Uint64()
		t.words.Append(w)
		return uint32(hashWord(w, t.seed) >> 32)
	case pairKey:
		w := [2]uint64{d.Uint64(), d.Uint64()}
		t.pairs.Append(w)
		return uint32(hashPair(w[0], w[1], t.seed) >> 32)
	case tripleKey:
		w := [3]uint64{d.Uint64(), d.Uint64(), d.Uint64()}
		t.triples.Append(w)
		return uint32(hashTriple(w, t.seed) >> 32)
	}
	key := d.Blob()
	x, tag := t.prepare(key)
	t.store(x, key)
	return tag
}
