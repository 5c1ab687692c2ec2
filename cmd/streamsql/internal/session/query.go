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
		p:     format.New(s.Format, shown, format.Layout{Changes: changes, Live: q.Live() || !q.Bounded()}),
		cells: make([]format.Cell, len(cols)),
		texts: make([]streamsql.TextColumn, len(cols)), plain: make([]bool, len(cols)),
	}
	if fold {
		pr.fold = format.NewFold()
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
	if err == nil && s.Format == "transcript" {
		s.buf = appendLate(s.buf[:0], report.Late(q.Stats()))
		s.write()
	}
	if stopped && s.Shell {
		fmt.Fprintln(s.Err, "stopped; windows that are still open are not shown (.why tells about them)")
	}
	if s.Shell || s.Format == "table" && err == nil {
		s.count(r.rows, q.Elapsed())
	}
	s.report(r)
	return err
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
	limit  int64
	cells  []format.Cell
	texts  []streamsql.TextColumn // of the current batch
	plain  []bool                 // the texts of the column are format.Plain
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
		if pr.q.Live() && !s.write() {
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
				pr.row(row)
				if err := pr.fold.Add(b.Kind(row), pr.cells); err != nil {
					return err
				}
			}
			continue
		}
		for row := range n {
			pr.row(row)
			s.buf = pr.p.Row(s.buf, b.Kind(row), pr.cells)
			pr.result.rows++
			if pr.limit > 0 && pr.result.rows >= pr.limit {
				return nil
			}
			if len(s.buf) >= flushBytes && !s.write() {
				return nil
			}
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
	for col := range pr.texts {
		t := &pr.texts[col]
		b.Text(col, t)
		pr.plain[col] = format.Plain(t.Data)
	}
}

// row puts the texts of a row into the cells.
func (pr *printing) row(row int) {
	for col := range pr.cells {
		t := &pr.texts[col]
		pr.cells[col] = format.Cell{Text: t.Bytes(row), Null: t.IsNull(row), Plain: pr.plain[col]}
	}
}

// end completes what has been printed. After a failure folded rows are not shown:
// they are not the final ones. Somebody at a prompt who stops a query sees how far
// it got.
func (pr *printing) end(err error, stopped bool) {
	s := pr.s
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
