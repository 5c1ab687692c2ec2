package csv_test

import (
	"strings"
	"testing"

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
	{name: "plain", schema: "a int, b text", data: "1,x\n2,y\n", want: []string{"1 | x", "2 | y"}},
	{name: "no line end at the end", schema: "a int, b text", data: "1,x\n2,y", want: []string{"1 | x", "2 | y"}},
	{name: "empty file B025", schema: "a int, b text", data: ""},
	{name: "header only B025", schema: "a int, b text", opts: "header=true", data: "a,b\n"},
	{name: "header only without line end B025", schema: "a int, b text", opts: "header=true", data: "a,b"},
	{name: "CR LF", schema: "a int, b text", data: "1,x\r\n2,y\r\n", want: []string{"1 | x", "2 | y"}},
	{name: "lone CR ends a row B003", schema: "a int, b text", data: "1,x\r2,y\n3,z\n", want: []string{"1 | x", "2 | y", "3 | z"}},
	{name: "only CR B003", schema: "id int, s text", opts: "header=true", data: "id,s\r1,a\r2,b\r", want: []string{"1 | a", "2 | b"}},
	{name: "CR CR LF with header B003", schema: "id int", opts: "header=true", data: "id\r\r\n1\r\r\n2\r\r\n", want: []string{"1", "2"}},
	{name: "CR CR LF strict B003", schema: "id int", data: "1\r\r\n", want: []string{"1"}, err: `t.csv:2: column "id": "" is not an INT`},
	{name: "CR LF inside quotes is kept B001", schema: "id int, note text", opts: "header=true", data: "id,note\r\n1,\"a\r\nb\"\r\n2,c\r\n",
		want: []string{"1 | a\r\nb", "2 | c"}},
	{name: "line feed in quotes", schema: "a int, b text", data: "1,\"x\ny\"\n2,z\n", want: []string{"1 | x\ny", "2 | z"}},
	{name: "byte order mark before a number", schema: "a int, b text", data: "\uFEFF1,y\n2,w\n", want: []string{"1 | y", "2 | w"}},
	{name: "byte order mark before a quoted header B005", schema: "id int, v text", opts: "header=true", data: "\uFEFF\"id\",v\n7,\"\uFEFFx\"\n",
		want: []string{"7 | \uFEFFx"}},
	{name: "byte order mark alone", schema: "a int", data: "\uFEFF"},
	{name: "blank lines are no records with a header B007", schema: "v int", opts: "header=true", data: "v\n1\n\n3\n", want: []string{"1", "3"}},
	{name: "blank first line B007", schema: "a int, b int", opts: "header=true", data: "\na,b\n1,2\n\n3,4\n", want: []string{"1 | 2", "3 | 4"}},
	{name: "empty line of a one column table", schema: "a text", data: "x\n\n  \ny\n", want: []string{"x", "", "  ", "y"}},
	{name: "empty line of two columns", schema: "a text, b text", data: "1,x\n\n2,y\n", want: []string{"1 | x"}, err: "t.csv:2: 1 field, 2 expected"},
	{name: "empty lines ignored", schema: "a text, b text", opts: "ignore-parse-errors=true", data: "1,x\n\n  \n2,y\n",
		want: []string{"1 | x", " | <NULL>", "   | <NULL>", "2 | y"}},
	{name: "too few fields", schema: "a int, b text", data: "1\n", err: "t.csv:1: 1 field, 2 expected"},
	{name: "too many fields", schema: "a int, b text", data: "0,w\n1,x,9\n2,y\n", want: []string{"0 | w"}, err: "t.csv:2: 3 fields, 2 expected"},
	{name: "too many fields whatever is wanted", schema: "a int, b text", columns: []int{0}, data: "1,x,9\n", err: "t.csv:1: 3 fields, 2 expected"},
	{name: "ragged with a header B009", schema: "a int, b int, c int", opts: "header=true", columns: []int{0},
		data: "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n", want: []string{"1"}, err: "t.csv:3: 2 fields, 3 expected"},
	{name: "ragged with a header, ignored B009", schema: "a int, b int, c int", opts: "header=true; ignore-parse-errors=true", columns: []int{0},
		data: "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n", want: []string{"1", "10"}, bad: []string{"2 fields, 3 expected", "4 fields, 3 expected"}},
	{name: "row lengths ignored", schema: "a int, b text, c int", opts: "ignore-parse-errors=true", data: "1,a,1\n2,b\n3\n4,d,4,4\n5,e,5\n",
		want: []string{"1 | a | 1", "2 | b | <NULL>", "3 | <NULL> | <NULL>", "5 | e | 5"}, bad: []string{"4 fields, 3 expected"}},
	{name: "short row whose missing column is not wanted", schema: "a int, b text, c int", columns: []int{0}, data: "1,x\n2,y,3\n", want: []string{"1", "2"}},
	{name: "short row whose missing column is wanted", schema: "a int, b text, c int", columns: []int{2}, data: "1,x\n",
		err: "t.csv:1: 2 fields, 3 expected"}, // Flink answers NULL: it compares with the number of wanted columns
	{name: "fail on missing columns", schema: "a int, b text, c int", opts: "fail-on-missing-columns=true", columns: []int{0}, data: "1,x\n",
		err: "2 fields, 3 expected"},
	{name: "missing columns ignored", schema: "a int, b text, c int", opts: "fail-on-missing-columns=true; ignore-parse-errors=true",
		data: "1,x\n2,y,3\n", want: []string{"2 | y | 3"}, bad: []string{"2 fields, 3 expected"}},
	{name: "trailing delimiter", schema: "a int, b text", data: "1,x,\n2,y\n", want: []string{"1 | x", "2 | y"}},
	{name: "two trailing delimiters", schema: "a int, b text", data: "1,x,,\n", err: "4 fields, 2 expected"},
	{name: "trailing delimiter refused", schema: "a int, b text", opts: "allow-trailing-comma=false", data: "1,x,\n", err: "3 fields, 2 expected"},
	{name: "trailing delimiter of one column", schema: "a text", data: "x,\ny\n", want: []string{"x", "y"}},
	{name: "trailing delimiter of a short row", schema: "a int, b text, c int", opts: "ignore-parse-errors=true", data: "1,\n2,x,3,\n",
		want: []string{"1 |  | <NULL>", "2 | x | 3"}},
	{name: "unmappable fields dropped", schema: "a int, b text", opts: "ignore-trailing-unmappable=true", data: "1,x,9,8\n2,y\n",
		want: []string{"1 | x", "2 | y"}},
	{name: "columns not wanted are not parsed", schema: "a int, b int, c text", columns: []int{0, 2}, data: "1,x,p\n2,y,q\n", want: []string{"1 | p", "2 | q"}},
	{name: "no column wanted", schema: "a int, b int", columns: []int{}, data: "1,x\n2,y\n", want: []string{"", ""}},
	{name: "quotes", schema: "a int, b text", data: "1,a\"b\n2,a\"\"b\n3,\"a\"\"b\"\n4,\"\"\"\"\n5,\"\"\n",
		want: []string{`1 | a"b`, `2 | a""b`, `3 | a"b`, `4 | "`, "5 | "}},
	{name: "blanks at quotes", schema: "a int, b text", data: "1,\"x\" \n2, \"y\"\n3,z\n", want: []string{"1 | x", `2 |  "y"`, "3 | z"}},
	{name: "text behind a quote", schema: "a int, b text", data: "1,\"x\"y\n2,z\n", err: "t.csv:1: text behind a closing quote"},
	{name: "text behind a quote ignored", schema: "a int, b text", opts: "ignore-parse-errors=true", data: "1,\"x\"y\n2,z\n3,w\n",
		want: []string{"2 | z", "3 | w"}, bad: []string{"text behind a closing quote"}},
	{name: "text behind a quote over lines ignored", schema: "a int, b text", opts: "ignore-parse-errors=true", data: "1,\"x\ny\"z,4\n2,z\n3,w\n",
		want: []string{"2 | z", "3 | w"}, bad: []string{"text behind a closing quote"}},
	{name: "doubled quotes around text B013", schema: "id int, s text", opts: "header=true", data: "id,s\n1,\"\"zz\"\"\n2,b\n",
		err: "t.csv:2: text behind a closing quote"},
	{name: "doubled quotes around text ignored B013", schema: "id int, s text", opts: "header=true; ignore-parse-errors=true",
		data: "id,s\n1,\"\"zz\"\"\n2,b\n", want: []string{"2 | b"}, bad: []string{"text behind a closing quote"}},
	{name: "unclosed quote", schema: "a int, b text", data: "1,x\n2,\"y\n3,z\n", want: []string{"1 | x"}, err: "t.csv:2: quote is not closed"},
	{name: "unclosed quote ignored", schema: "a int, b text", opts: "ignore-parse-errors=true", data: "1,x\n2,\"y\n3,z\n",
		want: []string{"1 | x", "3 | z"}, bad: []string{"quote is not closed"}}, // Flink loses the rest of the file
	{name: "no quote character B015", schema: "id int, s text", opts: "disable-quote-character=true; header=true", data: "id,s\n1,5\" pipe\n2,\"x\"\n",
		want: []string{`1 | 5" pipe`, `2 | "x"`}},
	{name: "no quote character and a delimiter in quotes", schema: "a int, b text", opts: "disable-quote-character=true", data: "1,\"x,y\"\n",
		err: "3 fields, 2 expected"},
	{name: "another quote character", schema: "a int, b text", opts: "quote-character='", data: "1,'x,y'\n2,'it''s'\n3,\"q\"\n",
		want: []string{"1 | x,y", "2 | it's", `3 | "q"`}},
	{name: "escape character", schema: "a int, b text", opts: `escape-character=\`,
		data: "1,x\\,y\n2,\\\"z\n3,a\\\\b\n4,a\\nb\n5,\"q\\\"q\"\n6,a\\0b\n7,\\N\n8,a\\tb\n9,a\\\nb\n10,\"x\\\\\"\n",
		want: []string{"1 | x,y", `2 | "z`, `3 | a\b`, "4 | a\nb", `5 | q"q`, "6 | a\x00b", "7 | N", "8 | a\tb", "9 | a\nb", `10 | x\`}},
	{name: "backslash without escape character", schema: "a int, b text", data: "1,x\\ny\n2,a\\\\b\n", want: []string{`1 | x\ny`, `2 | a\\b`}},
	{name: "delimiters", schema: "a int, b text", opts: "field-delimiter=|", data: "1|x\n2|y,z\n", want: []string{"1 | x", "2 | y,z"}},
	{name: "tab", schema: "a int, b text", opts: `field-delimiter=\t`, data: "1\tx\n2\ty z\n", want: []string{"1 | x", "2 | y z"}},
	{name: "delimiter outside ASCII", schema: "a int, b text", opts: "field-delimiter=§", data: "1§x\n2§y\n", want: []string{"1 | x", "2 | y"}},
	{name: "blank as delimiter", schema: "a int, b int", opts: "field-delimiter= ", data: "1 2\n3  4\n", want: []string{"1 | 2"}, err: "t.csv:2: 3 fields"},
	{name: "null literal", schema: "a int, b text, c f64", opts: "null-literal=NULL",
		data: "1,x,1.5\nNULL,NULL,NULL\n2,\"NULL\",3\n3, NULL,4\n4,null,5\n",
		want: []string{"1 | x | 1.5", "<NULL> | <NULL> | <NULL>", "2 | <NULL> | 3.0", "3 |  NULL | 4.0", "4 | null | 5.0"}},
	{name: "number as null literal", schema: "a int, b text", opts: "null-literal=-1", data: "-1,-1\n2,3\n", want: []string{"<NULL> | <NULL>", "2 | 3"}},
	{name: "empty null literal", schema: "a int, b text", opts: "null-literal=", data: ",\"\"\n2,\n"},
	{name: "empty string as null", schema: "a int, b text, c int", opts: "empty-string-as-null=true", data: "1,,\n2,\"\",\n3,x,4\n",
		want: []string{"1 | <NULL> | <NULL>", "2 | <NULL> | <NULL>", "3 | x | 4"}},
	{name: "trim spaces", schema: "a int, b text, c int", opts: "trim-spaces=true",
		data: " 1 , x ,3\n2, \"y\" ,4\n3,\" z \",5\n\t4\t,\tq\t,\t5\t\n5,\"y\"  ,6\n",
		want: []string{"1 | x | 3", "2 | y | 4", "3 |  z  | 5", "4 | q | 5", "5 | y | 6"}},
	{name: "comments", schema: "a text, b text", opts: "allow-comments=true", data: "#x\n  # y\n1,#z\n2,\"#\"\n 3,a\n\"#q\",b\n\n4,d\n",
		want: []string{"1 | #z", "2 | #", "3 | a", "#q | b", "4 | d"}},
	{name: "comments off", schema: "a text, b text", data: "# head,h\n1,x\n", want: []string{"# head | h", "1 | x"}},
	{name: "blanks are kept", schema: "a text, b text", data: " x , y \n\tz\t,w\n", want: []string{" x  |  y ", "\tz\t | w"}},
	{name: "unicode", schema: "a text, b text", data: "straße,日本\n😀,é\n", want: []string{"straße | 日本", "😀 | é"}},
	{name: "zero byte", schema: "a int, b text", data: "1,a\x00b\n", want: []string{"1 | a\x00b"}},
	{name: "not UTF-8 B021", schema: "id int, s text", opts: "header=true", data: "id,s\n1,\xff\xfe\n2,ok\n",
		err: `t.csv:2: column "s": "\xff\xfe" is not UTF-8: byte 0xff at offset 7`},
	{name: "not UTF-8 ignored B021", schema: "id int, s text", opts: "header=true; ignore-parse-errors=true", data: "id,s\n1,\xff\xfe\n2,ok\n",
		want: []string{"2 | ok"}, bad: []string{`"\xff\xfe" is not UTF-8: byte 0xff at offset 7 of the file`}}, // Flink fails here too
	{name: "not UTF-8 where it is not wanted", schema: "id int, s text", columns: []int{0}, data: "1,\xff\n", want: []string{"1"}},
	{name: "header in another order B011", schema: "b int, a int", opts: "header=true", data: "a,b,x\n1,2,9\n", want: []string{"2 | 1"}},
	{name: "header in another case", schema: "Id int", opts: "header=true", data: "ID\n1\n", want: []string{"1"}},
	{name: "header without a column B011", schema: "b int, c int", opts: "header=true", data: "a,b,x\n1,2,9\n", err: `the header has no column "c"`},
	{name: "header names a column twice", schema: "a int", opts: "header=true", data: "a,a\n1,2\n", err: `names column "a" twice`},
	{name: "header without the option", schema: "a int, b text", data: "a,b\n1,x\n", err: `t.csv:1: column "a": "a" is not an INT`},
	{name: "header ignored as a bad field", schema: "a int, b text", opts: "ignore-parse-errors=true", data: "a,b\n1,x\n",
		want: []string{"<NULL> | b", "1 | x"}, bad: []string{`"a" is not an INT`}},
	{name: "bad value names its place", schema: "a int, b int", data: "1,2\n3,\"4\n\"\n5,x\n", want: []string{"1 | 2", "3 | 4"},
		err: `t.csv:4: column "b": "x" is not an INT`},
	{name: "number too large B017", schema: "id int, n int", opts: "header=true", data: "id,n\n1,2147483647\n2,2147483648\n3,-2147483649\n",
		want: []string{"1 | 2147483647"}, err: `t.csv:3: column "n": "2147483648" is not an INT: out of range`},
	{name: "number too large ignored B017", schema: "id int, n int", opts: "header=true; ignore-parse-errors=true",
		data: "id,n\n1,2147483647\n2,2147483648\n3,-2147483649\n", want: []string{"1 | 2147483647", "2 | <NULL>", "3 | <NULL>"},
		bad: []string{`"2147483648" is not an INT: out of range`, `"-2147483649" is not an INT: out of range`}},
	{name: "bad field of a NOT NULL column", schema: "a int!, b text", opts: "ignore-parse-errors=true", data: "x,y\n1,z\n",
		err: `column "a": is NULL, but the column is declared NOT NULL`},
	{name: "a guess that does not hold B019", schema: "x big", opts: "header=true; inferred=true", data: "x\n1\n2\n1.5\n", want: []string{"1", "2"},
		err: `t.csv:4: column "x": "1.5" is not a BIGINT`},
}

func init() {
	for i := range rowTests {
		if rowTests[i].name == "empty null literal" {
			rowTests[i].want = []string{"<NULL> | <NULL>", "2 | <NULL>"}
		}
	}
}

// TestRows reads each input with both paths, in pieces of every size.
func TestRows(t *testing.T) {
	for _, c := range rowTests {
		t.Run(c.name, func(t *testing.T) {
			for _, slow := range []bool{false, true} {
				for _, chunk := range []int{1, 2, 3, 7, 64, 1 << 16} {
					for _, batch := range []int{1, 2, 4096} {
						r := read{schema: schema(c.schema), columns: c.columns, opts: options(t, c.opts), slow: slow, chunk: chunk, batch: batch}
						res := r.run(t, input("t.csv", c.data))
						if diff := cmp.Diff(c.want, res.Values()); diff != "" {
							t.Fatalf("slow %v, chunk %d, batch %d: rows -want +got\n%s", slow, chunk, batch, diff)
						}
						if (c.err == "") != (res.Err == "") || !strings.Contains(res.Err, c.err) {
							t.Fatalf("slow %v, chunk %d, batch %d: error %q, want %q", slow, chunk, batch, res.Err, c.err)
						}
						if c.bad != nil && len(c.bad) != len(res.Bad) {
							t.Fatalf("slow %v, chunk %d: bad rows %q, want %q", slow, chunk, res.Bad, c.bad)
						}
						for i, b := range c.bad {
							if !strings.Contains(res.Bad[i], b) {
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
