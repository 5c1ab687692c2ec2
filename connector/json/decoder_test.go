package json_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The expected rows are what Flink 2.3 answers, but where a comment names a
// difference; B numbers are reported faults of other readers.
var rowTests = []struct {
	name, schema, opts string
	columns            []int
	data               string
	want               []string // rows
	bad                []string // reasons
	err                string   // part of the error
}{
	{name: "missing, null and extra keys", schema: "a int, b text",
		data: `{"a":1,"b":"x"}` + "\n" + `{"a":2}` + "\n" + `{"b":null,"a":3}` + "\n" + `{"a":4,"b":"y","c":5}` + "\n{}\n" + `{"b":"z"}` + "\n",
		want: []string{"1 | x", "2 | <NULL>", "3 | <NULL>", "4 | y", "<NULL> | <NULL>", "<NULL> | z"}},
	{name: "missing keys refused", schema: "a int, b text", opts: "fail-on-missing-field=true", data: `{"a":1,"b":null}` + "\n" + `{"a":1}` + "\n",
		want: []string{"1 | <NULL>"}, err: `t.json:2: column "b": is missing`},
	{name: "missing keys refused among keys in any order", schema: "a int, b text", opts: "fail-on-missing-field=true",
		data: `{"a":1,"b":"z"}` + "\n" + `{"b":"y","a":2}` + "\n" + `{"b":"x"}` + "\n", want: []string{"1 | z", "2 | y"}, err: `t.json:3: column "a": is missing`},
	{name: "keys have their case", schema: "a int, B text", data: `{"A":1,"b":"x"}` + "\n" + `{"a":1,"B":"x"}` + "\n", want: []string{"<NULL> | <NULL>", "1 | x"}},
	{name: "order of keys", schema: "a int, b text, c f64", data: `{"c":1.5,"a":1,"b":"x"}` + "\n" + `{"b":"y","c":2,"a":2}` + "\n",
		want: []string{"1 | x | 1.5", "2 | y | 2.0"}},
	// Flink takes sometimes the first, sometimes the last value.
	{name: "duplicate keys B035", schema: "a int, b text", data: `{"a":1,"b":"x","a":2}` + "\n" + `{"a":null,"a":3}` + "\n" + `{"a":4,"a":null}` + "\n" +
		`{"a":"q","a":5}` + "\n", want: []string{"2 | x", "3 | <NULL>", "<NULL> | <NULL>", "5 | <NULL>"}},
	{name: "duplicate keys not wanted B035", schema: "id int, v int", columns: []int{0}, data: `{"id":1,"v":10,"v":20}` + "\n" + `{"id":2,"v":10,"v":20}` + "\n",
		want: []string{"1", "2"}},
	{name: "duplicate keys spelled differently B035", schema: "a int", data: `{"a":1,"\u0061":2}` + "\n" + `{"a":3,"\u0061":4}` + "\n", want: []string{"2", "4"}},
	{name: "ignore parse errors", schema: "a int, b text", opts: "ignore-parse-errors=true",
		data: strings.Join([]string{`{"a":1,"b":"x"}`, `{"a":"q","b":"y"}`, `not json`, `{"a":3,"b":"z"`, `{"a":4}`, `[1,2]`, `"text"`, `5`, `null`,
			`{"a":[1],"b":"w"}`, `{"a":{"x":1},"b":"v"}`, `{"a":7,"b":"end"}`, ""}, "\n"),
		// Flink loses b of {"a":{"x":1},"b":"v"}.
		want: []string{"1 | x", "<NULL> | y", "4 | <NULL>", "<NULL> | w", "<NULL> | v", "7 | end"},
		bad: []string{`"q" is not an INT`, "'{' expected at byte 1", "the line ends inside a JSON value", "'{' expected at byte 1", "'{' expected", "'{' expected",
			"'{' expected", "[1] is not an INT", `{"x":1} is not an INT`}},
	{name: "bad line", schema: "a int, b text", data: `{"a":1,"b":"x"}` + "\nnot json\n", want: []string{"1 | x"}, err: "t.json:2: '{' expected at byte 1"},
	{name: "bad value of a column that is not wanted", schema: "a int, b text, c int", columns: []int{0, 1}, data: `{"a":1,"b":"x","c":"q"}` + "\n",
		want: []string{"1 | x"}},
	{name: "NULL for NOT NULL", schema: "a int!, b text", data: `{"a":1,"b":"z"}` + "\n" + `{"a":null,"b":"x"}` + "\n", want: []string{"1 | z"},
		err: `t.json:2: column "a": is NULL, but the column is declared NOT NULL`},
	{name: "missing for NOT NULL", schema: "a int!, b text", data: `{"a":1,"b":"z"}` + "\n" + `{"b":"x"}` + "\n", want: []string{"1 | z"},
		err: `t.json:2: column "a": is NULL`},
	{name: "missing for NOT NULL among keys in any order", schema: "a int!, b text",
		data: `{"a":1,"b":"z"}` + "\n" + `{"b":"y","a":2}` + "\n" + `{"a":3}` + "\n" + `{"b":"x"}` + "\n", want: []string{"1 | z", "2 | y", "3 | <NULL>"},
		err: `t.json:4: column "a": is NULL`},
	{name: "bad value for NOT NULL", schema: "a int!", opts: "ignore-parse-errors=true", data: `{"a":"x"}` + "\n", err: `column "a": is NULL`},
	{name: "empty lines", schema: "a int", data: `{"a":1}` + "\n\n" + `{"a":2}` + "\n\n", want: []string{"1", "2"}},
	{name: "empty file", schema: "a int", data: ""},
	{name: "blank line", schema: "a int", data: `{"a":1}` + "\n  \n", want: []string{"1"}, err: "t.json:2: '{' expected"},
	{name: "blank line ignored", schema: "a int", opts: "ignore-parse-errors=true", data: `{"a":1}` + "\n \t\n" + `{"a":2}`, want: []string{"1", "2"},
		bad: []string{"'{' expected"}},
	{name: "blanks", schema: "a int", data: "  {\"a\" : 1 }  \n\t{ \"a\":2}\n  {\"a\" : 3 }  \n", want: []string{"1", "2", "3"}},
	{name: "CR LF", schema: "a int", data: "{\"a\":1}\r\n\r\n{\"a\":2}\r\n{\"a\":3}\r\n", want: []string{"1", "2", "3"}},
	{name: "byte order mark", schema: "a int", data: "\uFEFF{\"a\":1}\n{\"a\":2}\n", want: []string{"1", "2"}},
	{name: "byte order mark alone", schema: "a int", data: "\uFEFF"},
	{name: "no line end at the end", schema: "a int", data: "{\"a\":1}\n{\"a\":2}", want: []string{"1", "2"}},
	// Flink ignores it.
	{name: "text behind the object", schema: "a int", data: `{"a":0}` + "\n" + `{"a":1} xyz` + "\n", want: []string{"0"}, err: "t.json:2: text behind the object at byte 9"},
	{name: "two objects on a line", schema: "a int", opts: "ignore-parse-errors=true", data: `{"a":1}{"a":2}` + "\n" + `{"a":2}]` + "\n" + `{"a":3}` + "\n",
		want: []string{"3"}, bad: []string{"text behind the object at byte 8", "text behind the object at byte 8"}},
	{name: "array of objects", schema: "a int", data: `[{"a":1},{"a":2}]` + "\n" + `{"a":3}` + "\n[]\n[ ]\n" + ` [ { "a" : 4 } , {"a":5} , {"a":6}] ` + "\n" + `{"a":7}`,
		want: []string{"1", "2", "3", "4", "5", "6", "7"}},
	{name: "bad element of an array", schema: "a int", data: `[{"a":1},2,{"a":3}]` + "\n" + `{"a":4}` + "\n", want: []string{"1"}, err: "t.json:1: '{' expected at byte 2"},
	{name: "bad element of an array ignored", schema: "a int", opts: "ignore-parse-errors=true", data: `[{"a":1},2,{"a":3}]` + "\n" + `{"a":4}` + "\n",
		want: []string{"1", "4"}, bad: []string{"'{' expected at byte 2"}},
	{name: "bad value in an array", schema: "a int, b text", opts: "ignore-parse-errors=true", data: `[{"a":"x","b":"y"},{"a":2}]` + "\n",
		want: []string{"<NULL> | y", "2 | <NULL>"}, bad: []string{`"x" is not an INT`}},
	{name: "open array", schema: "a int", data: `[{"a":1},{"a":2}` + "\n", want: []string{"1", "2"}, err: "t.json:1: the line ends inside a JSON value"},
	{name: "open array at the end", schema: "a int", data: `[{"a":1},{"a":2}`, want: []string{"1", "2"}, err: "t.json:1: the line ends inside a JSON value"},
	{name: "comma at the end of an array", schema: "a int", opts: "ignore-parse-errors=true", data: `[{"a":1},{"a":2},]` + "\n" + `[{"a":3},`, want: []string{"1", "2", "3"},
		bad: []string{"'{' expected at byte 2", "the line ends inside a JSON value"}},
	{name: "no comma in an array", schema: "a int", opts: "ignore-parse-errors=true", data: `[{"a":1} {"a":2}]` + "\n", want: []string{"1"},
		bad: []string{"',' or ']' expected at byte 2"}},
	{name: "text behind an array", schema: "a int", opts: "ignore-parse-errors=true", data: `[{"a":1}] x` + "\n" + `{"a":2}`, want: []string{"1", "2"},
		bad: []string{"text behind the array at byte 3"}},
	{name: "array over lines", schema: "a int", data: "[\n{\"a\":1},\n{\"a\":2}\n]\n", err: "t.json:1: the line ends inside a JSON value"},
	{name: "null", schema: "a int", data: "null\n", err: "'{' expected"},
	{name: "open object", schema: "a int, b int", data: `{"a":1,"b":2` + "\n", err: "t.json:1: the line ends inside a JSON value"},
	{name: "open string", schema: "a text", data: `{"a":"x` + "\n" + `y"}` + "\n", err: "t.json:1: the line ends inside a JSON value"},
	{name: "trailing comma", schema: "a int", data: `{"a":1,}` + "\n", err: "a key in double quotes expected at byte 8"},
	{name: "single quotes", schema: "a int", data: `{'a':1}` + "\n", err: "a key in double quotes expected at byte 2"},
	{name: "no quotes", schema: "a int", data: `{a:1}` + "\n", err: "a key in double quotes expected"},
	{name: "no colon", schema: "a int", data: `{"a" 1}` + "\n", err: "':' expected at byte 6"},
	{name: "comment", schema: "a int", data: `/* c */ {"a":1}` + "\n", err: "'{' expected"},
	{name: "NaN B033", schema: "id int, x f64", opts: "ignore-parse-errors=true", data: `{"id":1,"x":NaN}` + "\n" + `{"id":2,"x":"NaN"}` + "\n" + `{"id":3,"x":1e400}` + "\n",
		want: []string{"2 | NaN", "3 | Infinity"}, bad: []string{"a JSON value expected at byte 13"}},
	{name: "leading zeros", schema: "a int", data: `{"a":0}` + "\n" + `{"a":007}` + "\n", want: []string{"0"}, err: "t.json:2: a JSON value expected at byte 6"},
	{name: "leading zeros of a BIGINT", schema: "a big", data: `{"a":0}` + "\n" + `{"a":-0}` + "\n" + `{"a":-012}` + "\n", want: []string{"0", "0"},
		err: "t.json:3: a JSON value expected"},
	{name: "leading zeros of a fraction", schema: "a f64", data: `{"a":0.5}` + "\n" + `{"a":00.5}` + "\n", want: []string{"0.5"}, err: "t.json:2: a JSON value expected"},
	{name: "plus sign", schema: "a int", data: `{"a":+7}` + "\n", err: "a JSON value expected at byte 6"},
	{name: "point without digits", schema: "a f64", opts: "ignore-parse-errors=true",
		data: `{"a":1.5}` + "\n" + `{"a":1.}` + "\n" + `{"a":.5}` + "\n" + `{"a":-}` + "\n" + `{"a":1.e5}` + "\n" + `{"a":1e}` + "\n" + `{"a":1e+5}` + "\n",
		want: []string{"1.5", "100000.0"}, bad: []string{"value", "value", "value", "value", "value"}},
	{name: "words", schema: "a bool, b int", opts: "ignore-parse-errors=true",
		data: `{"a":true,"b":null}` + "\n" + `{"a":truex,"b":1}` + "\n" + `{"a":True}` + "\n" + `{"b":nul}` + "\n" + `{"a":fals` + "\n" + `{"a":false,"b":2}`,
		want: []string{"TRUE | <NULL>", "FALSE | 2"}, bad: []string{"',' or '}' expected", "value expected", "value expected", "value expected"}},
	{name: "escapes", schema: "a text, n int", data: `{"a":"\u0041\u00e9\ud83d\ude00","n":1}` + "\n" + `{"a":"q\"b\\s\/","n":2}` + "\n" + `{"a":"x\ty","n":3}` + "\n" +
		`{"\u0061":"key","n":4}` + "\n" + `{"\u0061":"again","n":5}` + "\n" + `{"a":"\b\f\n\r","n":6}` + "\n",
		want: []string{"Aé😀 | 1", `q"b\s/ | 2`, "x\ty | 3", "key | 4", "again | 5", "\b\f\n\r | 6"}},
	{name: "half a surrogate pair B037", schema: "a text", data: `{"a":"\ud800x"}` + "\n" + `{"a":"\ud83d\ude00"}` + "\n" + `{"a":"\ude00\ud83d"}` + "\n" + `{"a":"\ud83d\u0041"}` + "\n",
		want: []string{"\uFFFDx", "😀", "\uFFFD\uFFFD", "\uFFFDA"}},
	{name: "unknown escape", schema: "a text", data: `{"a":"\x41"}` + "\n", err: "an escape of JSON expected at byte 7"},
	{name: "unknown escape not wanted", schema: "a int, b text", columns: []int{0}, data: `{"a":1,"b":"\n"}` + "\n" + `{"a":1,"b":"\q"}` + "\n", want: []string{"1"},
		err: "an escape of JSON expected at byte 13"},
	{name: "bad hex", schema: "a text", opts: "ignore-parse-errors=true", data: `{"a":"\u00g1"}` + "\n" + `{"a":"\u00"}` + "\n" + `{"a":"x\"}` + "\n",
		bad: []string{"escape", "escape", "ends inside"}},
	{name: "control character", schema: "a text, b int", data: "{\"a\":\"x\ty\x01\",\"b\":1}\n{\"a\":\"x\ty\x01\",\"b\":2}\n", want: []string{"x\ty\x01 | 1", "x\ty\x01 | 2"}},
	{name: "not UTF-8", schema: "a text, b int", data: "{\"a\":\"é\",\"b\":1}\n{\"a\":\"\xff\",\"b\":2}\n", want: []string{"é | 1"},
		err: `t.json:2: column "a": "\"\xff\"" is not UTF-8: byte 0xff`},
	{name: "not UTF-8 ignored", schema: "a text, b int", opts: "ignore-parse-errors=true", data: "{\"a\":\"\xff\",\"b\":1}\n{\"a\":\"x\",\"b\":2}\n", want: []string{"x | 2"},
		bad: []string{"is not UTF-8"}},
	{name: "not UTF-8 in an object", schema: "a text", data: "{\"a\":{\"k\":\"\xff\"}}\n", err: "is not UTF-8: byte 0xff"},
	{name: "not UTF-8 where it is not wanted", schema: "a text, b int", columns: []int{1}, data: "{\"a\":\"\xff\",\"b\":1}\n", want: []string{"1"}},
	// Flink cuts fractions.
	{name: "fraction for INT", schema: "a int", data: `{"a":1}` + "\n" + `{"a":1.5}` + "\n", want: []string{"1"},
		err: `t.json:2: column "a": 1.5 is not an INT: it has a fraction`},
	{name: "other notations of integers B031", schema: "n big", opts: "ignore-parse-errors=true",
		data: `{"n":18446744073709551616}` + "\n" + `{"n":1e3}` + "\n" + `{"n":1.0}` + "\n" + `{"n":-0}` + "\n" + `{"n":12.50e1}` + "\n" + `{"n":1e-1}` + "\n" + `{"n":1e19}` + "\n" +
			`{"n":0e999999999999999999999}` + "\n" + `{"n":1e999999999999999999999}` + "\n" + `{"n":-9223372036854775808}` + "\n",
		want: []string{"<NULL>", "1000", "1", "0", "125", "<NULL>", "<NULL>", "0", "<NULL>", "-9223372036854775808"},
		bad:  []string{"out of range", "fraction", "out of range", "out of range"}},
	{name: "large decimals B031", schema: "n dec38", data: `{"n":18446744073709551616}` + "\n" + `{"n":1e3}` + "\n" + `{"n":1.0}` + "\n" + `{"n":-0}` + "\n",
		want: []string{"18446744073709551616.0000000000", "1000.0000000000", "1.0000000000", "0.0000000000"}},
	{name: "DECIMAL that does not fit", schema: "a dec", data: `{"a":12345.6}` + "\n", err: "12345.6 is not a DECIMAL(5, 2): out of range"}, // Flink: NULL
	{name: "other values for BOOLEAN", schema: "a bool", opts: "ignore-parse-errors=true", // Flink: FALSE
		data: `{"a":"TRUE"}` + "\n" + `{"a":" false "}` + "\n" + `{"a":1}` + "\n" + `{"a":"yes"}` + "\n" + `{"a":{}}` + "\n",
		want: []string{"TRUE", "FALSE", "<NULL>", "<NULL>", "<NULL>"}, bad: []string{"1 is not a BOOLEAN", `"yes" is not a BOOLEAN`, "{} is not a BOOLEAN"}},
	{name: "objects and arrays as text", schema: "a text",
		data: strings.Join([]string{`{"a":{"x": 1, "y":[1, 2.50, {"z" : null}]}}`, `{"a":[ 1 , "q" ]}`, `{"a":true}`, `{"a":1.50}`, `{"a":1e2}`, `{"a":{}}`,
			`{"a":12345678901234567890123}`, `{"a":{"k":"\u00e9\u0001\/\ud83d\ude00"}}`, `{"a":[-0,-0.0,"a b\n"]}`, ""}, "\n"),
		want: []string{`{"x":1,"y":[1,2.5,{"z":null}]}`, `[1,"q"]`, "true", "1.50", "1e2", "{}", "12345678901234567890123", `{"k":"é\u0001/😀"}`, `[0,-0.0,"a b\n"]`}},
	{name: "duplicate keys in an object B035", schema: "a text", data: `{"a":{"x":1,"y":{"z":1,"z":2},"\u0078":3}}` + "\n" + `{"a":[{"k":1,"k":{}}]}` + "\n" +
		`{"a":{` + manyKeys + `,"k7":"again"}}` + "\n", want: []string{`{"x":3,"y":{"z":2}}`, `[{"k":{}}]`,
		"{" + strings.Replace(manyKeys, `"k7":7`, `"k7":"again"`, 1) + "}"}},
	{name: "numbers of the tree parser", schema: "a text", opts: "decode.json-parser.enabled=false", data: `{"a":1e2}` + "\n" + `{"a":1.90}` + "\n" + `{"a":-0}` + "\n" + `{"a":1e400}` + "\n" + `{"a":300}` + "\n",
		want: []string{"100.0", "1.9", "0", "Infinity", "300"}},
	{name: "optional keys and rows of several kinds", schema: "k text, a int, b int, c int",
		data: strings.Repeat(`{"k":"p","a":1,"b":2}`+"\n"+`{"k":"q","c":3}`+"\n"+`{"k":"r","b":4,"c":5}`+"\n"+`{"a":6}`+"\n"+`{"k":"s","x":[1],"c":7}`+"\n", 2),
		want: []string{"p | 1 | 2 | <NULL>", "q | <NULL> | <NULL> | 3", "r | <NULL> | 4 | 5", "<NULL> | 6 | <NULL> | <NULL>", "s | <NULL> | <NULL> | 7",
			"p | 1 | 2 | <NULL>", "q | <NULL> | <NULL> | 3", "r | <NULL> | 4 | 5", "<NULL> | 6 | <NULL> | <NULL>", "s | <NULL> | <NULL> | 7"}},
	{name: "long keys", schema: "a_key_of_more_than_sixteen_bytes int, another_key_that_is_longer_than_sixteen text",
		data: strings.Repeat(`{"a_key_of_more_than_sixteen_bytes":1,"another_key_that_is_longer_than_sixteen":"x"}`+"\n", 2) + `{"a_key_of_more_than_sixteen_bytez":1}` + "\n",
		want: []string{"1 | x", "1 | x", "<NULL> | <NULL>"}},
	{name: "keys that differ in the last byte", schema: "seventeen_bytes_1 int, b int",
		data: strings.Repeat(`{"seventeen_bytes_1":1}`+"\n", 2) + `{"seventeen_bytes_2":1}` + "\n" + `{"b":3,"seventeen_bytes_1":1}` + "\n" + `{"b":3,"seventeen_bytes_2":1}` + "\n",
		want: []string{"1 | <NULL>", "1 | <NULL>", "<NULL> | <NULL>", "1 | 3", "<NULL> | 3"}},
	{name: "a bad row with NULLs between good ones", schema: "a int, b int, c text", opts: "ignore-parse-errors=true",
		data: `{"a":null,"c":null,"b":1}` + "\n" + `{"a":null,"c":null,"b":x}` + "\n" + `{"a":5,"c":"y","b":2}` + "\n", want: []string{"<NULL> | 1 | <NULL>", "5 | 2 | y"},
		bad: []string{"a JSON value expected"}},
	{name: "no column wanted", schema: "a int", columns: []int{}, data: `{"a":1}` + "\n" + `{"b":{"c":[1,{"d":"}"}]}}` + "\n{}\n", want: []string{"", "", ""}},
	{name: "numbers as strings", schema: "a int, b f64, c big", data: `{"a":"1","b":" 1.5 ","c":"+7"}` + "\n" + `{"a":" 2 ","b":"1e3","c":"-7"}` + "\n",
		want: []string{"1 | 1.5 | 7", "2 | 1000.0 | -7"}},
	{name: "a guess that does not hold", schema: "x big", opts: "inferred=true", data: `{"x":1}` + "\n" + `{"x":1.5}` + "\n", want: []string{"1"}, err: "1.5 is not a BIGINT"},
	{name: "value cut at the line end", schema: "a int", data: "{\"a\":12\n", err: "the line ends inside a JSON value"},
	{name: "lone CR is white space", schema: "a int", data: "{\"a\":1}\r{\"a\":2}\n", err: "text behind the object"},
}

