package streamsql

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"streamsql/internal/diag"
)

// TestCountsOfALimit: what a limit cuts off was not read, whatever the batch size, so
// the counts of source and operators add up.
func TestCountsOfALimit(t *testing.T) {
	for _, size := range []int{1, 3, 7, 4096} {
		for _, first := range []bool{false, true} {
			e, err := Open(WithBatchSize(size))
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if _, err := e.Exec(t.Context(), `CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '20000',
				'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '20000')`); err != nil {
				t.Fatal(err)
			}
			text := "SELECT n + 1 FROM g WHERE MOD(n, 2) = 0"
			var q *Query
			if first {
				q, err = e.QueryFirst(t.Context(), text, 5, false)
			} else {
				q, err = e.Query(t.Context(), text+" LIMIT 5")
			}
			if err != nil {
				t.Fatal(err)
			}
			rows := int64(0)
			for b, err := range q.Batches() {
				if err != nil {
					t.Fatal(err)
				}
				rows += b.NumRows()
			}
			s := q.Stats()
			if src := s.Sources[0]; rows != 5 || s.RowsOut != 5 || src.Delivered != 10 || src.Read != src.Delivered+src.Bad+src.Unread {
				t.Errorf("batch size %d: %d rows, %d out, source %+v", size, rows, s.RowsOut, src)
			}
			got := ""
			for _, o := range s.Operators {
				got += fmt.Sprintf("%s %d=%d+%d %d; ", o.Name, o.In, o.Used, o.Filtered, o.Out)
			}
			if want := "Filter 10=5+5 5; Project 5=5+0 5; Limit 5=5+0 5; "; got != want {
				t.Errorf("batch size %d: %s", size, got)
			}
		}
	}
}

// TestNilContext: a missing context is the caller's mistake, not a fault of the engine.
func TestNilContext(t *testing.T) {
	e := openTest(t)
	var none context.Context
	_, err := e.Query(none, "SELECT 1")
	_, other := e.Exec(none, "SHOW TABLES")
	for _, err := range []error{err, other} {
		var d *Error
		if !errors.As(err, &d) || d.Code != diag.InvalidArgument || d.Hint == "" {
			t.Errorf("%v", err)
		}
	}
}
