package planner

import (
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// rowsInput is what an operator over windows reads: a node, the conditions on its rows,
// and the columns wanted of it.
type rowsInput struct {
	base  logical.Node
	conds []expr.Expr
	exprs []expr.Expr // the columns of the operator's input over base
	cols  inputs
	in    lowered
}

func newRowsInput(n logical.Node) *rowsInput {
	r := &rowsInput{}
	r.base, r.conds, r.exprs = collapse(n, nil)
	return r
}

// place adds an expression over the operator's input.
func (r *rowsInput) place(e expr.Expr) int { return r.cols.add(substitute(e, r.exprs)) }

// column adds a column of the operator's input.
func (r *rowsInput) column(i int) int { return r.cols.add(r.exprs[i]) }

// window adds the columns of a window. The time of a late row is the one that its
// window was found by, where that is near.
func (r *rowsInput) window(n logical.Node, start, end int) physical.WindowColumns {
	w := physical.WindowColumns{Start: r.column(start), End: r.column(end)}
	w.Time = w.Start
	if origin, _, ok := logical.WindowProp(n, start); ok {
		w.Local = isLocal(logical.WindowOf(origin).Time)
	}
	if t, ok := r.base.(*logical.WindowTVF); ok {
		f := t.Schema.Fields[t.Time]
		w.Time = r.cols.add(&expr.Column{Info: expr.Info{T: f.Type, S: t.Span}, Index: t.Time, Name: f.Name})
	}
	return w
}

// lower plans the input; after it, at says where a placed expression stands.
func (r *rowsInput) lower(l *lowerer) physical.Node {
	for _, c := range r.conds {
		r.base = filter(r.base, c, c.Span())
	}
	below := &logical.Project{Input: r.base, Exprs: r.cols.exprs}
	below.Span, below.Mode = r.base.Info().Span, r.base.Info().Mode
	from := r.base.Info().Schema.Fields
	for _, e := range r.cols.exprs {
		f := stream.Field{Name: fieldName(e), Type: e.Type()}
		if f.Name == "" {
			f.Name = physical.ExprText(e)
		}
		if c, ok := e.(*expr.Column); ok {
			f.Time = from[c.Index].Time
		}
		below.Schema.Fields = append(below.Schema.Fields, f)
	}
	r.in = l.lower(below, all(len(r.cols.exprs)))
	return r.in.node
}

// lowerNarrow is lower without columns that come along but are not wanted: the operator
// keeps rows whole.
func (r *rowsInput) lowerNarrow(l *lowerer) physical.Node {
	r.narrow(r.lower(l).Info().Span)
	return r.in.node
}

func (r *rowsInput) narrow(span diag.Span) {
	fields := r.in.node.Info().Schema.Fields
	place := make([]int, len(fields))
	p := &physical.Project{Input: r.in.node}
	p.Span = span
	for _, i := range r.in.index {
		if place[i] == 0 {
			p.Exprs = append(p.Exprs, &expr.Column{Info: expr.Info{T: fields[i].Type, S: span}, Index: i, Name: fields[i].Name})
			p.Schema.Fields = append(p.Schema.Fields, fields[i])
			place[i] = len(p.Exprs)
		}
	}
	if len(p.Exprs) == len(fields) {
		return
	}
	for k, i := range r.in.index {
		r.in.index[k] = place[i] - 1
	}
	project(p)
	r.in.node = p
}

func (r *rowsInput) at(i int) int { return r.in.index[i] }

func (r *rowsInput) windowAt(w physical.WindowColumns) physical.WindowColumns {
	w.Start, w.End, w.Time = r.at(w.Start), r.at(w.End), r.at(w.Time)
	return w
}

func (r *rowsInput) all(list []int) []int {
	out := make([]int, len(list))
	for i, c := range list {
		out[i] = r.at(c)
	}
	return out
}

// rowsBase is what an operator states about itself that sends rows when windows close.
func rowsBase(span diag.Span, s stream.Schema, bounded bool) physical.Base {
	return physical.Base{Schema: s, Rowtime: s.Rowtime(), Bounded: bounded, OnClose: true, Span: span}
}

func isLocal(t types.Type) bool { return t.Kind == types.TimestampLTZ }

// join plans a window join: equalities of a left and a right value are its keys, the
// other conditions are judged pair by pair.
func (l *lowerer) join(n *logical.Join, need []bool) lowered {
	j := newJoinInput(n)
	lw, rw := j.left.window(n.Left, n.LeftStart, n.LeftEnd), j.right.window(n.Right, n.RightStart, n.RightEnd)
	p := &physical.WindowJoin{Kind: n.Kind}
	index := j.lower(l, need)
	p.Left, p.Right, p.NullSafe, p.Cond = j.left.in.node, j.right.in.node, j.nullSafe, j.cond
	p.LeftWindow, p.RightWindow = j.left.windowAt(lw), j.right.windowAt(rw)
	p.LeftKeys, p.RightKeys = j.leftKeys, j.rightKeys
	p.Base = rowsBase(n.Span, j.schema(), p.Left.Info().Bounded && p.Right.Info().Bounded)
	p.State = "rows of open windows"
	return lowered{p, index}
}

// schemaOf stands for a physical node where only its columns matter.
func schemaOf(n physical.Node) logical.Node {
	v := &logical.Values{}
	v.Schema = n.Info().Schema
	return v
}

// equality takes a condition that a value of the left side equals one of the right.
func equality(n *logical.Join, cond expr.Expr) (left, right expr.Expr, nullSafe, ok bool) {
	c, is := cond.(*expr.Call)
	if !is || c.Func.Name != "=" && c.Func.Name != "IS NOT DISTINCT FROM" {
		return nil, nil, false, false
	}
	a, b := c.Args[0], c.Args[1]
	if l, _ := sidesOf(n, b); l {
		a, b = b, a
	}
	al, ar := sidesOf(n, a)
	bl, br := sidesOf(n, b)
	if !al || ar || bl || !br || !movable(c) || !comparedAlike(a.Type(), b.Type()) {
		return nil, nil, false, false
	}
	return a, b, c.Func.Name != "=", true
}

// comparedAlike reports whether equal values of two types have the same bytes.
func comparedAlike(a, b types.Type) bool {
	if a.IsText() && b.IsText() || a.IsBytes() && b.IsBytes() {
		return true
	}
	return a.Same(b)
}
