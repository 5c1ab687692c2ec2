package planner

import (
	"slices"
	"strconv"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

func itoa(i int) string { return strconv.Itoa(i) }

// item is one column of the select list.
type item struct {
	node sql.Expr // nil for a column that * stands for
	expr expr.Expr
	name string
}

// selectOf binds a SELECT block.
func (b *binder) selectOf(sel *sql.Select) (logical.Node, error) {
	o, err := b.orderedSelect(sel, nil)
	if err != nil {
		return nil, err
	}
	return o.node, nil
}

// orderedSelect binds a SELECT block with the items of ORDER BY behind it.
func (b *binder) orderedSelect(sel *sql.Select, order []sql.OrderItem) (*ordered, error) {
	if err := b.selectClauses(sel); err != nil {
		return nil, err
	}
	rel, err := b.input(sel)
	if err != nil {
		return nil, err
	}
	g := &grouping{input: rel.node}
	alias := map[string]sql.Expr{}
	for _, it := range sel.Items {
		if it.Alias != nil && it.Expr != nil && alias[it.Alias.Name] == nil {
			alias[it.Alias.Name] = it.Expr
		}
	}
	if err := b.groupItems(sel, rel, g, alias); err != nil {
		return nil, err
	}
	numbers := &numbering{}
	x := &exprBinder{binder: b, rel: rel, clause: "the select list", group: g, numbers: numbers}
	if !sel.Distinct && len(sel.GroupBy) == 0 {
		x.places = scalarSelect
	}
	items, err := b.items(sel, x)
	if err != nil {
		return nil, err
	}
	x.places = noScalars
	if x.rel.node != rel.node {
		if len(g.calls) > 0 || sel.Having != nil {
			return nil, b.unsupported(b.span(sel.Items[0].Expr), "a subquery as a value beside aggregates", "select it around the query")
		}
		rel, g.input = x.rel, x.rel.node
	}
	var qualify expr.Expr
	if sel.Qualify != nil {
		if qualify, err = b.qualify(sel, x, alias); err != nil {
			return nil, err
		}
	}
	var having expr.Expr
	if sel.Having != nil {
		h := &exprBinder{binder: b, rel: rel, clause: "HAVING", group: g, alias: alias}
		if having, err = h.bind(sel.Having); err != nil {
			return nil, err
		}
		if having, err = b.boolean(having, "the condition of HAVING"); err != nil {
			return nil, err
		}
	}
	o := &ordered{visible: len(items)}
	x.clause, x.alias = "ORDER BY", alias
	places, items, err := x.orderItems(order, items, !sel.Distinct)
	if err != nil {
		return nil, err
	}
	if o.node, err = b.selected(sel, rel, g, items, having, numbers, qualify); err != nil {
		return nil, err
	}
	o.keys = orderKeys(o.node, places, order)
	return o, nil
}

// selected makes the result of a SELECT block from its bound parts.
func (b *binder) selected(sel *sql.Select, rel relation, g *grouping, items []item, having expr.Expr, numbers *numbering, qualify expr.Expr) (logical.Node, error) {
	if sel.Distinct {
		if numbers.used {
			return nil, b.unsupported(numbers.span, "ROW_NUMBER in SELECT DISTINCT", "leave out DISTINCT: numbered rows differ")
		}
		return b.distinct(sel, rel, g, items, having)
	}
	if len(sel.GroupBy) > 0 || len(g.calls) > 0 || having != nil {
		return b.grouped(sel, rel, g, items, having, numbers, qualify)
	}
	n, err := b.numbered(rel.node, numbers, items, qualify)
	if err != nil {
		return nil, err
	}
	return b.project(n, items, b.span(sel))
}

// input binds FROM and WHERE.
func (b *binder) input(sel *sql.Select) (relation, error) {
	outer := b.joins
	b.joins = nil
	defer func() { b.joins = outer }()
	rel, err := b.from(sel.From, b.span(sel))
	if err != nil {
		return rel, err
	}
	var tests []subqueryTest
	if sel.Where != nil {
		var rest []sql.Expr
		tests, rest = b.subqueryTests(sel.Where)
		if len(tests) == 0 {
			rest = []sql.Expr{sel.Where}
		}
		for _, cond := range rest {
			if rel, err = b.where(sel, cond, rel); err != nil {
				return rel, err
			}
		}
	}
	if err := b.settleJoins(b.joins); err != nil {
		return rel, err
	}
	for _, t := range tests {
		if rel, err = b.semiJoin(rel, t); err != nil {
			return rel, err
		}
	}
	return rel, nil
}

// selectClauses refuses the clauses that nothing binds.
func (b *binder) selectClauses(sel *sql.Select) error {
	for _, h := range sel.Hints {
		name := strings.ToUpper(h.Name.Name)
		if name == "STATE_TTL" {
			return b.unsupported(b.span(h), "the hint "+name, "SET '"+keyTTL+"' = '1 d' holds for the whole query")
		}
		if !slices.Contains([]string{"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "LOOKUP", "MULTI_JOIN"}, name) {
			return b.unsupported(b.span(h), "the hint "+name, "")
		}
	}
	if len(sel.Windows) > 0 {
		return b.unsupported(b.span(sel.Windows[0].Name), "WINDOW", "aggregate in windows: GROUP BY window_start, window_end over TABLE(TUMBLE(...))")
	}
	if sel.GroupDistinct {
		return b.unsupported(b.span(sel.GroupBy[0]), "GROUP BY DISTINCT", "write GROUP BY")
	}
	if sel.From == nil && sel.Where != nil {
		return b.errorf(diag.InvalidArgument, b.span(sel.Where), "WHERE needs FROM").WithHint("add FROM with a table")
	}
	return nil
}

// where binds a condition of WHERE. What it says about numbers of rows limits the
// numbering; what it says about one side of a join, or both, goes there.
func (b *binder) where(sel *sql.Select, where sql.Expr, rel relation) (relation, error) {
	x := &exprBinder{binder: b, rel: rel, clause: "WHERE", places: scalarWhere}
	cond, err := x.bind(where)
	rel = x.rel
	if err != nil {
		if e := diag.As(err); e != nil && e.Code == diag.UndefinedColumn {
			for _, it := range sel.Items {
				if it.Alias != nil && e.Span == b.span(where) || it.Alias != nil && strings.Contains(e.Msg, strconv.Quote(it.Alias.Name)) {
					return rel, e.WithHint("%q is an alias of the select list, which WHERE cannot see: repeat its expression", it.Alias.Name)
				}
			}
		}
		return rel, err
	}
	if cond, err = b.boolean(cond, "the condition of WHERE"); err != nil {
		return rel, err
	}
	if cond = limitRanks(rel.node, cond); cond == nil {
		return rel, nil
	}
	switch rel.node.(type) {
	case *logical.Join, *logical.TableFunction, *logical.Unnest:
		for _, c := range conjuncts(cond) {
			withoutPadding(rel.node, c)
		}
		for _, c := range conjuncts(cond) {
			rel.node = push(rel.node, c)
		}
		return rel, nil
	}
	rel.node = filter(rel.node, cond, b.span(where))
	return rel, nil
}

func filter(in logical.Node, cond expr.Expr, span diag.Span) logical.Node {
	f := &logical.Filter{Input: in, Cond: cond}
	f.Base = *in.Info()
	f.Span = span
	return f
}

// items binds the select list.
func (b *binder) items(sel *sql.Select, x *exprBinder) ([]item, error) {
	var list []item
	for _, it := range sel.Items {
		if it.Star {
			stars, err := x.star(it)
			if err != nil {
				return nil, err
			}
			list = append(list, stars...)
			continue
		}
		e, err := x.bind(it.Expr)
		if err != nil {
			return nil, err
		}
		if isNull(e) {
			return nil, b.errorf(diag.TypeMismatch, b.span(it.Expr), "a bare NULL has no type").WithHint("write CAST(NULL AS type)")
		}
		name := columnName(len(list))
		switch n := it.Expr.(type) {
		case *sql.ColumnRef:
			if f := fieldName(e); f != "" {
				name = f
			} else {
				name = n.Name.Parts[len(n.Name.Parts)-1].Name
			}
			if niladic[strings.ToUpper(name)] && fieldName(e) == "" {
				name = columnName(len(list))
			}
		}
		if it.Alias != nil {
			name = it.Alias.Name
		}
		list = append(list, item{it.Expr, e, name})
	}
	return list, nil
}

// star expands *, t.* and row.*.
func (x *exprBinder) star(it sql.SelectItem) ([]item, error) {
	if it.Table != nil && !x.rel.hasTable(it.Table.Parts[len(it.Table.Parts)-1].Name) {
		if i, path, err := x.resolvePath(x.rel, *it.Table); err == nil {
			return x.fieldStar(it, i, path)
		}
	}
	return x.binder.star(it, x.rel)
}

// star expands * and t.*, without the columns of EXCEPT.
func (b *binder) star(it sql.SelectItem, rel relation) ([]item, error) {
	span := b.span(it)
	if len(rel.fields()) == 0 {
		return nil, b.errorf(diag.InvalidArgument, span, "* needs FROM").WithHint("add FROM with a table")
	}
	table := ""
	if it.Table != nil {
		table = it.Table.Parts[len(it.Table.Parts)-1].Name
		if !rel.hasTable(table) {
			e := b.errorf(diag.UndefinedTable, b.span(*it.Table), "table %q is not in FROM", table)
			return nil, e.DidYouMean(table, rel.tables(), listHint("tables", rel.tables()))
		}
	}
	left := map[int]bool{}
	for _, c := range it.Except {
		cols := rel.find(table, c.Name)
		if len(cols) == 0 {
			e := b.errorf(diag.UndefinedColumn, b.span(c), "column %q not found", c.Name)
			return nil, e.DidYouMean(c.Name, rel.names(), listHint("columns", rel.names()))
		}
		for _, i := range cols {
			left[i] = true
		}
	}
	var list []item
	for _, i := range rel.starOrder(table) {
		f := rel.fields()[i]
		if !left[i] && (table == "" || strings.EqualFold(rel.quals[i], table)) {
			list = append(list, item{nil, rel.column(i, span), f.Name})
		}
	}
	if len(list) == 0 {
		return nil, b.errorf(diag.InvalidArgument, span, "* leaves no column").WithHint("keep a column out of EXCEPT")
	}
	return list, nil
}

// project makes the select list; nothing where it is the input as it stands.
func (b *binder) project(in logical.Node, items []item, span diag.Span) (logical.Node, error) {
	fields := in.Info().Schema.Fields
	p := &logical.Project{Input: in}
	p.Mode, p.Span = in.Info().Mode, span
	identity := len(items) == len(fields)
	for i, it := range items {
		f := stream.Field{Name: it.name, Type: it.expr.Type()}
		switch e := it.expr.(type) {
		case *expr.Column:
			f.Time = fields[e.Index].Time
			identity = identity && e.Index == i && it.name == fields[i].Name
		case *expr.Proctime:
			f.Time = stream.Proctime
			identity = false
		default:
			identity = false
		}
		p.Exprs = append(p.Exprs, it.expr)
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	if identity {
		return in, nil
	}
	return p, nil
}

// grouped makes a grouped query: aggregate, HAVING, select list.
func (b *binder) grouped(sel *sql.Select, rel relation, g *grouping, items []item, having expr.Expr, numbers *numbering, qualify expr.Expr) (logical.Node, error) {
	// A call that is an item of its own takes the item's name.
	for _, it := range items {
		if r, ok := it.expr.(*callRef); ok && !r.call.Named {
			r.call.Name, r.call.Named = it.name, true
		}
	}
	n, err := b.aggregateNode(sel, rel, g)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if items[i].expr, err = b.ungroup(items[i].expr, n, g); err != nil {
			return nil, err
		}
	}
	out := n.node
	if having != nil {
		if having, err = b.ungroup(having, n, g); err != nil {
			return nil, err
		}
		out = filter(out, having, having.Span())
	}
	ungroup := func(e expr.Expr) (expr.Expr, error) { return b.ungroup(e, n, g) }
	if err := numbers.rewrite(ungroup); err != nil {
		return nil, err
	}
	if qualify != nil {
		if qualify, err = ungroup(qualify); err != nil {
			return nil, err
		}
	}
	if out, err = b.numbered(out, numbers, items, qualify); err != nil {
		return nil, err
	}
	return b.project(out, items, b.span(sel))
}

// distinct makes SELECT DISTINCT: the same as grouping by all items, over a query that
// groups by something itself, its result.
func (b *binder) distinct(sel *sql.Select, rel relation, g *grouping, items []item, having expr.Expr) (logical.Node, error) {
	if len(g.calls) > 0 || len(sel.GroupBy) > 0 || having != nil {
		n, err := b.grouped(sel, rel, g, items, having, &numbering{}, nil)
		if err != nil {
			return nil, err
		}
		return b.distinctOf(n, b.span(sel))
	}
	for _, it := range items {
		if !containsSame(g.keys, it.expr) {
			g.keys = append(g.keys, it.expr)
		}
	}
	n, err := b.aggregateNode(sel, rel, g)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if items[i].expr, err = b.ungroup(items[i].expr, n, g); err != nil {
			return nil, err
		}
	}
	return b.project(n.node, items, b.span(sel))
}

// setOp binds UNION, with all rows or with each row once, INTERSECT and EXCEPT.
func (b *binder) setOp(s *sql.SetOp) (logical.Node, error) {
	if s.Op != sql.Union {
		return b.compared(s)
	}
	name := "UNION ALL"
	if !s.All {
		name = "UNION"
	}
	var branches []sql.Body
	var flatten func(body sql.Body)
	flatten = func(body sql.Body) {
		if u, ok := body.(*sql.SetOp); ok && u.Op == sql.Union && u.All == s.All {
			flatten(u.Left)
			flatten(u.Right)
			return
		}
		branches = append(branches, body)
	}
	flatten(s)
	u := &logical.Union{}
	u.Span = b.span(s)
	for _, body := range branches {
		n, err := b.body(body)
		if err != nil {
			return nil, err
		}
		if len(u.Sources) > 0 {
			if want, got := len(u.Sources[0].Info().Schema.Fields), len(n.Info().Schema.Fields); want != got {
				return nil, b.errorf(diag.InvalidArgument, b.span(body), "the branches of %s have %d and %d columns", name, want, got)
			}
		}
		u.Sources = append(u.Sources, n)
		u.Mode = max(u.Mode, n.Info().Mode)
	}
	if err := b.unify(u, branches, name); err != nil || s.All {
		return u, err
	}
	return b.distinctOf(u, u.Span)
}

// unify gives the branches of a union their common types. As in Flink below a
// window, the first branch decides which columns are time attributes.
func (b *binder) unify(u *logical.Union, branches []sql.Body, name string) error {
	casts := make([][]expr.Expr, len(u.Sources))
	for c, f := range u.Sources[0].Info().Schema.Fields {
		column := make([]expr.Expr, len(u.Sources))
		for i, n := range u.Sources {
			g := n.Info().Schema.Fields[c]
			column[i] = &expr.Column{Info: expr.Info{T: g.Type, S: n.Info().Span}, Index: c, Name: g.Name}
		}
		t, err := b.commonType(column, "column "+strconv.Itoa(c+1)+" of "+name, types.CaseType)
		if err != nil {
			if e := diag.As(err); e != nil {
				e.Span = b.span(branches[len(branches)-1])
			}
			return err
		}
		f.Type = t
		u.Schema.Fields = append(u.Schema.Fields, f)
		for i := range u.Sources {
			e, err := b.coerce(column[i], t)
			if err != nil {
				return err
			}
			casts[i] = append(casts[i], e)
		}
	}
	for i, n := range u.Sources {
		changed := false
		for _, e := range casts[i] {
			if _, ok := e.(*expr.Column); !ok {
				changed = true
			}
		}
		if changed {
			p := &logical.Project{Input: n, Exprs: casts[i]}
			p.Base = u.Base
			p.Mode, p.Span = n.Info().Mode, n.Info().Span
			u.Sources[i] = p
		}
	}
	return nil
}
