package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
)

// subqueryTest is a condition of WHERE that asks a query: EXISTS or IN.
type subqueryTest struct {
	query *sql.Query
	value sql.Expr // of IN
	not   bool
	span  diag.Span
}

// subqueryTests splits the condition of WHERE into tests of subqueries and the rest.
func (b *binder) subqueryTests(e sql.Expr) (tests []subqueryTest, rest []sql.Expr) {
	switch n := bare(e).(type) {
	case *sql.Binary:
		if n.Op == "AND" {
			t, r := b.subqueryTests(n.Left)
			u, s := b.subqueryTests(n.Right)
			return append(t, u...), append(r, s...)
		}
	case *sql.In:
		if n.Query != nil {
			return []subqueryTest{{n.Query, n.Expr, n.Not, b.span(n)}}, nil
		}
	case *sql.Exists:
		return []subqueryTest{{n.Query, nil, false, b.span(n)}}, nil
	case *sql.Unary:
		if n.Op != "NOT" {
			break
		}
		switch m := bare(n.Expr).(type) {
		case *sql.Exists:
			return []subqueryTest{{m.Query, nil, true, b.span(n)}}, nil
		case *sql.In:
			if m.Query != nil {
				return []subqueryTest{{m.Query, m.Expr, !m.Not, b.span(n)}}, nil
			}
		}
	}
	return nil, []sql.Expr{e}
}

// bare takes brackets off.
func bare(e sql.Expr) sql.Expr {
	for {
		p, ok := e.(*sql.Paren)
		if !ok || p.Unit != "" {
			return e
		}
		e = p.Expr
	}
}

// semiJoin binds a test of a subquery as a join that only asks whether there is a
// match.
func (b *binder) semiJoin(rel relation, t subqueryTest) (relation, error) {
	name := "EXISTS"
	if t.value != nil {
		name = "IN"
	}
	j := &logical.Join{Left: rel.node, Kind: physical.LeftSemi}
	if t.not {
		j.Kind, name = physical.LeftAnti, "NOT "+name
	}
	j.Span = t.span
	x, columns, err := b.subquery(rel, t)
	if err != nil {
		return rel, err
	}
	j.Right = x.inner.node
	j.Conds = x.conds
	if t.value != nil {
		values := []sql.Expr{t.value}
		if row, ok := bare(t.value).(*sql.RowValue); ok {
			values = row.Items
		}
		if len(values) != len(columns) {
			return rel, b.errorf(diag.InvalidArgument, t.span, "IN compares %s with %s of the subquery", plural(int64(len(values)), "value"), plural(int64(len(columns)), "column"))
		}
		outer := &exprBinder{binder: b, rel: rel, clause: "WHERE"}
		for i, v := range values {
			l, err := outer.bind(v)
			if err != nil {
				return rel, err
			}
			eq, err := outer.operator("=", t.span, l, columns[i])
			if err != nil {
				return rel, err
			}
			if t.not && !eq.Type().NotNull {
				// NOT IN is not TRUE either where a comparison is NULL.
				if eq, err = outer.operator("IS NOT FALSE", t.span, eq); err != nil {
					return rel, err
				}
			}
			j.Conds = append(j.Conds, conjuncts(eq)...)
		}
	}
	handDown(j)
	if err := b.settleJoin(j, name+" with a subquery"); err != nil {
		return rel, err
	}
	j.Schema = joinSchema(j)
	rel.node = j
	return rel, nil
}

// subqueryScope is a subquery whose conditions may name columns of the query around it.
// Its columns stand behind those of the query around.
type subqueryScope struct {
	exprBinder
	inner relation
	conds []expr.Expr
}

// subquery binds the query of a test: what it reads, its conditions, and its columns,
// all over the columns of both.
func (b *binder) subquery(rel relation, t subqueryTest) (*subqueryScope, []expr.Expr, error) {
	s := &subqueryScope{exprBinder: exprBinder{binder: b, rel: rel, clause: "the subquery"}}
	width := len(rel.fields())
	sel, ok := t.query.Body.(*sql.Select)
	if !ok || !plainSelect(t.query, sel) {
		n, err := b.query(t.query)
		if err != nil {
			return nil, nil, err
		}
		s.inner = newRelation(n, "")
		return s, s.columns(width, t.span), nil
	}
	outer := b.joins
	b.joins = nil
	defer func() { b.joins = outer }()
	var err error
	if s.inner, err = b.from(sel.From, b.span(sel)); err != nil {
		return nil, nil, err
	}
	s.nested = &nestedScope{s.inner, width}
	if sel.Where != nil {
		cond, err := s.bind(sel.Where)
		if err == nil {
			cond, err = b.boolean(cond, "the condition of WHERE")
		}
		if err != nil {
			return nil, nil, err
		}
		// What reads the subquery alone belongs into it: it may hold the windows of a join
		// or the limit of a numbering.
		for _, c := range conjuncts(cond) {
			if own, ok := s.own(c, width); ok && movable(c) {
				if rest := limitRanks(s.inner.node, own); rest != nil {
					s.inner.node = push(s.inner.node, rest)
				}
				continue
			}
			s.conds = append(s.conds, c)
		}
	}
	if err := b.settleJoins(b.joins); err != nil {
		return nil, nil, err
	}
	var columns []expr.Expr
	for _, it := range sel.Items {
		if it.Star {
			columns = append(columns, s.columns(width, b.span(it))...)
			continue
		}
		e, err := s.bind(it.Expr)
		if err != nil {
			return nil, nil, err
		}
		columns = append(columns, e)
	}
	return s, columns, nil
}

// own moves a condition to the columns of the subquery alone, if it reads just those.
func (s *subqueryScope) own(c expr.Expr, width int) (expr.Expr, bool) {
	outside := false
	expr.Walk(c, func(e expr.Expr) bool {
		if col, ok := e.(*expr.Column); ok {
			outside = outside || col.Index < width
		}
		return true
	})
	if outside {
		return nil, false
	}
	return shifted(c, -width), true
}

// columns are references to all columns of the subquery.
func (s *subqueryScope) columns(width int, span diag.Span) []expr.Expr {
	var list []expr.Expr
	for i := range s.inner.fields() {
		list = append(list, shifted(s.inner.column(i, span), width))
	}
	return list
}

// plainSelect reports whether a query only reads, filters and selects, so that its
// conditions may be moved out of it.
func plainSelect(q *sql.Query, sel *sql.Select) bool {
	if len(q.With) > 0 || len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil || sel.From == nil || sel.Distinct ||
		len(sel.GroupBy) > 0 || sel.Having != nil || sel.Qualify != nil || len(sel.Windows) > 0 {
		return false
	}
	for _, it := range sel.Items {
		if it.Star && (it.Table != nil || len(it.Except) > 0) {
			return false
		}
		if c, ok := it.Expr.(*sql.Call); ok && (c.Over != nil || aggregateNames[strings.ToUpper(nameOf(c.Name))]) {
			return false
		}
	}
	return true
}

// aggregateNames are the aggregates that make a query without GROUP BY a grouped one.
var aggregateNames = map[string]bool{"COUNT": true, "SUM": true, "AVG": true, "MIN": true, "MAX": true, "LISTAGG": true, "FIRST_VALUE": true, "LAST_VALUE": true}

// nestedScope is the scope of a subquery: names are looked up there first.
type nestedScope struct {
	rel   relation
	shift int // where its columns begin
}
