package state

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Router divides keys among several tables, each key to the same one at all times and in
// any encoding.
type Router struct {
	t      *Table // holds no keys: for their forms
	shares uint64
}

// NewRouter returns a router for keys of the given types, at least one. The seed is not to
// be that of the tables: the keys of one of them would lie close together in it.
func NewRouter(keys []types.Type, shares int, seed uint64) *Router {
	return &Router{NewTable(keys, seed, NewScratch()), uint64(shares)}
}

// Route appends each asked physical row to the list of its key's share, in order.
func (r *Router) Route(keys []*stream.Vec, rows expr.Rows, lists [][]int32) {
	t, n := r.t, rows.Len()
	for from := 0; from < n; from += chunk {
		m := min(chunk, n-from)
		t.locate(rows, from, m)
		t.tagsOf(keys, m)
		for k, row := range t.at[:m] {
			share := uint64(t.tags[k]) * r.shares >> 32
			lists[share] = append(lists[share], row)
		}
	}
}

// tagsOf writes the tags of the keys of a chunk that has been located. Those of NULL keys
// that stand outside the index are 0.
func (t *Table) tagsOf(keys []*stream.Vec, m int) {
	tags, w0, w1, w2 := t.tags[:m], t.w0[:m], t.w1[:m], t.w2[:m]
	hasNulls := false
	switch t.layout.form {
	case wordKey:
		hasNulls = t.layout.packWord(keys, t.at[:m], w0, t.nulls[:m])
		t.tagWords(m)
	case pairKey:
		t.layout.packWords(keys, t.at[:m], w0, w1, nil)
		t.tagPairs(m)
	case tripleKey:
		t.layout.packWords(keys, t.at[:m], w0, w1, w2)
		t.tagTriples(m)
	case textKey:
		v := keys[0]
		hasNulls = mayBeNull(v)
		for k, i := range t.at[:m] {
			if t.nulls[k] = v.IsNull(int(i)); !t.nulls[k] {
				_, tags[k] = t.prepare(v.Bytes(int(i)))
			}
		}
	default:
		t.row.encode(keys, t.at[:m])
		for k := range tags {
			_, tags[k] = t.prepare(t.row.data[t.row.off[k]:t.row.off[k+1]])
		}
	}
	if !hasNulls {
		return
	}
	for k, null := range t.nulls[:m] {
		if null {
			tags[k] = 0
		}
	}
}
