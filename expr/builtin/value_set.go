package builtin

import (
	"bytes"
	"hash/maphash"

	"streamsql/types"
)

// equalTo compares raw values of one type with one of them, as the collection functions
// do: NaN is equal to nothing, 0.0 to -0.0, an array that holds a NULL to itself, but a
// map with a NULL among its values to nothing.
type equalTo struct {
	typ   types.Type
	want  []byte
	never bool
	form  []byte
}

// set takes the value to compare with.
func (e *equalTo) set(t types.Type, raw []byte) {
	e.typ = t
	e.never = !reflexive(t, raw)
	e.want = types.AppendKey(e.want[:0], t, raw)
}

// is reports whether raw is equal to it.
func (e *equalTo) is(raw []byte) bool {
	switch {
	case e.never:
		return false
	case e.typ.Plain():
		return bytes.Equal(e.want, raw)
	}
	e.form = types.AppendKey(e.form[:0], e.typ, raw)
	return bytes.Equal(e.want, e.form)
}

// reflexive reports whether a value is equal to itself.
func reflexive(t types.Type, raw []byte) bool {
	switch {
	case t.IsApproximate():
		f := types.RawFloat(t, raw)
		return f == f
	case t.Kind == types.Map || t.Kind == types.Multiset:
		return types.EqualRaw(t, raw, raw)
	}
	return true
}

// hashSeed is one for the process: no answer depends on it.
var hashSeed = maphash.MakeSeed()

// valueSet is a set of raw values of one type, and of NULL. Its memory is reused.
type valueSet struct {
	typ   types.Type
	keys  []byte // key forms, one after the other
	ends  []int
	slots []int32 // hash table of places in ends, from 1; a power of two of them
	form  []byte
	null  bool
}

// reset empties the set for up to n values of type t.
func (s *valueSet) reset(t types.Type, n int) {
	s.typ, s.keys, s.ends, s.null = t, s.keys[:0], s.ends[:0], false
	size := 8
	for size < 2*n {
		size *= 2
	}
	if cap(s.slots) < size {
		s.slots = make([]int32, size)
	}
	s.slots = s.slots[:size]
	clear(s.slots)
}

// place returns the slot of the value whose key form is in s.form, or the free one where
// it belongs.
func (s *valueSet) place() int {
	mask := len(s.slots) - 1
	for i := int(maphash.Bytes(hashSeed, s.form)) & mask; ; i = (i + 1) & mask {
		k := int(s.slots[i])
		if k == 0 {
			return i
		}
		start := 0
		if k > 1 {
			start = s.ends[k-2]
		}
		if bytes.Equal(s.keys[start:s.ends[k-1]], s.form) {
			return i
		}
	}
}

// add puts a value (nil: NULL) into the set and reports whether it was not there.
func (s *valueSet) add(raw []byte) bool {
	if raw == nil {
		fresh := !s.null
		s.null = true
		return fresh
	}
	if !reflexive(s.typ, raw) {
		return true
	}
	s.form = types.AppendKey(s.form[:0], s.typ, raw)
	i := s.place()
	if s.slots[i] != 0 {
		return false
	}
	s.keys = append(s.keys, s.form...)
	s.ends = append(s.ends, len(s.keys))
	s.slots[i] = int32(len(s.ends))
	return true
}

// has reports whether a value (nil: NULL) is in the set.
func (s *valueSet) has(raw []byte) bool {
	if raw == nil {
		return s.null
	}
	if !reflexive(s.typ, raw) {
		return false
	}
	s.form = types.AppendKey(s.form[:0], s.typ, raw)
	return s.slots[s.place()] != 0
}

// addAll puts all elements of an array into the set.
func (s *valueSet) addAll(a *types.ArrayValue) {
	for k := range a.Len() {
		s.add(elementOrNil(a, k))
	}
}

// elementOrNil returns the raw bytes of an element, nil for NULL.
func elementOrNil(a *types.ArrayValue, k int) []byte {
	if a.IsNull(k) {
		return nil
	}
	if raw := a.Raw(k); raw != nil {
		return raw
	}
	return []byte{}
}
