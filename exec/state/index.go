package state

import (
	"math"
	"unsafe"
)

// index finds group ids by the upper 32 bits of their keys' hashes, the tags. It is
// an open-addressed array of 8-byte slots: tag and group id + 1, at a place in
// proportion to the tag. So growing moves slots without looking at keys, in order.
//
// An array of maxFlat slots does not grow but is cut into 256 parts by the tags'
// uppermost bits, each of which grows alone, and all at different times: no batch
// waits for all of them, and the slots for a group are as many at any number of
// groups. Ids are not touched.
type index struct {
	parts []part // one, or 256
	n     int
	spare []uint64 // of a single part: a former array, all zero
	held  int64    // bytes of all arrays
}

type part struct {
	slots []uint64 // 0 is free
	n     int32
	limit int32
}

const (
	minSlots  = 64
	maxFlat   = 128 << 10
	splitBits = 8

	// manySlots is the size from which an index no longer lies in the nearest caches.
	manySlots = 1 << 14
)

// limitOf returns how many groups go into the size slots of a single part. It shall be
// fast, the parts of a split index shall be small.
func limitOf(size int) int32      { return int32(size / 64 * 39) }
func splitLimitOf(size int) int32 { return int32(size * 4 / 5) }

// placeOf returns the place that a tag, from which the part's own bits have gone, has
// in size slots.
func placeOf(rest uint32, size int) int { return int(uint64(rest) * uint64(size) >> 32) }

// slotsFor returns a size that holds n groups without growing.
func slotsFor(n int) int {
	size := minSlots
	for n > int(limitOf(size)) {
		size *= 2
	}
	return size
}

func (x *index) init() {
	x.parts = make([]part, 1)
	x.parts[0].set(make([]uint64, minSlots), limitOf(minSlots))
	x.spare = nil
	x.measure()
}

func (p *part) set(slots []uint64, limit int32) { p.slots, p.limit = slots, limit }

// of returns the part of a tag and the rest of the tag.
func (x *index) of(tag uint32) (p *part, rest uint32) {
	if len(x.parts) == 1 {
		return &x.parts[0], tag
	}
	return &x.parts[tag>>(32-splitBits)], tag << splitBits
}

// candidates writes for each tag the id + 1 of the first group with that tag, or 0
// if there is none. Where the index is large the first slots are read ahead in a loop
// without decisions, so that their misses overlap.
func (x *index) candidates(tags, out []uint32, first []uint64) {
	out, first = out[:len(tags)], first[:len(tags)]
	if len(x.parts) > 1 {
		x.candidatesSplit(tags, out, first)
		return
	}
	p := &x.parts[0]
	slots := p.slots
	if len(slots) <= manySlots {
		for k, tag := range tags {
			i := placeOf(tag, len(slots))
			s := slots[i]
			for uint32(s>>32) != tag && s != 0 {
				if i++; i == len(slots) {
					i = 0
				}
				s = slots[i]
			}
			out[k] = uint32(s)
		}
		return
	}
	for k, tag := range tags {
		first[k] = slots[placeOf(tag, len(slots))]
	}
	for k, tag := range tags {
		s := first[k]
		if uint32(s>>32) != tag && s != 0 {
			out[k], _ = p.next(placeOf(tag, len(slots))+1, tag)
			continue
		}
		out[k] = uint32(s)
	}
}

func (x *index) candidatesSplit(tags, out []uint32, first []uint64) {
	parts := (*[1 << splitBits]part)(x.parts)
	for k, tag := range tags {
		p := &parts[tag>>(32-splitBits)]
		first[k] = p.slots[placeOf(tag<<splitBits, len(p.slots))]
	}
	for k, tag := range tags {
		s := first[k]
		if uint32(s>>32) != tag && s != 0 {
			p := &parts[tag>>(32-splitBits)]
			out[k], _ = p.next(placeOf(tag<<splitBits, len(p.slots))+1, tag)
			continue
		}
		out[k] = uint32(s)
	}
}

// next returns the id + 1 of the next group with the tag at place i or behind it, and
// the place behind that; or 0 if there is none.
func (p *part) next(i int, tag uint32) (id uint32, behind int) {
	for slots := p.slots; ; i++ {
		if i >= len(slots) {
			i = 0
		}
		s := slots[i]
		if uint32(s>>32) == tag || s == 0 {
			return uint32(s), i + 1
		}
	}
}

