package planner

import (
	"math/big"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// cast binds CAST and TRY_CAST.
func (x *exprBinder) cast(e *sql.Cast) (expr.Expr, error) {
	a, err := x.bind(e.Expr)
	if err != nil {
		return nil, err
	}
	t, err := x.typeName(e.Type)
	if err != nil {
		return nil, err
	}
	if l, ok := a.(*expr.Literal); ok && l.Value.Null && (isNull(a) || t.IsNested()) {
		return &expr.Literal{Info: expr.Info{T: t.Nullable(), S: x.span(e)}, Value: types.NullValue}, nil
	}
	t = t.WithNullability(e.Try || !a.Type().NotNull)
	if e.Type.Units != nil && !e.Try && a.Type().Kind == types.Decimal && writtenNumber(e.Expr) {
		return x.countUnits(e, a)
	}
	if !castable(a.Type(), t) {
		err := x.errorf(diag.TypeMismatch, x.span(e), "%s cannot be cast to %s", a.Type().Name(), t.Name())
		err.Hint = builtin.CastHint(a.Type(), t)
		return nil, err
	}
	if e.Type.Units != nil && a.Type().IsInteger() {
		return x.castToUnits(e, a, t)
	}
	if a.Type().Same(t) && !e.Try {
		if _, column := a.(*expr.Column); !column {
			return a, nil
		}
		// A cast of a time attribute to its own type makes it an ordinary time.
		if x.rel.timeOf(a) == stream.NoTime {
			return a, nil
		}
	}
	return x.fold(&expr.Cast{Info: expr.Info{T: t, S: x.span(e)}, Arg: a, Try: e.Try})
}

// castToUnits casts an integer to an INTERVAL. As in Flink a number that is written there counts
// units, and any other months or milliseconds.
func (x *exprBinder) castToUnits(e *sql.Cast, a expr.Expr, t types.Type) (expr.Expr, error) {
	units := *e.Type.Units
	if units.To != "" {
		return nil, x.errorf(diag.TypeMismatch, x.span(e), "%s cannot be cast to an INTERVAL of several units", a.Type().Name()).
			WithHint("multiply one unit: number * INTERVAL '1' %s", units.To)
	}
	if e.Try || !writtenNumber(e.Expr) {
		return x.fold(&expr.Cast{Info: expr.Info{T: t, S: x.span(e)}, Arg: a, Try: e.Try})
	}
	units.Pos, units.Text, units.LeadPrecision, units.FracPrecision = e.Pos, "1", -1, -1
	one, err := x.interval(&units)
	if err != nil {
		return nil, err
	}
	return x.operator("*", x.span(e), a, one)
}

// writtenNumber reports whether e spells a number out, with or without a sign and brackets.
func writtenNumber(e sql.Expr) bool {
	for {
		switch n := e.(type) {
		case *sql.Paren:
			e = n.Expr
		case *sql.Unary:
			if n.Op != "-" && n.Op != "+" {
				return false
			}
			e = n.Expr
		case *sql.Literal:
			return n.Kind == sql.NumberLiteral
		default:
			return false
		}
	}
}

// countUnits casts a DECIMAL that is written there to an INTERVAL of one unit: what is no
// whole month or millisecond is cut.
func (x *exprBinder) countUnits(e *sql.Cast, a expr.Expr) (expr.Expr, error) {
	units := *e.Type.Units
	units.Pos, units.Text, units.LeadPrecision, units.FracPrecision = e.Pos, "1", -1, -1
	t, one, err := parseInterval(&units)
	l, literal := a.(*expr.Literal)
	if err != nil || units.To != "" || !literal {
		return nil, x.errorf(diag.TypeMismatch, x.span(e), "%s cannot be cast to %s", a.Type().Name(), t.Name())
	}
	n := big.NewInt(l.Value.I)
	if l.T.Layout() == types.Int128 {
		n = l.Value.D.BigInt()
	}
	n.Mul(n, big.NewInt(one))
	n.Quo(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(l.T.Scale)), nil))
	if !n.IsInt64() || t.Kind == types.IntervalMonth && int64(int32(n.Int64())) != n.Int64() {
		return nil, x.errorf(diag.InvalidArgument, x.span(e), "the number is out of range for %s", t.Name())
	}
	return &expr.Literal{Info: expr.Info{T: t.Required(), S: x.span(e)}, Value: types.IntValue(n.Int64())}, nil
}

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
