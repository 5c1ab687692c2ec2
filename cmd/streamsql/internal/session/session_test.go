package session

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"streamsql"
	"streamsql/cmd/streamsql/internal/flags"
)

// fakeEngine answers statements from a table.
type fakeEngine struct {
	queries map[string]*fakeQuery
	results map[string]streamsql.Result
	errs    map[string]error
	ran     []string
}

func (e *fakeEngine) Exec(_ context.Context, sql string) (streamsql.Result, error) {
	e.ran = append(e.ran, sql)
	return e.results[sql], e.errs[sql]
}

func (e *fakeEngine) Query(ctx context.Context, sql string) (Query, error) {
	e.ran = append(e.ran, sql)
	if err := e.errs[sql]; err != nil {
		return nil, err
	}
	q, ok := e.queries[sql]
	if !ok {
		return nil, &streamsql.Error{Code: "undefined_table", Msg: "table \"" + sql + "\" does not exist"}
	}
	q.ctx = ctx
	return q, nil
}

func (e *fakeEngine) Tables() []string                           { return nil }
func (e *fakeEngine) Columns(string) ([]streamsql.Column, error) { return nil, nil }
func (e *fakeEngine) Functions() []string                        { return nil }
func (e *fakeEngine) SetTrace(func(streamsql.TraceEvent))        {}

type change struct {
	kind   streamsql.RowKind
	values []string
}

type fakeBatch []change

func (b fakeBatch) NumRows() int64                  { return int64(len(b)) }
func (b fakeBatch) Kind(row int) streamsql.RowKind  { return b[row].kind }
func (b fakeBatch) JSON(int, *streamsql.TextColumn) { panic("no column of these tests is nested") }
func (b fakeBatch) Text(col int, t *streamsql.TextColumn) {
	t.Data, t.Offsets, t.Valid = nil, []int32{0}, make([]uint64, len(b)/64+1)
	for i, c := range b {
		if v := c.values[col]; v != "NULL" {
			t.Data = append(t.Data, v...)
			t.Valid[i/64] |= 1 << (i % 64)
		}
		t.Offsets = append(t.Offsets, int32(len(t.Data)))
	}
}

// fakeQuery gives batches. Step is called before each one.
type fakeQuery struct {
	ctx     context.Context
	columns []streamsql.Column
	mode    streamsql.Mode
	endless bool
	live    bool
	batches []fakeBatch
	err     error
	ready   bool
	step    func(i int)
	stats   streamsql.Stats
	why     string
	given   int
	closed  bool
}

func (q *fakeQuery) Columns() []streamsql.Column       { return q.columns }
func (q *fakeQuery) Mode() streamsql.Mode              { return q.mode }
func (q *fakeQuery) Bounded() bool                     { return !q.endless }
func (q *fakeQuery) Live() bool                        { return q.live }
func (q *fakeQuery) Ready() bool                       { return q.ready }
func (q *fakeQuery) Stats() streamsql.Stats            { return q.stats }
func (q *fakeQuery) Why() string                       { return q.why }
func (q *fakeQuery) Elapsed() time.Duration            { return 210 * time.Millisecond }
func (q *fakeQuery) Close() error                      { q.closed = true; return nil }
func (q *fakeQuery) Late() iter.Seq[streamsql.LateRow] { return func(func(streamsql.LateRow) bool) {} }
func (q *fakeQuery) Bad() iter.Seq[streamsql.BadRow]   { return func(func(streamsql.BadRow) bool) {} }

func (q *fakeQuery) Batches() iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for i, b := range q.batches {
			if q.step != nil {
				q.step(i)
			}
			if q.ctx.Err() != nil {
				yield(nil, &streamsql.Error{Code: streamsql.CodeCanceled, Msg: "stopped", Err: q.ctx.Err()})
				return
			}
			q.given++
			if !yield(b, nil) {
				return
			}
		}
		if q.err != nil {
			yield(nil, q.err)
		}
	}
}

func ins(values ...string) change { return change{streamsql.Insert, values} }

var cols = []streamsql.Column{{Name: "k", Type: "STRING"}, {Name: "n", Type: "BIGINT"}}

