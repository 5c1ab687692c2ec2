package streamsql

import (
	"context"
	"sort"
	"strings"
	"time"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/planner"
	"streamsql/planner/catalog"
	"streamsql/sql"
	"streamsql/stream"
)

// SourceOption says more about a registered source than its columns.
type SourceOption func(*catalog.Table)

// EventTime makes a TIMESTAMP column (precision at most 3) the event time; the
// watermark follows the newest event time at a distance of delay, per row:
// WATERMARK FOR column AS column - delay.
func EventTime(column string, delay time.Duration) SourceOption {
	return func(t *catalog.Table) {
		t.Watermark = &catalog.Watermark{Column: column, Delay: delay.Milliseconds()}
	}
}

// SourceWatermarks makes a TIMESTAMP column the event time; the watermark is only
// what the source says (Push.Advance).
func SourceWatermarks(column string) SourceOption {
	return func(t *catalog.Table) { t.Watermark = &catalog.Watermark{Column: column, Source: true} }
}

// RegisterSource makes s a table that queries can read.
func (e *Engine) RegisterSource(name string, s connector.Source, opts ...SourceOption) (err error) {
	defer guard(&err)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := checkRegistered(name, s); err != nil {
		return err
	}
	t := e.register(name, s, s.Schema())
	for _, o := range opts {
		o(t)
	}
	if w := t.Watermark; w != nil {
		if err := checkEventTime(t, w.Column); err != nil {
			return err
		}
		if w.Delay < 0 {
			return diag.New(diag.InvalidArgument, diag.Span{}, "the watermark delay of table %q is negative", name)
		}
	}
	return e.catalog.AddTable(t, false)
}

// SchemaSink is a Sink that knows its columns; a registered sink must be one.
type SchemaSink interface {
	connector.Sink
	// Schema is the columns that INSERT INTO must deliver.
	Schema() stream.Schema
}

// RegisterSink makes s a table that INSERT INTO can write.
func (e *Engine) RegisterSink(name string, s SchemaSink) (err error) {
	defer guard(&err)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := checkRegistered(name, s); err != nil {
		return err
	}
	return e.catalog.AddTable(e.register(name, s, s.Schema()), false)
}

// checkRegistered refuses what no statement could use.
func checkRegistered(name string, x any) error {
	if name == "" {
		return diag.New(diag.InvalidArgument, diag.Span{}, "a table needs a name")
	}
	if x == nil {
		return diag.New(diag.InvalidArgument, diag.Span{}, "table %q is nil", name).WithHint("make it before it is registered")
	}
	if p, ok := x.(interface{ fault() error }); ok {
		return p.fault()
	}
	return nil
}

func (e *Engine) register(name string, x any, schema stream.Schema) *catalog.Table {
	e.registered = append(e.registered, x)
	t := &catalog.Table{Name: name, Registered: len(e.registered), Columns: columnDefs(schema)}
	return t
}

func columnDefs(s stream.Schema) []catalog.Column {
	cols := make([]catalog.Column, len(s.Fields))
	for i, f := range s.Fields {
		cols[i] = catalog.Column{Name: f.Name, Type: f.Type, Kind: sql.PhysicalColumn}
	}
	return cols
}

// inferred returns a table for a file or stdin, with the event time that
// FileOptions name for it.
func (b *binding) inferred(name string, schema stream.Schema, options []connector.Option, span diag.Span) (*catalog.Table, error) {
	t := &catalog.Table{Name: name, Temporary: true, Columns: columnDefs(schema), Span: span}
	for _, o := range options {
		t.Options = append(t.Options, sql.Option{Key: sql.Text{Value: o.Key}, Value: sql.Text{Value: o.Value}})
	}
	files := b.engine.cfg.files
	table, column, dotted := strings.Cut(files.EventTime, ".")
	if !dotted {
		table, column = "", files.EventTime
	}
	if column == "" || table != "" && table != name {
		return t, nil
	}
	if !dotted && t.Column(column) == nil {
		return t, nil // another table's
	}
	if err := checkEventTime(t, column); err != nil {
		return nil, err
	}
	t.Watermark = &catalog.Watermark{Column: column, Delay: files.Delay.Milliseconds()}
	return t, nil
}

func checkEventTime(t *catalog.Table, column string) error {
	c := t.Column(column)
	if c == nil {
		var names []string
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
		return diag.New(diag.UndefinedColumn, diag.Span{}, "table %q has no column %q for its event time", t.Name, column).
			DidYouMean(column, names, "columns are "+strings.Join(names, ", "))
	}
	if !c.Type.IsTimestamp() || c.Type.Precision > 3 {
		return diag.New(diag.Watermark, diag.Span{}, "column %q of table %q cannot be its event time: it is %s", column, t.Name, c.Type.Name()).
			WithHint("event time is TIMESTAMP or TIMESTAMP_LTZ with a precision of at most 3: compute one in CREATE TABLE, ts AS TO_TIMESTAMP_LTZ(millis, 3) or ts AS TO_TIMESTAMP(text, pattern)")
	}
	return nil
}

// Tables returns the names of tables and views, sorted.
func (e *Engine) Tables() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.catalog.Names()
}

// Columns returns the columns of a table or view as a query sees them.
func (e *Engine) Columns(table string) (cols []Column, err error) {
	defer guard(&err)
	e.mu.Lock()
	defer e.mu.Unlock()
	text := "SELECT * FROM `" + strings.ReplaceAll(table, "`", "``") + "`"
	stmt, err := sql.ParseOne(text)
	if err != nil {
		return nil, err
	}
	plan, err := planner.Query(e.bind(context.Background(), text).env(), stmt.(*sql.QueryStatement).Query, text)
	if err != nil {
		return nil, err
	}
	return columnsOf(plan.Root.Info().Schema), nil
}

// Functions returns the names of all functions and aggregates, sorted.
func (e *Engine) Functions() []string { return e.registry.Names() }

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
