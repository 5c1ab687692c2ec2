package types

import "encoding/binary"

// ArrayBuilder encodes an ARRAY, element by element. Its memory is reused over
// Resets.
type ArrayBuilder struct {
	elem  Type
	width int
	n     int
	null  bool
	nulls []byte
	ends  []byte
	data  []byte
}

// Reset begins an empty array with elements of type elem.
func (b *ArrayBuilder) Reset(elem Type) {
	b.elem, b.width, b.n, b.null = elem, elemWidth(elem), 0, false
	b.nulls, b.ends, b.data = b.nulls[:0], b.ends[:0], b.data[:0]
}

// Len returns the number of elements so far.
func (b *ArrayBuilder) Len() int { return b.n }

// AppendNull appends a NULL.
func (b *ArrayBuilder) AppendNull() {
	for range max(b.width, 0) {
		b.data = append(b.data, 0)
	}
	b.close(true)
}

// AppendRaw appends an element given by its raw bytes.
func (b *ArrayBuilder) AppendRaw(raw []byte) {
	b.data = append(b.data, raw...)
	b.close(false)
}

// AppendValue appends a value.
func (b *ArrayBuilder) AppendValue(v Value) {
	if v.Null {
		b.AppendNull()
		return
	}
	b.data = AppendRaw(b.data, b.elem, v)
	b.close(false)
}

// AppendFrom appends element i of a, an array with elements of the same type.
func (b *ArrayBuilder) AppendFrom(a *ArrayValue, i int) {
	if a.IsNull(i) {
		b.AppendNull()
	} else {
		b.AppendRaw(a.Raw(i))
	}
}

// Open returns the memory to which the raw bytes of the next element, which is not
// NULL, may be appended without a copy; Close takes it back.
func (b *ArrayBuilder) Open() []byte { return b.data }

// Close ends the element that Open began.
func (b *ArrayBuilder) Close(data []byte) {
	b.data = data
	b.close(false)
}

func (b *ArrayBuilder) close(null bool) {
	if b.n&7 == 0 {
		b.nulls = append(b.nulls, 0)
	}
	if null {
		b.null = true
		b.nulls[b.n>>3] |= 1 << (b.n & 7)
	}
	b.n++
	if b.width < 0 {
		b.ends = binary.LittleEndian.AppendUint32(b.ends, uint32(len(b.data)))
	}
}

// AppendTo appends the encoded array.
func (b *ArrayBuilder) AppendTo(dst []byte) []byte {
	head := uint32(b.n) << 1
	if b.null {
		head |= 1
	}
	dst = binary.LittleEndian.AppendUint32(dst, head)
	if b.null {
		dst = append(dst, b.nulls...)
	}
	dst = append(dst, b.ends...)
	return append(dst, b.data...)
}

// RowBuilder encodes a ROW, field by field in order. Its memory is reused over
// Resets.
type RowBuilder struct {
	parts *parts
	n     int
	fixed []byte
	data  []byte
}

// Reset begins a row of type t.
func (b *RowBuilder) Reset(t Type) {
	b.parts, b.n = t.parts, 0
	b.fixed, b.data = b.fixed[:0], b.data[:0]
	for range (len(b.parts.fields) + 7) / 8 {
		b.fixed = append(b.fixed, 0)
	}
}

// AppendNull makes the next field NULL.
func (b *RowBuilder) AppendNull() {
	b.fixed[b.n>>3] |= 1 << (b.n & 7)
	if w := elemWidth(b.parts.fields[b.n].Type); w < 0 {
		b.end()
	} else {
		for range w {
			b.fixed = append(b.fixed, 0)
		}
	}
	b.n++
}

// AppendRaw gives the next field by its raw bytes.
func (b *RowBuilder) AppendRaw(raw []byte) {
	if elemWidth(b.parts.fields[b.n].Type) < 0 {
		b.data = append(b.data, raw...)
		b.end()
	} else {
		b.fixed = append(b.fixed, raw...)
	}
	b.n++
}

// AppendValue gives the next field.
func (b *RowBuilder) AppendValue(v Value) {
	t := b.parts.fields[b.n].Type
	switch {
	case v.Null:
		b.AppendNull()
		return
	case elemWidth(t) < 0:
		b.data = append(b.data, v.S...)
		b.end()
	default:
		b.fixed = AppendRaw(b.fixed, t, v)
	}
	b.n++
}

