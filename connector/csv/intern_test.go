package csv_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/text"
	"streamsql/stream"
)

// TestIntern: equal texts get equal ids over all batches and workers, NULLs too stand
// inside the dictionary, and what an id stands for never changes.
func TestIntern(t *testing.T) {
	var data strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&data, "%d,%s\n", i, []string{fmt.Sprintf("item %d", i*7%200), "\"a,\"\"b\"", "", "NULL", "é"}[i%5])
	}
	for _, workers := range []int{1, 2} {
		r := read{schema: schema("a int, b text"), opts: options(t, "null-literal=NULL"), intern: []int{1}, batch: 100, chunk: 900, workers: workers}
		rd := r.reader(t, nil, randomInput("t.csv", data.String()))
		var b stream.Batch
		ids, values := map[string]int32{}, map[int32]string{}
		rows := 0
		for {
			b.Clear()
			err := rd.Next(context.Background(), &b)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			v := &b.Cols[1]
			if v.Enc != stream.Dict || v.N != b.N {
				t.Fatalf("encoding %d of %d rows, not %d", v.Enc, v.N, b.N)
			}
			for i, id := range v.IDs() {
				if int(id) >= v.Dict.N {
					t.Fatalf("id %d of %d", id, v.Dict.N)
				}
				if v.IsNull(i) {
					continue
				}
				s := string(v.Bytes(i))
				if old, ok := ids[s]; ok && old != id {
					t.Fatalf("%q is %d and %d", s, old, id)
				}
				if old, ok := values[id]; ok && old != s {
					t.Fatalf("%d is %q and %q", id, old, s)
				}
				ids[s], values[id] = id, s
			}
			rows += b.N
		}
		if rows != 3000 || len(ids) != 43 {
			t.Errorf("%d rows, %d values", rows, len(ids))
		}
	}
}

// TestInternGivesUp: where most values differ, texts are cheaper than ids.
func TestInternGivesUp(t *testing.T) {
	var data strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&data, "%d,item %d\n", i, i)
	}
	for _, workers := range []int{1, 2} {
		r := read{schema: schema("a int, b text"), opts: options(t, ""), intern: []int{1}, batch: 1000, chunk: 1 << 14, workers: workers}
		rd := r.reader(t, nil, randomInput("t.csv", data.String()))
		var b stream.Batch
		rows := 0
		var last *stream.Vec
		for {
			b.Clear()
			if err := rd.Next(context.Background(), &b); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				if want := fmt.Sprint("item ", rows+i); string(b.Cols[1].Bytes(i)) != want {
					t.Fatalf("%q, want %q", b.Cols[1].Bytes(i), want)
				}
			}
			rows += b.N
			if last = nil; b.Cols[1].Enc == stream.Dict {
				last = b.Cols[1].Dict
			}
		}
		// A worker with few of the rows may still give them ids, but none of the reader's.
		if rows != 150_000 || last != nil && (workers == 1 || last.Series != 0) {
			t.Errorf("%d workers: %d rows, the last ones with dictionary %v", workers, rows, last)
		}
	}
}

// TestInternPrepared: what a worker prepares for a batch, over the ids that it gives the
// texts, is right for the batch that comes out, also once the reader has given up its
// dictionary, which happens earlier than the workers' own.
func TestInternPrepared(t *testing.T) {
	const rows = 150_000
	var data strings.Builder
	for i := range rows {
		fmt.Fprintf(&data, "%d,item %d\n", i, i*7919%100_000)
	}
	dec, err := csv.NewDecoder(schema("a int, b text"), []int{0, 1}, options(t, ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	prepare := func(b *stream.Batch, old any) any {
		v, _ := old.(*stream.Vec)
		if v == nil {
			v = new(stream.Vec)
		}
		*v = b.Cols[1]
		return v
	}
	rd, err := text.Open([]text.Input{randomInput("t.csv", data.String())}, dec,
		connector.OpenOptions{BatchSize: 1000, ReadBuffer: 1 << 14, Workers: 2, Intern: []int{1}, Prepare: prepare})
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	var b stream.Batch
	n := 0
	for {
		b.Clear()
		if err := rd.Next(t.Context(), &b); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if v, ok := rd.(connector.Ahead).Prepared().(*stream.Vec); ok {
			seen := *v
			seen.Dict = b.Cols[1].Dict
			if seen.Enc != b.Cols[1].Enc {
				t.Fatalf("row %d: encoding %d when it was prepared, now %d", n, seen.Enc, b.Cols[1].Enc)
			}
			for i := range b.N {
				if want := fmt.Sprint("item ", (n+i)*7919%100_000); string(seen.Bytes(i)) != want {
					t.Fatalf("row %d: %q, want %q", n+i, seen.Bytes(i), want)
				}
			}
		}
		n += b.N
	}
	if n != rows {
		t.Errorf("%d rows", n)
	}
}
