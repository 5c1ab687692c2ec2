package planner

import (
	"slices"
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/sql"
	"streamsql/types"
)

// Show answers SHOW.
func Show(env *Env, s *sql.Show) (cols []string, rows [][]*string, err error) {
	b := newBinder(env)
	if s.What == "TABLES" || s.What == "VIEWS" {
		if err := b.database(s.Object); err != nil {
			return nil, nil, err
		}
	}
	switch s.What {
	case "TABLES":
		return list("table name", env.Catalog.Names(), s)
	case "VIEWS":
		return list("view name", env.Catalog.Views(), s)
	case "FUNCTIONS":
		return list("function name", FunctionNames(env.Registry), s)
	case "CURRENT CATALOG":
		return list("current catalog name", []string{catalogName}, s)
	case "CURRENT DATABASE":
		return list("current database name", []string{databaseName}, s)
	case "CATALOGS":
		return list("catalog name", []string{catalogName}, s)
	case "DATABASES":
		return list("database name", []string{databaseName}, s)
	case "COLUMNS":
		cols, rows, err = b.describe(s.Object)
		rows = slices.DeleteFunc(rows, func(r []*string) bool { return !listed(*r[0], s) })
		return cols, rows, err
	case "CREATE TABLE", "CREATE VIEW":
		return b.showCreate(s)
	}
	return nil, nil, b.unsupported(s.Span(), "SHOW "+s.What, "SHOW TABLES, VIEWS, COLUMNS, FUNCTIONS, CREATE TABLE and CREATE VIEW are supported")
}

// database checks the name of SHOW TABLES FROM, if there is one.
func (b *binder) database(n sql.Name) error {
	if p := n.Parts; len(p) == 0 || p[len(p)-1].Name == databaseName && (len(p) == 1 || p[0].Name == catalogName) {
		return nil
	}
	return b.errorf(diag.UndefinedTable, n.Span(), "database %q not found", nameOf(n)).
		WithHint("there is one database, %s.%s", catalogName, databaseName)
}

func list(column string, names []string, s *sql.Show) ([]string, [][]*string, error) {
	var rows [][]*string
	for _, n := range names {
		if listed(n, s) {
			rows = append(rows, []*string{text(n)})
		}
	}
	return []string{column}, rows, nil
}

// listed applies [NOT] LIKE or ILIKE. Names of functions have no letter case, so LIKE of
// them is ILIKE.
func listed(name string, s *sql.Show) bool {
	if s.Like == nil {
		return true
	}
	pattern := s.Like.Value
	if s.ILike || s.What == "FUNCTIONS" {
		name, pattern = strings.ToUpper(name), strings.ToUpper(pattern)
	}
	return matches([]rune(name), []rune(pattern)) != s.Not
}

// matches is LIKE without escapes: % for any text, _ for one character.
func matches(s, pattern []rune) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	if pattern[0] == '%' {
		for i := range len(s) + 1 {
			if matches(s[i:], pattern[1:]) {
				return true
			}
		}
		return false
	}
	return len(s) > 0 && (pattern[0] == '_' || pattern[0] == s[0]) && matches(s[1:], pattern[1:])
}

