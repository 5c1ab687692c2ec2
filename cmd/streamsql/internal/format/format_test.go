package format

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql"
)

const null = "\x00" // stands for NULL in tests

func cells(values ...string) []Cell {
	out := make([]Cell, len(values))
	for i, v := range values {
		out[i] = Cell{Text: []byte(v), Null: v == null}
	}
	return out
}

type change struct {
	kind   streamsql.RowKind
	values []string
}

func row(values ...string) change { return change{streamsql.Insert, values} }

func print(p Printer, changes []change) string {
	out := p.Begin(nil)
	for _, c := range changes {
		out = p.Row(out, c.kind, cells(c.values...))
	}
	return string(p.End(p.Flush(out)))
}

var testCols = []Column{{"item", "STRING"}, {"n", "BIGINT NOT NULL"}, {"ok", "BOOLEAN"}}

var testRows = []change{
	row("tea", "412", "TRUE"),
	{streamsql.UpdateBefore, []string{"a,b", "-7", "FALSE"}},
	{streamsql.UpdateAfter, []string{"say \"hi\"\nthere", null, null}},
	{streamsql.Delete, []string{"", "1", "TRUE"}},
	row("日本", "12", null),
}

func TestPrinters(t *testing.T) {
	tests := []struct {
		name   string
		layout Layout
		want   string
	}{
		{"changelog", Layout{}, "+I tea | 412 | TRUE\n-U a,b | -7 | FALSE\n+U say \"hi\"\nthere | <NULL> | <NULL>\n-D  | 1 | TRUE\n+I 日本 | 12 | <NULL>\n"},
		{"csv", Layout{}, "item,n,ok\ntea,412,TRUE\n\"a,b\",-7,FALSE\n\"say \"\"hi\"\"\nthere\",,\n\"\",1,TRUE\n日本,12,\n"},
		{"csv", Layout{Changes: true}, "op,item,n,ok\n+I,tea,412,TRUE\n-U,\"a,b\",-7,FALSE\n+U,\"say \"\"hi\"\"\nthere\",,\n-D,\"\",1,TRUE\n+I,日本,12,\n"},
		{"ndjson", Layout{}, `{"item":"tea","n":412,"ok":true}
{"item":"a,b","n":-7,"ok":false}
{"item":"say \"hi\"\nthere","n":null,"ok":null}
{"item":"","n":1,"ok":true}
{"item":"日本","n":12,"ok":null}
`},
		{"json", Layout{Changes: true}, `[{"op":"+I","item":"tea","n":412,"ok":true},
 {"op":"-U","item":"a,b","n":-7,"ok":false},
 {"op":"+U","item":"say \"hi\"\nthere","n":null,"ok":null},
 {"op":"-D","item":"","n":1,"ok":true},
 {"op":"+I","item":"日本","n":12,"ok":null}]
`},
		{"table", Layout{}, `item                n  ok
tea               412  TRUE
a,b                -7  FALSE
say "hi"\nthere  NULL  NULL
                    1  TRUE
日本               12  NULL
`},
		{"table", Layout{Changes: true}, `op  item                n  ok
+I  tea               412  TRUE
-U  a,b                -7  FALSE
+U  say "hi"\nthere  NULL  NULL
-D                      1  TRUE
+I  日本               12  NULL
`},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s changes=%v", tt.name, tt.layout.Changes), func(t *testing.T) {
			if d := cmp.Diff(tt.want, print(New(tt.name, testCols, tt.layout), testRows)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	want := map[string]string{"csv": "item,n,ok\n", "json": "[]\n", "ndjson": "", "table": "item  n  ok\n", "changelog": ""}
	for name, text := range want {
		if got := print(New(name, testCols, Layout{}), nil); got != text {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What is printed can be read back by other programs.
func TestReadBack(t *testing.T) {
	cols := []Column{{"a", "STRING"}, {"a", "DOUBLE"}, {"op", "BYTES"}, {`q"\`, "DECIMAL(10, 2)"}}
	rows := []change{
		row("x\r\ny", "1.0E10", `"AP8="`, "1.50"),
		row("\x01\xff\u2028", "NaN", `""`, "-0.01"),
		row(null, "-Infinity", null, null),
	}
	got, err := csv.NewReader(strings.NewReader(print(New("csv", cols, Layout{}), rows))).ReadAll()
	if err != nil || len(got) != 4 {
		t.Fatalf("csv: %v %q", err, got)
	}
	if got[1][0] != "x\ny" || got[2][0] != "\x01\xff\u2028" { // encoding/csv folds \r\n
		t.Errorf("csv: %q", got)
	}
	var objects []map[string]any
	if err := json.Unmarshal([]byte(print(New("json", cols, Layout{Changes: true}), rows)), &objects); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"op": "+I", "a": "x\r\ny", "a_2": 1e10, "op_2": "AP8=", `q"\`: 1.5},
		{"op": "+I", "a": "\x01\ufffd\u2028", "a_2": "NaN", "op_2": "", `q"\`: -0.01},
		{"op": "+I", "a": nil, "a_2": "-Infinity", "op_2": nil, `q"\`: nil},
	}
	if d := cmp.Diff(want, objects); d != "" {
		t.Errorf("json (-want +got)\n%s", d)
	}
}

// A live table shows its first batch at once and keeps its widths afterwards; a
// table of bounded input waits until it has seen its rows.
func TestTableWhenFlushed(t *testing.T) {
	cols := []Column{{"k", "STRING"}, {"n", "INT"}}
	live := New("table", cols, Layout{Live: true})
	out := live.Begin(nil)
	if out = live.Flush(out); len(out) > 0 {
		t.Errorf("header before the first row: %q", out)
	}
	out = live.Flush(live.Row(out, streamsql.Insert, cells("tea", "1")))
	if want := "k           n\ntea         1\n"; string(out) != want {
		t.Errorf("first batch: %q, want %q", out, want)
	}
	out = live.Row(nil, streamsql.Insert, cells("coffee", "12"))
	if want := "coffee        12\n"; string(out) != want {
		t.Errorf("wider value: %q, want %q", out, want)
	}
	bounded := New("table", cols, Layout{})
	if out := bounded.Flush(bounded.Row(bounded.Begin(nil), streamsql.Insert, cells("tea", "1"))); len(out) > 0 {
		t.Errorf("bounded: %q", out)
	}
	for range tableSampleRows - 2 {
		if out := bounded.Row(nil, streamsql.Insert, cells("tea", "1")); len(out) > 0 {
			t.Fatalf("too early: %q", out)
		}
	}
	if out := bounded.Row(nil, streamsql.Insert, cells("coffee", "1")); strings.Count(string(out), "\n") != tableSampleRows+1 || !strings.HasPrefix(string(out), "k       n\ntea     1\n") {
		t.Errorf("after the sample: %q...", out[:min(len(out), 60)])
	}
}

// Nothing in a value steers the terminal.
func TestTableControl(t *testing.T) {
	p := New("table", []Column{{"a\x1b[2J", "STRING"}}, Layout{})
	got := print(p, []change{row("\x1b[31mred\t\x7f\u009b\xfe")})
	if want := "a\\x1b[2J\n\\x1b[31mred\\t\\x7f\\x9b\\xfe\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func folded(t *testing.T, changes []change) []string {
	t.Helper()
	f := NewFold()
	for _, c := range changes {
		if err := f.Add(c.kind, cells(c.values...)); err != nil {
			t.Fatal(err)
		}
	}
	return contents(f)
}

func contents(f *Fold) []string {
	var out []string
	for cells := range f.Rows() {
		out = append(out, strings.TrimSuffix(string(AppendLine(nil, cells)), "\n"))
	}
	return out
}

func TestFold(t *testing.T) {
	const I, UB, UA, D = streamsql.Insert, streamsql.UpdateBefore, streamsql.UpdateAfter, streamsql.Delete
	tests := []struct {
		name    string
		changes []change
		want    []string
	}{
		{"an update keeps its place", []change{{I, []string{"a", "1"}}, {I, []string{"b", "1"}}, {UB, []string{"a", "1"}}, {UA, []string{"a", "2"}}}, []string{"a | 2", "b | 1"}},
		{"a delete leaves no gap", []change{{I, []string{"a"}}, {I, []string{"b"}}, {D, []string{"a"}}}, []string{"b"}},
		{"equal rows are counted", []change{{I, []string{"a"}}, {I, []string{"a"}}, {D, []string{"a"}}}, []string{"a"}},
		{"a new row does not take the place of an update that has no new row", []change{{I, []string{"a"}}, {I, []string{"b"}}, {UB, []string{"a"}}, {I, []string{"c"}}}, []string{"b", "c"}},
		{"an update without an old row is new", []change{{UA, []string{"a"}}}, []string{"a"}},
		{"NULL is not the empty text", []change{{I, []string{null}}, {I, []string{""}}, {D, []string{""}}}, []string{"<NULL>"}},
		{"cells do not run together", []change{{I, []string{"ab", "c"}}, {I, []string{"a", "bc"}}, {D, []string{"ab", "c"}}}, []string{"a | bc"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, folded(t, tt.changes)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
	if err := NewFold().Add(D, cells("a")); err == nil {
		t.Error("a row that was never there was taken away")
	}
}

// Against a plain list, with enough deletes to make it compact.
func TestFoldRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f := NewFold()
	var model []string
	for i := range 20000 {
		if len(model) > 0 && r.IntN(100) < 48 {
			v := model[r.IntN(len(model))]
			at := len(model) - 1 - slices.Index(reversed(model), v)
			if r.IntN(2) == 0 {
				model = slices.Delete(model, at, at+1)
				if err := f.Add(streamsql.Delete, cells(v)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			next := fmt.Sprint(i % 700)
			model[at] = next
			if err := f.Add(streamsql.UpdateBefore, cells(v)); err != nil {
				t.Fatal(err)
			}
			if err := f.Add(streamsql.UpdateAfter, cells(next)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		v := fmt.Sprint(i % 700)
		model = append(model, v)
		if err := f.Add(streamsql.Insert, cells(v)); err != nil {
			t.Fatal(err)
		}
	}
	got := contents(f)
	// Of equal rows any may go; the rows must be the same, and as many.
	slices.Sort(got)
	slices.Sort(model)
	if d := cmp.Diff(model, got); d != "" || f.Len() != len(model) {
		t.Errorf("%d rows, want %d\n%s", f.Len(), len(model), d)
	}
	if len(f.rows) > 2*f.live+1024 {
		t.Errorf("%d places for %d rows", len(f.rows), f.live)
	}
}

func reversed(s []string) []string {
	out := slices.Clone(s)
	slices.Reverse(out)
	return out
}
