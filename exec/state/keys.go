package state

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"streamsql/stream"
	"streamsql/types"
)

// keyForm is how a table stores its keys.
type keyForm uint8

const (
	noKey     keyForm = iota // no key columns: one group
	wordKey                  // all columns and their NULL bits in 8 bytes; or one column of up to 8 bytes, its NULL outside
	pairKey                  // 16 bytes
	tripleKey                // 24 bytes
	textKey                  // one text or bytes column as it is, its NULL outside
	rowKey                   // the row encoding of rowBuffer
)

// keyLayout says where each column lies in a key.
type keyLayout struct {
	form    keyForm
	types   []types.Type
	layouts []types.Layout
	bare    bool    // wordKey of one column without a NULL bit
	shift   []uint8 // of the value in its word
	word    []uint8
	nullBit []uint8 // place of the NULL bit: word*64 + shift, or noNulls
}

// noNulls stands for the NULL bit of a column that never is NULL.
const noNulls = 255

func bitWidth(l types.Layout) int {
	switch l {
	case types.Bits:
		return 1
	case types.NoLayout:
		return 0
	}
	return 8 * l.Width()
}

// layoutKeys lays keys out. The columns named by whole are never NULL.
func layoutKeys(keys []types.Type, whole ...int) keyLayout {
	l := keyLayout{types: keys, form: rowKey}
	fixed, total := true, 0
	for _, k := range keys {
		lay := k.Layout()
		l.layouts = append(l.layouts, lay)
		if lay == types.Bytes || lay == types.Int128 {
			fixed = false
		}
		total += bitWidth(lay) + 1
	}
	switch {
	case len(keys) == 0:
		l.form = noKey
	case len(keys) == 1 && l.layouts[0] == types.Bytes:
		l.form = textKey
	case len(keys) == 1 && fixed:
		l.form, l.bare = wordKey, true
		l.shift, l.word, l.nullBit = []uint8{0}, []uint8{0}, []uint8{0}
	case fixed:
		if words := l.place(whole); words > 0 {
			l.form = [...]keyForm{1: wordKey, 2: pairKey, 3: tripleKey}[words]
		}
	}
	return l
}

// place puts values, widest first, and then NULL bits into up to three words, the
// first word first, none across a border. It returns how many words that takes, 0
// if they do not fit.
func (l *keyLayout) place(whole []int) (words int) {
	n := len(l.layouts)
	l.shift, l.word, l.nullBit = make([]uint8, n), make([]uint8, n), make([]uint8, n)
	used := [3]int{}
	put := func(width int) (word, shift int, ok bool) {
		for w := range used {
			if used[w]+width <= 64 {
				used[w] += width
				words = max(words, w+1)
				return w, used[w] - width, true
			}
		}
		return 0, 0, false
	}
	for _, width := range [...]int{64, 32, 16, 8, 1, 0} {
		for c, lay := range l.layouts {
			if bitWidth(lay) != width {
				continue
			}
			w, s, fits := put(width)
			if !fits {
				return 0
			}
			l.word[c], l.shift[c] = uint8(w), uint8(s&63)
		}
	}
	for c := range l.layouts {
		if slices.Contains(whole, c) {
			l.nullBit[c] = noNulls
			continue
		}
		w, s, fits := put(1)
		if !fits {
			return 0
		}
		l.nullBit[c] = uint8(w*64 + s)
	}
	return max(words, 1)
}

// packWord makes one-word keys of the rows at. For a bare column it notes NULLs in
// nulls and says whether there may be any.
func (l *keyLayout) packWord(keys []*stream.Vec, at []int32, w0 []uint64, nulls []bool) (hasNulls bool) {
	if l.bare {
		v := keys[0]
		loadWords(v, at, w0)
		if v.Valid == nil && v.Type.Kind != types.Null {
			return false
		}
		for k, i := range at {
			nulls[k] = v.IsNull(int(i))
		}
		return true
	}
	clear(w0)
	var scratch [chunk]uint64
	for c, v := range keys {
		vals := scratch[:len(at)]
		loadWords(v, at, vals)
		if mayBeNull(v) {
			orNulls(v, at, vals, w0, l.nullBit[c])
		}
		s := l.shift[c]
		for k, x := range vals {
			w0[k] |= x << s
		}
	}
	return false
}

