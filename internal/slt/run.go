package slt

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"streamsql"
	"streamsql/stream"
	"streamsql/types"
)

// Run runs a .slt file in one configuration; the error names the first record that
// does not come out as written. {dir} in the file is its folder. The log holds all
// that came out, for comparison between configurations.
func Run(ctx context.Context, path string, config Config) (log string, err error) {
	records, err := readScript(path)
	if err != nil {
		return "", err
	}
	tables := newScripts(config.Batch)
	r := &runner{ctx: ctx, tables: tables, dir: filepath.Dir(path)}
	e, err := streamsql.Open(append(config.Options(), streamsql.WithConnector(tables), streamsql.WithClock(r.now))...)
	if err != nil {
		return "", err
	}
	defer e.Close()
	r.engine = e
	defer r.stop()
	for _, rec := range records {
		got, err := r.run(rec)
		if err != nil {
			return r.log.String(), fmt.Errorf("%s:%d: %s: %w", path, rec.line, rec.kind, err)
		}
		r.log.WriteString(strings.Join(got, "\n") + "\n")
	}
	return r.log.String(), nil
}

// Rewrite runs a .slt file and writes what came out behind each ---- in place of
// what stood there. Read the difference before you keep it.
func Rewrite(ctx context.Context, path string) error {
	records, err := readScript(path)
	if err != nil {
		return err
	}
	tables := newScripts(Base.Batch)
	r := &runner{ctx: ctx, tables: tables, dir: filepath.Dir(path), rewrite: true}
	e, err := streamsql.Open(append(Base.Options(), streamsql.WithConnector(tables), streamsql.WithClock(r.now))...)
	if err != nil {
		return err
	}
	defer e.Close()
	r.engine = e
	defer r.stop()
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	var out []string
	at := 0
	for _, rec := range records {
		got, err := r.run(rec)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, rec.line, err)
		}
		if !rec.check {
			continue
		}
		end := rec.line + len(rec.body) + 1 // index behind ----
		out = append(append(out, lines[at:end]...), got...)
		at = end + len(rec.want)
	}
	out = append(out, lines[at:]...)
	return os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644)
}

// runner runs the records of one file.
type runner struct {
	ctx     context.Context
	engine  *streamsql.Engine
	tables  *scripts
	dir     string
	rewrite bool
	log     strings.Builder
	stream  *running
	clock   atomic.Int64 // milliseconds since 1970, set by the record clock; 0: the wall clock
}

// now is the clock of the engine.
func (r *runner) now() time.Time {
	if ms := r.clock.Load(); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Now()
}

// setClock sets the clock of the engine, and lets what is due happen: an empty batch
// has the driver look at it.
func (r *runner) setClock(text string) error {
	v, err := parseValue(types.NewTimestamp(3), text)
	if err != nil {
		return err
	}
	r.clock.Store(v.I)
	for _, name := range slices.Sorted(maps.Keys(r.tables.tables)) {
		if src := r.tables.tables[name]; src.feed != nil && !src.ended {
			return src.feed(r.ctx, &stream.Batch{Cols: make([]stream.Vec, len(src.columns))})
		}
	}
	return nil
}

// running is the stream that is on.
type running struct {
	query *streamsql.Query
	late  int64
	mark  string

	mu    sync.Mutex
	more  *sync.Cond
	lines []string
	rows  int64
	over  bool
	err   error
}

func (r *runner) run(rec record) ([]string, error) {
	body := strings.ReplaceAll(strings.Join(rec.body, "\n"), "{dir}", r.dir)
	var got []string
	var err error
	switch rec.kind {
	case "statement":
		return nil, r.statement(rec, body)
	case "query":
		got, err = r.query(rec, body)
	case "stream":
		got, err = r.start(body)
	case "stop":
		r.stop()
	case "clock":
		if err = r.setClock(strings.Join(rec.args, " ")); err == nil && r.stream != nil {
			got, err = r.stream.quiet()
		}
	default:
		got, err = r.stimulus(rec)
	}
	if err != nil || r.rewrite || !rec.check {
		return got, err
	}
	if strings.Join(got, "\n") != strings.Join(rec.want, "\n") {
		return got, fmt.Errorf("expected\n%s\n  got\n%s", strings.Join(rec.want, "\n"), strings.Join(got, "\n"))
	}
	return got, nil
}

func (r *runner) statement(rec record, sql string) error {
	if len(rec.args) == 0 || rec.args[0] != "ok" && rec.args[0] != "error" {
		return fmt.Errorf("expected statement ok or statement error")
	}
	var err error
	for _, s := range streamsql.Split(sql) {
		if err = r.one(s); err != nil {
			break
		}
	}
	if rec.args[0] == "ok" {
		return err
	}
	return matchError(strings.Join(rec.args[1:], " "), err)
}

