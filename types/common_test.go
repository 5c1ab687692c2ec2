package types

import "testing"

// Flink case types-unify, and the same questions for more pairs.
func TestCommonType(t *testing.T) {
	ti, i, bi := Of(TinyInt), Of(Int), Of(BigInt)
	f, d := Of(Float), Of(Double)
	dc, db := NewDecimal(10, 2), NewDecimal(38, 18)
	d38, d3838 := NewDecimal(38, 0), NewDecimal(38, 38)
	none := Type{Kind: Row}
	for _, c := range []struct{ a, b, common, inCase Type }{
		{ti, Of(SmallInt), Of(SmallInt), Of(SmallInt)},
		{i, bi, bi, bi},
		{bi, f, f, f},
		{ti, d, d, d},
		{f, d, d, f},
		{d, f, d, d},
		{f, dc, d, d},
		{dc, d, d, d},
		{bi, dc, NewDecimal(21, 2), NewDecimal(21, 2)},
		{dc, i, NewDecimal(12, 2), NewDecimal(12, 2)},
		{dc, db, db, db},
		{d38, db, d38, d38},
		{d38, d3838, d38, d38},
		{bi, d3838, NewDecimal(38, 19), NewDecimal(38, 19)},
		{i, d3838, NewDecimal(38, 28), NewDecimal(38, 28)},
		{NewChar(1), NewChar(3), NewVarchar(3), NewVarchar(3)},
		{NewChar(2), NewChar(2), NewChar(2), NewChar(2)},
		{NewChar(2), NewVarchar(5), NewVarchar(5), NewVarchar(5)},
		{NewVarchar(5), Of(Varchar), Of(Varchar), Of(Varchar)},
		{Type{Kind: Binary, Length: 2}, Of(Varbinary), Of(Varbinary), Of(Varbinary)},
		{NewTimestamp(3), NewTimestamp(6), NewTimestamp(6), NewTimestamp(6)},
		{NewTimestamp(3), NewTimestampLTZ(3), NewTimestampLTZ(3), NewTimestamp(3)},
		{NewTimestampLTZ(0), NewTimestamp(3), NewTimestampLTZ(3), NewTimestamp(3)},
		{NewTimestampLTZ(3), NewTimestamp(0), NewTimestampLTZ(3), NewTimestamp(3)},
		{NewTimestamp(6), NewTimestampLTZ(3), NewTimestampLTZ(6), NewTimestampLTZ(6)},
		{Type{Kind: Time}, Type{Kind: Time, Precision: 3}, Type{Kind: Time, Precision: 3}, Type{Kind: Time, Precision: 3}},
		{Type{}, i, i, i},
		{i, Type{}, i, i},
		{Of(IntervalDay), Of(IntervalDay), Of(IntervalDay), Of(IntervalDay)},
		{Of(IntervalDay), Of(IntervalMonth), none, none},
		{Of(Date), NewTimestamp(3), none, none},
		{i, NewChar(1), none, none},
		{Of(Boolean), i, none, none},
		{NewChar(2), Type{Kind: Binary, Length: 2}, none, none},
	} {
		for _, r := range []struct {
			name string
			f    func(a, b Type) (Type, bool)
			want Type
		}{{"CommonType", CommonType, c.common}, {"CaseType", CaseType, c.inCase}} {
			got, ok := r.f(c.a, c.b)
			if ok != (r.want != none) || ok && got != r.want {
				t.Errorf("%s(%v, %v) = %v, %v, want %v", r.name, c.a, c.b, got, ok, r.want)
			}
		}
	}
	if got, _ := CommonType(i.Required(), bi.Required()); got != bi.Required() {
		t.Errorf("two required types give %v", got)
	}
	if got, _ := CommonType(i.Required(), bi); got != bi {
		t.Errorf("a required and a nullable type give %v", got)
	}
}

// Flink case types-arith, and the same questions for DECIMAL(38, ...).
func TestDecimalTypes(t *testing.T) {
	ti, i, bi := AsDecimal(Of(TinyInt)), AsDecimal(Of(Int)), AsDecimal(Of(BigInt))
	dc, db, d5 := NewDecimal(10, 2), NewDecimal(38, 18), NewDecimal(5, 0)
	d38, d3838 := NewDecimal(38, 0), NewDecimal(38, 38)
	for _, c := range []struct {
		name string
		got  Type
		want Type
	}{
		{"ti + dc", AddType(ti, dc), NewDecimal(11, 2)},
		{"ti + db", AddType(ti, db), NewDecimal(38, 17)},
		{"ti + d5", AddType(ti, d5), NewDecimal(6, 0)},
		{"bi + dc", AddType(bi, dc), NewDecimal(22, 2)},
		{"db + dc", AddType(db, dc), NewDecimal(38, 17)},
		{"d38 + d3838", AddType(d38, d3838), NewDecimal(38, 6)},
		{"d38 * d3838", MulType(d38, d3838), NewDecimal(38, 6)},
		{"db * db", MulType(db, db), NewDecimal(38, 6)},
		{"d38 / d3838", DivType(d38, d3838), NewDecimal(38, 6)},
		{"d3838 / d38", DivType(d3838, d38), NewDecimal(38, 38)},
		{"db / dc", DivType(db, dc), NewDecimal(38, 16)},
		{"d38 % d3838", ModType(d38, d3838), NewDecimal(38, 38)},
		{"i % dc", ModType(i, dc), NewDecimal(10, 2)},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}
