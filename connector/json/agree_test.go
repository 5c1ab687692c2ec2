package json_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pieces are values of all types at the borders between the two paths.
var pieces = []string{
	"1", "-1", "0", "-0", "007", "12345678", "123456789012345678", "1234567890123456789", "99999999999999999999", "127", "128", "-129", "32768",
	"1.5", "-0.0", ".5", "5.", "1e3", "1E-3", "1.e3", "123.456", "1234567.1", "0.000001", "12345678901234567.5", "999.99", "1000.00", "0.005", "00.5",
	"16777217", "9007199254740993", "0.1", "3.4e38", "-", ".", "NaN", "+1", "1e400", "1.0", "12.50e1",
	"true", "false", "null", "nul", "truex", "True",
	`""`, `"x"`, `"text of some length, no"`, "\"ab\tc\"", `"é"`, `"日本語日本語"`, "\"\xff\"", `"a\"b"`, `"a\\b"`, `"\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\q"`, `"\u12"`, `"x`, `x"`,
	`"a very long text with an escape \n behind more than sixteen bytes"`,
	`"2024-01-01"`, `"2024-02-29"`, `"2023-02-29"`, `"2024-1-1"`, `"0000-01-01"`, `"0001-01-01"`, `"9999-12-31"`,
	`"2024-01-01 00:00:00"`, `"2024-01-01T00:00:00"`, `"2024-01-01t00:00:00"`, `"2024-01-01T00:00"`, `"2024-01-01 00:00:00.5"`, `"2024-01-01 00:00:59.123456789"`,
	`"2024-01-01 00:00:59.1234567891"`, `"2024-01-01 00:00:00."`, `"2024-01-01 00:00:60"`, `"2024-01-01 24:00:00"`, `"2024-02-30 00:00:00"`,
	`"1677-09-21 00:12:43"`, `"2262-04-11 23:47:17"`, `"1400-01-01 00:00:00"`, `"2024-01-01 00:00:00Z"`, `"2024-01-01T00:00:00Z"`, `" 2024-01-01 00:00:00"`,
	`"10:20:30"`, `"10:20"`, `"YWJj"`, `"1"`, `" 1 "`, `"1.5"`, `"true"`, `"TRUE"`, `"NaN"`,
	`{}`, `[]`, `{"a":1}`, `[1, 2.50 ,{"b" : null}]`, `{"a":"}","b":[1,"\u0001\n"]}`, `[1,`, `{"a"}`, `[1 2]`,
}

// TestPathsAgree reads random lines by both paths and in pieces. Lines of one input
// are alike, so that the fast path has something to expect.
func TestPathsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	all := strings.Split(wide, ", ")
	keys := []string{"x", "a key of more than eight", "\\u0062b", ""}
	ends := []string{"}\n", "}\n", "}\n", "}\r\n", " } \n", "}x\n", "\n", "}\n\n", "}"}
	for round := range 3000 {
		n := 1 + rnd.IntN(5)
		var cols, names []string
		for range n {
			c := all[rnd.IntN(len(all))]
			name := c[:1] + string(rune('a'+len(cols)))
			cols = append(cols, name+c[1:])
			names = append(names, name)
		}
		names = append(names, keys[rnd.IntN(len(keys))])
		r := read{schema: schema(strings.Join(cols, ",")), columns: []int{}, batch: 1 + rnd.IntN(4)}
		for i := range n {
			if rnd.IntN(4) > 0 {
				r.columns = append(r.columns, i)
			}
		}
		o := fuzzOptions[rnd.IntN(len(fuzzOptions))]
		r.opts = options(t, o)
		gap := []string{"", "", " "}[rnd.IntN(3)]
		var b strings.Builder
		for range 1 + rnd.IntN(10) {
			if rnd.IntN(12) == 0 {
				fmt.Fprintf(&b, "[{%q:1},{%q:2}]\n", names[0], names[0])
			}
			b.WriteString("{")
			first := true
			for _, name := range names {
				switch rnd.IntN(16) {
				case 0:
					continue // an optional key
				case 1:
					name = names[0] // perhaps a key twice
				}
				if !first {
					b.WriteString("," + gap)
				}
				first = false
				fmt.Fprintf(&b, `"%s":%s%s`, name, gap, pieces[rnd.IntN(len(pieces))])
			}
			b.WriteString(ends[rnd.IntN(len(ends))])
		}
		r.slow = true
		data := b.String()
		want := r.run(t, input("t.json", data)).String()
		for _, chunk := range []int{1 << 16, 1, 2 + rnd.IntN(20)} {
			for _, slow := range []bool{false, true} {
				r.slow, r.chunk, r.workers, r.intern = slow, chunk, 0, nil
				in := input
				switch round % 8 {
				case 0:
					in = randomInput
					fallthrough
				case 1:
					r.workers = 2
					fallthrough
				case 2:
					r.intern = r.columns
				}
				if diff := cmp.Diff(want, r.run(t, in("t.json", data)).String()); diff != "" {
					t.Fatalf("round %d, %q, options %q, columns %v of %v, chunk %d, workers %d, slow %v: -slow at once +got\n%s",
						round, data, o, r.columns, cols, chunk, r.workers, slow, diff)
				}
			}
		}
	}
}

// usual are values that a column of each type of wide mostly has.
var usual = []string{"12", `"some text"`, "1.25", `"2024-01-01 00:00:00.500"`, "true", `"2024-01-01"`, "1.25", "7", "0.5",
	`"2024-01-01 00:00:00.123456789"`, "1", `"10:20:30"`, `"2024-01-01 00:00:00Z"`, `"YWJj"`, "1"}

// TestOddValues reads lines of which one has another value than the others.
func TestOddValues(t *testing.T) {
	for k, c := range strings.Split(wide, ", ") {
		r := read{schema: schema(c + ", z int")}
		line := fmt.Sprintf(`{"%s":%%s,"z":%%d}`+"\n", c[:1])
		alike := strings.Repeat(fmt.Sprintf(line, usual[k], 1), 4)
		for _, o := range fuzzOptions[:2] {
			r.opts = options(t, o)
			for _, columns := range [][]int{{0, 1}, {1}} {
				r.columns = columns
				for _, odd := range pieces {
					data := alike + fmt.Sprintf(line, odd, 2) + fmt.Sprintf(line, usual[k], 3)
					r.slow, r.intern = true, nil
					want := r.run(t, input("t.json", data)).String()
					r.slow = false
					for _, r.intern = range [][]int{nil, columns} {
						if diff := cmp.Diff(want, r.run(t, input("t.json", data)).String()); diff != "" {
							t.Fatalf("column %s, columns %v, ids of %v, options %q, value %s: -slow +got\n%s", c, columns, r.intern, o, odd, diff)
						}
					}
				}
			}
		}
	}
}
