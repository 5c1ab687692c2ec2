package streamsql_test

import (
	"strings"
	"testing"

	"streamsql"
	"streamsql/internal/slt"
)

// ask runs one query in the base configuration and returns its rows, or the error.
func ask(t *testing.T, sql string) string {
	t.Helper()
	text, err := slt.Transcript(t.Context(), slt.Case{SQL: sql}, t.TempDir(), slt.Base.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(text, "\n")
	return rows
}

// What is nested too deeply is refused: a Go stack overflow would end the process.
// Long chains of OR and of operators are not deep, and run.
func TestB125DeepNesting(t *testing.T) {
	const deep = 100_000
	for name, sql := range map[string]string{
		"parentheses": "SELECT " + strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep),
		"open":        "SELECT " + strings.Repeat("(", deep),
		"not":         "SELECT " + strings.Repeat("NOT ", deep) + "TRUE",
		"minus":       "SELECT " + strings.Repeat("- ", deep) + "1",
		"case":        "SELECT " + strings.Repeat("CASE WHEN TRUE THEN ", deep) + "1" + strings.Repeat(" END", deep),
		"calls":       "SELECT " + strings.Repeat("ABS(", deep) + "1" + strings.Repeat(")", deep),
		"subqueries":  strings.Repeat("SELECT * FROM (", deep) + "VALUES (1)" + strings.Repeat(") AS t", deep),
		"casts":       "SELECT " + strings.Repeat("CAST(", deep) + "1" + strings.Repeat(" AS INT)", deep),
		"types":       "SELECT CAST(NULL AS " + strings.Repeat("ARRAY<", deep) + "INT" + strings.Repeat(">", deep) + ")",
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, sql); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, "deep") && !strings.Contains(got, "in a row") && name != "open" {
				t.Errorf("got %.200q, expected an error that says too deep", got)
			}
		})
	}
	const long = 50_000
	for name, c := range map[string]struct{ sql, want string }{
		"or":   {"SELECT x FROM (VALUES (1)) AS q(x) WHERE x = 2" + strings.Repeat(" OR x = 1", long), "+I 1\n"},
		"and":  {"SELECT x FROM (VALUES (1)) AS q(x) WHERE x = 1" + strings.Repeat(" AND x > 0", long), "+I 1\n"},
		"plus": {"SELECT x" + strings.Repeat(" + 1", 5_000) + " FROM (VALUES (1)) AS q(x)", "+I 5001\n"},
		"in":   {"SELECT x FROM (VALUES (1)) AS q(x) WHERE x IN (2" + strings.Repeat(", 1", long) + ")", "+I 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, c.sql)
			refused := strings.HasPrefix(got, "error: ") && (strings.Contains(got, "deep") || strings.Contains(got, "long") || strings.Contains(got, "too many"))
			if got != c.want && !refused {
				t.Errorf("got %.200q, expected %q or a refusal", got, c.want)
			}
		})
	}
}

// Names of files may hold blanks, quotes, dots and digits; a file stands in single
// quotes, in FROM as in WITH, and a quote in it is doubled.
func TestB131FileNames(t *testing.T) {
	for name, literal := range map[string]string{
		"2024 data/it's.v1.csv": "2024 data/it''s.v1.csv",
		"a;b -- c.csv":          "a;b -- c.csv",
		"größe.csv":             "größe.csv",
		"[x]{1,2}.csv":          "[x]{1,2}.csv", // exists as named: no pattern
		"`tick`.csv":            "`tick`.csv",
	} {
		sql := "SELECT x FROM '{dir}/" + literal + "';\n" +
			"CREATE TABLE t (x INT) WITH ('connector'='filesystem', 'path'='{dir}/" + literal + "', 'format'='csv', 'csv.header'='true');\n" +
			"SELECT x FROM t;"
		got := bug{files: map[string]string{name: "x\n5\n"}, sql: sql}.run(t, slt.Base)
		if diff := differ("+I 5\n+I 5", got); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, got)
		}
	}
}

// A carriage return ends a line comment, as in Flink: otherwise it hides SQL.
func TestB133CarriageReturnInComment(t *testing.T) {
	if got := ask(t, "SELECT 1 -- c\r, 2"); got != "+I 1 | 2\n" {
		t.Errorf("got %q", got)
	}
	if got := streamsql.OneLine("SELECT 1 -- c\r, 2"); got != "SELECT 1 , 2" {
		t.Errorf("on one line: %q", got)
	}
	if got := streamsql.Split("SELECT 1 -- it's; \r; SELECT 2"); len(got) != 2 {
		t.Errorf("split: %v", got)
	}
}
