package types

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func dec(t *testing.T, text string, s int32) Num128 {
	t.Helper()
	d, fault := ParseDecimal([]byte(text), 38, s)
	if fault != OK {
		t.Fatalf("%q: %v", text, fault)
	}
	return d
}

// Flink cases decimal, decimal-round-1 and decimal-round-2.
func TestDecimalArithmetic(t *testing.T) {
	i10, dc, db := AsDecimal(Of(Int)), NewDecimal(10, 2), NewDecimal(38, 18)
	d5 := NewDecimal(5, 0)
	for _, c := range []struct {
		a    string
		ta   Type
		op   string
		b    string
		tb   Type
		want string
	}{
		{"123.45", dc, "+", "123.45", dc, "246.90"},
		{"99999999.99", dc, "*", "99999999.99", dc, "9999999998000000.0001"},
		{"123.45", dc, "/", "3", i10, "41.1500000000000"},
		{"-99.99", dc, "/", "3", i10, "-33.3300000000000"},
		{"7", d5, "/", "3", i10, "2.33333333333"},
		{"-3", d5, "/", "7", i10, "-0.42857142857"},
		{"99999", d5, "/", "7", i10, "14285.57142857143"},
		{"1", i10, "/", "3.0", NewDecimal(2, 1), "0.333333"},
		{"2.0", NewDecimal(2, 1), "/", "3", i10, "0.666666666667"},
		{"-2147483648", i10, "/", "3.0", NewDecimal(2, 1), "-715827882.666667"},
		{"10", i10, "/", "4.0", NewDecimal(2, 1), "2.500000"},
		{"-5.5", NewDecimal(2, 1), "%", "2", i10, "-1.5"},
		{"1234567890.123456789012345678", db, "*", "1234567890.123456789012345678", db, "1524157875323883675.049535"},
		{"99999999999999999999.999999999999999999", db, "*", "99999999999999999999.999999999999999999", db, "<NULL>"},
		{"99999999999999999999.999999999999999999", db, "+", "1", i10, "100000000000000000001.00000000000000000"},
		{"-0.000000000000000001", db, "+", "1", i10, "1.00000000000000000"},
		{"123.45", dc, "*", "1234567890.123456789012345678", db, "152407406035.740740604"},
		{"99999999.99", dc, "*", "99999999999999999999.999999999999999999", db, "9999999999000000000000000000.000000000"},
		{"-99999999.99", dc, "+", "-99999999999999999999.999999999999999999", db, "-100000000000099999999.99000000000000000"},
		{"12345678901234567890.123456789012345678", db, "*", "1.5", NewDecimal(2, 1), "18518518351851851835.1851851835185185"},
		{"0.1", NewDecimal(2, 1), "+", "0.2", NewDecimal(2, 1), "0.3"},
	} {
		var result Type
		var op func(a Num128, sa int32, b Num128, sb int32, p, s int32) (Num128, bool)
		switch c.op {
		case "+":
			result, op = AddType(c.ta, c.tb), AddDecimal
		case "*":
			result, op = MulType(c.ta, c.tb), MulDecimal
		case "/":
			result, op = DivType(c.ta, c.tb), DivDecimal
		case "%":
			result, op = ModType(c.ta, c.tb), ModDecimal
		}
		a, b := dec(t, c.a, c.ta.Scale), dec(t, c.b, c.tb.Scale)
		got := "<NULL>"
		if r, ok := op(a, c.ta.Scale, b, c.tb.Scale, result.Precision, result.Scale); ok {
			got = string(AppendDecimal(nil, r, result.Scale))
		}
		if got != c.want {
			t.Errorf("%s %s %s = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

// Flink cases decimal and decimal-round-1: CAST of a DECIMAL or DOUBLE.
func TestRescale(t *testing.T) {
	for _, c := range []struct {
		text string
		from int32
		p, s int32
		want string
	}{
		{"123.45", 2, 10, 1, "123.5"},
		{"123.45", 2, 10, 0, "123"},
		{"-99.99", 2, 10, 1, "-100.0"},
		{"99999999.99", 2, 5, 2, "<NULL>"},
		{"99999999.99", 2, 12, 4, "99999999.9900"},
		{"99999999999999999999.999999999999999999", 18, 20, 2, "<NULL>"},
		{"99999999999999999999.999999999999999999", 18, 38, 0, "100000000000000000000"},
		{"-0.000000000000000001", 18, 38, 0, "0"},
		{"0.005", 3, 10, 2, "0.01"},
		{"-0.005", 3, 10, 2, "-0.01"},
		{"0.025", 3, 10, 2, "0.03"},
		{"-2.5", 1, 10, 0, "-3"},
		{"99999.995", 3, 7, 2, "<NULL>"},
		{"100", 0, 10, 5, "100.00000"},
	} {
		x := dec(t, c.text, c.from)
		got := "<NULL>"
		if r, ok := Rescale(x, c.from, c.s, c.p); ok {
			got = string(AppendDecimal(nil, r, c.s))
		}
		if got != c.want {
			t.Errorf("Rescale(%s) to DECIMAL(%d, %d) = %s, want %s", c.text, c.p, c.s, got, c.want)
		}
		if i, ok := Narrow(x); ok && c.p <= 18 {
			got := "<NULL>"
			if r, ok := Rescale64(i, c.from, c.s, c.p); ok {
				got = string(AppendDecimal64(nil, r, c.s))
			}
			if got != c.want {
				t.Errorf("Rescale64(%s) to DECIMAL(%d, %d) = %s, want %s", c.text, c.p, c.s, got, c.want)
			}
		}
	}
}

// DOUBLE as DECIMAL goes through its text: asked of Flink with a column of these
// values.
func TestFloatToDecimal(t *testing.T) {
	for _, c := range []struct {
		x    float64
		p, s int32
		want string
	}{
		{2.675, 10, 2, "2.68"},
		{1.005, 10, 2, "1.01"},
		{1e22, 10, 2, "<NULL>"},
		{1e22, 38, 5, "10000000000000000000000.00000"},
		{2e23, 38, 5, "199999999999999980000000.00000"},
		{float64(float32(0.1)), 38, 18, "0.100000001490116120"},
		{1.0 / 3, 10, 5, "0.33333"},
	} {
		got := "<NULL>"
		if d, ok := FloatToDecimal(c.x, c.p, c.s); ok {
			got = string(AppendDecimal(nil, d, c.s))
		}
		if got != c.want {
			t.Errorf("FloatToDecimal(%g, %d, %d) = %s, want %s", c.x, c.p, c.s, got, c.want)
		}
	}
}

// Flink case cast-num: the integer part wraps.
func TestDecimalToInt64(t *testing.T) {
	for text, want := range map[string]int64{
		"1234567890.123456789012345678":            1234567890,
		"99999999999999999999.999999999999999999":  7766279631452241919,
		"-99999999999999999999.999999999999999999": -7766279631452241919,
		"-0.000000000000000001":                    0,
	} {
		if got := DecimalToInt64(dec(t, text, 18), 18); got != want {
			t.Errorf("DecimalToInt64(%s) = %d, want %d", text, got, want)
		}
	}
}

// The arithmetic against math/big.
func TestDecimalAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() Num128 {
		digits := 1 + r.IntN(38)
		x := new(big.Int)
		for range digits {
			x.Mul(x, big.NewInt(10)).Add(x, big.NewInt(int64(r.IntN(10))))
		}
		w := wide{}
		for i, word := range x.Bits() {
			w[i] = uint64(word)
		}
		d, _ := w.signed(r.IntN(2) == 0)
		return d
	}
	ten := big.NewInt(10)
	pow := func(n int32) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }
	// rounded divides n/d half away from zero.
	rounded := func(n, d *big.Int) *big.Int {
		q, m := new(big.Int).QuoRem(n, d, new(big.Int))
		if new(big.Int).Mul(m, big.NewInt(2)).CmpAbs(d) >= 0 {
			q.Add(q, big.NewInt(int64(n.Sign()*d.Sign())))
		}
		return q
	}
	check := func(name string, got Num128, ok bool, want *big.Int, p int32) {
		t.Helper()
		fits := want.CmpAbs(pow(p)) < 0
		if ok != fits || ok && got.BigInt().Cmp(want) != 0 {
			t.Fatalf("%s = %v (%v), want %v (%v)", name, got.BigInt(), ok, want, fits)
		}
	}
	for range 20000 {
		a, b := number(), number()
		sa, sb, s, p := int32(r.IntN(39)), int32(r.IntN(39)), int32(r.IntN(39)), int32(1+r.IntN(38))
		m := max(sa, sb)
		x := new(big.Int).Mul(a.BigInt(), pow(m-sa))
		y := new(big.Int).Mul(b.BigInt(), pow(m-sb))
		at := func(v *big.Int, from int32) *big.Int {
			if from <= s {
				return new(big.Int).Mul(v, pow(s-from))
			}
			return rounded(v, pow(from-s))
		}
		got, ok := AddDecimal(a, sa, b, sb, p, s)
		check("add", got, ok, at(new(big.Int).Add(x, y), m), p)
		got, ok = SubDecimal(a, sa, b, sb, p, s)
		check("sub", got, ok, at(new(big.Int).Sub(x, y), m), p)
		got, ok = MulDecimal(a, sa, b, sb, p, s)
		check("mul", got, ok, at(new(big.Int).Mul(a.BigInt(), b.BigInt()), sa+sb), p)
		if c := CompareDecimal(a, sa, b, sb); c != x.Cmp(y) {
			t.Fatalf("compare %v/%d with %v/%d = %d", a, sa, b, sb, c)
		}
		if b.Sign() == 0 {
			continue
		}
		got, ok = ModDecimal(a, sa, b, sb, p, s)
		check("mod", got, ok, at(new(big.Int).Rem(x, y), m), p)
		if a.Sign() == 0 {
			continue
		}
		// 38 digits first: the largest k with a × 10^k / b of at most 38 digits.
		k := int32(80)
		for new(big.Int).Quo(new(big.Int).Mul(a.BigInt(), pow(k)), b.BigInt()).CmpAbs(pow(38)) >= 0 {
			k--
		}
		q := rounded(new(big.Int).Mul(a.BigInt(), pow(k)), b.BigInt())
		got, ok = DivDecimal(a, sa, b, sb, p, s)
		check("div", got, ok, at(q, sa-sb+k), p)
	}
}

func TestCompareDecimal64(t *testing.T) {
	for _, c := range []struct {
		a    int64
		sa   int32
		b    int64
		sb   int32
		want int
	}{
		{10, 1, 1, 0, 0},
		{15, 1, 1, 0, 1},
		{-15, 1, 1, 0, -1},
		{999999999999999999, 0, 1, 18, 1},
		{-999999999999999999, 0, 1, 18, -1},
		{1, 0, 1, 0, 0},
		{1, 0, 1001, 3, -1},
	} {
		if got := CompareDecimal64(c.a, c.sa, c.b, c.sb); got != c.want {
			t.Errorf("compare %d/%d with %d/%d = %d, want %d", c.a, c.sa, c.b, c.sb, got, c.want)
		}
	}
}

func TestDecimalToFloat(t *testing.T) {
	for _, c := range []struct {
		text  string
		scale int32
		want  float64
	}{
		{"123.45", 2, 123.45},
		{"99999999.99", 2, 99999999.99},
		{"0.1", 38, 0.1},
		{"12345678901234567890.123456789012345678", 18, 12345678901234567890.123456789012345678},
	} {
		if got := DecimalToFloat(dec(t, c.text, c.scale), c.scale); got != c.want {
			t.Errorf("DecimalToFloat(%s) = %g, want %g", c.text, got, c.want)
		}
	}
}

// The 64-bit rules against the 128-bit ones.
func TestRescale64(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50000 {
		x := r.Int64() >> r.IntN(64)
		if r.IntN(2) == 0 {
			x = -x - 1
		}
		from, to, p := int32(r.IntN(25)), int32(r.IntN(25)), int32(1+r.IntN(18))
		got, ok := Rescale64(x, from, to, p)
		want, fits := Rescale(Widen(x), from, to, p)
		if ok != fits || ok && Widen(got) != want {
			t.Fatalf("Rescale64(%d, %d, %d, %d) = %d, %v, want %v, %v", x, from, to, p, got, ok, want.BigInt(), fits)
		}
		if ok && (!Fits64(got, p) || !Fits(want, p)) {
			t.Fatalf("%d does not fit in %d digits", got, p)
		}
	}
}
