package sql

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// converter turns TiDB's tree into ours. TiDB says how the parts belong together;
// what they are comes from the notes at our tokens, and places from the tokens.
type converter struct {
	*parser
}

// part is an expression with its first and last token.
type part struct {
	x           Expr
	first, last int
}

func (c *converter) lost(i int) {
	(&emitter{parser: c.parser}).inconsistent(i)
}

// number returns the token of a placeholder such as i12.
func (c *converter) number(s string) int {
	n, err := strconv.Atoi(s[min(1, len(s)):])
	if err != nil || n >= len(c.notes) {
		c.lost(0)
	}
	return n
}

func (c *converter) leaf(n int) part {
	if n >= 0 && n < len(c.notes) {
		if l, ok := c.notes[n].(*leaf); ok {
			return part{l.x, n, l.last}
		}
	}
	c.lost(n)
	return part{}
}

func (c *converter) expr(x ast.ExprNode) part {
	c.enter(0)
	defer c.leave()
	switch x := x.(type) {
	case *test_driver.ValueExpr:
		return c.leaf(int(x.GetInt64()))
	case *ast.PositionExpr:
		return c.leaf(x.N)
	case *ast.ColumnNameExpr:
		return c.leaf(c.number(x.Name.Name.O))
	case *ast.FuncCallExpr:
		return c.call(x)
	case *ast.BinaryOperationExpr, *ast.IsNullExpr:
		return c.chain(x)
	case *ast.UnaryOperationExpr:
		v := c.expr(x.V)
		i := v.first - 1
		return part{&Unary{c.pos(i, v.last), c.up(i), v.x}, i, v.last}
	case *ast.BetweenExpr:
		l, low, high := c.expr(x.Expr), c.expr(x.Left), c.expr(x.Right)
		n, ok := c.noteAt(l.last + 1).(*betweenNote)
		if !ok {
			c.lost(l.last + 1)
		}
		return part{&Between{c.pos(l.first, high.last), l.x, low.x, high.x, n.not, n.symmetric}, l.first, high.last}
	case *ast.PatternInExpr:
		return c.in(x)
	case *ast.AggregateFuncExpr: // WITHIN GROUP
		if len(x.Args) == 0 || x.Order == nil {
			c.lost(0)
		}
		v := c.expr(x.Args[0])
		call, ok := v.x.(*Call)
		n, ok2 := c.noteAt(v.first).(*callNote)
		if !ok || !ok2 {
			c.lost(v.first)
		}
		call.OrderBy = c.order(n.order, x.Order.Items)
		return v
	case *ast.WindowFuncExpr:
		return c.over(x)
	}
	c.lost(0)
	return part{}
}

// noteAt returns the note at token i, nil where none is.
func (c *converter) noteAt(i int) any {
	if i < 0 || i >= len(c.notes) {
		return nil
	}
	return c.notes[i]
}

// chain converts a run of infix and IS operators from the left in a loop: long
// chains of AND are legal, and must not take the stack.
func (c *converter) chain(x ast.ExprNode) part {
	var stack []ast.ExprNode
	for {
		if b, ok := x.(*ast.BinaryOperationExpr); ok {
			stack, x = append(stack, x), b.L
		} else if t, ok := x.(*ast.IsNullExpr); ok {
			stack, x = append(stack, x), t.Expr
		} else {
			break
		}
	}
	l := c.expr(x)
	for k := len(stack) - 1; k >= 0; k-- {
		i := l.last + 1
		if b, ok := stack[k].(*ast.BinaryOperationExpr); ok {
			l = c.infix(l, i, b)
			continue
		}
		n, ok := c.noteAt(i).(*testNote)
		if !ok {
			c.lost(i)
		}
		l = part{&Test{c.pos(l.first, n.last), l.x, n.not, n.what}, l.first, n.last}
	}
	return l
}

