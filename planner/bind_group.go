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
	"streamsql/types"
	"streamsql/window"
)

// grouping is what a grouped query groups by, and the aggregate calls met in its
// clauses.
type grouping struct {
	keys   []expr.Expr // over the input
	sets   [][]int     // grouping sets, as places of keys; nil: all keys are one set
	legacy *legacyWindow
	calls  []*logical.Call
	inside bool // the arguments of an aggregate are being bound
	input  logical.Node
}

// legacyWindow is GROUP BY TUMBLE(ts, size), HOP or SESSION.
type legacyWindow struct {
	spec       window.Spec
	time       int // its column; -1: processing time
	timeType   types.Type
	processing bool
	span       diag.Span
	name       string // of the function
}

// callRef stands for an aggregate call until the grouped query is put together.
type callRef struct {
	expr.Info
	call *logical.Call
}

// windowRef stands for TUMBLE_START and the like.
type windowRef struct {
	expr.Info
	kind physical.WindowPropKind
}

// aggregate binds an aggregate call and leaves a reference to it.
func (x *exprBinder) aggregate(e *sql.Call, agg *expr.Aggregate) (expr.Expr, error) {
	span := x.span(e)
	if x.group == nil {
		return nil, x.errorf(diag.InvalidArgument, span, "aggregate %s cannot stand in %s", agg.Name, x.clause).
			WithHint("%s", aggregateHint(x.clause))
	}
	if x.group.inside {
		return nil, x.errorf(diag.InvalidArgument, span, "aggregate %s stands inside another aggregate", agg.Name).
			WithHint("compute the inner aggregate in a subquery")
	}
	if agg.Name == "COUNT" && len(e.Args) > 1 {
		count := "COUNT(*)"
		if e.Distinct {
			count = "COUNT(DISTINCT ROW(a, b))"
		}
		return nil, x.unsupported(span, "COUNT of several columns", "write "+count+" FILTER (WHERE a IS NOT NULL AND b IS NOT NULL)")
	}
	if e.Star && agg.Name != "COUNT" {
		return nil, x.errorf(diag.InvalidArgument, span, "%s(*) does not exist", agg.Name).WithHint("usage: %s", agg.Usage)
	}
	if agg.Name == "COUNT" && len(e.Args) == 0 && !e.Star {
		return nil, x.errorf(diag.InvalidArgument, span, "COUNT expects a value or *").WithHint("usage: %s", agg.Usage)
	}
	x.group.inside = true
	defer func() { x.group.inside = false }()
	c := &logical.Call{Agg: agg, Distinct: e.Distinct}
	var err error
	if c.Args, err = x.aggregateArgs(agg, e); err != nil {
		return nil, err
	}
	argTypes := make([]types.Type, len(c.Args))
	for i, a := range c.Args {
		argTypes[i] = a.Type()
	}
	res, err := agg.Resolve(argTypes, e.Distinct, x.group.input.Info().Mode != physical.Append)
	if err != nil {
		return nil, x.resolveError(err, agg.Name, agg.Usage, argTypes, span, false)
	}
	for i := range c.Args {
		if i < len(res.Args) {
			if c.Args[i], err = x.coerce(c.Args[i], res.Args[i]); err != nil {
				return nil, err
			}
		}
	}
	if err := x.constants(agg, c.Args, span); err != nil {
		return nil, err
	}
	c.Res = res
	t := res.Result
	if e.Filter != nil {
		f, err := x.bind(e.Filter)
		if err != nil {
			return nil, err
		}
		if c.Filter, err = x.boolean(f, "the condition of FILTER"); err != nil {
			return nil, err
		}
		if !slices.Contains(neverNull, agg.Name) {
			t = t.Nullable()
		}
	}
	if e.NullsMode == "IGNORE NULLS" {
		if err := x.ignoreNulls(c, span); err != nil {
			return nil, err
		}
	}
	c.Info = expr.Info{T: t, S: span}
	return &callRef{c.Info, x.group.add(c)}, nil
}

// neverNull are the aggregates that have a value even of no rows.
var neverNull = []string{"COUNT", "$SUM0", "COLLECT", "JSON_ARRAYAGG", "JSON_OBJECTAGG"}

// ignoreNulls makes IGNORE NULLS a condition of the FILTER.
func (x *exprBinder) ignoreNulls(c *logical.Call, span diag.Span) error {
	if len(c.Args) == 0 || c.Args[0].Type().NotNull {
		return nil
	}
	f, err := x.operator("IS NOT NULL", span, c.Args[0])
	if err != nil {
		return err
	}
	if c.Filter != nil {
		f = connect(true, []expr.Expr{c.Filter, f}, span)
	}
	c.Filter = f
	return nil
}

