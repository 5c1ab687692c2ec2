package json_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector/text"
	"streamsql/stream"
)

// TestResume stops behind every batch, also inside arrays, and goes on with a new
// reader.
func TestResume(t *testing.T) {
	inputs := []text.Input{
		input("d/1.json", "\uFEFF{\"a\":1,\"b\":\"x\"}\r\n\n[{\"a\":2},{\"a\":3,\"b\":\"y\"} , {\"a\":4}]\n{\"a\":5}\n{\"a\":\"bad\"}"), input("d/2.json", ""),
		input("d/3.json", "[{\"a\":6},{\"a\":7}]\n{\"b\":\"z\",\"a\":8}\n[{\"a\":9},{\"a\":10}]"),
	}
	for _, workers := range []int{0, 2} {
		r := read{schema: schema("a int, b text"), opts: options(t, "ignore-parse-errors=true"), batch: 1, workers: workers}
		want := r.run(t, inputs...)
		if len(want.Rows) != 11 || want.Err != "" {
			t.Fatalf("reading at once: %v", want)
		}
		var got []string
		for range 15 {
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
			t.Errorf("workers %d: -at once +with restarts\n%s", workers, diff)
		}
	}
}

// TestResumeBeforeFault stops behind a row of an array whose line is wrong behind it, and
// meets what is wrong after going on.
func TestResumeBeforeFault(t *testing.T) {
	for _, rest := range []string{"\r\n", ",{\"a\":x}]\n", "}\n", "]x\n", ""} {
		in := input("1.json", "[{\"a\":1}"+rest+"{\"a\":2}\n")
		r := read{schema: schema("a int"), opts: options(t, ""), batch: 1}
		want := r.run(t, in)
		if len(want.Rows) != 1 || want.Err == "" {
			t.Fatalf("%q at once: %v", rest, want)
		}
		rd := r.reader(t, nil, in)
		var b stream.Batch
		if err := rd.Next(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		r.from = rd.Position()
		if err := rd.Close(); err != nil {
			t.Fatal(err)
		}
		if got := r.run(t, in); len(got.Rows) > 0 || got.Err != want.Err {
			t.Errorf("%q: after going on %v, want error %q", rest, got, want.Err)
		}
	}
}

func TestResumeFaults(t *testing.T) {
	r := read{schema: schema("a int"), batch: 1}
	rd := r.reader(t, nil, input("1.json", `{"a":1}`+"\n"+`{"a":2}`+"\n"))
	var b stream.Batch
	if err := rd.Next(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	from := rd.Position()
	if _, err := readerAt(r, from, input("2.json", `{"a":1}`)); err == nil {
		t.Error("a file that is gone is no error")
	}
}

// TestOrigins: rows say on which line they stand, over arrays, empty lines, rows
// that were skipped and several inputs.
func TestOrigins(t *testing.T) {
	for _, workers := range []int{0, 2} {
		r := read{schema: schema("a int"), opts: options(t, "ignore-parse-errors=true"), batch: 100, workers: workers}
		res := r.run(t, input("1.json", "{\"a\":1}\n\n[{\"a\":2},{\"a\":3}]\nx\n{\"a\":\"y\"}\n{\"a\":4}\n"), input("2.json", "\n{\"a\":5}\n{\"a\":6}"))
		want := []string{"1.json:1 1", "1.json:3 2", "1.json:3 3", "1.json:5 <NULL>", "1.json:6 4", "2.json:2 5", "2.json:3 6"}
		if diff := cmp.Diff(want, res.Rows); diff != "" {
			t.Errorf("workers %d: -want +got\n%s", workers, diff)
		}
		bad := []string{`1.json:4  "x" '{' expected at byte 1 nulled=false`, `1.json:5 a "{\"a\":\"y\"}" "y" is not an INT nulled=true`}
		if diff := cmp.Diff(bad, res.Bad); diff != "" {
			t.Errorf("workers %d: bad rows: -want +got\n%s", workers, diff)
		}
	}
}

// TestTake: a batch that is taken stays as it is while the reader goes on.
func TestTake(t *testing.T) {
	data := `{"a":1,"b":"x","c":true}` + "\n" + `{"b":"long enough to grow"}` + "\n" + `{"a":3,"c":false}` + "\n"
	r := read{schema: schema("a int, b text, c bool"), batch: 1}
	want := r.run(t, input("t.json", data))
	rd := r.reader(t, nil, input("t.json", data))
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
	if diff := cmp.Diff(want.Rows, got); diff != "" || len(got) != 3 {
		t.Errorf("-read +taken\n%s", diff)
	}
}

// TestLongLines: values of any length, up to the limit of lines (B039).
func TestLongLines(t *testing.T) {
	long, huge := strings.Repeat("x", 70_000), strings.Repeat("日本,", 1<<17)
	data := fmt.Sprintf("{\"a\":1,\"s\":%q}\n{\"a\":2,\"s\":%q}\n{\"a\":3,\"s\":\"y\"}\n", long, huge)
	for _, slow := range []bool{false, true} {
		for _, chunk := range []int{4096, 256 << 10} {
			r := read{schema: schema("a int, s text"), slow: slow, chunk: chunk}
			got := r.run(t, input("t.json", data)).Values()
			if want := []string{"1 | " + long, "2 | " + huge, "3 | y"}; strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("slow %v, chunk %d: %d rows, not as written", slow, chunk, len(got))
			}
		}
	}
}

// TestLineLimit: a line longer than the limit is an error, or one bad row, whatever
// the read buffer (B039).
func TestLineLimit(t *testing.T) {
	line := func(n int) string { return `{"id":1,"s":"` + strings.Repeat("x", n-15) + `"}` + "\n" }
	for _, c := range []struct {
		name string
		data string
		rows int
	}{
		{"at the limit", line(text.MaxRecord) + `{"id":2}`, 2},
		{"at the limit, CR LF", strings.TrimSuffix(line(text.MaxRecord), "\n") + "\r\n" + `{"id":2}`, 2},
		{"above the limit", line(text.MaxRecord+1) + `{"id":2}`, 1},
		{"far above the limit", line(5<<22) + `{"id":2}`, 1},
		{"behind a good row", `{"id":3}` + "\n" + line(5<<22) + `{"id":2}`, 2},
		{"without end", `{"id":3}` + "\n" + strings.TrimSuffix(line(5<<22), "\n"), 1},
	} {
		for chunk, all := range map[int][]int{1 << 20: {0, 2}, 32 << 20: {0}} {
			for _, workers := range all {
				r := read{schema: schema("id int, s text"), columns: []int{0}, opts: options(t, "ignore-parse-errors=true"), chunk: chunk, workers: workers}
				res := r.run(t, input("t.json", c.data))
				bad := strings.Count(c.data, "\n") + 1 - c.rows
				if len(res.Rows) != c.rows || int(res.Counts.Bad) != bad || res.Err != "" {
					t.Errorf("%s, chunk %d, workers %d: rows %q, counts %+v, error %q", c.name, chunk, workers, res.Rows, res.Counts, res.Err)
				}
				r.opts = options(t, "")
				if res = r.run(t, input("t.json", c.data)); (res.Err != "") != (bad > 0) || bad > 0 && !strings.Contains(res.Err, "line is longer than 16 MiB") {
					t.Errorf("%s, chunk %d, workers %d: error %q", c.name, chunk, workers, res.Err)
				}
			}
		}
	}
}
