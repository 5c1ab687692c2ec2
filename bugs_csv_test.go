package streamsql_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"streamsql"
	"streamsql/internal/slt"
)

// bug is a fault seen in other engines, as statements over files given byte by byte.
type bug struct {
	files map[string]string
	sql   string // {dir} is the folder of the files
	// want holds the lines that come out, without the statements. "error: " is
	// followed by a regular expression; "bad FILE:LINE COLUMN" stands for a row that
	// was skipped, with "null COLUMN" for a value that was read as NULL.
	want  string
	edges bool // larger input: fewer configurations
}

// check runs the statements in every configuration: each gives the same lines.
func (c bug) check(t *testing.T) {
	t.Helper()
	configs := slt.Matrix()
	if c.edges || testing.Short() {
		configs = slt.Edges()
	}
	for _, config := range configs {
		got := c.run(t, config)
		if diff := differ(c.want, got); diff != "" {
			t.Fatalf("%s: %s\ngot:\n%s", config, diff, got)
		}
	}
}

func (c bug) run(t *testing.T, config slt.Config) string {
	t.Helper()
	dir := t.TempDir()
	var bad []string
	note := streamsql.WithBad(func(r streamsql.BadRow) {
		line := fmt.Sprintf("bad %s:%d", filepath.Base(r.File), r.Line)
		if r.Column != "" {
			line += " " + r.Column
		}
		if r.Nulled {
			line = "null" + line[len("bad"):]
		}
		bad = append(bad, line)
	})
	text, err := slt.Transcript(t.Context(), slt.Case{Data: c.files, SQL: c.sql}, dir, append(config.Options(), note)...)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if !strings.HasPrefix(l, "> ") {
			lines = append(lines, l)
		}
	}
	return strings.Join(append(lines, bad...), "\n")
}

func differ(want, got string) string {
	w, g := strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(got), "\n")
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(w):
			return fmt.Sprintf("line %d: nothing expected, got %q", i+1, g[i])
		case i >= len(g):
			return fmt.Sprintf("line %d: expected %q, got nothing", i+1, w[i])
		}
		pattern, isError := strings.CutPrefix(w[i], "error: ")
		switch {
		case isError && (!strings.HasPrefix(g[i], "error: ") || !regexp.MustCompile(pattern).MatchString(g[i])),
			!isError && w[i] != g[i]:
			return fmt.Sprintf("line %d: expected %q, got %q", i+1, w[i], g[i])
		}
	}
	return ""
}

// csvTable declares table t over t.csv.
func csvTable(columns string, options ...string) string {
	return csvTableAt("t.csv", columns, options...)
}

func csvTableAt(file, columns string, options ...string) string {
	with := []string{"'connector'='filesystem'", "'path'='{dir}/" + file + "'", "'format'='csv'"}
	return "CREATE TABLE t (" + columns + ") WITH (" + strings.Join(append(with, options...), ", ") + ");\n"
}

const (
	withHeader = "'csv.header'='true'"
	lenient    = "'csv.ignore-parse-errors'='true'"
)

func file(content string) map[string]string { return map[string]string{"t.csv": content} }

// What stands between quotes is data: CR LF there stays CR LF.
func TestB001QuotedCRLF(t *testing.T) {
	bug{
		files: file("id,note\r\n1,\"a\r\nb\"\r\n2,c\r\n"),
		sql:   csvTable("id INT, note STRING", withHeader) + "SELECT id, CHAR_LENGTH(note) FROM t;",
		want:  "+I 1 | 4\n+I 2 | 1",
	}.check(t)
}

// As in Flink LF, CR LF and a lone CR end a row; CR CR LF is a row and an empty line.
// The read buffer does not decide.
func TestB003LineEnds(t *testing.T) {
	t.Run("CR CR LF", func(t *testing.T) {
		bug{
			files: file("id\r\r\n1\r\r\n2\r\r\n"),
			sql:   csvTable("id INT", withHeader) + "SELECT id FROM t;",
			want:  "+I 1\n+I 2",
		}.check(t)
	})
	t.Run("CR CR LF without header", func(t *testing.T) {
		bug{
			files: file("1\r\r\n2\r\r\n"),
			sql:   csvTable("id STRING") + "SELECT '[' || id || ']' FROM t;",
			want:  "+I [1]\n+I []\n+I [2]\n+I []",
		}.check(t)
	})
	t.Run("lone CR", func(t *testing.T) {
		bug{
			files: file("id,s\r1,a\r2,b\r"),
			sql:   csvTable("id INT, s STRING", withHeader) + "SELECT id, s, CHAR_LENGTH(s) FROM t;",
			want:  "+I 1 | a | 1\n+I 2 | b | 1",
		}.check(t)
	})
	t.Run("mixed, last line open", func(t *testing.T) {
		bug{
			files: file("1,a\n2,b\r\n3,c\r4,d"),
			sql:   csvTable("id INT, s STRING") + "SELECT id, s, CHAR_LENGTH(s) FROM t;",
			want:  "+I 1 | a | 1\n+I 2 | b | 1\n+I 3 | c | 1\n+I 4 | d | 1",
		}.check(t)
	})
}

