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
)

// numbering is the ROW_NUMBER() OVER (..) of a select block. There may be several calls
// with the same window.
type numbering struct {
	partition []expr.Expr
	order     []logical.SortKey
	span      diag.Span
	used      bool
}

// numberRef stands for ROW_NUMBER() OVER (..) until the plan below it is put together.
type numberRef struct{ expr.Info }

// overHint says what of OVER is possible.
const overHint = "the N first rows are possible: ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n in a subquery, and WHERE n <= 3 around it"

// over binds a call with OVER: ROW_NUMBER.
func (x *exprBinder) over(c *sql.Call) (expr.Expr, error) {
	span := x.span(c)
	name := strings.ToUpper(nameOf(c.Name))
	switch {
	case name == "RANK" || name == "DENSE_RANK":
		return nil, x.unsupported(span, name+" OVER", "use ROW_NUMBER, which numbers equal rows in the order of their arrival")
	case name != "ROW_NUMBER":
		return nil, x.unsupported(span, "OVER with "+name, overHint)
	case x.numbers == nil:
		return nil, x.errorf(diag.InvalidArgument, span, "ROW_NUMBER cannot stand in %s", x.clause).
			WithHint("give it a name in a subquery, and use that here")
	case len(c.Args) > 0 || c.Star:
		return nil, x.errorf(diag.InvalidArgument, span, "ROW_NUMBER takes no arguments")
	case c.Over.Ref != nil:
		return nil, x.unsupported(x.span(c.Over), "OVER with a named window", "write the window into the brackets")
	case c.Over.Frame != nil:
		return nil, x.errorf(diag.InvalidArgument, x.span(c.Over.Frame), "ROW_NUMBER takes no frame").WithHint("leave ROWS or RANGE out")
	case len(c.Over.OrderBy) == 0:
		return nil, x.errorf(diag.InvalidArgument, span, "ROW_NUMBER needs an order").WithHint("add ORDER BY to the window")
	}
	n := &numbering{span: span}
	numbers := x.numbers
	x.numbers = nil
	defer func() { x.numbers = numbers }()
	for _, p := range c.Over.PartitionBy {
		e, err := x.bind(p)
		if err != nil {
			return nil, err
		}
		n.partition = append(n.partition, e)
	}
	for _, o := range c.Over.OrderBy {
		e, err := x.bind(o.Expr)
		if err != nil {
			return nil, err
		}
		if err := x.inOrder(e.Type(), x.span(o.Expr)); err != nil {
			return nil, err
		}
		n.order = append(n.order, sortKey(e, o))
	}
	if !slices.ContainsFunc(n.order, func(k logical.SortKey) bool { _, ok := k.Expr.(*expr.Literal); return !ok }) {
		return nil, x.errorf(diag.InvalidArgument, span, "ROW_NUMBER needs an order, but the same constant stands in all rows").WithHint("order by a column")
	}
	if numbers.used && !numbers.same(n) {
		return nil, x.unsupported(span, "ROW_NUMBER over two different windows in one query", "number the second time around a subquery")
	}
	n.used = true
	*numbers = *n
	return &numberRef{expr.Info{T: types.Of(types.BigInt).Required(), S: span}}, nil
}

// sortKey makes a key of an item of ORDER BY. NULLs are the smallest values.
func sortKey(e expr.Expr, o sql.OrderItem) logical.SortKey {
	last := o.Desc
	switch o.Nulls {
	case sql.NullsFirst:
		last = false
	case sql.NullsLast:
		last = true
	}
	return logical.SortKey{Expr: e, Desc: o.Desc, NullsLast: last}
}

// same reports whether two numberings give the same numbers.
func (n *numbering) same(m *numbering) bool {
	if !sameAll(n.partition, m.partition) || len(n.order) != len(m.order) {
		return false
	}
	for i, k := range n.order {
		if o := m.order[i]; k.Desc != o.Desc || k.NullsLast != o.NullsLast || !same(k.Expr, o.Expr) {
			return false
		}
	}
	return true
}

// rewrite replaces the expressions of the window.
func (n *numbering) rewrite(f func(expr.Expr) (expr.Expr, error)) (err error) {
	for i := range n.partition {
		if n.partition[i], err = f(n.partition[i]); err != nil {
			return err
		}
	}
	for i := range n.order {
		if n.order[i].Expr, err = f(n.order[i].Expr); err != nil {
			return err
		}
	}
	return nil
}

