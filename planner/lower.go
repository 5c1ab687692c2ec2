package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// lowerer turns a logical plan into a physical one and prunes columns on the way.
// It runs twice: first to collect which columns of each source any branch needs,
// then to build, so that all branches share one scan.
type lowerer struct {
	fold  func(expr.Expr) (types.Value, error) // nil: constants stay as they are
	need  map[*logical.Source][]bool
	built map[*logical.Source]lowered // nil in the first run
}

// lowered is a physical node with the place of each logical column; -1: pruned.
type lowered struct {
	node  physical.Node
	index []int
}

// lower plans a whole statement.
func lower(n logical.Node, fold func(expr.Expr) (types.Value, error)) physical.Node {
	l := &lowerer{fold: fold, need: map[*logical.Source][]bool{}}
	l.exact(n, true)
	l.built = map[*logical.Source]lowered{}
	root := l.exact(n, true)
	name(root, root.Info(), "", map[physical.Node]bool{})
	return root
}

// name gives the nodes their ids: kind and path from the root.
func name(n physical.Node, b *physical.Base, path string, seen map[physical.Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	kind, _ := n.Describe()
	b.ID = kind + path
	for i, in := range n.Inputs() {
		name(in, in.Info(), path+"."+itoa(i), seen)
	}
}

func all(n int) []bool {
	need := make([]bool, n)
	for i := range need {
		need[i] = true
	}
	return need
}

// exact lowers n so that its output is the logical schema, column by column; names
// too, if asked.
func (l *lowerer) exact(n logical.Node, names bool) physical.Node {
	want := n.Info().Schema
	r := l.lower(n, all(len(want.Fields)))
	got := r.node.Info().Schema
	fits := len(got.Fields) == len(want.Fields)
	for i, j := range r.index {
		fits = fits && i == j && (!names || got.Fields[j].Name == want.Fields[i].Name)
	}
	if fits {
		return r.node
	}
	p := &physical.Project{Input: r.node}
	p.Span = n.Info().Span
	for i, f := range want.Fields {
		g := got.Fields[r.index[i]]
		p.Exprs = append(p.Exprs, &expr.Column{Info: expr.Info{T: g.Type, S: p.Span}, Index: r.index[i], Name: g.Name})
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: f.Name, Type: g.Type, Time: g.Time})
	}
	project(p)
	return p
}

// lower plans n; need says which of its columns are wanted.
func (l *lowerer) lower(n logical.Node, need []bool) lowered {
	switch n := n.(type) {
	case *logical.Scan:
		return l.scan(n, need)
	case *logical.Filter, *logical.Project:
		return l.chain(n, need)
	case *logical.WindowTVF:
		return l.windowTVF(n, need)
	case *logical.Aggregate:
		return l.aggregate(n, need)
	case *logical.GroupAggregate:
		return l.groupAggregate(n, need)
	case *logical.FromChangelog:
		return l.fromChangelog(n, need)
	case *logical.ToChangelog:
		return l.toChangelog(n, need)
	case *logical.Unnest:
		return l.unnest(n, need)
	case *logical.TableFunction:
		return l.tableFunction(n, need)
	case *logical.Late:
		return l.late(n, need)
	case *logical.Rank:
		return l.rank(n, need)
	case *logical.Sort:
		return l.sort(n, need)
	case *logical.Join:
		switch {
		case n.Regular:
			return l.regularJoin(n, need)
		case n.Interval != nil:
			return l.intervalJoin(n, need)
		}
		return l.join(n, need)
	case *logical.Union:
		return l.union(n)
	case *logical.Values:
		return values(n)
	case *logical.Limit:
		in := l.lower(n.Input, need)
		p := &physical.Limit{Input: in.node, Offset: n.Offset, Count: n.Count}
		p.Base = *in.node.Info()
		p.State, p.Span, p.OnClose, p.Mode = "none", n.Span, false, n.Mode
		p.Bounded = true
		return lowered{p, in.index}
	}
	return l.sink(n.(*logical.Sink)) // the set of nodes is closed
}

func (l *lowerer) sink(n *logical.Sink) lowered {
	in := l.exact(n.Input, false)
	p := &physical.Sink{Input: in, Table: n.Table, Handle: n.Handle, NotNull: n.NotNull, Upsert: n.Upsert}
	p.Base = *in.Info()
	p.Schema, p.State, p.Span, p.OnClose = n.Schema, "none", n.Span, false
	return lowered{p, identity(len(n.Schema.Fields))}
}

