package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/planner/physical"
)

// printNotes says of a plan why it may never send what its reader waits for.
func printNotes(out *strings.Builder, root physical.Node) {
	if closedByClock(root) && ends(root) {
		out.WriteString("\nNote: the input is read to its end at once, and that closes no window of processing time: those that are open then have no result.\n")
	}
	if table := stuckBelowWindow(root, false); table != "" && !ends(root) {
		what := "close only at the end of the input"
		if !root.Info().Bounded {
			what = "never close"
		}
		out.WriteString("\nNote: the watermark of table \"" + table + "\" is a constant, so it does not rise: windows behind it " + what + ".\n")
	}
}

// stuckBelowWindow returns a table whose watermark never rises, but for which something
// in the plan waits; else "". Windows of processing time do not.
func stuckBelowWindow(n physical.Node, waits bool) string {
	switch n := n.(type) {
	case *physical.ProcessingTime:
		return ""
	case *physical.WatermarkAssigner:
		if _, constant := n.Watermark.(*expr.Literal); constant && waits {
			return scannedTable(n)
		}
		return ""
	}
	waits = waits || n.Info().OnClose
	for _, in := range n.Inputs() {
		if table := stuckBelowWindow(in, waits); table != "" {
			return table
		}
	}
	return ""
}

// scannedTable is the table that a chain of nodes reads.
func scannedTable(n physical.Node) string {
	for len(n.Inputs()) == 1 {
		n = n.Inputs()[0]
	}
	if s, ok := n.(*physical.Scan); ok {
		return s.Table
	}
	return ""
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
