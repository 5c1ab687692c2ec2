package planner

import (
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// fromChangelog plans changes made of rows.
func (l *lowerer) fromChangelog(n *logical.FromChangelog, need []bool) lowered {
	below := make([]bool, len(n.Input.Info().Schema.Fields))
	below[n.Op] = true
	for i, want := range need {
		below[n.Place(i)] = below[n.Place(i)] || want
	}
	in := l.lower(n.Input, below)
	p := &physical.FromChangelog{Input: in.node, Op: in.index[n.Op], Codes: n.Codes}
	p.Base = *in.node.Info()
	p.State, p.Span, p.OnClose, p.Key = "none", n.Span, false, nil
	p.Mode, p.NoDelete = physical.Retract, true
	for _, c := range n.Codes {
		p.NoDelete = p.NoDelete && c.Kind != stream.Delete
	}
	fields := p.Schema.Fields
	p.Schema.Fields = append(append([]stream.Field(nil), fields[:p.Op]...), fields[p.Op+1:]...)
	p.Rowtime = p.Schema.Rowtime()
	index := make([]int, len(n.Schema.Fields))
	for i := range index {
		if index[i] = in.index[n.Place(i)]; index[i] > p.Op {
			index[i]--
		}
	}
	return lowered{p, index}
}

// toChangelog plans rows made of changes.
func (l *lowerer) toChangelog(n *logical.ToChangelog, need []bool) lowered {
	in := l.lower(n.Input, need[1:])
	p := &physical.ToChangelog{Input: in.node, Codes: n.Codes}
	p.Base = *in.node.Info()
	p.State, p.Span, p.OnClose, p.Key = "none", n.Span, false, nil
	p.Mode, p.NoDelete = physical.Append, false
	p.Schema.Fields = append([]stream.Field{n.Schema.Fields[0]}, p.Schema.Fields...)
	p.Rowtime = p.Schema.Rowtime()
	index := make([]int, len(n.Schema.Fields))
	for i, at := range in.index {
		if index[i+1] = at + 1; at < 0 {
			index[i+1] = -1
		}
	}
	return lowered{p, index}
}