func identity(n int) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	return index
}

// collapse follows a chain of filters and projections down to the node below it
// (or to stop), and gives conditions and columns over that node. Projections with
// values that differ at each evaluation end the chain, unless it must reach stop.
func collapse(n, stop logical.Node) (base logical.Node, conds, exprs []expr.Expr) {
	if n == stop {
		return n, nil, columns(n)
	}
	switch n := n.(type) {
	case *logical.Filter:
		base, conds, exprs = collapse(n.Input, stop)
		if stop != nil || !slices.ContainsFunc(exprs, isRandom) {
			return base, append(conds, substitute(n.Cond, exprs)), exprs
		}
		return n.Input, []expr.Expr{n.Cond}, columns(n.Input)
	case *logical.Project:
		base, conds, exprs = collapse(n.Input, stop)
		if stop == nil && slices.ContainsFunc(exprs, isRandom) {
			return n.Input, nil, n.Exprs
		}
		out := make([]expr.Expr, len(n.Exprs))
		for i, e := range n.Exprs {
			out[i] = substitute(e, exprs)
		}
		return base, conds, out
	}
	return n, nil, columns(n)
}

func isRandom(e expr.Expr) bool { return !deterministic(e) }

// columns returns references to all columns of n.
func columns(n logical.Node) []expr.Expr {
	fields := n.Info().Schema.Fields
	out := make([]expr.Expr, len(fields))
	for i, f := range fields {
		out[i] = &expr.Column{Info: expr.Info{T: f.Type, S: n.Info().Span}, Index: i, Name: f.Name}
	}
	return out
}

// chain plans filters and projections: one filter, then one projection, which is
// left out where columns are only passed on.
func (l *lowerer) chain(n logical.Node, need []bool) lowered {
	base, conds, exprs := collapse(n, nil)
	below := make([]bool, len(base.Info().Schema.Fields))
	for _, c := range conds {
		uses(c, below)
	}
	passing := true
	for i, e := range exprs {
		if need[i] {
			uses(e, below)
			_, column := e.(*expr.Column)
			passing = passing && column
		}
	}
	in := l.lower(base, below)
	node := in.node
	if len(conds) > 0 {
		node = l.filter(node, conds, in.index)
	}
	index := make([]int, len(exprs))
	if passing {
		for i, e := range exprs {
			index[i] = -1
			if need[i] {
				index[i] = in.index[e.(*expr.Column).Index]
			}
		}
		return lowered{node, index}
	}
	p := &physical.Project{Input: node}
	p.Span = n.Info().Span
	from := node.Info().Schema.Fields
	for i, e := range exprs {
		index[i] = -1
		if !need[i] {
			continue
		}
		index[i] = len(p.Exprs)
		e = l.folded(l.named(remap(e, in.index), from))
		f := n.Info().Schema.Fields[i]
		f.Type = e.Type()
		f.Time = stream.NoTime
		switch e := e.(type) {
		case *expr.Column:
			f.Time = from[e.Index].Time
		case *expr.Proctime:
			f.Time = stream.Proctime
		}
		p.Exprs = append(p.Exprs, e)
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	if v, ok := node.(*physical.Values); ok && len(v.Rows) == 1 && len(v.Rows[0]) == 0 && literals(p.Exprs) {
		one := &physical.Values{Base: v.Base, Rows: [][]expr.Expr{p.Exprs}}
		one.Schema, one.Span = p.Schema, p.Span
		return lowered{one, index}
	}
	project(p)
	return lowered{p, index}
}

// folded evaluates an expression that became constant when projections were put
// together; one that fails is left to fail where it is needed.
func (l *lowerer) folded(e expr.Expr) expr.Expr {
	if _, ok := e.(*expr.Literal); ok || l.fold == nil || !constant(e) {
		return e
	}
	v, err := l.fold(e)
	if err != nil || v.Null && e.Type().NotNull {
		return e
	}
	return &expr.Literal{Info: expr.Info{T: e.Type(), S: e.Span()}, Value: noNegativeZero(v)}
}

func literals(es []expr.Expr) bool {
	return !slices.ContainsFunc(es, func(e expr.Expr) bool { _, ok := e.(*expr.Literal); return !ok })
}

// named gives column references the names that their input has, for EXPLAIN.
func (l *lowerer) named(e expr.Expr, from []stream.Field) expr.Expr {
	return rewrite(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok && c.Name != from[c.Index].Name {
			n := *c
			n.Name = from[c.Index].Name
			return &n
		}
		return nil
	})
}

