package session

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

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

// plainRows are rows as a program of its own would hold them.
type plainRows struct {
	second, milli []int // since 12:00
	user, qty     []int64
	item          []string
	price         []float64
}

func newPlainRows(n int) *plainRows {
	r := new(plainRows)
	for i := range n {
		r.second, r.milli = append(r.second, i/60%3600), append(r.milli, i%1000)
		r.user, r.qty = append(r.user, int64(i*7919)), append(r.qty, int64(i%20))
		r.item = append(r.item, fmt.Sprintf("item-%d-large", i%10_000))
		r.price = append(r.price, float64(i%700)+float64(i%100)/100)
	}
	return r
}

// appendCSV writes row i as CSV in the quickest way there is for these columns: every
// second has its text already, and prices have two digits.
func (r *plainRows) appendCSV(out []byte, prefix []byte, i int) []byte {
	m := r.milli[i]
	out = append(out, prefix...)
	out = append(out, '.', byte('0'+m/100), byte('0'+m/10%10), byte('0'+m%10), ',')
	out = strconv.AppendInt(out, r.user[i], 10)
	out = append(out, ',')
	out = append(out, r.item[i]...)
	out = append(out, ',')
	cents := int64(math.Round(r.price[i] * 100))
	out = strconv.AppendInt(out, cents/100, 10)
	out = append(out, '.', byte('0'+cents/10%10))
	if cents%10 != 0 {
		out = append(out, byte('0'+cents%10))
	}
	out = append(out, ',')
	out = strconv.AppendInt(out, r.qty[i], 10)
	return append(out, '\n')
}

// print writes all rows, 64 KiB at a time.
func (r *plainRows) print(w io.Writer, out []byte) []byte {
	out = out[:0]
	var prefix []byte
	last := -1
	for i := range r.user {
		if s := r.second[i]; s != last {
			prefix, last = fmt.Appendf(prefix[:0], "2026-03-01 12:%02d:%02d", s/60, s%60), s
		}
		if out = r.appendCSV(out, prefix, i); len(out) > 64<<10 {
			w.Write(out)
			out = out[:0]
		}
	}
	w.Write(out)
	return out
}

// BenchmarkPrint measures printing alone, per row of five columns, in nanoseconds and
// against a loop by hand that writes the same rows as CSV.
func BenchmarkPrint(b *testing.B) {
	const rows = 1 << 16
	plain := newPlainRows(rows)
	var text []byte
	for i := range rows {
		text = plain.appendCSV(text, fmt.Appendf(nil, "2026-03-01 12:%02d:%02d", plain.second[i]/60, plain.second[i]%60), i)
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
			var byHand, ours time.Duration
			var out []byte
			for range b.N {
				began := time.Now()
				out = plain.print(io.Discard, out)
				byHand += time.Since(began)
				began = time.Now()
				pr := &printing{
					s: s, q: m, result: &Result{}, limit: -1, p: format.New(name, cols, format.Layout{}),
					cols: cols, cells: make([]format.Cell, 5), rows: format.Rows{Cols: make([]streamsql.TextColumn, 5), Plain: make([]bool, 5)},
				}
				if err := pr.run(); err != nil || pr.result.rows != rows {
					b.Fatal(err, pr.result.rows)
				}
				ours += time.Since(began)
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/rows, "ns/row")
			b.ReportMetric(float64(ours)/float64(byHand), "x-loop")
		})
	}
}
