package types

// CommonType returns the type that values of a and b both take in COALESCE,
// GREATEST, LEAST and comparisons: the wider one, DOUBLE where FLOAT or DOUBLE
// meets DECIMAL, but FLOAT where it comes behind a DECIMAL. ok is false if there is none. The result is nullable if a or b is.
func CommonType(a, b Type) (t Type, ok bool) { return common(a, b, false) }

// CaseType is CommonType for CASE, UNION and the other set operations, and VALUES:
// there the first of FLOAT and DOUBLE wins, and the first of TIMESTAMP and TIMESTAMP_LTZ
// of one precision, but the second of different ones.
func CaseType(a, b Type) (t Type, ok bool) { return common(a, b, true) }

// IfType is CaseType for IF: there the first of two TIMEs, TIMESTAMPs or TIMESTAMP_LTZs wins.
func IfType(a, b Type) (t Type, ok bool) {
	if a.IsTimestamp() && b.IsTimestamp() || a.Kind == Time && b.Kind == Time {
		return a.WithNullability(!a.NotNull || !b.NotNull), true
	}
	return CaseType(a, b)
}

func common(a, b Type, firstWins bool) (t Type, ok bool) {
	required := a.NotNull && b.NotNull
	a, b = a.Nullable(), b.Nullable()
	switch {
	case a.Kind == Null:
		t, ok = b, true
	case b.Kind == Null:
		t, ok = a, true
	case a == b:
		t, ok = a, true
	case a.IsNested() || b.IsNested():
		t, ok = commonNested(a, b, firstWins)
	case a.IsNumeric() && b.IsNumeric():
		t, ok = commonNumeric(a, b, firstWins), true
	case a.IsText() && b.IsText():
		t, ok = NewVarchar(int(max(a.Length, b.Length))), true
		if a.Kind == Char && b.Kind == Char && a.Length == b.Length {
			t = a
		}
	case a.IsBytes() && b.IsBytes():
		t, ok = Type{Kind: Varbinary, Length: max(a.Length, b.Length)}, true
	case a.Kind == Time && b.Kind == Time:
		t, ok = Type{Kind: Time, Precision: max(a.Precision, b.Precision)}, true
	case a.IsTimestamp() && b.IsTimestamp():
		t, ok = Type{Kind: a.Kind, Precision: max(a.Precision, b.Precision)}, true
		switch {
		case a.Kind == b.Kind:
		case !firstWins:
			t.Kind = TimestampLTZ
		case a.Precision != b.Precision:
			t.Kind = b.Kind
		}
	}
	if required {
		t = t.Required()
	}
	return t, ok
}

// commonNested unifies nested types of one shape part by part; a ROW keeps the names of
// the first.
func commonNested(a, b Type, firstWins bool) (t Type, ok bool) {
	if a.Kind != b.Kind || len(a.Fields()) != len(b.Fields()) {
		return t, false
	}
	if a.Kind == Row {
		fields := make([]Field, len(a.Fields()))
		for i, f := range a.Fields() {
			c, ok := common(f.Type, b.Fields()[i].Type, firstWins)
			if !ok {
				return t, false
			}
			fields[i] = Field{Name: f.Name, Type: c}
		}
		return NewRow(fields...), true
	}
	elem, ok := common(a.Elem(), b.Elem(), firstWins)
	if !ok {
		return t, false
	}
	switch a.Kind {
	case Array:
		return NewArray(elem), true
	case Multiset:
		return NewMultiset(elem), true
	}
	key, ok := common(a.Key(), b.Key(), firstWins)
	return NewMap(key, elem), ok
}

func commonNumeric(a, b Type, firstWins bool) Type {
	switch {
	case a.IsApproximate() && b.IsApproximate():
		if firstWins {
			return a
		}
		return Of(Double)
	case a.IsApproximate() || b.IsApproximate():
		if a.Kind == Decimal && b.Kind == Float && !firstWins {
			return b
		}
		if a.Kind == Decimal || b.Kind == Decimal {
			return Of(Double)
		}
		return Of(max(a.Kind, b.Kind)) // the approximate one: kinds stand in this order
	case a.Kind == Decimal || b.Kind == Decimal:
		a, b = AsDecimal(a), AsDecimal(b)
		scale := max(a.Scale, b.Scale)
		whole := max(a.Precision-a.Scale, b.Precision-b.Scale)
		return NewDecimal(int(min(whole+scale, MaxPrecision)), int(min(scale, MaxPrecision-whole)))
	}
	return Of(max(a.Kind, b.Kind))
}

// AsDecimal returns the DECIMAL type that an integer type counts as beside a
// DECIMAL; DECIMAL types are returned as they are.
func AsDecimal(t Type) Type {
	digits := 0
	switch t.Kind {
	case TinyInt:
		digits = 3
	case SmallInt:
		digits = 5
	case Int:
		digits = 10
	case BigInt:
		digits = 19
	default:
		return t
	}
	return NewDecimal(digits, 0).WithNullability(!t.NotNull)
}

// capDecimal brings a DECIMAL result to at most 38 digits: whole digits are kept,
// the fraction keeps at least 6 digits, if it has them.
func capDecimal(p, s int32) Type {
	if p > MaxPrecision {
		s = max(MaxPrecision-(p-s), min(s, 6))
		p = MaxPrecision
	}
	return NewDecimal(int(p), int(s))
}

// AddType returns the type of a + b and a - b for DECIMAL types; integers must have
// gone through AsDecimal. Like MulType, DivType and ModType it is nullable.
func AddType(a, b Type) Type {
	s := max(a.Scale, b.Scale)
	return capDecimal(max(a.Precision-a.Scale, b.Precision-b.Scale)+s+1, s)
}

// MulType returns the type of a × b for DECIMAL types.
func MulType(a, b Type) Type {
	return capDecimal(a.Precision+b.Precision+1, a.Scale+b.Scale)
}

// DivType returns the type of a / b for DECIMAL types.
func DivType(a, b Type) Type {
	s := max(6, a.Scale+b.Precision+1)
	return capDecimal(a.Precision-a.Scale+b.Scale+s, s)
}

// ModType returns the type of a % b for DECIMAL types.
func ModType(a, b Type) Type {
	s := max(a.Scale, b.Scale)
	return capDecimal(min(a.Precision-a.Scale, b.Precision-b.Scale)+s, s)
}
