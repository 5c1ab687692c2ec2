package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// cteScope is the WITH queries in force, innermost first.
type cteScope struct {
	name  string
	cte   *sql.CTE
	outer *cteScope
}

// from binds FROM. A query without FROM reads one row without columns.
func (b *binder) from(t sql.TableExpr, span diag.Span) (relation, error) {
	switch t := t.(type) {
	case nil:
		n := &logical.Values{Rows: [][]expr.Expr{{}}}
		n.Span = span
		return relation{node: n}, nil
	case *sql.TableRef:
		rel, err := b.tableRef(t)
		if err != nil {
			return rel, err
		}
		return b.withAlias(rel, t.Alias)
	case *sql.Derived:
		if t.Lateral {
			return relation{}, b.unsupported(b.span(t), "LATERAL of a query",
				"join the query and write its condition on the row into ON; only TABLE(function) and UNNEST follow each row")
		}
		rel, err := b.derived(t.Query)
		if err != nil {
			return rel, err
		}
		if _, ok := t.Query.Body.(*sql.Values); ok && len(rel.fields()) == 1 && t.Alias != nil {
			rel.node = renamed(rel.node, soleName(t.Alias, rel.names()))
		}
		return b.withAlias(rel, t.Alias)
	case *sql.TableFunc:
		return b.tableFunc(t)
	case *sql.Join:
		return b.join(t)
	case *sql.MatchRecognize:
		return relation{}, b.unsupported(b.span(t), "MATCH_RECOGNIZE",
			"join each row with later ones: ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND")
	}
	return relation{}, b.unsupported(span, "this item of FROM", "")
}

func joinName(j *sql.Join) string {
	name := [...]string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"}[j.Kind]
	if j.Natural {
		return "NATURAL " + name
	}
	return name
}

// joinSpan is the right side of a join: the keyword has no node.
func (b *binder) joinSpan(j *sql.Join) diag.Span { return b.span(j.Right) }

// derived binds a query in brackets; its columns have no table name yet.
func (b *binder) derived(q *sql.Query) (relation, error) {
	n, err := b.query(q)
	if err != nil {
		return relation{}, err
	}
	return newRelation(n, ""), nil
}

// withAlias renames a relation and, if they are listed, its columns.
func (b *binder) withAlias(rel relation, a *sql.Alias) (relation, error) {
	if a == nil {
		return rel, nil
	}
	node := rel.node
	if len(a.Columns) > 0 {
		fields := rel.fields()
		if len(a.Columns) != len(fields) {
			return rel, b.errorf(diag.InvalidArgument, b.span(a), "alias %q lists %d columns, but there are %d", a.Name.Name, len(a.Columns), len(fields)).
				WithHint("%s", listHint("columns", rel.names()))
		}
		names := make([]string, len(fields))
		for i, c := range a.Columns {
			if slices.Contains(names[:i], c.Name) {
				return rel, b.errorf(diag.DuplicateName, b.span(c), "column %q is listed twice", c.Name)
			}
			names[i] = c.Name
		}
		node = renamed(node, names)
	}
	return newRelation(node, a.Name.Name), nil
}

// soleName returns the names of columns of which the first is the only one that VALUES or
// UNNEST have: an alias without a list of columns is its name, too.
func soleName(a *sql.Alias, names []string) []string {
	if a != nil && len(a.Columns) == 0 {
		names[0] = a.Name.Name
	}
	return names
}

