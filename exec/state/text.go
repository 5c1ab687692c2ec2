package state

import (
	"encoding/binary"

	"streamsql/expr"
	"streamsql/stream"
)

// text is a key of bytes. Up to 24 bytes it is the bytes themselves, padded with
// zeros; of longer keys a is the hash and b the place in the arena.
type text struct {
	a, b, c uint64
	n       uint64
}

const inlineText = 24

// loadText returns up to 24 bytes as words. All reads lie inside of p, and where two
// of them overlap they have read the same bytes.
func loadText(p []byte) (x text) {
	n := uint(len(p))
	x.n = uint64(n)
	switch {
	case n > 16:
		x.a, x.b = binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		x.c = binary.LittleEndian.Uint64(p[n-8:]) >> (8 * (24 - n) & 63)
	case n > 8:
		x.a, x.b = binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[n-8:])>>(8*(16-n)&63)
	case n == 8:
		x.a = binary.LittleEndian.Uint64(p)
	case n >= 4:
		x.a = uint64(binary.LittleEndian.Uint32(p)) | uint64(binary.LittleEndian.Uint32(p[n-4:]))<<(8*(n-4)&63)
	case n > 0:
		x.a = uint64(p[0]) | uint64(p[n>>1])<<(8*(n>>1)&63) | uint64(p[n-1])<<(8*(n-1)&63)
	}
	return x
}

// prepare makes the words, without a place, and the tag of a key.
func (t *Table) prepare(key []byte) (x text, tag uint32) {
	if len(key) > inlineText {
		x.a, x.n = hashBytes(key, t.seed), uint64(len(key))
		return x, uint32(x.a >> 32)
	}
	x = loadText(key)
	h := hashPair(x.a, x.b, t.seed+x.n)
	if x.n > 16 {
		h = mix(h^mixA, x.c^t.seed)
	}
	return x, uint32(h >> 32)
}

// holds reports whether c is the key whose prepared form is x.
func (t *Table) holds(c, x *text, key []byte) bool {
	if c.n != x.n || c.a != x.a {
		return false
	}
	if c.n <= inlineText {
		return c.b == x.b && c.c == x.c
	}
	return string(t.arena.get(c.b, uint32(c.n))) == string(key)
}

func (t *Table) findText(v *stream.Vec, m int, groups []int32) {
	data, off, pos := v.Data, v.Off, t.at[:m]
	switch {
	case v.Enc == stream.Const && v.IsNull(0):
		for k := range t.nulls[:m] {
			t.nulls[k] = true
		}
		t.findBytes(nil, nil, t.iota[:m], true, groups)
		return
	case v.Enc == stream.Const:
		clear(t.pos[:m])
		t.findBytes(data, off, t.pos[:m], false, groups)
		return
	case v.Enc == stream.Dict:
		data, off, pos = v.Dict.Data, v.Dict.Off, t.pos[:m]
		ids := v.IDs()
		for k, i := range t.at[:m] {
			pos[k] = ids[i]
		}
	}
	if v.Valid != nil {
		for k, i := range t.at[:m] {
			t.nulls[k] = v.Valid[i>>6]&(1<<(i&63)) == 0
		}
	}
	t.findBytes(data, off, pos, v.Valid != nil, groups)
}

// findBytes looks keys up that lie in data: the one of chunk row k at off[pos[k]].
func (t *Table) findBytes(data []byte, off []int32, pos []int32, hasNulls bool, groups []int32) {
	m := len(pos)
	at, keys, tags, cand := t.at[:m], t.text[:m], t.tags[:m], t.cand[:m]
	for k, p := range pos {
		if hasNulls && t.nulls[k] {
			tags[k] = 0
			continue
		}
		keys[k], tags[k] = t.prepare(data[off[p]:off[p+1]])
	}
	t.index.candidates(tags, cand, t.slot[:])
	if m == 1 {
		t.guess(cand[0])
	}
	warm(t, &t.texts, cand)
	chunks := t.texts.Chunks()
	for k, row := range at {
		if hasNulls && t.nulls[k] {
			groups[row] = t.findNull(row)
			chunks = t.texts.Chunks()
			continue
		}
		x := &keys[k]
		if id := cand[k] - 1; cand[k] != 0 {
			c := &chunks[id>>expr.CellBits][id&expr.CellMask]
			if c.n == x.n && c.a == x.a && c.b == x.b && c.c == x.c && x.n <= inlineText {
				groups[row] = int32(id)
				continue
			}
		}
		p := pos[k]
		key := data[off[p]:off[p+1]]
		if id := cand[k] - 1; cand[k] != 0 && x.n > inlineText {
			if t.holds(&chunks[id>>expr.CellBits][id&expr.CellMask], x, key) {
				groups[row] = int32(id)
				continue
			}
		}
		groups[row] = t.findKey(tags[k], x, key, row)
		chunks = t.texts.Chunks()
	}
}

// findKey finds one key in the ordinary way, or opens a group for it.
func (t *Table) findKey(tag uint32, x *text, key []byte, row int32) int32 {
	p, rest := t.index.of(tag)
	i := placeOf(rest, len(p.slots))
	for {
		var id uint32
		if id, i = p.next(i, tag); id == 0 {
			break
		}
		if t.holds(t.texts.At(int(id-1)), x, key) {
			return int32(id - 1)
		}
	}
	t.store(*x, key)
	return t.openAt(p, i-1, tag, row)
}

func (t *Table) store(x text, key []byte) {
	if len(key) > inlineText {
		x.b = t.arena.put(key)
	}
	t.texts.Append(x)
}

// appendText appends the bytes of key g.
func (t *Table) appendText(dst []byte, g int) []byte {
	if t.dict.alone {
		return append(dst, t.dict.key(t.dict.ids[g])...)
	}
	c := t.texts.At(g)
	if c.n > inlineText {
		return append(dst, t.arena.get(c.b, uint32(c.n))...)
	}
	var words [inlineText]byte
	binary.LittleEndian.PutUint64(words[:], c.a)
	binary.LittleEndian.PutUint64(words[8:], c.b)
	binary.LittleEndian.PutUint64(words[16:], c.c)
	return append(dst, words[:c.n]...)
}

// arena holds byte strings in blocks that never move.
type arena struct {
	blocks [][]byte
	last   int // block in use
	bytes  int64
}

const maxBlock = 1 << 20

// put stores a copy and returns its place.
func (r *arena) put(b []byte) uint64 {
	for r.last < len(r.blocks) && cap(r.blocks[r.last])-len(r.blocks[r.last]) < len(b) {
		r.last++
	}
	if r.last == len(r.blocks) {
		size := 1 << 10
		for size < maxBlock && int64(size) < r.bytes || size < len(b) {
			size *= 2
		}
		r.blocks = append(r.blocks, make([]byte, 0, size))
		r.bytes += int64(size) + 24
	}
	block := &r.blocks[r.last]
	off := len(*block)
	*block = append(*block, b...)
	return uint64(r.last)<<32 | uint64(off)
}

func (r *arena) get(place uint64, n uint32) []byte {
	off := uint32(place)
	return r.blocks[place>>32][off : off+n]
}

func (r *arena) reset() {
	for i := range r.blocks {
		r.blocks[i] = r.blocks[i][:0]
	}
	r.last = 0
}
