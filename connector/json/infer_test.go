package json_test

import (
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/json"
)

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		name, data, given string
		want              string // columns, or the error
	}{
		{name: "types", data: `{"id":1,"price":1.5,"ok":true,"day":"2024-01-01","ts":"2024-01-01 00:00:00","name":"x"}` + "\n" +
			`{"id":-2,"price":3,"ok":null,"day":"2024-02-29","ts":"2024-01-01 00:00:00.5"}` + "\n",
			want: "id BIGINT, price DOUBLE, ok BOOLEAN, day DATE, ts TIMESTAMP(3), name STRING"},
		{name: "first appearance", data: `{"b":1}` + "\n" + `{"a":2,"b":3,"c":null}` + "\n", want: "b BIGINT, a BIGINT, c STRING"},
		{name: "ISO times with zones", data: `{"a":"2024-01-01T00:00:00Z","b":"2024-01-01T00:00:00.123+01:00"}`, want: "a TIMESTAMP(3), b TIMESTAMP(3)"},
		{name: "times in two forms", data: `{"a":"2024-01-01T00:00:00Z"}` + "\n" + `{"a":"2024-01-01 00:00:00"}`, want: "a TIMESTAMP(3)"},
		{name: "integers are never times", data: `{"ts":1704067200000}`, want: "ts BIGINT"},
		{name: "what no BIGINT holds is a text", data: `{"a":9223372036854775807,"b":9223372036854775808}`, want: "a BIGINT, b STRING"},
		{name: "texts of digits are texts", data: `{"zip":"01234"}`, want: "zip STRING"},
		{name: "mixed", data: `{"a":1,"b":true,"c":"2024-01-01"}` + "\n" + `{"a":"x","b":1,"c":"2024-01-01 00:00:00"}`, want: "a STRING, b STRING, c STRING"},
		{name: "a fraction behind integers", data: `{"a":1}` + "\n" + `{"a":1e2}` + "\n" + `{"a":2}`, want: "a DOUBLE"},
		{name: "objects and arrays are texts", data: `{"a":{"x":1},"b":[1,2],"c":[]}`, want: "a STRING, b STRING, c STRING"},
		{name: "array of objects", data: `[{"a":1},{"b":"x"}]` + "\n" + `{"c":true}`, want: "a BIGINT, b STRING, c BOOLEAN"},
		{name: "escaped keys", data: `{"\u0061":1,"a":2,"é":3,"":4}`, want: "a BIGINT, é BIGINT"},
		{name: "bad lines are passed over", data: "x\n\n" + `{"a":1}` + "\n" + `{"b":` + "\n" + `{"c":1}`, want: "a BIGINT, c BIGINT"},
		{name: "byte order mark", data: "\uFEFF" + `{"a":1}`, want: "a BIGINT"},
		{name: "only bad lines", data: "{\n  \"a\": 1\n}\n", want: "there is no row to take the columns from: the line ends inside a JSON value"},
		{name: "empty file", data: "", want: "t.json has no JSON objects with keys"},
		{name: "unknown option", data: `{"a":1}`, given: "json.ignore-errors=true", want: `has no option "json.ignore-errors"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var given []connector.Option
			if k, v, ok := strings.Cut(c.given, "="); ok {
				given = append(given, connector.Option{Key: k, Value: v})
			}
			sc, opts, err := json.Infer("t.json", []byte(c.data), true, 100, given)
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %q, want %q", err, c.want)
				}
				return
			}
			var cols []string
			for _, f := range sc.Fields {
				cols = append(cols, f.Name+" "+f.Type.String())
			}
			if got := strings.Join(cols, ", "); got != c.want {
				t.Errorf("columns %s, want %s", got, c.want)
			}
			if strings.HasPrefix(c.name, "bad lines") {
				return
			}
			// What was inferred can be read.
			o, err := json.ParseOptions(opts)
			if err != nil {
				t.Fatal(err)
			}
			if res := (read{schema: sc, opts: o}).run(t, input("t.json", c.data)); res.Err != "" {
				t.Errorf("reading with the inferred columns: %s", res.Err)
			}
		})
	}
}

// TestInferBounds: a value behind the sample does not count, and a sample may end
// inside a row.
func TestInferBounds(t *testing.T) {
	data := strings.Repeat(`{"x":1}`+"\n", 50) + `{"x":1.5}` + "\n"
	for rows, want := range map[int]string{20: "BIGINT", 100: "DOUBLE"} {
		sc, _, err := json.Infer("t.json", []byte(data), true, rows, nil)
		if err != nil || sc.Fields[0].Type.String() != want {
			t.Errorf("%d rows: %v, %v", rows, sc, err)
		}
	}
	sc, _, err := json.Infer("t.json", []byte(`{"x":1}`+"\n"+`{"x":1,"y":`), false, 100, nil)
	if err != nil || len(sc.Fields) != 1 {
		t.Errorf("cut sample: %v, %v", sc, err)
	}
}