// The byte order mark at the start goes, also before a quote; in the data it is an
// ordinary character.
func TestB005ByteOrderMark(t *testing.T) {
	bug{
		files: file("\xEF\xBB\xBF\"id\",v\n7,\"\xEF\xBB\xBFx\"\n"),
		sql:   csvTable("id INT, v STRING", withHeader) + "SELECT id, CHAR_LENGTH(v) FROM t;",
		want:  "+I 7 | 2",
	}.check(t)
	bug{
		files: file("\xEF\xBB\xBF\"7\",a\n8,b\n"),
		sql:   csvTable("id INT, v STRING") + "SELECT id, v FROM t;",
		want:  "+I 7 | a\n+I 8 | b",
	}.check(t)
}

// With a header an empty line is no record, also before the header; without one it is
// a record of one empty field, as in Flink.
func TestB007BlankLines(t *testing.T) {
	bug{
		files: file("v\n1\n\n3\n"),
		sql:   csvTable("v INT", withHeader) + "SELECT v FROM t;",
		want:  "+I 1\n+I 3",
	}.check(t)
	bug{
		files: file("\na,b\n1,2\n\n3,4\n"),
		sql:   csvTable("a INT, b INT", withHeader) + "SELECT a, b FROM t;",
		want:  "+I 1 | 2\n+I 3 | 4",
	}.check(t)
	bug{
		files: file("x\n\ny\n"),
		sql:   csvTable("v STRING") + "SELECT '[' || v || ']' FROM t;",
		want:  "+I [x]\n+I []\n+I [y]",
	}.check(t)
	bug{
		files: file("1,2\n\n3,4\n"),
		sql:   csvTable("a INT, b INT") + "SELECT a, b FROM t;",
		want:  "+I 1 | 2\nerror: t.csv:2: 1 field, 2 expected",
	}.check(t)
}

// Whatever the mode, later good rows survive and no value slides into another column.
func TestB009RaggedRows(t *testing.T) {
	const rows = "1,2,3\n4,5\n6,7,8,9\n10,11,12\n"
	t.Run("strict", func(t *testing.T) {
		bug{
			files: file("a,b,c\n" + rows),
			sql:   csvTable("a INT, b INT, c INT", withHeader) + "SELECT a, b, c FROM t;",
			want:  "+I 1 | 2 | 3\nerror: t.csv:3: 2 fields, 3 expected",
		}.check(t)
	})
	t.Run("lenient", func(t *testing.T) {
		bug{
			files: file("a,b,c\n" + rows),
			sql:   csvTable("a INT, b INT, c INT", withHeader, lenient) + "SELECT a, b, c FROM t;",
			want:  "+I 1 | 2 | 3\n+I 10 | 11 | 12\nbad t.csv:3\nbad t.csv:4",
		}.check(t)
	})
	// Flink's csv: missing fields are NULL, a row with too many is dropped.
	t.Run("lenient without header", func(t *testing.T) {
		bug{
			files: file(rows),
			sql:   csvTable("a INT, b INT, c INT", lenient) + "SELECT a, b, c FROM t;",
			want:  "+I 1 | 2 | 3\n+I 4 | 5 | <NULL>\n+I 10 | 11 | 12\nbad t.csv:3",
		}.check(t)
	})
}

