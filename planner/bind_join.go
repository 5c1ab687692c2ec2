package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
)

// join binds a join of FROM. Whether it is a window join is only known when WHERE has
// been read: a comma leaves all conditions to that.
func (b *binder) join(t *sql.Join) (relation, error) {
	left, err := b.from(t.Left, b.span(t.Left))
	if err != nil {
		return left, err
	}
	if f := unnestOf(t.Right); f != nil {
		return b.unnestJoin(t, f, left)
	}
	if f, fn := b.functionOf(t.Right); f != nil {
		return b.functionJoin(t, f, fn, left)
	}
	right, err := b.from(t.Right, b.span(t.Right))
	if err != nil {
		return right, err
	}
	j := &logical.Join{Left: left.node, Right: right.node}
	j.Kind = [...]physical.JoinKind{physical.Inner, physical.LeftOuter, physical.RightOuter, physical.FullOuter, physical.Inner}[t.Kind]
	j.Span = b.joinSpan(t)
	b.joins = append(b.joins, pendingJoin{j, joinName(t)})
	both := sideBySide(j, left, right)
	j.Schema = both.node.Info().Schema
	if t.On != nil {
		x := &exprBinder{binder: b, rel: both, clause: "ON"}
		cond, err := x.bind(t.On)
		if err != nil {
			return both, err
		}
		if cond, err = b.boolean(cond, "the condition of ON"); err != nil {
			return both, err
		}
		j.Conds = conjuncts(cond)
	}
	using := t.Using
	if t.Natural {
		using = commonColumns(left, right, t.Pos)
	}
	if len(using) > 0 {
		if both, err = b.using(using, j, left, right, both); err != nil {
			return both, err
		}
	}
	j.Schema = joinSchema(j)
	both.node = j
	if len(using) > 0 && j.Kind == physical.FullOuter {
		return b.coalesced(using, j, left, right, both)
	}
	return both, nil
}

// sideBySide is the scope of two relations: all columns as they are.
func sideBySide(j *logical.Join, left, right relation) relation {
	n := &logical.Values{}
	n.Span = j.Span
	n.Schema.Fields = slices.Concat(left.fields(), right.fields())
	r := relation{node: n, quals: slices.Concat(left.quals, right.quals)}
	width := len(left.fields())
	r.merged = append(r.merged, left.merged...)
	r.hidden = slices.Concat(hiddenOf(left), hiddenOf(right))
	for _, i := range right.merged {
		r.merged = append(r.merged, width+i)
	}
	return r
}

func hiddenOf(r relation) []bool {
	if r.hidden == nil {
		return make([]bool, len(r.fields()))
	}
	return r.hidden
}

// joinSchema is the output of a join: the columns of a side that may be padded are
// nullable, and none of them says when a row happened.
func joinSchema(j *logical.Join) stream.Schema {
	var s stream.Schema
	add := func(n logical.Node, padded bool) {
		for _, f := range n.Info().Schema.Fields {
			if j.Regular {
				f.Time = stream.NoTime
			}
			if padded {
				f.Type, f.Time = f.Type.Nullable(), stream.NoTime
			}
			s.Fields = append(s.Fields, f)
		}
	}
	add(j.Left, j.Kind == physical.RightOuter || j.Kind == physical.FullOuter)
	if j.Kind != physical.LeftSemi && j.Kind != physical.LeftAnti {
		add(j.Right, j.Kind == physical.LeftOuter || j.Kind == physical.FullOuter)
	}
	return s
}

