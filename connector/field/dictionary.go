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
	short []short    // the values again, as they are compared
	slots []uint64   // upper half of the hash, id + 1; 0: free
	keys  [4]uint64  // what the hash multiplies with
	poor  bool       // hashes collide
}

// short is a text of up to 24 bytes as three words and its length; longer ones have a
// length only.
type short struct{ a, b, c, n uint64 }

// NewDictionary returns a dictionary for values of a type that holds one value, "": ids
// under NULLs are 0.
func NewDictionary(t types.Type) *Dictionary {
	d := &Dictionary{slots: make([]uint64, 256)}
	for i := range d.keys {
		d.keys[i] = rand.Uint64() | 1
	}
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

// Text reads a text up to the delimiter that fills pattern, or a control character,
// and returns its length; ascii: it has no other characters.
func Text(buf []byte, i int, pattern uint64) (n int, ascii bool) {
	var seen uint64
	for {
		w := Word(buf, i+n)
		if m := Zero(w^pattern) | Control(w); m != 0 {
			k := At(m)
			return n + k, (seen|w&(1<<(8*k)-1))&Tops == 0
		}
		seen |= w
		n += 8
	}
}

// Span is where a text stands: its place, and its length in the lower half.
type Span uint64

// NoSpan is that of a text whose id is known.
const NoSpan Span = 1<<64 - 1

// NewSpan returns the span of n bytes at i.
func NewSpan(i, n int) Span { return Span(i)<<32 | Span(n) }

// Resolve writes the ids of the texts at spans of buf, which are UTF-8. In groups, so
// that the cache misses of one text do not wait for those of another.
func (d *Dictionary) Resolve(buf []byte, spans []Span, ids []int32) {
	const group = 64
	var texts [group]short
	var hashes, found [group]uint64
	for len(spans) > 0 {
		n := min(group, len(spans))
		mask := uint64(len(d.slots) - 1)
		for k, at := range spans[:n] {
			i, size := int(at>>32), int(uint32(at))
			if at == NoSpan || size > 24 {
				found[k] = 0
				continue
			}
			b := buf[i : i+24]
			s := short{Word(b, 0) & firstBytes[24-size], Word(b, 8) & firstBytes[32-size], Word(b, 16) & firstBytes[40-size], uint64(size)}
			h := d.hash(s)
			texts[k], hashes[k] = s, h
			found[k] = d.slots[h&mask]
		}
		for k, at := range spans[:n] {
			if e := found[k]; e != 0 && (e^hashes[k])>>32 == 0 && d.short[uint32(e)-1] == texts[k] {
				ids[k] = int32(uint32(e)) - 1
			} else if at != NoSpan {
				ids[k] = d.Find(buf, int(at>>32), int(uint32(at)))
			}
		}
		spans, ids = spans[n:], ids[n:]
	}
}

// firstBytes masks the first bytes of three words: those of a text of n bytes are at
// 24-n, 32-n and 40-n. So nothing branches on a length, which nobody could predict.
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

// Find returns the id of the n bytes at i, behind which the slack can be read; -1: they
// are not UTF-8.
func (d *Dictionary) Find(buf []byte, i, n int) int32 {
	if n > 24 {
		return d.findLong(buf[i : i+n])
	}
	b := buf[i : i+24]
	return d.findShort(short{
		Word(b, 0) & firstBytes[24-n], Word(b, 8) & firstBytes[32-n], Word(b, 16) & firstBytes[40-n], uint64(n),
	}, buf[i:i+n])
}

func (d *Dictionary) findShort(s short, text []byte) int32 {
	h := d.hash(s)
	mask := uint64(len(d.slots) - 1)
	for at := h; ; at++ {
		e := d.slots[at&mask]
		if e == 0 {
			return d.insert(s, text, h)
		}
		if (e^h)>>32 == 0 {
			if id := uint32(e) - 1; d.short[id] == s {
				return int32(id)
			}
		}
	}
}

// hash mixes the words of a text. The keys are secret, so that nobody can choose
// texts that collide.
func (d *Dictionary) hash(s short) uint64 {
	h := (s.a^s.n)*d.keys[0] + s.b*d.keys[1] + s.c*d.keys[2]
	h = (h ^ h>>32) * d.keys[3]
	return h ^ h>>32
}

func (d *Dictionary) findLong(b []byte) int32 {
	h := d.hashLong(b)
	mask := uint64(len(d.slots) - 1)
	for at := h; ; at++ {
		e := d.slots[at&mask]
		if e == 0 {
			return d.insert(short{n: uint64(len(b))}, b, h)
		}
		if id := int32(uint32(e)) - 1; (e^h)>>32 == 0 && bytes.Equal(b, d.value(id)) {
			return id
		}
	}
}

func (d *Dictionary) hashLong(b []byte) uint64 {
	s := short{n: uint64(len(b))}
	for ; len(b) >= 16; b = b[16:] {
		s.c = d.hash(short{Word(b, 0), Word(b, 8), s.c, s.n})
	}
	for k, x := range b {
		if k < 8 {
			s.a |= uint64(x) << (8 * k)
		} else {
			s.b |= uint64(x) << (8 * k & 63)
		}
	}
	return d.hash(s)
}

func (d *Dictionary) value(id int32) []byte { return d.Vec.Data[d.Vec.Off[id]:d.Vec.Off[id+1]] }

// Add returns the id of a text; -1: it is not UTF-8.
func (d *Dictionary) Add(b []byte) int32 {
	if len(b) > 24 {
		return d.findLong(b)
	}
	var padded [24]byte
	copy(padded[:], b)
	return d.findShort(short{Word(padded[:], 0), Word(padded[:], 8), Word(padded[:], 16), uint64(len(b))}, b)
}

// insert adds a value; -1: it is not UTF-8.
func (d *Dictionary) insert(s short, b []byte, h uint64) int32 {
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
	d.short = append(d.short, s)
	id := int32(v.N)
	v.N++
	if 8*v.N > 3*len(d.slots) {
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
	mask := uint64(len(d.slots) - 1)
	at := h
	for ; d.slots[at&mask] != 0; at++ {
		probes++
	}
	d.poor = d.poor || probes > maxProbes
	d.slots[at&mask] = h>>32<<32 | uint64(uint32(id+1))
}

// grow makes place for more values. A third of the slots is used at most, so that the
// first one is mostly the right one.
func (d *Dictionary) grow() {
	d.slots = make([]uint64, 2*len(d.slots))
	for id, s := range d.short {
		h := uint64(0)
		if s.n > 24 {
			h = d.hashLong(d.value(int32(id)))
		} else {
			h = d.hash(s)
		}
		d.put(h, int32(id))
	}
}
