package format_test

import (
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/format"
	"streamsql/stream"
	"streamsql/types"
)

func TestInferFormat(t *testing.T) {
	const object, record = `{"a":1}` + "\n", "a,b\n1,2\n"
	for _, c := range []struct{ file, sample, given, want string }{
		{"x.csv", record, "", "csv"}, {"x.json", object, "", "json"}, {"x.JSON", object, "", "json"}, {"x.jsonl.gz", object, "", "json"},
		{"x.ndjson.bz2", object, "", "json"}, {"stdin", "\uFEFF \n" + object, "", "json"}, {"stdin", "[ " + object, "", "json"}, {"stdin", record, "", "csv"},
		{"stdin", "[1,2\n", "", "csv"}, {"x.csv", "{a,b}\n1,2\n", "", "csv"}, {"x.csv", object, "format=json", "json"}, {"x.json", record, "format=csv", "csv"},
		{"x.txt", "\n\n" + object, "json.ignore-parse-errors=true", "json"}, {"x.log", "{a;b\n", "csv.field-delimiter=;", "csv"},
		{"x.parquet", "PAR1", "", "not supported"}, {"x", "x", "format=raw", `columns of format "raw" cannot be inferred`},
	} {
		var given []connector.Option
		if k, v, ok := strings.Cut(c.given, "="); ok {
			given = append(given, connector.Option{Key: k, Value: v})
		}
		_, opts, err := format.Infer(c.file, []byte(c.sample), true, csv.InferOptions{}, given)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %q, %q: %v", c.file, c.sample, c.given, err)
			}
			continue
		}
		n := 0
		for _, o := range opts {
			if o.Key == "format" {
				n++
			}
		}
		if opts[0].Value != c.want || n != 1 {
			t.Errorf("%s, %q, %q: options %v", c.file, c.sample, c.given, opts)
		}
	}
}

func TestTableName(t *testing.T) {
	for path, want := range map[string]string{"d/x.csv.gz": "x", "x.json": "x", "x.jsonl": "x", "x.ndjson.bz2": "x", "x.log": "x.log", "x": "x"} {
		if got := format.TableName(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestEncoders(t *testing.T) {
	schema := stream.Schema{Fields: []stream.Field{{Name: "a", Type: types.Of(types.Varchar)}}}
	b := stream.Batch{N: 1, Cols: make([]stream.Vec, 1)}
	b.Cols[0].Reset(schema.Fields[0].Type, 1)
	b.Cols[0].Put(0, 1, types.TextValue("x"))
	for name, want := range map[string]string{"csv": "csv x\n", "json": "json {\"a\":\"x\"}\n", "raw": "txt x\n"} {
		f, err := format.New(format.Request{Connector: "c", Format: connector.Option{Value: name}, Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		e, err := f.Encoder()
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Row([]byte(e.Extension+" "), &b, 0)
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}
