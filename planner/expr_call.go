package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// operator applies a function of the registry that has an operator's name.
func (x *exprBinder) operator(op string, span diag.Span, args ...expr.Expr) (expr.Expr, error) {
	f := x.env.Registry.Function(op)
	if f == nil {
		return nil, x.unsupported(span, "the operator "+op, "")
	}
	return x.apply(f, args, span)
}

// comparison are the operators that take a bare NULL on one side.
var comparison = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true,
	"IS DISTINCT FROM": true, "IS NOT DISTINCT FROM": true,
}

// apply resolves a function for its arguments, casts them as it asks, and folds a
// constant result.
func (x *exprBinder) apply(f *expr.Function, args []expr.Expr, span diag.Span) (expr.Expr, error) {
	if len(args) == 2 && comparison[f.Name] && isNull(args[0]) != isNull(args[1]) {
		// The bare NULL takes the type of the other operand.
		i := 0
		if isNull(args[1]) {
			i = 1
		}
		n, err := x.coerce(args[i], args[1-i].Type())
		if err != nil {
			return nil, err
		}
		args[i] = n
	}
	argTypes := make([]types.Type, len(args))
	lits := make([]*expr.Literal, len(args))
	for i, a := range args {
		argTypes[i] = a.Type()
		lits[i], _ = a.(*expr.Literal)
	}
	res, err := f.Resolve(argTypes, lits)
	if err != nil {
		if i := slices.IndexFunc(args, isNull); i >= 0 {
			return nil, x.errorf(diag.TypeMismatch, args[i].Span(), "a bare NULL has no type here").WithHint("write CAST(NULL AS type)")
		}
		return nil, x.resolveError(err, f.Name, f.Usage, argTypes, span, f.Operator)
	}
	for i := range args {
		if i >= len(res.Args) {
			continue
		}
		if res.Unreadable && argTypes[i].IsText() && res.Args[i].IsTemporal() && lits[i] == nil {
			args[i] = &expr.Cast{Info: expr.Info{T: res.Args[i].Nullable(), S: args[i].Span()}, Arg: args[i], Implicit: true, Try: true}
			if !res.NullAware {
				res.Result = res.Result.Nullable()
			}
			continue
		}
		if args[i], err = x.coerce(args[i], res.Args[i]); err != nil {
			return nil, err
		}
	}
	return x.fold(&expr.Call{Info: expr.Info{T: res.Result, S: span}, Func: f, Args: args, Res: res})
}

// resolveError adds name, place and usage to what a function says about its
// arguments, whose types are args.
func (b *binder) resolveError(err error, name, usage string, args []types.Type, span diag.Span, operator bool) error {
	e := b.errorf(diag.TypeMismatch, span, "")
	var d *diag.Error
	if errors.As(err, &d) {
		c := *d
		e = &c
		if !e.Span.Valid() || b.at.Valid() {
			e.Span = span
		}
	} else {
		msg, hint, _ := strings.Cut(err.Error(), "; ")
		e.Msg, e.Hint = named(name, msg, operator), hint
	}
	if e.Hint == "" && !strings.Contains(e.Msg, " takes ") || strings.HasPrefix(e.Hint, "CAST the value") && hasVariant(args) {
		e.Hint = insideHint(args, usage)
	}
	if e.Hint == "" {
		e.Hint = numberHint(e.Msg, args)
	}
	if e.Hint == "" && usage != "" && !operator {
		e.Hint = "usage: " + usage
	}
	return e
}

// numberHint says how a text becomes the number that msg misses.
func numberHint(msg string, args []types.Type) string {
	for _, t := range args {
		if t.IsText() && strings.Contains(msg, " number") && strings.HasSuffix(msg, "not "+t.Name()) {
			return "CAST the text, or TRY_CAST(text AS DOUBLE), which is NULL where it is no number"
		}
	}
	return ""
}

// hasVariant reports whether an argument is a VARIANT, which no CAST takes.
func hasVariant(args []types.Type) bool {
	return slices.ContainsFunc(args, func(t types.Type) bool { return t.Kind == types.Variant })
}

// insideHint says how to get at what is in a VARIANT or BITMAP that was given to a
// function that, by its usage, knows none; else it is empty.
func insideHint(args []types.Type, usage string) string {
	for _, t := range args {
		switch {
		case t.Kind == types.Variant && !strings.Contains(usage, "variant"):
			return "take out a text by JSON_VALUE(variant, '$'), a number by JSON_VALUE(variant, '$' RETURNING DOUBLE), an array by JSON_QUERY(variant, '$' RETURNING ARRAY<STRING>)"
		case t.Kind == types.Bitmap && !strings.Contains(usage, "bitmap"):
			return "take out what is in it: BITMAP_CARDINALITY(bitmap), BITMAP_TO_ARRAY(bitmap)"
		}
	}
	return ""
}

// named puts the name of a function or operator before what it says: a sentence about
// itself without its subject ("expects a number"), or with it ("SUM needs a number"), or
// one about something else ("the fraction must be a constant").
func named(name, msg string, operator bool) string {
	subject := fmt.Sprintf("function %q", name)
	if operator {
		subject = "operator " + name
		if as, ok := written[name]; ok {
			subject = as
		}
	}
	msg = strings.TrimPrefix(msg, name+" ")
	if verb, _, _ := strings.Cut(msg, " "); slices.Contains(verbs, verb) {
		return subject + " " + msg
	}
	return subject + ": " + msg
}

