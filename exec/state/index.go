package state

// index finds group ids by the upper 32 bits of their keys' hashes, the tags. It is
// an open-addressed array of 8-byte slots: tag and group id + 1, at a place that the
// tag's upper bits give. So growing moves slots without looking at keys.
//
// An array of maxFlat slots does not grow but is cut into 256 parts by the tags'
// uppermost bits, each of which grows alone: no batch waits for all of them. Ids are
// not touched.
type index struct {
	parts []part // one, or 256
	n     int
	spare []uint64 // of a single part: a former array, all zero
	held  int64    // bytes of all arrays
}

type part struct {
	slots []uint64 // power of two; 0 is free
	shift uint32   // of a tag, from which the part's own bits have gone, to its place
	n     int32
	limit int32
}

const (
	minSlots  = 64
	maxFlat   = 256 << 10
	splitBits = 8

	// manySlots is the size from which an index no longer lies in the nearest caches.
	manySlots = 1 << 14
)

// limitOf returns how many groups go into size slots. The parts of a split index
// have limits of their own, so that they do not all grow at the same time.
func limitOf(size, partNo int) int32 {
	return int32(size / 64 * (39 + partNo%12))
}

func shiftFor(size int) uint32 {
	shift := uint32(32)
	for size > 1 {
		size >>= 1
		shift--
	}
	return shift
}

// slotsFor returns a size that holds n groups without growing.
func slotsFor(n int) int {
	size := minSlots
	for n > int(limitOf(size, 0)) {
		size *= 2
	}
	return size
}

func (x *index) init() {
	x.parts = make([]part, 1)
	x.parts[0].set(make([]uint64, minSlots), 0)
	x.spare = nil
	x.measure()
}

func (p *part) set(slots []uint64, partNo int) {
	p.slots, p.shift, p.limit = slots, shiftFor(len(slots)), limitOf(len(slots), partNo)
}

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
	slots, shift := p.slots, p.shift&31
	mask := uint32(len(slots) - 1)
	if len(slots) <= manySlots {
		for k, tag := range tags {
			i := tag >> shift
			s := slots[i&mask]
			for uint32(s>>32) != tag && s != 0 {
				i++
				s = slots[i&mask]
			}
			out[k] = uint32(s)
		}
		return
	}
	for k, tag := range tags {
		first[k] = slots[tag>>shift&mask]
	}
	for k, tag := range tags {
		s := first[k]
		for i := tag >> shift; uint32(s>>32) != tag && s != 0; {
			i++
			s = slots[i&mask]
		}
		out[k] = uint32(s)
	}
}

func (x *index) candidatesSplit(tags, out []uint32, first []uint64) {
	parts := (*[1 << splitBits]part)(x.parts)
	for k, tag := range tags {
		p := &parts[tag>>(32-splitBits)]
		first[k] = p.slots[tag<<splitBits>>(p.shift&31)]
	}
	for k, tag := range tags {
		s := first[k]
		if uint32(s>>32) != tag && s != 0 {
			p := &parts[tag>>(32-splitBits)]
			id, _ := p.next(tag<<splitBits>>(p.shift&31)+1, tag)
			out[k] = id
			continue
		}
		out[k] = uint32(s)
	}
}

// next returns the id + 1 of the next group with the tag at place i or behind it, and
// the place behind that; or 0 if there is none.
func (p *part) next(i, tag uint32) (id, behind uint32) {
	for mask := uint32(len(p.slots) - 1); ; i++ {
		s := p.slots[i&mask]
		if uint32(s>>32) == tag || s == 0 {
			return uint32(s), i + 1
		}
	}
}

// add notes group id, which no other slot holds.
func (x *index) add(tag uint32, id int) {
	p, rest := x.of(tag)
	mask := uint32(len(p.slots) - 1)
	i := rest >> p.shift
	for p.slots[i&mask] != 0 {
		i++
	}
	p.slots[i&mask] = uint64(tag)<<32 | uint64(uint32(id+1))
	p.n++
	x.n++
	if p.n > p.limit {
		x.grow(p, tag)
	}
}

func (x *index) grow(p *part, tag uint32) {
	switch {
	case len(x.parts) > 1:
		next := make([]uint64, 2*len(p.slots))
		move(next, p.slots, splitBits)
		x.held += int64(len(p.slots)) * 8
		p.set(next, int(tag>>(32-splitBits)))
	case len(p.slots) == maxFlat:
		x.split()
	default:
		x.resize(2 * len(p.slots))
	}
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
	p.set(next, 0)
	clear(old)
	x.spare = old
	x.measure()
}

// move puts the slots of old into next, which is empty. They are read in order of
// their tags, so next is written in order too.
func move(next, old []uint64, cut uint) {
	mask, shift := uint32(len(next)-1), shiftFor(len(next))&31
	for _, s := range old {
		if s != 0 {
			i := uint32(s>>32) << cut >> shift
			for next[i&mask] != 0 {
				i++
			}
			next[i&mask] = s
		}
	}
}

// split makes 256 parts of the only one. They have as many slots as before: the first
// of them soon grow.
func (x *index) split() {
	old := x.parts[0].slots
	size := len(old) >> splitBits
	parts := make([]part, 1<<splitBits)
	for i := range parts {
		parts[i].set(make([]uint64, size), i)
	}
	mask := uint32(size - 1)
	for _, s := range old {
		if s != 0 {
			tag := uint32(s >> 32)
			p := &parts[tag>>(32-splitBits)]
			i := tag << splitBits >> p.shift
			for p.slots[i&mask] != 0 {
				i++
			}
			p.slots[i&mask] = s
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
				p.set(make([]uint64, len(p.slots)/8), i)
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
		p.set(slots[:want], 0)
		x.measure()
	}
}

// measure counts the bytes of all arrays anew.
func (x *index) measure() {
	x.held = int64(cap(x.spare)) * 8
	for i := range x.parts {
		x.held += int64(cap(x.parts[i].slots))*8 + 40
	}
}
