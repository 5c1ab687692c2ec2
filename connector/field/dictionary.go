package field

import (
	"bytes"
	"math/rand/v2"
	"unicode/utf8"
	"unsafe"

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

// maxShort is the size of the longest text that is compared by its words.
const maxShort = 23

// short is a text of up to maxShort bytes as three words, with its length in the last
// byte; all others are long.
type short struct{ a, b, c uint64 }

var long = short{c: 0xff << 56}

// newShort makes the text of n bytes at i, behind which the slack can be read.
func newShort(p unsafe.Pointer, i, n int) short {
	m := &firstBytes[n]
	return short{load(p, i) & m.a, load(p, i+8) & m.b, load(p, i+16)&m.c | uint64(n)<<56}
}

// NewDictionary returns a dictionary for values of a type that holds one value, "": ids
// under NULLs are 0.
func NewDictionary(t types.Type) *Dictionary {
	d := &Dictionary{slots: make([]uint64, 256)}
	for i := range d.keys {
		d.keys[i] = rand.Uint64() | 1
	}
	d.Vec.Reset(t, 0)
	d.Vec.Series, d.Vec.Distinct = stream.NewSeries(), true
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
	p := unsafe.Pointer(unsafe.SliceData(buf))
	for len(spans) > 0 {
		n := min(group, len(spans), len(ids))
		slots := d.slots
		for k, at := range spans[:n] {
			size := uint64(uint32(at))
			if size > maxShort {
				found[k] = 0 // also if there is no span
				continue
			}
			s := newShort(p, int(at>>32), int(size))
			h := d.hash(s)
			texts[k], hashes[k] = s, h
			found[k] = slots[h&uint64(len(slots)-1)]
		}
		values := d.short
		for k, at := range spans[:n] {
			e, s := found[k], &texts[k]
			if id := uint64(uint32(e)) - 1; id < uint64(len(values)) && (e^hashes[k])>>32 == 0 {
				if v := &values[id]; v.a^s.a|v.b^s.b|v.c^s.c == 0 {
					ids[k] = int32(id)
					continue
				}
			}
			if at != NoSpan {
				ids[k] = d.Find(buf, int(at>>32), int(uint32(at)))
				values = d.short
			}
		}
		spans, ids = spans[n:], ids[n:]
	}
}

// firstBytes masks the bytes of a text of n bytes in three words. So nothing branches on
// a length, which nobody could predict.
var firstBytes = func() (m [maxShort + 1]short) {
	for n := range m {
		for k, w := range []*uint64{&m[n].a, &m[n].b, &m[n].c} {
			*w = 1<<(8*max(0, min(8, n-8*k))) - 1
		}
	}
	return m
}()

// Find returns the id of the n bytes at i, behind which the slack can be read; -1: they
// are not UTF-8.
func (d *Dictionary) Find(buf []byte, i, n int) int32 {
	if n > maxShort {
		return d.findLong(buf[i : i+n])
	}
	return d.findShort(newShort(unsafe.Pointer(unsafe.SliceData(buf)), i, n), buf[i:i+n])
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
	h := s.a*d.keys[0] + s.b*d.keys[1] + s.c*d.keys[2]
	h = (h ^ h>>32) * d.keys[3]
	return h ^ h>>32
}

func (d *Dictionary) findLong(b []byte) int32 {
	h := d.hashLong(b)
	mask := uint64(len(d.slots) - 1)
	for at := h; ; at++ {
		e := d.slots[at&mask]
		if e == 0 {
			return d.insert(long, b, h)
		}
		if id := int32(uint32(e)) - 1; (e^h)>>32 == 0 && bytes.Equal(b, d.value(id)) {
			return id
		}
	}
}

func (d *Dictionary) hashLong(b []byte) uint64 {
	s := short{c: uint64(len(b))}
	for ; len(b) >= 16; b = b[16:] {
		s.c = d.hash(short{Word(b, 0), Word(b, 8), s.c})
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
	if len(b) > maxShort {
		return d.findLong(b)
	}
	var padded [maxShort + 1]byte
	copy(padded[:], b)
	return d.findShort(newShort(unsafe.Pointer(&padded), 0, len(b)), b)
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
		if s == long {
			h = d.hashLong(d.value(int32(id)))
		} else {
			h = d.hash(s)
		}
		d.put(h, int32(id))
	}
}
