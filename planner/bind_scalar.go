package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/types"
)

// scalarHint says which subqueries may stand for a value.
const scalarHint = "a subquery as a value is one aggregate, (SELECT MAX(v) FROM t), also of the rows that equal the row around it: ... WHERE t.k = x.k"

// scalarPlace says what becomes of a subquery that stands for a value.
type scalarPlace uint8

const (
	noScalars    scalarPlace = iota
	scalarWhere              // its join is settled with those of FROM
	scalarSelect             // its join is settled at once
)

// scalar binds a subquery that stands for a value: as in Flink a column of a left join
// with it, by what it compares with the row around it.
func (x *exprBinder) scalar(e *sql.Subquery) (expr.Expr, error) {
	span := x.span(e)
	sel, ok := e.Query.Body.(*sql.Select)
	if !ok || x.places == noScalars || x.nested != nil || !singleAggregate(e.Query, sel) {
		return nil, x.unsupported(span, "this subquery as a value", scalarHint)
	}
	keys, rest, outer, err := x.correlation(sel)
	if err != nil {
		return nil, err
	}
	q := *sel
	q.Where = rest
	q.Items = nil
	for _, k := range keys {
		q.Items = append(q.Items, sql.SelectItem{Pos: sel.Items[0].Pos, Expr: k})
		q.GroupBy = append(q.GroupBy, sql.GroupItem{Pos: sel.Pos, Expr: k})
	}
	q.Items = append(q.Items, sel.Items[0])
	wrapped := *e.Query
	wrapped.Body = &q
	joins := x.joins
	n, err := x.query(&wrapped)
	x.joins = joins
	if err != nil {
		return nil, err
	}
	return x.joinedValue(n, outer, countsRows(sel.Items[0].Expr), span)
}

// joinedValue joins a query whose columns are compared with values of the row around it,
// and gives its last column.
func (x *exprBinder) joinedValue(n logical.Node, outer []expr.Expr, counts bool, span diag.Span) (expr.Expr, error) {
	j := &logical.Join{Left: x.rel.node, Right: n, Kind: physical.LeftOuter}
	j.Span = span
	width := len(x.rel.fields())
	both := sideBySide(j, x.rel, newRelation(n, ""))
	on := &exprBinder{binder: x.binder, rel: both, clause: "the subquery"}
	for i, l := range outer {
		eq, err := on.operator("=", span, l, both.column(width+i, span))
		if err != nil {
			return nil, err
		}
		j.Conds = append(j.Conds, conjuncts(eq)...)
	}
	j.Schema = joinSchema(j)
	for i := width; i < len(both.hidden); i++ {
		both.hidden[i] = true
	}
	both.merged = slices.DeleteFunc(both.merged, func(i int) bool { return i >= width })
	both.node = j
	x.rel = both
	x.joins = append(x.joins, pendingJoin{j, "a subquery as a value"})
	if x.places == scalarSelect {
		if err := x.settleJoin(j, "a subquery as a value"); err != nil {
			return nil, err
		}
	}
	v := expr.Expr(both.column(len(both.fields())-1, span))
	if counts && len(outer) > 0 {
		return x.operator("COALESCE", span, v, &expr.Literal{Info: expr.Info{T: types.Of(types.BigInt).Required(), S: span}, Value: types.IntValue(0)})
	}
	return v, nil
}

// singleAggregate reports whether a query is one aggregate over all rows that it reads.
func singleAggregate(q *sql.Query, sel *sql.Select) bool {
	if len(q.With) > 0 || len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil || sel.From == nil || sel.Distinct ||
		len(sel.GroupBy) > 0 || sel.Having != nil || sel.Qualify != nil || len(sel.Windows) > 0 || len(sel.Items) != 1 || sel.Items[0].Star {
		return false
	}
	c, ok := bare(sel.Items[0].Expr).(*sql.Call)
	return ok && c.Over == nil && aggregateNames[strings.ToUpper(nameOf(c.Name))]
}

// countsRows reports whether an aggregate is 0 where there is nothing.
func countsRows(e sql.Expr) bool {
	return strings.EqualFold(nameOf(bare(e).(*sql.Call).Name), "COUNT")
}

// correlation splits the condition of a subquery: values of its own that must equal
// values of the row around it, which are bound, and the rest.
func (x *exprBinder) correlation(sel *sql.Select) (keys []sql.Expr, rest sql.Expr, outer []expr.Expr, err error) {
	if sel.Where == nil {
		return nil, nil, nil, nil
	}
	joins, ranks := x.joins, x.ranks
	inner, err := x.from(sel.From, x.span(sel))
	x.joins, x.ranks = joins, ranks
	if err != nil {
		return nil, nil, nil, err
	}
	own := func(e sql.Expr) bool {
		_, err := (&exprBinder{binder: x.binder, rel: inner, clause: "WHERE"}).bind(e)
		return err == nil
	}
	var visit func(e sql.Expr) error
	visit = func(e sql.Expr) error {
		c, ok := bare(e).(*sql.Binary)
		if ok && c.Op == "AND" {
			if err := visit(c.Left); err != nil {
				return err
			}
			return visit(c.Right)
		}
		if own(e) || !ok || c.Op != "=" {
			// What cannot be bound is reported with the subquery.
			if rest == nil {
				rest = e
			} else {
				rest = &sql.Binary{Pos: sel.Pos, Op: "AND", Left: rest, Right: e}
			}
			return nil
		}
		key, other := c.Left, c.Right
		if !own(key) {
			key, other = other, key
		}
		v, err := (&exprBinder{binder: x.binder, rel: x.rel, clause: "the subquery"}).bind(other)
		if err != nil || !own(key) {
			return x.unsupported(x.span(e), "this condition in a subquery as a value", scalarHint)
		}
		keys, outer = append(keys, key), append(outer, v)
		return nil
	}
	err = visit(sel.Where)
	return keys, rest, outer, err
}
