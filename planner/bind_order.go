package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
)

// ordered is a bound query body with the keys of its ORDER BY. Columns that only the
// keys read stand behind the visible ones.
type ordered struct {
	node    logical.Node
	keys    []logical.SortKey
	visible int
}

// order binds the body of a query with ORDER BY, LIMIT or OFFSET.
func (b *binder) order(q *sql.Query) (logical.Node, error) {
	limit, err := b.limits(q)
	if err != nil {
		return nil, err
	}
	if len(q.OrderBy) == 0 {
		n, err := b.body(q.Body)
		if err != nil || limit == nil {
			return n, err
		}
		o := &ordered{node: n, visible: len(n.Info().Schema.Fields)}
		return o.cut(b.limit(q, o, limit)), nil
	}
	var o *ordered
	if sel, ok := q.Body.(*sql.Select); ok {
		o, err = b.orderedSelect(sel, q.OrderBy)
	} else {
		o, err = b.orderedBody(q.Body, q.OrderBy)
	}
	if err == nil {
		err = b.arrivalOrder(q, o)
	}
	switch {
	case err != nil:
		return nil, err
	case limit != nil:
		return o.cut(b.limit(q, o, limit)), nil
	case len(o.keys) == 0 || q != b.root:
		return o.cut(o.node), nil // in a subquery the order means nothing
	}
	n, err := b.sort(q, o)
	if err != nil {
		return nil, err
	}
	return o.cut(n), nil
}

// arrivalOrder drops an order by processing time, in which rows come anyway.
func (b *binder) arrivalOrder(q *sql.Query, o *ordered) error {
	for i, k := range o.keys {
		if timeAttribute(o.node, k.Expr) != stream.Proctime {
			continue
		}
		if len(o.keys) > 1 || k.Desc || o.node.Info().Mode != physical.Append {
			return b.unsupported(b.span(q.OrderBy[i].Expr), "ORDER BY processing time but for rows that are only added, ascending", "order by a column")
		}
		o.keys = nil
	}
	return nil
}

// limits reads LIMIT and OFFSET; nil: there are none.
func (b *binder) limits(q *sql.Query) (*logical.Limit, error) {
	n := &logical.Limit{}
	for _, l := range []struct {
		lit *sql.Literal
		to  *int64
	}{{q.Limit, &n.Count}, {q.Offset, &n.Offset}} {
		if l.lit == nil {
			continue
		}
		v, ok := digits(l.lit.Text, 1, 18)
		if !ok {
			return nil, b.errorf(diag.InvalidArgument, b.span(l.lit), "a number of rows is expected, but found %s", l.lit.Text)
		}
		*l.to = int64(v)
	}
	switch {
	case q.Limit == nil && q.Offset == nil:
		return nil, nil
	case q.Limit == nil:
		return nil, b.unsupported(b.span(q.Offset), "OFFSET without LIMIT", "add LIMIT with the number of rows")
	}
	return n, nil
}

// limit puts LIMIT over a plan. In an order, or over rows that are taken back, it is a
// Top-N: which rows are the first ones changes.
func (b *binder) limit(q *sql.Query, o *ordered, n *logical.Limit) logical.Node {
	in := o.node.Info()
	if n.Count == 0 || len(o.keys) == 0 && in.Mode == physical.Append {
		n.Input, n.Base, n.Span = o.node, *in, b.span(q)
		n.Mode = physical.Append
		return n
	}
	r := &logical.Rank{Input: o.node, Start: -1, End: -1, Order: o.keys, From: n.Offset + 1, To: n.Offset + n.Count, Limited: true, ToColumn: -1, Cut: true}
	r.Span = b.span(q)
	b.addRank(r)
	return r
}

// sort puts ORDER BY without LIMIT over a plan.
func (b *binder) sort(q *sql.Query, o *ordered) (logical.Node, error) {
	in := o.node.Info()
	n := &logical.Sort{Input: o.node, Order: o.keys}
	n.Base = *in
	n.Span = b.span(q.OrderBy[0].Expr).Join(b.span(q.OrderBy[len(q.OrderBy)-1].Expr))
	n.Mode = physical.Append
	first := o.keys[0]
	if !first.Desc && in.Mode == physical.Append {
		n.Time = timeAttribute(o.node, first.Expr) == stream.Rowtime
	}
	if n.Time || bounded(o.node) {
		return n, nil
	}
	err := b.errorf(diag.Unsupported, n.Span, "ORDER BY needs an input that ends, to send the first row")
	for _, f := range in.Schema.Fields[:o.visible] {
		if f.Time == stream.Rowtime && in.Mode == physical.Append {
			return nil, err.WithHint("add LIMIT with a number of rows, or order by event time: ORDER BY %s", f.Name)
		}
	}
	return nil, err.WithHint("add LIMIT with a number of rows")
}

