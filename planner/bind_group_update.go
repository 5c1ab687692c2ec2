package planner

import (
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// grouped is an aggregate and where its output has what the query speaks of.
type grouped struct {
	node   logical.Node
	keys   int   // columns for keys, in front of those for calls
	column []int // by key of the query
	calls  []*logical.Call
	prop   func(physical.WindowPropKind) int // column of a window property
}

// groupAggregate makes an aggregate without a window.
func (b *binder) groupAggregate(sel *sql.Select, rel relation, g *grouping) (*grouped, error) {
	span := b.groupSpan(sel)
	if len(sel.GroupBy) == 0 && len(g.calls) > 0 {
		span = g.calls[0].S
	}
	if v := b.overNothing(rel.node, g); v != nil {
		v.Span = b.span(sel)
		return &grouped{node: v, calls: g.calls}, nil
	}
	n := &logical.GroupAggregate{Input: rel.node, Keys: g.keys, Calls: g.calls}
	n.Span = b.span(sel)
	if err := b.updating(n, span); err != nil {
		return nil, err
	}
	if g.sets != nil {
		n.Sets = setsWithout(g, func(int) bool { return false })
		n.Keys = append(n.Keys[:len(n.Keys):len(n.Keys)], setNumber(n.Span))
	}
	n.Schema.Fields = groupFields(n.Keys, n.Sets, n.Calls)
	return &grouped{node: n, keys: len(n.Keys), column: identity(len(g.keys)), calls: g.calls}, nil
}

// overNothing makes the row of an aggregate over the whole of an input of which a
// constant condition lets nothing through: only then Flink answers that there is
// nothing. It returns nil for other queries.
func (b *binder) overNothing(in logical.Node, g *grouping) *logical.Values {
	f, ok := in.(*logical.Filter)
	if !ok || len(g.keys) > 0 || g.sets != nil {
		return nil
	}
	if l, ok := f.Cond.(*expr.Literal); !ok || !l.Value.Null && l.Value.I != 0 {
		return nil
	}
	v := &logical.Values{Rows: [][]expr.Expr{nil}}
	for _, c := range g.calls {
		x := types.NullValue
		switch c.Agg.Name {
		case "COUNT":
			x = types.IntValue(0)
		case "SUM", "MIN", "MAX":
		default:
			return nil
		}
		v.Rows[0] = append(v.Rows[0], &expr.Literal{Info: c.Info, Value: x})
	}
	v.Schema.Fields = groupFields(nil, nil, g.calls)
	return v
}

// updating applies the settings for results that change as rows come; span is the place
// of what makes it one.
func (b *binder) updating(n *logical.GroupAggregate, span diag.Span) error {
	s := b.env.Settings
	if s.Bool(keyMiniBatch) {
		return b.unsupported(span, "an aggregate with mini-batch", "SET '"+keyMiniBatch+"' = 'false': each change is sent as its row comes")
	}
	n.TTL, _ = s.Duration(keyTTL)
	n.Mode = physical.Retract
	return nil
}

// groupFields are the columns for the keys and calls of an aggregate.
func groupFields(keys []expr.Expr, sets [][]bool, calls []*logical.Call) []stream.Field {
	var fields []stream.Field
	for i, k := range keys {
		f := stream.Field{Name: fieldName(k), Type: k.Type()}
		if f.Name == "" {
			f.Name = physical.ExprText(k)
		}
		if leftOut(sets, i) {
			f.Type = f.Type.Nullable()
		}
		if sets != nil && i == len(keys)-1 {
			f.Name = "grouping_set"
		}
		fields = append(fields, f)
	}
	for _, c := range calls {
		fields = append(fields, stream.Field{Name: c.Name, Type: c.T})
	}
	return fields
}

// ungroup turns an expression over the input of a grouped query into one over its
// output: keys, aggregates and window properties become columns, anything else is
// refused.
func (b *binder) ungroup(e expr.Expr, n *grouped, g *grouping) (expr.Expr, error) {
	var bad *expr.Column
	var failed error
	fields := n.node.Info().Schema.Fields
	column := func(i int, at expr.Expr) expr.Expr {
		return &expr.Column{Info: expr.Info{T: fields[i].Type, S: at.Span()}, Index: i, Name: fields[i].Name}
	}
	e = rewrite(e, func(e expr.Expr) expr.Expr {
		for i, k := range g.keys {
			if same(k, e) {
				return column(n.column[i], e)
			}
		}
		switch e := e.(type) {
		case *callRef:
			for i, c := range n.calls {
				if c == e.call {
					return column(n.keys+i, e)
				}
			}
		case *windowRef:
			return column(n.prop(e.kind), e)
		case *groupingRef:
			v, err := b.bySet(e, column(n.keys-1, e))
			if err != nil {
				failed = err
				return e
			}
			return v
		case *expr.Column:
			if bad == nil {
				bad = e
			}
			return e
		}
		return nil
	})
	if failed != nil {
		return nil, failed
	}
	if bad != nil {
		return nil, b.errorf(diag.InvalidArgument, bad.S, "column %q is neither grouped nor aggregated", bad.Name).
			WithHint("add %s to GROUP BY, or aggregate it: MAX(%s)", bad.Name, bad.Name)
	}
	return e, nil
}

// ownSessions reports whether a query that groups by the windows of origin can make
// them itself. Sessions belong to the keys by which they are made: only a query that
// groups by just these is one over windows.
func (b *binder) ownSessions(in, origin logical.Node, keys []expr.Expr, props []int) bool {
	at, _ := logical.TraceRows(origin, logical.WindowOf(origin).Columns[physical.WindowStart])
	w, ok := at.(*logical.WindowTVF)
	if !ok || w.Window.Kind != window.Session {
		return true
	}
	want := map[int]bool{}
	for _, c := range w.Partition {
		want[c] = true
	}
	got := map[int]bool{}
	for i, k := range keys {
		if props[i] >= 0 {
			continue
		}
		c, ok := k.(*expr.Column)
		if !ok {
			return false
		}
		at, i := logical.TraceRows(in, c.Index)
		if at != logical.Node(w) || !want[i] {
			return false
		}
		got[i] = true
	}
	return len(got) == len(want)
}

// distinctOf puts SELECT DISTINCT over a plan: an aggregate that groups by all columns.
func (b *binder) distinctOf(in logical.Node, span diag.Span) (logical.Node, error) {
	n := &logical.GroupAggregate{Input: in, Keys: columns(in)}
	n.Span = span
	if err := b.updating(n, span); err != nil {
		return nil, err
	}
	n.Schema.Fields = groupFields(n.Keys, nil, nil)
	return n, nil
}
