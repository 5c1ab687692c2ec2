package format

import (
	"strings"

	"streamsql"
)

// Column is a column of a result; Type is its SQL type, "" if that does not matter.
type Column struct {
	Name, Type string
}

// Cell is one value as text. The text is only valid during the call it is passed to.
type Cell struct {
	Text  []byte
	Null  bool
	Plain bool // Text is known to be Plain; false says nothing
}

// Printer writes one result. Each method appends to dst and returns it.
type Printer interface {
	// Begin comes first, once.
	Begin(dst []byte) []byte
	// Row adds a row, which a printer may hold back until Flush.
	Row(dst []byte, kind streamsql.RowKind, cells []Cell) []byte
	// Rows is Row for the rows from up to, but not including, to.
	Rows(dst []byte, r *Rows, from, to int) []byte
	// Flush appends rows that were held back: nothing more is ready now.
	Flush(dst []byte) []byte
	// End comes last, after a failure too: what stands before it becomes complete.
	End(dst []byte) []byte
}

// Rows are rows of a result as text, column by column.
type Rows struct {
	Kinds []streamsql.RowKind // nil: all Insert
	Cols  []streamsql.TextColumn
	Plain []bool // by column: all its texts are Plain
}

// Kind returns the kind of a row.
func (r *Rows) Kind(row int) streamsql.RowKind {
	if r.Kinds == nil {
		return streamsql.Insert
	}
	return r.Kinds[row]
}

// Cells fills one cell per column with a row.
func (r *Rows) Cells(cells []Cell, row int) {
	for i := range cells {
		t := &r.Cols[i]
		cells[i] = Cell{Text: t.Bytes(row), Null: t.IsNull(row), Plain: r.Plain[i]}
	}
}

// Layout says how a result is printed.
type Layout struct {
	Changes bool // a first column op holds the kind of each change
	Live    bool // rows come as they happen: hold none back longer than a batch
}

// Folds reports whether a format shows final rows, unless changes are asked for.
func Folds(name string) bool { return name != "changelog" && name != "transcript" }

// New returns the printer of a format.
func New(name string, cols []Column, l Layout) Printer {
	switch name {
	case "csv":
		return newCSV(cols, l.Changes)
	case "json", "ndjson":
		return newJSON(cols, l.Changes, name == "json")
	case "changelog", "transcript":
		return changePrinter{}
	}
	return newTable(cols, l)
}

// changePrinter writes a line per change: kind, blank, values joined by " | ".
type changePrinter struct{}

func (changePrinter) Begin(dst []byte) []byte { return dst }
func (changePrinter) Flush(dst []byte) []byte { return dst }
func (changePrinter) End(dst []byte) []byte   { return dst }

func (changePrinter) Row(dst []byte, kind streamsql.RowKind, cells []Cell) []byte {
	dst = append(dst, kind.String()...)
	dst = append(dst, ' ')
	return AppendLine(dst, cells)
}

func (changePrinter) Rows(dst []byte, r *Rows, from, to int) []byte {
	for row := from; row < to; row++ {
		dst = append(dst, r.Kind(row).String()...)
		before := " "
		for i := range r.Cols {
			dst = append(dst, before...)
			before = " | "
			t := &r.Cols[i]
			if t.IsNull(row) {
				dst = append(dst, "<NULL>"...)
			} else {
				dst = append(dst, t.Bytes(row)...)
			}
		}
		dst = append(dst, '\n')
	}
	return dst
}

// AppendLine appends the values joined by " | ", NULL as <NULL>, and a line end.
func AppendLine(dst []byte, cells []Cell) []byte {
	for i, c := range cells {
		if i > 0 {
			dst = append(dst, " | "...)
		}
		if c.Null {
			dst = append(dst, "<NULL>"...)
		} else {
			dst = append(dst, c.Text...)
		}
	}
	return append(dst, '\n')
}

// baseType is the first word of a SQL type: DECIMAL of DECIMAL(10, 2) NOT NULL.
func baseType(t string) string {
	if i := strings.IndexAny(t, "( <"); i >= 0 {
		t = t[:i]
	}
	return strings.ToUpper(t)
}

func isNumber(t string) bool {
	switch baseType(t) {
	case "TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT", "DECIMAL", "NUMERIC", "FLOAT", "DOUBLE":
		return true
	}
	return false
}
