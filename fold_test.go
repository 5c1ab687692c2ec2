package streamsql

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// foldedRows runs a query and returns the rows that are left after all its changes,
// sorted.
func foldedRows(t *testing.T, e *Engine, sql string) []string {
	t.Helper()
	q, err := e.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]int{}
	cols := make([]TextColumn, len(q.Columns()))
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range cols {
			b.Text(i, &cols[i])
		}
		for row := range int(b.NumRows()) {
			var cells []string
			for i := range cols {
				if cols[i].IsNull(row) {
					cells = append(cells, "<NULL>")
				} else {
					cells = append(cells, string(cols[i].Bytes(row)))
				}
			}
			line, step := strings.Join(cells, " | "), 1
			if b.Kind(row).Retracts() {
				step = -1
			}
			if left[line] += step; left[line] < 0 {
				t.Fatalf("%s takes back a row that is not there: %s", sql, line)
			}
		}
	}
	var rows []string
	for line, n := range left {
		for range n {
			rows = append(rows, line)
		}
	}
	slices.Sort(rows)
	return rows
}

// foldTable writes rows that come, and rows that go again, and makes three tables: t of
// those that come, c with all changes, and r of the rows that are left in the end.
func foldTable(t *testing.T, e *Engine, r *rand.Rand) {
	t.Helper()
	var came, changes, there []string
	for range 300 {
		if len(there) > 0 && r.IntN(3) == 0 {
			i := r.IntN(len(there))
			row := there[i]
			i = slices.Index(there, row) // of equal rows the first one goes
			there = slices.Delete(there, i, i+1)
			changes = append(changes, "d,"+row)
			continue
		}
		cell := func(text string) string {
			if r.IntN(6) == 0 {
				return "NULL"
			}
			return text
		}
		row := fmt.Sprintf("%s,%s,%s,%s,2024-05-01 10:%02d:00", cell(fmt.Sprint("k", r.IntN(5))), cell(fmt.Sprint(r.IntN(9)-4)),
			cell(fmt.Sprint(float64(r.IntN(40))/8)), cell(fmt.Sprint("s", r.IntN(6))), r.IntN(60))
		came, changes, there = append(came, row), append(changes, "c,"+row), append(there, row)
	}
	dir := t.TempDir()
	for _, f := range []struct {
		name, first string
		rows        []string
	}{{"t", "", came}, {"changes", "op STRING, ", changes}, {"r", "", there}} {
		path := filepath.Join(dir, f.name+".csv")
		if err := os.WriteFile(path, []byte(strings.Join(f.rows, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Exec(t.Context(), "CREATE TABLE "+f.name+" ("+f.first+`k STRING, v INT, d DOUBLE, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' DAY)
			WITH ('connector' = 'filesystem', 'path' = '`+path+`', 'format' = 'csv', 'csv.null-literal' = 'NULL')`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Exec(t.Context(), "CREATE VIEW c AS SELECT * FROM FROM_CHANGELOG(input => TABLE changes, op_mapping => MAP['c', 'INSERT', 'd', 'DELETE'])"); err != nil {
		t.Fatal(err)
	}
}

// What is left of the changes of an aggregate without a window is what the aggregate
// of one window that holds all rows sends; and over rows that come and go it is the
// aggregate of those that stay.
func TestChangesFoldToTheAnswer(t *testing.T) {
	aggs := []string{
		"COUNT(*)", "COUNT(v)", "SUM(v)", "AVG(v)", "MIN(v)", "MAX(v)", "SUM(d)", "AVG(d)", "MIN(d)", "MAX(s)", "MIN(s)", "FIRST_VALUE(v)", "LAST_VALUE(v)",
		"FIRST_VALUE(s)", "LAST_VALUE(s)", "LISTAGG(s)", "LISTAGG(s, '-')", "JSON_ARRAYAGG(v)", "PERCENTILE(v, 0.3)", "COUNT(DISTINCT v)", "SUM(DISTINCT v)", "COUNT(DISTINCT s)",
		"AVG(v) FILTER (WHERE s <> 's1')", "COUNT(DISTINCT s) FILTER (WHERE v > 0)", "VAR_POP(v)", "MIN(ts)", "MAX(ts)",
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		e, err := Open(WithBatchSize([]int{1, 7, 4096}[seed%3]))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		foldTable(t, e, r)
		for range 20 {
			var list []string
			for range 1 + r.IntN(4) {
				list = append(list, aggs[r.IntN(len(aggs))])
			}
			calls := strings.Join(list, ", ")
			key, keys := "k, ", "k, "
			switch r.IntN(4) {
			case 0:
				key, keys = "", ""
			case 1:
				key, keys = "k, s, ", "k, s, "
			}
			grouped := func(table string) string {
				if keys == "" {
					return "SELECT " + calls + " FROM " + table
				}
				return "SELECT " + key + calls + " FROM " + table + " GROUP BY " + strings.TrimSuffix(keys, ", ")
			}
			window := "SELECT " + key + calls + " FROM t GROUP BY " + keys + "TUMBLE(ts, INTERVAL '10' DAY)"
			if got, want := foldedRows(t, e, grouped("t")), foldedRows(t, e, window); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s\nleaves\n%s\nthe window has\n%s", seed, grouped("t"), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if strings.Contains(calls, "_VALUE") || strings.Contains(calls, "LISTAGG") || strings.Contains(calls, "ARRAYAGG") || strings.Contains(calls, "VAR_") {
				continue // of equal values the first one goes, which may have been another row's
			}
			if got, want := foldedRows(t, e, grouped("c")), foldedRows(t, e, grouped("r")); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s\nleaves\n%s\nof the rows that stay it is\n%s", seed, grouped("c"), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// textRows returns the changes of a query as lines.
func textRows(t *testing.T, q *Query, err error) (lines []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	cols := make([]TextColumn, len(q.Columns()))
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range cols {
			b.Text(i, &cols[i])
		}
		for row := range int(b.NumRows()) {
			line := b.Kind(row).String()
			for i := range cols {
				line += " " + string(cols[i].Bytes(row))
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Who only wants the rows that are left gets them in the same order, whether they come
// at the end or are folded from changes.
func TestQueryFinal(t *testing.T) {
	for _, size := range []int{1, 3, 4096} {
		e, err := Open(WithBatchSize(size))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		for _, c := range []struct {
			sql   string
			atEnd bool
			want  string
		}{
			{"SELECT k, COUNT(*) AS n, SUM(v) FROM (VALUES ('b', 1), ('a', 2), ('b', 3), ('c', 4), ('a', 5)) AS t (k, v) GROUP BY k", true, "+I b 2 4,+I a 2 7,+I c 1 4"},
			{"SELECT MAX(v) AS m, k FROM (VALUES ('b', 1), ('a', 2), ('b', 3)) AS t (k, v) GROUP BY k", true, "+I 3 b,+I 2 a"},
			{"SELECT COUNT(*) FROM (VALUES (1), (2)) AS t (v)", true, "+I 2"},
			{"SELECT COUNT(*) FROM (VALUES (1), (2)) AS t (v) WHERE v > 5", true, ""},
			{"SELECT DISTINCT v FROM (VALUES (2), (1), (2)) AS t (v)", true, "+I 2,+I 1"},
			{"SELECT COUNT(*) FROM (VALUES (1), (2)) AS t (v) GROUP BY v", false, "+I 1,+I 1"},
			{"SELECT v, COUNT(*) FROM (VALUES (1), (2)) AS t (v) GROUP BY v HAVING COUNT(*) > 0", false, "+I 1 1,+I 2 1"},
			{"SELECT n, COUNT(*) FROM (SELECT v, COUNT(*) AS n FROM (VALUES (1), (2)) AS t (v) GROUP BY v) GROUP BY n", false, "+I 1 1,-U 1 1,+U 1 2"},
			{"SELECT v FROM (VALUES (1), (2)) AS t (v)", false, "+I 1,+I 2"},
			{"SELECT v FROM (VALUES (2), (1), (3)) AS t (v) ORDER BY v", true, "+I 1,+I 2,+I 3"},
			{"SELECT v FROM (VALUES (2), (1), (3)) AS t (v) ORDER BY v DESC LIMIT 2", true, "+I 3,+I 2"},
			{"SELECT k FROM (VALUES ('b', 1), ('a', 2), ('c', 3)) AS t (k, v) ORDER BY v DESC LIMIT 2 OFFSET 1", true, "+I a,+I b"},
			{"SELECT k || '!' FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('c', 0)) AS t (k, v) GROUP BY k ORDER BY COUNT(*) DESC, MAX(v) DESC LIMIT 3", true, "+I a!,+I b!,+I c!"},
			{"SELECT k, SUM(v) AS s FROM (VALUES ('a', 5), ('b', 4), ('a', -3)) AS t (k, v) GROUP BY k ORDER BY s DESC LIMIT 2", true, "+I b 4,+I a 2"},
			{"SELECT v FROM (VALUES (2), (1), (3)) AS t (v) LIMIT 2", false, "+I 2,+I 1"},
		} {
			q, err := e.QueryFinal(t.Context(), c.sql)
			if got := strings.Join(textRows(t, q, err), ","); got != c.want {
				t.Errorf("%s: got %s, want %s", c.sql, got, c.want)
			}
			if q.AtEnd() != c.atEnd {
				t.Errorf("%s: all rows at the end: %v", c.sql, q.AtEnd())
			}
		}
	}
}

// Who shows how far a query is gets its changes, but ORDER BY with LIMIT in order when
// it need not be waited for.
func TestQueryOrdered(t *testing.T) {
	const values = "(VALUES (2), (1), (3)) AS t (v)"
	first := func(rows int64) func(*Engine, context.Context, string) (*Query, error) {
		return func(e *Engine, ctx context.Context, text string) (*Query, error) {
			return e.QueryFirst(ctx, text, rows, false)
		}
	}
	for _, c := range []struct {
		name, sql string
		start     func(*Engine, context.Context, string) (*Query, error)
		atEnd     bool
		want      string
	}{
		{"sorted", "SELECT v FROM " + values + " ORDER BY v DESC LIMIT 2", (*Engine).QueryOrdered, true, "+I 3,+I 2"},
		{"no order", "SELECT COUNT(*) FROM " + values, (*Engine).QueryOrdered, false, "+I 1,-U 1,+U 2,-U 2,+U 3"},
		{"live", "SELECT v FROM live ORDER BY v DESC LIMIT 1", (*Engine).QueryOrdered, false, "+I 2,-U 2,+U 3"},
		{"changes", "SELECT v FROM " + values + " ORDER BY v DESC LIMIT 1", (*Engine).Query, false, "+I 2,-U 2,+U 3"},
		{"first of the sorted", "SELECT v FROM " + values + " ORDER BY v DESC LIMIT 2", first(1), true, "+I 3"},
		{"first of live", "SELECT v FROM live ORDER BY v DESC LIMIT 2", first(1), true, "+I 3"},
		{"first", "SELECT v FROM " + values, first(2), false, "+I 2,+I 1"},
	} {
		in, out, err := os.Pipe() // what comes from a pipe is live
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		io.WriteString(out, "2\n1\n3\n")
		out.Close()
		e, err := Open(WithStdin(in))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		if _, err := e.Exec(t.Context(), "CREATE TABLE live (v INT) WITH ('connector'='stdin', 'format'='csv')"); err != nil {
			t.Fatal(err)
		}
		q, err := c.start(e, t.Context(), c.sql)
		if got := strings.Join(textRows(t, q, err), ","); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if q.AtEnd() != c.atEnd {
			t.Errorf("%s: all rows at the end: %v", c.name, q.AtEnd())
		}
	}
}
