package exec

import (
	"streamsql/planner/physical"
	"streamsql/window"
)

// windowAggregateFor makes the operator for a kind of window.
func windowAggregateFor(p *physical.WindowAggregate) (Operator, error) {
	switch {
	case p.Window.Kind == window.Session:
		return newSessionAggregate(p)
	case p.Window.Kind == window.Attached, p.EarlyFire, p.LateFire && (p.Window.Kind != window.Tumble || p.LateDelay > 0):
		return newAssignedAggregate(p)
	case p.Window.Kind == window.Hop, p.Window.Kind == window.Cumulate:
		return newSliceAggregate(p)
	}
	return newWindowAggregate(p)
}

func windowTVFFor(p *physical.WindowTVF) (Operator, error) {
	switch p.Window.Kind {
	case window.Session:
		return newSessionTVF(p)
	case window.Hop, window.Cumulate:
		return newExpandingTVF(p)
	}
	return newWindowTVF(p)
}

func lateFilterFor(p *physical.LateFilter) (Operator, error) {
	if p.Window.Kind == window.Attached {
		return newAttachedFilter(p)
	}
	return newLateFilter(p)
}
