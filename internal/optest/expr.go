package optest

import (
	"fmt"
	"strconv"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// exprParser reads expressions in prefix form over a schema.
type exprParser struct {
	schema   stream.Schema
	registry *expr.Registry
}

func (p exprParser) parse(text string) (expr.Expr, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "("); ok {
		return p.list(splitTop(strings.TrimSuffix(inner, ")"), ' '))
	}
	if s, ok := strings.CutPrefix(text, "'"); ok {
		return literal(types.NewVarchar(types.MaxLength), types.TextValue(strings.TrimSuffix(s, "'"))), nil
	}
	if ms, ok := strings.CutSuffix(text, "ms"); ok {
		if n, err := strconv.ParseInt(ms, 10, 64); err == nil {
			return literal(types.Of(types.IntervalDay), types.IntValue(n)), nil
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return literal(types.Of(types.Int), types.IntValue(n)), nil
	}
	if text == "NULL" {
		return literal(types.NewTimestamp(3), types.NullValue), nil
	}
	if i := column(p.schema, text); i >= 0 {
		f := p.schema.Fields[i]
		return &expr.Column{Info: expr.Info{T: f.Type}, Index: i, Name: f.Name}, nil
	}
	return nil, fmt.Errorf("no expression: %q", text)
}

func literal(t types.Type, v types.Value) expr.Expr {
	return &expr.Literal{Info: expr.Info{T: t.WithNullability(v.Null)}, Value: v}
}

func (p exprParser) list(parts []string) (expr.Expr, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("an empty expression")
	}
	name := parts[0]
	if name == "cast" && len(parts) == 3 {
		t, err := parseType(parts[1])
		if err != nil {
			return nil, err
		}
		arg, err := p.parse(parts[2])
		return &expr.Cast{Info: expr.Info{T: t}, Arg: arg}, err
	}
	var args []expr.Expr
	for _, text := range parts[1:] {
		a, err := p.parse(text)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	switch name {
	case "watermark":
		return &expr.CurrentWatermark{Info: expr.Info{T: types.NewTimestamp(3)}}, nil
	case "and":
		return &expr.And{Info: expr.Info{T: types.Of(types.Boolean)}, Args: args}, nil
	case "or":
		return &expr.Or{Info: expr.Info{T: types.Of(types.Boolean)}, Args: args}, nil
	}
	return p.call(name, args)
}

// call binds a function; arguments get the casts that its resolution asks for.
func (p exprParser) call(name string, args []expr.Expr) (expr.Expr, error) {
	f := p.registry.Function(name)
	if f == nil {
		return nil, fmt.Errorf("no function %q", name)
	}
	ts, lits := make([]types.Type, len(args)), make([]*expr.Literal, len(args))
	for i, a := range args {
		ts[i] = a.Type()
		lits[i], _ = a.(*expr.Literal)
	}
	res, err := f.Resolve(ts, lits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, t := range res.Args {
		if i < len(args) && !args[i].Type().Same(t) {
			args[i] = &expr.Cast{Info: expr.Info{T: t.WithNullability(!args[i].Type().NotNull)}, Arg: args[i], Implicit: true}
		}
	}
	return &expr.Call{Info: expr.Info{T: res.Result}, Func: f, Args: args, Res: res}, nil
}
