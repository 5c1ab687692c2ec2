package planner

import (
	"slices"
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// Describe returns the columns of a table or view, as Flink's DESCRIBE does: name,
// type, null, key, extras, watermark, and comment if any column has one; of a function
// what the reference says about it.
func Describe(env *Env, s *sql.Describe) (cols []string, rows [][]*string, err error) {
	b := newBinder(env)
	if s.Function {
		return b.describeFunction(s.Name)
	}
	if s.Extended {
		return nil, nil, b.unsupported(s.Span(), "DESCRIBE EXTENDED", "DESCRIBE shows the columns")
	}
	return b.describe(s.Name)
}

func (b *binder) describe(n sql.Name) (cols []string, rows [][]*string, err error) {
	name, err := b.tableName(n)
	if err != nil {
		return nil, nil, err
	}
	cols = []string{"name", "type", "null", "key", "extras", "watermark"}
	if v := b.env.Catalog.View(name); v != nil {
		rel, err := b.view(v, n.Span())
		if err != nil {
			return nil, nil, err
		}
		for _, f := range rel.fields() {
			rows = append(rows, []*string{&f.Name, text(columnType(f)), nullable(f.Type), nil, nil, nil})
		}
		return cols, rows, nil
	}
	t := b.env.Catalog.Table(name)
	if t == nil && b.env.Factory != nil {
		if t, err = b.named(name, n.Span()); err != nil {
			return nil, nil, err
		}
	}
	if t == nil {
		e := b.errorf(diag.UndefinedTable, n.Span(), "table %q not found", nameOf(n))
		return nil, nil, e.DidYouMean(name, b.env.Catalog.Names(), tablesHint(b.env.Catalog.Names()))
	}
	commented := slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Comment != "" })
	if commented {
		cols = append(cols, "comment")
	}
	for _, c := range t.Columns {
		row := b.describeColumn(t, c)
		if commented {
			row = append(row, nil)
			if c.Comment != "" {
				row[6] = text(c.Comment)
			}
		}
		rows = append(rows, row)
	}
	return cols, rows, nil
}

func (b *binder) describeColumn(t *catalog.Table, c catalog.Column) []*string {
	f := stream.Field{Name: c.Name, Type: c.Type}
	var key, extras, watermark *string
	if slices.Contains(t.PrimaryKey, c.Name) {
		key = text("PRI(" + strings.Join(t.PrimaryKey, ", ") + ")")
	}
	switch c.Kind {
	case sql.ComputedColumn:
		extras = text("AS " + sql.PrintQuoted(c.Expr))
		if call, ok := c.Expr.(*sql.Call); ok && strings.EqualFold(nameOf(call.Name), "PROCTIME") {
			f.Time = stream.Proctime
		}
	case sql.MetadataColumn:
		m := "METADATA"
		if c.MetadataKey != c.Name {
			m += " FROM '" + c.MetadataKey + "'"
		}
		if c.Virtual {
			m += " VIRTUAL"
		}
		extras = &m
	}
	if w := t.Watermark; w != nil && w.Column == c.Name {
		f.Time = stream.Rowtime
		watermark = text(watermarkText(w))
	}
	return []*string{&f.Name, text(columnType(f)), nullable(f.Type), key, extras, watermark}
}

func watermarkText(w *catalog.Watermark) string {
	if w.Expr != nil {
		return sql.PrintQuoted(w.Expr)
	}
	s := "`" + w.Column + "`"
	if w.Delay != 0 {
		s += " - INTERVAL '" + seconds(w.Delay) + "' SECOND"
	}
	return s
}

// seconds prints milliseconds as seconds.
func seconds(ms int64) string {
	s := itoa(int(ms / 1000))
	if r := ms % 1000; r != 0 {
		s += "." + strings.TrimRight(("00" + itoa(int(r)))[len(itoa(int(r)))-1:], "0")
	}
	return s
}

func text(s string) *string { return &s }

func nullable(t types.Type) *string {
	if t.NotNull {
		return text("FALSE")
	}
	return text("TRUE")
}

// columnType prints the type of a column with its time attribute.
func columnType(f stream.Field) string {
	s := f.Type.Name()
	switch f.Time {
	case stream.Rowtime:
		s += " *ROWTIME*"
	case stream.Proctime:
		s += " *PROCTIME*"
	}
	return s
}
