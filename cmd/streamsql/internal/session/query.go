package session

import (
	"context"
	"fmt"

	"streamsql"
	"streamsql/cmd/streamsql/internal/format"
	"streamsql/cmd/streamsql/internal/report"
)

// flushBytes is how much of a result is held back while more is ready.
const flushBytes = 64 << 10

// query runs a query and prints its rows as they come, or, where its rows change
// and the format shows final rows, at its end.
func (s *Session) query(ctx context.Context, text string) error {
	q, err := s.Engine.Query(ctx, text)
	if err != nil {
		return err
	}
	defer q.Close()
	if s.tracing != nil && (q.Live() || !q.Bounded()) {
		s.tracing.live()
	}
	updating := q.Mode() != streamsql.Append
	changes := s.Changes && format.Folds(s.Format)
	fold := updating && format.Folds(s.Format) && !s.Changes
	if fold && !q.Bounded() {
		if !s.Shell {
			return refusal{
				msg:  fmt.Sprintf("the rows of this query change and its input never ends, so format %q has no final rows to show", s.Format),
				hint: "add --changes for a column op, or use --format changelog",
			}
		}
		fold, changes = false, true
		s.note("the input never ends: each change is shown as it comes; Ctrl-C stops the query")
	}
	cols := q.Columns()
	shown := make([]format.Column, len(cols))
	for i, c := range cols {
		shown[i] = format.Column{Name: c.Name, Type: c.Type}
	}
	r := &Result{SQL: streamsql.OneLine(text), Query: q}
	s.Last, s.Produced = r, true
	pr := &printing{
		s: s, q: q, result: r, limit: s.Limit,
		p:    format.New(s.Format, shown, format.Layout{Changes: changes, Live: q.Live() || !q.Bounded()}),
		cols: shown, cells: make([]format.Cell, len(cols)),
		rows: format.Rows{Cols: make([]streamsql.TextColumn, len(cols)), Plain: make([]bool, len(cols))},
	}
	if fold {
		pr.fold = format.NewFold()
	}
	if f, ok := q.(interface{ AtEnd() bool }); ok {
		pr.late = f.AtEnd()
	}
	stop := s.watch(r)
	err = pr.run()
	stop()
	stopped := err != nil && ctx.Err() != nil
	pr.end(err, stopped)
	if err == nil {
		err = s.Out.Err()
	}
	r.err = err
	q.Close()
	if failed := s.endTrace(); err == nil {
		err = failed
	}
	if err == nil && s.Format == "transcript" {
		s.buf = appendLate(s.buf[:0], report.Late(q.Stats()))
		s.write()
	}
	if stopped && s.Shell {
		fmt.Fprintln(s.Err, stoppedText(q.Stats()))
	}
	if s.Shell || s.Format == "table" && err == nil {
		s.count(r.rows, q.Elapsed())
	}
	s.report(r)
	return err
}

// stoppedText says that a query was stopped, and what it leaves out.
func stoppedText(s streamsql.Stats) string {
	for _, op := range s.Operators {
		if op.OpenRows > 0 {
			return "stopped; what waits for the watermark or the end of input is not shown (.why tells about it)"
		}
	}
	return "stopped"
}

func (s *Session) note(text string) {
	if !s.Quiet {
		fmt.Fprintln(s.Err, "note: "+text)
	}
}

// printing is the printing of one query's rows.
type printing struct {
	s      *Session
	q      Query
	result *Result
	p      format.Printer
	fold   *format.Fold // nil: rows are printed as they come
	late   bool         // they all come at the end of the input
	limit  int64
	cols   []format.Column
	cells  []format.Cell
	rows   format.Rows // the current batch
}

// run reads the query to its end, the limit, or a failure.
func (pr *printing) run() error {
	s := pr.s
	s.buf = s.buf[:0]
	if pr.fold == nil {
		s.buf = pr.p.Begin(s.buf)
		if pr.limit == 0 {
			return nil
		}
		if pr.q.Live() && !pr.late && !s.write() {
			return nil
		}
	}
	for b, err := range pr.q.Batches() {
		if err != nil {
			return err
		}
		n := int(b.NumRows())
		pr.read(b)
		if pr.fold != nil {
			for row := range n {
				pr.rows.Cells(pr.cells, row)
				if err := pr.fold.Add(pr.rows.Kind(row), pr.cells); err != nil {
					return err
				}
			}
			continue
		}
		if !pr.print(n) {
			return nil
		}
		s.buf = pr.p.Flush(s.buf)
		if !pr.q.Ready() && !s.write() {
			return nil
		}
	}
	return nil
}

// read makes the texts of a batch, column by column.
func (pr *printing) read(b Batch) {
	if pr.q.Mode() != streamsql.Append {
		pr.rows.Kinds = pr.rows.Kinds[:0]
		for row := range int(b.NumRows()) {
			pr.rows.Kinds = append(pr.rows.Kinds, b.Kind(row))
		}
	}
	for col := range pr.rows.Cols {
		t := &pr.rows.Cols[col]
		if pr.cols[col].JSON(pr.s.Format) {
			b.JSON(col, t)
		} else {
			b.Text(col, t)
		}
		pr.rows.Plain[col] = pr.cols[col].AlwaysPlain() || format.Plain(t.Data)
	}
}

// printRows is how many rows are printed between two looks at the size of the output.
const printRows = 64

// print prints the rows of a batch; false: the limit is reached, or nobody reads.
func (pr *printing) print(n int) bool {
	s := pr.s
	for from := 0; from < n; {
		to := min(from+printRows, n)
		if left := pr.limit - pr.result.rows; pr.limit > 0 && left < int64(to-from) {
			to = from + int(left)
		}
		s.buf = pr.p.Rows(s.buf, &pr.rows, from, to)
		pr.result.rows += int64(to - from)
		from = to
		if pr.limit > 0 && pr.result.rows >= pr.limit || len(s.buf) >= flushBytes && !s.write() {
			return false
		}
	}
	return true
}

// end completes what has been printed. After a failure folded rows are not shown:
// they are not the final ones. Somebody at a prompt who stops a query sees how far
// it got.
func (pr *printing) end(err error, stopped bool) {
	s := pr.s
	if pr.late && err != nil && pr.result.rows == 0 {
		return
	}
	if pr.fold != nil {
		if err != nil && !(stopped && s.Shell) {
			return
		}
		s.buf = pr.p.Begin(s.buf[:0])
		for cells := range pr.fold.Rows() {
			if pr.limit >= 0 && pr.result.rows >= pr.limit {
				break
			}
			s.buf = pr.p.Row(s.buf, streamsql.Insert, cells)
			pr.result.rows++
			if len(s.buf) >= flushBytes && !s.write() {
				return
			}
		}
	}
	s.buf = pr.p.End(s.buf)
	s.write()
}
