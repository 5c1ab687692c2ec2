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

// functionOf returns the table function of the registry that an item of FROM calls, or
// nil.
func (b *binder) functionOf(t sql.TableExpr) (*sql.TableFunc, *expr.TableFunction) {
	f, ok := t.(*sql.TableFunc)
	if !ok {
		return nil, nil
	}
	fn := b.env.Registry.TableFunction(nameOf(f.Call.Name))
	if fn == nil {
		return nil, nil
	}
	return f, fn
}

// functionAlone binds a table function that is joined with nothing in front of it: its
// arguments are constants.
func (b *binder) functionAlone(f *sql.TableFunc, fn *expr.TableFunction) (relation, error) {
	left, err := b.from(nil, b.span(f))
	if err != nil {
		return left, err
	}
	return b.functionRows(f, fn, left, left)
}

// functionRows puts the rows of a table function beside the rows of left. Its arguments
// are over the columns of scope, which are those of left, or none.
func (b *binder) functionRows(f *sql.TableFunc, fn *expr.TableFunction, left, scope relation) (relation, error) {
	span := b.span(f.Call)
	if f.Ordinality {
		return left, b.unsupported(span, "WITH ORDINALITY of "+fn.Name, "let the function give the number of the row")
	}
	n := &logical.TableFunction{Func: fn}
	if err := b.functionArgs(n, f.Call, scope); err != nil {
		return left, err
	}
	if fn.NonDeterministic && left.node.Info().Mode != physical.Append {
		return left, b.unsupported(span, "the table function "+fn.Name+" over an updating result",
			"it may give other rows when a row is taken back: register it without FuncVolatile if it does not")
	}
	return b.lateral(n, left, n.Res.Fields, f)
}

// functionArgs binds the arguments and casts them as the function asks.
func (b *binder) functionArgs(n *logical.TableFunction, c *sql.Call, scope relation) error {
	switch {
	case c.Over != nil || c.Distinct || c.Filter != nil || c.Star || len(c.OrderBy) > 0:
		return b.errorf(diag.InvalidArgument, b.span(c), "table function %q takes arguments only", n.Func.Name).WithHint("usage: %s", n.Func.Usage)
	case slices.ContainsFunc(c.ArgNames, func(a *sql.Ident) bool { return a != nil }):
		return b.unsupported(b.span(c), "a named argument", "give the arguments in order, without names")
	}
	x := &exprBinder{binder: b, rel: scope, clause: "a table function"}
	argTypes := make([]types.Type, len(c.Args))
	for i, a := range c.Args {
		e, err := x.bind(a)
		if err != nil {
			return err
		}
		n.Args = append(n.Args, e)
		argTypes[i] = e.Type()
	}
	var err error
	if n.Res, err = n.Func.Resolve(argTypes); err != nil {
		if i := slices.IndexFunc(n.Args, isNull); i >= 0 {
			return b.errorf(diag.TypeMismatch, n.Args[i].Span(), "a bare NULL has no type here").WithHint("write CAST(NULL AS type)")
		}
		return b.resolveError(err, n.Func.Name, n.Func.Usage, argTypes, b.span(c), false)
	}
	for i := range n.Args {
		if n.Args[i], err = b.coerce(n.Args[i], n.Res.Args[i]); err != nil {
			return err
		}
	}
	return nil
}

// functionJoin binds a join with a table function, whose arguments may be columns of the
// other side if it is LATERAL.
func (b *binder) functionJoin(t *sql.Join, f *sql.TableFunc, fn *expr.TableFunction, left relation) (relation, error) {
	return b.lateralJoin(t, "a table function", "LATERAL TABLE(...)", left, func() (relation, error) {
		if f.Lateral {
			return b.functionRows(f, fn, left, left)
		}
		scope, err := b.from(nil, b.span(f))
		if err != nil {
			return left, err
		}
		both, err := b.functionRows(f, fn, left, scope)
		if e := diag.As(err); e != nil && (e.Code == diag.UndefinedColumn || e.Code == diag.UndefinedTable) {
			return both, e.WithHint("write LATERAL TABLE(%s(...)) to call it for each row of what stands in front", fn.Name)
		}
		return both, err
	})
}

// noTableFunction is the error of a name in FROM that is no table function.
func (b *binder) noTableFunction(c *sql.Call) error {
	name := strings.ToUpper(nameOf(c.Name))
	if r := b.env.Registry; r.Function(name) != nil || r.Aggregate(name) != nil {
		return b.errorf(diag.UndefinedFunc, b.span(c.Name), "function %q gives a value, not a table", nameOf(c.Name)).
			WithHint("call it in SELECT or WHERE")
	}
	names := append(tableFunctionNames(), b.env.Registry.TableFunctionNames()...)
	e := b.errorf(diag.UndefinedFunc, b.span(c.Name), "table function %q not found", nameOf(c.Name))
	if here, ok := elsewhere[name]; ok {
		return e.WithHint("write %s", here)
	}
	return e.DidYouMean(name, names, listHint("table functions", names))
}
