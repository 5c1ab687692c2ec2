package planner

import (
	"streamsql/expr"
	"streamsql/sql"
)

// quantified binds a comparison with ANY or ALL of a list, which is short for comparisons
// joined with OR or AND; x = ANY (...) is IN.
func (x *exprBinder) quantified(e *sql.Binary, op string, all bool) (expr.Expr, error) {
	var items []sql.Expr
	switch list := e.Right.(type) {
	case *sql.RowValue:
		items = list.Items
	case *sql.Paren:
		items = []sql.Expr{list.Expr}
	case *sql.Subquery:
		name := "ANY"
		if all {
			name = "ALL"
		}
		return nil, x.unsupported(x.span(e), "a comparison with "+name+" of a query",
			"write WHERE EXISTS (SELECT 1 FROM t WHERE x > t.v) for x > ANY (...), WHERE NOT EXISTS (SELECT 1 FROM t WHERE x <= t.v) for x > ALL (...)")
	default:
		items = []sql.Expr{e.Right}
	}
	if op == "=" && !all || op == "<>" && all {
		return x.in(&sql.In{Pos: e.Pos, Expr: e.Left, Not: all, List: items})
	}
	var parts []expr.Expr
	for _, item := range items {
		part, err := x.binary(&sql.Binary{Pos: e.Pos, Op: op, OpSpan: e.OpSpan, Left: e.Left, Right: item})
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return x.fold(connect(all, parts, x.span(e)))
}
