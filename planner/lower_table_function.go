package planner

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
)

// tableFunction plans a function that makes rows. Columns that only its arguments read
// are not copied to them.
func (l *lowerer) tableFunction(n *logical.TableFunction, need []bool) lowered {
	width := len(n.Input.Info().Schema.Fields)
	wanted := append([]bool(nil), need...)
	if n.On != nil {
		uses(n.On, wanted)
	}
	r := newRowsInput(n.Input)
	args := make([]int, len(n.Args))
	for i, a := range n.Args {
		args[i] = r.place(a)
	}
	places := make([]int, width)
	for i := range places {
		if wanted[i] {
			places[i] = r.column(i)
		}
	}
	in := r.lower(l).Info()
	p := &physical.TableFunction{Input: r.in.node, Name: n.Func.Name, New: n.Res.New, Args: r.all(args), Outer: n.Outer}
	for _, a := range n.Args {
		p.Call = append(p.Call, physical.ExprText(a))
	}
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
		p.On = l.named(remap(n.On, index), p.Schema.Fields)
	}
	return lowered{p, index}
}