func (l *lowerer) filter(in physical.Node, conds []expr.Expr, index []int) physical.Node {
	from := in.Info().Schema.Fields
	var parts []expr.Expr
	for _, c := range conds {
		c = l.named(remap(c, index), from)
		if a, ok := c.(*expr.And); ok {
			parts = append(parts, a.Args...)
		} else {
			parts = append(parts, c)
		}
	}
	f := &physical.Filter{Input: in, Cond: connect(true, parts, conds[0].Span())}
	f.Base = *in.Info()
	f.State, f.Span, f.OnClose = "none", conds[len(conds)-1].Span(), false
	return f
}

// project fills in what a projection states about itself.
func project(p *physical.Project) {
	in := p.Input.Info()
	p.Mode, p.NoDelete, p.Bounded, p.State = in.Mode, in.NoDelete, in.Bounded, "none"
	p.Rowtime = p.Schema.Rowtime()
	p.Key = nil
	for _, k := range in.Key {
		at := slices.IndexFunc(p.Exprs, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Cast); ok && widens(c) {
				e = c.Arg
			}
			c, ok := e.(*expr.Column)
			return ok && c.Index == k
		})
		if at < 0 {
			p.Key = nil
			return
		}
		p.Key = append(p.Key, at)
	}
}

// widens reports whether values that differ do so behind a cast too.
func widens(c *expr.Cast) bool {
	from := c.Arg.Type()
	switch {
	case !c.Implicit:
		return false
	case from.IsInteger() && c.T.IsInteger():
		return from.Layout().Width() <= c.T.Layout().Width()
	}
	return from.Kind == types.Varchar && c.T.Kind == types.Varchar
}

func values(n *logical.Values) lowered {
	p := &physical.Values{Rows: n.Rows}
	p.Schema, p.Span = n.Schema, n.Span
	p.Rowtime, p.Bounded, p.State = -1, true, "none"
	return lowered{p, identity(len(n.Schema.Fields))}
}

func (l *lowerer) union(n *logical.Union) lowered {
	p := &physical.UnionAll{}
	p.Schema, p.Span, p.Mode = n.Schema, n.Span, n.Mode
	p.Rowtime, p.State, p.Bounded, p.NoDelete = n.Schema.Rowtime(), "none", true, true
	for _, s := range n.Sources {
		in := l.exact(s, false)
		p.Sources = append(p.Sources, in)
		p.Bounded = p.Bounded && in.Info().Bounded
		if in.Info().Mode != physical.Append {
			p.NoDelete = p.NoDelete && in.Info().NoDelete
		}
	}
	return lowered{p, identity(len(n.Schema.Fields))}
}

