package csv_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector/text"
	"streamsql/stream"
)

// TestResume stops behind every batch and goes on with a new reader.
func TestResume(t *testing.T) {
	for i, header := range []string{"", "header=true; ignore-parse-errors=true", "", "header=true; ignore-parse-errors=true"} {
		head := ""
		if header != "" {
			head = "b,x,a\n"
		}
		inputs := []text.Input{
			input("d/1.csv", "\uFEFF"+head+"1,x,2\r\n3,\"y\nz\",4\r\n5,w,6"), input("d/2.csv", head), input("d/3.csv", head+"7,u,8\r9,t,10\n"),
		}
		r := read{schema: schema("b int, x text, a int"), opts: options(t, header), batch: 1, workers: i / 2 * 2, chunk: 9}
		if header != "" {
			r.schema = schema("a int, x text, b int")
		}
		want := r.run(t, inputs...)
		if len(want.Rows) != 5 || want.Err != "" {
			t.Fatalf("reading at once: %v", want)
		}
		var got []string
		for range 10 {
			rd := r.reader(t, nil, inputs...)
			var b stream.Batch
			err := rd.Next(context.Background(), &b)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rowsOf(&b)...)
			r.from = rd.Position()
			if err := rd.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want.Rows, got); diff != "" {
			t.Errorf("options %q: -at once +with restarts\n%s", header, diff)
		}
	}
}

func TestResumeFaults(t *testing.T) {
	r := read{schema: schema("a int"), opts: options(t, ""), batch: 1}
	rd := r.reader(t, nil, input("1.csv", "1\n2\n"))
	var b stream.Batch
	if err := rd.Next(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	from := rd.Position()
	if _, err := readerAt(r, from, input("2.csv", "1\n")); err == nil {
		t.Error("a file that is gone is no error")
	}
	if _, err := readerAt(r, from[:len(from)-1], input("1.csv", "1\n2\n")); err == nil {
		t.Error("a damaged position is no error")
	}
}

// TestOrigins: rows say on which line they start, over records of several lines,
// rows that were skipped and several inputs.
func TestOrigins(t *testing.T) {
	for _, workers := range []int{1, 2} {
		testOrigins(t, read{schema: schema("a int, b text"), opts: options(t, "allow-comments=true; ignore-parse-errors=true"),
			batch: 100, workers: workers, chunk: 5})
	}
}

func testOrigins(t *testing.T, r read) {
	res := r.run(t, input("1.csv", "1,x\n#c\n2,\"y\r\n\nz\"\r3,\"x\"w\n4,v\n"), input("2.csv", "5,u\n6,t,s\n7,r"))
	want := []string{"1.csv:1 1 | x", "1.csv:3 2 | y\r\n\nz", "1.csv:7 4 | v", "2.csv:1 5 | u", "2.csv:3 7 | r"}
	if diff := cmp.Diff(want, res.Rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	bad := []string{
		`1.csv:6  "3,\"x\"w" text behind a closing quote nulled=false`,
		`2.csv:2  "6,t,s" 3 fields, 2 expected nulled=false`,
	}
	if diff := cmp.Diff(bad, res.Bad); diff != "" {
		t.Errorf("bad rows: -want +got\n%s", diff)
	}
}

// TestTake: a batch that is taken stays as it is while the reader goes on.
func TestTake(t *testing.T) {
	for _, workers := range []int{1, 2} {
		testTake(t, workers)
	}
}

func testTake(t *testing.T, workers int) {
	data := "1,x,true,1.5\n,,,\n3,\"long enough to grow\",false,2\n4,z,true,\n"
	r := read{workers: workers, schema: schema("a int, b text, c bool, d f64"), opts: options(t, "null-literal="), batch: 1}
	want := r.run(t, input("t.csv", data))
	rd := r.reader(t, nil, input("t.csv", data))
	var b stream.Batch
	var taken []*stream.Batch
	for {
		b.Clear()
		if err := rd.Next(context.Background(), &b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, b.Take())
	}
	var got []string
	for _, b := range taken {
		got = append(got, rowsOf(b)...)
	}
	if diff := cmp.Diff(want.Rows, got); diff != "" || len(got) != 4 {
		t.Errorf("-read +taken\n%s", diff)
	}
}
