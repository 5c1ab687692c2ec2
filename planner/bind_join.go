package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
)

// joinHint says which joins are possible.
const joinHint = "rows of equal windows can be joined: both sides from TABLE(TUMBLE(...)) or a window aggregate, ON a.window_start = b.window_start AND a.window_end = b.window_end"

// join binds a join of FROM. Whether it is a window join is only known when WHERE has
// been read: a comma leaves all conditions to that.
func (b *binder) join(t *sql.Join) (relation, error) {
	if t.Natural {
		return relation{}, b.unsupported(b.joinSpan(t), joinName(t), "name the columns: JOIN ... USING (window_start, window_end)")
	}
	left, err := b.from(t.Left, b.span(t.Left))
	if err != nil {
		return left, err
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
	if len(t.Using) > 0 {
		if both, err = b.using(t, j, left, right, both); err != nil {
			return both, err
		}
	}
	j.Schema = joinSchema(j)
	both.node = j
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
func (b *binder) using(t *sql.Join, j *logical.Join, left, right, both relation) (relation, error) {
	if j.Kind == physical.FullOuter {
		return both, b.unsupported(b.span(t.Using[0]), "FULL JOIN with USING", "write ON, and COALESCE(a.k, b.k) for the columns")
	}
	x := &exprBinder{binder: b, rel: both, clause: "USING"}
	width := len(left.fields())
	var merged []int
	for _, c := range t.Using {
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

// windowJoins checks the joins of a FROM: only window joins run. joins has the inner
// ones first; the outer ones hand conditions down to them.
func (b *binder) windowJoins(joins []pendingJoin) error {
	for _, p := range slices.Backward(joins) {
		handDown(p.node)
	}
	for _, p := range joins {
		if err := b.windowJoin(p.node, p.name); err != nil {
			return err
		}
	}
	return nil
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

// windowJoin finds the equality of windows among the conditions of a join.
func (b *binder) windowJoin(j *logical.Join, name string) error {
	w, err := b.equalWindows(j, name)
	if err != nil {
		return err
	}
	for _, in := range j.Inputs() {
		if in.Info().Mode != physical.Append {
			return b.unsupported(j.Span, name+" of an updating result", "join rows that are only added")
		}
	}
	l, r := logical.WindowOf(w.left), logical.WindowOf(w.right)
	if l.Processing || r.Processing {
		return b.unsupported(j.Span, name+" of windows of processing time", "use windows of a rowtime column")
	}
	if l.Spec != r.Spec {
		return b.unsupported(j.Span, name+" of different windows", "use one window on both sides: they are "+
			physical.WindowText(l.Spec, "ts")+" and "+physical.WindowText(r.Spec, "ts"))
	}
	if l.Time.Kind != r.Time.Kind {
		return b.unsupported(j.Span, name+" of different windows", "declare the rowtime of both sides alike: they are "+l.Time.Name()+" and "+r.Time.Name())
	}
	return nil
}

// joinedWindows are the nodes whose windows a join compares.
type joinedWindows struct{ left, right logical.Node }

// equalWindows takes the equality of start and end out of the conditions.
func (b *binder) equalWindows(j *logical.Join, name string) (joinedWindows, error) {
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
		if p[0].left < 0 || p[1].left < 0 {
			continue
		}
		j.LeftStart, j.RightStart, j.LeftEnd, j.RightEnd = p[0].left, p[0].right, p[1].left, p[1].right
		j.Conds = slices.DeleteFunc(j.Conds, func(c expr.Expr) bool { return taken[c] == w })
		return w, nil
	}
	hint := joinHint
	if len(order) > 0 {
		hint = "compare both window_start and window_end"
	}
	return joinedWindows{}, b.unsupported(j.Span, name+" without a window", hint)
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

// subqueryTest is a condition of WHERE that asks a query: EXISTS or IN.
type subqueryTest struct {
	query *sql.Query
	value sql.Expr // of IN
	not   bool
	span  diag.Span
}

// subqueryTests splits the condition of WHERE into tests of subqueries and the rest.
func (b *binder) subqueryTests(e sql.Expr) (tests []subqueryTest, rest []sql.Expr) {
	switch n := bare(e).(type) {
	case *sql.Binary:
		if n.Op == "AND" {
			t, r := b.subqueryTests(n.Left)
			u, s := b.subqueryTests(n.Right)
			return append(t, u...), append(r, s...)
		}
	case *sql.In:
		if n.Query != nil {
			return []subqueryTest{{n.Query, n.Expr, n.Not, b.span(n)}}, nil
		}
	case *sql.Exists:
		return []subqueryTest{{n.Query, nil, false, b.span(n)}}, nil
	case *sql.Unary:
		if n.Op != "NOT" {
			break
		}
		switch m := bare(n.Expr).(type) {
		case *sql.Exists:
			return []subqueryTest{{m.Query, nil, true, b.span(n)}}, nil
		case *sql.In:
			if m.Query != nil {
				return []subqueryTest{{m.Query, m.Expr, !m.Not, b.span(n)}}, nil
			}
		}
	}
	return nil, []sql.Expr{e}
}

// bare takes brackets off.
func bare(e sql.Expr) sql.Expr {
	for {
		p, ok := e.(*sql.Paren)
		if !ok || p.Unit != "" {
			return e
		}
		e = p.Expr
	}
}

// semiJoin binds a test of a subquery as a join that only asks whether there is a
// match.
func (b *binder) semiJoin(rel relation, t subqueryTest) (relation, error) {
	name := "EXISTS"
	if t.value != nil {
		name = "IN"
	}
	j := &logical.Join{Left: rel.node, Kind: physical.LeftSemi}
	if t.not {
		j.Kind, name = physical.LeftAnti, "NOT "+name
	}
	j.Span = t.span
	x, columns, err := b.subquery(rel, t)
	if err != nil {
		return rel, err
	}
	j.Right = x.inner.node
	j.Conds = x.conds
	if t.value != nil {
		values := []sql.Expr{t.value}
		if row, ok := bare(t.value).(*sql.RowValue); ok {
			values = row.Items
		}
		if len(values) != len(columns) {
			return rel, b.errorf(diag.InvalidArgument, t.span, "IN compares %s with %s of the subquery", plural(int64(len(values)), "value"), plural(int64(len(columns)), "column"))
		}
		outer := &exprBinder{binder: b, rel: rel, clause: "WHERE"}
		for i, v := range values {
			l, err := outer.bind(v)
			if err != nil {
				return rel, err
			}
			eq, err := outer.operator("=", t.span, l, columns[i])
			if err != nil {
				return rel, err
			}
			if t.not && !eq.Type().NotNull {
				// NOT IN is not TRUE either where a comparison is NULL.
				if eq, err = outer.operator("IS NOT FALSE", t.span, eq); err != nil {
					return rel, err
				}
			}
			j.Conds = append(j.Conds, conjuncts(eq)...)
		}
	}
	handDown(j)
	if err := b.windowJoin(j, name+" with a subquery"); err != nil {
		return rel, err
	}
	j.Schema = joinSchema(j)
	rel.node = j
	return rel, nil
}

// subqueryScope is a subquery whose conditions may name columns of the query around it.
// Its columns stand behind those of the query around.
type subqueryScope struct {
	exprBinder
	inner relation
	conds []expr.Expr
}

// subquery binds the query of a test: what it reads, its conditions, and its columns,
// all over the columns of both.
func (b *binder) subquery(rel relation, t subqueryTest) (*subqueryScope, []expr.Expr, error) {
	s := &subqueryScope{exprBinder: exprBinder{binder: b, rel: rel, clause: "the subquery"}}
	width := len(rel.fields())
	sel, ok := t.query.Body.(*sql.Select)
	if !ok || !plainSelect(t.query, sel) {
		n, err := b.query(t.query)
		if err != nil {
			return nil, nil, err
		}
		s.inner = newRelation(n, "")
		return s, s.columns(width, t.span), nil
	}
	outer := b.joins
	b.joins = nil
	defer func() { b.joins = outer }()
	var err error
	if s.inner, err = b.from(sel.From, b.span(sel)); err != nil {
		return nil, nil, err
	}
	s.nested = &nestedScope{s.inner, width}
	if sel.Where != nil {
		cond, err := s.bind(sel.Where)
		if err == nil {
			cond, err = b.boolean(cond, "the condition of WHERE")
		}
		if err != nil {
			return nil, nil, err
		}
		// What reads the subquery alone belongs into it: it may hold the windows of a join
		// or the limit of a numbering.
		for _, c := range conjuncts(cond) {
			if own, ok := s.own(c, width); ok && movable(c) {
				if rest := limitRanks(s.inner.node, own); rest != nil {
					s.inner.node = push(s.inner.node, rest)
				}
				continue
			}
			s.conds = append(s.conds, c)
		}
	}
	if err := b.windowJoins(b.joins); err != nil {
		return nil, nil, err
	}
	var columns []expr.Expr
	for _, it := range sel.Items {
		if it.Star {
			columns = append(columns, s.columns(width, b.span(it))...)
			continue
		}
		e, err := s.bind(it.Expr)
		if err != nil {
			return nil, nil, err
		}
		columns = append(columns, e)
	}
	return s, columns, nil
}

// own moves a condition to the columns of the subquery alone, if it reads just those.
func (s *subqueryScope) own(c expr.Expr, width int) (expr.Expr, bool) {
	outside := false
	expr.Walk(c, func(e expr.Expr) bool {
		if col, ok := e.(*expr.Column); ok {
			outside = outside || col.Index < width
		}
		return true
	})
	if outside {
		return nil, false
	}
	return shifted(c, -width), true
}

// columns are references to all columns of the subquery.
func (s *subqueryScope) columns(width int, span diag.Span) []expr.Expr {
	var list []expr.Expr
	for i := range s.inner.fields() {
		list = append(list, shifted(s.inner.column(i, span), width))
	}
	return list
}

// plainSelect reports whether a query only reads, filters and selects, so that its
// conditions may be moved out of it.
func plainSelect(q *sql.Query, sel *sql.Select) bool {
	if len(q.With) > 0 || len(q.OrderBy) > 0 || q.Limit != nil || q.Offset != nil || sel.From == nil || sel.Distinct ||
		len(sel.GroupBy) > 0 || sel.Having != nil || sel.Qualify != nil || len(sel.Windows) > 0 {
		return false
	}
	for _, it := range sel.Items {
		if it.Star && (it.Table != nil || len(it.Except) > 0) {
			return false
		}
		if c, ok := it.Expr.(*sql.Call); ok && (c.Over != nil || aggregateNames[strings.ToUpper(nameOf(c.Name))]) {
			return false
		}
	}
	return true
}

// aggregateNames are the aggregates that make a query without GROUP BY a grouped one.
var aggregateNames = map[string]bool{"COUNT": true, "SUM": true, "AVG": true, "MIN": true, "MAX": true, "LISTAGG": true, "FIRST_VALUE": true, "LAST_VALUE": true}

// nestedScope is the scope of a subquery: names are looked up there first.
type nestedScope struct {
	rel   relation
	shift int // where its columns begin
}