func (l *lowerer) windowTVF(n *logical.WindowTVF, need []bool) lowered {
	width := len(n.Input.Info().Schema.Fields)
	below := slices.Clone(need[:width])
	below[n.Time] = true
	for _, c := range n.Partition {
		below[c] = true
	}
	in := l.lower(n.Input, below)
	if n.Processing {
		in.node = processingTime(in.node, in.index[n.Time], n.Span)
	}
	p := &physical.WindowTVF{Input: in.node, Window: n.Window, Time: in.index[n.Time], Processing: n.Processing}
	for _, c := range n.Partition {
		p.Partition = append(p.Partition, in.index[c])
	}
	p.Base = *in.node.Info()
	p.State, p.Span, p.OnClose, p.Key = "none", n.Span, false, nil
	if n.Window.Kind == window.Session {
		p.State, p.OnClose = "rows of open sessions", true
	}
	p.Schema = stream.Schema{Fields: slices.Clone(p.Schema.Fields)}
	p.Schema.Fields[p.Time].Time = stream.NoTime
	index := slices.Clone(in.index)
	for _, f := range n.Schema.Fields[width:] {
		index = append(index, len(p.Schema.Fields))
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	p.Rowtime = p.Schema.Rowtime()
	return lowered{p, index}
}

// scan plans a source: scan, computed columns, watermark. The three are shared by
// all branches.
func (l *lowerer) scan(n *logical.Scan, need []bool) lowered {
	s := n.Source
	width := len(s.Schema.Fields)
	if l.built == nil {
		wanted := l.need[s]
		if wanted == nil {
			wanted = make([]bool, width)
			l.need[s] = wanted
		}
		for i, w := range need {
			wanted[i] = wanted[i] || w
		}
		p := &physical.Scan{Table: s.Name}
		p.Schema, p.Rowtime = s.Schema, s.Time
		return lowered{p, identity(width)}
	}
	if r, ok := l.built[s]; ok {
		return r
	}
	r := l.source(s, l.need[s])
	l.built[s] = r
	return r
}

func (l *lowerer) source(s *logical.Source, wanted []bool) lowered {
	wanted = slices.Clone(wanted)
	if s.Watermark != nil {
		uses(s.Watermark, wanted)
	}
	if s.Time >= 0 {
		wanted[s.Time] = true
	}
	read := slices.Clone(wanted)
	computed := false
	for i := range s.Computed {
		read[i] = false
	}
	for i, e := range s.Computed {
		if wanted[i] {
			uses(e, read) // physical columns; of a cast rowtime column itself
			computed = true
		}
	}
	scan := &physical.Scan{Table: s.Name, Handle: s.Info.Handle, Live: s.Info.Live, Options: s.Info.Options}
	scan.IdleTimeout = s.IdleTimeout
	scan.Span, scan.Bounded, scan.State, scan.Rowtime = s.Span, s.Info.Bounded, "none", -1
	index := make([]int, len(read))
	for i := range read {
		index[i] = -1
		if !read[i] {
			continue
		}
		index[i] = len(scan.Columns)
		f := s.Schema.Fields[i]
		if s.Watermark != nil {
			f.Time = stream.NoTime
		}
		if len(s.Table.Columns) > 0 {
			f.Type = s.Table.Columns[i].Type // as declared
		}
		scan.Columns = append(scan.Columns, s.Physical[i])
		scan.Schema.Fields = append(scan.Schema.Fields, f)
	}
	scan.Rowtime = scan.Schema.Rowtime()
	scan.Key = keyOf(s.Key, index)
	var node physical.Node = scan
	if computed {
		node, index = computedColumns(scan, s, wanted, index)
	}
	if s.MaxFuture > 0 {
		f := &physical.FutureFilter{Input: node, Table: s.Name, Time: index[s.Time], Max: s.MaxFuture}
		f.Base = *node.Info()
		f.State, f.Span = "none", s.Span
		node = f
	}
	if s.Watermark != nil {
		a := &physical.WatermarkAssigner{Input: node, Time: index[s.Time], Watermark: l.named(remap(s.Watermark, index), node.Info().Schema.Fields)}
		a.Base = *node.Info()
		a.Schema = stream.Schema{Fields: slices.Clone(a.Schema.Fields)}
		a.Schema.Fields[a.Time].Time = stream.Rowtime
		a.Rowtime, a.State = a.Time, "one timestamp"
		node = a
	}
	return lowered{node, index}
}

func computedColumns(scan *physical.Scan, s *logical.Source, wanted []bool, index []int) (physical.Node, []int) {
	p := &physical.Project{Input: scan}
	p.Span = scan.Span
	out := make([]int, len(wanted))
	for i, w := range wanted {
		out[i] = -1
		if !w {
			continue
		}
		f := s.Schema.Fields[i]
		if f.Time == stream.Rowtime && s.Watermark != nil {
			f.Time = stream.NoTime
		}
		var e expr.Expr = &expr.Column{Info: expr.Info{T: f.Type, S: scan.Span}, Index: max(index[i], 0), Name: f.Name}
		if c := s.Computed[i]; c != nil {
			e = remap(c, index)
		}
		out[i] = len(p.Exprs)
		p.Exprs = append(p.Exprs, e)
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	project(p)
	return p, out
}

// keyOf maps a key; nil where a part of it is pruned.
func keyOf(key, index []int) []int {
	var out []int
	for _, k := range key {
		if k < 0 || index[k] < 0 {
			return nil
		}
		out = append(out, index[k])
	}
	return out
}
