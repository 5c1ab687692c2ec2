package field

import (
	"bytes"
	"math/rand/v2"
	"unicode/utf8"

	"streamsql/stream"
	"streamsql/types"
)

// Limits of a dictionary: with more values or bytes it costs more than it saves.
const (
	maxValues     = 64 << 10
	maxValueBytes = 16 << 20
	maxProbes     = 512
)

// Dictionary gives equal texts equal ids, so that whoever groups by them need not
// compare texts.
type Dictionary struct {
	Vec   stream.Vec // the values; it only grows
	data  []byte     // Vec.Data with its capacity, which ends in slack
	slots []uint64   // upper half of the hash, id + 1; 0: free
	mask  uint64
	seed  uint64
	poor  bool // hashes collide
}

// NewDictionary returns a dictionary for values of a type that holds one value, "": ids
// under NULLs are 0.
func NewDictionary(t types.Type) *Dictionary {
	d := &Dictionary{slots: make([]uint64, 256), mask: 255, seed: rand.Uint64()}
	d.Vec.Reset(t, 0)
	d.Vec.Series = stream.NewSeries()
	d.data = make([]byte, 4<<10)
	d.Add(nil)
	return d
}

// Pays reports whether rows should still be given ids.
func (d *Dictionary) Pays() bool { return !d.poor && d.Vec.N <= maxValues && !d.IsFull() }

// IsFull reports whether the values have many bytes.
func (d *Dictionary) IsFull() bool { return len(d.Vec.Data) > maxValueBytes }

// step takes the next eight bytes of a text into its hash.
func step(h, w uint64) uint64 {
	h = (h ^ w) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// Text reads a text up to the delimiter that fills pattern, or a control character,
// and returns its id and length; id -1: it is not UTF-8.
func (d *Dictionary) Text(buf []byte, i int, pattern uint64) (id int32, n int) {
	h := d.seed
	for {
		w := Word(buf, i+n)
		if m := Zero(w^pattern) | Control(w); m != 0 {
			k := At(m)
			h = step(h, w&(1<<(8*k)-1))
			n += k
			break
		}
		h = step(h, w)
		n += 8
	}
	h = step(h, uint64(n))
	for at := h; ; at++ {
		e := d.slots[at&d.mask]
		if e == 0 {
			return d.insert(buf[i:i+n], h), n
		}
		if e>>32 == h>>32 && d.equal(int32(uint32(e))-1, buf, i, n) {
			return int32(uint32(e)) - 1, n
		}
	}
}

// firstBytes masks the first bytes of three words: those of a text of n bytes are at
// 24-n, 32-n and 40-n.
var firstBytes = func() (m [41]uint64) {
	for i := range m {
		switch {
		case i <= 16:
			m[i] = ^uint64(0)
		case i < 24:
			m[i] = 1<<(8*(24-i)) - 1
		}
	}
	return m
}()

// equal compares a value with n bytes of buf. Up to 24 bytes it does so without a
// branch that depends on the length, which nobody could predict.
func (d *Dictionary) equal(id int32, buf []byte, i, n int) bool {
	off := d.Vec.Off[id:]
	from := int(off[0])
	if int(off[1])-from != n {
		return false
	}
	if n > 24 {
		return bytes.Equal(d.data[from:from+n], buf[i:i+n])
	}
	a, b := d.data[from:from+24], buf[i:i+24]
	x := (Word(a, 0) ^ Word(b, 0)) & firstBytes[24-n]
	x |= (Word(a, 8) ^ Word(b, 8)) & firstBytes[32-n]
	x |= (Word(a, 16) ^ Word(b, 16)) & firstBytes[40-n]
	return x == 0
}

// hash is that of Text.
func (d *Dictionary) hash(b []byte) uint64 {
	h := d.seed
	rest := b
	for len(rest) >= 8 {
		h = step(h, Word(rest, 0))
		rest = rest[8:]
	}
	var w uint64
	for k, c := range rest {
		w |= uint64(c) << (8 * k)
	}
	return step(step(h, w), uint64(len(b)))
}

// Add returns the id of a text; -1: it is not UTF-8.
func (d *Dictionary) Add(b []byte) int32 {
	h := d.hash(b)
	for at := h; ; at++ {
		e := d.slots[at&d.mask]
		if e == 0 {
			return d.insert(b, h)
		}
		if id := int32(uint32(e)) - 1; e>>32 == h>>32 && bytes.Equal(b, d.Vec.Data[d.Vec.Off[id]:d.Vec.Off[id+1]]) {
			return id
		}
	}
}

// insert adds a value; -1: it is not UTF-8.
func (d *Dictionary) insert(b []byte, h uint64) int32 {
	if !utf8.Valid(b) {
		return -1
	}
	v := &d.Vec
	n := len(v.Data)
	if n+len(b)+stream.Slack > len(d.data) {
		// The old buffer stays as it is: somebody may still read it.
		bigger := make([]byte, 2*len(d.data)+len(b))
		copy(bigger, v.Data)
		d.data = bigger
	}
	copy(d.data[n:], b)
	v.Data = d.data[:n+len(b)]
	v.Off = append(v.Off, int32(n+len(b)))
	id := int32(v.N)
	v.N++
	if 8*v.N > 5*len(d.slots) {
		d.grow()
	} else {
		d.put(h, id)
	}
	return id
}

// put enters an id; more than maxProbes steps are no accident with a hash that nobody
// knows.
func (d *Dictionary) put(h uint64, id int32) {
	probes := 0
	at := h
	for ; d.slots[at&d.mask] != 0; at++ {
		probes++
	}
	d.poor = d.poor || probes > maxProbes
	d.slots[at&d.mask] = h>>32<<32 | uint64(uint32(id+1))
}

func (d *Dictionary) grow() {
	d.slots = make([]uint64, 4*len(d.slots))
	d.mask = uint64(len(d.slots) - 1)
	for id := range d.Vec.N {
		d.put(d.hash(d.Vec.Data[d.Vec.Off[id]:d.Vec.Off[id+1]]), int32(id))
	}
}
