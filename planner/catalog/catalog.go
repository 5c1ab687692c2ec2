package catalog

import (
	"sort"

	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// Table is a table definition. Nothing but its own text is checked when it is
// made; the connector sees it on first use, as in Flink.
type Table struct {
	Name       string
	Temporary  bool
	Columns    []Column
	Watermark  *Watermark
	PrimaryKey []string
	KeyName    string
	Comment    string
	Options    []sql.Option
	Span       diag.Span
	Text       string // the CREATE TABLE statement; "" for inferred and registered tables. Spans of Columns, Watermark and Options point into it
	// Registered is the factory's handle of a source or sink that a Go program
	// registered, or of an inferred file or stdin; 0 for tables made by DDL.
	Registered int
}

// Column is one column of a table.
type Column struct {
	Name        string
	Type        types.Type // computed columns: the zero Type until bound
	Kind        sql.ColumnKind
	Expr        sql.Expr // computed
	ExprText    string
	MetadataKey string
	Virtual     bool
	Comment     string
	Span        diag.Span
}

// Watermark is WATERMARK FOR Column AS Expr. Exactly one of Expr and Delay is
// used: Delay (milliseconds; Expr nil) is for tables made without SQL.
type Watermark struct {
	Column string
	Expr   sql.Expr
	Text   string
	Delay  int64
	Source bool // the source sends its own watermarks
	Span   diag.Span
}

// View is a named query.
type View struct {
	Name      string
	Temporary bool
	Columns   []string
	Comment   string
	Query     *sql.Query
	Text      string // the query as written; spans of Query point into Source
	Source    string // the statement
}

// SourceInfo is what the planner learns about a table it reads.
type SourceInfo struct {
	Handle     int // for physical.Scan; equal handles are one source
	Schema     stream.Schema
	Bounded    bool
	Live       bool
	Watermarks bool
	Options    []string // for EXPLAIN, secrets masked
}

// SinkInfo is what the planner learns about a table it writes.
type SinkInfo struct {
	Handle  int
	Retract bool
	Upsert  bool // of an update it takes the new row only
}

// TableFactory is the border to connectors.
type TableFactory interface {
	// Source opens the definition for reading: connector, format and options are
	// checked here.
	Source(t *Table) (SourceInfo, error)
	// Sink opens the definition for writing.
	Sink(t *Table) (SinkInfo, error)
	// File returns a table with inferred schema for FROM 'path'.
	File(path string, span diag.Span) (*Table, error)
	// Named returns a table that exists without DDL (stdin), or nil.
	Named(name string, span diag.Span) (*Table, error)
}

// Catalog is the names of a session. Temporary tables and views hide permanent ones
// of the same name. It is not safe for concurrent changes.
type Catalog struct {
	permanent map[string]object
	temporary map[string]object
}

// object is what a name stands for: a table or a view.
type object struct {
	table *Table
	view  *View
}

// New returns an empty catalog.
func New() *Catalog {
	return &Catalog{permanent: map[string]object{}, temporary: map[string]object{}}
}

// Names returns the names of all tables and views, sorted by code point.
func (c *Catalog) Names() []string { return c.names(func(object) bool { return true }) }

// Views returns the names of all views, sorted by code point.
func (c *Catalog) Views() []string { return c.names(func(o object) bool { return o.view != nil }) }

func (c *Catalog) names(wanted func(object) bool) []string {
	var names []string
	for n, o := range c.temporary {
		if wanted(o) {
			names = append(names, n)
		}
	}
	for n, o := range c.permanent {
		if _, hidden := c.temporary[n]; !hidden && wanted(o) {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	return names
}
