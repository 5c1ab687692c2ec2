package planner

import (
	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// unnest plans rows made of the elements of a collection. The collection itself is only
// copied to them where something reads it.
func (l *lowerer) unnest(n *logical.Unnest, need []bool) lowered {
	width := len(n.Input.Info().Schema.Fields)
	wanted := append([]bool(nil), need...)
	if n.On != nil {
		expr.Walk(n.On, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Column); ok {
				wanted[c.Index] = true
			}
			return true
		})
	}
	r := newRowsInput(n.Input)
	value := r.place(n.Value)
	places := make([]int, width)
	for i := range places {
		if wanted[i] {
			places[i] = r.column(i)
		}
	}
	in := r.lower(l).Info()
	p := &physical.Unnest{Input: r.in.node, Column: r.at(value), Outer: n.Outer, Ordinality: n.Ordinality}
	p.Base = physical.Base{Bounded: in.Bounded, State: "none", Mode: in.Mode, NoDelete: in.NoDelete, Span: n.Span}
	index := make([]int, len(n.Schema.Fields))
	for i := range index {
		switch {
		case i >= width:
			index[i] = len(p.Schema.Fields)
			p.Schema.Fields = append(p.Schema.Fields, n.Schema.Fields[i])
		case wanted[i]:
			index[i] = len(p.Keep)
			p.Keep = append(p.Keep, r.at(places[i]))
			p.Schema.Fields = append(p.Schema.Fields, in.Schema.Fields[r.at(places[i])])
		default:
			index[i] = -1
		}
	}
	p.Rowtime = p.Schema.Rowtime()
	if n.On != nil {
		p.On = remap(n.On, index)
	}
	return lowered{p, index}
}
