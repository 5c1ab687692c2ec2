package exec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The percentile lies at or above the exact one, by less than one percent, and never
// above the maximum.
func TestHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, top := range []int64{1, 100, 300, 1 << 20, 1 << 62} {
		h := new(histogram)
		var all []int64
		for range 1000 {
			x := 1 + r.Int64N(top)
			h.add(x)
			all = append(all, x)
		}
		slices.Sort(all)
		exact, got := all[990-1], h.percentile(99)
		if got < exact || float64(got) > float64(exact)*1.01 || h.max != all[999] || got > h.max {
			t.Errorf("up to %d: 99 %% are at most %d, got %d; max %d, got %d", top, exact, got, all[999], h.max)
		}
	}
	h := new(histogram)
	h.add(math.MaxInt64)
	if h.percentile(99) != math.MaxInt64 {
		t.Error(h.percentile(99))
	}
}

// Every number lies in the bucket whose end is the first at or above it.
func TestHistogramBuckets(t *testing.T) {
	for _, x := range []int64{0, 1, 127, 128, 129, 255, 256, 257, 258, 511, 512, 1 << 40, 1<<40 + 1, math.MaxInt64} {
		b := bucketOf(x)
		if bucketEnd(b) < x || b > 0 && bucketEnd(b-1) >= x {
			t.Errorf("%d is in bucket %d, which ends at %d", x, b, bucketEnd(b))
		}
	}
}