// counting is a query whose rows change: a 1, b 1, then a 2.
func counting() *fakeQuery {
	return &fakeQuery{columns: cols, mode: streamsql.Retract, batches: []fakeBatch{
		{ins("a", "1"), ins("b", "1")},
		{{streamsql.UpdateBefore, []string{"a", "1"}}, {streamsql.UpdateAfter, []string{"a", "2"}}},
	}}
}

func appending() *fakeQuery {
	return &fakeQuery{columns: cols, batches: []fakeBatch{{ins("a", "1")}, {ins("b", "NULL")}}}
}

type harness struct {
	*Session
	engine *fakeEngine
	out    strings.Builder
	errs   strings.Builder
}

func newHarness(c Config) *harness {
	h := &harness{engine: &fakeEngine{
		queries: map[string]*fakeQuery{"SELECT c": counting(), "SELECT a": appending()},
		results: map[string]streamsql.Result{},
		errs:    map[string]error{},
	}}
	if c.Limit == 0 {
		c.Limit = -1
	}
	h.Session = &Session{Config: c, Engine: h.engine, Out: NewOutput(&h.out), Err: &h.errs}
	return h
}

func (h *harness) check(t *testing.T, sql string, code Code, out, errs string) {
	t.Helper()
	if got := h.Script(context.Background(), "", sql); got != code {
		t.Errorf("exit status %d, want %d", got, code)
	}
	if d := cmp.Diff(out, h.out.String()); d != "" {
		t.Errorf("output (-want +got)\n%s", d)
	}
	if d := cmp.Diff(errs, h.errs.String()); d != "" {
		t.Errorf("messages (-want +got)\n%s", d)
	}
}

func TestFormats(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		sql    string
		out    string
		errs   string
	}{
		{"final rows", Config{Format: "csv"}, "SELECT c", "k,n\na,2\nb,1\n", ""},
		{"changes", Config{Format: "csv", Changes: true}, "SELECT c", "op,k,n\n+I,a,1\n+I,b,1\n-U,a,1\n+U,a,2\n", ""},
		{"changelog needs no flag", Config{Format: "changelog"}, "SELECT c", "+I a | 1\n+I b | 1\n-U a | 1\n+U a | 2\n", ""},
		{"nor does changes hurt it", Config{Format: "changelog", Changes: true}, "SELECT a", "+I a | 1\n+I b | <NULL>\n", ""},
		{"table ends with a count", Config{Format: "table"}, "SELECT c", "k  n\na  2\nb  1\n", "(2 rows, 0.21 s)\n"},
		{"quiet", Config{Format: "table", Quiet: true}, "SELECT c", "k  n\na  2\nb  1\n", ""},
		{"limit of final rows", Config{Format: "json", Limit: 1}, "SELECT c", `[{"k":"a","n":2}]` + "\n", ""},
		{"limit of rows", Config{Format: "ndjson", Limit: 1}, "SELECT a", `{"k":"a","n":1}` + "\n", ""},
		{"limit of changes", Config{Format: "changelog", Limit: 3}, "SELECT c", "+I a | 1\n+I b | 1\n-U a | 1\n", ""},
		{"append", Config{Format: "csv"}, "SELECT a; SELECT c", "k,n\na,1\nb,\nk,n\na,2\nb,1\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { newHarness(tt.config).check(t, tt.sql, OK, tt.out, tt.errs) })
	}
}

func text(s string) *string { return &s }