func (c *converter) infix(l part, i int, b *ast.BinaryOperationExpr) part {
	n, ok := c.noteAt(i).(*operatorNote)
	if !ok {
		c.lost(i)
	}
	if !n.like {
		r := c.expr(b.R)
		if n.op == "ESCAPE" {
			c.lost(i)
		}
		return part{&Binary{c.pos(l.first, r.last), n.op, c.span(i, n.last), l.x, r.x}, l.first, r.last}
	}
	like := &Like{Expr: l.x, Not: n.not, Similar: n.op != "LIKE"}
	right := b.R
	last := 0
	if e, ok := right.(*ast.BinaryOperationExpr); ok && e.Op == opcode.LeftShift {
		escape := c.expr(e.R)
		like.Escape, last, right = escape.x, escape.last, e.L
	}
	r := c.expr(right)
	like.Pattern, last = r.x, max(last, r.last)
	like.Pos = c.pos(l.first, last)
	return part{like, l.first, last}
}

func (c *converter) in(x *ast.PatternInExpr) part {
	l := c.expr(x.Expr)
	n, ok := c.noteAt(l.last + 1).(*inNote)
	if !ok || len(x.List) == 0 {
		c.lost(l.last + 1)
	}
	in := &In{Pos: c.pos(l.first, n.last), Expr: l.x, Not: n.not}
	if q, ok := c.inQuery(x.List); ok {
		in.Query = q
	} else {
		in.List = c.exprs(x.List)
	}
	return part{in, l.first, n.last}
}

// inQuery converts the query of IN (query), emitted as the only element: its
// bracket is that of IN itself.
func (c *converter) inQuery(list []ast.ExprNode) (*Query, bool) {
	f, ok := list[0].(*ast.FuncCallExpr)
	if !ok || len(list) > 1 || f.FnName.O == "v_" {
		return nil, false
	}
	i := c.number(f.FnName.O)
	if _, ok := c.notes[i].(*subqueryNote); !ok || c.up(i-1) != "IN" {
		return nil, false
	}
	s, ok := c.call(f).x.(*Subquery)
	if !ok {
		return nil, false
	}
	return s.Query, true
}

func (c *converter) exprs(xs []ast.ExprNode) []Expr {
	out := make([]Expr, len(xs))
	for k, x := range xs {
		out[k] = c.expr(x).x
	}
	return out
}

// call converts what was emitted as a call: the note says what it is.
func (c *converter) call(x *ast.FuncCallExpr) part {
	if x.FnName.O == "v_" { // only there for TiDB
		if len(x.Args) != 1 {
			c.lost(0)
		}
		return c.expr(x.Args[0])
	}
	i := c.number(x.FnName.O)
	arg := func(k int) ast.ExprNode {
		if k >= len(x.Args) {
			c.lost(i)
		}
		return x.Args[k]
	}
	switch n := c.notes[i].(type) {
	case *groupNote:
		return part{c.group(i, n, c.exprs(x.Args)), i, n.last}
	case *subqueryNote:
		s, ok := arg(0).(*ast.SubqueryExpr)
		if !ok {
			c.lost(i)
		}
		q := c.query(s.Query, n.query)
		if n.exists {
			return part{&Exists{c.pos(i, n.last), q}, i, n.last}
		}
		return part{&Subquery{c.pos(i, n.last), q}, i, n.last}
	case *caseNote:
		k, ok := arg(0).(*ast.CaseExpr)
		if !ok {
			c.lost(i)
		}
		return part{c.caseOf(i, n, k), i, n.last}
	case *castNote:
		v := c.expr(arg(0))
		first := i
		if n.postfix {
			first = v.first
		}
		return part{&Cast{c.pos(first, n.last), v.x, n.typ, n.try}, first, n.last}
	case *suffixNote:
		v := c.expr(arg(0))
		if n.field != nil {
			return part{&Field{c.pos(v.first, n.last), v.x, *n.field}, v.first, n.last}
		}
		k := c.expr(arg(1))
		return part{&Index{c.pos(v.first, n.last), v.x, k.x}, v.first, n.last}
	case *intervalNote:
		v := c.expr(arg(0)).x
		if n.negative {
			v = &Unary{c.pos(i+1, n.last-1), "-", v}
		}
		return part{&IntervalOf{c.pos(i, n.last), v, n.unit}, i, n.last}
	case *filterNote:
		v := c.expr(arg(0))
		call, ok := v.x.(*Call)
		if !ok {
			c.lost(i)
		}
		call.Filter = c.expr(arg(1)).x
		call.Pos = c.pos(v.first, n.last)
		return part{call, v.first, n.last}
	case *argumentNote:
		return part{c.tableArg(i, n, x.Args), i, n.last}
	case *callNote:
		call := n.call
		if len(x.Args) > 0 {
			call.Args = c.exprs(x.Args)
		}
		call.Pos = c.pos(i, n.last)
		return part{&call, i, n.last}
	}
	c.lost(i)
	return part{}
}

