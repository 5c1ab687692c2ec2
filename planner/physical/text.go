package physical

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// ExprText prints an expression for EXPLAIN: infix operators, columns by name.
func ExprText(e expr.Expr) string {
	var p exprPrinter
	p.expr(e)
	return p.String()
}

// exprPrinter writes into one buffer, so that a chain of a thousand operators is
// printed in linear time.
type exprPrinter struct{ strings.Builder }

func (p *exprPrinter) write(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *exprPrinter) expr(e expr.Expr) {
	switch e := e.(type) {
	case *expr.Column:
		p.write(e.Name)
	case *expr.Literal:
		p.write(LiteralText(e.T, e.Value))
	case *expr.Cast:
		if e.Try {
			p.write("TRY_")
		}
		p.write("CAST(")
		p.expr(e.Arg)
		p.write(" AS ", e.T.Name(), ")")
	case *expr.And:
		p.list(e.Args, " AND ", p.operand)
	case *expr.Or:
		p.list(e.Args, " OR ", p.operand)
	case *expr.Case:
		p.write("CASE")
		for _, w := range e.Whens {
			p.write(" WHEN ")
			p.expr(w.Cond)
			p.write(" THEN ")
			p.expr(w.Then)
		}
		p.write(" ELSE ")
		p.expr(e.Else)
		p.write(" END")
	case *expr.CurrentWatermark:
		p.write("CURRENT_WATERMARK()")
	case *expr.Proctime:
		p.write("PROCTIME()")
	case *expr.Call:
		p.call(e)
	default:
		fmt.Fprintf(p, "%T", e)
	}
}

func (p *exprPrinter) call(c *expr.Call) {
	name := c.Func.Name
	unit, _ := lastLiteral(c)
	switch {
	case name == "NEGATE":
		p.write("-")
		p.operand(c.Args[0])
	case name == "MINUS" && unit != "":
		p.write("(")
		p.expr(c.Args[0])
		p.write(" - ")
		p.expr(c.Args[1])
		p.write(") ", unit)
	case !c.Func.Operator:
		p.write(name, "(")
		p.list(c.Args, ", ", p.expr)
		p.write(")")
	case name == "ARRAY" || name == "MAP":
		p.write(name, "[")
		p.list(c.Args, ", ", p.expr)
		p.write("]")
	case name == "ROW":
		p.write("ROW(")
		p.list(c.Args, ", ", p.expr)
		p.write(")")
	case name == "ITEM":
		p.operand(c.Args[0])
		if field, ok := lastLiteral(c); ok && c.Args[0].Type().Kind == types.Row && c.Args[1].Type().IsText() {
			p.write(".", field)
			return
		}
		p.write("[")
		p.expr(c.Args[1])
		p.write("]")
	case len(c.Args) == 1 && strings.HasPrefix(name, "IS "):
		p.operand(c.Args[0])
		p.write(" ", name)
	case len(c.Args) == 1:
		p.write(name)
		if name == "NOT" {
			p.write(" ")
		}
		p.operand(c.Args[0])
	case len(c.Args) == 2 && name != "IN":
		p.operand(c.Args[0])
		p.write(" ", name, " ")
		p.operand(c.Args[1])
	default:
		p.operand(c.Args[0])
		p.write(" ", name, " (")
		p.list(c.Args[1:], ", ", p.expr)
		p.write(")")
	}
}

// lastLiteral returns the text of a call's last argument, if it is a constant.
func lastLiteral(c *expr.Call) (string, bool) {
	if len(c.Args) == 0 {
		return "", false
	}
	l, ok := c.Args[len(c.Args)-1].(*expr.Literal)
	if !ok {
		return "", false
	}
	return l.Value.S, true
}

