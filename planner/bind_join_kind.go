package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// settleJoins decides what the joins of a FROM are. joins has the inner ones first; the
// outer ones hand conditions down to them.
func (b *binder) settleJoins(joins []pendingJoin) error {
	for _, p := range slices.Backward(joins) {
		handDown(p.node)
	}
	for _, p := range joins {
		if err := b.settleJoin(p.node, p.name); err != nil {
			return err
		}
	}
	return nil
}

// settleJoin decides whether a join is one of equal windows; any other is a regular join,
// as in Flink.
func (b *binder) settleJoin(j *logical.Join, name string) error {
	refresh(j.Left)
	refresh(j.Right)
	if w, ok := b.equalWindows(j); ok {
		return b.windowJoin(j, w, name)
	}
	if i, rest := nearTimes(j); i != nil {
		return b.intervalJoin(j, i, rest, name)
	}
	return b.regularJoin(j, name)
}

// windowJoin checks a join of equal windows.
func (b *binder) windowJoin(j *logical.Join, w joinedWindows, name string) error {
	for _, in := range j.Inputs() {
		if in.Info().Mode != physical.Append {
			return b.unsupported(j.Span, name+" of windows over an updating result", "join rows that are only added")
		}
	}
	if logical.WindowOf(w.left).Processing {
		return b.unsupported(j.Span, name+" of windows of processing time", "use windows of a rowtime column")
	}
	return nil
}

// regularJoin makes a join one without windows.
func (b *binder) regularJoin(j *logical.Join, name string) error {
	s := b.env.Settings
	if s.Bool(keyMiniBatch) {
		return b.unsupported(j.Span, name+" with mini-batch", "SET '"+keyMiniBatch+"' = 'false': each change is sent as its row comes")
	}
	j.Regular = true
	j.TTL, _ = s.Duration(keyTTL)
	j.Mode = joinMode(j)
	copy(j.Schema.Fields, joinSchema(j).Fields)
	if len(j.Conds) > 1 {
		j.Conds = slices.DeleteFunc(j.Conds, func(c expr.Expr) bool {
			l, ok := c.(*expr.Literal)
			return ok && !l.Value.Null && l.Value.I != 0
		})
	}
	return nil
}

// joinMode returns the changes that a regular join sends: an inner join forwards those
// of its inputs, where rows are padded the padding is taken back.
func joinMode(j *logical.Join) physical.ChangelogMode {
	if j.Kind != physical.Inner && j.Kind != physical.LeftSemi || j.Left.Info().Mode != physical.Append || j.Right.Info().Mode != physical.Append {
		return physical.Retract
	}
	return physical.Append
}

// refresh brings what filters and joins say of themselves up to date with the joins below
// them, which have become what they are since.
func refresh(n logical.Node) {
	switch n := n.(type) {
	case *logical.Filter:
		refresh(n.Input)
		n.Mode, n.Schema = n.Input.Info().Mode, n.Input.Info().Schema
	case *logical.Join:
		refresh(n.Left)
		refresh(n.Right)
		if n.Regular {
			n.Mode = joinMode(n)
		}
		copy(n.Schema.Fields, joinSchema(n).Fields)
	case *logical.Unnest, *logical.TableFunction:
		refreshLateral(logical.LateralOf(n))
	case *logical.Project:
		if _, ok := n.Input.(*logical.Join); ok {
			refresh(n.Input)
			n.Mode = n.Input.Info().Mode
			for i, e := range n.Exprs {
				if c, ok := e.(*expr.Column); ok {
					n.Schema.Fields[i].Time = n.Input.Info().Schema.Fields[c.Index].Time
				}
			}
		}
	}
}

// joinedWindows are the nodes whose windows a join compares.
type joinedWindows struct{ left, right logical.Node }

// equalWindows takes the equality of start and end of one kind of window out of the
// conditions.
func (b *binder) equalWindows(j *logical.Join) (joinedWindows, bool) {
	type pair struct{ left, right int }
	width := len(j.Left.Info().Schema.Fields)
	found := map[joinedWindows]*[2]pair{}
	var order []joinedWindows
	taken := map[expr.Expr]joinedWindows{}
	for _, c := range j.Conds {
		l, r, ok := equalColumns(c, width)
		if !ok {
			continue
		}
		lo, lk, lok := logical.WindowProp(j.Left, l)
		ro, rk, rok := logical.WindowProp(j.Right, r)
		if !lok || !rok || lk != rk || lk == physical.WindowTime {
			continue
		}
		w := joinedWindows{lo, ro}
		if found[w] == nil {
			found[w] = &[2]pair{{-1, -1}, {-1, -1}}
			order = append(order, w)
		}
		found[w][lk] = pair{l, r}
		taken[c] = w
	}
	for _, w := range order {
		p := found[w]
		if p[0].left < 0 || p[1].left < 0 || !sameWindows(w) {
			continue
		}
		j.LeftStart, j.RightStart, j.LeftEnd, j.RightEnd = p[0].left, p[0].right, p[1].left, p[1].right
		j.Conds = slices.DeleteFunc(j.Conds, func(c expr.Expr) bool { return taken[c] == w })
		return w, true
	}
	return joinedWindows{}, false
}

