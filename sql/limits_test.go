package sql

import (
	"strings"
	"testing"
	"time"

	"streamsql/internal/diag"
)

// TestReserved checks that words which Flink reserves are column names wherever
// the grammar leaves no doubt.
func TestReserved(t *testing.T) {
	words := strings.Fields(`abs all any array at avg bigint binary boolean bytes case ceil char character column comment
		condition constraint convert count cross cube current date day decimal default define describe double end exists
		explain extract fetch float floor full function global group grouping groups hash hour inner int interval lag
		language lateral lead left limit local lower match max measures method min minute mod month natural next ntile
		numeric offset order outer over overlaps parameter partition pattern percent permute position power precision
		primary range rank reset result right rollup row row_number rows scroll second set show smallint some sql start
		string substring sum system table time timestamp timestamp_ltz tinyint to translate trim unique upper use user
		value values varbinary varchar variant watermark window year`)
	for _, w := range words {
		for _, form := range []string{
			"CREATE TABLE t (%s STRING, x INT)",
			"CREATE TABLE t (x INT, PRIMARY KEY (%s) NOT ENFORCED)",
			"SELECT %s FROM t",
			"SELECT x, %s FROM t",
			"SELECT t.%s FROM t",
			"SELECT %s + 1 FROM t WHERE %s > 2 AND x = %s",
			"SELECT 1 AS %s",
			"SELECT x FROM t GROUP BY x, %s",
			"SELECT x FROM t ORDER BY %s DESC",
			"SELECT x FROM (VALUES (1)) AS t(%s)",
			"SELECT f(%s), x AS y FROM t",
			"INSERT INTO t (%s) VALUES (1)",
		} {
			text := strings.ReplaceAll(form, "%s", w)
			checkStatement(t, text)
			s, err := ParseOne(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			found := false
			walk(s, func(n Node, _ int) {
				if c, ok := n.(*ColumnRef); ok {
					found = found || c.Name.Parts[len(c.Name.Parts)-1].Name == w
				}
			})
			if strings.HasPrefix(form, "SELECT %s") && !found {
				t.Errorf("%s: no column %s in %s", text, w, Print(s))
			}
		}
	}
}

// TestDeep checks that nesting ends in an error, never in a stack overflow, and
// that long flat chains are legal.
func TestDeep(t *testing.T) {
	const deep = 100_000
	for name, text := range map[string]string{
		"brackets":  "SELECT " + strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep),
		"not":       "SELECT " + strings.Repeat("NOT ", deep) + "a",
		"minus":     "SELECT " + strings.Repeat("- ", deep) + "a",
		"tight not": "SELECT a" + strings.Repeat(" = NOT a", deep),
		"case":      "SELECT " + strings.Repeat("CASE WHEN a THEN ", deep) + "1" + strings.Repeat(" END", deep),
		"else":      "SELECT " + strings.Repeat("CASE WHEN a THEN 1 ELSE ", deep) + "1" + strings.Repeat(" END", deep),
		"index":     "SELECT a" + strings.Repeat("[1]", deep),
		"field":     "SELECT f(a)" + strings.Repeat(".b", deep),
		"cast":      "SELECT a" + strings.Repeat("::INT", deep),
		"array":     "SELECT CAST(a AS INT" + strings.Repeat(" ARRAY", deep) + ")",
		"type":      "SELECT CAST(a AS " + strings.Repeat("ARRAY<", deep) + "INT" + strings.Repeat(">", deep) + ")",
		"interval":  "SELECT " + strings.Repeat("INTERVAL ", deep) + "1 DAY",
		"in":        "SELECT a" + strings.Repeat(" IN (1)", deep),
		"between":   "SELECT a" + strings.Repeat(" BETWEEN 1", deep),
		"like":      "SELECT a" + strings.Repeat(" LIKE b", deep),
		"explain":   strings.Repeat("EXPLAIN ", deep) + "SELECT 1",
		"execute":   strings.Repeat("EXECUTE ", deep) + "SELECT 1",
		"lateral":   "SELECT * FROM " + strings.Repeat("LATERAL ", deep) + "t",
	} {
		start := time.Now()
		_, err := Parse(text)
		e := diag.As(err)
		if e == nil {
			t.Errorf("%s: accepted (%v)", name, err)
		} else if len(e.Msg) > 200 {
			t.Errorf("%s: a message of %d bytes", name, len(e.Msg))
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s took %v", name, d)
		}
	}
	for name, text := range map[string]string{
		"and":     "SELECT * FROM t WHERE a" + strings.Repeat(" AND b > 5", 10_000),
		"plus":    "SELECT a" + strings.Repeat(" + a", 10_000),
		"is":      "SELECT a" + strings.Repeat(" IS NULL", 2_000),
		"union":   "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 2_000),
		"joins":   "SELECT * FROM t" + strings.Repeat(" JOIN t ON a", 2_000),
		"in list": "SELECT a IN (1" + strings.Repeat(", 12345", 20_000) + ")",
		"values":  "VALUES (1, 'a')" + strings.Repeat(", (1, 'a')", 10_000),
		"columns": "SELECT a" + strings.Repeat(", a", 20_000) + " FROM t",
		"text":    "SELECT '" + strings.Repeat("x", 1<<20) + "'",
		"nested":  "SELECT " + strings.Repeat("(", 400) + "1" + strings.Repeat(")", 400),
		"not not": "SELECT " + strings.Repeat("NOT ", 400) + "a",
	} {
		s, err := ParseOne(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := ParseOne(Print(s)); err != nil {
			t.Errorf("%s, printed: %v", name, err)
		}
	}
}

// TestParallel parses on several goroutines: each parse has its own engine.
func TestParallel(t *testing.T) {
	texts := corpus(t)[:60]
	done := make(chan error)
	for range 4 {
		go func() {
			var first error
			for _, s := range texts {
				if _, err := Parse(s); err != nil && first == nil {
					first = err
				}
			}
			done <- first
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestKeywords(t *testing.T) {
	words := Keywords()
	for i, w := range words {
		if w != strings.ToUpper(w) || i > 0 && words[i-1] >= w {
			t.Errorf("%q is not upper case or out of order", w)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	const text = "SELECT window_start, window_end, k, COUNT(*) AS n, SUM(v) FILTER (WHERE v > 0) AS s, MAX(CASE WHEN v > 10 THEN 'big' ELSE 'small' END) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND)) AS w JOIN users AS u ON w.user_id = u.id WHERE v IS NOT NULL AND k LIKE 'a%' AND u.name || 'x' <> 'yx' GROUP BY window_start, window_end, k HAVING COUNT(*) > 1 ORDER BY n DESC LIMIT 10"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreateTable(b *testing.B) {
	const text = "CREATE TABLE t (a INT, b STRING, ts TIMESTAMP(3), c AS a * 2, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'csv')"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