// bounded reports whether all sources of a plan end.
func bounded(n logical.Node) bool {
	if s, ok := n.(*logical.Scan); ok {
		return s.Source.Info.Bounded
	}
	for _, in := range n.Inputs() {
		if !bounded(in) {
			return false
		}
	}
	return true
}

// cut leaves the visible columns of n, which has those of o.
func (o *ordered) cut(n logical.Node) logical.Node {
	fields := n.Info().Schema.Fields
	if o.visible == len(fields) {
		return n
	}
	p := &logical.Project{Input: n, Exprs: columns(n)[:o.visible]}
	p.Schema.Fields = append(p.Schema.Fields, fields[:o.visible]...)
	p.Mode, p.Span = n.Info().Mode, n.Info().Span
	return p
}

// orderedBody binds a body whose ORDER BY can only speak of its result.
func (b *binder) orderedBody(body sql.Body, order []sql.OrderItem) (*ordered, error) {
	n, err := b.body(body)
	if err != nil {
		return nil, err
	}
	fields := n.Info().Schema.Fields
	o := &ordered{visible: len(fields)}
	items := make([]item, len(fields))
	for i, e := range columns(n) {
		items[i] = item{nil, e, fields[i].Name}
	}
	x := &exprBinder{binder: b, rel: newRelation(n, ""), clause: "ORDER BY"}
	places, items, err := x.orderItems(order, items, true)
	if err != nil {
		return nil, err
	}
	if o.node, err = b.project(n, items, n.Info().Span); err != nil {
		return nil, err
	}
	o.keys = orderKeys(o.node, places, order)
	return o, nil
}

// orderItems finds the items of ORDER BY among those of the select list, by position,
// name or value, and adds the others to them, if that may be. It returns the item of
// each key.
func (x *exprBinder) orderItems(order []sql.OrderItem, items []item, more bool) ([]int, []item, error) {
	visible := items
	var places []int
	for _, o := range order {
		at, err := x.orderPlace(o.Expr, visible)
		if err != nil {
			return nil, nil, err
		}
		if at < 0 {
			e, err := x.bind(o.Expr)
			if err != nil {
				return nil, nil, err
			}
			for i, it := range items {
				if at < 0 && same(it.expr, e) {
					at = i
				}
			}
			if at < 0 {
				if !more {
					return nil, nil, x.errorf(diag.InvalidArgument, x.span(o.Expr), "ORDER BY of SELECT DISTINCT can only name what is selected").
						WithHint("add it to the select list")
				}
				at = len(items)
				items = append(items[:at:at], item{o.Expr, e, columnName(at)})
			}
		}
		if err := x.inOrder(items[at].expr.Type(), x.span(o.Expr)); err != nil {
			return nil, nil, err
		}
		places = append(places, at)
	}
	return places, items, nil
}

// orderPlace finds an item by its position or name; -1: it is neither.
func (x *exprBinder) orderPlace(e sql.Expr, items []item) (int, error) {
	switch e := e.(type) {
	case *sql.Literal:
		if e.Kind != sql.NumberLiteral {
			return -1, nil
		}
		i, ok := digits(e.Text, 1, 4)
		if !ok || i < 1 || i > len(items) {
			return 0, x.errorf(diag.InvalidArgument, x.span(e), "ORDER BY %s names no item of the select list", e.Text).
				WithHint("items count from 1 to %d", len(items))
		}
		return i - 1, nil
	case *sql.ColumnRef:
		if len(e.Name.Parts) > 1 {
			return -1, nil
		}
		name, folded := e.Name.Parts[0].Name, -1
		for i, it := range items {
			switch {
			case it.name == name:
				return i, nil
			case strings.EqualFold(it.name, name) && folded < 0:
				folded = i
			}
		}
		if len(x.rel.find("", name)) == 0 {
			return folded, nil
		}
	}
	return -1, nil
}

// orderKeys makes the keys of a plan that has the items as columns.
func orderKeys(n logical.Node, places []int, order []sql.OrderItem) []logical.SortKey {
	var keys []logical.SortKey
	for i, at := range places {
		f := n.Info().Schema.Fields[at]
		e := &expr.Column{Info: expr.Info{T: f.Type, S: n.Info().Span}, Index: at, Name: f.Name}
		keys = append(keys, sortKey(e, order[i]))
	}
	return keys
}
