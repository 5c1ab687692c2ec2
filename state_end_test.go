package streamsql_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"streamsql"
)

// TestStateAtTheEnd: the state of a finished query is counted up to its last row, also
// where rows came one by one and sent nothing.
func TestStateAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, 100} {
		e, err := streamsql.Open(streamsql.WithBatchSize(size))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Exec(t.Context(), "CREATE TABLE t (a STRING) WITH ('connector' = 'filesystem', 'path' = '"+path+"', 'format' = 'csv')"); err != nil {
			t.Fatal(err)
		}
		q, err := e.QueryFinal(t.Context(), "SELECT a, COUNT(*) FROM t GROUP BY a")
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range q.Batches() {
			if err != nil {
				t.Fatal(err)
			}
		}
		rows := int64(0)
		for _, o := range q.Stats().Operators {
			rows += o.StateRows
		}
		if rows != 21 {
			t.Errorf("batches of %d: %d groups are left, want 21", size, rows)
		}
		e.Close()
	}
}
