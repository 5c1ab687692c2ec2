package exec

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/physical"
)

// internColumns returns the text columns of a scan, as numbers of the table's columns,
// that window aggregates group by: with a dictionary they find their groups by id.
func internColumns(root physical.Node, scan *physical.Scan) []int {
	var list []int
	seen := map[physical.Node]bool{}
	var visit func(n physical.Node)
	visit = func(n physical.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if a, ok := n.(*physical.WindowAggregate); ok {
			for _, k := range a.Keys {
				list = traceColumn(a.Input, k, scan, list)
			}
		}
		for _, in := range n.Inputs() {
			visit(in)
		}
	}
	visit(root)
	slices.Sort(list)
	return slices.Compact(list)
}

// traceColumn appends the column of the scan that column c of n is, if it is one.
func traceColumn(n physical.Node, c int, scan *physical.Scan, list []int) []int {
	switch n := n.(type) {
	case *physical.Scan:
		if n == scan && n.Schema.Fields[c].Type.IsText() {
			list = append(list, n.Columns[c])
		}
	case *physical.Project:
		if col, ok := n.Exprs[c].(*expr.Column); ok {
			list = traceColumn(n.Input, col.Index, scan, list)
		}
	case *physical.WatermarkAssigner, *physical.Filter, *physical.LateFilter, *physical.Limit, *physical.UnionAll:
		for _, in := range n.Inputs() {
			list = traceColumn(in, c, scan, list)
		}
	case *physical.WindowTVF:
		if c < len(n.Input.Info().Schema.Fields) {
			list = traceColumn(n.Input, c, scan, list)
		}
	}
	return list
}
