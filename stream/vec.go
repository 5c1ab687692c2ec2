package stream

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"streamsql/types"
)

// Encoding says how a vector's values lie.
type Encoding uint8

// The encodings.
const (
	Flat  Encoding = iota // value i at position i
	Const                 // one stored value (position 0) stands for all rows
	Dict                  // Data holds int32 ids into Dict; NULL by Valid of the outer vector
)

// Slack is the number of bytes behind the end of every buffer that may be read
// (never used), so that word-wise loops need no tail.
const Slack = 32

// Vec is one column of a batch, in Arrow's memory layout (little endian).
//
// Which accessor fits follows from Type.Layout: Bits uses Data as a bitmap,
// fixed widths use Data through Values, Bytes uses Off (N+1 offsets) and Data.
// The zero Vec is an empty vector of the NULL type.
//
// A source may deliver text and bytes columns in Dict encoding. It promises:
//   - The dictionary is Flat, of the column's type, without NULLs; its values need not
//     differ from each other, unless it is Distinct. Ids under NULLs are inside it, too.
//   - What an id stands for never changes: a dictionary only gets longer, and the
//     bytes of its values stay where they are. So a batch that is kept (Take) stays
//     valid.
//   - The same *Vec is the same dictionary. A longer one may be the same *Vec only if
//     nobody reads in another goroutine meanwhile; otherwise it is a new *Vec of the
//     same Series, whose buffers may be shared.
//   - A fresh dictionary, at any batch, is a new *Vec with no Series or a new one, in
//     new buffers; the old one is never written again.
//
// So a consumer may keep what it found out about an id while Extends holds.
type Vec struct {
	Type     types.Type
	Enc      Encoding
	Distinct bool     // of a dictionary: no two values are equal
	N        int      // stored values: rows for Flat and Dict, 1 for Const
	Valid    []uint64 // bit i set: value i is not NULL; nil: none is NULL. Bits at and behind N are undefined
	Data     []byte
	Off      []int32
	Dict     *Vec // Dict encoding only: the dictionary
	// Series is set in a dictionary that is replaced by longer ones: all of one series
	// give an id the same value. 0: none
	Series uint64
	own    []uint64 // validity words that belong to this vector; they outlive Reset
}

// Fixed is the set of Go types that fixed-width layouts store.
type Fixed interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | types.Num128
}

// Values returns the stored values of a fixed-width vector as a slice over its
// buffer. T must have the width of the vector's layout.
func Values[T Fixed](v *Vec) []T {
	if v.N == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v.Data))), v.N)
}

// IDs returns the dictionary ids of a Dict vector.
func (v *Vec) IDs() []int32 {
	if v.N == 0 {
		return nil
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(v.Data))), v.N)
}

// Extends reports whether the ids of old, which may be nil, mean the same in
// dictionary v.
func (v *Vec) Extends(old *Vec) bool {
	return v == old || old != nil && v.Series != 0 && v.Series == old.Series
}

// NewSeries returns a number for Vec.Series that no other dictionary has.
func NewSeries() uint64 { return series.Add(1) }

var series atomic.Uint64

// At returns the position of row i's value among the stored values of a Flat or
// Const vector.
func (v *Vec) At(i int) int {
	if v.Enc == Const {
		return 0
	}
	return i
}

// IsNull reports whether row i is NULL, in any encoding.
func (v *Vec) IsNull(i int) bool {
	i = v.At(i)
	if v.Type.Kind == types.Null {
		return true
	}
	return v.Valid != nil && v.Valid[i>>6]&(1<<(i&63)) == 0
}

// Bool returns row i of a BOOLEAN vector; undefined if the row is NULL.
func (v *Vec) Bool(i int) bool {
	i = v.At(i)
	return v.Data[i>>3]&(1<<(i&7)) != 0
}

// Bytes returns row i of a text or bytes vector, in any encoding, without
// copying; undefined if the row is NULL.
func (v *Vec) Bytes(i int) []byte {
	if v.Enc == Dict {
		id := v.IDs()[i]
		v = v.Dict
		return v.Data[v.Off[id]:v.Off[id+1]]
	}
	i = v.At(i)
	return v.Data[v.Off[i]:v.Off[i+1]]
}

// Reset makes v a Flat vector of type t with n rows, none NULL. Memory is reused;
// fixed-width and bit contents are undefined until written; Bytes vectors start
// with no data and only Off[0] set: append rows in order with AppendBytes.
func (v *Vec) Reset(t types.Type, n int) {
	if v.N == n && v.Enc == Flat && v.Valid == nil && v.Off == nil && v.Type == t && cap(v.Data)-len(v.Data) >= Slack {
		return // it is like that already, as with batches of one row each
	}
	v.Type, v.Enc, v.N, v.Valid, v.Dict, v.Series, v.Distinct = t, Flat, n, nil, nil, 0, false
	switch l := t.Layout(); l {
	case types.Bytes:
		v.N = 0
		if cap(v.Off) < n+1 {
			v.Off = make([]int32, 0, roundUp(n+1))
		}
		v.Off = append(v.Off[:0], 0)
		v.Data = v.Data[:0]
	case types.Bits:
		v.Data = grown(v.Data, (n+63)/64*8)
	default:
		v.Data = grown(v.Data, n*l.Width())
	}
}

// ResetConst makes v a Const vector of type t; the single stored value (N = 1)
// must be written like that of a Flat vector with one row.
func (v *Vec) ResetConst(t types.Type) {
	v.Reset(t, 1)
	v.Enc = Const
}

