package govalue

import (
	"reflect"
	"time"

	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// Setter returns how a value of SQL type t goes into a Go type, or nil if it does
// not fit without loss.
func Setter(base reflect.Type, t types.Type) func(*stream.Vec, int, reflect.Value) {
	if t.IsNested() {
		set := nestedSetter(base, t)
		if set == nil {
			return nil
		}
		return func(v *stream.Vec, row int, dst reflect.Value) { set(v.Raw(row), dst) }
	}
	switch {
	case base == timeType && (t.IsTimestamp() || t.Kind == types.Date):
		return setTime(t)
	case base == reflect.TypeFor[time.Duration]() && (t.Kind == types.IntervalDay || t.Kind == types.Time):
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.SetInt(v.Value(row).I * int64(time.Millisecond))
		}
	case base.Kind() == reflect.String && t.IsText():
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetString(string(v.Bytes(row))) }
	case base.Kind() == reflect.String && t.Kind == types.Variant:
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.SetString(string(types.AppendVariantJSON(nil, v.Bytes(row))))
		}
	case base == reflect.TypeFor[[]byte]() && t.Kind == types.Variant:
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.SetBytes(types.AppendVariantJSON(nil, v.Bytes(row)))
		}
	case base.Kind() == reflect.String && t.Kind == types.Decimal:
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.SetString(string(builtin.AppendText(nil, v, row, nil)))
		}
	case base == reflect.TypeFor[[]byte]() && (t.IsBytes() || t.IsText() || t.Kind == types.Bitmap):
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetBytes(append([]byte{}, v.Bytes(row)...)) }
	case base.Kind() == reflect.Bool && t.Kind == types.Boolean:
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetBool(v.Bool(row)) }
	case (base.Kind() == reflect.Float64 || base.Kind() == reflect.Float32 && t.Kind == types.Float) && t.IsApproximate():
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetFloat(v.Value(row).F) }
	case base.Kind() >= reflect.Int && base.Kind() <= reflect.Int64 && base != reflect.TypeFor[time.Duration]() &&
		t.IsInteger() && base.Size() >= uintptr(t.Layout().Width()):
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetInt(v.Value(row).I) }
	}
	return nil
}

func setTime(t types.Type) func(*stream.Vec, int, reflect.Value) {
	if t.Kind == types.Date {
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.Set(reflect.ValueOf(time.Unix(v.Value(row).I*86400, 0).UTC()))
		}
	}
	unit := t.TimeUnit()
	return func(v *stream.Vec, row int, dst reflect.Value) {
		x := v.Value(row).I
		sec := x / unit
		if x%unit < 0 {
			sec--
		}
		dst.Set(reflect.ValueOf(time.Unix(sec, (x-sec*unit)*(1e9/unit)).UTC()))
	}
}

// partSetter stores a part of a nested value, given by its raw bytes.
type partSetter func(raw []byte, dst reflect.Value)

// anyType is that of values whose Go type follows from their SQL type.
var anyType = reflect.TypeFor[any]()

// nestedSetter returns how values of a nested type go into a Go type, or nil if they do
// not fit: ARRAY into slices, MAP and MULTISET (as counts) into maps, ROW into structs
// by the rules for columns, and all of them into any.
func nestedSetter(base reflect.Type, t types.Type) partSetter {
	if base == anyType {
		natural := naturalType(t)
		set := nestedSetter(natural, t)
		if set == nil {
			return nil
		}
		return func(raw []byte, dst reflect.Value) {
			v := reflect.New(natural).Elem()
			set(raw, v)
			dst.Set(v)
		}
	}
	switch {
	case t.Kind == types.Array && base.Kind() == reflect.Slice:
		return arraySetter(base, t)
	case (t.Kind == types.Map || t.Kind == types.Multiset) && base.Kind() == reflect.Map:
		return mapSetter(base, t)
	case t.Kind == types.Row && base.Kind() == reflect.Struct:
		return structSetter(base, t)
	case t.Kind == types.Row && base == reflect.TypeFor[map[string]any]():
		return fieldsSetter(t)
	case t.IsNested():
		return nil
	}
	set := Setter(base, t)
	if set == nil {
		return nil
	}
	return func(raw []byte, dst reflect.Value) {
		var one stream.Vec
		one.ResetConst(t)
		one.PutRaw(0, raw)
		set(&one, 0, dst)
	}
}

