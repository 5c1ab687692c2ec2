package json_test

import (
	"math"
	"strings"
	"testing"

	"streamsql/connector/json"
	"streamsql/connector/text/texttest"
	"streamsql/stream"
	"streamsql/types"
)

// encode writes one column of values.
func encode(t *testing.T, typ types.Type, opts string, values ...types.Value) string {
	t.Helper()
	e, err := json.NewEncoder(stream.Schema{Fields: []stream.Field{{Name: "a", Type: typ}}}, options(t, opts))
	if err != nil {
		t.Fatal(err)
	}
	b := stream.Batch{N: len(values), Cols: make([]stream.Vec, 1)}
	b.Cols[0].Reset(typ, len(values))
	for i, v := range values {
		b.Cols[0].Put(i, len(values), v)
	}
	var out []byte
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

// The expected values are what Flink 2.3 writes.
func TestEncode(t *testing.T) {
	day := int64(19727) // 2024-01-05
	floats := []types.Value{types.FloatValue(1.5), types.FloatValue(0.1), types.FloatValue(1e7), types.FloatValue(1e21), types.FloatValue(math.NaN()), types.FloatValue(math.Inf(-1))}
	for _, c := range []struct {
		name, typ, opts string
		values          []types.Value
		want            string
	}{
		{"texts", "text", "", texts(`say "hi"`, `a\b`, "x\ny\tz\x01", "ü日😀", "a/b", "<&>", "\u2028\x7f", "", "\x1f\r\b\f"),
			`"say \"hi\""¦"a\\b"¦"x\ny\tz\u0001"¦"ü日\uD83D\uDE00"¦"a/b"¦"<&>"¦"` + "\u2028\x7f" + `"¦""¦"\u001F\r\b\f"`},
		{"null", "int", "", []types.Value{types.NullValue, types.IntValue(-1)}, "null¦-1"},
		{"booleans", "bool", "", ints(1, 0), "true¦false"},
		{"small integers", "i8", "", ints(-128), "-128"},
		{"doubles", "f64", "", floats, `1.5¦0.1¦1.0E7¦1.0E21¦"NaN"¦"-Infinity"`},
		{"floats", "f32", "", []types.Value{types.FloatValue(0.1), types.FloatValue(1e10)}, "0.1¦1.0E10"},
		{"decimals", "dec", "", ints(0, 100, 1000, 10000, 10050, 150, -5), "0¦1¦1E+1¦1E+2¦100.5¦1.5¦-0.05"},
		{"plain decimals", "dec", "encode.decimal-as-plain-number=true", ints(0, 100, 10000, -5), "0.00¦1.00¦100.00¦-0.05"},
		{"large decimals", "dec38", "", []types.Value{{D: types.Widen(1)}, {D: types.Widen(0)}, {D: types.Widen(1_000_000_000)}}, "1E-10¦0¦0.1"},
		{"dates", "date", "", ints(day, -719162), `"2024-01-05"¦"0001-01-01"`},
		{"times", "time", "", ints(37230120, 0), `"10:20:30.12"¦"00:00:00"`},
		{"timestamps", "ts", "", ints(day*86400000+3723100, -1, day*86400000+60000), `"2024-01-05 01:02:03.1"¦"1969-12-31 23:59:59.999"¦"2024-01-05 00:01:00"`},
		{"ISO timestamps", "ts", "timestamp-format.standard=ISO-8601", ints(day*86400000+3723100, day*86400000+60000), `"2024-01-05T01:02:03.1"¦"2024-01-05T00:01:00"`},
		{"local timestamps", "ltz", "", ints(0, 123), `"1970-01-01 00:00:00Z"¦"1970-01-01 00:00:00.123Z"`},
		{"ISO local timestamps", "ltz", "timestamp-format.standard=ISO-8601", ints(0), `"1970-01-01T00:00:00Z"`},
		{"nanoseconds", "ts9", "", ints(1), `"1970-01-01 00:00:00.000000001"`},
		{"bytes", "bytes", "", texts("abc", "", "\xff\x00"), `"YWJj"¦""¦"/wA="`},
	} {
		got := encode(t, texttest.Kinds[c.typ], c.opts, c.values...)
		want := `{"a":` + strings.ReplaceAll(c.want, "¦", "}\n{\"a\":") + "}\n"
		if got != want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
		}
	}
}

// TestKeys: keys are escaped, and those of NULLs left out where that is asked for.
func TestKeys(t *testing.T) {
	sc := schema(`x int, y text, z int`)
	sc.Fields[1].Name = `a"b`
	b := stream.Batch{N: 4, Cols: make([]stream.Vec, 3)}
	for k, f := range sc.Fields {
		b.Cols[k].Reset(f.Type, 4)
		for i := range 4 {
			v := types.IntValue(int64(i))
			if f.Type.IsText() {
				v = types.TextValue("t")
			}
			if i>>k&1 == 0 && i != 3 {
				v = types.NullValue
			}
			b.Cols[k].Put(i, 4, v)
		}
	}
	for opts, want := range map[string]string{
		"":                               `{"x":null,"a\"b":null,"z":null}` + "\n" + `{"x":1,"a\"b":null,"z":null}` + "\n" + `{"x":null,"a\"b":"t","z":null}` + "\n" + `{"x":3,"a\"b":"t","z":3}` + "\n",
		"encode.ignore-null-fields=true": "{}\n" + `{"x":1}` + "\n" + `{"a\"b":"t"}` + "\n" + `{"x":3,"a\"b":"t","z":3}` + "\n",
	} {
		e, err := json.NewEncoder(sc, options(t, opts))
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for i := range 4 {
			if out, err = e.AppendRow(out, &b, i); err != nil {
				t.Fatal(err)
			}
		}
		if string(out) != want {
			t.Errorf("options %q: got\n%s", opts, out)
		}
	}
}

// TestRoundTrip: what is written is read back.
func TestRoundTrip(t *testing.T) {
	in := []string{"x", `"`, `\`, "\x01\x1f\x7f", "a\r\nb", "日本語😀", " ", "", "{}", "null"}
	out := encode(t, texttest.Kinds["text"], "", texts(in...)...)
	r := read{schema: schema("a text")}
	if got := strings.Join(r.run(t, input("t.json", out)).Values(), "¦"); got != strings.Join(in, "¦") {
		t.Errorf("wrote %q, read %q", out, got)
	}
	for typ, values := range map[string][]types.Value{
		"dec38": {{D: types.Widen(1)}, {D: types.Widen(1_000_000_000_000)}}, "ts9": ints(1, 1e18), "ltz": ints(-1, 123), "time": ints(0, 86399999),
		"f64": {types.FloatValue(0.1), types.FloatValue(1e300), types.FloatValue(math.Inf(1))}, "bytes": texts("", "\xff"), "date": ints(-719162),
	} {
		e := encode(t, texttest.Kinds[typ], "", values...)
		r := read{schema: schema("a " + typ)}
		var want []string
		for _, v := range values {
			want = append(want, string(types.AppendValue(nil, texttest.Kinds[typ], v, nil)))
		}
		if got := r.run(t, input("t.json", e)).Values(); strings.Join(got, "¦") != strings.Join(want, "¦") {
			t.Errorf("%s: wrote %q, read %q, want %q", typ, e, got, want)
		}
	}
}
