package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// exprBinder binds the expressions of one clause.
type exprBinder struct {
	*binder
	rel    relation
	clause string // for messages: "WHERE", "the select list"
	// group takes the aggregate calls of a grouped query; nil where none may stand.
	group *grouping
	// alias gives the expression of the select list with that alias, where aliases may
	// be used; nil elsewhere.
	alias map[string]sql.Expr
	depth int // of aliases being expanded
	level int // how many expressions around the one being bound
	// numbers takes ROW_NUMBER() OVER (..); nil where it may not stand.
	numbers *numbering
	nested  *nestedScope // in a subquery: rel is the query around it
	places  scalarPlace  // whether a subquery may stand for a value
}

// bind resolves an expression.
func (x *exprBinder) bind(e sql.Expr) (expr.Expr, error) {
	x.level++
	bound, err := x.bindNode(e)
	if x.level--; x.level == 0 && err == nil {
		bound = x.settle(bound)
	}
	return bound, err
}

func (x *exprBinder) bindNode(e sql.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *sql.ColumnRef:
		return x.columnRef(e)
	case *sql.Literal:
		return x.literal(e, "")
	case *sql.Interval:
		return x.interval(e)
	case *sql.IntervalOf:
		return x.intervalOf(e)
	case *sql.Paren:
		return x.paren(e)
	case *sql.Unary:
		return x.unary(e)
	case *sql.Binary:
		return x.binary(e)
	case *sql.Test:
		return x.test(e)
	case *sql.Between:
		return x.between(e)
	case *sql.In:
		return x.in(e)
	case *sql.Like:
		return x.like(e)
	case *sql.Case:
		return x.caseOf(e)
	case *sql.Cast:
		return x.cast(e)
	case *sql.Call:
		return x.call(e)
	case *sql.RowValue:
		return x.constructor("ROW", e, e.Items)
	case *sql.ArrayValue:
		return x.constructor("ARRAY", e, e.Items)
	case *sql.MapValue:
		return x.constructor("MAP", e, e.Items)
	case *sql.Index:
		return x.item(e)
	case *sql.Field:
		return x.fieldOf(e)
	case *sql.Subquery:
		return x.scalar(e)
	case *sql.Word:
		return x.text(e.Text, x.span(e)), nil
	}
	return nil, x.refuse(e)
}

// refuse names the kinds of expressions that nothing binds.
func (x *exprBinder) refuse(e sql.Expr) error {
	span := x.span(e)
	switch e.(type) {
	case *sql.Exists:
		return x.unsupported(span, "EXISTS in this place", "write it into WHERE, joined to other conditions with AND only")
	case *sql.Descriptor:
		return x.errorf(diag.InvalidArgument, span, "DESCRIPTOR is an argument of window functions only").
			WithHint("write FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND))")
	case *sql.TableArg:
		return x.errorf(diag.InvalidArgument, span, "a table argument is possible in FROM only").
			WithHint("write FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND))")
	}
	return x.unsupported(span, "this expression", "")
}

// niladic are the functions that are called without brackets.
var niladic = map[string]bool{
	"CURRENT_DATE": true, "CURRENT_TIME": true, "CURRENT_TIMESTAMP": true, "LOCALTIME": true, "LOCALTIMESTAMP": true, "PI": true,
}

func (x *exprBinder) columnRef(e *sql.ColumnRef) (expr.Expr, error) {
	name := e.Name.Parts[len(e.Name.Parts)-1].Name
	if len(e.Name.Parts) == 1 && !e.Name.Parts[0].Quoted && niladic[strings.ToUpper(name)] && len(x.rel.find("", name)) == 0 {
		return x.function(&sql.Call{Pos: e.Pos, Name: e.Name}, nil)
	}
	if x.nested != nil {
		i, path, err := x.resolvePath(x.nested.rel, e.Name)
		if err == nil {
			return x.fields(shifted(x.nested.rel.column(i, x.span(e)), x.nested.shift), path, x.span(e))
		}
		if j, path, outer := x.resolvePath(x.rel, e.Name); outer == nil {
			return x.fields(x.rel.column(j, x.span(e)), path, x.span(e))
		}
		return nil, err
	}
	i, path, err := x.resolvePath(x.rel, e.Name)
	if err == nil {
		return x.fields(x.rel.column(i, x.span(e)), path, x.span(e))
	}
	if len(e.Name.Parts) == 1 && x.alias != nil {
		if a := x.aliased(name); a != nil && x.depth < 8 {
			x.depth++
			defer func() { x.depth-- }()
			return x.bind(a)
		}
	}
	return nil, err
}