// packWords makes keys of two words, or three, of the rows at.
func (l *keyLayout) packWords(keys []*stream.Vec, at []int32, w0, w1, w2 []uint64) {
	words := [3][]uint64{w0, w1, w2}
	var begun [3]bool
	var scratch [chunk]uint64
	for c, v := range keys {
		s := l.shift[c]
		if !begun[l.word[c]] && s == 0 && !mayBeNull(v) {
			loadWords(v, at, words[l.word[c]])
			begun[l.word[c]] = true
			continue
		}
		vals := scratch[:len(at)]
		loadWords(v, at, vals)
		begin := func(w uint8) []uint64 {
			if !begun[w] {
				clear(words[w])
				begun[w] = true
			}
			return words[w]
		}
		dst := begin(l.word[c])
		if mayBeNull(v) {
			orNulls(v, at, vals, begin(l.nullBit[c]>>6), l.nullBit[c]&63)
		}
		for k, x := range vals {
			dst[k] |= x << s
		}
	}
	for w, ok := range begun {
		if !ok {
			clear(words[w])
		}
	}
}

func mayBeNull(v *stream.Vec) bool { return v.Valid != nil || v.Type.Kind == types.Null }

// orNulls sets bit of dst and clears the value for each NULL row.
func orNulls(v *stream.Vec, at []int32, vals, dst []uint64, bit uint8) {
	for k, i := range at {
		if v.IsNull(int(i)) {
			dst[k] |= 1 << bit
			vals[k] = 0
		}
	}
}

// loadWords writes the bits of rows at into dst, zero-extended; NULL rows give
// anything. NaN gets one form.
func loadWords(v *stream.Vec, at []int32, dst []uint64) {
	if v.Enc == stream.Const {
		var one [1]uint64
		if v.Type.Kind != types.Null {
			w := *v
			w.Enc = stream.Flat
			loadWords(&w, []int32{0}, one[:])
		}
		for k := range dst {
			dst[k] = one[0]
		}
		return
	}
	switch v.Type.Layout() {
	case types.Bits:
		for k, i := range at {
			dst[k] = uint64(v.Data[i>>3]>>(i&7)) & 1
		}
	case types.Int8:
		gather(dst, at, stream.Values[uint8](v))
	case types.Int16:
		gather(dst, at, stream.Values[uint16](v))
	case types.Int32:
		gather(dst, at, stream.Values[uint32](v))
	case types.Int64:
		gather(dst, at, stream.Values[uint64](v))
	case types.Float32:
		vals := stream.Values[float32](v)
		for k, i := range at {
			dst[k] = uint64(bits32(vals[i]))
		}
	case types.Float64:
		vals := stream.Values[float64](v)
		for k, i := range at {
			dst[k] = bits64(vals[i])
		}
	default:
		clear(dst)
	}
}

func gather[T uint8 | uint16 | uint32 | uint64](dst []uint64, at []int32, vals []T) {
	for k, i := range at {
		dst[k] = uint64(vals[i])
	}
}

func bits32(f float32) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(f)
}

func bits64(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}

// rowBuffer holds the row encoding of a chunk: for each column a byte 0 for NULL or
// 1, then the value: fixed-width as it is, text with its length in front. So no two
// different keys have the same bytes.
type rowBuffer struct {
	data []byte
	off  []int32
}

func (r *rowBuffer) encode(keys []*stream.Vec, at []int32) {
	r.data, r.off = r.data[:0], append(r.off[:0], 0)
	for _, i := range at {
		for _, v := range keys {
			r.encodeValue(v, int(i))
		}
		r.off = append(r.off, int32(len(r.data)))
	}
}

func (r *rowBuffer) encodeValue(v *stream.Vec, i int) {
	if v.IsNull(i) {
		r.data = append(r.data, 0)
		return
	}
	r.data = append(r.data, 1)
	if v.Enc == stream.Dict {
		i = int(v.IDs()[i])
		v = v.Dict
	}
	i = v.At(i)
	switch lay := v.Type.Layout(); lay {
	case types.Bytes:
		b := v.Data[v.Off[i]:v.Off[i+1]]
		r.data = binary.LittleEndian.AppendUint32(r.data, uint32(len(b)))
		r.data = append(r.data, b...)
	case types.Bits:
		r.data = append(r.data, v.Data[i>>3]>>(i&7)&1)
	case types.Float32:
		r.data = binary.LittleEndian.AppendUint32(r.data, bits32(stream.Values[float32](v)[i]))
	case types.Float64:
		r.data = binary.LittleEndian.AppendUint64(r.data, bits64(stream.Values[float64](v)[i]))
	default:
		w := lay.Width()
		r.data = append(r.data, v.Data[i*w:i*w+w]...)
	}
}

