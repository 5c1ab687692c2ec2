package streamsql

import (
	"fmt"
	"testing"
)

// The memory of a borrowed batch is used again, and only after it was given back.
func TestBorrowedBatches(t *testing.T) {
	const rows = 100_000
	e := openTest(t)
	if _, err := e.Exec(t.Context(), `CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '100000',
		'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '99999')`); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "SELECT n, 'v' || CAST(n AS STRING) AS s, NULLIF(MOD(n, 3), 0) AS r FROM g WHERE MOD(n, 7) > 2")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var cols [3]TextColumn
	for b, err := range q.BorrowedBatches() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range cols {
			b.Text(i, &cols[i])
		}
		for row := range int(b.NumRows()) {
			for n%7 <= 2 {
				n++
			}
			want := fmt.Sprintf("%d v%d %d false", n, n, n%3)
			if n%3 == 0 {
				want = fmt.Sprintf("%d v%d  true", n, n)
			}
			if got := fmt.Sprintf("%s %s %s %v", cols[0].Bytes(row), cols[1].Bytes(row), cols[2].Bytes(row), cols[2].IsNull(row)); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			n++
		}
	}
	if n != rows {
		t.Errorf("the last row is %d", n-1)
	}
}
