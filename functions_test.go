package streamsql_test

import (
	"context"
	"testing"

	"streamsql"
	"streamsql/expr/builtin"
)

// TestFunctionExamples runs the examples of the SQL reference: each must give the
// text that stands beside it ("" is NULL).
func TestFunctionExamples(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for _, f := range builtin.Functions() {
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

// one returns the text of the only value of a query.
func one(engine *streamsql.Engine, text string) (string, error) {
	q, err := engine.Query(context.Background(), text)
	if err != nil {
		return "", err
	}
	defer q.Close()
	got := ""
	for b, err := range q.Batches() {
		if err != nil {
			return "", err
		}
		for row := range int(b.NumRows()) {
			got += string(b.AppendText(nil, row, 0))
		}
	}
	return got, nil
}
