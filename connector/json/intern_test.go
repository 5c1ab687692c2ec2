package json_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"streamsql/stream"
)

// TestIntern: equal texts get equal ids however they are spelled, over all batches and
// workers, NULLs too stand inside the dictionary, and what an id stands for never
// changes.
func TestIntern(t *testing.T) {
	var data strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&data, "{\"a\":%d%s}\n", i, []string{fmt.Sprintf(`,"b":"item %d"`, i*7%200), `,"b":"a,\"\n"`, `,"b":""`, `,"b":null`, `,"b":"\u00e9"`,
			`,"b":"é"`, "", `,"b":{"x": 1}`, `,"b":1.50`, `,"b":"{\"x\":1}"`}[i%10])
	}
	for _, workers := range []int{1, 2} {
		r := read{schema: schema("a int, b text"), opts: options(t, ""), intern: []int{1}, batch: 97, chunk: 900, workers: workers}
		rd := r.reader(t, nil, randomInput("t.json", data.String()))
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
					if id != 0 {
						t.Fatalf("the id under NULL is %d", id)
					}
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
		if rows != 3000 || len(ids) != 25 {
			t.Errorf("%d rows, %d values", rows, len(ids))
		}
	}
}

// TestInternGivesUp: where most values differ, texts are cheaper than ids.
func TestInternGivesUp(t *testing.T) {
	var data strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&data, "{\"a\":%d,\"b\":\"item %d\"}\n", i, i)
	}
	for _, workers := range []int{1, 2} {
		r := read{schema: schema("a int, b text"), opts: options(t, ""), intern: []int{1}, batch: 1000, chunk: 1 << 14, workers: workers}
		rd := r.reader(t, nil, randomInput("t.json", data.String()))
		var b stream.Batch
		rows := 0
		var last stream.Encoding
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
			last = b.Cols[1].Enc
		}
		// One of several workers may have had too few of the rows to give up by itself.
		if rows != 150_000 || workers == 1 && last != stream.Flat {
			t.Errorf("%d workers: %d rows, the last ones with encoding %d", workers, rows, last)
		}
	}
}