func TestTranscript(t *testing.T) {
	h := newHarness(Config{Format: "transcript", KeepGoing: true})
	h.engine.queries["SELECT a"].stats.Operators = []streamsql.OperatorStats{{Late: 2}, {Late: 1}}
	h.engine.results["SHOW TABLES"] = streamsql.Result{Columns: []string{"a", "b"}, Rows: [][]*string{{text("x"), nil}, {text("y"), text("z")}}}
	h.engine.results["INSERT INTO s SELECT 1"] = streamsql.Result{Insert: true, Late: 4, Stats: streamsql.Stats{RowsOut: 9}}
	h.engine.results["EXPLAIN SELECT a"] = streamsql.Result{Columns: []string{"result"}, Rows: [][]*string{{text("one\ntwo\n")}}}
	h.engine.errs["DROP TABLE u"] = &streamsql.Error{Code: "undefined_table", Msg: "table \"u\"\ndoes not exist", Hint: "look"}
	h.engine.errs["SELECT e"] = nil
	h.engine.queries["SELECT e"] = &fakeQuery{columns: cols, batches: []fakeBatch{{ins("a", "1")}}, err: &streamsql.Error{Code: streamsql.CodeRuntime, Running: true, Msg: "division by zero"}}
	h.check(t, "CREATE TABLE t (\n  a INT);\nSELECT a;\nSHOW TABLES; INSERT INTO s SELECT 1; EXPLAIN SELECT a; DROP TABLE u; SELECT e; SELECT c", Refused,
		`> CREATE TABLE t ( a INT)
> SELECT a
+I a | 1
+I b | <NULL>
late 3
> SHOW TABLES
x | <NULL>
y | z
> INSERT INTO s SELECT 1
+I -1
late 4
> EXPLAIN SELECT a
one
two
> DROP TABLE u
error: table "u" does not exist; hint: look
> SELECT e
+I a | 1
error: division by zero
> SELECT c
+I a | 1
+I b | 1
-U a | 1
+U a | 2
`, "late: 3 rows dropped\n")
}

func TestOtherResults(t *testing.T) {
	show := streamsql.Result{Columns: []string{"name", "type"}, Rows: [][]*string{{text("k"), nil}}}
	for name, want := range map[string]string{
		"csv": "name,type\nk,\n", "json": `[{"name":"k","type":null}]` + "\n", "changelog": "k | <NULL>\n", "table": "name  type\nk     NULL\n",
	} {
		h := newHarness(Config{Format: name, Quiet: true})
		h.engine.results["DESCRIBE t"] = show
		h.check(t, "DESCRIBE t", OK, want, "")
	}
	plan := streamsql.Result{Columns: []string{"result"}, Rows: [][]*string{{text("== plan ==\nScan\n")}}}
	for name, want := range map[string]string{"table": "== plan ==\nScan\n", "csv": "result\n\"== plan ==\nScan\n\"\n"} {
		h := newHarness(Config{Format: name})
		h.engine.results["EXPLAIN x"] = plan
		h.check(t, "EXPLAIN x", OK, want, "")
	}
}

// At a failure rows that are final stay, and the output is well-formed.
func TestFailures(t *testing.T) {
	broken := &streamsql.Error{Code: streamsql.CodeDecode, Running: true, Msg: "x.csv:3: \"n/a\" is no BIGINT"}
	tests := []struct {
		name   string
		format string
		query  *fakeQuery
		out    string
	}{
		{"array is closed", "json", appending(), "[{\"k\":\"a\",\"n\":1},\n {\"k\":\"b\",\"n\":null}]\n"},
		{"rows are kept", "csv", appending(), "k,n\na,1\nb,\n"},
		{"table too", "table", appending(), "k     n\na     1\nb  NULL\n"},
		{"rows that could still change are not shown", "csv", counting(), ""},
		{"nor as an empty array", "json", counting(), ""},
		{"changes are kept", "changelog", counting(), "+I a | 1\n+I b | 1\n-U a | 1\n+U a | 2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(Config{Format: tt.format})
			tt.query.err = broken
			h.engine.queries["SELECT x"] = tt.query
			h.check(t, "SELECT x; SELECT a", Failed, tt.out, "error: "+broken.Msg+"\n")
			if len(h.engine.ran) != 1 {
				t.Errorf("went on after a failure: %q", h.engine.ran)
			}
		})
	}
}

