package json_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql/connector/json"
	"streamsql/stream"
)

// events makes rows of five columns: time, key, integer, decimal, integer.
func events(n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"ts":"2024-05-%02d %02d:%02d:%02d.%03d","item":"item-%d","qty":%d,"price":%.2f,"id":%d}`+"\n",
			1+i/86400%28, i/3600%24, i/60%60, i%60, rnd.IntN(1000), rnd.IntN(10000), rnd.IntN(100000), rnd.Float64()*1000, rnd.IntN(1000000))
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
		rd := r.reader(b, nil, input("t.json", data))
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
	const rows = 100_000
	data := events(rows)
	sc := schema(eventSchema)
	b.Run("all", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc}) })
	b.Run("three of five", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc, columns: []int{0, 1, 3}}) })
	b.Run("texts with ids", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc, intern: []int{1}}) })
	b.Run("three of five with ids", func(b *testing.B) {
		benchmark(b, data, rows, read{schema: sc, columns: []int{0, 1, 3}, intern: []int{1}})
	})
	b.Run("first", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc, columns: []int{0}}) })
	b.Run("slow path", func(b *testing.B) { benchmark(b, data, rows, read{schema: sc, slow: true}) })
	mixed := strings.Repeat(`{"ts":"2024-05-01 00:00:00","item":"a","qty":1,"id":2}`+"\n"+`{"item":"a \"quoted\" one","id":3,"note":{"k":[1,2,3]},"price":0.5}`+"\n", rows/2)
	b.Run("two kinds of rows", func(b *testing.B) { benchmark(b, mixed, rows, read{schema: sc}) })
}

// TestAllocations: reading allocates per reader, never per row.
func TestAllocations(t *testing.T) {
	for _, slow := range []bool{false, true} {
		count := func(rows int) float64 {
			data := events(rows) + strings.Repeat(`{"item":"a \"quoted\" one","id":3,"note":{"k":[1,2,3]},"qty":"12"}`+"\n"+`{"item":{"a":[1.50]},"qty":1.0}`+"\n", rows/2)
			r := read{schema: schema(eventSchema), slow: slow, batch: 256}
			var batch stream.Batch
			return testing.AllocsPerRun(5, func() {
				rd := r.reader(t, nil, input("t.json", data))
				for {
					batch.Clear()
					if err := rd.Next(context.Background(), &batch); err != nil {
						return
					}
				}
			})
		}
		if few, many := count(1000), count(11_000); many-few > 5 {
			t.Errorf("slow %v: %.0f allocations for 20,000 more rows", slow, many-few)
		}
	}
}

// TestFastPath: the slow path is asked for the first line of a kind only.
func TestFastPath(t *testing.T) {
	r := read{schema: schema(eventSchema)}
	data := strings.Repeat(events(3)+`{"item":"a\n","id":null,"note":{"k":[1]},"price":1e5}`+"\n"+`{"qty":"12","item":{"a":1}}`+"\n", 100)
	dec, err := json.NewDecoder(r.schema, r.wanted(), r.opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := json.SlowLines(dec, []byte(data)); n != 3 {
		t.Errorf("the slow path has read %d lines of 500, want one of each of the 3 kinds", n)
	}
}

func BenchmarkEncode(b *testing.B) {
	const rows = 4096
	rd := read{schema: schema(eventSchema)}.reader(b, nil, input("t.json", events(rows)))
	var batch stream.Batch
	if err := rd.Next(context.Background(), &batch); err != nil {
		b.Fatal(err)
	}
	e, err := json.NewEncoder(schema(eventSchema), json.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = out[:0]
		for i := range batch.N {
			if out, err = e.AppendRow(out, &batch, i); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(len(out)))
	}
}
