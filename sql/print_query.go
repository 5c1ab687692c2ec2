package sql

import "strings"

func (p *printer) query(q *Query) {
	for i, c := range q.With {
		if i == 0 {
			p.put("WITH ")
		} else {
			p.put(", ")
		}
		p.ident(c.Name)
		if c.Columns != nil {
			p.put(" ")
			p.idents(c.Columns)
		}
		p.put(" AS (")
		p.query(c.Query)
		p.put(")")
	}
	if len(q.With) > 0 {
		p.put(" ")
	}
	p.body(q.Body)
	if q.OrderBy != nil {
		p.put(" ")
		p.order(q.OrderBy)
	}
	if q.Limit != nil {
		p.put(" LIMIT ", q.Limit.Text)
	}
	if q.Offset != nil {
		p.put(" OFFSET ", q.Offset.Text)
	}
}

func (p *printer) body(b Body) {
	var stack []*SetOp
	for {
		s, ok := b.(*SetOp)
		if !ok {
			break
		}
		stack, b = append(stack, s), s.Left
	}
	switch b := b.(type) {
	case *Select:
		p.selectBody(b)
	case *Values:
		p.values(b)
	case *TableBody:
		p.put("TABLE ")
		p.name(b.Name)
	case *Nested:
		p.nested(b.Query)
	}
	for k := len(stack) - 1; k >= 0; k-- {
		p.put(" ", [...]string{"UNION", "INTERSECT", "EXCEPT"}[stack[k].Op])
		if stack[k].All {
			p.put(" ALL")
		}
		p.put(" ")
		p.body(stack[k].Right)
	}
}

func (p *printer) values(v *Values) {
	p.put("VALUES ")
	p.list(len(v.Rows), func(i int) {
		row := v.Rows[i]
		if len(row) == 1 && isQuery(row[0]) {
			p.expr(row[0]) // its brackets are its own
			return
		}
		p.put("(")
		p.exprs(row)
		p.put(")")
	})
}

// isQuery reports whether an expression is a query in brackets.
func isQuery(x Expr) bool {
	for {
		switch y := x.(type) {
		case *Subquery:
			return true
		case *Paren:
			x = y.Expr
		default:
			return false
		}
	}
}

func (p *printer) selectBody(s *Select) {
	p.put("SELECT")
	p.hints(s.Hints)
	p.put(" ")
	if s.Distinct {
		p.put("DISTINCT ")
	}
	p.list(len(s.Items), func(i int) { p.item(s.Items[i]) })
	if s.From != nil {
		p.put(" FROM ")
		p.table(s.From)
	}
	if s.Where != nil {
		p.put(" WHERE ")
		p.expr(s.Where)
	}
	if s.GroupBy != nil {
		p.put(" GROUP BY ")
		if s.GroupDistinct {
			p.put("DISTINCT ")
		}
		p.list(len(s.GroupBy), func(i int) { p.groupItem(s.GroupBy[i]) })
	}
	if s.Having != nil {
		p.put(" HAVING ")
		p.expr(s.Having)
	}
	if s.Windows != nil {
		p.put(" WINDOW ")
		p.list(len(s.Windows), func(i int) {
			p.ident(s.Windows[i].Name)
			p.put(" AS ")
			p.windowSpec(s.Windows[i].Spec)
		})
	}
	if s.Qualify != nil {
		p.put(" QUALIFY ")
		p.expr(s.Qualify)
	}
}

func (p *printer) item(it SelectItem) {
	if !it.Star {
		p.expr(it.Expr)
	} else {
		if it.Table != nil {
			p.name(*it.Table)
			p.put(".")
		}
		p.put("*")
		if it.Except != nil {
			p.put(" EXCEPT ")
			p.idents(it.Except)
		}
	}
	if it.Alias != nil {
		p.put(" AS ")
		p.ident(*it.Alias)
	}
}

func (p *printer) groupItem(g GroupItem) {
	switch g.Kind {
	case GroupExpr:
		p.expr(g.Expr)
		return
	case GroupingSets:
		p.put("GROUPING SETS (")
	case Cube:
		p.put("CUBE (")
	case Rollup:
		p.put("ROLLUP (")
	}
	p.list(len(g.Sets), func(i int) {
		p.put("(")
		p.exprs(g.Sets[i])
		p.put(")")
	})
	p.put(")")
}

func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		if t.File != nil {
			p.text(t.File.Value)
		} else {
			p.name(t.Name)
		}
		p.hints(t.Hints)
		if t.AsOf != nil {
			p.put(" FOR SYSTEM_TIME AS OF ")
			p.expr(t.AsOf)
		}
		p.alias(t.Alias)
	case *Derived:
		if t.Lateral {
			p.put("LATERAL ")
		}
		p.nested(t.Query)
		p.alias(t.Alias)
	case *TableFunc:
		if t.Lateral {
			p.put("LATERAL ")
		}
		if t.Ordinality || isUnnest(t.Call) {
			p.call(t.Call)
		} else {
			p.put("TABLE(")
			p.call(t.Call)
			p.put(")")
		}
		if t.Ordinality {
			p.put(" WITH ORDINALITY")
		}
		p.alias(t.Alias)
	case *MatchRecognize:
		p.table(t.Input)
		p.put(" MATCH_RECOGNIZE (", t.Text, ")")
		p.alias(t.Alias)
	case *Join:
		p.join(t)
	}
}

func isUnnest(c *Call) bool {
	n := c.Name.Parts
	return len(n) == 1 && !n[0].Quoted && strings.EqualFold(n[0].Name, "UNNEST")
}

func (p *printer) alias(a *Alias) {
	if a == nil {
		return
	}
	p.put(" AS ")
	p.ident(a.Name)
	if a.Columns != nil {
		p.idents(a.Columns)
	}
}

// join writes a left-deep run of joins in a loop; a join on the right stands in brackets.
func (p *printer) join(t *Join) {
	var stack []*Join
	var left TableExpr = t
	for {
		j, ok := left.(*Join)
		if !ok {
			break
		}
		stack, left = append(stack, j), j.Left
	}
	p.table(left)
	for k := len(stack) - 1; k >= 0; k-- {
		j := stack[k]
		p.put(" ")
		if j.Natural {
			p.put("NATURAL ")
		}
		p.put([...]string{"", "LEFT ", "RIGHT ", "FULL ", "CROSS "}[j.Kind], "JOIN ")
		if _, nested := j.Right.(*Join); nested {
			p.put("(")
			p.table(j.Right)
			p.put(")")
		} else {
			p.table(j.Right)
		}
		if j.On != nil {
			p.put(" ON ")
			p.expr(j.On)
		}
		if j.Using != nil {
			p.put(" USING ")
			p.idents(j.Using)
		}
	}
}
