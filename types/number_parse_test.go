package types

import (
	"math"
	"testing"
)

const fails = "fails"

// Flink case cast-str-num: TRY_CAST of these texts, NULL there is a failure here.
// Two kinds of text differ on purpose: a lone letter and texts such as "1x" as
// DECIMAL of up to 18 digits, which Flink reads as 0 and 1.
func TestCastTextToNumber(t *testing.T) {
	for _, c := range []struct{ text, tiny, int, float, dec5, dec38 string }{
		{"12", "12", "12", "12.0", "12", "12.0000000000"},
		{"  12 ", "12", "12", "12.0", "12", "12.0000000000"},
		{"+12", "12", "12", "12.0", "12", "12.0000000000"},
		{"-0", "0", "0", "-0.0", "0", "0.0000000000"},
		{"1.5", "1", "1", "1.5", "2", "1.5000000000"},
		{"-1.9", "-1", "-1", "-1.9", "-2", "-1.9000000000"},
		{"abc", fails, fails, fails, fails, fails},
		{"", fails, fails, fails, fails, fails},
		{"128", fails, "128", "128.0", "128", "128.0000000000"},
		{"-128", "-128", "-128", "-128.0", "-128", "-128.0000000000"},
		{"-129", fails, "-129", "-129.0", "-129", "-129.0000000000"},
		{"40000", fails, "40000", "40000.0", "40000", "40000.0000000000"},
		{"2147483648", fails, fails, "2.14748365E9", fails, "2147483648.0000000000"},
		{"9223372036854775808", fails, fails, "9.223372E18", fails, "9223372036854775808.0000000000"},
		{"1e3", fails, fails, "1000.0", "1000", "1000.0000000000"},
		{"1.", "1", "1", "1.0", "1", "1.0000000000"},
		{".5", "0", "0", "0.5", "1", "0.5000000000"},
		{"-", fails, fails, fails, fails, fails},
		{"12abc", fails, fails, fails, fails, fails},
		{"0x10", fails, fails, fails, fails, fails},
		{"007", "7", "7", "7.0", "7", "7.0000000000"},
		{"1 2", fails, fails, fails, fails, fails},
		{"t", fails, fails, fails, fails, fails},
		{"NaN", fails, fails, "NaN", fails, fails},
		{"99999999999999999999999999999999999999999", fails, fails, "Infinity", fails, fails},
		{"１２", fails, fails, fails, fails, "12.0000000000"},
		{"123.455", "123", "123", "123.455", "123", "123.4550000000"},
		{"-123.455", "-123", "-123", "-123.455", "-123", "-123.4550000000"},
		{"\t5\t", fails, fails, "5.0", "5", "5.0000000000"},
		{"1_000", fails, fails, fails, fails, fails},
		{"1,000", fails, fails, fails, fails, fails},
	} {
		check := func(what, got string, fault Fault, want string) {
			t.Helper()
			if fault != OK {
				got = fails
			}
			if got != want {
				t.Errorf("%q as %s = %s, want %s", c.text, what, got, want)
			}
		}
		b := []byte(c.text)
		i, fault := ParseInt(b, TinyInt)
		check("TINYINT", string(AppendInt64(nil, Of(TinyInt), i, nil)), fault, c.tiny)
		i, fault = ParseInt(b, Int)
		check("INT", string(AppendInt64(nil, Of(Int), i, nil)), fault, c.int)
		f, fault := ParseFloat(b)
		check("FLOAT", string(AppendFloat(nil, f)), fault, c.float)
		i, fault = ParseDecimal64(b, 5, 0)
		check("DECIMAL(5, 0)", string(AppendDecimal64(nil, i, 0)), fault, c.dec5)
		d, fault := ParseDecimal(b, 38, 10)
		check("DECIMAL(38, 10)", string(AppendDecimal(nil, d, 10)), fault, c.dec38)
	}
}

