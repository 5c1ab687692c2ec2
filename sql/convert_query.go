package sql

import "github.com/pingcap/tidb/pkg/parser/ast"

// query converts a query; n holds what was read from tokens.
func (c *converter) query(x ast.Node, n *queryNote) *Query {
	c.enter(n.first)
	defer c.leave()
	q := &Query{Pos: c.pos(n.first, n.last), Limit: n.limit, Offset: n.offset}
	var selects []ast.Node
	var with *ast.WithClause
	var order *ast.OrderByClause
	switch x := x.(type) {
	case *ast.SelectStmt:
		selects, with, order = []ast.Node{x}, x.With, x.OrderBy
	case *ast.SetOprStmt:
		selects, with, order = x.SelectList.Selects, x.With, x.OrderBy
	default:
		c.lost(n.first)
	}
	if len(n.ctes) > 0 {
		if with == nil || len(with.CTEs) != len(n.ctes) {
			c.lost(n.first)
		}
		for k, cte := range with.CTEs {
			n.with[k].Query = c.query(cte.Query.Query, n.ctes[k])
		}
		q.With = n.with
	}
	if len(selects) != len(n.ops)+1 {
		c.lost(n.first)
	}
	q.Body = c.bodies(selects, n.ops)
	if order != nil {
		q.OrderBy = c.order(n.order, order.Items)
	} else if n.order != nil {
		c.lost(n.last)
	}
	return q
}

// bodies groups a flat list of set operations: INTERSECT first, then from left to
// right, as Flink.
func (c *converter) bodies(selects []ast.Node, ops []setOperator) Body {
	join := func(op setOperator, l, r Body) Body {
		return &SetOp{Pos{l.Span().Join(r.Span())}, op.kind, op.all, l, r}
	}
	term := c.body(selects[0])
	var left Body
	var pending setOperator
	for k, op := range ops {
		right := c.body(selects[k+1])
		if op.kind == Intersect {
			term = join(op, term, right)
			continue
		}
		if left != nil {
			term = join(pending, left, term)
		}
		left, pending, term = term, op, right
	}
	if left != nil {
		term = join(pending, left, term)
	}
	return term
}

func (c *converter) body(x ast.Node) Body {
	s, ok := x.(*ast.SelectStmt)
	if !ok || s.Fields == nil || len(s.Fields.Fields) == 0 {
		c.lost(0)
	}
	marker, ok := s.Fields.Fields[0].Expr.(*ast.ColumnNameExpr)
	if !ok {
		c.lost(0)
	}
	i := c.number(marker.Name.Name.O)
	fields := s.Fields.Fields[1:]
	switch n := c.notes[i].(type) {
	case *selectNote:
		return c.selectBody(s, fields, n)
	case *valuesNote:
		v := &Values{Pos: c.pos(i, n.last)}
		if len(fields) != len(n.rows) {
			c.lost(i)
		}
		for k, f := range fields {
			x := c.expr(f.Expr).x
			if r, ok := x.(*RowValue); ok && n.rows[k] {
				if inner, ok := r.Items[0].(*RowValue); ok && len(r.Items) == 1 {
					r = inner // (ROW(1, 2)) is the row in brackets
				}
				v.Rows = append(v.Rows, r.Items)
			} else {
				v.Rows = append(v.Rows, []Expr{x})
			}
		}
		return v
	case *bodyNote:
		if n.table != nil {
			return n.table
		}
		return &Nested{c.pos(i, n.last), c.query(c.onlySource(s, i), n.query)}
	}
	c.lost(i)
	return nil
}

// onlySource returns the derived table that is the whole FROM of s.
func (c *converter) onlySource(s *ast.SelectStmt, i int) ast.Node {
	if s.From != nil && s.From.TableRefs != nil && s.From.TableRefs.Right == nil {
		if t, ok := s.From.TableRefs.Left.(*ast.TableSource); ok {
			return t.Source
		}
	}
	c.lost(i)
	return nil
}

func (c *converter) selectBody(s *ast.SelectStmt, fields []*ast.SelectField, n *selectNote) Body {
	out := n.body
	if len(fields) != len(out.Items) || (s.GroupBy == nil) != (n.groups == nil) || len(s.WindowSpecs) != len(n.named) {
		c.lost(0)
	}
	for k, f := range fields {
		if !out.Items[k].Star {
			out.Items[k].Expr = c.expr(f.Expr).x
		}
	}
	if s.From != nil {
		out.From = c.from(s.From.TableRefs, n)
	}
	if s.Where != nil {
		out.Where = c.expr(s.Where).x
	}
	if s.GroupBy != nil {
		if len(s.GroupBy.Items) != len(n.groups) {
			c.lost(n.groups[0])
		}
		for _, it := range s.GroupBy.Items {
			out.GroupBy = append(out.GroupBy, c.groupItem(it.Expr))
		}
	}
	c.having(s, n)
	for k := range s.WindowSpecs {
		c.window(n.named[k], &s.WindowSpecs[k])
	}
	return out
}

