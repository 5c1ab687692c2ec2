package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"streamsql"
	"streamsql/cmd/streamsql/internal/flags"
	"streamsql/cmd/streamsql/internal/trace"
)

// tracing shows what the rows of one statement do. The events come from the goroutine
// of the query.
type tracing struct {
	mu      sync.Mutex
	table   *trace.Table   // nil: a picture is wanted
	picture *trace.Picture // nil: a table is
	rows    int64
}

func (t *tracing) event(e streamsql.TraceEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = max(t.rows, e.Row)
	if t.table != nil {
		t.table.Event(e)
		return
	}
	t.picture.Event(e)
}

// live has the table written as events come.
func (t *tracing) live() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.table != nil {
		t.table.SetLive()
	}
}

// startTrace begins the trace of a statement, if one is wanted.
func (s *Session) startTrace(st streamsql.Statement) {
	switch s.Trace {
	case flags.TraceOff:
		return
	case flags.TraceTable:
		s.tracing = &tracing{table: trace.NewTable(s.Err)}
		if !st.Query {
			s.tracing.live() // nothing says whether its rows are waited for
		}
	case flags.TraceSVG:
		s.tracing = &tracing{picture: trace.NewPicture(streamsql.OneLine(st.Text))}
	}
	s.Engine.SetTrace(s.tracing.event)
}

// endTrace completes the trace of a statement that has ended. It may be called again.
func (s *Session) endTrace() error {
	t := s.tracing
	if t == nil {
		return nil
	}
	s.tracing = nil
	s.Engine.SetTrace(nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.table != nil:
		return t.table.Close()
	case t.rows == 0: // no query, or one without input
		return nil
	case t.picture.Empty():
		s.note("the rows have no event time, so there is no picture of them")
		return nil
	}
	path := s.TraceFile
	if s.pictures++; s.pictures > 1 {
		ext := filepath.Ext(path)
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), s.pictures, ext)
	}
	if err := writePicture(path, t.picture); err != nil {
		return &streamsql.Error{Code: streamsql.CodeIO, Msg: fmt.Sprintf("the picture of --trace cannot be written: %v", err), Hint: "check the path", Running: true}
	}
	s.note("the picture is in " + path)
	return nil
}

func writePicture(path string, p *trace.Picture) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = p.Write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
