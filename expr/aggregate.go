package expr

import (
	"streamsql/stream"
	"streamsql/types"
)

// Aggregate is one registry entry for an aggregate function.
type Aggregate struct {
	Name     string
	Aliases  []string
	Usage    string
	Doc      string
	Examples []Example // over the rows of the reference's sample table
	// Resolve checks argument types (none for COUNT(*)) and chooses result type and
	// accumulator. retract: the input takes rows back, so Retract will be called.
	Resolve func(args []types.Type, distinct, retract bool) (AggregateResolution, error)
	// Check looks at the constants among the arguments, in the types that Resolve asked
	// for; others are nil. nil: nothing must be constant.
	Check func(lits []*Literal) error
}

// AggregateResolution is an aggregate bound to argument types.
type AggregateResolution struct {
	Args   []types.Type
	Result types.Type
	// OrderInsensitive: partial results can be merged in any order with the same
	// answer to the last bit (not so sums of DOUBLE).
	OrderInsensitive bool
	// Commutes: partial results, of fixed size, can be merged in any order with rounding
	// differences at most.
	Commutes bool
	// ByArrival: the result is the value that arrived first or last.
	ByArrival bool
	// IgnoresDuplicates: DISTINCT makes no difference, so no set of values is kept.
	IgnoresDuplicates bool
	// KeepsValues: the state of a group holds all its values.
	KeepsValues bool
	// CountsValues: each value changes what is behind the result, so that Flink sends an
	// update for it even where the result stays equal.
	CountsValues bool
	// MakesValue: the result is an array or multiset that is put together of the values
	// (what counts as the same result before and after a row depends on it).
	MakesValue bool
	// Apart is the aggregate as it is computed beside one that CountsValues, where that
	// makes a difference; else nil.
	Apart *AggregateResolution
	// Onward is the aggregate as it is computed where each value that is taken back is
	// followed by one that is at least as near to the result; nil where that makes no
	// difference, or nothing is taken back.
	Onward *AggregateResolution
	New    func() Accumulator
}

// Accumulator is the state of one aggregate for many groups, as flat arrays
// indexed by group id. All methods are vectorised.
//
// groups[i] is the group of physical row i; rows says which rows count (a FILTER
// or DISTINCT is applied by the caller through rows). Arguments are Flat or Const
// and may hold NULLs. Calls follow arrival order.
type Accumulator interface {
	// Grow makes room for group ids below n; new groups are in the initial state.
	Grow(n int)
	// Add accounts rows to their groups.
	Add(groups []int32, args []*stream.Vec, rows Rows) error
	// Retract takes rows that were added before out of their groups.
	Retract(groups []int32, args []*stream.Vec, rows Rows) error
	// Merge adds group fromGroups[i] of from, an accumulator of the same aggregate,
	// to group groups[i].
	Merge(groups []int32, from Accumulator, fromGroups []int32) error
	// Result appends the results of groups (nil: 0..n-1) to out in order: out has been
	// Reset to the result type with n rows. An overflow is reported here, as a
	// *RowError whose Row is the position in groups.
	Result(groups []int32, n int, out *stream.Vec) error
	// Reset drops all groups and keeps the memory.
	Reset()
	// Bytes is the memory held.
	Bytes() int64
	// Snapshot writes the state of all groups; Restore reads it into an empty
	// accumulator.
	Snapshot(e *stream.Encoder)
	Restore(d *stream.Decoder) error
}

// Subtracter is implemented by accumulators whose Merge can be undone without a trace.
type Subtracter interface {
	// Subtract takes group fromGroups[i] of from, which was merged into group groups[i]
	// before, out of it.
	Subtract(groups []int32, from Accumulator, fromGroups []int32) error
}

// Toucher is implemented by accumulators that know where the state of a group lies.
type Toucher interface {
	// Touch reads a part of the state of a group, for nothing but that it is in a cache
	// when Add needs it: so the waiting for several accumulators overlaps.
	Touch(group int32) byte
}

// Follower is implemented by accumulators that tell the result of a group around each
// row in one pass.
type Follower interface {
	// Follow takes rows one after the other. steps says by physical row what a row does:
	// 1 adds it as Add does, -1 takes it out as Retract does, 0 leaves its group alone;
	// nil adds all. The results of the group of the row at position k of rows go to out:
	// that before the row to 2k, that after it to 2k+1. out has been Reset to the result
	// type with twice as many rows. The first row whose result cannot be given is
	// reported as a *RowError with its position; what stands in front of it is whole.
	Follow(groups []int32, args []*stream.Vec, rows Rows, steps []int8, out *stream.Vec) error
}

// AggregateCall is one aggregate of a plan, over the columns of its input.
type AggregateCall struct {
	Info
	Agg      *Aggregate
	Res      AggregateResolution
	Args     []Expr // of the types Res asks for; plan nodes use Columns only
	Distinct bool
	Filter   Expr   // BOOLEAN Column, or nil
	Name     string // output column
}