// aliased finds the select item of that alias.
func (x *exprBinder) aliased(name string) sql.Expr {
	if a := x.alias[name]; a != nil {
		return a
	}
	var found sql.Expr
	for n, a := range x.alias {
		if strings.EqualFold(n, name) {
			if found != nil {
				return nil
			}
			found = a
		}
	}
	return found
}

// text makes a CHAR constant, for keyword arguments.
func (x *exprBinder) text(s string, span diag.Span) *expr.Literal {
	return &expr.Literal{Info: expr.Info{T: types.NewChar(len([]rune(s))).Required(), S: span}, Value: types.TextValue(s)}
}

// paren is a bracketed expression; a unit behind the bracket makes a difference of
// times an interval.
func (x *exprBinder) paren(e *sql.Paren) (expr.Expr, error) {
	if e.Unit == "" {
		return x.bind(e.Expr)
	}
	inner := e.Expr
	for {
		p, ok := inner.(*sql.Paren)
		if !ok || p.Unit != "" {
			break
		}
		inner = p.Expr
	}
	d, ok := inner.(*sql.Binary)
	if !ok || d.Op != "-" {
		return nil, x.errorf(diag.TypeMismatch, x.span(e), "only a difference of two times can have the unit %s", e.Unit).
			WithHint("write (a - b) %s", e.Unit)
	}
	l, err := x.bind(d.Left)
	if err != nil {
		return nil, err
	}
	r, err := x.bind(d.Right)
	if err != nil {
		return nil, err
	}
	if !l.Type().IsTemporal() || !r.Type().IsTemporal() {
		return nil, x.errorf(diag.TypeMismatch, x.span(e), "%s - %s is no difference of times", l.Type().Name(), r.Type().Name())
	}
	return x.operator("MINUS", x.span(e), l, r, x.text(e.Unit, x.span(e)))
}

// intervalOf is INTERVAL expr unit: the number times one unit.
func (x *exprBinder) intervalOf(e *sql.IntervalOf) (expr.Expr, error) {
	n, err := x.bind(e.Expr)
	if err != nil {
		return nil, err
	}
	if !n.Type().IsNumeric() && !isNull(n) {
		return nil, x.errorf(diag.TypeMismatch, n.Span(), "INTERVAL needs a number, but has %s", n.Type().Name())
	}
	one, err := x.interval(&sql.Interval{Pos: e.Pos, Text: "1", From: e.Unit, LeadPrecision: -1, FracPrecision: -1})
	if err != nil {
		return nil, err
	}
	return x.operator("*", x.span(e), n, one)
}

func (x *exprBinder) unary(e *sql.Unary) (expr.Expr, error) {
	if l, ok := e.Expr.(*sql.Literal); ok && e.Op == "-" && l.Kind == sql.NumberLiteral {
		return x.literal(&sql.Literal{Pos: e.Pos, Kind: l.Kind, Text: l.Text}, "-")
	}
	a, err := x.bind(e.Expr)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "NOT":
		return x.not(a, x.span(e))
	case "+":
		if !a.Type().IsNumeric() && !a.Type().IsInterval() {
			return nil, x.errorf(diag.TypeMismatch, x.span(e), "+ needs a number, but has %s", a.Type().Name())
		}
		return a, nil
	}
	return x.operator("NEGATE", x.span(e), a)
}

func (x *exprBinder) not(a expr.Expr, span diag.Span) (expr.Expr, error) {
	a, err := x.boolean(a, "the operand of NOT")
	if err != nil {
		return nil, err
	}
	return x.operator("NOT", span, a)
}

func (x *exprBinder) binary(e *sql.Binary) (expr.Expr, error) {
	switch e.Op {
	case "AND", "OR":
		return x.logic(e)
	}
	if op, quantifier, ok := strings.Cut(e.Op, " "); ok && (quantifier == "ANY" || quantifier == "ALL") {
		return x.quantified(e, op, quantifier == "ALL")
	}
	if e.Op == "OVERLAPS" {
		return x.overlaps(e)
	}
	if l, r, ok := rowsOf(e.Left, e.Right); ok && e.Op == "=" {
		return x.equalRows(l, r, x.span(e))
	}
	l, err := x.bind(e.Left)
	if err != nil {
		return nil, err
	}
	r, err := x.bind(e.Right)
	if err != nil {
		return nil, err
	}
	if e.Op == "+" {
		if a := withoutZero(l, r); a != nil {
			return a, nil
		}
	}
	return x.operator(e.Op, x.span(e), l, r)
}

