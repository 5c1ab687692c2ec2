package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector/text"
)

// wide has a column of each type that the fast path knows, and others.
const wide = "a big, b text, c f64, d ts, e bool, f date, g dec, h int, i f32, j ts9, k i8, l time, m ltz, n bytes, o dec38"

var fuzzOptions = []string{"", "ignore-parse-errors=true", "ignore-parse-errors=true; timestamp-format.standard=ISO-8601",
	"fail-on-missing-field=true", "ignore-parse-errors=true; decode.json-parser.enabled=false", "inferred=true; ignore-parse-errors=true"}

var fuzzSeeds = []string{
	`{"a":1,"b":"x","c":1.5,"d":"2024-01-01 00:00:00.5","e":true,"f":"2024-01-01","g":1.25,"h":7,"i":0.5,"j":"2024-01-01 00:00:00.123456789","k":1,"l":"10:20:30","m":"2024-01-01 00:00:00Z","n":"YWJj","o":1e10}` + "\n",
	`{"a":null,"b":{"x":[1,2.50]},"c":-0,"a":2}` + "\r\n", `{ "b" : "\u00e9\ud83d\ude00\n" , "a":"12" }` + "\n", "{}\n\n \n", `[{"a":1},{"b":[true]}]` + "\n",
	"{\"b\":\"\xff\"}\n", `{"a":1}x` + "\n" + `{"a":1.0,"x":null}` + "\n", "\uFEFF{\"a\":1}", `{"h":1e2,"k":1.0,"e":"TRUE","i":16777217}` + "\n",
	`{"d":null}` + "\n" + `{"d":` + strings.Repeat("\x00", 17) + `:00.000"}` + "\n",
}

// FuzzPaths compares the fast path with the slow one, over several cuts of the
// input, for columns that are wanted and that are not.
func FuzzPaths(f *testing.F) {
	for i, s := range fuzzSeeds {
		for o := range fuzzOptions {
			f.Add(s+s+s, byte(o), uint16(1<<i), byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, data string, option byte, skip uint16, cut byte) {
		o := fuzzOptions[int(option)%len(fuzzOptions)]
		r := read{schema: schema(wide), columns: []int{}, opts: options(t, o), batch: 1 + int(cut)%5}
		for c := range r.schema.Fields {
			if skip>>c&1 == 0 {
				r.columns = append(r.columns, c)
			}
		}
		r.slow = true
		want := r.run(t, input("t.json", data)).String()
		for _, chunk := range []int{1 << 16, 1 + int(cut)%9} {
			for _, slow := range []bool{false, true} {
				r.slow, r.chunk = slow, chunk
				if diff := cmp.Diff(want, r.run(t, input("t.json", data)).String()); diff != "" {
					t.Fatalf("options %q, columns %v, chunk %d, slow %v: -slow at once +got\n%s", o, r.columns, chunk, slow, diff)
				}
			}
		}
		r.slow, r.workers, r.intern = false, 2, r.columns
		for _, in := range []text.Input{input("t.json", data), randomInput("t.json", data)} {
			if diff := cmp.Diff(want, r.run(t, in).String()); diff != "" {
				t.Fatalf("options %q, columns %v, chunk %d, 2 workers: -slow at once +got\n%s", o, r.columns, r.chunk, diff)
			}
		}
	})
}

// FuzzStandard compares with encoding/json: what is an object there is a row here,
// with the same texts, booleans and numbers, and the other way round, but for raw
// control characters, for which that package has no room.
func FuzzStandard(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	for _, p := range pieces {
		f.Add(`{"b":` + p + "}")
	}
	f.Fuzz(func(t *testing.T, data string) {
		line, _, _ := strings.Cut(data, "\n")
		if strings.HasPrefix(line, "\uFEFF") || !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' }) {
			return
		}
		first := strings.TrimLeft(line, " \t\r")
		if first == "" || first[0] == '[' {
			return
		}
		var want map[string]stdjson.RawMessage
		dec := stdjson.NewDecoder(strings.NewReader(line))
		err := dec.Decode(&want)
		if err == nil && first[0] != '{' || err == nil && strings.Trim(line[dec.InputOffset():], " \t\r") != "" {
			err = fmt.Errorf("no object, or text behind it")
		}
		r := read{schema: schema("b text"), opts: options(t, "")}
		got := r.run(t, input("t.json", line))
		if strings.ContainsAny(line, "\t\r") && (err == nil) != (got.Err == "") {
			return // a raw control character in a string
		}
		if (err == nil) != (got.Err == "") {
			t.Fatalf("%q: %q, encoding/json: %v", line, got.Err, err)
		}
		if err != nil {
			return
		}
		raw, ok := want["b"]
		text := "<NULL>"
		if ok && string(raw) != "null" {
			text = string(raw)
			switch raw[0] {
			case '"':
				if err := stdjson.Unmarshal(raw, &text); err != nil {
					t.Fatal(err)
				}
			case '{', '[':
				var c bytes.Buffer
				if err := stdjson.Compact(&c, raw); err != nil {
					t.Fatal(err)
				}
				if strings.ContainsAny(c.String(), `\.eE`) || strings.Count(c.String(), ":") > 1 || strings.Contains(c.String(), "-0") || strings.ContainsAny(line, "\t\r") {
					return // spelled anew
				}
				text = c.String()
			}
		}
		if diff := cmp.Diff([]string{text}, got.Values()); diff != "" {
			t.Fatalf("%q: -encoding/json +ours\n%s", line, diff)
		}
	})
}
