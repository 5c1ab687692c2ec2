package main

import (
	"fmt"
	"runtime"
	"time"
)

// calibrate prints how much more two threads do than one on this machine: what two
// workers could reach at most.
func calibrate(runs int) {
	var one, two []float64
	for range runs {
		one = append(one, spin(1))
		two = append(two, spin(2))
	}
	fmt.Printf("calibration: two threads do %.2f times the work of one\n", 2*median(one)/median(two))
}

// spin runs the same work in n goroutines and returns the seconds until the last has
// ended.
func spin(n int) float64 {
	start := time.Now()
	sums := make(chan uint64, n)
	for i := range n {
		go func() {
			x := uint64(i) + 1
			for range 100_000_000 {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
			}
			sums <- x
		}()
	}
	for range n {
		runtime.KeepAlive(<-sums)
	}
	return time.Since(start).Seconds()
}
