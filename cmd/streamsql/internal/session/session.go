package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"streamsql"
	"streamsql/cmd/streamsql/internal/flags"
	"streamsql/cmd/streamsql/internal/format"
	"streamsql/cmd/streamsql/internal/report"
)

// Code is an exit status of the command.
type Code int

// The exit statuses.
const (
	OK          Code = 0
	Failed      Code = 1 // while running
	Refused     Code = 2 // options or SQL: it did not start
	Interrupted Code = 130
	Terminated  Code = 143
)

// Stop is the cause of a context that a signal ended.
type Stop struct{ Code Code }

// Error names the signal.
func (s Stop) Error() string {
	if s.Code == Terminated {
		return "terminated"
	}
	return "interrupted"
}

// Config is how a session behaves.
type Config struct {
	Format    string // one of flags.Formats
	Changes   bool
	KeepGoing bool
	Limit     int64 // -1: none
	Stats     flags.Stats
	Quiet     bool
	Shell     bool // somebody types: each result ends with its row count and time
	// StdoutTerminal and StderrTerminal say who reads: progress is only for a
	// terminal that shows no rows.
	StdoutTerminal, StderrTerminal bool
	Delay                          time.Duration // of --delay
	FileDelay                      bool          // --event-time was given
	Files                          []string      // tables of -t
	Trace                          flags.Trace
	TraceFile                      string
}

// Session runs statements on an engine.
type Session struct {
	Config
	Engine Engine
	Out    *Output   // rows
	Err    io.Writer // everything else
	Last   *Result   // the newest query or INSERT, while it runs too
	// Produced says that some statement gave rows or wrote some.
	Produced bool
	// Read says that rows were read from some source, Timed that some had event time.
	Read, Timed bool
	buf         []byte
	tracing     *tracing // of the statement that runs; nil: none is wanted
	pictures    int      // written so far
}

// Result is a query that has run, for questions about it afterwards.
type Result struct {
	SQL   string
	Query Query // nil for INSERT
	stats streamsql.Stats
	took  time.Duration
	rows  int64
	err   error
}

// Stats are the counters of the query.
func (r *Result) Stats() streamsql.Stats {
	if r.Query != nil {
		return r.Query.Stats()
	}
	return r.stats
}

// Elapsed is how long it took, or has been running.
func (r *Result) Elapsed() time.Duration {
	if r.Query != nil {
		return r.Query.Elapsed()
	}
	return r.took
}

// Report is the report on the query as it stands.
func (s *Session) Report(r *Result) report.Report {
	rep := report.Report{
		SQL: r.SQL, Elapsed: r.Elapsed(), Stats: r.Stats(), Err: r.err,
		Delay: s.Delay, FileDelay: s.FileDelay, Files: s.Files,
	}
	if r.Query != nil && report.BadRows(rep.Stats)+report.BadFields(rep.Stats) > 0 {
		kinds := map[bool]bool{}
		for b := range r.Query.Bad() {
			if !kinds[b.Nulled] { // the first row, and the first value
				kinds[b.Nulled] = true
				rep.Bad = append(rep.Bad, b)
			}
			if len(kinds) == 2 {
				break
			}
		}
	}
	return rep
}

// Script runs all statements of a text. Name is the file it comes from, "" for the
// command line. It stops at the first failure unless the session keeps going, and
// returns the exit status of the first failure.
func (s *Session) Script(ctx context.Context, name, text string) Code {
	first := OK
	for _, st := range streamsql.Split(text) {
		code := s.Statement(ctx, name, text, st)
		if first == OK {
			first = code
		}
		if code != OK && (!s.KeepGoing || ctx.Err() != nil) || s.Out.Err() != nil {
			break
		}
	}
	return first
}

// Statement runs one statement of a text.
func (s *Session) Statement(ctx context.Context, name, text string, st streamsql.Statement) (code Code) {
	defer func() {
		if r := recover(); r != nil {
			code = s.fail(ctx, name, text, st, &streamsql.Error{
				Code: streamsql.CodeInternal, Msg: fmt.Sprintf("internal fault while printing: %v", r), Hint: "please report the statement",
			})
		}
	}()
	if s.Format == "transcript" {
		s.buf = append(s.buf[:0], "> "...)
		s.buf = append(append(s.buf, streamsql.OneLine(st.Text)...), '\n')
		if !s.write() {
			return s.outputCode()
		}
	}
	var err error
	s.startTrace(st)
	if st.Query {
		err = s.query(ctx, st.Text)
	} else {
		err = s.exec(ctx, st.Text)
	}
	if failed := s.endTrace(); err == nil {
		err = failed
	}
	if err == nil {
		return OK
	}
	return s.fail(ctx, name, text, st, err)
}

// write sends what is buffered to the output; false: the output takes no more.
func (s *Session) write() bool {
	_, err := s.Out.Write(s.buf)
	s.buf = s.buf[:0]
	return err == nil
}

// outputCode is the exit status after the output failed.
func (s *Session) outputCode() Code {
	if s.Out.Closed() {
		return OK
	}
	fmt.Fprintf(s.Err, "error: %v\n", s.Out.Err())
	return Failed
}

// refusal is a statement that the command itself refuses.
type refusal struct{ msg, hint string }

// Error is the message and the hint in one line.
func (r refusal) Error() string { return r.msg + "; hint: " + r.hint }