func (r *runner) one(s streamsql.Statement) error {
	if !s.Query {
		_, err := r.engine.Exec(r.ctx, s.Text)
		return err
	}
	q, err := r.engine.Query(r.ctx, s.Text)
	if err != nil {
		return err
	}
	for _, err := range q.Batches() {
		if err != nil {
			return err
		}
	}
	return nil
}

// query returns the final rows, sorted as asked.
func (r *runner) query(rec record, sql string) ([]string, error) {
	q, err := r.engine.Query(r.ctx, sql)
	if err != nil {
		return nil, err
	}
	var rows []string
	for b, err := range q.Batches() {
		if err != nil {
			return nil, err
		}
		for i := range int(b.NumRows()) {
			rows = fold(rows, b.Kind(i), string(appendRow(nil, b, i)))
		}
	}
	if err := checkAccounts(q.Stats()); err != nil {
		return nil, err
	}
	cols := len(q.Columns())
	if cols > 1 && len(rec.want) == len(rows)*cols && len(rows) > 0 && !strings.Contains(rec.want[0], " | ") {
		var values []string
		for _, row := range rows {
			values = append(values, strings.Split(row, " | ")...)
		}
		rows = values
	}
	if len(rec.args) > 1 && (rec.args[1] == "rowsort" || rec.args[1] == "valuesort") {
		sort.Strings(rows)
	}
	return rows, nil
}

// fold applies one change to the rows of a final result.
func fold(rows []string, kind streamsql.RowKind, row string) []string {
	if !kind.Retracts() {
		return append(rows, row)
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i] == row {
			return append(rows[:i], rows[i+1:]...)
		}
	}
	return append(rows, "taken back but never sent: "+row)
}

func (r *runner) start(sql string) ([]string, error) {
	r.stop()
	q, err := r.engine.Query(r.ctx, sql)
	if err != nil {
		return nil, err
	}
	s := &running{query: q}
	s.more = sync.NewCond(&s.mu)
	r.stream = s
	go s.read()
	for _, src := range r.tables.tables {
		if err := src.wait(r.ctx); err != nil {
			return nil, err
		}
	}
	return s.quiet()
}

// read gathers what the query sends.
func (s *running) read() {
	for b, err := range s.query.Batches() {
		s.mu.Lock()
		if err != nil {
			s.err = err
		} else {
			for i := range int(b.NumRows()) {
				s.lines = append(s.lines, string(appendChange(nil, b, i)))
			}
			s.rows += b.NumRows()
		}
		s.mu.Unlock()
		s.more.Broadcast()
	}
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.more.Broadcast()
}

// quiet waits until everything the query has sent so far has been read, and returns
// it with the late rows and the watermark of this step. The plan runs in the
// goroutine of whoever feeds it, so all is sent when feeding returns.
func (s *running) quiet() ([]string, error) {
	stats := s.query.Stats()
	s.mu.Lock()
	for s.rows < stats.RowsOut && !s.over {
		s.more.Wait()
	}
	got, err := s.lines, s.err
	s.lines = nil
	s.mu.Unlock()
	if err != nil {
		got = append(got, "error: "+err.Error())
	}
	if late := lateOf(stats); late > s.late {
		got = append(got, fmt.Sprintf("late %d", late-s.late))
		s.late = late
	}
	if t, ok, ended := s.query.Watermark(); ok {
		mark := "W " + t.Format("2006-01-02 15:04:05.000")
		if ended {
			mark = "W max"
		}
		if mark != s.mark {
			got = append(got, mark)
			s.mark = mark
		}
	}
	return got, checkAccounts(stats)
}

func (r *runner) stimulus(rec record) ([]string, error) {
	if r.stream == nil {
		return nil, fmt.Errorf("no stream is on")
	}
	if rec.kind == "finish" && len(rec.args) == 0 {
		for _, name := range slices.Sorted(maps.Keys(r.tables.tables)) {
			if err := r.tables.tables[name].finish(r.ctx); err != nil {
				break // what the query died of is in its output
			}
		}
		return r.finished()
	}
	if len(rec.args) == 0 {
		return nil, fmt.Errorf("expected a table name")
	}
	src, err := r.tables.table(rec.args[0])
	if err != nil {
		return nil, err
	}
	switch rec.kind {
	case "input":
		err = src.send(r.ctx, rec.body)
	case "watermark":
		err = src.advance(r.ctx, strings.Join(rec.args[1:], " "))
	case "finish":
		err = src.finish(r.ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.stream.quiet()
}

// finished waits for the query's end.
func (r *runner) finished() ([]string, error) {
	s := r.stream
	s.mu.Lock()
	for !s.over {
		s.more.Wait()
	}
	s.mu.Unlock()
	return s.quiet()
}

func (r *runner) stop() {
	if r.stream != nil {
		r.stream.query.Close()
		r.stream = nil
	}
	r.tables.tables = map[string]*scriptSource{}
}
