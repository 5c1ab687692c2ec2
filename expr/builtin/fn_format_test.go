package builtin_test

import (
	"regexp"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
)

// TestPrintf has answers of Flink 2.3.
func TestPrintf(t *testing.T) {
	checkAll(t, []fcase{
		{"PRINTF", "s", "STRING", []string{"%%|%", "%5|∅", "%|∅", "x%nz|x\nz", "%s|∅", "|"}},
		{"PRINTF", "s i", "STRING", []string{"%5d.|42|   42.", "%-5d.|42|42   .", "%05d|42|00042", "%x|255|ff", "%X|255|FF", "%o|8|10", "%,d|1234567|1,234,567",
			"%+d|5|+5", "%x|-1|ffffffff", "(%(d)|-5|((5))", "% d|5| 5", "%c|65|A", "%s|∅|null", "%d|∅|null", "%b|∅|false", "%q|1|∅", "%-d|1|∅", "x|1|x", "∅|1|∅", "%#x|16|0x10", "%.1d|1|∅"}},
		{"PRINTF", "s bi", "STRING", []string{"%x|-1|ffffffffffffffff", "%d|5|5"}},
		{"PRINTF", "s s", "STRING", []string{"%s|a|a", "%S|a|A", "%10s|ab|        ab", "%-10s|ab|ab        ", "%.2s|abc|ab", "%d|x|∅", "%c|ab|∅", "%s %s|a|∅", "%1$s%<s|é|éé"}},
		{"PRINTF", "s s s", "STRING", []string{"%2$s %1$s %<s|a|b|b a a"}},
		{"PRINTF", "s d", "STRING", []string{"%f|1.5|1.500000", "%.2f|2.345|2.35", "%e|12345.678|1.234568e+04", "%.3e|12345.678|1.235e+04", "%g|0.0001|0.000100000",
			"%g|123456789|1.23457e+08", "%.0f|2.5|3", "%.0f|0.5|1", "%f|1e20|100000000000000000000.000000", "%e|0|0.000000e+00", "%10.2f.|3.14159|      3.14.", "%-10.2f.|3.14159|3.14      .",
			"%d|1.5|∅", "%s|1e10|1.0E10", "%f|NaN|NaN", "%05.0f|-Infinity|-Infinity", "%,.2f|-1234567.891|-1,234,567.89", "%e|9.9999999E-5|1.000000e-04"}},
		{"PRINTF", "s dc", "STRING", []string{"%f|1.25|∅", "%s|1.50|1.50"}},
		{"PRINTF", "s b", "STRING", []string{"%b|TRUE|true", "%B|FALSE|FALSE", "%5s.|TRUE| true."}},
		{"PRINTF", "s dt", "STRING", []string{"%s|2024-01-01|19723"}},
		{"PRINTF", "s t0", "STRING", []string{"%s|2024-01-01 10:00:00|2024-01-01T10:00", "%s|2024-01-01 10:00:07|2024-01-01T10:00:07"}},
		{"PRINTF", "s t3", "STRING", []string{"%s|2024-01-01 10:00:00.120|2024-01-01T10:00:00.120"}},
	})
	refuses(t, "PRINTF", "i", "a text as format")
	refuses(t, "PRINTF", "s by", "texts, numbers and times")
}

func TestCharsets(t *testing.T) {
	checkAll(t, []fcase{
		{"ENCODE", "s s", "BYTES", []string{"aé😀|US-ASCII|x'613f3f'", "aé|ISO-8859-1|x'61e9'", "aé|utf-8|x'61c3a9'", "aé|UTF-16LE|x'6100e900'", "aé|UTF-16BE|x'006100e9'",
			"aé|UTF-16|x'feff006100e9'", "|UTF-16|x''", "a|LATIN1|x'61'", "a|UTF-32|x'00000061'", "😀|UTF-16BE|x'd83dde00'", "∅|UTF-8|∅", "a|∅|∅"}},
		{"UNHEX", "s", "BYTES", []string{"48656c6c6f|x'48656c6c6f'", "|x''", "F|x'00'", "1FF|x'00ff'", "AbC|x'00bc'", "é|∅", "0x1f|∅", "zz|∅", "∅|∅"}},
	})
	decode(t, "\xff\xfea\x00", "UTF-16", "a")
	decode(t, "\xfe\xff\x00a", "UTF-16", "a")
	decode(t, "\x00a", "UTF-16", "a")
	decode(t, "a\xe9", "US-ASCII", "a\uFFFD")
	decode(t, "a\xe9", "latin1", "aé")
	decode(t, "a\xe9", "UTF-8", "a\uFFFD")
	decode(t, "a\x00\x00\xd8", "UTF-16LE", "a\uFFFD")
	decode(t, "a", "UTF-16BE", "\uFFFD")
	decode(t, "\xd8\x3d\xde\x00", "utf-16be", "😀")
	decode(t, "\x00\x01\xf6\x00", "UTF-32", "😀")
	decode(t, "\xff\xff\xff\xff", "UTF-32", "\uFFFD")
	fails(t, "ENCODE", "s s", "a|EBCDIC", "'EBCDIC' is not known")
	refuses(t, "DECODE", "s s", "bytes as argument 1")
}

func decode(t *testing.T, bytes, charset, want string) {
	t.Helper()
	b := &stream.Batch{N: 1, Cols: make([]stream.Vec, 2)}
	for k, s := range []string{bytes, charset} {
		b.Cols[k].Reset(typeNames[[]string{"by", "s"}[k]], 1)
		b.Cols[k].AppendString(s)
	}
	e, err := bind("DECODE", []expr.Expr{&expr.Column{Info: expr.Info{T: typeNames["by"]}}, &expr.Column{Info: expr.Info{T: typeNames["s"]}, Index: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := evaluate(e, b, nil); err != nil || got[0] != want {
		t.Errorf("DECODE(%x, %s) is %q, %v, want %q", bytes, charset, got, err, want)
	}
}

// TestRand has the first numbers that java.util.Random gives for seed 1.
func TestRand(t *testing.T) {
	rows := func(name string, args ...expr.Expr) []string {
		e, err := bind(name, args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := evaluate(e, &stream.Batch{N: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	seed := constant(t, "i", "1")
	if got := rows("RAND", seed); got[0] != "0.7308781907032909" || got[1] != "0.41008081149220166" {
		t.Errorf("RAND(1) is %v", got)
	}
	if got := rows("RAND_INTEGER", seed, constant(t, "i", "100")); got[0] != "85" || got[1] != "88" {
		t.Errorf("RAND_INTEGER(1, 100) is %v", got)
	}
	form := regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
	for _, f := range builtin.RandomFunctions(func() uint64 { return 7 }) {
		if f.Examples != nil || !f.NonDeterministic {
			t.Errorf("%s has examples or may be folded", f.Name)
		}
	}
	if got := rows("UUID"); !form.MatchString(got[0]) || !form.MatchString(got[1]) || got[0] == got[1] {
		t.Errorf("UUID() is %v", got)
	}
	if got := rows("RAND"); got[0] == got[1] {
		t.Errorf("RAND() is %v", got)
	}
	fails(t, "RAND_INTEGER", "i", "0", "positive")
}

func constant(t *testing.T, typ, text string) expr.Expr {
	ty := typeNames[typ]
	return &expr.Literal{Info: expr.Info{T: ty.Required()}, Value: argument(t, ty, text)}
}