// Keys writes the keys of groups (nil: 0..n-1) as Flat vectors, one per key column.
func (t *Table) Keys(groups []int32, n int, out []stream.Vec) {
	for c, typ := range t.layout.types {
		out[c].Reset(typ, n)
	}
	switch t.layout.form {
	case noKey:
	case textKey:
		t.textKeys(groups, n, &out[0])
	case rowKey:
		for k := range n {
			t.decodeRow(group(groups, k), k, n, out)
		}
	default:
		for c := range t.layout.types {
			t.wordKeys(c, groups, n, &out[c])
		}
	}
}

func group(groups []int32, k int) int {
	if groups == nil {
		return k
	}
	return int(groups[k])
}

func (t *Table) textKeys(groups []int32, n int, out *stream.Vec) {
	for k := range n {
		g := group(groups, k)
		out.Data = t.appendText(out.Data, g)
		out.Off = append(out.Off, int32(len(out.Data)))
		out.N++
		if int32(g) == t.nullGroup {
			out.SetNull(k, n)
		}
	}
}

func (t *Table) wordKeys(c int, groups []int32, n int, out *stream.Vec) {
	l := &t.layout
	word, shift := int(l.word[c]), l.shift[c]
	nullWord, nullShift, whole := int(l.nullBit[c]>>6), l.nullBit[c]&63, l.nullBit[c] == noNulls
	if l.layouts[c] == types.Bits {
		clear(out.Data)
	}
	for k := range n {
		g := group(groups, k)
		w := t.packed(g)
		null := false
		if l.bare {
			null = int32(g) == t.nullGroup
		} else if !whole {
			null = w[nullWord]>>nullShift&1 != 0
		}
		if null {
			out.SetNull(k, n)
		}
		storeWord(out, k, l.layouts[c], w[word]>>shift)
	}
}

// packed returns the words of key g.
func (t *Table) packed(g int) []uint64 {
	switch t.layout.form {
	case wordKey:
		return unsafe.Slice(t.words.At(g), 1)
	case pairKey:
		return t.pairs.At(g)[:]
	}
	return t.triples.At(g)[:]
}

func storeWord(out *stream.Vec, k int, lay types.Layout, w uint64) {
	switch lay {
	case types.Bits:
		out.Data[k>>3] |= byte(w&1) << (k & 7)
	case types.Int8:
		out.Data[k] = byte(w)
	case types.Int16:
		binary.LittleEndian.PutUint16(out.Data[2*k:], uint16(w))
	case types.Int32, types.Float32:
		binary.LittleEndian.PutUint32(out.Data[4*k:], uint32(w))
	case types.Int64, types.Float64:
		binary.LittleEndian.PutUint64(out.Data[8*k:], w)
	}
}

// decodeRow writes the columns of one row-encoded key at position k.
func (t *Table) decodeRow(g, k, n int, out []stream.Vec) {
	t.row.data = t.appendText(t.row.data[:0], g)
	b := t.row.data
	for c, lay := range t.layout.layouts {
		present := b[0] != 0
		b = b[1:]
		v := &out[c]
		switch {
		case !present && lay == types.Bytes:
			v.AppendBytes(nil)
			v.SetNull(k, n)
		case !present:
			v.SetNull(k, n)
			if lay == types.Bits {
				v.SetBool(k, false)
			} else {
				w := lay.Width()
				clear(v.Data[k*w : k*w+w])
			}
		case lay == types.Bytes:
			size := binary.LittleEndian.Uint32(b)
			v.AppendBytes(b[4 : 4+size])
			b = b[4+size:]
		case lay == types.Bits:
			v.SetBool(k, b[0] != 0)
			b = b[1:]
		default:
			w := lay.Width()
			copy(v.Data[k*w:k*w+w], b[:w])
			b = b[w:]
		}
	}
}
