package planner

import (
	"slices"
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/sql"
	"streamsql/stream"
)

// CreateTable adds a table to the catalog. As in Flink only its schema is checked:
// connector and options are looked at when it is used.
func CreateTable(env *Env, s *sql.CreateTable, text string) error {
	b := newBinder(env)
	switch {
	case s.As != nil:
		return b.unsupported(s.As.Span(), "CREATE TABLE AS", "CREATE TABLE with columns, then INSERT INTO")
	case s.Like != nil:
		return b.unsupported(s.Like.Span(), "LIKE", "write the columns out")
	case len(s.PartitionedBy) > 0:
		return b.partitioned(s)
	case s.Distribution != nil:
		return b.unsupported(s.Distribution.Span(), "DISTRIBUTED BY", "leave it out")
	}
	name, exists, err := b.newName(s.Name, s.Temporary, s.IfNotExists)
	if err != nil || exists {
		return err
	}
	t := &catalog.Table{Name: name, Temporary: s.Temporary, Span: s.Name.Span(), Text: text, Options: s.Options}
	if s.Comment != nil {
		t.Comment = s.Comment.Value
	}
	if err := b.tableColumns(s, t); err != nil {
		return err
	}
	if err := b.primaryKey(s, t); err != nil {
		return err
	}
	schema, err := b.schema(t)
	if err != nil {
		return err
	}
	if w := s.Watermark; w != nil {
		if len(w.Column.Parts) > 1 {
			return b.errorf(diag.Watermark, w.Column.Span(), "rowtime column %q is no top-level column", nameOf(w.Column)).
				WithHint("add a computed column for it and put the watermark on that")
		}
		t.Watermark = &catalog.Watermark{Column: w.Column.Parts[0].Name, Expr: w.Expr, Text: w.Text, Span: w.Column.Span()}
		if c, ok := w.Expr.(*sql.Call); ok && strings.EqualFold(nameOf(c.Name), "SOURCE_WATERMARK") {
			t.Watermark.Source = true
		}
		if _, _, err := b.watermarkOf(schema, t.Watermark); err != nil {
			return err
		}
	}
	return env.Catalog.AddTable(t, true)
}

// partitioned checks PARTITIONED BY far enough to name a wrong column, and refuses
// the rest.
func (b *binder) partitioned(s *sql.CreateTable) error {
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name.Name)
	}
	for _, p := range s.PartitionedBy {
		if !slices.Contains(names, p.Name) {
			e := b.errorf(diag.UndefinedColumn, p.Span(), "column %q not found", p.Name)
			return e.DidYouMean(p.Name, names, listHint("columns", names))
		}
	}
	return b.unsupported(s.PartitionedBy[0].Span(), "PARTITIONED BY", "leave it out: the files of a folder are one table")
}

// newName checks the name of a new table or view. exists is true if it is there and
// IF NOT EXISTS allows that.
func (b *binder) newName(n sql.Name, temporary, ifNotExists bool) (name string, exists bool, err error) {
	if name, err = b.tableName(n); err != nil {
		return "", false, err
	}
	if !b.env.Catalog.Has(name, temporary) {
		return name, false, nil
	}
	if ifNotExists {
		return name, true, nil
	}
	return name, false, b.errorf(diag.DuplicateName, n.Span(), "table or view %q exists already", name).
		WithHint("DROP it first, or use IF NOT EXISTS")
}

func (b *binder) tableColumns(s *sql.CreateTable, t *catalog.Table) error {
	for _, d := range s.Columns {
		c := catalog.Column{Name: d.Name.Name, Kind: d.Kind, Expr: d.Expr, ExprText: d.Text, Virtual: d.Virtual, Span: d.Name.Span()}
		if d.Comment != nil {
			c.Comment = d.Comment.Value
		}
		if slices.ContainsFunc(t.Columns, func(o catalog.Column) bool { return o.Name == c.Name }) {
			return b.errorf(diag.DuplicateName, d.Name.Span(), "column %q is declared twice", c.Name)
		}
		if d.Kind != sql.ComputedColumn {
			typ, err := b.typeName(d.Type)
			if err != nil {
				return err
			}
			c.Type = typ
		}
		if d.Kind == sql.MetadataColumn {
			c.MetadataKey = d.Name.Name
			if d.MetadataKey != nil {
				c.MetadataKey = d.MetadataKey.Value
			}
		}
		t.Columns = append(t.Columns, c)
	}
	return nil
}

