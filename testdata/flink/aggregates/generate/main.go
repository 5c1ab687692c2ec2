// Command generate writes random aggregate queries over random data, as case files that
// a real Flink can answer: all aggregates over all types, with DISTINCT and FILTER,
// over rows that are only added, rows that are taken back, and in windows.
//
//	go run ./testdata/flink/aggregates/generate -seed 1 -cases 20 > x.case
//
// The cases beside it are chosen from what it wrote for the seeds in their names.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

func main() {
	seed := flag.Uint64("seed", 1, "what the cases follow from")
	cases := flag.Int("cases", 20, "how many")
	statements := flag.Int("statements", 8, "queries of a case")
	join := flag.Bool("join", false, "queries over outer joins only: Flink needs a pause between the rows")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	for n := range *cases {
		g := generator{r: rand.New(rand.NewPCG(*seed, uint64(n)))}
		g.write(out, fmt.Sprintf("aggregates %d.%d", *seed, n), *statements, *join)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// column is a column of the table and what it may hold.
type column struct {
	name, typ string
	class     class
	values    []string // usual ones; sums of these are exact
	edges     []string // some more, of the ends of the type
}

type class uint8

const (
	number class = iota
	text
	ordered // can be compared
	other
)

var columns = []column{
	{"b", "BOOLEAN", ordered, list("true false"), nil},
	{"ti", "TINYINT", number, list("0 1 2 3 -1 5"), list("127 -128")},
	{"si", "SMALLINT", number, list("0 1 2 3 -7 100"), list("32767 -32768")},
	{"i", "INT", number, list("0 1 2 3 4 -5 1000"), list("2147483647 -2147483648")},
	{"bi", "BIGINT", number, list("0 1 2 -3 5000000000 7"), list("9223372036854775807 -9223372036854775808")},
	{"f", "FLOAT", number, list("0.25 0.5 -1.5 2 3.75"), list("NaN -0.0 0.0 0.1 Infinity 3.4028235E38")},
	{"d", "DOUBLE", number, list("0.25 0.5 -1.5 2 3.75 100"), list("NaN -0.0 0.0 0.1 0.2 -Infinity 1e308")},
	{"dc", "DECIMAL(10, 2)", number, list("0.00 1.25 -1.25 10.05 0.01"), list("99999999.99 -99999999.99")},
	{"dw", "DECIMAL(38, 0)", number, list("0 1 -2 12345678901234567890"), list("99999999999999999999999999999999999999 -99999999999999999999999999999999999999")},
	{"s", "STRING", text, []string{"x", "y", "z", "", "é", "ab", "a longer text than fits in a few bytes"}, list("😀 \uffff Z")},
	{"c", "CHAR(3)", text, list("abc def ghi"), nil},
	{"v", "VARCHAR(4)", text, list("p q rs tuv"), nil},
	{"dt", "DATE", ordered, list("2024-02-29 2000-01-01 1969-12-31"), nil},
	{"tm", "TIME", ordered, list("00:00:00 12:34:56 23:59:59"), nil},
	{"t0", "TIMESTAMP(0)", ordered, []string{"2024-02-29 12:34:56", "1999-12-31 23:59:59"}, nil},
	{"t6", "TIMESTAMP(6)", ordered, []string{"2024-02-29 12:34:56.123456", "2024-02-29 12:34:56.123457"}, nil},
	{"l3", "TIMESTAMP_LTZ(3)", ordered, []string{"2024-02-29 12:34:56.789Z", "2000-01-01 00:00:00.001Z"}, nil},
	{"bn", "BYTES", other, list("aGVsbG8= AP8= YQ=="), nil},
}

func list(s string) []string { return strings.Fields(s) }

// derived are arguments that a text file cannot hold.
var derived = []struct {
	sql   string
	class class
}{
	{"ARRAY[i, ti]", other}, {"ROW(i, s)", other}, {"MAP[s, i]", other},
	{"CAST(i AS INTERVAL SECOND)", other}, {"CAST(si AS INTERVAL MONTH)", other},
	{"CAST(s AS VARBINARY(10))", other}, {"i + 1", number}, {"UPPER(s)", text}, {"ts", ordered}, {"CAST(dc AS DECIMAL(20, 4))", number},
}

type generator struct {
	r     *rand.Rand
	edges bool // of types, too
	place place
}

// place is where an aggregate stands: Flink cannot do all of them everywhere.
type place uint8

const (
	anywhere place = iota
	grouped        // in a window of GROUP BY: not the JSON aggregates
	merged         // in a window that is put together: neither these nor FIRST_VALUE and LAST_VALUE
)

// write writes one case.
func (g *generator) write(out io.Writer, name string, statements int, join bool) {
	g.edges = g.r.IntN(4) == 0
	fmt.Fprintf(out, "case %s\ndata t.csv\n%send\n", name, g.rows(6+g.r.IntN(20)))
	var ddl, names, last strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&ddl, ", %s %s", c.name, c.typ)
		fmt.Fprintf(&names, ", %s", c.name)
		fmt.Fprintf(&last, ", LAST_VALUE(%s) AS %s", c.name, c.name)
	}
	with := "WITH ('connector'='filesystem', 'path'='{dir}/%s.csv', 'format'='csv', 'csv.null-literal'='NULL')"
	delay := g.pick("0", "1", "5")
	fmt.Fprintf(out, "sql\nCREATE TABLE t (id INT, u STRING, ts TIMESTAMP(3), k STRING%s, pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '%s' SECOND) %s;\n", &ddl, delay, fmt.Sprintf(with, "t"))
	fmt.Fprintf(out, "CREATE VIEW g AS SELECT id, LAST_VALUE(u) AS u, MAX(ts) AS ts, LAST_VALUE(k) AS k%s FROM t GROUP BY id;\n", &last)
	dedup := "CREATE VIEW %s AS SELECT id, u, ts, k%s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY %s DESC) AS rn FROM t) WHERE rn = 1;\n"
	fmt.Fprintf(out, dedup, "dr", &names, "ts")
	fmt.Fprintf(out, dedup, "dp", &names, "pt")
	fmt.Fprintf(out, "CREATE VIEW j AS SELECT l.id, l.u, l.ts, r.k%s FROM t AS l LEFT JOIN (SELECT k, i AS ri FROM t WHERE id > 2) AS r ON l.i = r.ri;\n", prefixed("l."))
	for range statements {
		if join {
			fmt.Fprintln(out, g.updating("j"))
			continue
		}
		switch g.r.IntN(10) {
		case 0, 1, 2:
			fmt.Fprintln(out, g.updating("t"))
		case 3, 4, 5:
			fmt.Fprintln(out, g.updating(g.pick("g", "g", "dr")))
		case 6, 7:
			fmt.Fprintln(out, g.windowed(g.pick("t", "t", "t", "dr")))
		default:
			fmt.Fprintln(out, g.groupWindow(g.pick("t", "t", "t", "dr")))
		}
	}
	fmt.Fprintln(out, "end")
}

