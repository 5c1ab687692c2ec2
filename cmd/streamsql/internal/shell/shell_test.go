package shell

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"streamsql"
	"streamsql/cmd/streamsql/internal/session"
)

// script is an Editor that plays what a user types. "^C" drops a line.
type script struct {
	lines    []string
	prompts  []string
	history  []string
	complete Completer
}

func (e *script) ReadLine(prompt string) (string, error) {
	e.prompts = append(e.prompts, strings.TrimSpace(prompt))
	if len(e.lines) == 0 {
		return "", io.EOF
	}
	line := e.lines[0]
	e.lines = e.lines[1:]
	if line == "^C" {
		return "", ErrAborted
	}
	return line, nil
}

func (e *script) AddHistory(line string)   { e.history = append(e.history, line) }
func (e *script) SetCompleter(c Completer) { e.complete = c }
func (e *script) Close() error             { return nil }

type fakeEngine struct {
	ran     []string
	onQuery func()
	query   *fakeQuery
}

func (e *fakeEngine) Exec(_ context.Context, sql string) (streamsql.Result, error) {
	e.ran = append(e.ran, sql)
	if strings.HasPrefix(sql, "INSERT") {
		return streamsql.Result{Insert: true}, nil
	}
	if strings.HasPrefix(sql, "DROP") {
		return streamsql.Result{}, &streamsql.Error{Code: "undefined_table", Msg: `table "u" does not exist`, Span: struct{ Start, End int }{11, 12}}
	}
	return streamsql.Result{}, nil
}

func (e *fakeEngine) Query(ctx context.Context, sql string) (session.Query, error) {
	e.ran = append(e.ran, sql)
	if e.query == nil {
		e.query = &fakeQuery{}
	}
	e.query.ctx, e.query.onStart = ctx, e.onQuery
	return e.query, nil
}

func (e *fakeEngine) Tables() []string { return []string{"orders", "sensor", "T2"} }

func (e *fakeEngine) Columns(table string) ([]streamsql.Column, error) {
	switch table {
	case "orders":
		return []streamsql.Column{{Name: "id", Type: "BIGINT"}, {Name: "ts", Type: "TIMESTAMP(3)", Rowtime: true}, {Name: "item", Type: "STRING"}}, nil
	case "sensor", "T2":
		return []streamsql.Column{{Name: "selected", Type: "INT"}}, nil
	}
	return nil, &streamsql.Error{Code: "undefined_table", Msg: fmt.Sprintf("table %q does not exist", table)}
}

func (e *fakeEngine) Functions() []string { return []string{"SUBSTRING", "SUM"} }

func (e *fakeEngine) SetTrace(func(streamsql.TraceEvent)) {}

type fakeQuery struct {
	ctx     context.Context
	onStart func()
	stats   streamsql.Stats
	late    []streamsql.LateRow
	bad     []streamsql.BadRow
}

type oneRow struct{}

func (oneRow) NumRows() int64                  { return 1 }
func (oneRow) Kind(int) streamsql.RowKind      { return streamsql.Insert }
func (oneRow) JSON(int, *streamsql.TextColumn) { panic("the column is a text") }
func (oneRow) Text(_ int, t *streamsql.TextColumn) {
	t.Data, t.Offsets = []byte("tea"), []int32{0, 3}
}

func (q *fakeQuery) Columns() []streamsql.Column {
	return []streamsql.Column{{Name: "item", Type: "STRING"}}
}
func (q *fakeQuery) Mode() streamsql.Mode              { return streamsql.Append }
func (q *fakeQuery) Bounded() bool                     { return true }
func (q *fakeQuery) Live() bool                        { return false }
func (q *fakeQuery) Ready() bool                       { return false }
func (q *fakeQuery) Stats() streamsql.Stats            { return q.stats }
func (q *fakeQuery) Why() string                       { return "the window closes at noon\n" }
func (q *fakeQuery) Elapsed() time.Duration            { return 210 * time.Millisecond }
func (q *fakeQuery) Close() error                      { return nil }
func (q *fakeQuery) Late() iter.Seq[streamsql.LateRow] { return slices.Values(q.late) }
func (q *fakeQuery) Bad() iter.Seq[streamsql.BadRow]   { return slices.Values(q.bad) }

func (q *fakeQuery) Batches() iter.Seq2[session.Batch, error] {
	return func(yield func(session.Batch, error) bool) {
		if q.onStart != nil {
			q.onStart()
		}
		if q.ctx.Err() != nil {
			yield(nil, &streamsql.Error{Code: streamsql.CodeCanceled, Msg: "stopped"})
			return
		}
		yield(oneRow{}, nil)
	}
}