func (b *binder) showCreate(s *sql.Show) ([]string, [][]*string, error) {
	name, err := b.tableName(s.Object)
	if err != nil {
		return nil, nil, err
	}
	t, v := b.env.Catalog.Table(name), b.env.Catalog.View(name)
	cols := []string{"result"}
	switch {
	case s.What == "CREATE TABLE" && t != nil:
		return cols, [][]*string{{text(createTable(t))}}, nil
	case s.What == "CREATE VIEW" && v != nil:
		return cols, [][]*string{{text(createView(v))}}, nil
	case t != nil:
		return nil, nil, b.errorf(diag.InvalidArgument, s.Object.Span(), "%q is a table, not a view", name).WithHint("SHOW CREATE TABLE %s", name)
	case v != nil:
		return nil, nil, b.errorf(diag.InvalidArgument, s.Object.Span(), "%q is a view, not a table", name).WithHint("SHOW CREATE VIEW %s", name)
	}
	e := b.errorf(diag.UndefinedTable, s.Object.Span(), "table %q not found", nameOf(s.Object))
	return nil, nil, e.DidYouMean(name, b.env.Catalog.Names(), tablesHint(b.env.Catalog.Names()))
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quotedText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func objectName(name string) string {
	return quoted(catalogName) + "." + quoted(databaseName) + "." + quoted(name)
}

// createTable prints the definition of a table as Flink does.
func createTable(t *catalog.Table) string {
	var parts []string
	for _, c := range t.Columns {
		p := "  " + quoted(c.Name)
		switch c.Kind {
		case sql.ComputedColumn:
			p += " AS " + sql.PrintQuoted(c.Expr)
		default:
			p += " " + declaredType(c.Type)
		}
		if c.Kind == sql.MetadataColumn {
			p += " METADATA"
			if c.MetadataKey != c.Name {
				p += " FROM " + quotedText(c.MetadataKey)
			}
			if c.Virtual {
				p += " VIRTUAL"
			}
		}
		if c.Comment != "" {
			p += " COMMENT " + quotedText(c.Comment)
		}
		parts = append(parts, p)
	}
	if w := t.Watermark; w != nil {
		e := "SOURCE_WATERMARK()"
		if !w.Source {
			e = watermarkText(w)
		}
		parts = append(parts, "  WATERMARK FOR "+quoted(w.Column)+" AS "+e)
	}
	if len(t.PrimaryKey) > 0 {
		keys := make([]string, len(t.PrimaryKey))
		for i, k := range t.PrimaryKey {
			keys[i] = quoted(k)
		}
		parts = append(parts, "  CONSTRAINT "+quoted(t.KeyName)+" PRIMARY KEY ("+strings.Join(keys, ", ")+") NOT ENFORCED")
	}
	s := "CREATE "
	if t.Temporary {
		s += "TEMPORARY "
	}
	s += "TABLE " + objectName(t.Name) + " (\n" + strings.Join(parts, ",\n") + "\n)\n"
	if t.Comment != "" {
		s += "COMMENT " + quotedText(t.Comment) + "\n"
	}
	return s + options(t)
}

func options(t *catalog.Table) string {
	values := map[string]string{}
	var keys []string
	for _, o := range t.Options {
		if strings.HasSuffix(o.Key.Value, ".inferred") {
			continue // how the columns were found, which a declaration does not say
		}
		if _, twice := values[o.Key.Value]; !twice {
			keys = append(keys, o.Key.Value)
		}
		values[o.Key.Value] = o.Value.Value
	}
	if len(keys) == 0 {
		return ""
	}
	slices.Sort(keys)
	for i, k := range keys {
		keys[i] = "  " + quotedText(k) + " = " + quotedText(values[k])
	}
	return "WITH (\n" + strings.Join(keys, ",\n") + "\n)\n"
}

// declaredType prints a type as SHOW CREATE TABLE does.
func declaredType(t types.Type) string {
	s := t.Name()
	switch {
	case t.Kind == types.Varchar:
		s = "VARCHAR(" + itoa(int(t.Length)) + ")"
	case t.Kind == types.Varbinary:
		s = "VARBINARY(" + itoa(int(t.Length)) + ")"
	case t.IsNested():
		s = t.Spell(declaredType)
	case t.Kind == types.TimestampLTZ:
		s = "TIMESTAMP(" + itoa(int(t.Precision)) + ") WITH LOCAL TIME ZONE"
	}
	if t.NotNull {
		s += " NOT NULL"
	}
	return s
}

func createView(v *catalog.View) string {
	s := "CREATE "
	if v.Temporary {
		s += "TEMPORARY "
	}
	s += "VIEW " + objectName(v.Name)
	if len(v.Columns) > 0 {
		names := make([]string, len(v.Columns))
		for i, c := range v.Columns {
			names[i] = quoted(c)
		}
		s += " (\n  " + strings.Join(names, ",\n  ") + "\n)"
	}
	s += "\n"
	if v.Comment != "" {
		s += "COMMENT " + quotedText(v.Comment) + "\n"
	}
	return s + "AS " + v.Text + "\n"
}
