package logical

import (
	"strconv"

	"streamsql/expr"
	"streamsql/planner/physical"
)

// Describe names the scan.
func (n *Scan) Describe() (string, []physical.Attr) {
	return "Scan", []physical.Attr{{Value: n.Source.Name}}
}

// Describe names the filter.
func (n *Filter) Describe() (string, []physical.Attr) {
	return "Filter", []physical.Attr{{Value: physical.ExprText(n.Cond)}}
}

// Describe names the projection.
func (n *Project) Describe() (string, []physical.Attr) {
	return "Project", []physical.Attr{{Value: physical.ProjectText(n.Schema, n.Exprs)}}
}

// Describe names the window function.
func (n *WindowTVF) Describe() (string, []physical.Attr) {
	return "WindowTVF", []physical.Attr{{Key: "window", Value: physical.WindowText(n.Window, n.Schema.Fields[n.Time].Name)}}
}

// Describe names the aggregate.
func (n *Aggregate) Describe() (string, []physical.Attr) {
	on := "window_start, window_end"
	switch {
	case n.Time >= 0:
		on = n.Input.Info().Schema.Fields[n.Time].Name
	case n.Legacy:
		on = "PROCTIME()"
	}
	attrs := []physical.Attr{{Key: "window", Value: physical.WindowText(n.Window, on)}}
	return "Aggregate", append(attrs, groupAttrs(n.Keys, n.Sets, n.Calls)...)
}

// CallText prints an aggregate call.
func CallText(c *Call) string {
	return physical.AggregateText(expr.AggregateCall{Info: c.Info, Agg: c.Agg, Args: c.Args, Distinct: c.Distinct, Filter: c.Filter})
}

// Describe names the union.
func (n *Union) Describe() (string, []physical.Attr) { return "UnionAll", nil }

// Describe names the constant table.
func (n *Values) Describe() (string, []physical.Attr) {
	return "Values", []physical.Attr{{Key: "rows", Value: strconv.Itoa(len(n.Rows))}}
}

// Describe names the limit.
func (n *Limit) Describe() (string, []physical.Attr) {
	return "Limit", physical.LimitAttrs(n.Offset, n.Count)
}

// Describe names the sink.
func (n *Sink) Describe() (string, []physical.Attr) {
	return "Sink", []physical.Attr{{Value: n.Table}}
}
