package types

import (
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

func TestNestedTypesAreOne(t *testing.T) {
	made := func() Type {
		return NewArray(NewRow(Field{"a", Of(Int).Required()}, Field{"b`c", NewMap(Of(Varchar), NewMultiset(Of(Double)))})).Required()
	}
	if one, other := made(), made(); one != other {
		t.Error("two equal types differ")
	}
	if NewArray(Of(Int)) == NewArray(Of(Int).Required()) || NewArray(Of(Int)) == NewMultiset(Of(Int)) {
		t.Error("two types that differ are equal")
	}
	want := "ARRAY<ROW<`a` INT NOT NULL, `b``c` MAP<STRING, MULTISET<DOUBLE>>>> NOT NULL"
	if got := made().String(); got != want {
		t.Errorf("type prints as %s, want %s", got, want)
	}
	for _, c := range []struct {
		t     Type
		plain bool
	}{
		{Of(Int), true}, {Of(Double), false}, {NewArray(Of(Int)), true}, {NewArray(Of(Float)), false}, {NewMap(Of(Int), Of(Int)), false},
		{NewMultiset(Of(Int)), false}, {NewRow(Field{"a", NewArray(Of(Varchar))}), true}, {NewRow(Field{"a", NewMap(Of(Int), Of(Int))}), false},
	} {
		if c.t.Plain() != c.plain {
			t.Errorf("%v: Plain is %v", c.t, !c.plain)
		}
	}
}

func TestAlike(t *testing.T) {
	row := func(name string, t Type) Type { return NewRow(Field{name, t}) }
	for _, c := range []struct {
		a, b Type
		want bool
	}{
		{NewArray(Of(Int)), NewArray(Of(Int).Required()), true},
		{NewArray(NewVarchar(3)), NewArray(Of(Varchar)), true},
		{NewArray(Of(Varchar)), NewArray(NewVarchar(3)), false},
		{NewArray(NewVarchar(3)), NewArray(NewChar(3)), false},
		{row("a", Of(Int)), row("b", Of(Int)), true},
		{row("a", Of(Int)), row("a", Of(BigInt)), false},
		{row("a", Of(Int)), NewRow(), false},
		{NewMap(Of(Int), Of(Int)), NewMap(Of(Int), Of(Int).Required()), true},
		{NewMap(Of(Int), Of(Int)), NewMap(Of(BigInt), Of(Int)), false},
		{NewArray(Of(Int)), NewMultiset(Of(Int)), false},
	} {
		if got := c.a.Alike(c.b); got != c.want {
			t.Errorf("%v alike %v: %v", c.a, c.b, got)
		}
	}
}

func TestCommonNestedType(t *testing.T) {
	for _, c := range []struct{ a, b, want Type }{
		{NewArray(Of(Int).Required()), NewArray(Of(BigInt)), NewArray(Of(BigInt))},
		{NewMap(NewChar(1), Of(Int)), NewMap(NewChar(3), Of(Double)), NewMap(NewVarchar(3), Of(Double))},
		{NewRow(Field{"a", Of(Int)}), NewRow(Field{"b", NewDecimal(3, 1)}), NewRow(Field{"a", NewDecimal(11, 1)})},
		{NewArray(Of(Int)), Type{}, NewArray(Of(Int))},
		{NewArray(Of(Int)), NewArray(Of(Varchar)), Type{Kind: Row}},
		{NewArray(Of(Int)), NewMap(Of(Int), Of(Int)), Type{Kind: Row}},
		{NewRow(Field{"a", Of(Int)}), NewRow(), Type{Kind: Row}},
	} {
		got, ok := CommonType(c.a, c.b)
		if none := c.want == (Type{Kind: Row}); ok == none || ok && got != c.want {
			t.Errorf("%v with %v gives %v, %v; want %v", c.a, c.b, got, ok, c.want)
		}
	}
}

// text prints an encoded value as results show it.
func text(t Type, raw []byte) string { return string(AppendRawText(nil, t, raw, nil, true)) }

func TestNestedValues(t *testing.T) {
	var a ArrayBuilder
	a.Reset(Of(Varchar))
	a.AppendValue(TextValue("x"))
	a.AppendNull()
	a.AppendRaw(nil)
	a.Close(append(a.Open(), "yz"...))
	texts := a.AppendTo([]byte("before"))[6:]
	array := NewArray(Of(Varchar))
	if got := text(array, texts); got != "[x, NULL, , yz]" {
		t.Errorf("array prints as %s", got)
	}
	r := ReadArray(array, texts)
	if r.Len() != 4 || !r.IsNull(1) || !r.HasNull() || string(r.Raw(3)) != "yz" || len(r.Raw(2)) != 0 {
		t.Errorf("array is read as %v", r)
	}

	row := NewRow(Field{"a", Of(SmallInt)}, Field{"b", array}, Field{"c", Of(Varbinary)}, Field{"d", Of(Boolean)}, Field{"e", NewDecimal(20, 2)}, Field{"f", Of(Varchar)})
	var b RowBuilder
	b.Reset(row)
	b.AppendValue(IntValue(-7))
	b.AppendRaw(texts)
	b.AppendNull()
	b.AppendValue(BoolValue(true))
	b.AppendValue(Value{D: decimal128.New(0, 12345)})
	b.AppendValue(TextValue("é"))
	if got := text(row, b.AppendTo(nil)); got != "(-7, [x, NULL, , yz], NULL, TRUE, 123.45, é)" {
		t.Errorf("row prints as %s", got)
	}

	m := NewMap(Of(Int), array)
	var mb MapBuilder
	mb.Reset(m)
	for i := range 40 { // more than are looked for one by one
		mb.PutRaw(AppendRaw(nil, Of(Int), IntValue(int64(i%20))), texts)
	}
	mb.PutRaw(nil, texts)
	mb.PutRaw(nil, nil)
	v := ReadMap(m, mb.AppendTo(nil))
	var buf []byte
	if v.Len() != 21 || v.Find(AppendRaw(nil, Of(Int), IntValue(13)), false, &buf) != 13 || v.Find(nil, true, &buf) != 20 || !v.Values.IsNull(20) {
		t.Errorf("map has %d entries", v.Len())
	}
}

func TestKeyForms(t *testing.T) {
	m := NewMap(Of(Varchar), Of(Double))
	build := func(pairs ...any) []byte {
		var b MapBuilder
		b.Reset(m)
		for i := 0; i < len(pairs); i += 2 {
			b.PutRaw([]byte(pairs[i].(string)), AppendRaw(nil, Of(Double), FloatValue(pairs[i+1].(float64))))
		}
		return b.AppendTo(nil)
	}
	row := NewRow(Field{"m", NewArray(m)})
	wrap := func(raw []byte) []byte {
		var a ArrayBuilder
		a.Reset(m)
		a.AppendRaw(raw)
		var b RowBuilder
		b.Reset(row)
		b.AppendRaw(a.AppendTo(nil))
		return b.AppendTo(nil)
	}
	one, other := build("a", 0.0, "b", math.NaN()), build("b", -math.NaN(), "a", math.Copysign(0, -1))
	key := func(t Type, raw []byte) string { return string(AppendKey(nil, t, raw)) }
	if key(m, one) != key(m, other) || key(row, wrap(one)) != key(row, wrap(other)) {
		t.Error("maps with the same entries have different keys")
	}
	if less := build("a", 0.0); key(m, one) == key(m, less) || key(row, wrap(one)) == key(row, wrap(less)) {
		t.Error("different maps have the same key")
	}
	if string(one) == string(other) {
		t.Error("the order of the entries is lost")
	}
}

// As in Flink, for columns: cases nested-types and nested-columns.
func TestEqualRaw(t *testing.T) {
	ints, pair := NewArray(Of(Int)), NewRow(Field{"x", Of(Int)}, Field{"y", Of(Double)})
	array := func(values ...Value) []byte {
		var b ArrayBuilder
		b.Reset(Of(Int))
		for _, v := range values {
			b.AppendValue(v)
		}
		return b.AppendTo(nil)
	}
	row := func(x, y Value) []byte {
		var b RowBuilder
		b.Reset(pair)
		b.AppendValue(x)
		b.AppendValue(y)
		return b.AppendTo(nil)
	}
	m := NewMap(Of(Int), ints)
	dict := func(keys []Value, values ...[]byte) []byte {
		var b MapBuilder
		b.Reset(m)
		for i, k := range keys {
			b.PutRaw(AppendRaw(nil, Of(Int), k), values[i])
		}
		return b.AppendTo(nil)
	}
	one, two := IntValue(1), IntValue(2)
	for _, c := range []struct {
		t    Type
		a, b []byte
		want bool
	}{
		{ints, array(one, two), array(one, two), true},
		{ints, array(one, two), array(two, one), false},
		{ints, array(one), array(one, two), false},
		{ints, array(one, NullValue), array(one, NullValue), false},
		{ints, array(), array(), true},
		{pair, row(one, NullValue), row(one, NullValue), true},
		{pair, row(one, NullValue), row(one, FloatValue(0)), false},
		{pair, row(one, FloatValue(0)), row(one, FloatValue(math.Copysign(0, -1))), true},
		{pair, row(one, FloatValue(math.NaN())), row(one, FloatValue(math.NaN())), false},
		{m, dict([]Value{one, two}, array(one), array()), dict([]Value{two, one}, array(), array(one)), true},
		{m, dict([]Value{one, two}, array(one), array()), dict([]Value{two, one}, array(), array(two)), false},
		{m, dict([]Value{one}, nil), dict([]Value{one}, nil), false},
		{m, dict([]Value{one}, array(one)), dict([]Value{two}, array(one)), false},
	} {
		if got := EqualRaw(c.t, c.a, c.b); got != c.want {
			t.Errorf("%s = %s: %v", text(c.t, c.a), text(c.t, c.b), got)
		}
	}
}

// typeFrom draws a type from the bytes of src.
func typeFrom(src *[]byte, depth int) Type {
	n := next(src)
	plain := []Type{Of(Boolean), Of(TinyInt), Of(SmallInt), Of(Int), Of(BigInt), Of(Float), Of(Double), NewDecimal(10, 2), NewDecimal(38, 3), Of(Varchar), Of(Varbinary), Of(Date), NewTimestamp(3)}
	if depth == 0 || n%8 < 4 {
		return plain[int(n/8)%len(plain)]
	}
	switch n % 8 {
	case 4:
		return NewArray(typeFrom(src, depth-1))
	case 5:
		return NewMap(typeFrom(src, depth-1), typeFrom(src, depth-1))
	case 6:
		return NewMultiset(typeFrom(src, depth-1))
	}
	var fields []Field
	for i := range n / 8 % 11 {
		fields = append(fields, Field{string(rune('a' + i)), typeFrom(src, depth-1)})
	}
	return NewRow(fields...)
}

func next(src *[]byte) byte {
	if len(*src) == 0 {
		return 0
	}
	b := (*src)[0]
	*src = (*src)[1:]
	return b
}

// tree is a value as Go holds it: nil, a Value or the parts of a nested value.
type tree struct {
	null  bool
	value Value
	parts []tree // of a map: keys and values in turn
}

func treeFrom(src *[]byte, t Type) tree {
	n := next(src)
	if n%5 == 0 {
		return tree{null: true}
	}
	var v tree
	switch t.Kind {
	case Array:
		for range n / 5 % 20 {
			v.parts = append(v.parts, treeFrom(src, t.Elem()))
		}
	case Map, Multiset:
		for range n / 5 % 20 {
			v.parts = append(v.parts, treeFrom(src, t.parts.key), treeFrom(src, t.parts.elem))
		}
	case Row:
		for _, f := range t.Fields() {
			v.parts = append(v.parts, treeFrom(src, f.Type))
		}
	default:
		raw := make([]byte, max(elemWidth(t), 0))
		if elemWidth(t) < 0 {
			raw = make([]byte, n/5)
		}
		for i := range raw {
			raw[i] = next(src)
		}
		if t.Kind == Boolean {
			raw[0] &= 1
		}
		v.value = RawValue(t, raw)
	}
	return v
}

func (v tree) encode(dst []byte, t Type) []byte {
	raw := func(p tree, t Type) []byte {
		if p.null {
			return nil
		}
		return p.encode([]byte{}, t)
	}
	switch t.Kind {
	case Array:
		var b ArrayBuilder
		b.Reset(t.Elem())
		for _, p := range v.parts {
			if p.null {
				b.AppendNull()
			} else {
				b.AppendRaw(p.encode(nil, t.Elem()))
			}
		}
		return b.AppendTo(dst)
	case Map, Multiset:
		var b MapBuilder
		b.Reset(t)
		for i := 0; i < len(v.parts); i += 2 {
			b.Add(raw(v.parts[i], t.parts.key), raw(v.parts[i+1], t.parts.elem))
		}
		return b.AppendTo(dst)
	case Row:
		var b RowBuilder
		b.Reset(t)
		for i, f := range t.Fields() {
			if p := v.parts[i]; p.null {
				b.AppendNull()
			} else {
				b.AppendRaw(p.encode(nil, f.Type))
			}
		}
		return b.AppendTo(dst)
	}
	return AppendRaw(dst, t, v.value)
}

// check compares an encoded value with the tree, parts from the last to the first.
func (v tree) check(t *testing.T, typ Type, raw []byte) {
	element := func(a *ArrayValue, i int, want tree) {
		if a.IsNull(i) != want.null {
			t.Fatalf("%v: element %d: NULL is %v", typ, i, a.IsNull(i))
		}
		if !want.null {
			want.check(t, a.Elem(), a.Raw(i))
		}
	}
	switch typ.Kind {
	case Array:
		a := ReadArray(typ, raw)
		if a.Len() != len(v.parts) {
			t.Fatalf("%v: %d elements, want %d", typ, a.Len(), len(v.parts))
		}
		for i := a.Len() - 1; i >= 0; i-- {
			element(&a, i, v.parts[i])
		}
	case Map, Multiset:
		m := ReadMap(typ, raw)
		if 2*m.Len() != len(v.parts) {
			t.Fatalf("%v: %d entries, want %d", typ, m.Len(), len(v.parts)/2)
		}
		for i := m.Len() - 1; i >= 0; i-- {
			element(&m.Keys, i, v.parts[2*i])
			element(&m.Values, i, v.parts[2*i+1])
		}
	case Row:
		r := ReadRow(typ, raw)
		for i := r.Len() - 1; i >= 0; i-- {
			if r.IsNull(i) != v.parts[i].null {
				t.Fatalf("%v: field %d: NULL is %v", typ, i, r.IsNull(i))
			}
			if !r.IsNull(i) {
				v.parts[i].check(t, typ.Fields()[i].Type, r.Raw(i))
			}
		}
	default:
		if got := RawValue(typ, raw); !got.Equal(v.value) {
			t.Fatalf("%v: %v, want %v", typ, got, v.value)
		}
	}
}

// FuzzNested encodes values of any shape and reads them back.
func FuzzNested(f *testing.F) {
	f.Add([]byte{4, 24, 26, 1, 2, 3, 4, 6, 7, 8, 9})
	f.Add([]byte{63, 12, 13, 14, 15, 5, 1, 0, 77, 31, 200, 201, 202, 203, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{5, 72, 47, 32, 81, 31, 77, 65, 66, 67, 68, 1, 1, 1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, src []byte) {
		typ := NewArray(typeFrom(&src, 3))
		v := treeFrom(&src, typ)
		if v.null {
			return
		}
		raw := v.encode(nil, typ)
		v.check(t, typ, raw)
		if again := v.encode([]byte("xyz"), typ)[3:]; string(again) != string(raw) {
			t.Error("a value has two encodings")
		}
		key := AppendKey(nil, typ, raw)
		if typ.Plain() && string(key) != string(raw) {
			t.Error("the key form of a plain value differs from its bytes")
		}
		if again := AppendKey(nil, typ, key); string(again) != string(key) {
			t.Error("the key form of a key form is another one")
		}
		AppendRawText(nil, typ, raw, nil, false)
	})
}
