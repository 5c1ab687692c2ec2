package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/physical"
)

// withoutBefore sets the modes of a plan for a reader that takes the new row of an
// update only. Nodes that must know the old row still get it: those that aggregate,
// number or join, and filters on columns that an update changes.
func withoutBefore(root physical.Node) { settle(root, false) }

// settle sets the mode of n and of the nodes below it; before says whether the reader
// of n takes the old row of an update.
func settle(n physical.Node, before bool) {
	base := n.Info()
	switch n := n.(type) {
	case *physical.Filter:
		before = before || !onKey(n.Cond, n.Input.Info().Key)
	case *physical.Project, *physical.UnionAll, *physical.WindowTVF, *physical.Expand, *physical.Limit, *physical.WatermarkAssigner, *physical.LateFilter:
	case *physical.TableFunction:
		settle(n.Input, true) // of the old row there may have been other rows
		return
	case *physical.FromChangelog:
		return // it sends what its input says
	case *physical.Unnest:
		// The old row may have had other elements than the new one.
		settle(n.Input, true)
		return
	case *physical.Join:
		// An old row may come without a new one, where that has other pairs.
		settle(n.Left, true)
		settle(n.Right, true)
		return
	default:
		r, _ := n.(*physical.Rank)
		for _, in := range n.Inputs() {
			settle(in, r == nil || r.Strategy != physical.UpdateRank)
		}
		if base.Mode == physical.Retract && !before {
			base.Mode = physical.Upsert
		}
		return
	}
	mode := physical.Append
	for _, in := range n.Inputs() {
		settle(in, before)
		mode = max(mode, in.Info().Mode)
	}
	base.Mode = mode
}

// onKey reports whether a condition reads columns of a key only, which no update
// changes.
func onKey(cond expr.Expr, key []int) bool {
	ok := true
	expr.Walk(cond, func(e expr.Expr) bool {
		if c, is := e.(*expr.Column); is && !slices.Contains(key, c.Index) {
			ok = false
		}
		return ok
	})
	return ok
}