// manyKeys are the members of an object that has more than a few.
var manyKeys = func() string {
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	return strings.Join(list, ",")
}()

// TestRows reads each input with both paths, in pieces of every size.
func TestRows(t *testing.T) {
	for _, c := range rowTests {
		t.Run(c.name, func(t *testing.T) {
			slow := true
			for _, workers := range []int{0, 0, 2} {
				slow = !slow
				for _, chunk := range []int{1, 2, 3, 7, 64, 1 << 16} {
					for _, batch := range []int{1, 2, 4096} {
						r := read{schema: schema(c.schema), columns: c.columns, opts: options(t, c.opts), slow: slow, chunk: chunk, batch: batch, workers: workers}
						res := r.run(t, input("t.json", c.data))
						if diff := cmp.Diff(c.want, res.Values()); diff != "" {
							t.Fatalf("slow %v, workers %d, chunk %d, batch %d: rows -want +got\n%s\n%s", slow, workers, chunk, batch, diff, res)
						}
						if (c.err == "") != (res.Err == "") || !strings.Contains(res.Err, c.err) {
							t.Fatalf("slow %v, chunk %d, batch %d: error %q, want %q", slow, chunk, batch, res.Err, c.err)
						}
						if c.err == "" && len(c.bad) != len(res.Bad) {
							t.Fatalf("slow %v, chunk %d: bad rows %q, want %q", slow, chunk, res.Bad, c.bad)
						}
						for i, b := range c.bad {
							if !strings.Contains(res.Bad[i], b) && !strings.Contains(res.Bad[i], strings.ReplaceAll(b, `"`, `\"`)) {
								t.Errorf("bad row %q, want %q", res.Bad[i], b)
							}
						}
						if got := res.Counts; got.Delivered != int64(len(c.want)) || int(got.Bad+got.BadFields) != len(res.Bad) {
							t.Errorf("counts %+v for %d rows and %d bad ones", got, len(c.want), len(res.Bad))
						}
					}
				}
			}
		})
	}
}

// A message is UTF-8 whatever the line holds.
func TestMessagesAreText(t *testing.T) {
	res := read{schema: schema("a int, b text"), opts: options(t, "")}.run(t, input("t.json", "{\"a\":1,\"b\":\"\xff\"}\n"))
	if !strings.Contains(res.Err, "row: ") || !utf8.ValidString(res.Err) {
		t.Errorf("error %q", res.Err)
	}
}
