package physical

import (
	"fmt"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// ExprText prints an expression for EXPLAIN: infix operators, columns by name.
func ExprText(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Column:
		return e.Name
	case *expr.Literal:
		return LiteralText(e.T, e.Value)
	case *expr.Cast:
		f := "CAST"
		if e.Try {
			f = "TRY_CAST"
		}
		return f + "(" + ExprText(e.Arg) + " AS " + e.T.Name() + ")"
	case *expr.And:
		return joined(e.Args, " AND ")
	case *expr.Or:
		return joined(e.Args, " OR ")
	case *expr.Case:
		var b strings.Builder
		b.WriteString("CASE")
		for _, w := range e.Whens {
			b.WriteString(" WHEN " + ExprText(w.Cond) + " THEN " + ExprText(w.Then))
		}
		return b.String() + " ELSE " + ExprText(e.Else) + " END"
	case *expr.CurrentWatermark:
		return "CURRENT_WATERMARK()"
	case *expr.Proctime:
		return "PROCTIME()"
	case *expr.Call:
		return callText(e)
	}
	return fmt.Sprintf("%T", e)
}

func callText(c *expr.Call) string {
	name := c.Func.Name
	switch name {
	case "NEGATE":
		return "-" + operand(c.Args[0])
	case "MINUS":
		if unit, ok := c.Args[2].(*expr.Literal); ok {
			return "(" + ExprText(c.Args[0]) + " - " + ExprText(c.Args[1]) + ") " + unit.Value.S
		}
	case "IN":
		return operand(c.Args[0]) + " IN (" + joined(c.Args[1:], ", ") + ")"
	}
	if !c.Func.Operator {
		args := make([]string, len(c.Args))
		for i, a := range c.Args {
			args[i] = ExprText(a)
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	}
	switch len(c.Args) {
	case 1:
		if strings.HasPrefix(name, "IS ") {
			return operand(c.Args[0]) + " " + name
		}
		if name == "NOT" {
			return "NOT " + operand(c.Args[0])
		}
		return name + operand(c.Args[0])
	case 2:
		return operand(c.Args[0]) + " " + name + " " + operand(c.Args[1])
	}
	return operand(c.Args[0]) + " " + name + " (" + joined(c.Args[1:], ", ") + ")"
}

// operand prints e as part of a larger expression: operators in brackets.
func operand(e expr.Expr) string {
	s := ExprText(e)
	switch e := e.(type) {
	case *expr.And, *expr.Or:
		return "(" + s + ")"
	case *expr.Call:
		if e.Func.Operator && e.Func.Name != "MINUS" {
			return "(" + s + ")"
		}
	}
	return s
}

func joined(es []expr.Expr, sep string) string {
	parts := make([]string, len(es))
	for i, e := range es {
		if sep == ", " {
			parts[i] = ExprText(e)
		} else {
			parts[i] = operand(e)
		}
	}
	return strings.Join(parts, sep)
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
