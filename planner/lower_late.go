package planner

import (
	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// late plans the rows that an operator drops as late: what the operator reads, with the
// columns that are wanted, and the operator to judge it. Of an aggregate only its late
// filter is needed, unless it judges lateness itself.
func (l *lowerer) late(n *logical.Late, need []bool) lowered {
	data := n.Data()
	width := len(data.Info().Schema.Fields)
	r, judge := l.lateInput(n)
	places := make([]int, width)
	for i := range places {
		if need[i] {
			f := data.Info().Schema.Fields[i]
			places[i] = r.cols.add(&expr.Column{Info: expr.Info{T: f.Type, S: n.Span}, Index: i, Name: f.Name})
		}
	}
	in := r.lower(l)
	p := &physical.LateRows{Input: in, Judge: judge(in, r)}
	p.Base = *in.Info()
	p.State, p.Span, p.OnClose, p.Key, p.Rowtime = "none", n.Span, false, nil, -1
	if s := p.Judge.Info().State; s != "" {
		p.State = s
	}
	p.Schema.Fields = nil
	for _, f := range in.Info().Schema.Fields {
		f.Time = stream.NoTime
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	index := make([]int, len(n.Schema.Fields))
	for i := range index {
		switch {
		case i >= width:
			index[i] = len(p.Schema.Fields)
			p.Schema.Fields = append(p.Schema.Fields, n.Schema.Fields[i])
		case need[i]:
			index[i] = r.at(places[i])
		default:
			index[i] = -1
		}
	}
	return lowered{p, index}
}

// lateInput is what the judge reads, over the node whose first columns are those of the
// data, and how to make the judge.
func (l *lowerer) lateInput(n *logical.Late) (*rowsInput, func(physical.Node, *rowsInput) physical.Node) {
	r := &rowsInput{}
	switch j := n.Judge.(type) {
	case *logical.Aggregate:
		calls := neededCalls(j.Calls, len(j.Keys), all(len(j.Schema.Fields)))
		r.base, r.conds, r.exprs = l.windowInput(j, calls)
		spec := windowSpec(j, r.base)
		edges := l.edgeColumns(j, r.base, spec, &r.cols)
		var keys []int
		if spec.Kind == window.Session {
			for _, k := range j.Keys {
				keys = append(keys, r.place(k))
			}
		}
		return r, func(in physical.Node, r *rowsInput) physical.Node {
			edges := r.windowAt(edges)
			if spec.Kind != window.Session {
				return lateFilter(j, in, spec, edges)
			}
			w := &physical.WindowAggregate{Input: in, Window: spec, Time: edges.Time, Keys: r.all(keys), Legacy: j.Legacy}
			for _, k := range w.Keys {
				w.Schema.Fields = append(w.Schema.Fields, in.Info().Schema.Fields[k])
			}
			w.Rowtime, w.Bounded, w.OnClose, w.State, w.Span = -1, in.Info().Bounded, true, windowState(j.Window.Kind, 0, false), n.Span
			return w
		}
	case *logical.Rank:
		r = newRowsInput(j.Input)
		w := r.window(j.Input, j.Start, j.End)
		return r, func(in physical.Node, r *rowsInput) physical.Node {
			edges := r.windowAt(w)
			late := &physical.LateFilter{Input: in, Window: window.Spec{Kind: window.Attached}, Columns: edges, Time: edges.Time}
			late.Base = *in.Info()
			late.Span, late.State, late.OnClose = n.Span, "none", false
			return late
		}
	}
	t := n.Judge.(*logical.WindowTVF) // SESSION on its own
	r.base, r.exprs = t.Input, columns(t.Input)
	time := r.column(t.Time)
	var keys []int
	for _, c := range t.Partition {
		keys = append(keys, r.column(c))
	}
	return r, func(in physical.Node, r *rowsInput) physical.Node {
		w := &physical.WindowTVF{Input: in, Window: t.Window, Time: r.at(time), Partition: r.all(keys)}
		w.Schema.Fields = append(w.Schema.Fields, in.Info().Schema.Fields...)
		w.Schema.Fields = append(w.Schema.Fields, t.Schema.Fields[len(t.Schema.Fields)-3:]...)
		w.Rowtime, w.Bounded, w.OnClose, w.State, w.Span = -1, in.Info().Bounded, true, "rows of open sessions", n.Span
		return w
	}
}
