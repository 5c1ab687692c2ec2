package types

import "testing"

// Flink case cast-bytes, and the same question for more malformed sequences.
func TestAppendUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"Hello":            "Hello",
		"\xff":             "\uFFFD",
		"\xe2\x82":         "\uFFFD",
		"\xff\xffa":        "\uFFFD\uFFFDa",
		"\xf0\x9f\x98":     "\uFFFD",
		"\xed\xa0\x80":     "\uFFFD",
		"\xc0\xaf":         "\uFFFD\uFFFD",
		"é😀":               "é😀",
		"\xf0\x9f\x98\x80": "😀",
		"a\xe2\x82b":       "a\uFFFDb",
	} {
		if got := string(AppendUTF8(nil, []byte(in))); got != want {
			t.Errorf("%x gives %q, want %q", in, got, want)
		}
	}
}

// Flink case cast-bytes.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		in   string
		t    Type
		want string
	}{
		{"ab", NewChar(3), "ab "},
		{"Hello", NewChar(3), "Hel"},
		{"é😀", NewChar(8), "é😀      "},
		{"é😀x", NewChar(2), "é😀"},
		{"", NewChar(3), "   "},
		{"40000", NewVarchar(2), "40"},
		{"１２", NewVarchar(2), "１２"},
		{"１２３", NewVarchar(2), "１２"},
		{"ab", NewVarchar(3), "ab"},
		{"ab", Of(Varchar), "ab"},
		{"", NewVarchar(0), ""},
		{"a", NewChar(0), ""},
	} {
		dst := []byte("before")
		dst = FitText(append(dst, c.in...), len("before"), c.t)
		if got := string(dst); got != "before"+c.want {
			t.Errorf("%q as %v gives %q, want %q", c.in, c.t, got, c.want)
		}
	}
	for _, c := range []struct {
		in   string
		t    Type
		want string
	}{
		{"ab", Type{Kind: Binary, Length: 8}, "x'6162000000000000'"},
		{"Hello", Type{Kind: Binary, Length: 2}, "x'4865'"},
		{"Hello", Type{Kind: Varbinary, Length: 2}, "x'4865'"},
		{"", Type{Kind: Varbinary, Length: 2}, "x''"},
		{"ab", Of(Varbinary), "x'6162'"},
	} {
		if got := string(AppendHex(nil, FitBytes([]byte(c.in), 0, c.t))); got != c.want {
			t.Errorf("%q as %v gives %s, want %s", c.in, c.t, got, c.want)
		}
	}
}

// Values of every type read back as what they were printed from.
func TestParseText(t *testing.T) {
	for _, c := range []struct {
		t    Type
		text string
	}{
		{Of(Boolean), "TRUE"},
		{Of(TinyInt), "-128"},
		{Of(SmallInt), "32767"},
		{Of(Int), "-2147483648"},
		{Of(BigInt), "9223372036854775807"},
		{Of(Float), "1.5"},
		{Of(Double), "-1.0E-5"},
		{NewDecimal(10, 2), "-99999999.99"},
		{NewDecimal(38, 18), "99999999999999999999.999999999999999999"},
		{NewDecimal(38, 18), "-0.000000000000000001"},
		{NewChar(3), "abc"},
		{Of(Varchar), "é😀"},
		{Of(Date), "2024-02-29"},
		{Type{Kind: Time, Precision: 3}, "12:34:56.7"},
		{Type{Kind: Time}, "12:34:56"},
		{NewTimestamp(0), "2024-02-29 12:34:56"},
		{NewTimestamp(3), "1969-07-20 20:17:40.500"},
		{NewTimestamp(6), "2024-02-29 12:34:56.123456"},
		{NewTimestampLTZ(9), "2024-02-29 12:34:56.123456789"},
	} {
		v, err := ParseText(c.t, c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := string(AppendValue(nil, c.t, v, nil)); got != c.text {
			t.Errorf("%v: %q comes back as %q", c.t, c.text, got)
		}
	}
	for _, bad := range []struct {
		t    Type
		text string
	}{{Of(Int), "x"}, {Of(IntervalDay), "1"}, {Of(Date), "2024-02-30"}, {Of(Boolean), "maybe"}} {
		if _, err := ParseText(bad.t, bad.text); err == nil {
			t.Errorf("%q was read as %v", bad.text, bad.t)
		}
	}
}

// What runs once per value must not allocate.
func TestAllocations(t *testing.T) {
	buf := make([]byte, 0, 128)
	big := dec(t, "12345678901234567890.123456789012345678", 18)
	berlin := zone(t, "Europe/Berlin")
	stamp := []byte("2024-02-29T12:34:56.789+01:00")
	for name, f := range map[string]func(){
		"double":      func() { buf = AppendDouble(buf[:0], 123.456789) },
		"double, big": func() { buf = AppendDouble(buf[:0], 1.7976931348623157e308) },
		"float":       func() { buf = AppendFloat(buf[:0], 0.1) },
		"decimal":     func() { buf = AppendDecimal(buf[:0], big, 18) },
		"timestamp":   func() { buf = AppendTimestamp(buf[:0], Local(1709210096789, 1e3, berlin), 1e3, 3) },
		"instant":     func() { Instant(1709210096789, 1e3, berlin) },
		"interval":    func() { buf = AppendIntervalDay(buf[:0], 93784567) },
		"bytes":       func() { buf = AppendHex(buf[:0], stamp) },
		"parse": func() {
			ParseCSVInt(stamp, Int)
			ParseCSVInt([]byte(" 12 "), Int)
			ParseCSVDouble([]byte("123.456"))
			ParseCSVDouble([]byte("1.2345678901234567890e-7"))
			ParseCSVDouble(stamp)
			ParseCSVDecimal64([]byte("123.456"), 10, 2)
			ParseCSVDecimal([]byte("12345678901234567890.123456789012345678"), 38, 18)
			ParseCSVTimestamp(stamp, 1e3, 3)
			ParseCSVDate([]byte("2024-02-29"))
			ParseCSVTime([]byte("12:34:56.789"), 3)
			ParseTimestamp([]byte("2024-02-29 12:34:56.789"))
		},
		"arithmetic": func() {
			p, _ := MulDecimal(big, 18, Widen(15), 1, 38, 16)
			q, _ := DivDecimal(p, 16, big, 18, 38, 6)
			AddDecimal(p, 16, q, 6, 38, 16)
			Rescale64(12345, 2, 1, 10)
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkAppendDouble(b *testing.B) {
	var buf [32]byte
	for b.Loop() {
		AppendDouble(buf[:0], 123.456789)
	}
}

func BenchmarkAppendDoubleLarge(b *testing.B) {
	var buf [32]byte
	for b.Loop() {
		AppendDouble(buf[:0], 1.2345678901234567e25)
	}
}

func BenchmarkParseCSVTimestamp(b *testing.B) {
	text := []byte("2024-02-29 12:34:56.789")
	for b.Loop() {
		ParseCSVTimestamp(text, 1e3, 3)
	}
}

func BenchmarkParseCSVDouble(b *testing.B) {
	text := []byte("123.456789")
	for b.Loop() {
		ParseCSVDouble(text)
	}
}

func BenchmarkDivDecimal(b *testing.B) {
	x, y := Widen(123456789012), Widen(3)
	for b.Loop() {
		DivDecimal(x, 2, y, 0, 38, 13)
	}
}