// using makes the conditions of USING. Its columns then stand for both sides: those of
// the side that is never padded.
func (b *binder) using(columns []sql.Ident, j *logical.Join, left, right, both relation) (relation, error) {
	x := &exprBinder{binder: b, rel: both, clause: "USING"}
	width := len(left.fields())
	var merged []int
	for _, c := range columns {
		var at [2]int
		for side, r := range []relation{left, right} {
			cols := r.find("", c.Name)
			switch {
			case len(cols) == 0:
				e := b.errorf(diag.UndefinedColumn, b.span(c), "column %q is not on the %s side of the join", c.Name, [...]string{"left", "right"}[side])
				return both, e.DidYouMean(c.Name, r.names(), listHint("columns", r.names()))
			case len(cols) > 1:
				return both, b.errorf(diag.UndefinedColumn, b.span(c), "column %q is ambiguous", c.Name).WithHint("write ON with table names in front")
			}
			at[side] = cols[0]
		}
		l, r := at[0], width+at[1]
		eq, err := x.operator("=", b.span(c), both.column(l, b.span(c)), both.column(r, b.span(c)))
		if err != nil {
			return both, err
		}
		j.Conds = append(j.Conds, eq)
		kept, dropped := l, r
		if j.Kind == physical.RightOuter {
			kept, dropped = r, l
		}
		both.hidden[dropped] = true
		merged = append(merged, kept)
	}
	both.merged = append(merged, slices.DeleteFunc(both.merged, func(i int) bool { return both.hidden[i] || slices.Contains(merged, i) })...)
	return both, nil
}

// pendingJoin is a join of FROM, and how to call it.
type pendingJoin struct {
	node *logical.Join
	name string
}

// push moves a condition of WHERE down: into an inner join, or to the only side that
// it reads. The side that a join may pad does not take it.
func push(n logical.Node, cond expr.Expr) logical.Node {
	j, ok := n.(*logical.Join)
	if ok {
		withoutPadding(j, cond)
	}
	if l := logical.LateralOf(n); l != nil && pushLateral(l, cond) {
		return n
	}
	if !ok || !movable(cond) {
		if cond = limitRanks(n, cond); cond == nil {
			return n
		}
		return filter(n, cond, cond.Span())
	}
	left, right := sidesOf(j, cond)
	switch {
	case right && !left && (j.Kind == physical.Inner || j.Kind == physical.RightOuter):
		j.Right = push(j.Right, shifted(cond, -len(j.Left.Info().Schema.Fields)))
	case !right && j.Kind != physical.RightOuter && j.Kind != physical.FullOuter:
		j.Left = push(j.Left, cond)
	case j.Kind == physical.Inner:
		j.Conds = append(j.Conds, cond)
	default:
		return filter(n, cond, cond.Span())
	}
	return n
}

// movable reports whether a condition means the same wherever it is evaluated.
func movable(cond expr.Expr) bool {
	ok := deterministic(cond)
	expr.Walk(cond, func(e expr.Expr) bool {
		switch e.(type) {
		case *expr.CurrentWatermark, *expr.Proctime:
			ok = false
		}
		return ok
	})
	return ok
}

// sidesOf says which sides of a join an expression reads.
func sidesOf(j *logical.Join, e expr.Expr) (left, right bool) {
	width := len(j.Left.Info().Schema.Fields)
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok {
			left = left || c.Index < width
			right = right || c.Index >= width
		}
		return true
	})
	return left, right
}

// shifted moves all column references by a distance.
func shifted(e expr.Expr, by int) expr.Expr {
	return rewrite(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok {
			n := *c
			n.Index += by
			return &n
		}
		return nil
	})
}

// handDown moves conditions of a join that read one side to it.
func handDown(j *logical.Join) {
	var kept []expr.Expr
	for _, c := range j.Conds {
		left, right := sidesOf(j, c)
		switch k := j.Kind; {
		case movable(c) && right && !left && k != physical.RightOuter && k != physical.FullOuter:
			j.Right = push(j.Right, shifted(c, -len(j.Left.Info().Schema.Fields)))
		case movable(c) && left && !right && (k == physical.Inner || k == physical.RightOuter || k == physical.LeftSemi):
			j.Left = push(j.Left, c)
		default:
			kept = append(kept, c)
		}
	}
	j.Conds = kept
}

// equalColumns takes a comparison of a column of the left side with one of the right.
func equalColumns(e expr.Expr, width int) (left, right int, ok bool) {
	c, is := e.(*expr.Call)
	if !is || c.Func.Name != "=" && c.Func.Name != "IS NOT DISTINCT FROM" {
		return 0, 0, false
	}
	l, lok := c.Args[0].(*expr.Column)
	r, rok := c.Args[1].(*expr.Column)
	if !lok || !rok {
		return 0, 0, false
	}
	if l.Index >= width {
		l, r = r, l
	}
	if l.Index >= width || r.Index < width {
		return 0, 0, false
	}
	return l.Index, r.Index - width, true
}