// fail tells of an error and returns the exit status for it.
func (s *Session) fail(ctx context.Context, name, text string, st streamsql.Statement, err error) Code {
	if s.Out.Err() != nil {
		return s.outputCode()
	}
	var stop Stop
	if ctx.Err() != nil && errors.As(context.Cause(ctx), &stop) {
		var open uncommitted
		switch {
		case errors.As(err, &open):
			io.WriteString(s.Err, "stopped: the INSERT has not reached its end and is not committed, files have none of its rows\n"+
				"hint: run it again, to its end\n")
		case s.Shell && !st.Query:
			fmt.Fprintln(s.Err, "stopped")
		}
		return stop.Code
	}
	if s.Format == "transcript" {
		s.buf = fmt.Appendf(s.buf[:0], "error: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		s.write()
	} else {
		io.WriteString(s.Err, s.render(name, text, st, err))
	}
	var refused refusal
	if errors.As(err, &refused) || streamsql.Refused(err) {
		return Refused
	}
	return Failed
}

// uncommitted is why an INSERT was stopped before its end.
type uncommitted struct{ error }

// Unwrap returns the reason.
func (u uncommitted) Unwrap() error { return u.error }

// render is an error for people, with its place in the whole script.
func (s *Session) render(name, text string, st streamsql.Statement, err error) string {
	prefix, line := "", st.Line
	var refused refusal
	if errors.As(err, &refused) {
		err = &streamsql.Error{Msg: refused.msg, Hint: refused.hint}
	}
	var e *streamsql.Error
	if errors.As(err, &e) {
		moved := *e
		at := st.Offset
		if e.Source != "" { // a definition, most often one of this script
			at = strings.Index(text, e.Source)
		}
		if e.Span.Valid() && at >= 0 {
			moved.Source = ""
			moved.Span.Start += at
			moved.Span.End += at
			line = 1 + strings.Count(text[:min(moved.Span.Start, len(text))], "\n")
		}
		err = &moved
	}
	if name != "" {
		prefix = fmt.Sprintf("%s:%d: ", name, line)
	}
	return prefix + streamsql.Render(text, err)
}

// exec runs a statement that is no query and prints what it returns.
func (s *Session) exec(ctx context.Context, text string) error {
	started := time.Now()
	res, err := s.Engine.Exec(ctx, text)
	if err != nil && !res.Insert {
		return err
	}
	if res.Insert {
		if err = s.inserted(text, res, time.Since(started), err); err != nil && ctx.Err() != nil {
			return uncommitted{err}
		}
		return err
	}
	if len(res.Columns) == 0 {
		return nil
	}
	s.Produced = true
	cols := make([]format.Column, len(res.Columns))
	for i, name := range res.Columns {
		cols[i].Name = name
	}
	p := format.New(s.Format, cols, format.Layout{})
	plain := isText(res)
	table := s.Format == "table" && !plain
	lines := !format.Folds(s.Format) || s.Format == "table" && plain
	s.buf = s.buf[:0]
	if !lines {
		s.buf = p.Begin(s.buf)
	}
	for _, row := range res.Rows {
		cells := make([]format.Cell, len(row))
		for i, v := range row {
			if v == nil {
				cells[i].Null = true
			} else {
				cells[i].Text = []byte(*v)
			}
		}
		if lines {
			s.buf = format.AppendLine(s.buf, cells)
		} else {
			s.buf = p.Row(s.buf, streamsql.Insert, cells)
		}
	}
	if !lines {
		s.buf = p.End(s.buf)
	}
	if lines && plain {
		s.buf = append([]byte(strings.TrimRight(string(s.buf), "\n")), '\n')
	}
	s.write()
	if table || s.Shell && !plain {
		s.count(int64(len(res.Rows)), time.Since(started))
	}
	return s.Out.Err()
}

// isText reports whether a result is a text to read, such as a plan, rather than
// rows.
func isText(r streamsql.Result) bool {
	return len(r.Columns) == 1 && len(r.Rows) == 1 && r.Rows[0][0] != nil && strings.Contains(*r.Rows[0][0], "\n")
}

// inserted tells of an INSERT that has ended, err saying how.
func (s *Session) inserted(text string, res streamsql.Result, took time.Duration, err error) error {
	s.Produced = true
	r := &Result{SQL: streamsql.OneLine(text), stats: res.Stats, took: took, err: err}
	s.Last = r
	if err == nil {
		s.buf = s.buf[:0]
		if s.Format == "transcript" {
			s.buf = append(s.buf, "+I -1\n"...)
			s.buf = appendLate(s.buf, res.Late)
		}
		s.write()
		if (s.Shell || s.Format == "table") && !s.Quiet {
			word := "rows"
			if res.Stats.RowsOut == 1 {
				word = "row"
			}
			fmt.Fprintf(s.Err, "(%s %s written, %s)\n", report.Count(res.Stats.RowsOut), word, report.Seconds(took))
		}
	}
	s.report(r)
	if err == nil {
		err = s.Out.Err()
	}
	return err
}

func appendLate(dst []byte, n int64) []byte {
	if n == 0 {
		return dst
	}
	return fmt.Appendf(dst, "late %d\n", n)
}

// count writes the line that ends a result.
func (s *Session) count(n int64, took time.Duration) {
	if !s.Quiet {
		fmt.Fprintln(s.Err, report.Rows(n, took))
	}
}

// report writes the report at the end of a query, as far as somebody wants it.
func (s *Session) report(r *Result) {
	rep := s.Report(r)
	for _, src := range rep.Stats.Sources {
		s.Read = s.Read || src.Read > 0
		s.Timed = s.Timed || report.Known(src.MaxEventTime)
	}
	var text []byte
	switch {
	case s.Stats == flags.StatsJSON:
		text = rep.JSON(nil)
	case s.Quiet:
	case s.Stats == flags.StatsText || s.StderrTerminal && !s.Shell:
		text = rep.Text(nil)
	default:
		text = rep.Faults(nil)
	}
	s.Err.Write(text)
}