// sameWindows reports whether the windows of two nodes are those of one function over
// times of one type.
func sameWindows(w joinedWindows) bool {
	l, r := logical.WindowOf(w.left), logical.WindowOf(w.right)
	return l.Spec == r.Spec && l.Time.Kind == r.Time.Kind && l.Processing == r.Processing
}

// commonColumns are the columns of a NATURAL join: those that both sides have, in the
// order of the left side.
func commonColumns(left, right relation, at sql.Pos) []sql.Ident {
	var list []sql.Ident
	for _, i := range left.starOrder("") {
		name := left.fields()[i].Name
		for _, k := range right.starOrder("") {
			if right.fields()[k].Name == name {
				list = append(list, sql.Ident{Pos: at, Name: name})
				break
			}
		}
	}
	return list
}

// coalesced adds the columns of USING behind a FULL join, which are those of the side
// that is there.
func (b *binder) coalesced(using []sql.Ident, j *logical.Join, left, right, both relation) (relation, error) {
	p := &logical.Project{Input: j}
	p.Span, p.Mode = j.Span, j.Mode
	p.Exprs = columns(j)
	p.Schema.Fields = slices.Clone(j.Schema.Fields)
	width := len(left.fields())
	x := &exprBinder{binder: b, rel: both, clause: "USING"}
	both.merged = both.merged[len(using):]
	both.quals = slices.Clone(both.quals)
	for k, c := range using {
		l, r := left.find("", c.Name)[0], width+right.find("", c.Name)[0]
		e, err := x.operator("COALESCE", b.span(c), both.column(l, b.span(c)), both.column(r, b.span(c)))
		if err != nil {
			return both, err
		}
		both.hidden[l], both.hidden[r] = true, true
		both.merged = slices.Insert(both.merged, k, len(p.Exprs))
		p.Exprs = append(p.Exprs, e)
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: j.Schema.Fields[l].Name, Type: e.Type()})
		both.quals = append(both.quals, "")
		both.hidden = append(both.hidden, false)
	}
	both.node = p
	return both, nil
}

// withoutPadding makes an outer join one that does not pad a side, where a condition on
// its rows is never TRUE for NULLs on that side: so does Flink, whose changes differ
// then.
func withoutPadding(n logical.Node, cond expr.Expr) {
	j, ok := n.(*logical.Join)
	if !ok {
		return
	}
	width := len(j.Left.Info().Schema.Fields)
	left := func(c *expr.Column) bool { return c.Index < width }
	right := func(c *expr.Column) bool { return c.Index >= width }
	if neverTrue(cond, right) {
		switch j.Kind {
		case physical.LeftOuter:
			j.Kind = physical.Inner
		case physical.FullOuter:
			j.Kind = physical.RightOuter
		}
	}
	if neverTrue(cond, left) {
		switch j.Kind {
		case physical.RightOuter:
			j.Kind = physical.Inner
		case physical.FullOuter:
			j.Kind = physical.LeftOuter
		}
	}
}

// neverTrue reports whether a condition cannot be TRUE where some columns are NULL.
// (Calcite: Strong.isNotTrue.)
func neverTrue(e expr.Expr, null func(*expr.Column) bool) bool {
	switch e := e.(type) {
	case *expr.And:
		return slices.ContainsFunc(e.Args, func(a expr.Expr) bool { return neverTrue(a, null) })
	case *expr.Or:
		return !slices.ContainsFunc(e.Args, func(a expr.Expr) bool { return !neverTrue(a, null) })
	case *expr.Literal:
		return e.Value.Null || e.T.Kind == types.Boolean && e.Value.I == 0
	case *expr.Call:
		switch e.Func.Name {
		case "IS NOT NULL":
			return isNullFor(e.Args[0], null)
		case "IS TRUE":
			return neverTrue(e.Args[0], null)
		}
	}
	return isNullFor(e, null)
}

// strictCalls are the functions that are NULL if an argument is.
var strictCalls = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "+": true, "-": true, "*": true, "/": true, "%": true,
	"NOT": true, "LIKE": true, "MOD": true,
}

// isNullFor reports whether a value is NULL where some columns are.
func isNullFor(e expr.Expr, null func(*expr.Column) bool) bool {
	switch e := e.(type) {
	case *expr.Column:
		return null(e)
	case *expr.Literal:
		return e.Value.Null
	case *expr.Cast:
		return isNullFor(e.Arg, null)
	case *expr.And:
		return !slices.ContainsFunc(e.Args, func(a expr.Expr) bool { return !isNullFor(a, null) })
	case *expr.Or:
		return !slices.ContainsFunc(e.Args, func(a expr.Expr) bool { return !isNullFor(a, null) })
	case *expr.Call:
		return strictCalls[e.Func.Name] && slices.ContainsFunc(e.Args, func(a expr.Expr) bool { return isNullFor(a, null) })
	}
	return false
}