func TestExitStatus(t *testing.T) {
	h := newHarness(Config{Format: "csv", KeepGoing: true})
	h.engine.errs["DROP TABLE x"] = &streamsql.Error{Code: streamsql.CodeIO, Running: true, Msg: "disk"}
	h.check(t, "DROP TABLE x; SELECT nothing; SELECT a", Failed, "k,n\na,1\nb,\n", "error: disk\nerror: table \"SELECT nothing\" does not exist\n")
	h = newHarness(Config{Format: "csv"})
	h.check(t, "SELECT nothing; SELECT a", Refused, "", "error: table \"SELECT nothing\" does not exist\n")
	h = newHarness(Config{Format: "csv"})
	h.engine.errs["DROP TABLE x"] = errors.New("plain")
	h.check(t, "DROP TABLE x", Failed, "", "error: plain\n")
}

// A fault of ours is told like any other, and the next statement runs.
func TestPanic(t *testing.T) {
	h := newHarness(Config{Format: "changelog", KeepGoing: true})
	h.engine.queries["SELECT c"].step = func(int) { panic("boom") }
	h.check(t, "SELECT c; SELECT a", Failed, "+I a | 1\n+I b | <NULL>\n",
		"error: internal fault while printing: boom\nhint: please report the statement\n")
}

func TestEndlessChanges(t *testing.T) {
	for _, format := range flags.Formats {
		for _, changes := range []bool{false, true} {
			h := newHarness(Config{Format: format, Changes: changes})
			h.engine.queries["SELECT c"].endless = true
			want := OK
			if !changes && format != "changelog" && format != "transcript" {
				want = Refused
			}
			if got := h.Script(context.Background(), "", "SELECT c"); got != want {
				t.Errorf("%s changes=%v: exit status %d, want %d", format, changes, got, want)
			}
			if !h.engine.queries["SELECT c"].closed {
				t.Errorf("%s: the query still runs", format)
			}
		}
	}
	h := newHarness(Config{Format: "csv"})
	h.engine.queries["SELECT c"].endless = true
	h.check(t, "SELECT c", Refused, "", `error: the rows of this query change and its input never ends, so format "csv" has no final rows to show
hint: add --changes for a column op, or use --format changelog
`)
	h = newHarness(Config{Format: "csv", Shell: true, Quiet: true})
	h.engine.queries["SELECT c"].endless = true
	h.check(t, "SELECT c", OK, "op,k,n\n+I,a,1\n+I,b,1\n-U,a,1\n+U,a,2\n", "")
}

