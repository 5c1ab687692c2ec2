package streamsql_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"streamsql"
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/planner"
)

var update = flag.Bool("update", false, "write docs/sql/functions.md anew")

const reference = "docs/sql/functions.md"

// chapters are the classes of functions in the order of the reference.
var chapters = []struct{ class, title string }{
	{"arithmetic", "Arithmetic operators"}, {"comparison", "Comparison operators"}, {"logical", "Logic"}, {"conditional", "Conditions"},
	{"conversion", "Conversion"}, {"numeric", "Numbers"}, {"string", "Text"},
	{"encoding", "Hashes, encodings and addresses"}, {"json", "JSON"}, {"collection", "Arrays, maps and rows"}, {"bitmap", "Bitmaps"}, {"temporal", "Dates and times"}, {"window", "Windows"}, {"table", "Tables"},
}

// TestFunctionReference checks that docs/sql/functions.md is what the registry says.
// With -update it is written.
func TestFunctionReference(t *testing.T) {
	want := functionReference(t)
	if *update {
		if err := os.MkdirAll("docs/sql", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(reference, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the registry says: run go generate", reference)
	}
}

func functionReference(t *testing.T) string {
	classes := map[string][]*expr.Function{}
	for _, f := range append(builtin.Functions(), planner.SpecialFunctions()...) {
		classes[f.Class] = append(classes[f.Class], f)
	}
	var b strings.Builder
	b.WriteString("# Functions\n\n" +
		"All operators, functions and aggregates. This page is made from the registry (`go generate`); each example runs as a test.\n" +
		"`DESCRIBE FUNCTION name` shows an entry in the shell, `SHOW FUNCTIONS` all names. A function with a NULL argument is NULL where nothing else is said.\n")
	for _, c := range chapters {
		list := classes[c.class]
		delete(classes, c.class)
		if len(list) == 0 {
			t.Errorf("chapter %q has no functions", c.class)
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].Name < list[j].Name })
		fmt.Fprintf(&b, "\n## %s\n", c.title)
		for _, f := range list {
			entry(&b, f.Name, f.Aliases, f.Usage, f.Doc, f.Examples)
			if f.NonDeterministic {
				b.WriteString("Its value is not given by its arguments alone.\n")
			}
		}
	}
	for class := range classes {
		t.Errorf("class %q has no chapter", class)
	}
	b.WriteString("\n## Aggregates\n\nEach takes `DISTINCT` and `FILTER (WHERE condition)`. The examples are over the rows `('a', 'tea', 1.5), ('b', 'cup', 3.0), ('c', 'tea', 4.5)`\nof the columns `id, item, price`.\n")
	list := builtin.Aggregates()
	slices.SortFunc(list, func(a, b *expr.Aggregate) int { return strings.Compare(a.Name, b.Name) })
	for _, a := range list {
		entry(&b, a.Name, a.Aliases, a.Usage, a.Doc, a.Examples)
	}
	return b.String()
}

// entry prints one function.
func entry(b *strings.Builder, name string, aliases []string, usage, doc string, examples []expr.Example) {
	fmt.Fprintf(b, "\n### %s\n\n", strings.Join(append([]string{"`" + name + "`"}, quoted(aliases)...), ", "))
	for _, u := range strings.Split(usage, "; ") {
		fmt.Fprintf(b, "    %s\n", u)
	}
	fmt.Fprintf(b, "\n%s\n", doc)
	if len(examples) > 0 {
		b.WriteString("\n| example | result |\n|---|---|\n")
	}
	cell := strings.NewReplacer("|", "\\|", "\n", " ")
	for _, x := range examples {
		result := "NULL"
		if x.Result != "" {
			result = "`` " + cell.Replace(x.Result) + " ``"
		}
		fmt.Fprintf(b, "| `` %s `` | %s |\n", cell.Replace(x.SQL), result)
	}
}

func quoted(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, "`"+n+"`")
	}
	return out
}

// TestDescribeFunction describes every function that SHOW FUNCTIONS lists.
func TestDescribeFunction(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for _, name := range engine.Functions() {
		r, err := engine.Exec(t.Context(), "DESCRIBE FUNCTION "+name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(r.Rows) < 2 || *r.Rows[0][0] != "usage" {
			t.Errorf("%s: %v", name, r.Rows)
		}
	}
	if _, err := engine.Exec(t.Context(), "DESCRIBE FUNCTION subtsring"); err == nil || !strings.Contains(streamsql.Render("", err), "SUBSTRING") {
		t.Errorf("a function that does not exist: %v", err)
	}
}

// TestFunctionStatements checks that the statements for functions say where functions of
// one's own are registered, and that a function of other systems has its name here.
func TestFunctionStatements(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for text, want := range map[string]string{
		"CREATE FUNCTION f AS 'a.B'":   "RegisterFunc",
		"ALTER FUNCTION f AS 'a.C'":    "RegisterFunc",
		"DROP TEMPORARY FUNCTION f":    "RegisterFunc",
		"CREATE DATABASE d":            "there is one database",
		"DESCRIBE FUNCTION hop_start":  "",
		"DESCRIBE FUNCTION hop_middle": "SHOW FUNCTIONS",
	} {
		_, err := engine.Exec(t.Context(), text)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(streamsql.Render(text, err), want) {
			t.Errorf("%s: %v, want a hint with %q", text, err, want)
		}
	}
	last, err := one(engine, "SELECT CEIL((DATE '2024-02-29' + INTERVAL '1' DAY) TO MONTH) - INTERVAL '1' DAY")
	if err != nil || last != "2024-02-29" {
		t.Errorf("what LAST_DAY is here: %q, %v", last, err)
	}
}

// TestShowLike: names of functions have no letter case; of tables LIKE minds it, ILIKE does not.
func TestShowLike(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err := engine.Exec(t.Context(), "CREATE TABLE Orders (Id INT, name STRING) WITH ('connector' = 'blackhole')"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"SHOW FUNCTIONS LIKE 'regexp_s%'":              "REGEXP_SUBSTR",
		"SHOW FUNCTIONS ILIKE 'Regexp_S%'":             "REGEXP_SUBSTR",
		"SHOW TABLES LIKE 'orders'":                    "",
		"SHOW TABLES ILIKE 'orders'":                   "Orders",
		"SHOW TABLES NOT ILIKE 'ORD%'":                 "",
		"SHOW COLUMNS FROM Orders LIKE 'id'":           "",
		"SHOW COLUMNS FROM Orders ILIKE 'iD'":          "Id",
		"SHOW COLUMNS FROM Orders NOT ILIKE '_D'":      "name",
		"SHOW TABLES FROM default_database ILIKE 'o%'": "Orders",
	} {
		r, err := engine.Exec(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, row := range r.Rows {
			got = append(got, *row[0])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", text, s, want)
		}
	}
}
