package exec

import (
	"context"
	"sync/atomic"

	"streamsql/connector"
	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
)

// Operator is one running node of a plan. See the package comment for what it
// must keep to.
type Operator interface {
	// Open is called once, before anything else. Declared state is restored after it.
	Open(ctx context.Context, env *Env) error
	// ProcessBatch takes one batch of an input.
	ProcessBatch(ctx context.Context, port int, b *stream.Batch, out Output) error
	// Finish is called when all inputs are over: the last chance to emit. The mark
	// MaxWatermark has been processed before, so event timers have fired.
	Finish(ctx context.Context, out Output) error
	// Close releases; it never emits.
	Close() error
}

// Output is where an operator sends its batches.
type Output interface {
	// Batch hands b to all consumers and returns when they have processed it. An
	// error, ErrEnough included, is returned by the operator as it is.
	Batch(ctx context.Context, b *stream.Batch) error
	// Poll is called about every 4,096 rows by loops over state: it returns nil, or
	// the reason to stop.
	Poll(ctx context.Context) error
}

// Env is what an operator may use of the running query. It is valid from Open to
// Close.
type Env struct {
	// State is where the operator registers its state objects in Open. Everything
	// that must survive a restart is there; the driver snapshots, restores, accounts
	// and limits it.
	State *state.Store
	// Counters are published once per batch. In and Out are counted by the driver;
	// the operator adds to Used, Late and Filtered so that In = Used + Late + Filtered.
	// Late is counted by LateRows.
	Counters *Counters
	// Seed varies the hash functions of tables. No answer depends on it.
	Seed      uint64
	Zone      expr.Zone
	Now       func() int64 // processing time in milliseconds since 1970
	Clock     func() int64 // processing time as the driver has told it last: what windows and timers go by
	BatchSize int          // rows to aim at in output batches
	Lanes     int          // goroutines that an operator may hand rows to; below 2: none
	WideFrom  int          // groups of a window from which it does, with all rows then; 0: where it pays

	ports int
	late  func(l *LateRows)
	bad   func(table string, r connector.BadRow) // nil: nobody takes bad rows
	trace *tracer                                // nil: nobody watches
	kept  bool                                   // late rows become rows of LATE
}

// Counters of one operator, readable from any goroutine. The one that drives the graph
// changes them.
type Counters struct {
	In, Used, Late, Filtered, Out Counter

	// Watermark is the one that the operator has seen; the driver sets it for
	// operators with one input.
	Watermark Counter
	// NextTimer is the next watermark at which something waits to fire, MaxWatermark
	// if nothing does, and OpenRows the number of rows or groups that wait.
	NextTimer, OpenRows Counter
	// Windows is how many windows, sessions or slices of windows are open.
	Windows Counter
	// MaxTime is the highest event time met; only the watermark assigner sets it.
	MaxTime Counter

	stateRows, stateBytes Counter
	batches, nanos        atomic.Int64 // only with a clock
}

// LateRows are rows that an operator drops because their windows are closed. The
// slices Start, End and Watermark are parallel to Rows: the last window of the row and
// the watermark before it.
type LateRows struct {
	Batch      *stream.Batch // the operator's input
	Rows       []int32       // physical rows, ascending
	Start, End []int64
	Watermark  []stream.Timestamp
	Lateness   int64 // allowed lateness of the operator
	Time       int   // rowtime column of Batch
	Port       int   // the input that Batch came from
}

// clear forgets the rows.
func (l *LateRows) clear() {
	l.Rows, l.Start, l.End, l.Watermark = l.Rows[:0], l.Start[:0], l.End[:0], l.Watermark[:0]
}

// add appends a row whose last window is [start, end).
func (l *LateRows) add(row int32, start, end int64, watermark stream.Timestamp) {
	l.Rows, l.Watermark = append(l.Rows, row), append(l.Watermark, watermark)
	l.Start, l.End = append(l.Start, start), append(l.End, end)
}

// LateRows counts and reports rows of b, with their event time in column time, that are
// dropped as late. Nothing of l is kept, and l does not keep b.
func (e *Env) LateRows(l *LateRows, b *stream.Batch, time int) {
	if len(l.Rows) == 0 {
		return
	}
	l.Batch, l.Time = b, time
	e.trace.lateRows(l, e.kept)
	e.late(l)
	l.Batch = nil
}
