package planner

import (
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/types"
)

// withoutZero returns the FLOAT or DOUBLE to which a constant 0 is added: as in Flink
// nothing is added then, which shows in -0.0. It returns nil for other sums.
func withoutZero(l, r expr.Expr) expr.Expr {
	for _, p := range [...][2]expr.Expr{{l, r}, {r, l}} {
		t := p[0].Type()
		zero, ok := p[1].(*expr.Literal)
		if ok && t.IsApproximate() && zero.T.IsNumeric() && (zero.T.Kind == t.Kind || zero.T.IsInteger()) && zero.Value.Equal(types.Value{}) {
			if _, constant := p[0].(*expr.Literal); !constant {
				return p[0]
			}
		}
	}
	return nil
}

// overlaps binds (a, b) OVERLAPS (c, d): each pair holds two times in any order, or a
// time and how long it lasts.
func (x *exprBinder) overlaps(e *sql.Binary) (expr.Expr, error) {
	span := x.span(e)
	var low, high [2]expr.Expr
	for i, side := range [...]sql.Expr{e.Left, e.Right} {
		pair, ok := side.(*sql.RowValue)
		if !ok || len(pair.Items) != 2 {
			return nil, x.errorf(diag.InvalidArgument, x.span(side), "OVERLAPS needs two pairs of times").
				WithHint("write (start, end) OVERLAPS (start, end)")
		}
		v, err := x.bindAll(pair.Items)
		if err != nil {
			return nil, err
		}
		if !v[0].Type().IsTemporal() {
			return nil, x.errorf(diag.TypeMismatch, v[0].Span(), "OVERLAPS needs a time, but has %s", v[0].Type().Name())
		}
		if v[1].Type().IsInterval() {
			if v[1], err = x.operator("+", v[1].Span(), v[0], v[1]); err != nil {
				return nil, err
			}
		}
		ordered, err := x.operator("<=", x.span(pair), v[0], v[1])
		if err != nil {
			return nil, err
		}
		either := func(then, otherwise expr.Expr) (expr.Expr, error) {
			return x.finishCase(&expr.Case{Info: expr.Info{S: x.span(pair)}, Whens: []expr.When{{Cond: ordered, Then: then}}, Else: otherwise}, "OVERLAPS", types.CaseType)
		}
		if low[i], err = either(v[0], v[1]); err != nil {
			return nil, err
		}
		if high[i], err = either(v[1], v[0]); err != nil {
			return nil, err
		}
	}
	first, err := x.operator(">=", span, high[0], low[1])
	if err != nil {
		return nil, err
	}
	second, err := x.operator(">=", span, high[1], low[0])
	if err != nil {
		return nil, err
	}
	return x.fold(connect(true, []expr.Expr{first, second}, span))
}
