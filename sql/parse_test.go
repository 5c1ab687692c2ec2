package sql

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"streamsql/internal/diag"
	"streamsql/types"
)

// sameTree ignores places and the copies of source text.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(Pos{}, diag.Span{}),
	cmpopts.IgnoreFields(ColumnDef{}, "Text"),
	cmpopts.IgnoreFields(WatermarkDef{}, "Text"),
	cmpopts.IgnoreFields(CreateView{}, "Text"),
	cmpopts.EquateComparable(types.Type{}),
}

// TestData runs testdata/cases: "parse" prints the tree of each statement as text
// and parses that again, "error" renders the error, "spans" lists the nodes of an
// expression with the text they cover, "emit" shows the text for TiDB.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata/cases", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return parseLines(t, d)
			case "error":
				return errorLines(d)
			case "spans":
				return spanLines(t, d)
			case "emit":
				return emitLines(t, d)
			case "split":
				return splitLines(d)
			case "normalize":
				return Normalize(d.Input)
			}
			d.Fatalf(t, "unknown command")
			return ""
		})
	})
}

func parseLines(t *testing.T, d *datadriven.TestData) string {
	ss, err := Parse(d.Input)
	if err != nil {
		d.Fatalf(t, "%s", diag.Render(d.Input, err))
	}
	var b strings.Builder
	for _, s := range ss {
		text := Print(s)
		fmt.Fprintln(&b, text)
		checkRoundTrip(t, s, text)
	}
	return b.String()
}

// checkRoundTrip checks that printing and parsing gives the tree back.
func checkRoundTrip(t *testing.T, s Statement, text string) {
	t.Helper()
	if _, ok := s.(*Other); ok {
		return
	}
	again, err := ParseOne(text)
	if err != nil {
		t.Fatalf("printed form does not parse: %v\n%s", err, text)
	}
	if diff := cmp.Diff(s, again, sameTree); diff != "" {
		t.Fatalf("printed form is another tree:\n%s\n%s", text, diff)
	}
}

// errorLines renders the error of each statement; statements stand on lines of their own.
func errorLines(d *datadriven.TestData) string {
	var b strings.Builder
	inputs := []string{d.Input}
	if d.HasArg("lines") {
		inputs = strings.Split(d.Input, "\n")
	}
	for _, in := range inputs {
		_, err := Parse(in)
		if err == nil {
			fmt.Fprintf(&b, "no error: %s\n", in)
			continue
		}
		var e *diag.Error
		if !errors.As(err, &e) {
			return "not a diag.Error: " + err.Error()
		}
		b.WriteString(strings.ReplaceAll(diag.Render(in, err), " \n", "\n"))
	}
	return b.String()
}

// spanLines prints each expression of a select list with the text its span covers,
// node by node.
func spanLines(t *testing.T, d *datadriven.TestData) string {
	x, err := ParseExpr(d.Input)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	var b strings.Builder
	walk(x, func(n Node, depth int) {
		s := n.Span()
		fmt.Fprintf(&b, "%s%s %s\n", strings.Repeat("  ", depth), strings.TrimPrefix(fmt.Sprintf("%T", n), "*sql."), d.Input[s.Start:s.End])
	})
	return b.String()
}

// emitLines shows what TiDB gets, and which rules were used.
func emitLines(t *testing.T, d *datadriven.TestData) string {
	var out string
	err := guard(d.Input, func() {
		p := newParser(d.Input, diag.Span{End: len(d.Input)})
		p.used = map[string]int{}
		e := &emitter{parser: p}
		var end int
		if IsQuery(d.Input) && d.Input[0] != '(' {
			_, end = e.emitQuery(0)
		} else {
			end = e.expr(0, 0)
		}
		p.atEnd(end)
		out = strings.TrimSpace(e.render(nil))
		if text := e.out[0].text; text != "SELECT" && text != "WITH" {
			e.out = append([]piece{{text: "SELECT"}}, e.out...)
		}
		e.tree() // TiDB takes it
		var rule string
		d.ScanArgs(t, "rule", &rule)
		if p.used[rule] == 0 {
			t.Errorf("%s: rule %q was not used by %s", d.Pos, rule, d.Input)
		}
	})
	if err != nil {
		return err.Error()
	}
	return out
}

func splitLines(d *datadriven.TestData) string {
	var b strings.Builder
	for _, p := range Split(d.Input) {
		end := ""
		if p.Terminated {
			end = ";"
		}
		fmt.Fprintf(&b, "%q%s query=%v\n", p.Text, end, IsQuery(p.Text))
	}
	fmt.Fprintf(&b, "complete=%v\n", Complete(d.Input))
	return b.String()
}

// TestRules checks that every rule has a name, a document line and a test of its own.
func TestRules(t *testing.T) {
	data, err := os.ReadFile("testdata/cases/rules")
	if err != nil {
		t.Fatal(err)
	}
	check := func(name, doc string) {
		if name == "" || doc == "" {
			t.Errorf("rule %q has no name or doc", name)
		}
		if !strings.Contains(string(data), "rule="+name+"\n") {
			t.Errorf("rule %q has no test in testdata/cases/rules", name)
		}
	}
	for _, table := range [][]rule{operandRules, tableRules, callRules} {
		for _, r := range table {
			check(r.name, r.doc)
		}
	}
	for _, r := range suffixRules {
		check(r.name, r.doc)
	}
	for _, r := range operatorRules {
		check(r.name, r.doc)
	}
}
