package streamsql

import (
	"reflect"
	"time"
	"unsafe"

	"streamsql/expr/govalue"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// accessor reads one field of structs in a slice: all that reflection has to say about
// the field is looked up once per type. The loops below are picked by a switch instead
// of being kept as functions, so that the rows need not move to the heap.
type accessor struct {
	column  types.Type
	form    fieldForm
	offset  uintptr // in the struct, those of embedded structs included
	pointer bool    // the field points to the value; nil is NULL
	goType  reflect.Type
}

// fieldForm is how a field's value lies in memory.
type fieldForm uint8

const (
	inBool fieldForm = iota
	inInt8
	inInt16
	inInt32
	inInt64
	inInt // of the machine's size
	inFloat32
	inFloat64
	inString
	inBytes
	inTime
	inDuration
	inNested // a slice, map or struct: see goType
)

// newAccessor returns the accessor of a field; its type must be one that
// govalue.TypeOf knows.
func newAccessor(t reflect.Type, f govalue.Field, column types.Type) (accessor, error) {
	a := accessor{column: column}
	for i, x := range f.Index {
		if t.Kind() == reflect.Pointer {
			return a, diag.New(diag.TypeMismatch, diag.Span{}, "field %q lies in an embedded pointer to %s", f.Column, t.Elem()).
				WithHint("embed the struct itself, or leave the field out with the tag `sql:\"-\"`")
		}
		sf := t.Field(x)
		a.offset += sf.Offset
		if t = sf.Type; i == len(f.Index)-1 && t.Kind() == reflect.Pointer {
			a.pointer, t = true, t.Elem()
		}
	}
	a.goType = t
	switch {
	case column.IsNested():
		a.form = inNested
		return a, nil
	case t == timeType:
		a.form = inTime
		return a, nil
	case t == reflect.TypeFor[time.Duration]():
		a.form = inDuration
		return a, nil
	}
	a.form = map[reflect.Kind]fieldForm{
		reflect.Bool: inBool, reflect.Int8: inInt8, reflect.Int16: inInt16, reflect.Int32: inInt32, reflect.Int64: inInt64, reflect.Int: inInt,
		reflect.Float32: inFloat32, reflect.Float64: inFloat64, reflect.String: inString, reflect.Slice: inBytes,
	}[t.Kind()]
	return a, nil
}

// field returns where the field of row i lies, nil for NULL.
func (a *accessor) field(rows unsafe.Pointer, i int, size uintptr) unsafe.Pointer {
	p := unsafe.Add(rows, uintptr(i)*size+a.offset)
	if a.pointer {
		return *(*unsafe.Pointer)(p)
	}
	return p
}

// fill makes v the column of the n rows, which are structs of size bytes; fields with
// parts are for nested.
func (a *accessor) fill(v *stream.Vec, rows unsafe.Pointer, n int, size uintptr) {
	v.Reset(a.column, n)
	switch a.form {
	case inBool:
		a.bools(v, rows, n, size)
	case inInt8:
		numbers[int8, int8](a, v, rows, n, size)
	case inInt16:
		numbers[int16, int16](a, v, rows, n, size)
	case inInt32:
		numbers[int32, int32](a, v, rows, n, size)
	case inInt64:
		numbers[int64, int64](a, v, rows, n, size)
	case inInt:
		numbers[int64, int](a, v, rows, n, size)
	case inFloat32:
		numbers[float32, float32](a, v, rows, n, size)
	case inFloat64:
		numbers[float64, float64](a, v, rows, n, size)
	case inString:
		for i := range n {
			if p := a.field(rows, i, size); p != nil {
				v.AppendString(*(*string)(p))
			} else {
				v.AppendBytes(nil)
				v.SetNull(i, n)
			}
		}
	case inBytes:
		for i := range n {
			if p := a.field(rows, i, size); p != nil {
				v.AppendBytes(*(*[]byte)(p))
			} else {
				v.AppendBytes(nil)
				v.SetNull(i, n)
			}
		}
	case inTime, inDuration:
		a.times(v, rows, n, size)
	}
}

// nested is fill for slices, maps and structs. It stands apart because reflection moves
// the rows to the heap.
func (a *accessor) nested(v *stream.Vec, rows unsafe.Pointer, n int, size uintptr) {
	v.Reset(a.column, n)
	var raw []byte
	for i := range n {
		p := a.field(rows, i, size)
		if p == nil {
			v.AppendBytes(nil)
			v.SetNull(i, n)
			continue
		}
		raw = govalue.Append(raw[:0], a.column, reflect.NewAt(a.goType, p).Elem())
		v.AppendBytes(raw)
	}
}

// numbers fills a column of D from fields of S.
func numbers[D, S int8 | int16 | int32 | int64 | int | float32 | float64](a *accessor, v *stream.Vec, rows unsafe.Pointer, n int, size uintptr) {
	if n == 0 {
		return
	}
	dst := unsafe.Slice((*D)(unsafe.Pointer(unsafe.SliceData(v.Data))), n)
	for i := range dst {
		if p := a.field(rows, i, size); p != nil {
			dst[i] = D(*(*S)(p))
		} else {
			v.SetNull(i, n)
		}
	}
}

func (a *accessor) bools(v *stream.Vec, rows unsafe.Pointer, n int, size uintptr) {
	for i := range n {
		if p := a.field(rows, i, size); p != nil {
			v.SetBool(i, *(*bool)(p))
		} else {
			v.SetNull(i, n)
		}
	}
}

func (a *accessor) times(v *stream.Vec, rows unsafe.Pointer, n int, size uintptr) {
	dst := stream.Values[int64](v)
	for i := range dst {
		switch p := a.field(rows, i, size); {
		case p == nil:
			v.SetNull(i, n)
		case a.form == inTime:
			dst[i] = (*time.Time)(p).UnixMilli()
		default:
			dst[i] = int64(*(*time.Duration)(p) / time.Millisecond)
		}
	}
}