// aggregateArgs binds the arguments of an aggregate call.
func (x *exprBinder) aggregateArgs(agg *expr.Aggregate, e *sql.Call) ([]expr.Expr, error) {
	if agg.Name == "JSON_ARRAYAGG" || agg.Name == "JSON_OBJECTAGG" {
		return x.jsonAggregateArgs(agg, e)
	}
	return x.bindAll(e.Args)
}

// constants checks the arguments of an aggregate that must be constants.
func (x *exprBinder) constants(agg *expr.Aggregate, args []expr.Expr, span diag.Span) error {
	if agg.Check == nil {
		return nil
	}
	lits := make([]*expr.Literal, len(args))
	for i, a := range args {
		lits[i], _ = a.(*expr.Literal)
	}
	if err := agg.Check(lits); err != nil {
		return x.errorf(diag.InvalidArgument, span, "%s", err.Error()).WithHint("usage: %s", agg.Usage)
	}
	return nil
}

func aggregateHint(clause string) string {
	switch clause {
	case "WHERE":
		return "conditions on aggregates belong into HAVING"
	case "GROUP BY":
		return "group by columns, or aggregate in a subquery"
	}
	return "use it in the select list or HAVING of a grouped query"
}

// add returns an equal call that is known already, or adds c. COUNT of a value that
// is never NULL is COUNT(*).
func (g *grouping) add(c *logical.Call) *logical.Call {
	if c.Agg.Name == "COUNT" && !c.Distinct && len(c.Args) == 1 && c.Args[0].Type().NotNull && deterministic(c.Args[0]) {
		if res, err := c.Agg.Resolve(nil, false, g.input.Info().Mode != physical.Append); err == nil {
			c.Args, c.Res = nil, res
		}
	}
	for _, k := range g.calls {
		sameFilter := k.Filter == nil && c.Filter == nil || k.Filter != nil && c.Filter != nil && same(k.Filter, c.Filter)
		if k.Agg == c.Agg && k.Distinct == c.Distinct && sameFilter && sameAll(k.Args, c.Args) {
			return k
		}
	}
	c.Name = physical.AggregateText(expr.AggregateCall{Agg: c.Agg, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter})
	g.calls = append(g.calls, c)
	return c
}

// groupItems binds GROUP BY.
func (b *binder) groupItems(sel *sql.Select, rel relation, g *grouping, alias map[string]sql.Expr) error {
	x := &exprBinder{binder: b, rel: rel, clause: "GROUP BY", alias: alias}
	sets, several := [][]int{nil}, false
	for _, item := range sel.GroupBy {
		if item.Kind != sql.GroupExpr {
			next, err := x.setsOf(item, g)
			if err != nil {
				return err
			}
			if sets, several = crossed(sets, next), true; len(sets) > maxSets {
				return b.tooManySets(item)
			}
			continue
		}
		if c, ok := item.Expr.(*sql.Call); ok {
			if w, ok := windowFunction(strings.ToUpper(nameOf(c.Name))); ok && w.prop == "" {
				if err := x.legacyGroup(c, w, g); err != nil {
					return err
				}
				continue
			}
		}
		n := item.Expr
		if l, ok := n.(*sql.Literal); ok && l.Kind == sql.NumberLiteral {
			i, ok := digits(l.Text, 1, 4)
			if !ok || i < 1 || i > len(sel.Items) || sel.Items[i-1].Star {
				return b.errorf(diag.InvalidArgument, b.span(l), "GROUP BY %s names no item of the select list", l.Text).
					WithHint("items count from 1 to %d", len(sel.Items))
			}
			n = sel.Items[i-1].Expr
		}
		k, err := x.bind(n)
		if err != nil {
			return err
		}
		sets = crossed(sets, [][]int{{g.key(k)}})
	}
	if several {
		if g.legacy != nil {
			return b.unsupported(g.legacy.span, g.legacy.name+" with grouping sets", "use the window function: GROUP BY window_start, window_end, ROLLUP (k) over TABLE(TUMBLE(...))")
		}
		if g.sets = sets; len(sets) == 1 && len(slices.Compact(slices.Sorted(slices.Values(sets[0])))) == len(g.keys) {
			g.sets = nil // one set of all keys, or the whole input
		}
	}
	return nil
}

func containsSame(list []expr.Expr, e expr.Expr) bool {
	for _, k := range list {
		if same(k, e) {
			return true
		}
	}
	return false
}