// renamed gives the columns of a plan other names.
func renamed(n logical.Node, names []string) logical.Node {
	in := n.Info()
	p := &logical.Project{Input: n}
	p.Mode, p.Span = in.Mode, in.Span
	for i, f := range in.Schema.Fields {
		p.Exprs = append(p.Exprs, &expr.Column{Info: expr.Info{T: f.Type, S: in.Span}, Index: i, Name: f.Name})
		f.Name = names[i]
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	return p
}

const fileHint = "put the name of a file in single quotes: FROM '%s'"

// fileEnding reports whether the files of tables have names with this ending.
func fileEnding(ending string) bool {
	switch strings.ToLower(ending) {
	case "csv", "tsv", "txt", "json", "jsonl", "ndjson", "gz":
		return true
	}
	return false
}

// tableName takes the catalog and database off a name, if they are the session's.
func (b *binder) tableName(n sql.Name) (string, error) {
	parts := n.Parts
	last := parts[len(parts)-1].Name
	switch {
	case len(parts) == 1,
		len(parts) == 2 && parts[0].Name == databaseName,
		len(parts) == 3 && parts[0].Name == catalogName && parts[1].Name == databaseName:
		return last, nil
	}
	e := b.errorf(diag.UndefinedTable, b.span(n), "table %q not found", nameOf(n))
	if fileEnding(last) {
		return "", e.WithHint(fileHint, nameOf(n))
	}
	return "", e.WithHint("there is one database, %s.%s: write %s", catalogName, databaseName, last)
}

// tableRef binds a table, view, CTE or file by name.
func (b *binder) tableRef(t *sql.TableRef) (relation, error) {
	span := b.span(t)
	if t.AsOf != nil {
		return relation{}, b.unsupported(span, "FOR SYSTEM_TIME AS OF",
			"leave it out: a join without it keeps the rows of both sides, and a later row of the table joins earlier ones too")
	}
	if t.File != nil {
		return b.file(t)
	}
	span = b.span(t.Name)
	name, err := b.tableName(t.Name)
	if err != nil {
		return relation{}, err
	}
	if len(t.Name.Parts) == 1 {
		if c := b.findCTE(name); c != nil {
			return b.cte(c, span)
		}
	}
	if v := b.env.Catalog.View(name); v != nil {
		return b.view(v, span)
	}
	tab := b.env.Catalog.Table(name)
	if tab == nil && b.env.Factory != nil {
		if tab, err = b.named(name, span); err != nil {
			return relation{}, err
		}
	}
	if tab == nil {
		e := b.errorf(diag.UndefinedTable, span, "table %q not found", nameOf(t.Name))
		if i := strings.LastIndexByte(name, '.'); i > 0 && fileEnding(name[i+1:]) {
			return relation{}, e.WithHint(fileHint, name)
		}
		return relation{}, e.DidYouMean(name, b.tableNames(), tablesHint(b.catalogNames()))
	}
	return b.scan(tab, t.Hints, span)
}

func tablesHint(names []string) string {
	if len(names) == 0 {
		return "there are no tables yet: CREATE TABLE, or read a file with FROM 'path.csv'"
	}
	return listHint("tables", names)
}

// catalogNames are the tables and views but those whose queries are being bound.
func (b *binder) catalogNames() []string {
	return slices.DeleteFunc(slices.Clone(b.env.Catalog.Names()), func(n string) bool { return slices.Contains(b.views, n) })
}

func (b *binder) tableNames() []string {
	names := b.catalogNames()
	for c := b.ctes; c != nil; c = c.outer {
		names = append(names, c.name)
	}
	return names
}

func (b *binder) scan(t *catalog.Table, hints []sql.Hint, span diag.Span) (relation, error) {
	s, err := b.source(t, hints, span)
	if err != nil {
		return relation{}, err
	}
	n := &logical.Scan{Source: s}
	n.Span = span
	n.Schema.Fields = slices.Clone(s.Schema.Fields)
	return newRelation(n, t.Name), nil
}

// file binds FROM 'path'; two mentions of one path are one table.
func (b *binder) file(t *sql.TableRef) (relation, error) {
	tab := b.files[t.File.Value]
	if tab == nil {
		var err error
		if tab, err = b.env.Factory.File(t.File.Value, b.span(t.File)); err != nil {
			return relation{}, err
		}
		b.files[t.File.Value] = tab
	}
	return b.scan(tab, t.Hints, b.span(t.File))
}

// named asks the factory for a table that exists without DDL, once per name.
func (b *binder) named(name string, span diag.Span) (*catalog.Table, error) {
	key := "\x00" + name
	if t, ok := b.files[key]; ok {
		return t, nil
	}
	t, err := b.env.Factory.Named(name, span)
	if err != nil {
		return nil, err
	}
	b.files[key] = t
	return t, nil
}

func (b *binder) findCTE(name string) *cteScope {
	for c := b.ctes; c != nil; c = c.outer {
		if c.name == name {
			return c
		}
	}
	for c := b.ctes; c != nil; c = c.outer {
		if strings.EqualFold(c.name, name) && b.env.Catalog.Table(name) == nil {
			return c
		}
	}
	return nil
}

// cte binds a WITH query where it is mentioned; it sees those before it.
func (b *binder) cte(c *cteScope, span diag.Span) (relation, error) {
	inner := b.ctes
	b.ctes = c.outer
	n, err := b.query(c.cte.Query)
	b.ctes = inner
	if err != nil {
		return relation{}, err
	}
	if len(c.cte.Columns) > 0 {
		return b.withAlias(newRelation(n, ""), &sql.Alias{Pos: c.cte.Name.Pos, Name: c.cte.Name, Columns: c.cte.Columns})
	}
	return newRelation(n, c.name), nil
}

// view expands a view; time attributes pass through.
func (b *binder) view(v *catalog.View, span diag.Span) (relation, error) {
	if slices.Contains(b.views, v.Name) {
		return relation{}, b.errorf(diag.InvalidArgument, span, "view %q reads itself", v.Name)
	}
	b.views = append(b.views, v.Name)
	ctes := b.ctes
	b.ctes = nil
	var n logical.Node
	err := b.inside(span, "view \""+v.Name+"\"", func() error {
		var err error
		n, err = b.query(v.Query)
		return err
	})
	b.ctes, b.views = ctes, b.views[:len(b.views)-1]
	if err != nil {
		return relation{}, err
	}
	if len(v.Columns) > 0 {
		if len(v.Columns) != len(n.Info().Schema.Fields) {
			return relation{}, b.errorf(diag.InvalidArgument, span, "view %q no longer fits its tables", v.Name).
				WithHint("DROP VIEW %s and create it again", v.Name)
		}
		n = renamed(n, v.Columns)
	}
	return newRelation(n, v.Name), nil
}

// query binds a query expression.
func (b *binder) query(q *sql.Query) (logical.Node, error) {
	outer := b.ctes
	defer func() { b.ctes = outer }()
	for i := range q.With {
		b.ctes = &cteScope{q.With[i].Name.Name, &q.With[i], b.ctes}
	}
	return b.order(q)
}

func (b *binder) body(body sql.Body) (logical.Node, error) {
	switch body := body.(type) {
	case *sql.Select:
		return b.selectOf(body)
	case *sql.SetOp:
		return b.setOp(body)
	case *sql.Values:
		return b.values(body)
	case *sql.TableBody:
		rel, err := b.tableRef(&sql.TableRef{Pos: body.Pos, Name: body.Name})
		return rel.node, err
	case *sql.Nested:
		return b.query(body.Query)
	}
	return nil, b.unsupported(b.span(body), "this form of query", "write SELECT")
}

// values binds VALUES; the columns have the common types of their rows.
func (b *binder) values(v *sql.Values) (logical.Node, error) {
	x := &exprBinder{binder: b, rel: relation{node: &logical.Values{}}, clause: "VALUES"}
	rows := make([][]expr.Expr, len(v.Rows))
	constants := true
	for i, r := range v.Rows {
		for _, item := range r {
			e, err := x.bind(item)
			if err != nil {
				return nil, err
			}
			_, lit := e.(*expr.Literal)
			constants = constants && lit
			rows[i] = append(rows[i], e)
		}
		if len(r) != len(v.Rows[0]) {
			return nil, b.errorf(diag.InvalidArgument, b.span(v), "row %d of VALUES has %d values, but the first has %d", i+1, len(r), len(v.Rows[0]))
		}
	}
	n := &logical.Values{Rows: rows}
	n.Span = b.span(v)
	for c := range v.Rows[0] {
		column := make([]expr.Expr, len(rows))
		for i := range rows {
			column[i] = rows[i][c]
		}
		t, err := b.commonType(column, "column "+columnName(c)+" of VALUES", types.CaseType)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if rows[i][c], err = b.coerce(rows[i][c], t); err != nil {
				return nil, err
			}
			if !rows[i][c].Type().NotNull {
				t = t.Nullable()
			}
		}
		n.Schema.Fields = append(n.Schema.Fields, stream.Field{Name: columnName(c), Type: t})
	}
	if constants {
		return n, nil
	}
	// Rows with functions such as CURRENT_TIMESTAMP are computed, one after the other.
	u := &logical.Union{}
	u.Base = n.Base
	for _, r := range rows {
		p := &logical.Project{Input: &logical.Values{Rows: [][]expr.Expr{{}}}, Exprs: r}
		p.Base = n.Base
		u.Sources = append(u.Sources, p)
	}
	if len(u.Sources) == 1 {
		return u.Sources[0], nil
	}
	return u, nil
}

// columnName is the name of an unnamed column.
func columnName(i int) string {
	return "EXPR$" + itoa(i)
}
