//go:build !(amd64 || arm64) || race

package exec

import "sync/atomic"

// store sets a number that other goroutines read atomically.
func store(p *int64, x int64) { atomic.StoreInt64(p, x) }