// aggregateNode puts the grouped query together: by window where it groups by one, else
// with a row for each group that changes as rows come.
func (b *binder) aggregateNode(sel *sql.Select, rel relation, g *grouping) (*grouped, error) {
	n := &logical.Aggregate{Input: rel.node, Calls: g.calls, Time: -1}
	n.Span = b.span(sel)
	out := &grouped{node: n, calls: g.calls, column: make([]int, len(g.keys)), prop: n.Prop}
	timeType := types.NewTimestamp(3).Required()
	if w := g.legacy; w != nil {
		n.Legacy, n.Window, n.Time, n.Processing = true, w.spec, w.time, w.processing
		if err := b.emitStrategy(n, w); err != nil {
			return nil, err
		}
		timeType.Kind, timeType.NotNull = w.timeType.Kind, w.timeType.NotNull
		for i := range g.keys {
			out.column[i] = i
		}
		n.Keys = g.keys
	} else {
		origin, props := b.groupedWindow(rel, g)
		if origin == nil {
			return b.groupAggregate(sel, rel, g)
		}
		if err := b.noEmit(b.groupSpan(sel)); err != nil {
			return nil, err
		}
		n.Origin = origin
		w := logical.WindowOf(origin)
		n.Window, timeType, n.Processing = w.Spec, w.Time, w.Processing
		if err := b.allowedLateness(b.groupSpan(sel), n); err != nil {
			return nil, err
		}
		for i, k := range g.keys {
			if props[i] < 0 {
				out.column[i] = len(n.Keys)
				n.Keys = append(n.Keys, k)
			}
		}
		if g.sets != nil {
			n.Sets = setsWithout(g, func(key int) bool { return props[key] >= 0 })
			n.Keys = append(n.Keys, setNumber(n.Span))
		}
		for i := range g.keys {
			if props[i] >= 0 {
				out.column[i] = n.Prop(physical.WindowPropKind(props[i]))
			}
		}
	}
	if err := b.checkWindowed(n); err != nil {
		return nil, err
	}
	if n.LateFire {
		n.Mode = physical.Retract
	}
	out.keys = len(n.Keys)
	n.Schema.Fields = groupFields(n.Keys, n.Sets, n.Calls)
	edge := types.NewTimestamp(3).Required()
	n.Schema.Fields = append(n.Schema.Fields,
		stream.Field{Name: "window_start", Type: edge}, stream.Field{Name: "window_end", Type: edge},
		stream.Field{Name: "window_time", Type: timeType, Time: windowTimeAttr(n.Processing)})
	return out, nil
}

// windowTimeAttr is what kind of time the time of a window is.
func windowTimeAttr(processing bool) stream.TimeAttr {
	if processing {
		return stream.Proctime
	}
	return stream.Rowtime
}

// fieldName is the name of a bare column, or "".
func fieldName(e expr.Expr) string {
	if c, ok := e.(*expr.Column); ok {
		return c.Name
	}
	return ""
}

// groupedWindow finds the window that a query groups by: the keys, and each set of
// them, must hold its start and its end. props gives the property that each key is, or
// -1. Without such a window origin is nil.
func (b *binder) groupedWindow(rel relation, g *grouping) (logical.Node, []int) {
	props := make([]int, len(g.keys))
	found := map[logical.Node][2]bool{}
	origins := make([]logical.Node, len(g.keys))
	for i, k := range g.keys {
		props[i] = -1
		c, ok := k.(*expr.Column)
		if !ok {
			continue
		}
		origin, kind, ok := logical.WindowProp(rel.node, c.Index)
		if !ok {
			continue
		}
		props[i], origins[i] = int(kind), origin
		if kind != physical.WindowTime {
			f := found[origin]
			f[kind] = true
			found[origin] = f
		}
	}
	for i := range g.keys {
		origin := origins[i]
		if origin == nil || found[origin] != [2]bool{true, true} {
			continue
		}
		for j := range g.keys {
			if origins[j] != origin {
				props[j] = -1
			}
		}
		if !g.inEachSet(props) || !b.ownSessions(rel.node, origin, g.keys, props) {
			return nil, nil
		}
		return origin, props
	}
	return nil, nil
}

// groupSpan is the place of the GROUP BY items.
func (b *binder) groupSpan(sel *sql.Select) diag.Span {
	if len(sel.GroupBy) == 0 {
		return b.span(sel)
	}
	return b.span(sel.GroupBy[0]).Join(b.span(sel.GroupBy[len(sel.GroupBy)-1]))
}