func (c *converter) group(i int, n *groupNote, items []Expr) Expr {
	pos := c.pos(i, n.last)
	switch n.kind {
	case rowGroup:
		return &RowValue{pos, items}
	case arrayGroup:
		return &ArrayValue{pos, items}
	case mapGroup:
		return &MapValue{pos, items}
	}
	if len(items) != 1 {
		c.lost(i)
	}
	return &Paren{pos, items[0], n.unit}
}

func (c *converter) caseOf(i int, n *caseNote, x *ast.CaseExpr) Expr {
	out := &Case{Pos: c.pos(i, n.last)}
	if x.Value != nil {
		out.Operand = c.expr(x.Value).x
	}
	for _, w := range x.WhenClauses {
		var when When
		if f, ok := w.Expr.(*ast.FuncCallExpr); ok && f.FnName.O != "v_" && c.up(c.number(f.FnName.O)) == "WHEN" {
			when.Conds = c.exprs(f.Args)
		} else {
			when.Conds = []Expr{c.expr(w.Expr).x}
		}
		when.Then = c.expr(w.Result).x
		out.Whens = append(out.Whens, when)
	}
	if x.ElseClause != nil {
		out.Else = c.expr(x.ElseClause).x
	}
	return out
}

func (c *converter) tableArg(i int, n *argumentNote, args []ast.ExprNode) Expr {
	a := n.arg
	a.Pos = c.pos(i, n.last)
	if n.query != nil {
		if len(args) == 0 {
			c.lost(i)
		}
		s, ok := args[0].(*ast.SubqueryExpr)
		if !ok {
			c.lost(i)
		}
		a.Query = c.query(s.Query, n.query)
		args = args[1:]
	}
	if len(args) != n.parts+len(n.order) {
		c.lost(i)
	}
	if n.parts > 0 {
		a.PartitionBy = c.exprs(args[:n.parts])
	}
	for k, x := range args[n.parts:] {
		n.order[k].Expr = c.expr(x).x
	}
	a.OrderBy = n.order
	return a
}

// over converts a call with OVER; TiDB sees COUNT(call) OVER (..).
func (c *converter) over(x *ast.WindowFuncExpr) part {
	if len(x.Args) != 1 {
		c.lost(0)
	}
	v := c.expr(x.Args[0])
	call, ok := v.x.(*Call)
	n, ok2 := c.noteAt(v.first).(*callNote)
	if !ok || !ok2 || n.over == nil {
		c.lost(v.first)
	}
	call.Over = c.window(n.over, &x.Spec)
	v.last = max(v.last, n.last)
	call.Pos = c.pos(v.first, v.last)
	return v
}

func (c *converter) window(n *windowNote, x *ast.WindowSpec) *WindowSpec {
	if x.PartitionBy != nil {
		for _, it := range x.PartitionBy.Items {
			n.spec.PartitionBy = append(n.spec.PartitionBy, c.expr(it.Expr).x)
		}
	}
	if x.OrderBy != nil {
		n.spec.OrderBy = c.order(n.order, x.OrderBy.Items)
	}
	return n.spec
}

func (c *converter) order(items []OrderItem, xs []*ast.ByItem) []OrderItem {
	if len(items) != len(xs) {
		c.lost(0)
	}
	for k, x := range xs {
		items[k].Expr = c.expr(x.Expr).x
	}
	return items
}