// logic flattens a chain of ANDs or ORs.
func (x *exprBinder) logic(e *sql.Binary) (expr.Expr, error) {
	var args []expr.Expr
	var collect func(n sql.Expr) error
	collect = func(n sql.Expr) error {
		if p, ok := n.(*sql.Paren); ok && p.Unit == "" {
			if inner, ok := p.Expr.(*sql.Binary); ok && inner.Op == e.Op {
				return collect(inner)
			}
		}
		if d, ok := n.(*sql.Binary); ok && d.Op == e.Op {
			if err := collect(d.Left); err != nil {
				return err
			}
			return collect(d.Right)
		}
		a, err := x.bind(n)
		if err != nil {
			return err
		}
		a, err = x.boolean(a, "an operand of "+e.Op)
		args = append(args, a)
		return err
	}
	if err := collect(e); err != nil {
		return nil, err
	}
	return x.fold(connect(e.Op == "AND", args, x.span(e)))
}

// connect joins conditions with AND or OR; constants that decide nothing drop out.
func connect(and bool, args []expr.Expr, span diag.Span) expr.Expr {
	nullable := false
	kept := args[:0:0]
	for _, a := range args {
		if l, ok := a.(*expr.Literal); ok && !l.Value.Null && (l.Value.I != 0) == and && len(args) > 1 {
			continue
		}
		nullable = nullable || !a.Type().NotNull
		kept = append(kept, a)
	}
	switch len(kept) {
	case 0:
		return args[0]
	case 1:
		return kept[0]
	}
	info := expr.Info{T: types.Of(types.Boolean).WithNullability(nullable), S: span}
	if and {
		return &expr.And{Info: info, Args: kept}
	}
	return &expr.Or{Info: info, Args: kept}
}