// With a header columns go by name, and a file that lacks one is refused.
func TestB011HeaderAndColumns(t *testing.T) {
	bug{
		files: file("a,b,x\n1,2,9\n"),
		sql:   csvTable("b INT, a INT", withHeader) + "SELECT a, b FROM t;",
		want:  "+I 1 | 2",
	}.check(t)
	bug{
		files: file("a,b,x\n1,2,9\n"),
		sql:   csvTable("b INT, c INT", withHeader) + "SELECT b, c FROM t;",
		want:  `error: column "c"`,
	}.check(t)
	// Without one they go by position, as in Flink; names in the file are data.
	bug{
		files: file("a,b\n1,2\n"),
		sql:   csvTable("b INT, a INT") + "SELECT a, b FROM t;",
		want:  `error: t.csv:1: column "b": "a" is not an INT`,
	}.check(t)
}

// Behind a closing quote only a delimiter or the end of the row may follow; what is
// wrong spoils its own line only.
func TestB013TextBehindQuote(t *testing.T) {
	bug{
		files: file("id,s\n1,\"\"zz\"\"\n2,b\n"),
		sql:   csvTable("id INT, s STRING", withHeader) + "SELECT id, s FROM t;",
		want:  "error: t.csv:2: text behind a closing quote",
	}.check(t)
	bug{
		files: file("id,s\n1,\"\"zz\"\"\n2,b\n"),
		sql:   csvTable("id INT, s STRING", withHeader, lenient) + "SELECT id, s FROM t;",
		want:  "+I 2 | b\nbad t.csv:2",
	}.check(t)
	// A quote that is never closed does not eat the file either.
	bug{
		files: file("1,a\n2,\"b\n3,c\n"),
		sql:   csvTable("id INT, s STRING", lenient) + "SELECT id, s FROM t;",
		want:  "+I 1 | a\n+I 3 | c\nbad t.csv:2",
	}.check(t)
}

// Without a quote character quotes are plain characters everywhere. With one they are
// in the middle of an unquoted field, as in Flink.
func TestB015QuotesAsData(t *testing.T) {
	bug{
		files: file("id,s\n1,5\" pipe\n2,\"x\"\n"),
		sql:   csvTable("id INT, s STRING", withHeader, "'csv.disable-quote-character'='true'") + "SELECT id, s FROM t;",
		want:  "+I 1 | 5\" pipe\n+I 2 | \"x\"",
	}.check(t)
	bug{
		files: file("id,s\n1,5\" pipe\n2,\"x\"\n"),
		sql:   csvTable("id INT, s STRING", withHeader) + "SELECT id, s FROM t;",
		want:  "+I 1 | 5\" pipe\n+I 2 | x",
	}.check(t)
}

// A number that does not fit never wraps and is never clamped: an error, or NULL with
// ignore-parse-errors, as in Flink, and counted.
func TestB017NumbersOutOfRange(t *testing.T) {
	for _, c := range []struct{ typ, fits, above, below string }{
		{"TINYINT", "127", "128", "-129"},
		{"SMALLINT", "32767", "32768", "-32769"},
		{"INT", "2147483647", "2147483648", "-2147483649"},
		{"BIGINT", "9223372036854775807", "9223372036854775808", "-9223372036854775809"},
		{"BIGINT", "-9223372036854775808", "18446744073709551616", "-100000000000000000000"},
	} {
		files := file("id,n\n1," + c.fits + "\n2," + c.above + "\n3," + c.below + "\n")
		bug{
			files: files,
			sql:   csvTable("id INT, n "+c.typ, withHeader) + "SELECT id, n FROM t;",
			want:  "+I 1 | " + c.fits + "\nerror: t.csv:3: column \"n\": \"" + c.above + "\" is not a.* " + c.typ + ": out of range",
		}.check(t)
		bug{
			files: files,
			sql:   csvTable("id INT, n "+c.typ, withHeader, lenient) + "SELECT id, n FROM t;",
			want:  "+I 1 | " + c.fits + "\n+I 2 | <NULL>\n+I 3 | <NULL>\nnull t.csv:3 n\nnull t.csv:4 n",
		}.check(t)
	}
}

// A type guessed from the first rows never changes a later value: 1.5 is not 2.
func TestB019InferredTypes(t *testing.T) {
	bug{
		files: file("x\n1\n2\n1.5\n"),
		sql:   "SELECT x FROM '{dir}/t.csv' WHERE x < 2;",
		want:  "+I 1.0\n+I 1.5",
	}.check(t)
	bug{
		files: file("x\n1\n2\n1.5\n"),
		sql:   "SELECT MAX(x), SUM(x) FROM '{dir}/t.csv' WHERE x < 2;",
		want:  "+I 1.0 | 1.0\n-U 1.0 | 1.0\n+U 1.5 | 2.5",
	}.check(t)
	var big strings.Builder
	big.WriteString("x\n")
	for i := range 100_000 {
		big.WriteString(strconv.Itoa(i%2+1) + "\n")
	}
	big.WriteString("1.5\n")
	bug{
		files: file(big.String()),
		sql:   "SELECT x FROM '{dir}/t.csv' WHERE x > 2;",
		want:  `error: t.csv:100002: column "x": "1.5" is not a BIGINT.*guessed`,
		edges: true,
	}.check(t)
}

