package udf

import (
	"reflect"
	"time"

	"streamsql/expr/govalue"
	"streamsql/stream"
	"streamsql/types"
)

// slot says how one argument or result passes between vectors and Go.
type slot struct {
	sql     types.Type   // nullable
	goType  reflect.Type // of the value, without the pointer
	pointer bool         // *T: nil is NULL
	set     func(dst reflect.Value, v *stream.Vec, i int)
	put     func(out *stream.Vec, i int, x reflect.Value) // fixed width
	bytes   func(dst []byte, x reflect.Value) []byte      // texts, bytes and nested values
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	errorType    = reflect.TypeFor[error]()
)

// newSlot returns the slot of a Go type; ok is false if SQL has none for it.
func newSlot(t reflect.Type) (s slot, ok bool) {
	if s.pointer = t.Kind() == reflect.Pointer; s.pointer {
		t = t.Elem()
	}
	s.goType = t
	switch {
	case t == timeType:
		s.sql = types.NewTimestamp(3)
		s.set = func(dst reflect.Value, v *stream.Vec, i int) {
			dst.Set(reflect.ValueOf(time.UnixMilli(stream.Values[int64](v)[v.At(i)]).UTC()))
		}
		s.put = func(out *stream.Vec, i int, x reflect.Value) {
			stream.Values[int64](out)[i] = x.Interface().(time.Time).UnixMilli()
		}
		return s, true
	case t == durationType:
		s.sql = types.Of(types.IntervalDay)
		s.set = func(dst reflect.Value, v *stream.Vec, i int) {
			dst.SetInt(stream.Values[int64](v)[v.At(i)] * int64(time.Millisecond))
		}
		s.put = func(out *stream.Vec, i int, x reflect.Value) {
			stream.Values[int64](out)[i] = x.Int() / int64(time.Millisecond)
		}
		return s, true
	}
	switch t.Kind() {
	case reflect.Bool:
		s.sql = types.Of(types.Boolean)
		s.set = func(dst reflect.Value, v *stream.Vec, i int) { dst.SetBool(v.Bool(i)) }
		s.put = func(out *stream.Vec, i int, x reflect.Value) { out.SetBool(i, x.Bool()) }
	case reflect.Int8:
		integerSlot[int8](&s, types.TinyInt)
	case reflect.Int16:
		integerSlot[int16](&s, types.SmallInt)
	case reflect.Int32:
		integerSlot[int32](&s, types.Int)
	case reflect.Int64, reflect.Int:
		integerSlot[int64](&s, types.BigInt)
	case reflect.Float32:
		floatSlot[float32](&s, types.Float)
	case reflect.Float64:
		floatSlot[float64](&s, types.Double)
	case reflect.String:
		s.sql = types.Of(types.Varchar)
		s.set = func(dst reflect.Value, v *stream.Vec, i int) { dst.SetString(string(v.Bytes(i))) }
		s.bytes = func(dst []byte, x reflect.Value) []byte { return append(dst, x.String()...) }
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return nestedSlot(s)
		}
		s.sql = types.Of(types.Varbinary)
		s.set = func(dst reflect.Value, v *stream.Vec, i int) { dst.SetBytes(append([]byte{}, v.Bytes(i)...)) }
		s.bytes = func(dst []byte, x reflect.Value) []byte { return append(dst, x.Bytes()...) }
	default:
		return nestedSlot(s)
	}
	return s, true
}

// nestedSlot completes the slot of a slice, map or struct: ARRAY, MAP or ROW. As in
// structs for rows, a part that is NULL is the zero value unless it is a pointer, and a nil
// slice or map has no elements.
func nestedSlot(s slot) (slot, bool) {
	t, ok := govalue.TypeOf(s.goType)
	if !ok {
		return s, false
	}
	s.sql = t
	set := govalue.Setter(s.goType, t)
	if set == nil {
		return s, false
	}
	s.set = func(dst reflect.Value, v *stream.Vec, i int) { set(v, i, dst) }
	s.bytes = func(dst []byte, x reflect.Value) []byte { return govalue.Append(dst, t, x) }
	return s, true
}

func integerSlot[T int8 | int16 | int32 | int64](s *slot, k types.Kind) {
	s.sql = types.Of(k)
	s.set = func(dst reflect.Value, v *stream.Vec, i int) { dst.SetInt(int64(stream.Values[T](v)[v.At(i)])) }
	s.put = func(out *stream.Vec, i int, x reflect.Value) { stream.Values[T](out)[i] = T(x.Int()) }
}

func floatSlot[T float32 | float64](s *slot, k types.Kind) {
	s.sql = types.Of(k)
	s.set = func(dst reflect.Value, v *stream.Vec, i int) { dst.SetFloat(float64(stream.Values[T](v)[v.At(i)])) }
	s.put = func(out *stream.Vec, i int, x reflect.Value) { stream.Values[T](out)[i] = T(x.Float()) }
}

// read makes the Go value of row i: a nil pointer for NULL. scratch is a settable value
// that is used again for each row, where no pointer to it is handed out.
func (s *slot) read(v *stream.Vec, i int, scratch reflect.Value) reflect.Value {
	if !s.pointer {
		s.set(scratch, v, i)
		return scratch
	}
	if v.IsNull(i) {
		return reflect.Zero(reflect.PointerTo(s.goType))
	}
	p := reflect.New(s.goType)
	s.set(p.Elem(), v, i)
	return p
}

// write stores x as row i of n; a text is appended and closed.
func (s *slot) write(out *stream.Vec, i, n int, x reflect.Value) {
	null := false
	if s.pointer {
		if null = x.IsNil(); !null {
			x = x.Elem()
		}
	}
	switch {
	case null:
		s.null(out, i, n)
	case s.bytes != nil:
		out.Data = s.bytes(out.Data, x)
		closeText(out)
	default:
		s.put(out, i, x)
	}
}

func (s *slot) null(out *stream.Vec, i, n int) {
	out.SetNull(i, n)
	if s.bytes != nil {
		closeText(out)
	}
}

func closeText(out *stream.Vec) {
	out.Off = append(out.Off, int32(len(out.Data)))
	out.N++
}
