package trace

import "time"

// scale maps values to pixels.
type scale struct {
	lo, hi   int64 // values
	from, to float64
}

func (s scale) at(v int64) float64 {
	if s.hi == s.lo {
		return (s.from + s.to) / 2
	}
	return s.from + (s.to-s.from)*float64(v-s.lo)/float64(s.hi-s.lo)
}

// timeSteps are the distances between times on an axis, in milliseconds.
var timeSteps = []int64{
	1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000,
	60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000,
	3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, dayMillis, 2 * dayMillis, 7 * dayMillis, 28 * dayMillis, 91 * dayMillis, 364 * dayMillis,
}

// timeTicks are at most n+1 round times from lo to hi, and the layout to write them in.
func timeTicks(lo, hi int64, n int) (ticks []int64, step int64, layout string) {
	step = timeSteps[len(timeSteps)-1]
	for _, s := range timeSteps {
		if (hi-lo)/s <= int64(n) {
			step = s
			break
		}
	}
	return multiples(lo, hi, step), step, timeLayout(step)
}

// timeLayout shows as much of a time as steps of a size need.
func timeLayout(step int64) string {
	switch {
	case step < 1000:
		return "15:04:05.000"
	case step < 60_000:
		return "15:04:05"
	case step < dayMillis:
		return "15:04"
	}
	return time.DateOnly
}

// countTicks are at most about n round numbers from lo to hi.
func countTicks(lo, hi int64, n int) []int64 {
	step := int64(1)
	for (hi-lo)/step > int64(n) {
		switch {
		case (hi-lo)/(2*step) <= int64(n):
			step *= 2
		case (hi-lo)/(5*step) <= int64(n):
			step *= 5
		default:
			step *= 10
		}
	}
	return multiples(lo, hi, step)
}

func multiples(lo, hi, step int64) []int64 {
	first := lo / step * step
	if first < lo {
		first += step
	}
	var list []int64
	for v := first; v <= hi; v += step {
		list = append(list, v)
	}
	return list
}
