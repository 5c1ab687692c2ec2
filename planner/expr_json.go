package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/types"
)

// jsonClauses are what stands behind the arguments of a JSON function.
type jsonClauses struct {
	returning        *sql.TypeName
	wrapper          string
	onEmpty, onError string
	emptyDefault     sql.Expr
	errorDefault     sql.Expr
	onNull           string
}

// jsonCall binds the functions whose clauses are words; ok is false for others.
func (x *exprBinder) jsonCall(name string, e *sql.Call) (r expr.Expr, ok bool, err error) {
	switch name {
	case "JSON_EXISTS", "JSON_VALUE", "JSON_QUERY", "JSON_OBJECT", "JSON_ARRAY":
	case "JSON_STRING":
		if len(e.Args) != 1 {
			return nil, false, nil
		}
		v, isJSON, err := x.jsonOperand(e.Args[0])
		if isJSON || err != nil {
			return v, true, err // as in Flink, what is JSON already stays as it is
		}
		return nil, false, nil
	case "JSON":
		return nil, true, x.errorf(diag.InvalidArgument, x.span(e), "JSON(text) is possible as a value of JSON_OBJECT and JSON_ARRAY only")
	default:
		return nil, false, nil
	}
	args, c, err := x.jsonArguments(name, e)
	if err != nil {
		return nil, true, err
	}
	f := x.env.Registry.Function(name)
	if f == nil {
		return nil, true, x.unsupported(x.span(e), name, "")
	}
	word := func(s string) expr.Expr { return x.text(s, x.span(e)) }
	switch name {
	case "JSON_OBJECT", "JSON_ARRAY":
		r, err = x.jsonBuild(f, e, args, c)
		return r, true, err
	}
	if len(args) != 2 {
		return nil, true, x.errorf(diag.InvalidArgument, x.span(e), "%s takes a text and a path, but has %d arguments", name, len(args)).
			WithHint("usage: %s", f.Usage)
	}
	bound, err := x.bindAll(args)
	if err != nil {
		return nil, true, err
	}
	switch name {
	case "JSON_EXISTS":
		bound = append(bound, word(c.onError))
	case "JSON_QUERY":
		bound = append(bound, word(c.wrapper), word(c.onEmpty), word(c.onError))
		if c.returning == nil {
			break
		}
		if c.returning.Type.IsText() {
			t, err := x.typeName(*c.returning)
			if err != nil {
				return nil, true, err
			}
			if r, err = x.apply(f, bound, x.span(e)); err != nil {
				return nil, true, err
			}
			r, err = x.fold(&expr.Cast{Info: expr.Info{T: t.Nullable(), S: x.span(e)}, Arg: r})
			return r, true, err
		}
		t, err := x.typeName(*c.returning)
		if err != nil {
			return nil, true, err
		}
		if t.Kind != types.Array || !t.Elem().IsText() {
			return nil, true, x.errorf(diag.InvalidArgument, x.span(*c.returning), "JSON_QUERY gives a STRING or an ARRAY<STRING>, not %s", t.Name())
		}
		bound = append(bound, word("ARRAY"))
	case "JSON_VALUE":
		if bound, err = x.jsonValue(bound, c, x.span(e)); err != nil {
			return nil, true, err
		}
	}
	r, err = x.apply(f, bound, x.span(e))
	return r, true, err
}

func (x *exprBinder) bindAll(nodes []sql.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(nodes))
	for i, n := range nodes {
		a, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		out[i] = a
	}
	return out, nil
}

// jsonArguments separates the arguments from the clauses behind them.
func (x *exprBinder) jsonArguments(name string, e *sql.Call) ([]sql.Expr, jsonClauses, error) {
	var c jsonClauses
	var args []sql.Expr
	bad := func(w *sql.Word) error {
		return x.errorf(diag.InvalidArgument, x.span(w), "%s does not take %s", name, w.Text)
	}
	for i := 0; i < len(e.Args); i++ {
		w, ok := e.Args[i].(*sql.Word)
		if !ok {
			args = append(args, e.Args[i])
			continue
		}
		behavior, on, _ := strings.Cut(w.Text, " ON ")
		switch {
		case w.Text == "RETURNING":
			t := e.Args[i+1].(*sql.TypeArg).Type
			c.returning = &t
			i++
			if name != "JSON_VALUE" && name != "JSON_QUERY" {
				return nil, c, bad(w)
			}
		case w.Text == "DEFAULT":
			if name != "JSON_VALUE" {
				return nil, c, bad(w)
			}
			if e.Args[i+2].(*sql.Word).Text == "ON EMPTY" {
				c.onEmpty, c.emptyDefault = "DEFAULT", e.Args[i+1]
			} else {
				c.onError, c.errorDefault = "DEFAULT", e.Args[i+1]
			}
			i += 2
		case strings.HasSuffix(w.Text, " WRAPPER") && name == "JSON_QUERY":
			c.wrapper = wrapperOf(w.Text)
		case on == "NULL" && name != "JSON_VALUE" && name != "JSON_QUERY" && name != "JSON_EXISTS":
			c.onNull = behavior
		case on == "EMPTY" && allowedOn(name, behavior) && name != "JSON_EXISTS":
			if behavior == "EMPTY" {
				behavior = "EMPTY ARRAY"
			}
			c.onEmpty = behavior
		case on == "ERROR" && allowedOn(name, behavior):
			if behavior == "EMPTY" {
				behavior = "EMPTY ARRAY"
			}
			c.onError = behavior
		default:
			return nil, c, bad(w)
		}
	}
	return args, c, nil
}