type harness struct {
	*Shell
	engine *fakeEngine
	editor *script
	out    strings.Builder
	errs   strings.Builder
}

func newHarness(t *testing.T, lines ...string) *harness {
	h := &harness{engine: &fakeEngine{}, editor: &script{lines: lines}}
	s := &session.Session{
		Config: session.Config{Format: "table", Limit: -1, Shell: true},
		Engine: h.engine, Out: session.NewOutput(&h.out), Err: &h.errs,
	}
	h.Shell = New(s, h.editor, NewHistory(filepath.Join(t.TempDir(), "state", "history")))
	return h
}

func (h *harness) run(t *testing.T) {
	t.Helper()
	if code := h.Run(context.Background()); code != session.OK {
		t.Errorf("exit status %d", code)
	}
}

func TestStatements(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		ran   []string
		asked string // prompts, S: new statement, c: continued
	}{
		{"several lines", []string{"SELECT", "", "1;"}, []string{"SELECT\n\n1"}, "SccS"},
		{"several on one line", []string{"SELECT 1; SELECT 2; SELECT", "3;"}, []string{"SELECT 1", "SELECT 2", "SELECT\n3"}, "ScS"},
		{"semicolon in a string", []string{"SELECT ';", "';"}, []string{"SELECT ';\n'"}, "ScS"},
		{"semicolon in a comment", []string{"SELECT 1 -- a;", ";"}, []string{"SELECT 1"}, "ScS"},
		{"a comment over lines", []string{"/* a", "b */ SELECT 1;"}, []string{"SELECT 1"}, "ScS"},
		{"empty lines and lone semicolons", []string{"", "  ", ";", ";;"}, nil, "SSSSS"},
		{"Ctrl-C drops the statement, not the shell", []string{"SELECT", "^C", "SELECT 2;", "^C"}, []string{"SELECT 2"}, "ScSSS"},
		{"quit by word", []string{"quit", "SELECT 1;"}, nil, "S"},
		{"exit with a semicolon", []string{"Exit;", "SELECT 1;"}, nil, "S"},
		{"quit by command", []string{".quit", "SELECT 1;"}, nil, "S"},
		{"quit as psql", []string{`\q`, "SELECT 1;"}, nil, "S"},
		{"words of commands inside a statement", []string{"SELECT", ".5", ", quit", ";"}, []string{"SELECT\n.5\n, quit"}, "ScccS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t, tt.lines...)
			h.run(t)
			var ran []string
			for _, r := range h.engine.ran {
				ran = append(ran, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(r), "-- a;")))
			}
			if d := cmp.Diff(tt.ran, ran); d != "" {
				t.Errorf("statements (-want +got)\n%s", d)
			}
			asked := ""
			for _, p := range h.editor.prompts {
				asked += map[string]string{"streamsql>": "S", "...>": "c"}[p]
			}
			// the last prompt gets the end of input, unless the user quit
			if want := tt.asked; asked != want && asked != want+"S" {
				t.Errorf("prompts %s, want %s", asked, want)
			}
		})
	}
}