// rank puts the numbering over a plan, to whose columns its expressions refer.
func (b *binder) rank(in logical.Node, n *numbering) (*logical.Rank, error) {
	r := &logical.Rank{Input: in, Start: -1, End: -1, From: 1, ToColumn: -1}
	r.Span = n.span
	var origin logical.Node
	for _, e := range n.partition {
		c, ok := e.(*expr.Column)
		if !ok {
			continue
		}
		o, kind, ok := logical.WindowProp(in, c.Index)
		switch {
		case !ok || origin != nil && o != origin:
			continue
		case kind == physical.WindowStart:
			origin, r.Start = o, c.Index
		case kind == physical.WindowEnd:
			origin, r.End = o, c.Index
		}
	}
	if r.Start < 0 || r.End < 0 {
		return r, b.rankRows(r, n)
	}
	if logical.WindowOf(origin).Processing {
		return nil, b.unsupported(n.span, "ROW_NUMBER over windows of processing time", "use windows of a rowtime column")
	}
	if in.Info().Mode != physical.Append {
		return nil, b.unsupported(n.span, "ROW_NUMBER over an updating result, by window", "number rows that are only added; or leave the window out of PARTITION BY")
	}
	for _, e := range n.partition {
		if c, ok := e.(*expr.Column); ok {
			if o, _, ok := logical.WindowProp(in, c.Index); ok && o == origin {
				continue // fixed by the window
			}
		}
		r.Partition = append(r.Partition, e)
	}
	r.Order = n.order
	r.Time = len(n.order) == 1 && b.isEventTime(in, n.order[0].Expr)
	b.addRank(r)
	return r, nil
}

// rankRows completes a numbering that belongs to no window.
func (b *binder) rankRows(r *logical.Rank, n *numbering) error {
	r.Start, r.End = -1, -1
	r.Partition, r.Order = n.partition, n.order
	for _, k := range n.order {
		switch timeAttribute(r.Input, k.Expr) {
		case stream.Rowtime:
			r.Time = len(n.order) == 1
		case stream.Proctime:
			if r.Arrival = len(n.order) == 1; !r.Arrival {
				return b.unsupported(n.span, "ROW_NUMBER in an order of processing time and other columns", "order by one of them")
			}
		}
	}
	b.addRank(r)
	return nil
}

// timeAttribute says which time attribute of a plan's rows an expression is.
func timeAttribute(in logical.Node, e expr.Expr) stream.TimeAttr {
	switch e := e.(type) {
	case *expr.Proctime:
		return stream.Proctime
	case *expr.Column:
		return in.Info().Schema.Fields[e.Index].Time
	}
	return stream.NoTime
}

// addRank gives a numbering its columns; its limits follow.
func (b *binder) addRank(r *logical.Rank) {
	r.Schema.Fields = append(r.Schema.Fields, r.Input.Info().Schema.Fields...)
	r.Schema.Fields = append(r.Schema.Fields, stream.Field{Name: "row_number", Type: types.Of(types.BigInt).Required()})
	r.Mode = r.Changes()
	b.ranks = append(b.ranks, r)
}

// isEventTime reports whether e is the event time of a plan's rows: a rowtime column,
// or the one from which a window function took its time.
func (b *binder) isEventTime(in logical.Node, e expr.Expr) bool {
	c, ok := e.(*expr.Column)
	if !ok {
		return false
	}
	if in.Info().Schema.Fields[c.Index].Time == stream.Rowtime {
		return true
	}
	n, i := logical.Trace(in, c.Index)
	w, ok := n.(*logical.WindowTVF)
	return ok && i == w.Time
}

// number replaces the references to the numbering by the column of the rank.
func number(e expr.Expr, r *logical.Rank) expr.Expr {
	return rewrite(e, func(e expr.Expr) expr.Expr {
		if n, ok := e.(*numberRef); ok {
			i := len(r.Schema.Fields) - 1
			return &expr.Column{Info: n.Info, Index: i, Name: r.Schema.Fields[i].Name}
		}
		return nil
	})
}

// limitRanks takes the conditions on numbers out of a condition over a plan: they
// become the limits of the numbering below. It returns what is left, nil if nothing is.
func limitRanks(in logical.Node, cond expr.Expr) expr.Expr {
	var rest []expr.Expr
	for _, c := range conjuncts(cond) {
		if !limitRank(in, c) {
			rest = append(rest, c)
		}
	}
	remode(in)
	if len(rest) == 0 {
		return nil
	}
	return connect(true, rest, cond.Span())
}

// remode brings the modes of filters and projections up to date with the numbering below
// them, whose limits have changed.
func remode(n logical.Node) physical.ChangelogMode {
	base := n.Info()
	switch n := n.(type) {
	case *logical.Filter:
		base.Mode = remode(n.Input)
	case *logical.Project:
		base.Mode = remode(n.Input)
	case *logical.Rank:
		base.Mode = n.Changes()
	case *logical.Join:
		remode(n.Left)
		remode(n.Right)
		if n.Regular {
			base.Mode = joinMode(n)
		}
	}
	return base.Mode
}

// conjuncts splits a condition at its ANDs.
func conjuncts(e expr.Expr) []expr.Expr {
	a, ok := e.(*expr.And)
	if !ok {
		return []expr.Expr{e}
	}
	var list []expr.Expr
	for _, x := range a.Args {
		list = append(list, conjuncts(x)...)
	}
	return list
}

