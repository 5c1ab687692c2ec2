package session

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"streamsql"
	"streamsql/cmd/streamsql/internal/format"
)

// inMemory is a query whose batches are there already.
type inMemory struct {
	Query
	batches []streamsql.Batch
}

func (m inMemory) Batches() iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for _, b := range m.batches {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// BenchmarkPrint measures printing alone, per row of five columns.
func BenchmarkPrint(b *testing.B) {
	const rows = 1 << 16
	var text []byte
	for i := range rows {
		text = fmt.Appendf(text, "2026-03-01 12:%02d:%02d.%03d,%d,item-%d-large,%d.%02d,%d\n", i/3600%60, i/60%60, i%1000, i*7919, i%10_000, i%700, i%100, i%20)
	}
	path := filepath.Join(b.TempDir(), "t.csv")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		b.Fatal(err)
	}
	e, err := streamsql.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	if _, err := e.Exec(ctx, `CREATE TABLE t (ts TIMESTAMP(3), user_id BIGINT, item STRING, price DOUBLE, qty BIGINT)
		WITH ('connector' = 'filesystem', 'path' = '`+path+`', 'format' = 'csv')`); err != nil {
		b.Fatal(err)
	}
	q, err := e.Query(ctx, "SELECT * FROM t")
	if err != nil {
		b.Fatal(err)
	}
	m := inMemory{Query: query{q}}
	for batch, err := range q.Batches() {
		if err != nil {
			b.Fatal(err)
		}
		m.batches = append(m.batches, batch)
	}
	cols := make([]format.Column, 5)
	for i, c := range q.Columns() {
		cols[i] = format.Column{Name: c.Name, Type: c.Type}
	}
	for _, name := range []string{"csv", "ndjson", "table", "changelog"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := &Session{Out: NewOutput(io.Discard)}
			for range b.N {
				pr := &printing{
					s: s, q: m, result: &Result{}, limit: -1, p: format.New(name, cols, format.Layout{}),
					cols: cols, cells: make([]format.Cell, 5), rows: format.Rows{Cols: make([]streamsql.TextColumn, 5), Plain: make([]bool, 5)},
				}
				if err := pr.run(); err != nil || pr.result.rows != rows {
					b.Fatal(err, pr.result.rows)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
