package exec

import (
	"syscall"
	"time"
)

// threadTime is the processor time of the thread, which other processes do not change
// as they do the time on the wall.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