// Bytes that are not UTF-8 are an error that names line and column. Flink fails with
// ignore-parse-errors too and shows nothing; here the bad row is counted.
func TestB021InvalidUTF8(t *testing.T) {
	bug{
		files: file("id,s\n0,ok\n1,\xff\xfe\n2,ok\n"),
		sql:   csvTable("id INT, s STRING", withHeader) + "SELECT id, CHAR_LENGTH(s) FROM t;",
		want:  "+I 0 | 2\nerror: t.csv:3: column \"s\": .* is not UTF-8: byte 0xff at offset 12 .*row: 1,\uFFFD",
	}.check(t)
	bug{
		files: file("id,s\n1,\xff\xfe\n2,ok\n"),
		sql:   csvTable("id INT, s STRING", withHeader, lenient) + "SELECT id, CHAR_LENGTH(s) FROM t;",
		want:  "+I 2 | 2\nbad t.csv:2 s",
	}.check(t)
}

// A line longer than any buffer is a line like others.
func TestB023GiantLine(t *testing.T) {
	bug{
		files: file("1,a\n2," + strings.Repeat("x", 70_000) + "\n3,c\n"),
		sql:   csvTable("id INT, s STRING") + "SELECT id, CHAR_LENGTH(s) FROM t;",
		want:  "+I 1 | 1\n+I 2 | 70000\n+I 3 | 1",
		edges: true,
	}.check(t)
}

// A line above the limit of 16 MiB is an error that names limit and line.
func TestB039LineAboveLimit(t *testing.T) {
	files := file("1,a\n2," + strings.Repeat("x", 20<<20) + "\n3,c\n")
	config := slt.Config{Batch: 4096, ReadBuffer: 64 << 10, Workers: 2, Seed: 1}
	strict := bug{files: files, sql: csvTable("id INT, s STRING") + "SELECT id, CHAR_LENGTH(s) FROM t;"}
	if diff := differ("+I 1 | 1\nerror: t.csv:2: record is longer than 16 MiB", strict.run(t, config)); diff != "" {
		t.Error(diff)
	}
}

// No rows are no windows; a header alone is no row; without columns an empty file
// cannot be read.
func TestB025EmptyFiles(t *testing.T) {
	const query = "SELECT id FROM t;\nSELECT COUNT(*), SUM(id) FROM t;\nSELECT id, COUNT(*) FROM t GROUP BY id;\nSELECT COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND)) GROUP BY window_start, window_end;"
	const columns = "id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
	for _, content := range []string{"id,ts\n", "id,ts", "", "\n", "\xEF\xBB\xBF"} {
		bug{files: file(content), sql: csvTable(columns, withHeader) + query}.check(t)
	}
	bug{files: file(""), sql: csvTable(columns) + query}.check(t)
	bug{
		files: file(""),
		sql:   "SELECT * FROM '{dir}/t.csv';",
		want:  "error: empty",
	}.check(t)
}

// Bookkeeping by bits ends at no number of columns.
func TestB027WideTables(t *testing.T) {
	for _, n := range []int{13, 64, 65, 128, 129, 130, 300} {
		var names, values, declared []string
		for i := 1; i <= n; i++ {
			names = append(names, "c"+strconv.Itoa(i))
			values = append(values, strconv.Itoa(i))
			declared = append(declared, names[i-1]+" INT")
		}
		last := names[n-1]
		bug{
			files: file(strings.Join(names, ",") + "\n" + strings.Join(values, ",") + "\n"),
			sql: csvTable(strings.Join(declared, ", "), withHeader) + "SELECT " + last + ", c1 FROM t;\n" +
				"SELECT * FROM '{dir}/t.csv';",
			want:  fmt.Sprintf("+I %d | 1\n+I %s", n, strings.Join(values, " | ")),
			edges: true,
		}.check(t)
	}
}