// primaryKey checks PRIMARY KEY; its columns become NOT NULL.
func (b *binder) primaryKey(s *sql.CreateTable, t *catalog.Table) error {
	key := s.PrimaryKey
	for _, d := range s.Columns {
		if !d.PrimaryKey {
			continue
		}
		if key != nil {
			return b.errorf(diag.InvalidArgument, d.Name.Span(), "a table has one primary key").
				WithHint("list its columns: PRIMARY KEY (a, b) NOT ENFORCED")
		}
		key = &sql.PrimaryKeyDef{Pos: d.Pos, Columns: []sql.Ident{d.Name}}
	}
	if key == nil {
		return nil
	}
	if key.Enforced {
		return b.unsupported(key.Span(), "an enforced primary key", "write PRIMARY KEY (...) NOT ENFORCED")
	}
	for _, k := range key.Columns {
		i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == k.Name })
		if i < 0 {
			var names []string
			for _, c := range t.Columns {
				names = append(names, c.Name)
			}
			e := b.errorf(diag.UndefinedColumn, k.Span(), "column %q not found", k.Name)
			return e.DidYouMean(k.Name, names, listHint("columns", names))
		}
		if t.Columns[i].Kind != sql.PhysicalColumn {
			return b.errorf(diag.InvalidArgument, k.Span(), "column %q is no physical column and cannot be part of the primary key", k.Name)
		}
		if slices.Contains(t.PrimaryKey, k.Name) {
			return b.errorf(diag.DuplicateName, k.Span(), "column %q is listed twice", k.Name)
		}
		t.Columns[i].Type = t.Columns[i].Type.Required()
		t.PrimaryKey = append(t.PrimaryKey, k.Name)
	}
	t.KeyName = "PK_" + strings.Join(t.PrimaryKey, "_")
	if key.Constraint != nil {
		t.KeyName = key.Constraint.Name
	}
	return nil
}

// schema binds the computed columns of a new table and returns all its columns.
func (b *binder) schema(t *catalog.Table) (stream.Schema, error) {
	var s stream.Schema
	for i, c := range t.Columns {
		f := stream.Field{Name: c.Name, Type: c.Type}
		if c.Kind == sql.ComputedColumn {
			e, attr, err := b.computed(t.Columns, c)
			if err != nil {
				return s, err
			}
			t.Columns[i].Type = e.Type()
			f.Type, f.Time = e.Type(), attr
		}
		s.Fields = append(s.Fields, f)
	}
	return s, nil
}

// CreateView adds a view to the catalog, after binding its query.
func CreateView(env *Env, s *sql.CreateView, text string) error {
	b := newBinder(env)
	name, exists, err := b.newName(s.Name, s.Temporary, s.IfNotExists)
	if old := env.Catalog.View(name); s.OrReplace && err != nil && old != nil && old.Name == name && old.Temporary == s.Temporary {
		err = nil
		b.views = append(b.views, name) // it cannot read itself
	}
	if err != nil || exists {
		return err
	}
	n, err := b.query(s.Query)
	if err != nil {
		return err
	}
	fields := n.Info().Schema.Fields
	if len(s.Columns) > 0 && len(s.Columns) != len(fields) {
		return b.errorf(diag.InvalidArgument, s.Columns[0].Span().Join(s.Columns[len(s.Columns)-1].Span()),
			"view %q lists %s, but its query has %d", name, count(len(s.Columns), "column"), len(fields))
	}
	v := &catalog.View{Name: name, Temporary: s.Temporary, Query: s.Query, Text: s.Text, Source: text}
	if s.Comment != nil {
		v.Comment = s.Comment.Value
	}
	names := map[string]bool{}
	for i, f := range fields {
		n, at := f.Name, s.Query.Span()
		if len(s.Columns) > 0 {
			n, at = s.Columns[i].Name, s.Columns[i].Span()
			v.Columns = append(v.Columns, n)
		}
		if names[n] {
			return b.errorf(diag.DuplicateName, at, "column %q appears twice in view %q", n, name).
				WithHint("give the columns different names with AS")
		}
		names[n] = true
	}
	env.Catalog.AddView(v)
	return nil
}

// Drop removes a table or view.
func Drop(env *Env, s *sql.Drop, _ string) error {
	b := newBinder(env)
	switch s.Object {
	case sql.TableObject, sql.ViewObject:
	case sql.DatabaseObject:
		return b.unsupported(s.Name.Span(), "DROP DATABASE", "there is one database")
	case sql.CatalogObject:
		return b.unsupported(s.Name.Span(), "DROP CATALOG", "there is one catalog")
	default:
		return b.unsupported(s.Name.Span(), "DROP FUNCTION", "functions are registered in Go: RegisterFunc")
	}
	name, err := b.tableName(s.Name)
	if err != nil {
		return err
	}
	c := env.Catalog
	kind, other := "table", "view"
	t, v := c.Table(name), c.View(name)
	found, otherFound, temporary := t != nil, v != nil, t != nil && t.Temporary
	if s.Object == sql.ViewObject {
		kind, other = "view", "table"
		found, otherFound, temporary = v != nil, t != nil, v != nil && v.Temporary
	}
	switch {
	case t != nil:
		name = t.Name
	case v != nil:
		name = v.Name
	}
	switch {
	case !found && s.IfExists:
		return nil
	case !found && otherFound:
		return b.errorf(diag.UndefinedTable, s.Name.Span(), "%q is a %s, not a %s", name, other, kind).
			WithHint("DROP %s %s", strings.ToUpper(other), name)
	case !found:
		e := b.errorf(diag.UndefinedTable, s.Name.Span(), "%s %q not found", kind, name)
		return e.DidYouMean(name, c.Names(), tablesHint(c.Names()))
	case s.Temporary && !temporary:
		return b.errorf(diag.UndefinedTable, s.Name.Span(), "%s %q is not temporary", kind, name).
			WithHint("DROP %s %s", strings.ToUpper(kind), name)
	case temporary && !s.Temporary:
		return b.errorf(diag.InvalidArgument, s.Name.Span(), "%s %q is temporary", kind, name).
			WithHint("DROP TEMPORARY %s %s", strings.ToUpper(kind), name)
	}
	c.Drop(name, temporary)
	return nil
}
