package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
)

// onward is MIN or MAX over values of which each that is taken back is followed by one
// that is at least as far: so nothing is taken back.
type onward struct {
	expr.Accumulator
	steps []int8 // of Follow, without those that take back
}

// goesOnward returns r as onward computes it.
func goesOnward(r expr.AggregateResolution) *expr.AggregateResolution {
	inner := r.New
	r.New = func() expr.Accumulator { return &onward{Accumulator: inner()} }
	return &r
}

// Retract implements expr.Accumulator: a later value makes it up.
func (a *onward) Retract([]int32, []*stream.Vec, expr.Rows) error { return nil }

// Merge implements expr.Accumulator.
func (a *onward) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	return a.Accumulator.Merge(groups, from.(*onward).Accumulator, fromGroups)
}

// Follow implements expr.Follower.
func (a *onward) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	if steps != nil {
		a.steps = append(a.steps[:0], steps...)
		for i := range a.steps {
			a.steps[i] = max(a.steps[i], 0)
		}
		steps = a.steps
	}
	return a.Accumulator.(expr.Follower).Follow(groups, args, rows, steps, out)
}

// Bytes implements expr.Accumulator.
func (a *onward) Bytes() int64 { return a.Accumulator.Bytes() + int64(cap(a.steps)) }
