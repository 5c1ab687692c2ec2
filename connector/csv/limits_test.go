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
				if v := got.values(); len(v) != 3 || v[i] != w {
					t.Fatalf("slow %v, chunk %d: row %d is wrong; %d rows, error %q", slow, chunk, i+1, len(v), got.err)
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
	if len(res.rows) != 1 || !strings.Contains(res.err, "t.csv:2: record is longer than 16 MiB") {
		t.Errorf("%d rows, error %q", len(res.rows), res.err)
	}
	r.opts = options(t, "ignore-parse-errors=true")
	res = r.run(t, input("t.csv", data))
	if res.err != "" || res.counts.Bad != 1 || res.counts.Delivered != text.MaxRecord>>10+6 {
		t.Errorf("counts %+v, error %q", res.counts, res.err)
	}
	if res := r.run(t, input("t.csv", strings.Repeat("x", text.MaxRecord+1))); !strings.Contains(res.err, "t.csv:1: record is longer than 16 MiB") {
		t.Errorf("a line without end: %q", res.err)
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
		if len(res.rows) != 1 || res.values()[0] != fmt.Sprint(n) {
			t.Errorf("%d columns: %v", n, res)
		}
	}
}
