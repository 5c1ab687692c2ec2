//go:build !linux

package exec

import "time"

var began = time.Now()

// threadTime is the time that passes: only Linux tells that of a thread.
func threadTime() time.Duration { return time.Since(began) }
