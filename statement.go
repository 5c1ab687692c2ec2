package streamsql

import (
	"streamsql/internal/diag"
	"streamsql/sql"
)

// Statement is one statement of a script, not parsed yet.
type Statement struct {
	Text       string // without the semicolon
	Offset     int    // of Text in the script, in bytes
	Line, Col  int    // of Text in the script, 1-based
	Query      bool   // starts like a query: run it with Query, everything else with Exec
	Terminated bool   // a semicolon follows
}

// Split cuts a script into its statements. It never fails: text that is no SQL
// comes back as a statement that Exec refuses. Comments and strings may hold
// semicolons.
func Split(script string) []Statement {
	pieces := sql.Split(script)
	list := make([]Statement, len(pieces))
	for i, p := range pieces {
		line, col := diag.Position(script, p.Span.Start)
		list[i] = Statement{
			Text: p.Text, Offset: p.Span.Start, Line: line, Col: col,
			Query: sql.IsQuery(p.Text), Terminated: p.Terminated,
		}
	}
	return list
}

// OneLine returns the statement on one line: runs of white space and comments
// outside quotes become one blank.
func OneLine(text string) string { return sql.Normalize(text) }

// Keywords returns the words of the dialect, upper case, for completion.
func Keywords() []string { return sql.Keywords() }
