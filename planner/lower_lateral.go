package planner

import (
	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// madeRows is what the operators share that make rows of rows.
type madeRows struct {
	input  physical.Node
	values []int // columns of the input: what the rows are made of
	keep   []int // columns of the input that are passed on
	on     expr.Expr
	base   physical.Base
	index  []int
}

// lateral plans the input of a node that makes rows of rows by the given values of them. A
// column that only these read is not copied to the rows made.
func (l *lowerer) lateral(n *logical.Lateral, values []expr.Expr, need []bool) *madeRows {
	width := len(n.Input.Info().Schema.Fields)
	wanted := append([]bool(nil), need...)
	if n.On != nil {
		uses(n.On, wanted)
	}
	r := newRowsInput(n.Input)
	from := make([]int, len(values))
	for i, v := range values {
		from[i] = r.place(v)
	}
	places := make([]int, width)
	for i := range places {
		if wanted[i] {
			places[i] = r.column(i)
		}
	}
	in := r.lower(l).Info()
	m := &madeRows{input: r.in.node, values: r.all(from), index: make([]int, len(n.Schema.Fields))}
	m.base = physical.Base{Bounded: in.Bounded, State: "none", Mode: in.Mode, NoDelete: in.NoDelete, Span: n.Span}
	for i := range m.index {
		f := n.Schema.Fields[i]
		switch {
		case i >= width:
			m.index[i] = len(m.base.Schema.Fields)
		case wanted[i]:
			m.index[i] = len(m.keep)
			m.keep = append(m.keep, r.at(places[i]))
			f = in.Schema.Fields[r.at(places[i])]
		default:
			m.index[i] = -1
			continue
		}
		m.base.Schema.Fields = append(m.base.Schema.Fields, f)
	}
	m.base.Rowtime = m.base.Schema.Rowtime()
	if n.On != nil {
		m.on = l.named(remap(n.On, m.index), m.base.Schema.Fields)
	}
	return m
}

// unnest plans rows made of the elements of a collection.
func (l *lowerer) unnest(n *logical.Unnest, need []bool) lowered {
	m := l.lateral(&n.Lateral, []expr.Expr{n.Value}, need)
	return lowered{&physical.Unnest{Base: m.base, Input: m.input, Column: m.values[0], Keep: m.keep, Outer: n.Outer, On: m.on, Ordinality: n.Ordinality}, m.index}
}

// tableFunction plans rows made by a function.
func (l *lowerer) tableFunction(n *logical.TableFunction, need []bool) lowered {
	m := l.lateral(&n.Lateral, n.Args, need)
	p := &physical.TableFunction{Base: m.base, Input: m.input, Name: n.Func.Name, New: n.Res.New, Args: m.values, Keep: m.keep, Outer: n.Outer, On: m.on}
	for _, a := range n.Args {
		p.Call = append(p.Call, physical.ExprText(a))
	}
	return lowered{p, m.index}
}
