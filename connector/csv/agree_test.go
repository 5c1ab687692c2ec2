package csv_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector/text"
)

// pieces are fields of all types at the borders between the two paths.
var pieces = []string{
	"", "1", "-1", "+1", "007", "12345678", "123456789012345678", "1234567890123456789", "99999999999999999999", "127", "128", "-129", "32768",
	"1.5", "-0.0", ".5", "5.", "1e3", "1E-3", "123.456", "1234567.1", "0.000001", "12345678901234567.5", "999.99", "1000.00", "0.005",
	"16777217", "9007199254740993", "0.1", "3.4e38", "-", ".", "NaN", "Infinity", "-.5",
	"true", "FALSE", "True", "truex", "t", "x", "text of some length, no", "ab\tc", "é", "日本語日本語", "\xff", "a\"b", "NULL", "null",
	"2024-01-01", "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2024-1-1", "0000-01-01", "0001-01-01", "1969-12-31", "9999-12-31", "2024-12-31",
	"2024-01-01 00:00:00", "2024-01-01T00:00:00", "2024-01-01 00:00:00.5", "2024-01-01 00:00:59.123456789", "2024-01-01 00:00:59.1234567891",
	"2024-01-01 00:00:00.", "2024-01-01 00:00:60", "2024-01-01 24:00:00", "2024-02-30 00:00:00", "1677-09-21 00:12:43", "2262-04-11 23:47:17",
	"1400-01-01 00:00:00", "2300-01-01 00:00:00", "2024-01-01 00:00:00Z", "2024-01-01 00:00:00+01:00", " 2024-01-01 00:00:00 ",
	"10:20:30", "10:20", "YWJj", "YQ==", " 1 ", "1 ", "\"1\"", "\"x,y\"", "\"a\"\"b\"", "\"a\nb\"", "\"a\r\nb\"", "\"\"", "\"1.5\"", "\"2024-01-01\"",
	"\"true\"", "\"x", "\"x\"y", "\"x\" ", "#c", "1\x00",
}

// TestPathsAgree reads random records of such fields by both paths and in pieces.
func TestPathsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	all := strings.Split(wide, ", ")
	ends := []string{"\n", "\n", "\n", "\r\n", "\r", "\n\n", "\r\r\n"}
	for round := range 1200 {
		n := 1 + rnd.IntN(6)
		var cols []string
		for range n {
			c := all[rnd.IntN(len(all))]
			cols = append(cols, c[:1]+string(rune('a'+len(cols)))+c[1:])
		}
		r := read{schema: schema(strings.Join(cols, ",")), columns: []int{}, batch: 1 + rnd.IntN(4)}
		for i := range n {
			if rnd.IntN(4) > 0 {
				r.columns = append(r.columns, i)
			}
		}
		o := fuzzOptions[rnd.IntN(len(fuzzOptions))]
		if rnd.IntN(2) == 0 {
			o += "; ignore-parse-errors=true"
		}
		r.opts = options(t, o)
		var b strings.Builder
		if r.opts.Header {
			b.WriteString(strings.Join(r.schema.Names(), ",") + "\n")
		}
		for range 1 + rnd.IntN(5) {
			width := n
			if rnd.IntN(8) == 0 {
				width += rnd.IntN(3) - 1
			}
			for i := range width {
				if i > 0 {
					b.Write(r.opts.Delimiter)
				}
				if rnd.IntN(5) > 0 {
					b.WriteString(pieces[rnd.IntN(len(pieces))])
					continue
				}
				digits := strconv.FormatUint(rnd.Uint64()>>rnd.IntN(60), 10)
				at := rnd.IntN(len(digits) + 1)
				b.WriteString(digits[:at] + "." + digits[at:])
			}
			b.WriteString(ends[rnd.IntN(len(ends))])
		}
		r.slow = true
		data := b.String()
		want := r.run(t, input("t.csv", data)).String()
		for _, chunk := range []int{1 << 16, 1, 2 + rnd.IntN(20)} {
			for _, slow := range []bool{false, true} {
				r.slow, r.chunk = slow, chunk
				if diff := cmp.Diff(want, r.run(t, input("t.csv", data)).String()); diff != "" {
					t.Fatalf("round %d, %q, options %q, columns %v of %v, chunk %d, slow %v: -slow at once +got\n%s",
						round, data, o, r.columns, cols, chunk, slow, diff)
				}
			}
			r.slow, r.intern = rnd.IntN(4) == 0, r.columns
			if diff := cmp.Diff(want, r.run(t, input("t.csv", data)).String()); diff != "" {
				t.Fatalf("round %d, %q, options %q, columns %v of %v, chunk %d, slow %v, dictionaries: -slow at once +got\n%s",
					round, data, o, r.columns, cols, chunk, r.slow, diff)
			}
			r.slow, r.workers = false, 2
			for _, in := range []text.Input{input("t.csv", data), randomInput("t.csv", data)} {
				if diff := cmp.Diff(want, r.run(t, in).String()); diff != "" {
					t.Fatalf("round %d, %q, options %q, columns %v of %v, chunk %d, 2 workers: -slow at once +got\n%s",
						round, data, o, r.columns, cols, chunk, diff)
				}
			}
			r.workers, r.intern = 0, nil
		}
	}
}

