package csv_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql/connector/csv"
	"streamsql/stream"
)

// events makes rows of five columns: time, key, integer, decimal, flag.
func events(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "2024-05-%02d %02d:%02d:%02d.%03d,item-%d,%d,%.2f,%d\n", 1+i/86400%28, i/3600%24, i/60%60, i%60, rnd.IntN(1000),
			rnd.IntN(10000), rnd.IntN(100000), rnd.Float64()*1000, rnd.IntN(1000000))
	}
	return b.String()
}

const eventSchema = "ts ts, item text, qty big, price f64, id int"

func benchmark(b *testing.B, data string, rows int, r read) {
	b.Helper()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var batch stream.Batch
	for b.Loop() {
		rd := r.reader(b, nil, input("t.csv", data))
		got := 0
		for {
			batch.Clear()
			if err := rd.Next(context.Background(), &batch); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
			got += batch.N
		}
		if got != rows {
			b.Fatalf("%d rows, want %d", got, rows)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func BenchmarkDecode(b *testing.B) {
	const rows = 200_000
	data := events(rows)
	sc := schema(eventSchema)
	b.Run("all", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc, opts: options(b, "")}) })
	b.Run("three of five", func(b *testing.B) {
		benchmark(b, data, rows, read{schema: sc, columns: []int{0, 1, 3}, opts: options(b, "")})
	})
	b.Run("first", func(b *testing.B) {
		benchmark(b, data, rows, read{schema: sc, columns: []int{0}, opts: options(b, "")})
	})
	b.Run("slow path", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc, opts: options(b, ""), slow: true}) })
}

// BenchmarkWide reads three of fifty columns.
func BenchmarkWide(b *testing.B) {
	const rows = 20_000
	rnd := rand.New(rand.NewPCG(1, 2))
	var data strings.Builder
	cols := make([]string, 50)
	for c := range cols {
		cols[c] = fmt.Sprintf("c%d int", c)
	}
	for range rows {
		for c := range cols {
			if c > 0 {
				data.WriteByte(',')
			}
			fmt.Fprint(&data, rnd.IntN(100_000))
		}
		data.WriteByte('\n')
	}
	benchmark(b, data.String(), rows, read{schema: schema(strings.Join(cols, ",")), columns: []int{3, 20, 40}, opts: options(b, "")})
}

// TestAllocations: reading allocates per reader, never per row.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		name string
		slow bool
		opts string
	}{{"fast", false, ""}, {"slow", true, ""}, {"quotes", false, "escape-character=\\"}} {
		t.Run(c.name, func(t *testing.T) {
			count := func(rows int) float64 {
				data := events(rows)
				r := read{schema: schema(eventSchema), opts: options(t, c.opts), slow: c.slow, batch: 256}
				var batch stream.Batch
				return testing.AllocsPerRun(5, func() {
					rd := r.reader(t, nil, input("t.csv", data))
					for {
						batch.Clear()
						if err := rd.Next(context.Background(), &batch); err != nil {
							return
						}
					}
				})
			}
			if few, many := count(1000), count(11_000); many-few > 5 {
				t.Errorf("%.0f allocations for 10,000 more rows", many-few)
			}
		})
	}
}

func BenchmarkInfer(b *testing.B) {
	data := []byte("ts,item,qty,price,id\n" + events(30_000))[:1<<20]
	for b.Loop() {
		if _, _, err := csv.Infer("t.csv", data, false, csv.InferOptions{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
