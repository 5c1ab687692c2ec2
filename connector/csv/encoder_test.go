package csv_test

import (
	"strings"
	"testing"

	"streamsql/connector/csv"
	"streamsql/connector/text/texttest"
	"streamsql/stream"
	"streamsql/types"
)

// encode writes one column of values.
func encode(t *testing.T, typ types.Type, opts string, values ...types.Value) string {
	t.Helper()
	e, err := csv.NewEncoder(stream.Schema{Fields: []stream.Field{{Name: "a b", Type: typ}}}, options(t, opts))
	if err != nil {
		t.Fatal(err)
	}
	b := stream.Batch{N: len(values), Cols: make([]stream.Vec, 1)}
	b.Cols[0].Reset(typ, len(values))
	for i, v := range values {
		b.Cols[0].Put(i, len(values), v)
	}
	out := e.AppendHeader(nil)
	for i := range values {
		if out, err = e.AppendRow(out, &b, i); err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

func texts(s ...string) []types.Value {
	var v []types.Value
	for _, x := range s {
		v = append(v, types.TextValue(x))
	}
	return v
}

func ints(n ...int64) []types.Value {
	var v []types.Value
	for _, x := range n {
		v = append(v, types.IntValue(x))
	}
	return v
}

// The expected lines are what Flink 2.3 writes.
func TestEncode(t *testing.T) {
	day := int64(19727) // 2024-01-05
	floats := []types.Value{types.FloatValue(1), types.FloatValue(0.1), types.FloatValue(1e7), types.FloatValue(1e-5), types.FloatValue(123456789012)}
	for _, c := range []struct {
		name, typ, opts string
		values          []types.Value
		want            string // lines, joined by a blank line's bar
	}{
		{"texts", "text", "", texts("x", "a b", "a,b", `say "hi"`, "", "a-b", `a\b`, "a/b", "é", "x\ny", "a+b", "a^b"),
			"x¦\"a b\"¦\"a,b\"¦\"say \"\"hi\"\"\"¦¦a-b¦\"a\\b\"¦a/b¦é¦\"x\ny\"¦\"a+b\"¦a^b"},
		{"long texts", "text", "", texts(strings.Repeat("x", 24), strings.Repeat("x", 25), strings.Repeat("日", 24), strings.Repeat("日", 25)),
			strings.Repeat("x", 24) + "¦\"" + strings.Repeat("x", 25) + "\"¦" + strings.Repeat("日", 24) + "¦\"" + strings.Repeat("日", 25) + "\""},
		{"bar", "text", "field-delimiter=|", texts("abc", "~", "}", "é", ""), "\"abc\"¦~¦}¦é¦"},
		{"date with a bar", "date", "field-delimiter=|", ints(day), "\"2024-01-05\""},
		{"no quotes", "text", "disable-quote-character=true", texts("a,b", `say "hi"`), `a,b¦say "hi"`},
		{"escape character", "text", `escape-character=\`, texts(`a"b`, `a\b`, "a,b", "x"), `"a""b"¦"a\\b"¦"a,b"¦x`},
		{"another escape character", "text", "escape-character=|", texts(`a"b`, "a|b", `a\b`, `a"|b`), `"a""b"¦"a||b"¦a\b¦"a""||b"`},
		{"single quotes", "text", "quote-character='", texts(`a"b`, "a'b", "a,b", "x"), `'a"b'¦'a''b'¦'a,b'¦x`},
		{"null", "int", "", []types.Value{types.NullValue, types.IntValue(-1)}, "¦-1"},
		{"null literal", "text", "null-literal=n/a", append(texts("x", "n/a"), types.NullValue), "x¦n/a¦n/a"},
		{"header", "int", "header=true", ints(1), "\"a b\"¦1"},
		{"booleans", "bool", "", ints(1, 0), "true¦false"},
		{"doubles", "f64", "", floats, "1.0¦0.1¦1.0E7¦1.0E-5¦1.23456789012E11"},
		{"decimals", "dec", "", ints(0, 100, 1000, 10000, 10050, 12000, 10, 1, -10000, -5), "0¦1¦1E+1¦1E+2¦100.5¦1.2E+2¦0.1¦0.01¦-1E+2¦-0.05"},
		{"large decimals", "dec38", "", []types.Value{{D: types.Widen(1)}, {D: types.Widen(1_000_000_000)}, {D: types.Widen(123_456_789_012_345)}},
			"1E-10¦0.1¦12345.6789012345"},
		{"dates", "date", "", ints(day, -719162), "2024-01-05¦0001-01-01"},
		{"times", "time", "", ints(37230120, 0), "10:20:30.12¦00:00:00"},
		{"timestamps", "ts", "", ints(day*86400000+3723100, -1, day*86400000), "\"2024-01-05 01:02:03.1\"¦\"1969-12-31 23:59:59.999\"¦\"2024-01-05 00:00:00\""},
		{"nanoseconds", "ts9", "", ints(1), "\"1970-01-01 00:00:00.000000001\""},
		{"local timestamps", "ltz", "", ints(0), "\"1970-01-01 00:00:00Z\""},
		{"bytes", "bytes", "", texts("abc", "", "\xff\x00"), "YWJj¦¦/wA="},
	} {
		got := encode(t, texttest.Kinds[c.typ], c.opts, c.values...)
		if want := strings.ReplaceAll(c.want, "¦", "\n") + "\n"; got != want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
		}
	}
}

// TestRoundTrip: what is written is read back.
func TestRoundTrip(t *testing.T) {
	in := []string{"x", "a,b", "\"", "\"\"", " x ", "x\r\ny", "\\", "#", "日本語", "'"}
	for _, opts := range []string{"", "field-delimiter=|", "quote-character='", `escape-character=\`, "trim-spaces=true"} {
		out := encode(t, texttest.Kinds["text"], opts, texts(in...)...)
		r := read{schema: schema("a text"), opts: options(t, opts)}
		if got := strings.Join(r.run(t, input("t.csv", out)).Values(), "¦"); got != strings.Join(in, "¦") {
			t.Errorf("options %q: wrote %q, read %q", opts, out, got)
		}
	}
}