// TestWideAgrees reads records of many fields, few of them wanted, by both paths: runs of
// plain fields that are counted, with one thing among them that must stop the counting.
func TestWideAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	plain := []string{"", "7", "text-17", "2024-01-01 00:00:00", "123456.78", "a b", "!#$%&'()*+-./:;"}
	special := []string{`"q"`, `"a,b|c"`, `"a""b"`, `""`, `""""`, `a"b`, "é日本", "tab\there", "\x00", "\x1f", "\"l\nm\"", `"x"y`, "x\ry", "\xff", "\x82", "NULL"}
	for round := range 400 {
		n := 2 + rnd.IntN(80)
		cols := make([]string, n)
		r := read{columns: []int{}, batch: 1 + rnd.IntN(4)}
		for i := range cols {
			cols[i] = "c" + strconv.Itoa(i) + " text"
			if rnd.IntN(6) == 0 {
				r.columns = append(r.columns, i)
			}
		}
		r.schema = schema(strings.Join(cols, ","))
		o := fuzzOptions[rnd.IntN(len(fuzzOptions))]
		if rnd.IntN(2) == 0 {
			o += "; ignore-parse-errors=true"
		}
		r.opts = options(t, o)
		var b strings.Builder
		if r.opts.Header {
			b.WriteString(strings.Join(r.schema.Names(), ",") + "\n")
		}
		for range 1 + rnd.IntN(6) {
			width, odd := n, -1
			if rnd.IntN(8) == 0 {
				width += rnd.IntN(3) - 1
			}
			if rnd.IntN(2) == 0 {
				odd = rnd.IntN(n)
			}
			for i := range width {
				if i > 0 {
					b.Write(r.opts.Delimiter)
				}
				if i == odd {
					b.WriteString(special[rnd.IntN(len(special))])
				} else {
					b.WriteString(plain[rnd.IntN(len(plain))])
				}
			}
			b.WriteString([]string{"\n", "\n", "\r\n", "\n\n"}[rnd.IntN(4)])
		}
		data := b.String()
		r.slow = true
		want := r.run(t, input("t.csv", data)).String()
		r.slow = false
		for _, intern := range [][]int{nil, r.columns} {
			r.intern = intern
			for _, chunk := range []int{1 << 16, 1 + rnd.IntN(40)} {
				r.chunk = chunk
				if diff := cmp.Diff(want, r.run(t, input("t.csv", data)).String()); diff != "" {
					t.Fatalf("round %d, %q, options %q, columns %v of %d, chunk %d, dictionaries %v: -slow at once +got\n%s",
						round, data, o, r.columns, n, chunk, intern != nil, diff)
				}
			}
		}
	}
}