// put stores a slot in the first free one at place i or behind it.
func put(slots []uint64, i int, s uint64) {
	for slots[i] != 0 {
		if i++; i == len(slots) {
			i = 0
		}
	}
	slots[i] = s
}

// add notes group id, which no other slot holds.
func (x *index) add(tag uint32, id int) {
	p, rest := x.of(tag)
	i := placeOf(rest, len(p.slots))
	for p.slots[i] != 0 {
		if i++; i == len(p.slots) {
			i = 0
		}
	}
	x.addAt(p, i, tag, id)
}

// addAt is add for the free slot at which a search for the tag in its part has ended.
func (x *index) addAt(p *part, i int, tag uint32, id int) {
	p.slots[i] = uint64(tag)<<32 | uint64(uint32(id+1))
	p.n++
	x.n++
	if p.n > p.limit {
		x.grow(p)
	}
}

func (x *index) grow(p *part) {
	switch {
	case len(x.parts) > 1:
		next := freeSlots(2 * len(p.slots))
		move(next, p.slots, splitBits)
		x.held += int64(len(next)-len(p.slots)) * 8
		p.set(next, splitLimitOf(len(next)))
	case len(p.slots) == maxFlat:
		x.split()
	default:
		x.resize(2 * len(p.slots))
	}
}

// freeSlots makes n slots, and as many more as the memory has that is needed for them.
func freeSlots(n int) []uint64 {
	slots := append([]uint64(nil), make([]uint64, n)...)
	slots = slots[:cap(slots)]
	clear(slots[n:])
	return slots
}

// resize gives the only part size slots.
func (x *index) resize(size int) {
	p := &x.parts[0]
	old := p.slots
	next := x.spare
	if cap(next) >= size {
		next = next[:size]
	} else {
		next = make([]uint64, size)
	}
	move(next, old, 0)
	p.set(next, limitOf(size))
	clear(old)
	x.spare = old
	x.measure()
}

// move puts the slots of old into next, which is empty. They are read in order of
// their tags, so next is written in order too.
func move(next, old []uint64, cut uint) {
	for _, s := range old {
		if s != 0 {
			put(next, placeOf(uint32(s>>32)<<cut, len(next)), s)
		}
	}
}

// split makes 256 parts of the only one. The first of them have as many slots as before
// together with equal ones, the last nearly twice as many.
func (x *index) split() {
	old := x.parts[0].slots
	size := len(old) >> splitBits
	parts := make([]part, 1<<splitBits)
	for i := range parts {
		slots := freeSlots(int(float64(size) * math.Exp2(float64(i)/(1<<splitBits))))
		parts[i].set(slots, splitLimitOf(len(slots)))
	}
	for _, s := range old {
		if s != 0 {
			tag := uint32(s >> 32)
			p := &parts[tag>>(32-splitBits)]
			put(p.slots, placeOf(tag<<splitBits, len(p.slots)), s)
			p.n++
		}
	}
	x.parts, x.spare = parts, nil
	x.measure()
}

// reset empties the index and keeps the memory, in a form that makes the next reset
// cheap if few groups came.
func (x *index) reset() {
	n := x.n
	x.n = 0
	if len(x.parts) > 1 {
		if n <= maxFlat/8 {
			x.init()
			return
		}
		for i := range x.parts {
			p := &x.parts[i]
			if len(p.slots) > minSlots && int(p.n) < len(p.slots)/16 {
				p.set(make([]uint64, len(p.slots)/8), splitLimitOf(len(p.slots)/8))
			} else {
				clear(p.slots)
			}
			p.n = 0
		}
		x.measure()
		return
	}
	p := &x.parts[0]
	clear(p.slots)
	p.n = 0
	if want := slotsFor(n); want < len(p.slots)/4 {
		slots := p.slots
		if cap(slots) > cap(x.spare) {
			x.spare, slots = slots, x.spare
		}
		if cap(slots) < want {
			slots = make([]uint64, want)
		}
		p.set(slots[:want], limitOf(want))
		x.measure()
	}
}

// measure counts the bytes of all arrays anew.
func (x *index) measure() {
	x.held = int64(cap(x.spare)) * 8
	for i := range x.parts {
		x.held += int64(cap(x.parts[i].slots))*8 + int64(unsafe.Sizeof(x.parts[i]))
	}
}