func (b *RowBuilder) end() {
	b.fixed = binary.LittleEndian.AppendUint32(b.fixed, uint32(b.parts.fixed+len(b.data)))
}

// AppendTo appends the encoded row, to which all fields have been given.
func (b *RowBuilder) AppendTo(dst []byte) []byte {
	return append(append(dst, b.fixed...), b.data...)
}

// MapBuilder encodes a MAP, or a MULTISET as the map of its elements to their counts.
// Its memory is reused over Resets.
type MapBuilder struct {
	key, value Type
	entries    []mapEntry
	data       []byte
	form       []byte
	places     map[string]int // of the key forms, once there are many entries
	forms      []byte         // the key forms, one after the other
	null       int            // the place of the NULL key, -1: none
	keys       ArrayBuilder
	values     ArrayBuilder
}

// mapEntry says where key, value and key form of an entry lie in the builder.
type mapEntry struct {
	key, value [2]int // start and end in data; start -1: NULL
	form       [2]int
}

// fewEntries is the number of entries up to which keys are looked for one by one.
const fewEntries = 12

// Reset begins an empty value of the MAP or MULTISET type t.
func (b *MapBuilder) Reset(t Type) {
	b.key, b.value, b.null = t.parts.key, t.parts.elem, -1
	b.entries, b.data, b.forms = b.entries[:0], b.data[:0], b.forms[:0]
	clear(b.places)
}

// Len returns the number of entries so far.
func (b *MapBuilder) Len() int { return len(b.entries) }

// PutRaw sets the value of a key, both given by their raw bytes; nil stands for NULL.
// A key that is there already keeps its place.
func (b *MapBuilder) PutRaw(key, value []byte) {
	i := b.place(key)
	if i < 0 {
		i = b.add(key)
	}
	b.entries[i].value = b.keep(value)
}

// Add is PutRaw without the look for the key, which may then be there twice.
func (b *MapBuilder) Add(key, value []byte) {
	b.entries = append(b.entries, mapEntry{key: b.keep(key), value: b.keep(value)})
}

func (b *MapBuilder) keep(raw []byte) [2]int {
	if raw == nil {
		return [2]int{-1, -1}
	}
	start := len(b.data)
	b.data = append(b.data, raw...)
	return [2]int{start, len(b.data)}
}

// place returns the entry of a key, -1 if there is none. The key form is left in
// b.form.
func (b *MapBuilder) place(key []byte) int {
	if key == nil {
		return b.null
	}
	b.form = AppendKey(b.form[:0], b.key, key)
	if len(b.entries) > fewEntries {
		if i, ok := b.places[string(b.form)]; ok {
			return i
		}
		return -1
	}
	for i, e := range b.entries {
		if e.key[0] >= 0 && string(b.forms[e.form[0]:e.form[1]]) == string(b.form) {
			return i
		}
	}
	return -1
}

func (b *MapBuilder) add(key []byte) int {
	i := len(b.entries)
	e := mapEntry{key: b.keep(key)}
	if key == nil {
		b.null = i
	} else {
		e.form = [2]int{len(b.forms), len(b.forms) + len(b.form)}
		b.forms = append(b.forms, b.form...)
	}
	b.entries = append(b.entries, e)
	switch {
	case len(b.entries) == fewEntries+1:
		if b.places == nil {
			b.places = map[string]int{}
		}
		for k, e := range b.entries {
			if e.key[0] >= 0 {
				b.places[string(b.forms[e.form[0]:e.form[1]])] = k
			}
		}
	case len(b.entries) > fewEntries && key != nil:
		b.places[string(b.form)] = i
	}
	return i
}

// AppendTo appends the encoded map.
func (b *MapBuilder) AppendTo(dst []byte) []byte {
	b.keys.Reset(b.key)
	b.values.Reset(b.value)
	for _, e := range b.entries {
		b.element(&b.keys, e.key)
		b.element(&b.values, e.value)
	}
	return appendEntries(dst, &b.keys, &b.values)
}

func (b *MapBuilder) element(a *ArrayBuilder, at [2]int) {
	if at[0] < 0 {
		a.AppendNull()
	} else {
		a.AppendRaw(b.data[at[0]:at[1]])
	}
}

// appendEntries appends a map of keys and values.
func appendEntries(dst []byte, keys, values *ArrayBuilder) []byte {
	start := len(dst)
	dst = keys.AppendTo(append(dst, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return values.AppendTo(dst)
}