func (x *exprBinder) test(e *sql.Test) (expr.Expr, error) {
	a, err := x.bind(e.Expr)
	if err != nil {
		return nil, err
	}
	not := ""
	if e.Not {
		not = "NOT "
	}
	switch e.What {
	case "NULL":
		if isNull(a) {
			return x.constant(!e.Not, x.span(e)), nil
		}
	case "TRUE", "FALSE", "UNKNOWN":
		if a, err = x.boolean(a, "the operand of IS "+not+e.What); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(e.What, "JSON") && e.Not {
		is, err := x.operator("IS "+e.What, x.span(e), a)
		if err != nil {
			return nil, err
		}
		return x.not(is, x.span(e))
	}
	return x.operator("IS "+not+e.What, x.span(e), a)
}

func (x *exprBinder) constant(v bool, span diag.Span) *expr.Literal {
	return &expr.Literal{Info: expr.Info{T: types.Of(types.Boolean).Required(), S: span}, Value: types.BoolValue(v)}
}

func (x *exprBinder) between(e *sql.Between) (expr.Expr, error) {
	var v [3]expr.Expr
	for i, n := range []sql.Expr{e.Expr, e.Low, e.High} {
		a, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		v[i] = a
	}
	span := x.span(e)
	within := func(low, high expr.Expr) (expr.Expr, error) {
		ge, err := x.operator(">=", span, v[0], low)
		if err != nil {
			return nil, err
		}
		le, err := x.operator("<=", span, v[0], high)
		if err != nil {
			return nil, err
		}
		return connect(true, []expr.Expr{ge, le}, span), nil
	}
	in, err := within(v[1], v[2])
	if err != nil {
		return nil, err
	}
	if e.Symmetric {
		swapped, err := within(v[2], v[1])
		if err != nil {
			return nil, err
		}
		in = connect(false, []expr.Expr{in, swapped}, span)
	}
	if e.Not {
		return x.not(in, span)
	}
	return x.fold(in)
}

func (x *exprBinder) in(e *sql.In) (expr.Expr, error) {
	if e.Query != nil {
		return nil, x.unsupported(x.span(e), "IN with a subquery in this place", "write it into WHERE, joined to other conditions with AND only; or list the values: x IN (1, 2, 3)")
	}
	if in, ok, err := x.rowIn(e); ok {
		if err != nil || !e.Not {
			return in, err
		}
		return x.not(in, x.span(e))
	}
	var args []expr.Expr
	for i, item := range append([]sql.Expr{e.Expr}, e.List...) {
		v, err := x.bind(item)
		if err == nil && i > 0 {
			v, err = x.listElement(v, args[0])
		}
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	in, err := x.anyOf(args, x.span(e))
	if err != nil || !e.Not {
		return in, err
	}
	return x.not(in, x.span(e))
}

// listElement converts an element of an IN list to the kind of the value that is
// looked for, as Flink does: 2.5 counts as 2 beside an INT, what does not fit a DECIMAL as NULL, unless
// both are constants, a time beside a text as its text, and a text beside a CHAR is cut.
func (x *exprBinder) listElement(e, of expr.Expr) (expr.Expr, error) {
	value := of.Type()
	t := e.Type()
	convert := value.IsNumeric() && (t.IsNumeric() || t.IsText()) || value.IsText() && (t.IsNumeric() || t.IsTemporal()) ||
		value.Kind == types.Char && t.Kind == types.Varchar ||
		value.Kind == types.Boolean && t.IsText() || value.IsTemporal() && t.IsText() || value.IsTimestamp() && t.IsTimestamp()
	if !convert || t.Kind == value.Kind {
		return e, nil
	}
	c := &expr.Cast{Info: expr.Info{T: value.WithNullability(!value.NotNull || !t.NotNull), S: e.Span()}, Arg: e, Implicit: true}
	if value.Kind == types.Decimal && t.IsNumeric() {
		c.T, c.Try = c.T.Nullable(), true
	}
	folded, err := x.fold(c)
	if l, ok := folded.(*expr.Literal); ok && c.Try && l.Value.Null && literals([]expr.Expr{of}) {
		return e, nil
	}
	return folded, err
}

// anyOf is IN: a look-up where the list is constant, otherwise comparisons from left
// to right, of which the later ones are not evaluated after a hit. Unlike =, both
// compare a number with a text.
func (x *exprBinder) anyOf(args []expr.Expr, span diag.Span) (expr.Expr, error) {
	if literals(args[1:]) {
		return x.operator("IN", span, args...)
	}
	var alternatives []expr.Expr
	for _, v := range args[1:] {
		eq, err := x.operator("IN", v.Span(), args[0], v)
		if err != nil {
			return nil, err
		}
		alternatives = append(alternatives, eq)
	}
	return x.fold(connect(false, alternatives, span))
}

func (x *exprBinder) like(e *sql.Like) (expr.Expr, error) {
	op := "LIKE"
	if e.Similar {
		op = "SIMILAR TO"
	}
	var args []expr.Expr
	for _, n := range []sql.Expr{e.Expr, e.Pattern, e.Escape} {
		if n == nil {
			continue
		}
		a, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	r, err := x.operator(op, x.span(e), args...)
	if err != nil || !e.Not {
		return r, err
	}
	return x.not(r, x.span(e))
}

func (x *exprBinder) caseOf(e *sql.Case) (expr.Expr, error) {
	c := &expr.Case{Info: expr.Info{S: x.span(e)}}
	var operand expr.Expr
	var err error
	if e.Operand != nil {
		if operand, err = x.bind(e.Operand); err != nil {
			return nil, err
		}
	}
	for _, w := range e.Whens {
		var conds []expr.Expr
		for _, n := range w.Conds {
			cond, err := x.bind(n)
			if err == nil && operand != nil {
				cond, err = x.operator("=", x.span(n), operand, cond)
			}
			if err != nil {
				return nil, err
			}
			if isNull(cond) { // it is never TRUE
				cond = &expr.Literal{Info: expr.Info{T: types.Of(types.Boolean), S: cond.Span()}, Value: types.NullValue}
			}
			if cond, err = x.boolean(cond, "a condition of CASE"); err != nil {
				return nil, err
			}
			conds = append(conds, cond)
		}
		then, err := x.bind(w.Then)
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, expr.When{Cond: connect(false, conds, c.S), Then: then})
	}
	c.Else = &expr.Literal{Info: expr.Info{S: c.S}, Value: types.NullValue}
	if e.Else != nil {
		if c.Else, err = x.bind(e.Else); err != nil {
			return nil, err
		}
	}
	return x.finishCase(c, "CASE", types.CaseType)
}

// finishCase gives the branches of a CASE their common type.
func (x *exprBinder) finishCase(c *expr.Case, what string, meet func(a, b types.Type) (types.Type, bool)) (expr.Expr, error) {
	var values []expr.Expr
	for _, w := range c.Whens {
		values = append(values, w.Then)
	}
	t, err := x.commonType(append(values, c.Else), what, meet)
	if err != nil {
		return nil, err
	}
	for i := range c.Whens {
		if c.Whens[i].Then, err = x.coerce(c.Whens[i].Then, t); err != nil {
			return nil, err
		}
	}
	if c.Else, err = x.coerce(c.Else, t); err != nil {
		return nil, err
	}
	c.T = t
	return x.fold(c)
}

// timeOf returns the time attribute that e passes on.
func (r relation) timeOf(e expr.Expr) stream.TimeAttr {
	switch e := e.(type) {
	case *expr.Column:
		return r.fields()[e.Index].Time
	case *expr.Proctime:
		return stream.Proctime
	}
	return stream.NoTime
}
