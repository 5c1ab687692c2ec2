package streamsql_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"streamsql"
	"streamsql/expr/builtin"
	"streamsql/planner"
)

// TestFunctionExamples runs the examples of the SQL reference: each must give the
// text that stands beside it ("" is NULL).
func TestFunctionExamples(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for _, f := range append(builtin.Functions(), planner.SpecialFunctions()...) {
		for _, x := range f.Examples {
			got, err := one(engine, "SELECT "+x.SQL)
			if err != nil {
				t.Errorf("%s: %s: %v", f.Name, x.SQL, err)
			} else if got != x.Result {
				t.Errorf("%s: %s is %q, want %q", f.Name, x.SQL, got, x.Result)
			}
		}
	}
}

// one returns the texts of a query's first column, those before an error included.
func one(engine *streamsql.Engine, text string) (string, error) {
	q, err := engine.Query(context.Background(), text)
	if err != nil {
		return "", err
	}
	defer q.Close()
	got := ""
	for b, err := range q.Batches() {
		if err != nil {
			return got, err
		}
		for row := range int(b.NumRows()) {
			got += string(b.AppendText(nil, row, 0))
		}
	}
	return got, nil
}

// TestAggregateExamples runs the examples of the aggregates over the sample table of
// the reference.
func TestAggregateExamples(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	path := filepath.Join(t.TempDir(), "items.csv")
	rows := "2024-01-01 00:00:01,a,tea,1.5\n2024-01-01 00:00:02,b,cup,3\n2024-01-01 00:00:03,c,tea,4.5\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Exec(t.Context(), `CREATE TABLE items (ts TIMESTAMP(3), id STRING, item STRING, price DOUBLE, WATERMARK FOR ts AS ts)
		WITH ('connector' = 'filesystem', 'path' = '`+path+`', 'format' = 'csv')`); err != nil {
		t.Fatal(err)
	}
	const from = " FROM TABLE(TUMBLE(TABLE items, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
	for _, a := range builtin.Aggregates() {
		if len(a.Examples) == 0 || a.Usage == "" || a.Doc == "" {
			t.Errorf("%s is not documented", a.Name)
		}
		for _, x := range a.Examples {
			got, err := one(engine, "SELECT "+x.SQL+from)
			if err != nil {
				t.Errorf("%s: %s: %v", a.Name, x.SQL, err)
			} else if got != x.Result {
				t.Errorf("%s: %s is %q, want %q", a.Name, x.SQL, got, x.Result)
			}
		}
	}
}

// TestRowFaults: what cannot be given for a row says what to write instead.
func TestRowFaults(t *testing.T) {
	engine := userEngine(t)
	for text, want := range map[string]string{
		"JSON_VALUE(s, '$.a' RETURNING DOUBLE)":              "JSON_VALUE: the text '1.5' is no DOUBLE; hint: leave out RETURNING, and CAST the result",
		"JSON_VALUE(s, '$.b' RETURNING INT)":                 "JSON_VALUE: '2.5' is no INT; hint: leave out RETURNING, and CAST the result",
		"JSON_VALUE(s, 'lax $.c' ERROR ON EMPTY)":            "JSON_VALUE: there is no value",
		"JSON_QUERY(s, '$.b' ERROR ON ERROR)":                "JSON_QUERY: the value is no array or object; hint: use JSON_VALUE, or WITH WRAPPER",
		"REGEXP('x', 'y; ' || SUBSTRING(s, 3, 1) || '(?U)')": `regular expression 'y; a(?U)' uses the flag (?U), which is not supported; hint: write \p{IsAlphabetic} and the like`,
		"JSON_EXISTS('x', 'strict $.b' ERROR ON ERROR)":      "JSON_EXISTS: the text is no JSON",
	} {
		_, err := one(engine, "SELECT "+text+` FROM (VALUES ('{"a": "1.5", "b": 2.5}')) AS t(s)`)
		if err == nil || err.Error() != "1:8: "+want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
