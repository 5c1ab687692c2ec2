package exec

import "sync/atomic"

// Counter is a number that one goroutine at a time changes while others read it. So no
// change needs a locked instruction, which would cost more than most of what an operator
// does for a batch of one row.
type Counter struct {
	_ [0]atomic.Int64 // aligned for atomic use on any machine
	n int64
}

// Load returns the number. Any goroutine may call it.
func (c *Counter) Load() int64 { return atomic.LoadInt64(&c.n) }

// Store sets the number.
func (c *Counter) Store(x int64) { store(&c.n, x) }

// Add adds to the number and returns the sum.
func (c *Counter) Add(x int64) int64 {
	sum := c.n + x
	store(&c.n, sum)
	return sum
}
