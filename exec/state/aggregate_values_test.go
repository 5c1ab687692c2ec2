package state

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/types"
	"streamsql/types/bitmap"
)

// show is a value as text: a NULL is NULL, entries of a map are sorted.
func show(t types.Type, x types.Value) string {
	switch {
	case x.Null:
		return "NULL"
	case t.Kind == types.Map || t.Kind == types.Multiset:
		v := types.ReadMap(t, []byte(x.S))
		var l []string
		for i := range v.Len() {
			l = append(l, show(v.Keys.Elem(), v.Keys.Value(i))+"="+show(v.Values.Elem(), v.Values.Value(i)))
		}
		sort.Strings(l)
		return "{" + strings.Join(l, ", ") + "}"
	case t.Kind == types.Bitmap:
		return string(bitmap.AppendText(nil, []byte(x.S)))
	case t.Kind == types.Array:
		v := types.ReadArray(t, []byte(x.S))
		var l []string
		for i := range v.Len() {
			l = append(l, show(t.Elem(), v.Value(i)))
		}
		return "[" + strings.Join(l, ", ") + "]"
	case t.IsNested():
		return string(types.AppendRawText(nil, t, []byte(x.S), nil, true))
	}
	return string(types.AppendValue(nil, t, x, nil))
}

// valueTypes are the types of arguments.
func valueTypes() []types.Type {
	of := types.Of
	l := []types.Type{
		types.NewDecimal(3, 2), types.NewDecimal(18, 0), types.NewDecimal(19, 4), types.NewDecimal(38, 0), types.NewDecimal(38, 38),
		types.NewChar(3), types.NewVarchar(5), types.NewTimestamp(0), types.NewTimestamp(3), types.NewTimestamp(6), types.NewTimestamp(9), types.NewTimestampLTZ(3),
		types.NewArray(of(types.Int)), types.NewArray(of(types.Varchar)), types.NewMap(of(types.Varchar), of(types.Int)), types.NewMultiset(of(types.Int)),
		types.NewRow(types.Field{Name: "a", Type: of(types.Double)}, types.Field{Name: "b", Type: of(types.Varchar)}),
	}
	for _, k := range []types.Kind{
		types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Varchar, types.Varbinary,
		types.Date, types.Time, types.IntervalMonth, types.IntervalDay, types.Variant, types.Bitmap,
	} {
		l = append(l, of(k))
	}
	return l
}

// poolOf returns the usual values of a type and those at its ends.
func poolOf(t types.Type) (usual, rare []types.Value) {
	long := strings.Repeat("long ", 60)
	switch t.Kind {
	case types.Boolean:
		return intValues(0, 1), nil
	case types.Float:
		return floatValues(0, 0.25, -1.5, 3), floatValues(math.NaN(), math.Float64frombits(0xfff8000000000000), math.Copysign(0, -1), math.Inf(1), float64(float32(0.1)), math.MaxFloat32)
	case types.Double:
		return floatValues(0, 0.25, -1.5, 3), floatValues(math.NaN(), math.Float64frombits(0xfff8000000000000), math.Copysign(0, -1), math.Inf(-1), 0.1, 0.7, 1e308)
	case types.Decimal:
		limit := power10(int(t.Precision))
		limit.Sub(limit, power10(0))
		end := decimal128.FromBigInt(limit)
		if t.Layout() != types.Int128 {
			return intValues(0, 1, -2, 5, 100), intValues(limit.Int64(), -limit.Int64())
		}
		return wideValues(0, 1, -2, 5, 100), []types.Value{{D: end}, {D: end.Negate()}}
	case types.Char:
		return textValues("abc", "b  ", "   "), nil
	case types.Varchar, types.Varbinary:
		if t.Length > 0 && t.Length < 100 {
			long = "12345"
		}
		return textValues("", "a", "b", "ab"), textValues(long, "a\x00", "é", "\uffff", "😀")
	case types.Array:
		if t.Elem().IsText() {
			return []types.Value{*arrayOf(t, textValues("a", "b")...).constant, *arrayOf(t, types.NullValue).constant}, nil
		}
		return []types.Value{*arrayOf(t).constant, *arrayOf(t, intValues(1)...).constant, *arrayOf(t, types.IntValue(2), types.NullValue).constant}, nil
	case types.Map, types.Multiset:
		return []types.Value{mapOf(t), mapOf(t, 1), mapOf(t, 2, 1)}, nil
	case types.Bitmap:
		return []types.Value{bitmapOf(1, 2), bitmapOf(2, 3, 70000), bitmapOf(), bitmapOf(1<<32-1, 5)}, nil
	case types.Variant:
		one, half := types.AppendVariantInt(nil, 1), types.AppendVariantDouble(nil, 0.5)
		return textValues(string(one), string(half), string(types.AppendVariantInt(nil, -700))), nil
	case types.Date:
		return intValues(0, 1, -1, 19782), intValues(-719162, 2932896)
	case types.Time:
		return intValues(0, 1000, 43200000), intValues(86399000)
	case types.Timestamp, types.TimestampLTZ:
		second := types.Pow10(min(3*((t.Precision+2)/3), 9))
		if t.Precision <= 3 {
			second = 1000
		}
		return intValues(0, second, -second, 1772359200*second), intValues(9e9 * second)
	case types.Row:
		return []types.Value{rowValue(t, 1, "x"), rowValue(t, 2, long), rowValue(t, math.NaN(), "")}, nil
	}
	bits := uint(8*t.Layout().Width() - 1)
	return intValues(0, 1, 2, -3, 7), intValues(1<<bits-1, -1<<bits)
}

func intValues(x ...int64) (l []types.Value) {
	for _, x := range x {
		l = append(l, types.IntValue(x))
	}
	return l
}

func wideValues(x ...int64) (l []types.Value) {
	for _, x := range x {
		l = append(l, types.Value{D: decimal128.FromI64(x)})
	}
	return l
}

func floatValues(x ...float64) (l []types.Value) {
	for _, x := range x {
		l = append(l, types.FloatValue(x))
	}
	return l
}

func textValues(x ...string) (l []types.Value) {
	for _, x := range x {
		l = append(l, types.TextValue(x))
	}
	return l
}

// arrayOf is a constant array.
func arrayOf(t types.Type, x ...types.Value) ruleArg {
	var b types.ArrayBuilder
	b.Reset(t.Elem())
	for _, x := range x {
		b.AppendValue(x)
	}
	v := types.TextValue(string(b.AppendTo(nil)))
	return ruleArg{typ: t, constant: &v}
}

// mapOf is a map, or multiset, of the keys, each with its place among them and one more.
func mapOf(t types.Type, keys ...int64) types.Value {
	var b types.MapBuilder
	b.Reset(t)
	key, value := t.Entry()
	for i, k := range keys {
		x := types.IntValue(k)
		if key.IsText() {
			x = types.TextValue(fmt.Sprint("k", k))
		}
		b.Add(types.AppendRaw(nil, key, x), types.AppendRaw(nil, value, types.IntValue(int64(i+1))))
	}
	return types.TextValue(string(b.AppendTo(nil)))
}

func rowValue(t types.Type, x float64, s string) types.Value {
	var b types.RowBuilder
	b.Reset(t)
	b.AppendValue(types.FloatValue(x))
	b.AppendValue(types.TextValue(s))
	return types.TextValue(string(b.AppendTo(nil)))
}

// keyPool are keys of JSON objects: many, since one that comes twice is an error.
func keyPool() (l []types.Value) {
	for i := range 200 {
		l = append(l, types.TextValue(fmt.Sprintf("k%03d", i)))
	}
	return l
}
