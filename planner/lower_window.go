package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// inputs collects the columns that an operator wants below it, each once.
type inputs struct{ exprs []expr.Expr }

func (in *inputs) add(e expr.Expr) int {
	for i, x := range in.exprs {
		if same(x, e) {
			return i
		}
	}
	in.exprs = append(in.exprs, e)
	return len(in.exprs) - 1
}

// aggregate plans a window aggregate: a projection of what it reads, the late
// filter, the aggregate. Of a window function below, only its parameters are left,
// unless something in between reads the window columns.
func (l *lowerer) aggregate(n *logical.Aggregate, need []bool) lowered {
	calls := neededCalls(n.Calls, len(n.Keys), need)
	r := &rowsInput{}
	r.base, r.conds, r.exprs = l.windowInput(n, calls)
	spec := windowSpec(n, r.base)
	keys, places := r.placeGroups(n.Keys, n.Sets, n.Calls, calls)
	edges := l.edgeColumns(n, r.base, spec, &r.cols)
	clock := onClock(n, r.base)
	input := r.lower(l)
	edges, keys = r.windowAt(edges), r.all(keys)
	if clock {
		input = processingTime(input, edges.Time, n.Span)
	}
	if n.Sets != nil {
		input, keys = expandSets(n.Sets, n.Schema.Fields, n.Span, input, keys)
	}
	late := lateFilter(n, input, spec, edges)
	w := &physical.WindowAggregate{Input: late, Window: spec, Time: edges.Time, Legacy: n.Legacy, EarlyFire: n.EarlyFire, LateFire: n.LateFire, Lateness: n.Lateness}
	w.EarlyDelay, w.LateDelay, w.Processing = n.EarlyDelay, n.LateDelay, n.Processing
	if spec.Kind == window.Attached {
		w.Columns = edges
	}
	index := make([]int, len(n.Schema.Fields))
	for i := range index {
		index[i] = -1
	}
	emit := func(from int) {
		index[from] = len(w.Schema.Fields)
		w.Schema.Fields = append(w.Schema.Fields, n.Schema.Fields[from])
	}
	for i := range n.Keys {
		w.Keys = append(w.Keys, keys[i])
		w.Key = append(w.Key, i)
		emit(i)
	}
	w.Aggs = r.aggregateCalls(n.Calls, calls, places, late.Info().Schema.Fields)
	distinct := false
	for _, c := range calls {
		distinct = distinct || n.Calls[c].Distinct
		emit(len(n.Keys) + c)
	}
	placed := map[physical.WindowPropKind]int{}
	for k := physical.WindowStart; k <= physical.WindowTime; k++ {
		if p := n.Prop(k); need[p] {
			f := n.Schema.Fields[p]
			w.Props = append(w.Props, physical.WindowProp{Kind: k, Name: f.Name, Type: f.Type})
			emit(p)
			placed[k] = index[p]
		}
	}
	w.Key = windowKey(w.Key, spec.Kind, placed)
	w.Span, w.Mode, w.Bounded, w.OnClose = n.Span, n.Mode, late.Info().Bounded, !n.EarlyFire
	w.Rowtime = w.Schema.Rowtime()
	w.NoDelete = late.Info().Mode == physical.Append
	w.State = windowState(spec.Kind, n.Lateness, distinct)
	return lowered{w, index}
}

// windowInput finds what a window aggregate reads: a node, conditions on its rows,
// and the columns of n.Input over it.
func (l *lowerer) windowInput(n *logical.Aggregate, calls []int) (logical.Node, []expr.Expr, []expr.Expr) {
	if n.Origin == nil {
		return n.Input, nil, columns(n.Input)
	}
	base, conds, exprs := collapse(n.Input, n.Origin)
	w, ok := base.(*logical.WindowTVF)
	if !ok {
		return base, conds, exprs
	}
	used := make([]bool, len(w.Schema.Fields))
	for _, c := range conds {
		uses(c, used)
	}
	for _, k := range n.Keys {
		uses(substitute(k, exprs), used)
	}
	for _, c := range calls {
		for _, a := range n.Calls[c].Args {
			uses(substitute(a, exprs), used)
		}
		if f := n.Calls[c].Filter; f != nil {
			uses(substitute(f, exprs), used)
		}
	}
	if slices.Contains(used[w.Prop(physical.WindowStart):], true) {
		return base, conds, exprs
	}
	return w.Input, conds, exprs
}

// windowSpec is how rows of base get their windows: by their time, or, where base has
// the window columns already, from these. Tumbling windows of an aggregate are found by
// time too, which is quicker.
func windowSpec(n *logical.Aggregate, base logical.Node) window.Spec {
	attached := false
	switch n.Origin.(type) {
	case *logical.WindowTVF:
		attached = n.Window.Kind != window.Tumble && base == n.Origin
	case *logical.Aggregate:
		attached = n.Window.Kind != window.Tumble || n.Processing
	case *logical.Rank, *logical.Join, *logical.Unnest, *logical.TableFunction, *logical.Union:
		attached = true
	}
	if attached {
		return window.Spec{Kind: window.Attached}
	}
	return n.Window
}

