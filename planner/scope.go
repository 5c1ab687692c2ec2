package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
)

// relation is a bound item of FROM: a plan, and the table name by which each of
// its columns can be qualified ("" for none).
type relation struct {
	node  logical.Node
	quals []string
	// Behind JOIN .. USING: the columns that stand for both sides come first in *, and
	// those that they stand for are only found with their table's name.
	merged []int
	hidden []bool // nil: none
}

func newRelation(n logical.Node, qualifier string) relation {
	quals := make([]string, len(n.Info().Schema.Fields))
	for i := range quals {
		quals[i] = qualifier
	}
	return relation{node: n, quals: quals}
}

func (r relation) fields() []stream.Field { return r.node.Info().Schema.Fields }

// column returns a reference to column i.
func (r relation) column(i int, span diag.Span) *expr.Column {
	f := r.fields()[i]
	return &expr.Column{Info: expr.Info{T: f.Type, S: span}, Index: i, Name: f.Name}
}

// find returns the columns of that name (in the table, if one is named). Exact
// matches win over matches in another letter case.
func (r relation) find(table, name string) []int {
	var exact, folded []int
	for i, f := range r.fields() {
		if table != "" && !strings.EqualFold(r.quals[i], table) || !strings.EqualFold(f.Name, name) {
			continue
		}
		if table == "" && r.hidden != nil && r.hidden[i] {
			continue
		}
		folded = append(folded, i)
		if f.Name == name && (table == "" || r.quals[i] == table) {
			exact = append(exact, i)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return folded
}

// starOrder lists the columns in the order of *, or of those of a table.
func (r relation) starOrder(table string) []int {
	var list []int
	if table == "" {
		list = append(list, r.merged...)
	}
	for i := range r.fields() {
		if table != "" || (r.hidden == nil || !r.hidden[i]) && !slices.Contains(r.merged, i) {
			list = append(list, i)
		}
	}
	return list
}

// tables returns the distinct table names of the scope, in order.
func (r relation) tables() []string {
	var names []string
	for _, q := range r.quals {
		if q != "" && !slices.Contains(names, q) {
			names = append(names, q)
		}
	}
	return names
}

func (r relation) hasTable(name string) bool {
	return slices.ContainsFunc(r.quals, func(q string) bool { return strings.EqualFold(q, name) })
}

func (r relation) names() []string { return r.node.Info().Schema.Names() }

// qualifiedName splits a column reference into table and column. Catalog and
// database in front are taken if they are the session's.
func qualifiedName(n sql.Name) (table, column string, rest []sql.Ident, ok bool) {
	parts := n.Parts
	if len(parts) > 3 && parts[0].Name == catalogName && parts[1].Name == databaseName {
		parts = parts[2:]
	} else if len(parts) > 2 && parts[0].Name == databaseName {
		parts = parts[1:]
	}
	switch len(parts) {
	case 1:
		return "", parts[0].Name, nil, true
	case 2:
		return parts[0].Name, parts[1].Name, nil, true
	}
	return parts[0].Name, parts[1].Name, parts[2:], false
}

// resolvePath finds the column that a reference begins with, and the names of fields
// behind it. A name in front that is that of a table and of a column is the table,
// unless the table has no such column.
func (b *binder) resolvePath(r relation, n sql.Name) (int, []sql.Ident, error) {
	table, name, rest, _ := qualifiedName(n)
	if table != "" && (!r.hasTable(table) || len(r.find(table, name)) == 0) {
		if cols := r.find("", table); len(cols) == 1 {
			return cols[0], n.Parts[1:], nil
		}
	}
	i, err := b.resolve(r, sql.Name{Pos: n.Pos, Parts: n.Parts[:len(n.Parts)-len(rest)]})
	return i, rest, err
}

// resolve finds the column that a reference names.
func (b *binder) resolve(r relation, n sql.Name) (int, error) {
	table, name, rest, ok := qualifiedName(n)
	span := b.span(n)
	if len(r.fields()) == 0 && table == "" {
		return 0, b.errorf(diag.UndefinedColumn, span, "column %q not found: the query has no FROM", name)
	}
	if table != "" && !r.hasTable(table) {
		if cols := r.find("", table); len(cols) > 0 {
			return 0, b.errorf(diag.UndefinedColumn, span, "a field of column %q cannot be used here", table)
		}
		e := b.errorf(diag.UndefinedTable, b.span(n.Parts[0]), "table %q is not in FROM", table)
		return 0, e.DidYouMean(table, r.tables(), listHint("tables", r.tables()))
	}
	if !ok {
		return 0, b.errorf(diag.UndefinedColumn, b.span(rest[0]), "field %q of a column cannot be used here", rest[0].Name)
	}
	cols := r.find(table, name)
	switch len(cols) {
	case 1:
		return cols[0], nil
	case 0:
		where := ""
		if table != "" {
			where = " in table \"" + table + "\""
		}
		e := b.errorf(diag.UndefinedColumn, b.span(n.Parts[len(n.Parts)-1]), "column %q not found%s", name, where)
		return 0, e.DidYouMean(name, r.names(), listHint("columns", r.names()))
	}
	return 0, b.errorf(diag.UndefinedColumn, span, "column %q is ambiguous", name).
		WithHint("give the columns different names with AS, or put the table name in front")
}

// listHint names what there is, if that is short enough to read.
func listHint(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) > 12 {
		names = append(slices.Clone(names[:12]), "...")
	}
	return what + ": " + strings.Join(names, ", ")
}
