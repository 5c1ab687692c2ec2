package csv_test

import (
	"fmt"
	"strings"
	"testing"

	"streamsql/connector/text"
)

// TestLongFields: fields of any length up to the limit of records (B023).
func TestLongFields(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	huge := strings.Repeat("日本\n,", 1<<17)
	data := "1," + long + ",a\n2,\"" + huge + "\",b\n3,y,c\n"
	for _, slow := range []bool{false, true} {
		for _, chunk := range []int{4096, 256 << 10} {
			r := read{schema: schema("a int, s text, z text"), opts: options(t, ""), slow: slow, chunk: chunk}
			got := r.run(t, input("t.csv", data))
			want := []string{"1 | " + long + " | a", "2 | " + huge + " | b", "3 | y | c"}
			for i, w := range want {
				if v := got.Values(); len(v) != 3 || v[i] != w {
					t.Fatalf("slow %v, chunk %d: row %d is wrong; %d rows, error %q", slow, chunk, i+1, len(v), got.Err)
				}
			}
		}
	}
}

// TestRecordLimit: a record longer than the limit is an error, or one bad row.
func TestRecordLimit(t *testing.T) {
	line := "3," + strings.Repeat("c", 1021) + "\n"
	data := "1,a\n2,\"b\n" + strings.Repeat(line, text.MaxRecord>>10+5)
	r := read{schema: schema("a int, s text"), opts: options(t, ""), columns: []int{0}, batch: 1 << 16, chunk: 1 << 20}
	res := r.run(t, input("t.csv", data))
	if len(res.Rows) != 1 || !strings.Contains(res.Err, "t.csv:2: record is longer than 16 MiB") {
		t.Errorf("%d rows, error %q", len(res.Rows), res.Err)
	}
	r.opts = options(t, "ignore-parse-errors=true")
	res = r.run(t, input("t.csv", data))
	if res.Err != "" || res.Counts.Bad != 1 || res.Counts.Delivered != text.MaxRecord>>10+6 {
		t.Errorf("counts %+v, error %q", res.Counts, res.Err)
	}
	r.opts = options(t, "")
	if res := r.run(t, input("t.csv", strings.Repeat("x", text.MaxRecord+1))); !strings.Contains(res.Err, "t.csv:1: record is longer than 16 MiB") {
		t.Errorf("a line without end: %q", res.Err)
	}
}

// TestLimitIsExact: the limit counts the bytes of a record without its line end,
// whatever the read buffer and the workers. A line above it is one bad row (B023, B039).
func TestLimitIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("records of 16 MiB, many times over")
	}
	line := func(n int, end string) string { return "1," + strings.Repeat("x", n-2) + end }
	behind := "2,b\n3,c\n"
	for _, c := range []struct {
		name   string
		data   string
		option string
		want   string // lines of the rows, then of the bad rows
	}{
		{"at the limit", line(text.MaxRecord, "\n") + behind, "", "1 2 3 /"},
		{"at the limit, CR LF", line(text.MaxRecord, "\r\n") + behind, "", "1 2 3 /"},
		{"at the limit, no end", "1,a\n" + line(text.MaxRecord, ""), "", "1 2 /"},
		{"one above", line(text.MaxRecord+1, "\n") + behind, "", "2 3 / 1"},
		{"one above, CR LF", line(text.MaxRecord+1, "\r\n") + behind, "", "2 3 / 1"},
		{"one above, no end", "1,a\n" + line(text.MaxRecord+1, ""), "", "1 / 2"},
		{"twelve above", "1,a\n" + line(text.MaxRecord+12, "\n") + behind, "", "1 3 4 / 2"},
		{"far above", "1,a\r\n" + line(5<<22, "\r\n") + behind, "", "1 3 4 / 2"},
		{"quoted, at the limit", "1,\"" + strings.Repeat(strings.Repeat("x", 4095)+"\n", text.MaxRecord>>12-1) + strings.Repeat("x", 4092) + "\"\n" + behind, "", "1 4097 4098 /"},
		{"never closed, records behind", "1,a\n2,\"b\n" + strings.Repeat("3,"+strings.Repeat("c", 1<<20)+"\n", 17), "", "1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 / 2"},
		{"long comment", "1,a\n#" + strings.Repeat("x", 5<<22) + "\n" + behind, "allow-comments=true", "1 3 4 /"},
	} {
		for chunk, all := range map[int][]int{1000: {0}, 1<<20 + 13: {2}, 32 << 20: {0}} {
			for _, workers := range all {
				r := read{schema: schema("a int, s text"), columns: []int{0}, opts: options(t, "ignore-parse-errors=true; "+c.option), chunk: chunk, workers: workers}
				for _, in := range []text.Input{input("t.csv", c.data), randomInput("t.csv", c.data)}[:1+workers/2] {
					res := r.run(t, in)
					var got []string
					for _, row := range res.Rows {
						at, _, _ := strings.Cut(row, " ")
						got = append(got, strings.TrimPrefix(at, "t.csv:"))
					}
					got = append(got, "/")
					for _, row := range res.Bad {
						at, _, _ := strings.Cut(row, " ")
						got = append(got, strings.TrimPrefix(at, "t.csv:"))
						if !strings.Contains(row[max(0, len(row)-100):], "record is longer than 16 MiB") {
							t.Errorf("%s, chunk %d, workers %d: reason %q", c.name, chunk, workers, row[max(0, len(row)-100):])
						}
					}
					if g := strings.Join(got, " "); g != c.want || res.Err != "" {
						t.Errorf("%s, chunk %d, workers %d: got %s, want %s, error %q", c.name, chunk, workers, g, c.want, res.Err)
					}
				}
			}
		}
	}
}

// TestWide: more columns than a word of bits (B027).
func TestWide(t *testing.T) {
	for _, n := range []int{1, 64, 65, 129, 130} {
		var names, fields, values []string
		for i := 1; i <= n; i++ {
			names = append(names, fmt.Sprintf("c%d", i))
			fields = append(fields, fmt.Sprintf("c%d int", i))
			values = append(values, fmt.Sprint(i))
		}
		r := read{schema: schema(strings.Join(fields, ",")), opts: options(t, "header=true"), columns: []int{n - 1}}
		res := r.run(t, input("t.csv", strings.Join(names, ",")+"\n"+strings.Join(values, ",")+"\n"))
		if len(res.Rows) != 1 || res.Values()[0] != fmt.Sprint(n) {
			t.Errorf("%d columns: %v", n, res)
		}
	}
}