// edgeColumns adds the columns by which rows are put into windows: the rowtime of the
// window function, or of an aggregate below the start of its window, which lies in the
// same window (for TIMESTAMP_LTZ the instant just before its end). Attached windows
// need all three window columns.
func (l *lowerer) edgeColumns(n *logical.Aggregate, base logical.Node, spec window.Spec, cols *inputs) physical.WindowColumns {
	column := func(i int) int {
		f := base.Info().Schema.Fields[i]
		return cols.add(&expr.Column{Info: expr.Info{T: f.Type, S: n.Span}, Index: i, Name: f.Name})
	}
	if spec.Kind == window.Attached {
		return attachedColumns(n.Origin, column)
	}
	if onClock(n, base) {
		c := cols.add(&expr.Proctime{Info: expr.Info{T: types.NewTimestampLTZ(3).Required(), S: n.Span}})
		return physical.WindowColumns{Start: c, End: c, Time: c}
	}
	i := n.Time
	switch o := n.Origin.(type) {
	case *logical.WindowTVF:
		i = o.Time
	case *logical.Aggregate:
		i = o.Prop(physical.WindowStart)
		if t := o.Prop(physical.WindowTime); base.Info().Schema.Fields[t].Type.Kind == types.TimestampLTZ {
			i = t
		}
	}
	c := column(i)
	return physical.WindowColumns{Start: c, End: c, Time: c}
}

// onClock reports whether an aggregate over base is the first on processing time: what
// it reads must be put on it.
func onClock(n *logical.Aggregate, base logical.Node) bool {
	if !n.Processing || n.Origin == nil {
		return n.Processing
	}
	w, ok := n.Origin.(*logical.WindowTVF)
	return ok && base == w.Input
}

// processingTime puts rows on processing time.
func processingTime(in physical.Node, time int, span diag.Span) physical.Node {
	p := &physical.ProcessingTime{Input: in, Time: time}
	p.Base = *in.Info()
	p.Schema = stream.Schema{Fields: slices.Clone(p.Schema.Fields)}
	for i := range p.Schema.Fields {
		p.Schema.Fields[i].Time = stream.NoTime
	}
	p.State, p.Span, p.OnClose, p.Rowtime = "one timestamp", span, false, -1
	return p
}

// attachedColumns are the columns of a window that origin made; column finds or adds
// one. Where the time of the window is not among them, its start stands for it.
func attachedColumns(origin logical.Node, column func(int) int) physical.WindowColumns {
	w := logical.WindowOf(origin)
	c := physical.WindowColumns{
		Start: column(w.Columns[physical.WindowStart]), End: column(w.Columns[physical.WindowEnd]),
		Local: w.Time.Kind == types.TimestampLTZ,
	}
	c.Time = c.Start
	if t := w.Columns[physical.WindowTime]; t >= 0 {
		c.Time = column(t)
	}
	return c
}

// lateFilter puts a late filter over in. Whether a row of SESSION is late depends on
// the sessions that are open, so the aggregate judges that itself.
func lateFilter(n *logical.Aggregate, in physical.Node, spec window.Spec, edges physical.WindowColumns) physical.Node {
	if spec.Kind == window.Session || n.Processing {
		return in
	}
	late := &physical.LateFilter{Input: in, Window: spec, Time: edges.Time, Lateness: n.Lateness}
	if spec.Kind == window.Attached {
		late.Columns = edges
	}
	late.Base = *in.Info()
	late.Span, late.State, late.OnClose = n.Span, "none", false
	late.Rowtime = late.Time
	return late
}

// windowKey adds the columns that tell the windows of a group apart to its key, or
// returns nil if they are not there. Several windows of CUMULATE have one start;
// attached windows may be of any shape.
func windowKey(key []int, kind window.Kind, placed map[physical.WindowPropKind]int) []int {
	start, hasStart := placed[physical.WindowStart]
	end, hasEnd := placed[physical.WindowTime]
	if !hasEnd {
		end, hasEnd = placed[physical.WindowEnd]
	}
	switch {
	case kind == window.Attached:
		if !hasStart || !hasEnd {
			return nil
		}
		return append(key, start, end)
	case hasEnd:
		return append(key, end)
	case hasStart && kind != window.Cumulate:
		return append(key, start)
	}
	return nil
}

func windowState(kind window.Kind, lateness int64, distinct bool) string {
	s := "open windows x groups"
	switch kind {
	case window.Hop, window.Cumulate:
		s = "open slices x groups"
	case window.Session:
		s = "open sessions"
	}
	if distinct {
		s += " x distinct values"
	}
	if lateness > 0 {
		s += ", kept " + physical.DurationText(lateness)
	}
	return s
}
