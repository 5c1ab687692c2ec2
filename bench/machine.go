package main

import (
	"runtime"
	"time"
)

// pair is how much more two threads do than one on this machine at this time: what two
// workers could reach at most. On virtual machines it changes: two processors may be
// the two halves of one core for some seconds.
func pair() float64 { return 2 * spin(1) / spin(2) }

// spin runs the same work in n goroutines and returns the seconds until the last has
// ended. Eight independent chains keep a core busy by themselves; a single one would
// leave half of it to whoever shares it, and not notice.
func spin(n int) float64 {
	start := time.Now()
	sums := make(chan uint64, n)
	for i := range n {
		go func() {
			x := uint64(i) + 1
			a, b, c, d, e, f, g, h := x, x+1, x+2, x+3, x+4, x+5, x+6, x+7
			for range 30_000_000 {
				a ^= a << 13
				b ^= b << 13
				c ^= c << 13
				d ^= d << 13
				e ^= e << 13
				f ^= f << 13
				g ^= g << 13
				h ^= h << 13
				a ^= a >> 7
				b ^= b >> 7
				c ^= c >> 7
				d ^= d >> 7
				e ^= e >> 7
				f ^= f >> 7
				g ^= g >> 7
				h ^= h >> 7
			}
			sums <- a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
		}()
	}
	for range n {
		runtime.KeepAlive(<-sums)
	}
	return time.Since(start).Seconds()
}
