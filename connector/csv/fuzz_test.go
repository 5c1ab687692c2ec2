package csv_test

import (
	stdcsv "encoding/csv"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector/text"
)

// wide has a column of each type that the fast path knows, and others.
const wide = "a big, b text, c f64, d ts, e bool, f date, g dec, h int, i f32, j ts9, k i8, l time, m ltz, n bytes, o dec38"

var fuzzOptions = []string{
	"", "null-literal=NULL", "null-literal=", "ignore-trailing-unmappable=true", "header=true", "field-delimiter=|",
	"disable-quote-character=true", "allow-trailing-comma=false", `field-delimiter=\t`, "skip-empty-lines=true",
}

var fuzzSeeds = []string{
	"1,x,1.5,2024-01-01 00:00:00.5,true,2024-01-01,1.25,7,0.5,2024-01-01 00:00:00.123456789,1,10:20:30,2024-01-01 00:00:00Z,YWJj,1e10\n",
	"-1,\"x\",-.5,2024-01-01T00:00:00,FALSE,2024-02-29,-1,-7,1e3,1677-01-01 00:00:00,-128,10:20,2024-01-01 00:00:00Z,,1\r\n",
	",,,,,,,,,,,,,,\n", "NULL,NULL,NULL,NULL\n\n", "\"a\nb\",\"c\"\"d\"\r\"e\n", "\uFEFF1,2\r\r\n3,4", "a\tb|c\x00,\xff\xfe\n",
	"123456789012345678,12345678901234567890,9007199254740993.5,9999-12-31 23:59:59\n",
	"1,é,2,0000-01-01 00:00:00,t,0000-01-01\n1,é,2,0001-01-01 00:00:00,t,0001-01-01\n",
}

// FuzzPaths compares the fast path with the slow one, over several cuts of the
// input, for columns that are wanted and that are not.
func FuzzPaths(f *testing.F) {
	for i, s := range fuzzSeeds {
		for o := range fuzzOptions {
			f.Add(s+s, byte(o), uint16(1<<i), byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, data string, option byte, skip uint16, cut byte) {
		sc := schema(wide)
		n := 1 + int(cut)%len(sc.Fields)
		sc.Fields = sc.Fields[:n]
		o := fuzzOptions[int(option)%len(fuzzOptions)]
		for _, lenient := range []string{"", "; ignore-parse-errors=true"} {
			r := read{schema: sc, columns: []int{}, opts: options(t, o+lenient), batch: 1 + int(cut)%5}
			for c := range n {
				if skip>>c&1 == 0 {
					r.columns = append(r.columns, c)
				}
			}
			r.slow = true
			want := r.run(t, input("t.csv", data)).String()
			for _, chunk := range []int{1 << 16, 1 + int(cut)%9} {
				for _, slow := range []bool{false, true} {
					r.slow, r.chunk = slow, chunk
					if diff := cmp.Diff(want, r.run(t, input("t.csv", data)).String()); diff != "" {
						t.Fatalf("options %q, columns %v, chunk %d, slow %v: -slow at once +got\n%s", o+lenient, r.columns, chunk, slow, diff)
					}
				}
				r.slow, r.workers, r.intern = false, 2, r.columns
				for _, in := range []text.Input{input("t.csv", data), randomInput("t.csv", data)} {
					if diff := cmp.Diff(want, r.run(t, in).String()); diff != "" {
						t.Fatalf("options %q, columns %v, chunk %d, 2 workers: -slow at once +got\n%s", o+lenient, r.columns, chunk, diff)
					}
				}
				r.workers, r.intern = 0, nil
			}
		}
	})
}

// FuzzStandard compares with encoding/csv on inputs that both must read alike:
// no lone CR, no quote behind the start of a field, no CR LF in quotes, no byte
// order mark.
func FuzzStandard(f *testing.F) {
	for _, s := range []string{"a,b\n", "\"a\",\"b\"\"c\"\n", "\n\na,\r\nc,d", "\"x\ny\",1\n", ",\n", "é,日\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if !utf8.ValidString(data) || strings.Contains(data, "\r") || strings.HasPrefix(data, "\uFEFF") {
			return
		}
		std := stdcsv.NewReader(strings.NewReader(data))
		std.FieldsPerRecord = 2
		var want []string
		for {
			rec, err := std.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return // what is wrong, and where, is ours to say
			}
			want = append(want, strings.Join(rec, " | "))
		}
		r := read{schema: schema("a text, b text"), opts: options(t, "skip-empty-lines=true")}
		got := r.run(t, input("t.csv", data))
		if diff := cmp.Diff(want, got.Values()); diff != "" || got.Err != "" {
			t.Fatalf("%q: error %q, -encoding/csv +ours\n%s", data, got.Err, diff)
		}
	})
}
