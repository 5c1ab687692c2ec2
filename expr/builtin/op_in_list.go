package builtin

import (
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
)

// fewElements is up to how many texts of a list are compared one by one.
const fewElements = 8

// hashedInts is a list of integers without collisions: a value is in the list if it is
// in its own slot. slots that are free hold a value that belongs elsewhere.
type hashedInts struct {
	slots  [256]uint64
	factor uint64 // odd: the upper eight bits of the product with it are the slot
}

// mostHashed is up to how many integers are hashed, and mostFactors how many factors are
// tried for them.
const (
	mostHashed  = 48
	mostFactors = 2048
)

// set looks for a factor that gives each key a slot of its own.
func (h *hashedInts) set(keys []uint64) bool {
	if len(keys) == 0 || len(keys) > mostHashed {
		return false
	}
	h.factor = 0x9e3779b97f4a7c15
	for range mostFactors {
		if h.apart(keys) {
			for i := range h.slots {
				h.slots[i] = keys[0]
			}
			for _, k := range keys {
				h.slots[k*h.factor>>56] = k
			}
			return true
		}
		h.factor = h.factor*0xd1342543de82ef95 + 2 // stays odd
	}
	return false
}

// apart reports whether no two keys have the same slot.
func (h *hashedInts) apart(keys []uint64) bool {
	var taken [256]bool
	for _, k := range keys {
		slot := k * h.factor >> 56
		if taken[slot] {
			return false
		}
		taken[slot] = true
	}
	return true
}

// has reports whether a key is in the list.
func (h *hashedInts) has(key uint64) bool { return h.slots[key*h.factor>>56] == key }

// key returns an integer as the slots hold it.
func key[T integer](v T) uint64 {
	if unsafe.Sizeof(v) == 8 {
		return uint64(v)
	}
	return uint64(uint32(int32(v)))
}

// wordHashed returns the bits of the values that are in the list.
func wordHashed[T integer](h *hashedInts, x *[64]T) (w uint64) {
	slots, factor := &h.slots, h.factor
	for i := 60; i >= 0; i -= 4 {
		a, b, c, d := key(x[i]), key(x[i+1]), key(x[i+2]), key(x[i+3])
		w = shiftIn(w, d^slots[d*factor>>56], 1)
		w = shiftIn(w, c^slots[c*factor>>56], 1)
		w = shiftIn(w, b^slots[b*factor>>56], 1)
		w = shiftIn(w, a^slots[a*factor>>56], 1)
	}
	return w
}

// wantedInts are the integers of a list.
type wantedInts struct {
	hashed hashedInts
	few    bool    // hashed holds them
	sorted []int64 // else
}

func wantInts[T integer](list []int64) *wantedInts {
	keys := make([]uint64, len(list))
	for i, v := range list {
		keys[i] = key(T(v))
	}
	l := &wantedInts{sorted: list}
	l.few = l.hashed.set(keys)
	return l
}

// searchInts looks rows up in a list.
func searchInts[T integer](l *wantedInts, v, out *stream.Vec, rows expr.Rows) {
	x, words := operand[T](v, rows.N), out.Words()
	switch {
	case len(l.sorted) == 0:
		clear(words)
	case !l.few:
		setBools(out, rows, func(i int) bool { return inSorted(l.sorted, int64(at(x, i))) != 0 })
	case rows.Sel != nil || len(x) != rows.N:
		setBools(out, rows, func(i int) bool { return l.hashed.has(key(at(x, i))) })
	default:
		for k := range rows.N >> 6 {
			words[k] = wordHashed(&l.hashed, (*[64]T)(x[k<<6:]))
		}
		if rest := rows.N &^ 63; rest < rows.N {
			words[rest>>6] = 0
			for i, y := range x[rest:] {
				words[rest>>6] |= bit(l.hashed.has(key(y))) << i
			}
		}
	}
}

// inSorted returns 1 if y is in the list, which is not empty.
func inSorted(list []int64, y int64) uint64 {
	for len(list) > 1 {
		half := len(list) / 2
		if list[half] <= y {
			list = list[half:]
		} else {
			list = list[:half]
		}
	}
	return bit(list[0] == y)
}

// wantedTexts are the texts of a list.
type wantedTexts struct {
	few     []string            // of up to fewElements
	many    map[string]struct{} // of more
	lengths uint64              // bit n: there is a text of n bytes, bit 63: of 63 or more
}

func (l *wantedTexts) add(text string) {
	l.lengths |= 1 << min(len(text), 63)
	switch {
	case l.many != nil:
		l.many[text] = struct{}{}
	case len(l.few) < fewElements:
		l.few = append(l.few, text)
	default:
		l.many = map[string]struct{}{text: {}}
		for _, s := range l.few {
			l.many[s] = struct{}{}
		}
	}
}

func (l *wantedTexts) has(text []byte) bool {
	if l.lengths>>min(len(text), 63)&1 == 0 {
		return false
	}
	if l.many != nil {
		_, ok := l.many[string(text)]
		return ok
	}
	for _, s := range l.few {
		if s == string(text) {
			return true
		}
	}
	return false
}

func (l *wantedTexts) search(v, out *stream.Vec, rows expr.Rows) {
	if v.Enc != stream.Flat || rows.Sel != nil {
		setBools(out, rows, func(i int) bool { return l.has(v.Bytes(i)) })
		return
	}
	words, data, off := out.Words(), v.Data, v.Off[:rows.N+1]
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, rows.N); i++ {
			// Most texts differ from all elements in length or are none of them.
			if from, to := off[i], off[i+1]; l.lengths>>min(to-from, 63)&1 != 0 && l.has(data[from:to]) {
				w |= 1 << (i & 63)
			}
		}
		words[k] = w
	}
}
