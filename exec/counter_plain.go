//go:build (amd64 || arm64) && !race

package exec

// store sets a number that other goroutines read atomically. A word is written whole; what
// a reader may see late is ordered by whatever tells it that there is something to see.
func store(p *int64, x int64) { *p = x }