// operand prints e as part of a larger expression: operators in brackets.
func (p *exprPrinter) operand(e expr.Expr) {
	brackets := false
	switch e := e.(type) {
	case *expr.And, *expr.Or:
		brackets = true
	case *expr.Call:
		brackets = e.Func.Operator && !slices.Contains([]string{"MINUS", "ARRAY", "MAP", "ROW", "ITEM"}, e.Func.Name)
	}
	if brackets {
		p.write("(")
	}
	p.expr(e)
	if brackets {
		p.write(")")
	}
}

// exprList prints expressions with commas between them.
func exprList(es []expr.Expr) string {
	var p exprPrinter
	p.list(es, ", ", p.expr)
	return p.String()
}

func (p *exprPrinter) list(es []expr.Expr, sep string, one func(expr.Expr)) {
	for i, e := range es {
		if i > 0 {
			p.write(sep)
		}
		one(e)
	}
}

// LiteralText prints a constant of a type for EXPLAIN.
func LiteralText(t types.Type, v types.Value) string {
	if v.Null {
		return "NULL"
	}
	text := func() string { return string(types.AppendValue(nil, t, v, nil)) }
	switch t.Kind {
	case types.Char, types.Varchar:
		return "'" + strings.ReplaceAll(v.S, "'", "''") + "'"
	case types.Binary, types.Varbinary:
		return fmt.Sprintf("X'%X'", v.S)
	case types.Variant:
		return "PARSE_JSON('" + strings.ReplaceAll(text(), "'", "''") + "')"
	case types.Date:
		return "DATE '" + text() + "'"
	case types.Time:
		return "TIME '" + text() + "'"
	case types.Timestamp, types.TimestampLTZ:
		return "TIMESTAMP '" + text() + "'"
	case types.IntervalDay:
		return DurationText(v.I)
	case types.IntervalMonth:
		return fmt.Sprintf("%d months", v.I)
	}
	return text()
}

// DurationText prints milliseconds in the largest units that are exact: "1h30m",
// "2.5s", "10ms".
func DurationText(ms int64) string {
	if ms < 0 {
		return "-" + DurationText(-ms)
	}
	if ms == 0 {
		return "0s"
	}
	var b strings.Builder
	for _, u := range []struct {
		ms   int64
		name string
	}{{86_400_000, "d"}, {3_600_000, "h"}, {60_000, "m"}, {1000, "s"}, {1, "ms"}} {
		if n := ms / u.ms; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			ms %= u.ms
		}
	}
	return b.String()
}

// WindowText prints a window function over a column.
func WindowText(w window.Spec, on string) string {
	if w.Kind == window.Attached {
		return "attached(window_start, window_end)"
	}
	s := [...]string{"tumble", "hop", "cumulate", "session"}[w.Kind] + "(" + on
	switch w.Kind {
	case window.Hop, window.Cumulate:
		s += ", " + DurationText(w.Slide) + ", " + DurationText(w.Size)
	case window.Session:
		s += ", " + DurationText(w.Gap)
	default:
		s += ", " + DurationText(w.Size)
	}
	if w.Offset != 0 {
		s += ", offset " + DurationText(w.Offset)
	}
	return s + ")"
}

// ProjectText prints the columns of a projection: "name" where it passes a column
// on under its name, else "name := expression".
func ProjectText(s stream.Schema, exprs []expr.Expr) string {
	parts := make([]string, len(exprs))
	for i, e := range exprs {
		text, name := ExprText(e), s.Fields[i].Name
		if text == name {
			parts[i] = name
		} else {
			parts[i] = name + " := " + text
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// AggregateText prints an aggregate call.
func AggregateText(c expr.AggregateCall) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = ExprText(a)
	}
	s := strings.Join(args, ", ")
	if len(args) == 0 {
		s = "*"
	}
	if c.Distinct {
		s = "DISTINCT " + s
	}
	s = c.Agg.Name + "(" + s + ")"
	if c.Filter != nil {
		s += " FILTER (WHERE " + ExprText(c.Filter) + ")"
	}
	return s
}
