package streamsql_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"streamsql"
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/planner"
)

// TestFunctionsOfFlink: each function of Flink can be called, or stands on the list of
// those that are not there in docs/differences.md; and nothing on that list can be
// called.
func TestFunctionsOfFlink(t *testing.T) {
	names, err := os.ReadFile("testdata/flink/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("docs/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(doc), "Functions of Flink that are not there:")
	if !ok {
		t.Fatal("docs/differences.md has no list of functions that are not there")
	}
	list, _, _ = strings.Cut(list, "\n\n")
	missing := regexp.MustCompile(`\b[A-Z][A-Z0-9_]+\b`).FindAllString(list, -1)
	callable := planner.FunctionNames(expr.NewRegistry(builtin.Functions(), builtin.Aggregates()))
	for _, line := range strings.Split(string(names), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, name := range strings.Fields(line) {
			if !slices.Contains(callable, name) && !slices.Contains(missing, name) {
				t.Errorf("%s is neither in the registry nor in docs/differences.md", name)
			}
		}
	}
	for _, name := range missing {
		if slices.Contains(callable, name) {
			t.Errorf("docs/differences.md says that %s is not there", name)
		}
	}
}

// TestUnknownFunctions: a name that is none says what to write instead.
func TestUnknownFunctions(t *testing.T) {
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for name, hint := range map[string]string{
		"LENGTH": "CHAR_LENGTH(text)", "nvl": "IFNULL(value, default)", "UPPERR": `"UPPER"`, "OBJECT_OF": "ROW(..)", "STRING_AGG": "LISTAGG(text, separator)",
	} {
		var e *streamsql.Error
		if _, err := one(engine, "SELECT "+name+"('a')"); !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Errorf("%s: %v has no hint with %s", name, err, hint)
		}
	}
}