// AppendBytes appends one value to a Bytes vector after Reset.
func (v *Vec) AppendBytes(b []byte) {
	v.Data = append(v.Data, b...)
	v.Off = append(v.Off, int32(len(v.Data)))
	v.N++
}

// AppendString is AppendBytes for a string.
func (v *Vec) AppendString(s string) {
	v.Data = append(v.Data, s...)
	v.Off = append(v.Off, int32(len(v.Data)))
	v.N++
}

// SetBool sets row i of a Flat BOOLEAN vector.
func (v *Vec) SetBool(i int, b bool) {
	if b {
		v.Data[i>>3] |= 1 << (i & 7)
	} else {
		v.Data[i>>3] &^= 1 << (i & 7)
	}
}

// SetNull marks stored value i as NULL. n is the number of rows the vector has
// or will have; the validity words are made on first use.
func (v *Vec) SetNull(i, n int) {
	if v.Valid == nil {
		v.own = AllValid(v.own, n)
		v.Valid = v.own
	}
	v.Valid[i>>6] &^= 1 << (i & 63)
}

// OwnValid points Valid to memory of the vector's own for n rows, reused over
// Resets, and returns it; its contents are undefined. Whoever fills Valid in
// words takes it from here, so that moving the vector moves the words too.
func (v *Vec) OwnValid(n int) []uint64 {
	if words := (n + 63) / 64; cap(v.own) < words {
		v.own = make([]uint64, words)
	} else {
		v.own = v.own[:words]
	}
	v.Valid = v.own
	return v.own
}

// Words returns the bitmap of a Flat BOOLEAN vector as 64-bit words.
func (v *Vec) Words() []uint64 {
	n := (v.N + 63) / 64
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v.Data))), n)
}

// Value returns row i as a single value, in any encoding. Cold paths only.
func (v *Vec) Value(i int) types.Value {
	if v.IsNull(i) {
		return types.NullValue
	}
	if v.Enc == Dict {
		return v.Dict.Value(int(v.IDs()[i]))
	}
	i = v.At(i)
	switch v.Type.Layout() {
	case types.Bits:
		return types.BoolValue(v.Bool(i))
	case types.Int8:
		return types.IntValue(int64(Values[int8](v)[i]))
	case types.Int16:
		return types.IntValue(int64(Values[int16](v)[i]))
	case types.Int32:
		return types.IntValue(int64(Values[int32](v)[i]))
	case types.Int64:
		return types.IntValue(Values[int64](v)[i])
	case types.Float32:
		return types.FloatValue(float64(Values[float32](v)[i]))
	case types.Float64:
		return types.FloatValue(Values[float64](v)[i])
	case types.Int128:
		return types.Value{D: Values[types.Num128](v)[i]}
	case types.Bytes:
		return types.TextValue(string(v.Bytes(i)))
	}
	return types.NullValue
}

// SetConst makes v a Const vector of type t that holds x.
func (v *Vec) SetConst(t types.Type, x types.Value) {
	v.ResetConst(t)
	v.Put(0, 1, x)
}

// Put writes x as row i of a Flat or Const vector with n rows after Reset. Bytes
// vectors must be filled in row order. Cold paths only.
func (v *Vec) Put(i, n int, x types.Value) {
	l := v.Type.Layout()
	if x.Null {
		if l == types.Bytes {
			v.AppendBytes(nil)
		}
		v.SetNull(i, n)
		return
	}
	switch l {
	case types.Bits:
		v.SetBool(i, x.I != 0)
	case types.Int8:
		Values[int8](v)[i] = int8(x.I)
	case types.Int16:
		Values[int16](v)[i] = int16(x.I)
	case types.Int32:
		Values[int32](v)[i] = int32(x.I)
	case types.Int64:
		Values[int64](v)[i] = x.I
	case types.Float32:
		Values[float32](v)[i] = float32(x.F)
	case types.Float64:
		Values[float64](v)[i] = x.F
	case types.Int128:
		Values[types.Num128](v)[i] = x.D
	case types.Bytes:
		v.AppendString(x.S)
	}
}

// AllValid returns words with at least n bits set, reusing buf.
func AllValid(buf []uint64, n int) []uint64 {
	words := (n + 63) / 64
	if cap(buf) < words {
		buf = make([]uint64, words)
	}
	buf = buf[:words]
	for i := range buf {
		buf[i] = ^uint64(0)
	}
	return buf
}

// CountNulls returns the number of NULLs among the first n rows.
func (v *Vec) CountNulls(n int) int {
	if v.Type.Kind == types.Null {
		return n
	}
	if v.Valid == nil {
		return 0
	}
	if v.Enc == Const {
		if v.IsNull(0) {
			return n
		}
		return 0
	}
	nulls := n
	for i := 0; i < n>>6; i++ {
		nulls -= bits.OnesCount64(v.Valid[i])
	}
	if rest := n & 63; rest > 0 {
		nulls -= bits.OnesCount64(v.Valid[n>>6] & (1<<rest - 1))
	}
	return nulls
}

// grown returns a buffer of n bytes whose start is 8-byte aligned (16 for larger
// classes as the runtime gives) and which has Slack readable bytes behind.
func grown(b []byte, n int) []byte {
	if cap(b) >= n+Slack {
		return b[:n]
	}
	words := make([]uint64, (roundUp(n+Slack)+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)[:n]
}

func roundUp(n int) int {
	if n <= 64 {
		return 64
	}
	return 1 << bits.Len(uint(n-1))
}
