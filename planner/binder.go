package planner

import (
	"fmt"
	"strconv"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/types"
)

// binder resolves one statement. All its errors and expressions carry spans of the
// statement's text: inside the text of a view or of a table definition, at is the
// place of the mention and stands for every span there.
type binder struct {
	env     *Env
	at      diag.Span
	sources map[sourceKey]*logical.Source
	files   map[string]*catalog.Table
	hinted  map[sourceKey]*catalog.Table
	ctes    *cteScope
	views   []string        // the views being expanded
	joins   []pendingJoin   // of the FROM being bound
	ranks   []*logical.Rank // of the statement
	root    *sql.Query      // whose order is that of the result
	// results holds the constants that are results of functions, TRY_CASTs and conditions; of
	// those that are FLOAT settle has yet to round the digits.
	results map[*expr.Literal]bool
	written map[*expr.Literal]float64 // FLOAT constants, with the digits they were written with
}

// sourceKey identifies a table with the options that a hint gave it.
type sourceKey struct {
	table *catalog.Table
	hints string
}

func newBinder(env *Env) *binder {
	return &binder{env: env, sources: map[sourceKey]*logical.Source{}, files: map[string]*catalog.Table{}, hinted: map[sourceKey]*catalog.Table{}}
}

func (b *binder) span(n interface{ Span() diag.Span }) diag.Span {
	if b.at.Valid() {
		return b.at
	}
	return n.Span()
}

func (b *binder) errorf(code diag.Code, span diag.Span, format string, args ...any) *diag.Error {
	if b.at.Valid() {
		span = b.at
	}
	return diag.New(code, span, format, args...)
}

// unsupported refuses a construct by name.
func (b *binder) unsupported(span diag.Span, what, hint string) error {
	e := b.errorf(diag.Unsupported, span, "%s is not supported yet", what)
	e.Hint = hint
	return e
}

// inside binds something whose text is elsewhere (a view, a table definition): its
// spans become the place of the mention, and errors say where they come from.
func (b *binder) inside(place diag.Span, what string, f func() error) error {
	outer := b.at
	if !outer.Valid() {
		b.at = place
	}
	err := f()
	b.at = outer
	if err == nil {
		return nil
	}
	if e := diag.As(err); e != nil {
		c := *e
		c.Msg = "in " + what + ": " + e.Msg
		if !outer.Valid() {
			c.Span = place
		} else {
			c.Span = outer
		}
		c.Line, c.Col = 0, 0
		return &c
	}
	return fmt.Errorf("in %s: %w", what, err)
}

// fold evaluates e if it is constant, deterministic and not a literal already.
func (b *binder) fold(e expr.Expr) (expr.Expr, error) {
	if b.env.Fold == nil || e.Type().Kind == types.Null || !constant(e) {
		return e, nil
	}
	if _, ok := e.(*expr.Literal); ok {
		return e, nil
	}
	v, err := b.env.Fold(e)
	if err != nil {
		if d := diag.As(err); d != nil {
			c := *d
			if !c.Span.Valid() {
				c.Span = e.Span()
			}
			return nil, &c
		}
		return nil, diag.New(diag.Runtime, e.Span(), "%s", err.Error())
	}
	if v.Null && e.Type().NotNull {
		return e, nil // a NULL where none may be (decimal overflow) fails where the value is needed
	}
	return b.constantOf(e, noNegativeZero(v)), nil
}

// constantOf makes a literal of the value of e and notes how many digits it has if it is FLOAT.
// In Flink a cast of a number that is written there keeps its digits, one of a text has 7 at once,
// and everything else is rounded to 7 digits only when it is put into the plan (settle).
func (b *binder) constantOf(e expr.Expr, v types.Value) *expr.Literal {
	made := &expr.Literal{Info: expr.Info{T: e.Type(), S: e.Span()}, Value: v}
	c, ok := e.(*expr.Cast)
	var arg *expr.Literal
	if ok && !c.Try {
		arg, _ = c.Arg.(*expr.Literal)
	}
	switch {
	case v.Null:
	case arg == nil || b.results[arg]:
		if b.results == nil {
			b.results = map[*expr.Literal]bool{}
		}
		b.results[made] = true
	case c.T.Kind == types.Float && arg.T.IsText():
		made.Value.F = sevenDigits(v.F)
	case c.T.Kind == types.Float:
		if b.written == nil {
			b.written = map[*expr.Literal]float64{}
		}
		b.written[made] = writtenFloat(arg)
	case c.T.Kind == types.Double && arg.T.Kind == types.Float:
		if f, ok := b.written[arg]; ok {
			made.Value.F = f
		} else if f, err := strconv.ParseFloat(strconv.FormatFloat(arg.Value.F, 'g', -1, 32), 64); err == nil {
			made.Value.F = f
		}
	}
	return made
}

// writtenFloat is the number that a literal stands for, with all digits that a DOUBLE has.
func writtenFloat(l *expr.Literal) float64 {
	switch l.T.Kind {
	case types.Float, types.Double:
		return l.Value.F
	case types.Decimal:
		n := types.Widen(l.Value.I)
		if l.T.Layout() == types.Int128 {
			n = l.Value.D
		}
		f, _ := strconv.ParseFloat(n.ToString(int32(l.T.Scale)), 64)
		return f
	}
	return float64(l.Value.I)
}

// sevenDigits rounds a FLOAT to 7 decimal digits.
func sevenDigits(f float64) float64 {
	g, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 6, 64), 32)
	if err != nil {
		return f
	}
	return g
}

// settle rounds computed FLOAT constants to 7 digits, as Flink does when it puts them
// into a plan. Constants inside of constants are gone by then.
func (b *binder) settle(e expr.Expr) expr.Expr {
	if len(b.results) > 0 {
		e = rewrite(e, func(e expr.Expr) expr.Expr {
			l, ok := e.(*expr.Literal)
			if !ok || !b.results[l] || l.T.Kind != types.Float {
				return nil
			}
			return &expr.Literal{Info: l.Info, Value: types.FloatValue(sevenDigits(l.Value.F))}
		})
	}
	clear(b.results)
	clear(b.written)
	return e
}

// noNegativeZero makes a constant -0.0 0.0, as in Flink. What is computed at run time may be
// -0.0.
func noNegativeZero(v types.Value) types.Value {
	if v.F == 0 {
		v.F = 0
	}
	return v
}

// constant reports whether e has the same value for every row and every run. Folding
// works from the leaves up, so what is constant below e is a literal by now, and a
// look at a few nodes is enough; without a bound a chain of a thousand operators would
// be walked a thousand times.
func constant(e expr.Expr) bool {
	const enough = 64
	ok, seen := true, 0
	expr.Walk(e, func(x expr.Expr) bool {
		if seen++; seen > enough {
			ok = false
		}
		switch x := x.(type) {
		case *expr.Literal, *expr.Cast, *expr.And, *expr.Or, *expr.Case:
		case *expr.Call:
			ok = ok && !x.Func.NonDeterministic
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// nameOf prints a dotted name.
func nameOf(n sql.Name) string {
	s := ""
	for i, p := range n.Parts {
		if i > 0 {
			s += "."
		}
		s += p.Name
	}
	return s
}