// having splits what was emitted as HAVING: v_(having, qualify) where QUALIFY is.
func (c *converter) having(s *ast.SelectStmt, n *selectNote) {
	if s.Having == nil {
		if n.having || n.qualify {
			c.lost(n.last)
		}
		return
	}
	if !n.qualify {
		n.body.Having = c.expr(s.Having.Expr).x
		return
	}
	v, ok := s.Having.Expr.(*ast.FuncCallExpr)
	if !ok || v.FnName.O != "v_" || len(v.Args) == 0 {
		c.lost(n.last)
	}
	if n.having {
		if len(v.Args) != 2 {
			c.lost(n.last)
		}
		n.body.Having = c.expr(v.Args[0]).x
	}
	n.body.Qualify = c.expr(v.Args[len(v.Args)-1]).x
}

func (c *converter) groupItem(x ast.ExprNode) GroupItem {
	if f, ok := x.(*ast.FuncCallExpr); ok && f.FnName.O != "v_" {
		i := c.number(f.FnName.O)
		if n, ok := c.notes[i].(*setsNote); ok {
			g := GroupItem{Pos: c.pos(i, n.last), Kind: n.kind}
			for _, a := range f.Args {
				g.Sets = append(g.Sets, c.set(a))
			}
			return g
		}
	}
	v := c.expr(x)
	return GroupItem{Pos: Pos{v.x.Span()}, Expr: v.x}
}

// set converts one grouping set: (a, b), (a), a or ().
func (c *converter) set(x ast.ExprNode) []Expr {
	if f, ok := x.(*ast.FuncCallExpr); ok && f.FnName.O == "e_" {
		return []Expr{}
	}
	switch v := c.expr(x).x.(type) {
	case *RowValue:
		return v.Items
	case *Paren:
		return []Expr{v.Expr}
	default:
		return []Expr{v}
	}
}

// from converts the tree of a FROM list; tables and joins come in the order in
// which they were noted.
func (c *converter) from(x ast.ResultSetNode, n *selectNote) TableExpr {
	c.enter(0)
	defer c.leave()
	var joins []*ast.Join
	for {
		j, ok := x.(*ast.Join)
		if !ok {
			break
		}
		if j.Right != nil {
			joins = append(joins, j)
		}
		x = j.Left
	}
	source, ok := x.(*ast.TableSource)
	if !ok {
		c.lost(0)
	}
	left := c.table(source, n)
	for k := len(joins) - 1; k >= 0; k-- {
		if n.nextJoin >= len(n.joins) {
			c.lost(0)
		}
		out := n.joins[n.nextJoin]
		n.nextJoin++
		out.Left = left
		out.Right = c.from(joins[k].Right, n)
		out.S = left.Span().Join(out.Right.Span()).Join(out.S)
		if on := joins[k].On; on != nil && out.Using == nil && !out.Natural && out.Kind != CrossJoin {
			v := c.expr(on.Expr)
			out.On = v.x
			out.S = out.S.Join(c.span(v.first, v.last))
		}
		left = out
	}
	return left
}

func (c *converter) table(x *ast.TableSource, n *selectNote) TableExpr {
	if n.nextTable >= len(n.tables) {
		c.lost(0)
	}
	note := n.tables[n.nextTable]
	n.nextTable++
	switch t := note.table.(type) {
	case *TableRef:
		name, ok := x.Source.(*ast.TableName)
		if !ok {
			c.lost(0)
		}
		if name.AsOf != nil {
			t.AsOf = c.expr(name.AsOf.TsExpr).x
		}
	case *Derived:
		t.Query = c.query(x.Source, note.query)
	case *TableFunc:
		s, ok := x.Source.(*ast.SelectStmt)
		if !ok || len(s.Fields.Fields) != 1 {
			c.lost(0)
		}
		t.Call, ok = c.expr(s.Fields.Fields[0].Expr).x.(*Call)
		if !ok {
			c.lost(0)
		}
	}
	if note.match != nil {
		note.match.Input = note.table
		return note.match
	}
	return note.table
}