// chunks is an input that arrives in pieces; a piece named "wait" stands for waiting
// until the reader of the results has had a row.
type chunks struct {
	pieces []string
	rows   chan struct{}
}

func (c *chunks) Read(p []byte) (int, error) {
	for len(c.pieces) > 0 && c.pieces[0] == "wait" {
		<-c.rows
		c.pieces = c.pieces[1:]
	}
	if len(c.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.pieces[0])
	if c.pieces[0] = c.pieces[0][n:]; c.pieces[0] == "" {
		c.pieces = c.pieces[1:]
	}
	return n, nil
}

// Half a line is no record before the writer has finished it; whole lines come out
// while the input is open. The end of the input ends the last line.
func TestB029PartialLines(t *testing.T) {
	for _, config := range slt.Matrix() {
		in := &chunks{
			pieces: []string{"1,ab", "c\n2", ",d\n3,", "wait", "wait", "e", "f\n", "wait", "4,\"g", "\nh\"", "\n5,i"},
			rows:   make(chan struct{}, 16),
		}
		e, err := streamsql.Open(append(config.Options(), streamsql.WithStdin(in))...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, err := e.Exec(ctx, "CREATE TABLE t (id INT, s STRING) WITH ('connector'='stdin', 'format'='csv')"); err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(ctx, "SELECT id, s FROM t")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for b, err := range q.Batches() {
			if err != nil {
				t.Fatalf("%s: %v", config, err)
			}
			for row := range int(b.NumRows()) {
				got = append(got, string(b.AppendText(nil, row, 0))+"="+string(b.AppendText(nil, row, 1)))
				in.rows <- struct{}{}
			}
		}
		if want := "1=abc 2=d 3=ef 4=g\nh 5=i"; strings.Join(got, " ") != want {
			t.Fatalf("%s: got %q, expected %q", config, got, want)
		}
		cancel()
		e.Close()
	}
}

// Flink refuses T and zones in the text of a TIMESTAMP; here they are taken, and then
// the value is the wall clock in UTC: the zone is never dropped in silence.
func TestB071ZoneInTimestamp(t *testing.T) {
	bug{
		files: file("2024-01-01T00:00:00+02:00\n2024-01-01T00:00:00Z\n2024-01-01 00:00:00\n"),
		sql:   csvTable("ts TIMESTAMP(3)") + "SELECT ts FROM t;",
		want:  "+I 2023-12-31 22:00:00.000\n+I 2024-01-01 00:00:00.000\n+I 2024-01-01 00:00:00.000",
	}.check(t)
	bug{
		files: file("2024-01-01 00:00:00+2\n"),
		sql:   csvTable("ts TIMESTAMP(3)") + "SELECT ts FROM t;",
		want:  `error: t.csv:1: column "ts": "2024-01-01 00:00:00.2" is not a TIMESTAMP`,
	}.check(t)
	bug{
		files: file("2024-01-01T00:00:00+02:00\n2024-01-01T00:00:00Z\n"),
		sql:   csvTable("ts TIMESTAMP_LTZ(3)") + "SELECT ts FROM t;\nSET 'table.local-time-zone' = 'Asia/Kolkata';\nSELECT ts FROM t;",
		want:  "+I 2023-12-31 22:00:00.000\n+I 2024-01-01 00:00:00.000\n+I 2024-01-01 03:30:00.000\n+I 2024-01-01 05:30:00.000",
	}.check(t)
	// Flink wants the zone, which is always UTC there: a text without one is an error.
	bug{
		files: file("2024-01-01 00:00:00\n"),
		sql:   csvTable("ts TIMESTAMP_LTZ(3)") + "SELECT ts FROM t;",
		want:  `error: t.csv:1: column "ts": .*TIMESTAMP_LTZ.*zone`,
	}.check(t)
}

// One absurd time is out of range, hence NULL, and a NULL event time is an error that
// says where, as in Flink. It does not end event time for the rows before it.
func TestB073AbsurdTime(t *testing.T) {
	bug{
		files: file("1714557600000,2\n1714557660000,4\n9223372036854775807,1\n1714557720000,8\n"),
		sql: csvTable("n BIGINT, v INT, ts AS TO_TIMESTAMP_LTZ(n, 3), WATERMARK FOR ts AS ts") +
			"SELECT window_start, SUM(v) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;",
		want: "+I 2024-05-01 10:00:00.000 | 2\nerror: rowtime column \"ts\" is NULL",
	}.check(t)
}
