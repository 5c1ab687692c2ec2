package json_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/json"
	"streamsql/stream"
	"streamsql/types"
)

// deep has one of everything that a column can be made of.
var deep = types.NewRow(
	types.Field{Name: "i", Type: types.Of(types.Int)},
	types.Field{Name: "s", Type: types.Of(types.Varchar)},
	types.Field{Name: "a", Type: types.NewArray(types.NewArray(types.Of(types.Double)))},
	types.Field{Name: "m", Type: types.NewMap(types.Of(types.Varchar), types.NewRow(types.Field{Name: "t", Type: types.NewTimestamp(3)}, types.Field{Name: "b", Type: types.Of(types.Varbinary)}))},
	types.Field{Name: "c", Type: types.NewMultiset(types.Of(types.Varchar))},
	types.Field{Name: "d", Type: types.NewArray(types.NewDecimal(20, 2))},
)

func deepSchema() stream.Schema {
	return stream.Schema{Fields: []stream.Field{{Name: "x", Type: deep}}}
}

func TestNestedRoundTrip(t *testing.T) {
	in := `{"x":{"i":1,"s":"a\"b","a":[[1.5,null],null,[]],"m":{"k":{"t":"2024-01-05 01:02:03.5","b":"YWJj"},"":null},"c":{"p":2},"d":[12.5,1E+2]}}
{"x":null}
{"x":{"i":null,"s":null,"a":null,"m":null,"c":null,"d":null}}
{"x":{"i":-7,"s":"","a":[],"m":{},"c":{},"d":[]}}
`
	rd := read{schema: deepSchema()}.reader(t, nil, input("t.json", in))
	defer rd.Close()
	var b stream.Batch
	if err := rd.Next(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	e, err := json.NewEncoder(deepSchema(), json.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for i := range b.N {
		if out, err = e.AppendRow(out, &b, i); err != nil {
			t.Fatal(err)
		}
	}
	if string(out) != in {
		t.Errorf("written:\n%swant:\n%s", out, in)
	}
}

// A value inside that cannot be read is NULL there, and counted and reported like one
// of a column.
func TestNestedFaults(t *testing.T) {
	for _, c := range []struct{ in, want, reason string }{
		{`{"x":{"i":"q","a":[[1,"w"],5],"d":["1"]}}`, "(NULL, NULL, [[1.0, NULL], NULL], NULL, NULL, [1.00])", `x.i: "q" is not an INT`},
		{`{"x":{"m":{"k":{"t":"never"}}}}`, "(NULL, NULL, NULL, {k=(NULL, NULL)}, NULL, NULL)", `x.m[].t: "never" is not a TIMESTAMP(3)`},
		{`{"x":[1]}`, "", "x: [1] is not a ROW<"},
		{`{"x":{"i":1,"i":2}}`, "(2, NULL, NULL, NULL, NULL, NULL)", ""},
		{`{"x":{"c":{"a":1,"a":3}}}`, "(NULL, NULL, NULL, NULL, {a=3}, NULL)", ""},
	} {
		strict := read{schema: deepSchema()}.run(t, input("t.json", c.in))
		if c.reason != "" && (!strings.Contains(strict.Err, strings.Replace(c.reason, ":", "\":", 1))) {
			t.Errorf("%s: error %v, want one with %s", c.in, strict.Err, c.reason)
		}
		var bad []string
		rd := read{schema: deepSchema(), opts: options(t, "ignore-parse-errors=true")}.reader(t, func(r connector.BadRow) {
			bad = append(bad, fmt.Sprintf("%s: %s", r.Column, r.Reason))
		}, input("t.json", c.in))
		var b stream.Batch
		if err := rd.Next(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if got := string(types.AppendValue(nil, deep, b.Cols[0].Value(0), nil)); got != c.want {
			t.Errorf("%s is read as %s, want %s", c.in, got, c.want)
		}
		if c.reason == "" && len(bad) > 0 || c.reason != "" && (len(bad) == 0 || !strings.Contains(strings.Join(bad, "\n"), c.reason)) {
			t.Errorf("%s reports %q, want %s", c.in, bad, c.reason)
		}
		rd.Close()
	}
}
