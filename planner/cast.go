package planner

import (
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/types"
)

// castable reports whether CAST can convert between the types.
func castable(from, to types.Type) bool {
	if from.Kind == types.Null {
		return true
	}
	return builtin.CanCast(from, to)
}

// isNull reports whether e is a bare NULL.
func isNull(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.T.Kind == types.Null
}

// coerce converts e to type t with an implicit cast, if it is not of that type
// already. NULL-ability of the result follows e.
func (b *binder) coerce(e expr.Expr, t types.Type) (expr.Expr, error) {
	from := e.Type()
	if from.Same(t) {
		return e, nil
	}
	if isNull(e) {
		return &expr.Literal{Info: expr.Info{T: t.Nullable(), S: e.Span()}, Value: types.NullValue}, nil
	}
	if !castable(from, t) {
		return nil, b.errorf(diag.TypeMismatch, e.Span(), "%s cannot be used as %s", from.Name(), t.Name())
	}
	return b.fold(&expr.Cast{Info: expr.Info{T: t.WithNullability(!from.NotNull), S: e.Span()}, Arg: e, Implicit: true})
}

// commonType unifies the types of expressions with meet (types.CaseType or
// types.CommonType); bare NULLs take part in nothing but NULL-ability.
func (b *binder) commonType(es []expr.Expr, what string, meet func(a, b types.Type) (types.Type, bool)) (types.Type, error) {
	t := types.Type{}
	nullable, found := false, false
	for _, e := range es {
		u := e.Type()
		nullable = nullable || !u.NotNull
		if isNull(e) {
			nullable = true
			continue
		}
		if !found {
			t, found = u, true
			continue
		}
		c, ok := meet(t, u)
		if !ok {
			return t, b.errorf(diag.TypeMismatch, e.Span(), "%s mixes %s and %s", what, t.Name(), u.Name()).
				WithHint("CAST the values to one type")
		}
		t = c
	}
	if !found {
		return t, b.errorf(diag.TypeMismatch, es[0].Span(), "%s has no type: all values are NULL", what).
			WithHint("write CAST(NULL AS type)")
	}
	return t.WithNullability(nullable), nil
}

// boolean checks that a condition is BOOLEAN. As in Flink a bare NULL is none.
func (b *binder) boolean(e expr.Expr, what string) (expr.Expr, error) {
	if isNull(e) {
		return nil, b.errorf(diag.TypeMismatch, e.Span(), "%s is a bare NULL, which has no type", what).
			WithHint("write CAST(NULL AS BOOLEAN)")
	}
	if e.Type().Kind != types.Boolean {
		return nil, b.errorf(diag.TypeMismatch, e.Span(), "%s must be BOOLEAN, but is %s", what, e.Type().Name())
	}
	return e, nil
}
