package logical

import (
	"strings"

	"streamsql/expr"
	"streamsql/planner/physical"
)

// GroupAggregate groups by keys without a window and sends each change of a group. Its
// output is keys, then calls.
type GroupAggregate struct {
	Base
	Input Node
	Keys  []expr.Expr
	// Sets are grouping sets: by set and key, whether the key is left out. The last key
	// is then the number of the set.
	Sets  [][]bool
	Calls []*Call
	TTL   int64 // how long a group without rows is kept, in milliseconds; 0: forever
}

// Inputs returns the input.
func (n *GroupAggregate) Inputs() []Node { return []Node{n.Input} }

// Describe names the aggregate.
func (n *GroupAggregate) Describe() (string, []physical.Attr) {
	return "GroupAggregate", groupAttrs(n.Keys, n.Sets, n.Calls)
}

// groupAttrs describes what an aggregate groups by and computes.
func groupAttrs(grouped []expr.Expr, sets [][]bool, calls []*Call) []physical.Attr {
	keys := make([]string, len(grouped))
	for i, k := range grouped {
		keys[i] = physical.ExprText(k)
	}
	written := make([]string, len(sets))
	for i, set := range sets {
		var kept []string
		for k, out := range set {
			if !out {
				kept = append(kept, keys[k])
			}
		}
		written[i] = "(" + strings.Join(kept, ", ") + ")"
	}
	if sets != nil {
		keys = keys[:len(keys)-1]
	}
	texts := make([]string, len(calls))
	for i, c := range calls {
		texts[i] = CallText(c)
	}
	attrs := []physical.Attr{{Key: "keys", Value: list(keys)}, {Key: "aggs", Value: list(texts)}}
	if sets != nil {
		attrs = append(attrs, physical.Attr{Key: "sets", Value: list(written)})
	}
	return attrs
}
