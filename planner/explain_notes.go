package planner

import (
	"strings"

	"streamsql/planner/physical"
)

// printNotes says of a plan why it may never send what its reader waits for.
func printNotes(out *strings.Builder, root physical.Node) {
	if closedByClock(root) && ends(root) {
		out.WriteString("\nNote: the input is read to its end at once, and that closes no window of processing time: those that are open then have no result.\n")
	}
}

// closedByClock reports whether a plan has windows that only the clock closes.
func closedByClock(n physical.Node) bool {
	switch n := n.(type) {
	case *physical.WindowAggregate:
		if n.Processing && !n.EarlyFire {
			return true
		}
	case *physical.WindowTVF:
		if n.Processing && n.OnClose {
			return true
		}
	}
	for _, in := range n.Inputs() {
		if closedByClock(in) {
			return true
		}
	}
	return false
}

// ends reports whether all sources of a plan are there from the beginning and end.
func ends(n physical.Node) bool {
	if s, ok := n.(*physical.Scan); ok && (s.Live || !s.Bounded) {
		return false
	}
	for _, in := range n.Inputs() {
		if !ends(in) {
			return false
		}
	}
	return true
}