// naturalType is the Go type that a value takes in any.
func naturalType(t types.Type) reflect.Type {
	switch t.Kind {
	case types.Array:
		return reflect.TypeFor[[]any]()
	case types.Row:
		return reflect.TypeFor[map[string]any]()
	case types.Map, types.Multiset:
		if key, _ := t.Entry(); key.IsText() {
			return reflect.TypeFor[map[string]any]()
		}
		return reflect.TypeFor[map[any]any]()
	case types.Boolean:
		return reflect.TypeFor[bool]()
	case types.Float:
		return reflect.TypeFor[float32]()
	case types.Double:
		return reflect.TypeFor[float64]()
	case types.Date, types.Timestamp, types.TimestampLTZ:
		return timeType
	case types.Time, types.IntervalDay:
		return reflect.TypeFor[time.Duration]()
	case types.Binary, types.Varbinary, types.Bitmap:
		return reflect.TypeFor[[]byte]()
	}
	if t.IsInteger() {
		return reflect.TypeFor[int64]()
	}
	return reflect.TypeFor[string]()
}

// partOf returns how a part goes into a Go type, of which a pointer takes NULL as nil.
func partOf(base reflect.Type, t types.Type) func(null bool, raw func() []byte, dst reflect.Value) {
	pointer := base.Kind() == reflect.Pointer
	if pointer {
		base = base.Elem()
	}
	set := nestedSetter(base, t)
	if set == nil {
		return nil
	}
	return func(null bool, raw func() []byte, dst reflect.Value) {
		switch {
		case null:
			dst.SetZero()
			return
		case pointer:
			dst.Set(reflect.New(base))
			dst = dst.Elem()
		}
		set(raw(), dst)
	}
}

func arraySetter(base reflect.Type, t types.Type) partSetter {
	set := partOf(base.Elem(), t.Elem())
	if set == nil {
		return nil
	}
	return func(raw []byte, dst reflect.Value) {
		a := types.ReadArray(t, raw)
		s := reflect.MakeSlice(base, a.Len(), a.Len())
		for i := range a.Len() {
			set(a.IsNull(i), func() []byte { return a.Raw(i) }, s.Index(i))
		}
		dst.Set(s)
	}
}

func mapSetter(base reflect.Type, t types.Type) partSetter {
	key, value := t.Entry()
	if k := naturalType(key).Kind(); base.Key() == anyType && (k == reflect.Slice || k == reflect.Map) {
		return nil // these cannot be keys in Go
	}
	setKey, setValue := partOf(base.Key(), key), partOf(base.Elem(), value)
	if setKey == nil || setValue == nil || base.Key().Kind() == reflect.Pointer {
		return nil
	}
	return func(raw []byte, dst reflect.Value) {
		m := types.ReadMap(t, raw)
		out := reflect.MakeMapWithSize(base, m.Len())
		for i := range m.Len() {
			k, v := reflect.New(base.Key()).Elem(), reflect.New(base.Elem()).Elem()
			setKey(m.Keys.IsNull(i), func() []byte { return m.Keys.Raw(i) }, k)
			setValue(m.Values.IsNull(i), func() []byte { return m.Values.Raw(i) }, v)
			out.SetMapIndex(k, v)
		}
		dst.Set(out)
	}
}

func structSetter(base reflect.Type, t types.Type) partSetter {
	known := Fields(base)
	type target struct {
		field []int
		set   func(null bool, raw func() []byte, dst reflect.Value)
	}
	var targets []target
	for _, f := range t.Fields() {
		sf, ok := FindField(known, f.Name)
		if !ok {
			return nil
		}
		set := partOf(sf.Type, f.Type)
		if set == nil {
			return nil
		}
		targets = append(targets, target{sf.Index, set})
	}
	return func(raw []byte, dst reflect.Value) {
		r := types.ReadRow(t, raw)
		for i, f := range targets {
			f.set(r.IsNull(i), func() []byte { return r.Raw(i) }, dst.FieldByIndex(f.field))
		}
	}
}

func fieldsSetter(t types.Type) partSetter {
	var sets []partSetter
	for _, f := range t.Fields() {
		set := nestedSetter(anyType, f.Type)
		if set == nil {
			return nil
		}
		sets = append(sets, set)
	}
	return func(raw []byte, dst reflect.Value) {
		r := types.ReadRow(t, raw)
		out := make(map[string]any, len(sets))
		for i, set := range sets {
			var v any
			if !r.IsNull(i) {
				set(r.Raw(i), reflect.ValueOf(&v).Elem())
			}
			out[t.Fields()[i].Name] = v
		}
		dst.Set(reflect.ValueOf(out))
	}
}