// Flink cases cast-str-num, float-print and float-print-col.
func TestParseDouble(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1e5", "100000.0"},
		{"1E400", "Infinity"},
		{"-1E400", "-Infinity"},
		{"1e-400", "0.0"},
		{"0x1p3", "8.0"},
		{"0x1p3d", "8.0"},
		{"0x.8p1f", "1.0"},
		{"1d", "1.0"},
		{"1F", "1.0"},
		{"1L", fails},
		{" 1.5 ", "1.5"},
		{"nan", fails},
		{"inf", fails},
		{"Infinity", "Infinity"},
		{"-Infinity", "-Infinity"},
		{"+NaN", "NaN"},
		{"0x1d", fails},
		{"0x", fails},
		{"1e", fails},
		{"e5", fails},
		{".", fails},
		{"1..2", fails},
		{"--1", fails},
		{"1_0", fails},
		{"0x1_0p1", fails},
		{"123456789012345678901234567890", "1.2345678901234568E29"},
		{"0.1", "0.1"},
		{"9007199254740993", "9.007199254740992E15"},
	} {
		f, fault := ParseDouble([]byte(c.text))
		got := string(AppendDouble(nil, f))
		if fault != OK {
			got = fails
		}
		if got != c.want {
			t.Errorf("ParseDouble(%q) = %s, want %s", c.text, got, c.want)
		}
	}
}

// The short way and strconv's must give the same bits.
func TestShortFloat(t *testing.T) {
	for _, text := range []string{"0.3", "1.1", "123.456", "-0.0000001", "999999.9", "0.000000000000001", "16777.21", "0.1234567"} {
		for _, size := range []int{32, 64} {
			f, ok := shortFloat([]byte(text), size)
			if !ok {
				continue
			}
			// A final d takes the short way out.
			g, _ := parseFloat([]byte(text+"d"), size)
			if f != g {
				t.Errorf("%s (%d bits): %g, want %g", text, size, f, g)
			}
		}
	}
}

// Flink case cast-str-num, and the words of its documentation.
func TestParseBool(t *testing.T) {
	for text, want := range map[string]string{
		"true": "TRUE", "TRUE": "TRUE", "t": "TRUE", "T": "TRUE", "yes": "TRUE", "y": "TRUE", "1": "TRUE",
		"false": "FALSE", "f": "FALSE", "no": "FALSE", "N": "FALSE", "0": "FALSE",
		"on": fails, " true ": fails, "2": fails, "": fails, "abc": fails, "\x11": fails, "truE": "TRUE",
	} {
		b, fault := ParseBool([]byte(text))
		got := string(AppendBool(nil, b))
		if fault != OK {
			got = fails
		}
		if got != want {
			t.Errorf("ParseBool(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestIntLimits(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		text string
		want int64
		ok   bool
	}{
		{BigInt, "9223372036854775807", math.MaxInt64, true},
		{BigInt, "-9223372036854775808", math.MinInt64, true},
		{BigInt, "9223372036854775808", 0, false},
		{BigInt, "-9223372036854775809", 0, false},
		{BigInt, "99999999999999999999", 0, false},
		{BigInt, "00000000000000000000000001", 1, true},
		{SmallInt, "-32768", -32768, true},
		{SmallInt, "32768", 0, false},
		{Int, "-2147483648", math.MinInt32, true},
		{Int, "-2147483649", 0, false},
	} {
		got, fault := ParseInt([]byte(c.text), c.kind)
		if got != c.want || (fault == OK) != c.ok || !c.ok && fault != OutOfRange {
			t.Errorf("ParseInt(%q, %v) = %d, %v", c.text, c.kind, got, fault)
		}
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"1", "-1.5e3", "0x1p-3", ".5", "1e99999999999", "１２", "00000.0000000000000000000000000000000000000000001", "9.99e37"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := []byte(s)
		if i, fault := ParseInt(b, BigInt); fault == OK {
			text := AppendInt64(nil, Of(BigInt), i, nil)
			if j, fault := ParseCSVInt(text, BigInt); fault != OK || j != i {
				t.Errorf("%q: %d, %s, %d (%v)", s, i, text, j, fault)
			}
		}
		ParseDouble(b)
		d, fault := ParseDecimal(b, 38, 9)
		if fault == OK {
			text := AppendDecimal(nil, d, 9)
			if e, fault := ParseCSVDecimal(text, 38, 9); fault != OK || e != d {
				t.Errorf("%q: %s reads back as %v (%v)", s, text, e, fault)
			}
		}
		if i, fault64 := ParseDecimal64(b, 18, 9); fault64 == OK && (fault != OK || Widen(i) != d) {
			t.Errorf("%q: %d of 64 bits, %v (%v) of 128", s, i, d, fault)
		}
		ParseBool(b)
		ParseCSVInt(b, TinyInt)
		ParseCSVBool(b)
		ParseCSVBytes(nil, b)
	})
}