func TestResultEndsWithCount(t *testing.T) {
	h := newHarness(t, "SELECT item;", ".mode csv", "SELECT item;")
	h.run(t)
	if got, want := h.out.String(), "item\ntea\ncsv\nitem\ntea\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := h.errs.String(), "(1 row, 0.21 s)\n(1 row, 0.21 s)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Errors show the place in the statement, whatever was typed before it.
func TestErrorPlace(t *testing.T) {
	h := newHarness(t, "SELECT item; DROP TABLE u;")
	h.run(t)
	want := "(1 row, 0.21 s)\nerror: table \"u\" does not exist\n1 | DROP TABLE u\n               ^\n"
	if d := cmp.Diff(want, h.errs.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestInterrupt(t *testing.T) {
	h := newHarness(t, "SELECT 1; SELECT 2;", "SELECT 3;")
	if h.Interrupt() {
		t.Error("nothing runs, yet something was interrupted")
	}
	calls := 0
	h.engine.onQuery = func() {
		if calls++; calls == 1 && !h.Interrupt() {
			t.Error("the running query was not interrupted")
		}
	}
	h.run(t)
	if d := cmp.Diff([]string{"SELECT 1", "SELECT 2", "SELECT 3"}, h.engine.ran); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !strings.HasPrefix(h.errs.String(), "stopped\n") || strings.Count(h.errs.String(), "stopped") != 1 {
		t.Errorf("messages %q", h.errs.String())
	}
}

func TestTerminate(t *testing.T) {
	h := newHarness(t, "SELECT 1;", "SELECT 2;")
	ctx, cancel := context.WithCancelCause(context.Background())
	h.engine.onQuery = func() { cancel(session.Stop{Code: session.Terminated}) }
	if code := h.Run(ctx); code != session.Terminated {
		t.Errorf("exit status %d", code)
	}
	if len(h.engine.ran) != 1 {
		t.Errorf("ran %q", h.engine.ran)
	}
}

func TestCommands(t *testing.T) {
	stats := streamsql.Stats{
		Sources:   []streamsql.SourceStats{{Table: "orders", Read: 1200, Bad: 2, Watermark: 0, MaxEventTime: 5000}},
		Operators: []streamsql.OperatorStats{{ID: "7", Name: "LateFilter", In: 1198, Used: 1195, Late: 3, Out: 1195}},
		RowsOut:   1,
	}
	query := &fakeQuery{
		stats: stats,
		late:  []streamsql.LateRow{{Line: 4, Values: []string{"a"}}, {Line: 5, Values: []string{"b"}}, {Line: 6, Values: []string{"c"}}},
		bad:   []streamsql.BadRow{{Line: 9, Column: "n", Reason: "no INT"}, {Line: 10, Column: "n", Reason: "no INT"}},
	}
	tests := []struct {
		name, line, out, errs string
	}{
		{"tables", ".tables", "orders\nsensor\nT2\n", ""},
		{"schema", ".schema orders", "orders\n  id    BIGINT\n  ts    TIMESTAMP(3) *ROWTIME*\n  item  STRING\n", ""},
		{"as psql", `\d sensor;`, "sensor\n  selected  INT\n", ""},
		{"schema of nothing", ".schema nope", "", "error: table \"nope\" does not exist\n"},
		{"mode", ".mode", "table\n", ""},
		{"mode with changes", ".mode csv changes", "csv changes\n", ""},
		{"unknown mode", ".mode cvs", "", "error: unknown format \"cvs\"\nhint: did you mean \"csv\"?\n"},
		{"unknown command", ".tabels", "", "error: there is no command .tabels\nhint: did you mean .tables?\n"},
		{"command of another shell", ".format json", "", "error: there is no command .format\nhint: write .mode\n"},
		{"command that writes a file", ".output x.csv", "", "error: there is no command .output\nhint: write streamsql -c 'SELECT ...' > FILE\n"},
		{"unknown command, nothing near", ".xyzzy", "", "error: there is no command .xyzzy\nhint: .help lists the commands\n"},
		{"trace", ".trace", "trace on\n", ""},
		{"trace as a picture", ".trace svg rows.svg", "trace svg rows.svg\n", ""},
		{"trace without a file", ".trace svg", "", "error: this is no form of trace\nhint: write .trace, .trace off, or .trace svg FILE\n"},
		{"why", ".why", "the window closes at noon\n", ""},
		{"late", ".late 2", "line 4: a  (time 1970-01-01 00:00:00, watermark 1970-01-01 00:00:00)\nline 5: b  (time 1970-01-01 00:00:00, watermark 1970-01-01 00:00:00)\n(2 of 3 late rows)\n", ""},
		{"bad", ".bad", "line 9 column \"n\": no INT\nline 10 column \"n\": no INT\n", ""},
		{"number", ".late x", "", "error: \"x\" is no number of rows\nhint: write a number, for example .late 100\n"},
		{"stats", ".stats", `SELECT item
read 1,200 rows in 0.21 s, 5,714 rows/s; 1 row out
orders: event time up to 1970-01-01 00:00:05, watermark 1970-01-01 00:00:00 (5s behind)
late: 3 rows dropped
bad: 2 rows skipped, first at line 9 column "n": no INT
operator         in   used  late  filtered    out  state rows  state bytes
7 LateFilter  1,198  1,195     3         0  1,195           0            0
`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t, "SELECT item;")
			h.engine.query = query
			h.run(t)
			h.out.Reset()
			h.errs.Reset()
			h.editor.lines = []string{tt.line}
			h.run(t)
			if d := cmp.Diff(tt.out+"\n", h.out.String()); d != "" { // the end of input ends the line
				t.Errorf("output (-want +got)\n%s", d)
			}
			if d := cmp.Diff(tt.errs, h.errs.String()); d != "" {
				t.Errorf("messages (-want +got)\n%s", d)
			}
		})
	}
	for _, line := range []string{".why", ".late", ".bad", ".stats"} {
		h := newHarness(t, line)
		h.run(t)
		if got := h.errs.String(); got != "error: no query has run yet\nhint: run one, then ask again\n" {
			t.Errorf("%s before any query: %q", line, got)
		}
	}
}

// TestStatsWithoutOperators: there is no heading over nothing.
func TestStatsWithoutOperators(t *testing.T) {
	h := newHarness(t, "SELECT item;", ".stats")
	h.run(t)
	if got := h.out.String(); !strings.Contains(got, "rows out") || strings.Contains(got, "state bytes") {
		t.Errorf("%q", got)
	}
}

func TestHelp(t *testing.T) {
	for _, word := range []string{".help", "help", "help;", `\?`, "?"} {
		h := newHarness(t, word)
		h.run(t)
		for _, c := range commands {
			if !strings.Contains(h.out.String(), c.name) {
				t.Errorf("%s: %s is missing in\n%s", word, c.name, h.out.String())
			}
		}
		if n := strings.Count(h.out.String(), "\n"); n > 23 {
			t.Errorf("%d lines do not fit on a screen", n)
		}
	}
}

func TestComplete(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"orders.csv", "or[1].csv", "x.csv"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		line string // | is the cursor
		head string
		want []string
		tail string
	}{
		{"SELECT se|", "SELECT ", []string{"select", "selected", "sensor"}, ""},
		{"SUBST|(x)", "", []string{"SUBSTRING"}, "(x)"},
		{"SELECT subst|", "SELECT ", []string{"substring"}, ""},
		{"SELECT orders.i|", "SELECT ", []string{"orders.id", "orders.item"}, ""},
		{"SELECT T|", "SELECT ", []string{"T2"}, ""},
		{"SELECT |", "SELECT ", []string{"  "}, ""},
		{"SELECT é, ite|", "SELECT é, ", []string{"item"}, ""},
		{"SELECT * FROM 'or|'", "SELECT * FROM '", []string{"or[1].csv", "orders.csv"}, "'"},
		{"SELECT * FROM 'or[|", "SELECT * FROM '", []string{"or[1].csv"}, ""},
		{".s|", "", []string{".schema ", ".stats "}, ""},
		{".mode c|", ".mode ", []string{"csv", "changelog", "changes"}, ""},
		{".schema s|", ".schema ", []string{"sensor"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			h := newHarness(t)
			before, after, _ := strings.Cut(tt.line, "|")
			head, words, tail := h.editor.complete(before+after, len([]rune(before)))
			var got []string
			for _, w := range words {
				// Keywords change with the dialect: only those of this test count.
				if !slices.Contains(streamsql.Keywords(), strings.ToUpper(w)) || w == "select" {
					got = append(got, w)
				}
				if !strings.HasPrefix(head+w, before) && w != "  " {
					t.Errorf("%q does not begin with what is typed", w)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" || head != tt.head || tail != tt.tail {
				t.Errorf("head %q, tail %q, words (-want +got)\n%s", head, tail, d)
			}
		})
	}
	h := newHarness(t, "SELECT", "x")
	h.pending = "SELECT\n"
	if _, words, _ := h.editor.complete(".s", 2); slices.Contains(words, ".schema ") {
		t.Error("dot commands inside a statement")
	}
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "history")
	h := NewHistory(path)
	h.Add("SELECT 1;")
	h.Add("CREATE TABLE t WITH ('password' = 'x');")
	h.Add("SELECT 2;")
	if d := cmp.Diff([]string{"SELECT 1;", "SELECT 2;"}, NewHistory(path).Load()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for i := range historyLines {
		h.Add(fmt.Sprintf("SELECT %d;", i+3))
	}
	lines := h.Load()
	if len(lines) != historyLines || lines[0] != "SELECT 3;" {
		t.Errorf("%d lines from %q on", len(lines), lines[0])
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != historyLines {
		t.Errorf("the file was not shortened: %v", err)
	}
	NewHistory("/proc/no/such/place").Add("SELECT 1;") // must not matter
	if lines := NewHistory("").Load(); lines != nil {
		t.Errorf("%q", lines)
	}
	t.Setenv("STREAMSQL_HISTORY", "")
	if p := HistoryPath(); p != "" {
		t.Errorf("history is off, yet goes to %q", p)
	}
}

func TestHistoryOfTheShell(t *testing.T) {
	h := newHarness(t, "SELECT", "  1 ;", ".tables")
	h.run(t)
	if d := cmp.Diff([]string{"SELECT 1;", ".tables"}, h.editor.history); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	again := &script{}
	New(h.s, again, h.history)
	if d := cmp.Diff([]string{"SELECT 1;"}, again.history); d != "" {
		t.Errorf("after a restart (-want +got)\n%s", d)
	}
}
