package types

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// ArrayValue reads an encoded ARRAY, or the keys or values of a MAP. It refers to the
// bytes it was made of.
type ArrayValue struct {
	elem  Type
	width int // of an element; -1: see ends
	n     int
	nulls []byte // bit i set: element i is NULL; nil: none is
	ends  []byte // variable width: where each element ends in data, 4 bytes each
	data  []byte
}

// ReadArray returns a reader of an encoded value of the ARRAY type t.
func ReadArray(t Type, b []byte) ArrayValue { return readElements(t.parts.elem, b) }

func readElements(elem Type, b []byte) ArrayValue {
	head := binary.LittleEndian.Uint32(b)
	a := ArrayValue{elem: elem, width: elemWidth(elem), n: int(head >> 1)}
	b = b[4:]
	if head&1 != 0 {
		size := (a.n + 7) / 8
		a.nulls, b = b[:size], b[size:]
	}
	if a.width < 0 {
		a.ends, b = b[:4*a.n], b[4*a.n:]
	}
	a.data = b
	return a
}

// Len returns the number of elements.
func (a *ArrayValue) Len() int { return a.n }

// Elem returns the type of the elements.
func (a *ArrayValue) Elem() Type { return a.elem }

// IsNull reports whether element i is NULL.
func (a *ArrayValue) IsNull(i int) bool {
	return a.nulls != nil && a.nulls[i>>3]>>(i&7)&1 != 0
}

// HasNull reports whether there is a NULL among the elements.
func (a *ArrayValue) HasNull() bool { return a.nulls != nil }

// Raw returns the bytes of element i, which is not NULL: see the package's
// documentation.
func (a *ArrayValue) Raw(i int) []byte {
	if a.width >= 0 {
		return a.data[i*a.width : (i+1)*a.width]
	}
	lo := 0
	if i > 0 {
		lo = int(binary.LittleEndian.Uint32(a.ends[4*i-4:]))
	}
	return a.data[lo:binary.LittleEndian.Uint32(a.ends[4*i:])]
}

// Value returns element i. Cold paths only.
func (a *ArrayValue) Value(i int) Value {
	if a.IsNull(i) {
		return NullValue
	}
	return RawValue(a.elem, a.Raw(i))
}

// MapValue reads an encoded MAP, or a MULTISET as the map of its elements to their
// counts (INT NOT NULL). Entries stand in the order in which they were put.
type MapValue struct{ Keys, Values ArrayValue }

// ReadMap returns a reader of an encoded value of the MAP or MULTISET type t.
func ReadMap(t Type, b []byte) MapValue {
	size := binary.LittleEndian.Uint32(b)
	return MapValue{Keys: readElements(t.parts.key, b[4:4+size]), Values: readElements(t.parts.elem, b[4+size:])}
}

// Len returns the number of entries.
func (m *MapValue) Len() int { return m.Keys.n }

// Find returns the place of the last entry with a key of that key form (see
// AppendKey), -1 if there is none. null looks for the NULL key. buf is memory for it.
func (m *MapValue) Find(key []byte, null bool, buf *[]byte) int {
	for i := m.Keys.n - 1; i >= 0; i-- {
		switch {
		case m.Keys.IsNull(i) != null:
		case null:
			return i
		case m.Keys.elem.Plain():
			if string(m.Keys.Raw(i)) == string(key) {
				return i
			}
		default:
			if *buf = AppendKey((*buf)[:0], m.Keys.elem, m.Keys.Raw(i)); string(*buf) == string(key) {
				return i
			}
		}
	}
	return -1
}

// RowValue reads an encoded ROW.
type RowValue struct {
	parts *parts
	b     []byte
}

// ReadRow returns a reader of an encoded value of the ROW type t.
func ReadRow(t Type, b []byte) RowValue { return RowValue{t.parts, b} }

// Len returns the number of fields.
func (r RowValue) Len() int { return len(r.parts.fields) }

// IsNull reports whether field i is NULL.
func (r RowValue) IsNull(i int) bool { return r.b[i>>3]>>(i&7)&1 != 0 }

// Raw returns the bytes of field i, which is not NULL: see the package's
// documentation.
func (r RowValue) Raw(i int) []byte {
	at := r.parts.offsets[i]
	if w := elemWidth(r.parts.fields[i].Type); w >= 0 {
		return r.b[at : at+w]
	}
	// The data of a field begins where that of the last one of variable width ends.
	lo := r.parts.fixed
	for k := i - 1; k >= 0; k-- {
		if elemWidth(r.parts.fields[k].Type) < 0 {
			lo = int(binary.LittleEndian.Uint32(r.b[r.parts.offsets[k]:]))
			break
		}
	}
	return r.b[lo:binary.LittleEndian.Uint32(r.b[at:])]
}

// RawInt returns the raw bytes of a BOOLEAN, integer, DECIMAL of up to 18 digits,
// temporal type or interval as the number in which a Value holds it.
func RawInt(t Type, raw []byte) int64 {
	switch t.Layout() {
	case Bits:
		return int64(raw[0])
	case Int8:
		return int64(int8(raw[0]))
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(raw)))
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(raw)))
	}
	return int64(binary.LittleEndian.Uint64(raw))
}

// RawFloat returns the raw bytes of a FLOAT or DOUBLE as a number.
func RawFloat(t Type, raw []byte) float64 {
	if t.Kind == Float {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(raw))
}

// RawDecimal returns the raw bytes of a DECIMAL of more than 18 digits.
func RawDecimal(raw []byte) Num128 {
	return decimal128.New(int64(binary.LittleEndian.Uint64(raw[8:])), binary.LittleEndian.Uint64(raw))
}

// RawValue returns the value of type t that has these raw bytes.
func RawValue(t Type, raw []byte) Value {
	switch t.Layout() {
	case NoLayout:
		return NullValue
	case Float32, Float64:
		return FloatValue(RawFloat(t, raw))
	case Int128:
		return Value{D: RawDecimal(raw)}
	case Bytes:
		return TextValue(string(raw))
	}
	return IntValue(RawInt(t, raw))
}

// AppendRaw appends the raw bytes of v, a value of type t that is not NULL.
func AppendRaw(dst []byte, t Type, v Value) []byte {
	switch t.Layout() {
	case Bits, Int8:
		return append(dst, byte(v.I))
	case Int16:
		return binary.LittleEndian.AppendUint16(dst, uint16(v.I))
	case Int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(v.I))
	case Int64:
		return binary.LittleEndian.AppendUint64(dst, uint64(v.I))
	case Float32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v.F)))
	case Float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.F))
	case Int128:
		dst = binary.LittleEndian.AppendUint64(dst, v.D.LowBits())
		return binary.LittleEndian.AppendUint64(dst, uint64(v.D.HighBits()))
	case Bytes:
		return append(dst, v.S...)
	}
	return dst
}
