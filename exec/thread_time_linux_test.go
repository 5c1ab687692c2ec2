package exec

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the thread, which other processes do not change
// as they do the time on the wall. The resource usage of a thread has it, too, but only
// as of the last tick of the system's clock.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