// allowedOn reports whether a function takes that behaviour on EMPTY or ERROR.
func allowedOn(name, behavior string) bool {
	switch behavior {
	case "ERROR":
		return true
	case "NULL":
		return name != "JSON_EXISTS"
	case "TRUE", "FALSE", "UNKNOWN":
		return name == "JSON_EXISTS"
	}
	return name == "JSON_QUERY" // EMPTY ARRAY, EMPTY OBJECT
}

func wrapperOf(words string) string {
	switch {
	case strings.HasPrefix(words, "WITHOUT"):
		return ""
	case strings.Contains(words, "UNCONDITIONAL"):
		return "UNCONDITIONAL"
	case strings.Contains(words, "CONDITIONAL"):
		return "CONDITIONAL"
	}
	return "UNCONDITIONAL"
}

// jsonValue adds the clauses of JSON_VALUE to its arguments.
func (x *exprBinder) jsonValue(args []expr.Expr, c jsonClauses, span diag.Span) ([]expr.Expr, error) {
	t := types.Of(types.Varchar)
	if c.returning != nil {
		var err error
		if t, err = x.typeName(*c.returning); err != nil {
			return nil, err
		}
	}
	t = t.Nullable()
	null := &expr.Literal{Info: expr.Info{T: t, S: span}, Value: types.NullValue}
	value := func(n sql.Expr) (expr.Expr, error) {
		if n == nil {
			return null, nil
		}
		d, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		return x.coerce(d, t)
	}
	onEmpty, err := value(c.emptyDefault)
	if err != nil {
		return nil, err
	}
	onError, err := value(c.errorDefault)
	if err != nil {
		return nil, err
	}
	return append(args, x.text(c.onEmpty, span), onEmpty, x.text(c.onError, span), onError, null), nil
}

// jsonBuild binds JSON_OBJECT and JSON_ARRAY.
func (x *exprBinder) jsonBuild(f *expr.Function, e *sql.Call, nodes []sql.Expr, c jsonClauses) (expr.Expr, error) {
	object := f.Name == "JSON_OBJECT"
	if object && len(nodes)%2 != 0 {
		return nil, x.errorf(diag.InvalidArgument, x.span(e), "a value is missing behind a key").WithHint("usage: %s", f.Usage)
	}
	if c.onNull == "" {
		c.onNull = "ABSENT"
		if object {
			c.onNull = "NULL"
		}
	}
	letters := ""
	args := []expr.Expr{nil}
	for i, n := range nodes {
		if object && i%2 == 0 {
			key, err := x.bind(n)
			if err != nil {
				return nil, err
			}
			if isNull(key) {
				return nil, x.errorf(diag.TypeMismatch, key.Span(), "a key of JSON_OBJECT cannot be NULL")
			}
			args = append(args, key)
			continue
		}
		v, isJSON, err := x.jsonOperand(n)
		if err != nil {
			return nil, err
		}
		if isJSON {
			letters += "j"
		} else {
			letters += "v"
		}
		args = append(args, v)
	}
	args[0] = x.text(c.onNull+":"+letters, x.span(e))
	return x.apply(f, args, x.span(e))
}

// jsonOperand binds a value of JSON_OBJECT or JSON_ARRAY and tells whether it is JSON
// text that is put in as it is.
func (x *exprBinder) jsonOperand(n sql.Expr) (expr.Expr, bool, error) {
	inner := n
	for {
		if p, ok := inner.(*sql.Paren); ok && p.Unit == "" {
			inner = p.Expr
			continue
		}
		// A CAST to STRING changes nothing, so that Flink leaves it out first.
		if c, ok := inner.(*sql.Cast); ok && !c.Try && c.Type.Type.Same(types.Of(types.Varchar)) {
			inner = c.Expr
			continue
		}
		break
	}
	if call, ok := inner.(*sql.Call); ok {
		switch strings.ToUpper(nameOf(call.Name)) {
		case "JSON_OBJECT", "JSON_ARRAY", "JSON_OBJECTAGG", "JSON_ARRAYAGG":
			v, err := x.bind(inner)
			return v, true, err
		case "JSON":
			v, err := x.function(call, call.Args)
			return v, true, err
		}
	}
	v, err := x.bind(n)
	return v, false, err
}

// jsonAggregateArgs binds the arguments of JSON_ARRAYAGG and JSON_OBJECTAGG: the
// values become JSON text, so that the aggregate has only to put texts together.
func (x *exprBinder) jsonAggregateArgs(agg *expr.Aggregate, e *sql.Call) ([]expr.Expr, error) {
	nodes, c, err := x.jsonArguments(agg.Name, e)
	if err != nil {
		return nil, err
	}
	want := 1
	if agg.Name == "JSON_OBJECTAGG" {
		want = 2
		if c.onNull == "" {
			c.onNull = "NULL"
		}
	}
	if len(nodes) != want {
		return nil, x.errorf(diag.InvalidArgument, x.span(e), "%s takes %d values, but has %d", agg.Name, want, len(nodes)).
			WithHint("usage: %s", agg.Usage)
	}
	args, err := x.bindAll(nodes[:want-1])
	if err != nil {
		return nil, err
	}
	v, isJSON, err := x.jsonOperand(nodes[want-1])
	if err != nil {
		return nil, err
	}
	span := v.Span()
	if !isJSON {
		if v, err = x.apply(x.env.Registry.Function("JSON_STRING"), []expr.Expr{v}, span); err != nil {
			return nil, err
		}
	}
	if c.onNull == "NULL" && !v.Type().NotNull {
		if v, err = x.apply(x.env.Registry.Function("COALESCE"), []expr.Expr{v, x.text("null", span)}, span); err != nil {
			return nil, err
		}
	}
	return append(args, v), nil
}