// A place is one in the whole script.
func TestPlace(t *testing.T) {
	h := newHarness(Config{Format: "csv"})
	h.engine.errs["SELECT\n  nope"] = &streamsql.Error{Code: "undefined_column", Msg: `column "nope" does not exist`, Span: spanOf(9, 13)}
	if code := h.Script(context.Background(), "dir/q.sql", "SELECT a;\n\nSELECT\n  nope;\nSELECT c"); code != Refused {
		t.Errorf("exit status %d", code)
	}
	want := `dir/q.sql:4: error: column "nope" does not exist
4 |   nope;
      ^^^^
`
	if d := cmp.Diff(want, h.errs.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// An error in a definition that stands earlier in the script shows it there.
func TestPlaceOfDefinition(t *testing.T) {
	h := newHarness(Config{Format: "csv"})
	h.engine.errs["SELECT t"] = &streamsql.Error{Code: "undefined_option", Msg: "no such option", Span: spanOf(13, 14), Source: "CREATE TABLE t"}
	h.Script(context.Background(), "q.sql", "SELECT a;\nCREATE TABLE t;\nSELECT t")
	want := "q.sql:2: error: no such option\n2 | CREATE TABLE t;\n                 ^\n"
	if d := cmp.Diff(want, h.errs.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func spanOf(start, end int) (e struct{ Start, End int }) {
	e.Start, e.End = start, end
	return e
}

// recorder notes each write.
type recorder struct {
	writes []string
	err    error
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	r.writes = append(r.writes, string(p))
	return len(p), nil
}

// What is ready is written before the next batch is waited for.
func TestFlush(t *testing.T) {
	h := newHarness(Config{Format: "csv"})
	var rec recorder
	h.Out = NewOutput(&rec)
	q := h.engine.queries["SELECT a"]
	q.live = true
	var before []int
	q.step = func(int) { before = append(before, len(rec.writes)) }
	h.Script(context.Background(), "", "SELECT a")
	if d := cmp.Diff([]string{"k,n\n", "a,1\n", "b,\n"}, rec.writes); d != "" {
		t.Errorf("writes (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]int{1, 2}, before); d != "" {
		t.Errorf("writes before each batch (-want +got)\n%s", d)
	}
	// While more is ready, batches are written together.
	h = newHarness(Config{Format: "csv"})
	rec = recorder{}
	h.Out = NewOutput(&rec)
	h.engine.queries["SELECT a"].ready = true
	h.Script(context.Background(), "", "SELECT a")
	if d := cmp.Diff([]string{"k,n\na,1\nb,\n"}, rec.writes); d != "" {
		t.Errorf("writes (-want +got)\n%s", d)
	}
}

func TestOutputFails(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code Code
		errs string
	}{
		{syscall.EPIPE, OK, ""},
		{io.ErrClosedPipe, OK, ""},
		{errors.New("disk full"), Failed, "error: cannot write the output: disk full\n"},
	} {
		h := newHarness(Config{Format: "csv"})
		h.Out = NewOutput(&recorder{err: tt.err})
		q := h.engine.queries["SELECT a"]
		if code := h.Script(context.Background(), "", "SELECT a; SELECT c"); code != tt.code {
			t.Errorf("%v: exit status %d, want %d", tt.err, code, tt.code)
		}
		if q.given > 1 || !q.closed || len(h.engine.ran) != 1 {
			t.Errorf("%v: %d batches read, closed=%v, %q", tt.err, q.given, q.closed, h.engine.ran)
		}
		if h.errs.String() != tt.errs {
			t.Errorf("%v: %q", tt.err, h.errs.String())
		}
	}
}

func TestLimitStopsTheQuery(t *testing.T) {
	h := newHarness(Config{Format: "csv", Limit: 1})
	q := h.engine.queries["SELECT a"]
	h.check(t, "SELECT a", OK, "k,n\na,1\n", "")
	if q.given != 1 || !q.closed {
		t.Errorf("%d batches read, closed=%v", q.given, q.closed)
	}
}

// Who stops a query is told of what is not shown only if there is something.
func TestStoppedText(t *testing.T) {
	waiting := streamsql.Stats{Operators: []streamsql.OperatorStats{{Name: "Project"}, {Name: "WindowAggregate", OpenRows: 2}}}
	if got := stoppedText(waiting); !strings.Contains(got, "is not shown (.why") {
		t.Errorf("with open windows: %s", got)
	}
	if got := stoppedText(streamsql.Stats{Operators: waiting.Operators[:1]}); got != "stopped" {
		t.Errorf("without: %s", got)
	}
}

func TestSignals(t *testing.T) {
	for _, code := range []Code{Interrupted, Terminated} {
		for _, tt := range []struct {
			sql, format string
			shell       bool
			out         string
		}{
			{"SELECT a", "json", false, "[{\"k\":\"a\",\"n\":1}]\n"},
			{"SELECT c", "csv", false, ""},
			{"SELECT c", "csv", true, "k,n\na,1\nb,1\n"},
		} {
			h := newHarness(Config{Format: tt.format, Shell: tt.shell, KeepGoing: true})
			ctx, cancel := context.WithCancelCause(context.Background())
			for _, q := range h.engine.queries {
				q.step = func(i int) {
					if i == 1 {
						cancel(Stop{code})
					}
				}
			}
			if got := h.Script(ctx, "", tt.sql+"; SELECT 1"); got != code {
				t.Errorf("exit status %d, want %d", got, code)
			}
			if d := cmp.Diff(tt.out, h.out.String()); d != "" {
				t.Errorf("%s %s (-want +got)\n%s", tt.sql, tt.format, d)
			}
			if tt.shell != strings.HasPrefix(h.errs.String(), "stopped\n") {
				t.Errorf("messages: %q", h.errs.String())
			}
			if len(h.engine.ran) != 1 {
				t.Errorf("went on: %q", h.engine.ran)
			}
			cancel(nil)
		}
	}
}

func TestReportAtTheEnd(t *testing.T) {
	stats := streamsql.Stats{
		Sources:   []streamsql.SourceStats{{Table: "t", Read: 10, Late: 1, Keep99: 7, KeepAll: 7, Watermark: 5000, MaxEventTime: 5000}},
		Operators: []streamsql.OperatorStats{{Late: 1}}, RowsOut: 2,
	}
	late := "late: 1 row dropped (10 %); a delay longer by 7ms would have kept all of them\n"
	full := "read 10 rows in 0.21 s, 47 rows/s; 2 rows out\nt: event time up to 1970-01-01 00:00:05, watermark 1970-01-01 00:00:05\n" + late
	for _, tt := range []struct {
		name string
		c    Config
		errs string
	}{
		{"nobody watches, but rows were late", Config{}, late},
		{"quiet", Config{Quiet: true}, ""},
		{"asked for", Config{Stats: flags.StatsText}, full},
		{"terminal", Config{StderrTerminal: true, StdoutTerminal: true}, full},
		{"json", Config{Stats: flags.StatsJSON, Quiet: true}, "{"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.c.Format = "csv"
			h := newHarness(tt.c)
			h.engine.queries["SELECT a"].stats = stats
			h.Script(context.Background(), "", "SELECT a")
			got := h.errs.String()
			if tt.errs == "{" {
				if !strings.HasPrefix(got, `{"query":"SELECT a","elapsed_ms":210,`) || strings.Count(got, "\n") != 1 {
					t.Errorf("%q", got)
				}
				return
			}
			if d := cmp.Diff(tt.errs, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestInsert(t *testing.T) {
	h := newHarness(Config{Format: "table"})
	h.engine.results["INSERT x"] = streamsql.Result{Insert: true, Stats: streamsql.Stats{RowsOut: 1200}}
	if code := h.Script(context.Background(), "", "INSERT x"); code != OK || h.out.Len() > 0 || !strings.HasPrefix(h.errs.String(), "(1,200 rows written, ") || !h.Produced {
		t.Errorf("exit status %d, %q, %q", code, h.out.String(), h.errs.String())
	}
	h.engine.errs["INSERT x"] = &streamsql.Error{Code: streamsql.CodeIO, Running: true, Msg: "full"}
	h.errs.Reset()
	if code := h.Script(context.Background(), "", "INSERT x"); code != Failed || h.errs.String() != "error: full\n" {
		t.Errorf("exit status %d, %q", code, h.errs.String())
	}
}

// TestStoppedInsert: whoever stops an INSERT learns that it has written nothing.
func TestStoppedInsert(t *testing.T) {
	for _, shell := range []bool{false, true} {
		h := newHarness(Config{Format: "csv", Shell: shell, Quiet: true})
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(Stop{Interrupted})
		err := &streamsql.Error{Code: streamsql.CodeCanceled, Running: true, Msg: "stopped"}
		h.engine.results["INSERT x"], h.engine.errs["INSERT x"] = streamsql.Result{Insert: true}, err
		st := streamsql.Statement{Text: "INSERT x"}
		if code := h.fail(ctx, "", "INSERT x", st, h.exec(ctx, "INSERT x")); code != Interrupted {
			t.Errorf("exit status %d", code)
		}
		want := "stopped: the INSERT has not reached its end and is not committed, files have none of its rows\nhint: run it again, to its end\n"
		if d := cmp.Diff(want, h.errs.String()); d != "" {
			t.Errorf("shell %v (-want +got)\n%s", shell, d)
		}
	}
}

func TestProgressLine(t *testing.T) {
	q := appending()
	q.stats = streamsql.Stats{RowsOut: 7, Sources: []streamsql.SourceStats{{Read: 21000, Bytes: 25, TotalBytes: 100}}}
	if got, want := progressLine(&Result{Query: q}), "21,000 rows read, 100k/s, 25 %, 0.63 s left; 7 rows out"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	q.stats.Sources[0].TotalBytes = 0
	if got, want := progressLine(&Result{Query: q}), "21,000 rows read, 100k/s; 7 rows out"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
