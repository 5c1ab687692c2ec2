package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// callPlace says where the input of an aggregate has the arguments and the filter (-1:
// none) of a call.
type callPlace struct {
	args   []int
	filter int
}

// placeGroups adds what an aggregate reads for its keys and the wanted calls.
func (r *rowsInput) placeGroups(grouped []expr.Expr, sets [][]bool, all []*logical.Call, calls []int) ([]int, []callPlace) {
	if sets != nil {
		grouped = grouped[:len(grouped)-1]
	}
	keys := make([]int, len(grouped))
	for i, k := range grouped {
		keys[i] = r.place(k)
	}
	places := make([]callPlace, len(calls))
	for i, c := range calls {
		places[i].filter = -1
		for _, a := range all[c].Args {
			places[i].args = append(places[i].args, r.place(a))
		}
		if f := all[c].Filter; f != nil {
			places[i].filter = r.place(f)
		}
	}
	return keys, places
}

// aggregateCalls makes the calls of a plan over the columns of the lowered input.
func (r *rowsInput) aggregateCalls(all []*logical.Call, calls []int, places []callPlace, from []stream.Field) []expr.AggregateCall {
	column := func(i int, at expr.Expr) expr.Expr {
		f := from[r.at(i)]
		return &expr.Column{Info: expr.Info{T: f.Type, S: at.Span()}, Index: r.at(i), Name: f.Name}
	}
	apart := slices.ContainsFunc(calls, func(c int) bool { return all[c].Res.CountsValues })
	var out []expr.AggregateCall
	for i, c := range calls {
		call := all[c]
		a := expr.AggregateCall{Info: call.Info, Agg: call.Agg, Res: call.Res, Distinct: call.Distinct, Name: call.Name}
		if apart && a.Res.Apart != nil {
			a.Res = *a.Res.Apart
		}
		for j, p := range places[i].args {
			a.Args = append(a.Args, column(p, call.Args[j]))
		}
		if p := places[i].filter; p >= 0 {
			a.Filter = column(p, call.Filter)
		}
		out = append(out, a)
	}
	return out
}

// neededCalls lists the calls whose columns are wanted; they stand behind the keys.
func neededCalls(all []*logical.Call, keys int, need []bool) []int {
	var calls []int
	for i := range all {
		if need[keys+i] {
			calls = append(calls, i)
		}
	}
	return calls
}

// groupAggregate plans an aggregate without a window.
func (l *lowerer) groupAggregate(n *logical.GroupAggregate, need []bool) lowered {
	calls := neededCalls(n.Calls, len(n.Keys), need)
	r := newRowsInput(n.Input)
	keys, places := r.placeGroups(n.Keys, n.Sets, n.Calls, calls)
	input := r.lower(l)
	keys = r.all(keys)
	if n.Sets != nil {
		input, keys = expandSets(n.Sets, n.Schema.Fields, n.Span, input, keys)
	}
	p := &physical.GroupAggregate{Input: input, Keys: keys, TTL: n.TTL}
	index := make([]int, len(n.Schema.Fields))
	for i := range index {
		index[i] = -1
	}
	emit := func(from int) {
		index[from] = len(p.Schema.Fields)
		p.Schema.Fields = append(p.Schema.Fields, n.Schema.Fields[from])
	}
	p.Key = []int{}
	for i := range n.Keys {
		p.Key = append(p.Key, i)
		emit(i)
	}
	p.Aggs = r.aggregateCalls(n.Calls, calls, places, input.Info().Schema.Fields)
	for _, c := range calls {
		emit(len(n.Keys) + c)
	}
	in := input.Info()
	p.Span, p.Mode, p.Rowtime, p.Bounded = n.Span, physical.Retract, -1, in.Bounded
	p.NoDelete = in.Mode == physical.Append
	goOnward(p)
	p.State = groupState(p)
	return lowered{p, index}
}

// groupState is the bound of the state of an aggregate without a window.
func groupState(p *physical.GroupAggregate) string {
	var kept []string
	for _, a := range p.Aggs {
		if a.Distinct && !a.Res.IgnoresDuplicates || a.Res.KeepsValues {
			kept = append(kept, physical.AggregateText(a))
		}
	}
	s, bounded := "one row", len(kept) == 0
	if len(p.Keys) > 0 {
		s, bounded = "groups", false
	}
	if len(kept) > 0 {
		s += " x values of " + strings.Join(slices.Compact(kept), ", ")
	}
	switch {
	case p.TTL > 0 && !bounded:
		return s + ", kept " + physical.DurationText(p.TTL) + " after the last row"
	case len(p.Keys) > 0 && !bounded:
		return "unbounded: " + s + ", as no window ends them"
	case !bounded:
		return "unbounded: " + s
	}
	return s
}
