package exec

import (
	"time"

	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/types"
)

// locationOf is where event times of a node's output are shown: those of
// TIMESTAMP_LTZ in the session's time zone; nil for times without zone.
func locationOf(n physical.Node, zone expr.Zone) *time.Location {
	info := n.Info()
	if info.Rowtime < 0 || info.Schema.Fields[info.Rowtime].Type.Kind != types.TimestampLTZ {
		return nil
	}
	return sessionLocation(zone)
}

// inputLocation is locationOf an operator's input: windows stand in the time of what
// they are made of. Windows of processing time are those of the session's zone.
func (n *node) inputLocation() *time.Location {
	for _, in := range n.plan.Inputs() {
		if at := locationOf(in, n.env.Zone); at != nil {
			return at
		}
	}
	return nil
}

func sessionLocation(zone expr.Zone) *time.Location {
	if z, ok := zone.(*types.Zone); ok {
		return z.Location()
	}
	return time.UTC
}
