package exec

import (
	"streamsql/connector"
	"streamsql/expr"
	"streamsql/stream"
)

// Config is what a job needs besides its plan. None of BatchSize, ReadBuffer,
// Workers, Seed and Stutter changes an answer.
type Config struct {
	BatchSize  int // most rows per source batch; 0: 4096
	ReadBuffer int // bytes per read; 0: 256 KiB
	Workers    int // 1: everything in one goroutine; more: so many goroutines read and decode each source ahead of the plan, and so many account groups
	Seed       uint64
	Stutter    uint64 // seed for cutting source batches at random places, and groups are divided among workers from the first on; 0: off

	Source func(handle int) (connector.Source, error)
	Sink   func(handle int) (connector.Sink, error)

	Late func(stream.LateRow)                     // takes late rows, in canonical order; may be nil
	Bad  func(table string, row connector.BadRow) // takes rows that cannot be read; may be nil and may be called from several goroutines
	Now  func() int64                             // processing time, milliseconds since 1970

	// Trace takes an event for each source row, in order, from the goroutine that runs
	// the plan: rows then go through the plan one by one. nil costs nothing.
	Trace func(stream.TraceEvent)

	// Clock counts nanoseconds: with it, calls, batches and times are measured for
	// EXPLAIN ANALYZE. nil: nothing reads a clock. It is called from the goroutine that
	// runs the plan, and from readers.
	Clock func() int64

	MemoryLimit int64 // bytes of state; 0: none
	Zone        expr.Zone

	// Rest is called between batches, when everything read so far has had all its
	// effects: Job.Snapshot may be called there. An error ends the run; ErrEnough
	// quietly. May be nil.
	Rest func(*Job) error
}

// lanes is how many goroutines operators may use. With a limit of memory it has to be
// known after each batch how much they hold.
func (c *Config) lanes() int {
	if c.MemoryLimit > 0 {
		return 1
	}
	return c.Workers
}

// wideFrom makes operators use them from the first group on where all shall be tried.
func (c *Config) wideFrom() int {
	if c.Stutter != 0 {
		return 1
	}
	return 0
}

func (c *Config) setDefaults() {
	if c.BatchSize <= 0 {
		c.BatchSize = 4096
	}
	if c.ReadBuffer <= 0 {
		c.ReadBuffer = 256 << 10
	}
	if c.Workers <= 0 {
		c.Workers = 1
	}
	if c.Trace != nil {
		c.BatchSize, c.Workers, c.Stutter = 1, 1, 0
	}
	if c.Now == nil {
		c.Now = func() int64 { return 0 }
	}
}