// prefixed lists the columns with what stands before each.
func prefixed(before string) string {
	var b strings.Builder
	for _, c := range columns {
		b.WriteString(", " + before + c.name)
	}
	return b.String()
}

// rows are rows of the table, their times nearly in order.
func (g *generator) rows(n int) string {
	var b strings.Builder
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	nulls := 3 + g.r.IntN(12)
	for row := range n {
		at = at.Add(time.Duration(g.r.IntN(4000)) * time.Millisecond)
		ts := at.Add(-time.Duration(g.r.IntN(3)*g.r.IntN(4000)) * time.Millisecond)
		fmt.Fprintf(&b, "%d,u%02d,%s,%s", g.r.IntN(6), row, ts.Format("2006-01-02 15:04:05.000"), g.pick("a", "a", "b", "c", "NULL"))
		for _, c := range columns {
			v := g.pick(c.values...)
			if g.edges && len(c.edges) > 0 && g.r.IntN(3) == 0 {
				v = g.pick(c.edges...)
			}
			if g.r.IntN(nulls) == 0 {
				v = "NULL"
			}
			b.WriteString("," + v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (g *generator) pick(from ...string) string { return from[g.r.IntN(len(from))] }

// updating is an aggregate without a window over a table or view.
func (g *generator) updating(from string) string {
	g.place = anywhere
	key, having := g.pick("k", "k", "", "b", "ti"), ""
	if g.r.IntN(8) == 0 {
		having = " HAVING COUNT(*) > 1"
	}
	if key == "" {
		return fmt.Sprintf("SELECT %s FROM %s%s%s;", g.calls(), from, g.where(), having)
	}
	return fmt.Sprintf("SELECT %s, %s FROM %s%s GROUP BY %s%s;", key, g.calls(), from, g.where(), key, having)
}

func (g *generator) where() string {
	return g.pick("", "", "", "", " WHERE i > 0", " WHERE k <> 'b'", " WHERE s IS NOT NULL")
}

// windowed is an aggregate over a window function.
func (g *generator) windowed(from string) string {
	g.place = merged
	key := g.pick(", k", ", k", "")
	t := "TABLE " + from
	size := []int{4, 6, 10}[g.r.IntN(3)]
	var w string
	switch g.r.IntN(5) {
	case 0, 1:
		g.place = anywhere
		w = fmt.Sprintf("TUMBLE(%s, DESCRIPTOR(ts), INTERVAL '%d' SECOND)", t, size)
	case 2:
		w = fmt.Sprintf("HOP(%s, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '%d' SECOND)", t, size)
	case 3:
		w = fmt.Sprintf("CUMULATE(%s, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '%d' SECOND)", t, size)
	default:
		if key != "" {
			t += " PARTITION BY k"
		}
		w = fmt.Sprintf("SESSION(%s, DESCRIPTOR(ts), INTERVAL '2' SECOND)", t)
	}
	return fmt.Sprintf("SELECT window_start, window_end%s, %s FROM TABLE(%s) GROUP BY window_start, window_end%s;", key, g.calls(), w, key)
}

// groupWindow is an aggregate whose window stands in GROUP BY.
func (g *generator) groupWindow(from string) string {
	g.place = grouped
	key := g.pick(", k", ", k", "")
	size := []int{4, 6, 10}[g.r.IntN(3)]
	f, args := "TUMBLE", fmt.Sprintf("ts, INTERVAL '%d' SECOND", size)
	switch g.r.IntN(3) {
	case 0:
		f, args = "HOP", fmt.Sprintf("ts, INTERVAL '2' SECOND, INTERVAL '%d' SECOND", size)
	case 1:
		f, args = "SESSION", "ts, INTERVAL '2' SECOND"
	}
	if f != "TUMBLE" {
		g.place = merged
	}
	return fmt.Sprintf("SELECT %s_START(%s)%s, %s FROM %s GROUP BY %s(%s)%s;", f, args, key, g.calls(), from, f, args, key)
}

// calls are one to three aggregates.
func (g *generator) calls() string {
	var l []string
	for range 1 + g.r.IntN(3) {
		l = append(l, g.call())
	}
	return strings.Join(l, ", ")
}

// call is one aggregate.
func (g *generator) call() string {
	names := list("COUNT SUM AVG MIN MAX STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP STDDEV VARIANCE COLLECT LISTAGG ARRAY_AGG PERCENTILE")
	if g.place != merged {
		names = append(names, "FIRST_VALUE", "LAST_VALUE")
	}
	if g.place == anywhere {
		names = append(names, "JSON_ARRAYAGG", "JSON_OBJECTAGG")
	}
	name, distinct, filter := g.pick(names...), "", ""
	if g.r.IntN(3) == 0 {
		distinct = "DISTINCT "
	}
	if g.r.IntN(3) == 0 {
		filter = g.pick(" FILTER (WHERE i > 0)", " FILTER (WHERE k = 'a')", " FILTER (WHERE b)", " FILTER (WHERE s IS NOT NULL)", " FILTER (WHERE id <> 2)", " FILTER (WHERE ti IS NULL)")
	}
	arg := ""
	switch name {
	case "COUNT":
		if distinct == "" && g.r.IntN(4) == 0 {
			return "COUNT(*)" + filter
		}
		arg = g.argument(number, text, ordered, other)
	case "SUM", "AVG", "STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP", "STDDEV", "VARIANCE":
		arg = g.argument(number)
	case "MIN", "MAX":
		arg = g.argument(number, text, ordered)
	case "LISTAGG":
		arg = g.argument(text) + g.pick("", "", ", '-'", ", ''", ", ' | '")
	case "JSON_ARRAYAGG":
		return name + "(" + g.argument(number, text) + g.pick("", " NULL ON NULL", " ABSENT ON NULL") + ")"
	case "JSON_OBJECTAGG":
		return name + "(KEY u VALUE " + g.argument(number, text) + g.pick("", " NULL ON NULL", " ABSENT ON NULL") + ")"
	case "PERCENTILE":
		arg = g.argument(number) + g.pick(", 0.5", ", 0.25", ", 1", ", ARRAY[0.1, 0.9]", ", 0.5, ti", ", 0, bi")
	default:
		arg = g.argument(number, text, ordered, other)
	}
	if strings.HasPrefix(arg, "ROW") || strings.HasPrefix(arg, "MAP") || strings.Contains(arg, "VARBINARY") || arg == "bn" {
		distinct = ""
	}
	return name + "(" + distinct + arg + ")" + filter
}

// argument is a column, or an expression over columns, of one of the classes.
func (g *generator) argument(classes ...class) string {
	var l []string
	for _, c := range classes {
		for _, col := range columns {
			if col.class == c {
				l = append(l, col.name)
			}
		}
		for _, d := range derived {
			if d.class == c {
				l = append(l, d.sql)
			}
		}
	}
	return g.pick(l...)
}