// written is how an operator is called whose name nobody writes in that way.
var written = map[string]string{"NEGATE": "operator -", "ITEM": "[..]", "ARRAY": "ARRAY[..]", "MAP": "MAP[..]"}

// verbs begin what a function says about itself.
var verbs = []string{"cannot", "does", "expects", "is", "mixes", "needs", "over", "takes"}

// call binds a function call by name.
func (x *exprBinder) call(e *sql.Call) (expr.Expr, error) {
	span := x.span(e)
	name := strings.ToUpper(nameOf(e.Name))
	switch {
	case e.Over != nil:
		return x.over(e)
	case len(e.OrderBy) > 0:
		return nil, x.errorf(diag.Unsupported, span, "WITHIN GROUP is not supported: values come in the order of arrival").
			WithHint("leave it out, or sort the result: ARRAY_SORT(ARRAY_AGG(x))")
	case e.NullsMode != "" && name != "ARRAY_AGG":
		return nil, x.unsupported(span, e.NullsMode+" for "+name, "aggregates other than ARRAY_AGG leave NULLs out; or filter: FILTER (WHERE value IS NOT NULL)")
	}
	if w, ok := windowFunction(name); ok {
		return x.windowCall(e, w)
	}
	if agg := x.env.Registry.Aggregate(name); agg != nil {
		return x.aggregate(e, agg)
	}
	if e.Distinct || e.Filter != nil || e.Star {
		if x.env.Registry.Function(name) != nil {
			return nil, x.errorf(diag.InvalidArgument, span, "function %q is no aggregate: DISTINCT, FILTER and * do not apply", name)
		}
	}
	switch name {
	case "CURRENT_WATERMARK":
		return x.currentWatermark(e)
	case "PROCTIME":
		if len(e.Args) > 0 {
			return nil, x.errorf(diag.InvalidArgument, span, "PROCTIME takes no arguments")
		}
		return &expr.Proctime{Info: expr.Info{T: types.NewTimestampLTZ(3).Required(), S: span}}, nil
	case "IF":
		return x.ifOf(e)
	}
	if isGroupingFunction(name) {
		return x.groupingCall(name, e)
	}
	if r, ok, err := x.jsonCall(name, e); ok {
		return r, err
	}
	for _, a := range e.ArgNames {
		if a != nil {
			return nil, x.unsupported(x.span(a), "a named argument", "give the arguments in order, without names")
		}
	}
	return x.function(e, e.Args)
}

func (x *exprBinder) function(e *sql.Call, argNodes []sql.Expr) (expr.Expr, error) {
	name := nameOf(e.Name)
	f := x.env.Registry.Function(name)
	if f == nil || f.Operator {
		return nil, x.undefinedFunction(e.Name)
	}
	args := make([]expr.Expr, len(argNodes))
	for i, n := range argNodes {
		a, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		args[i] = a
	}
	return x.apply(f, args, x.span(e))
}

// ifOf is IF(cond, a, b): a CASE, so that it stays lazy. Its type is nullable if
// any argument is.
func (x *exprBinder) ifOf(e *sql.Call) (expr.Expr, error) {
	span := x.span(e)
	if len(e.Args) != 3 {
		return nil, x.errorf(diag.InvalidArgument, span, "IF takes 3 arguments, but has %d", len(e.Args)).
			WithHint("usage: IF(condition, value, otherwise)")
	}
	var v [3]expr.Expr
	for i, n := range e.Args {
		a, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		v[i] = a
	}
	cond, err := x.boolean(v[0], "the condition of IF")
	if err != nil {
		return nil, err
	}
	r, err := x.finishCase(&expr.Case{Info: expr.Info{S: span}, Whens: []expr.When{{Cond: cond, Then: v[1]}}, Else: v[2]}, "IF", types.IfType)
	if !cond.Type().NotNull {
		switch r := r.(type) {
		case *expr.Case:
			r.T = r.T.Nullable()
		case *expr.Literal:
			r.T = r.T.Nullable()
		}
	}
	return r, err
}

func (x *exprBinder) currentWatermark(e *sql.Call) (expr.Expr, error) {
	span := x.span(e)
	if len(e.Args) != 1 {
		return nil, x.errorf(diag.InvalidArgument, span, "CURRENT_WATERMARK takes 1 argument, but has %d", len(e.Args)).
			WithHint("usage: CURRENT_WATERMARK(rowtime column)")
	}
	a, err := x.bind(e.Args[0])
	if err != nil {
		return nil, err
	}
	if !x.wasRowtime(a) {
		return nil, x.errorf(diag.Watermark, a.Span(), "CURRENT_WATERMARK needs a rowtime column, but has %s", a.Type().Name()).
			WithHint("give the column that WATERMARK FOR names")
	}
	t := types.NewTimestamp(3)
	if a.Type().Kind == types.TimestampLTZ {
		t = types.NewTimestampLTZ(3)
	}
	return &expr.CurrentWatermark{Info: expr.Info{T: t, S: span}}, nil
}

// wasRowtime reports whether e is a rowtime column, or the one from which a window
// function took its time.
func (x *exprBinder) wasRowtime(e expr.Expr) bool {
	c, ok := e.(*expr.Column)
	if !ok {
		return false
	}
	if x.rel.fields()[c.Index].Time == stream.Rowtime {
		return true
	}
	n, i := logical.Trace(x.rel.node, c.Index)
	w, ok := n.(*logical.WindowTVF)
	return ok && i == w.Time
}