var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// limitRank takes a comparison of a number with a constant, or with a column of the rows
// that are numbered.
func limitRank(in logical.Node, e expr.Expr) bool {
	c, ok := e.(*expr.Call)
	if !ok || len(c.Args) != 2 || mirrored[c.Func.Name] == "" {
		return false
	}
	op, number, limit := c.Func.Name, c.Args[0], c.Args[1]
	r := numberOf(in, number)
	if r == nil {
		op, number, limit = mirrored[op], limit, number
		if r = numberOf(in, number); r == nil {
			return false
		}
	}
	lit, ok := limit.(*expr.Literal)
	if !ok {
		return limitByColumn(in, r, op, limit)
	}
	if lit.Value.Null || !lit.T.IsInteger() || r.ToColumn >= 0 && op != ">" && op != ">=" {
		return false
	}
	v := lit.Value.I
	upTo := func(n int64) {
		if !r.Limited || n < r.To {
			r.To, r.Limited = n, true
		}
	}
	switch op {
	case "=":
		r.From = max(r.From, v)
		upTo(v)
	case "<":
		upTo(v - 1)
	case "<=":
		upTo(v)
	case ">":
		r.From = max(r.From, v+1)
	case ">=":
		r.From = max(r.From, v)
	}
	return true
}

// numberOf returns the numbering whose number an expression over a plan is, or nil.
func numberOf(in logical.Node, e expr.Expr) *logical.Rank {
	c, ok := uncast(e).(*expr.Column)
	if !ok {
		return nil
	}
	n, i := logical.Trace(in, c.Index)
	if r, ok := n.(*logical.Rank); ok && i == len(r.Schema.Fields)-1 {
		return r
	}
	return nil
}

// limitByColumn takes number <= column.
func limitByColumn(in logical.Node, r *logical.Rank, op string, limit expr.Expr) bool {
	c, ok := uncast(limit).(*expr.Column)
	if !ok || op != "<=" || r.Limited || r.Windowed() || !c.T.IsInteger() {
		return false
	}
	n, i := logical.Trace(in, c.Index)
	if n != logical.Node(r) || i == len(r.Schema.Fields)-1 {
		return false
	}
	r.ToColumn, r.Limited = i, true
	return true
}

// uncast takes implicit casts between integers off.
func uncast(e expr.Expr) expr.Expr {
	if c, ok := e.(*expr.Cast); ok && c.Implicit && c.T.IsInteger() {
		return c.Arg
	}
	return e
}

// checkRanks refuses numberings without a limit, which would be an ordinary OVER, and
// those whose limits leave no row.
func (b *binder) checkRanks() error {
	for _, r := range b.ranks {
		if !r.Limited {
			return b.unsupported(r.Span, "ROW_NUMBER without a limit", "keep the first rows only: WHERE n <= 3, or n <= column, around the query that calls it n")
		}
		if r.ToColumn < 0 && r.To < r.From {
			return b.errorf(diag.InvalidArgument, r.Span, "the conditions on ROW_NUMBER leave no row").
				WithHint("rows are numbered from 1")
		}
		if r.Arrival && !r.Deduplicates() && (r.Order[0].Desc || r.Input.Info().Mode != physical.Append) {
			return b.unsupported(r.Span, "ROW_NUMBER in the order of processing time but for the first rows, or the last one, of rows that are only added", "order by a column")
		}
		if r.Deduplicates() && !r.Windowed() && b.env.Settings.Bool(keyMiniBatch) {
			return b.unsupported(r.Span, "a deduplication with mini-batch", "SET '"+keyMiniBatch+"' = 'false': each change is sent as its row comes")
		}
	}
	return nil
}

// qualify binds QUALIFY: a condition on the numbers of this block.
func (b *binder) qualify(sel *sql.Select, x *exprBinder, alias map[string]sql.Expr) (expr.Expr, error) {
	q := *x
	q.clause, q.alias = "QUALIFY", alias
	cond, err := q.bind(sel.Qualify)
	if err != nil {
		return nil, err
	}
	if !x.numbers.used {
		return nil, b.errorf(diag.InvalidArgument, b.span(sel.Qualify), "QUALIFY needs ROW_NUMBER").WithHint("write WHERE, or HAVING for conditions on aggregates")
	}
	return b.boolean(cond, "the condition of QUALIFY")
}

// numbered puts the numbering of a block over its plan, where it has one, and the
// condition of QUALIFY over that.
func (b *binder) numbered(in logical.Node, n *numbering, items []item, qualify expr.Expr) (logical.Node, error) {
	if !n.used {
		return in, nil
	}
	r, err := b.rank(in, n)
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].expr = number(items[i].expr, r)
	}
	if qualify == nil {
		return r, nil
	}
	if rest := limitRanks(r, number(qualify, r)); rest != nil {
		return filter(r, rest, rest.Span()), nil
	}
	return r, nil
}
