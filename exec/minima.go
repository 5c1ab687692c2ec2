package exec

import "math"

// minima holds a number for each of several places and knows the least of them. A
// change costs the logarithm of their number.
type minima struct {
	size int     // leaves: a power of two
	at   []int64 // at[k] is the lesser of at[2k] and at[2k+1]; leaf i is at[size+i]
}

// newMinima returns n places with the number x.
func newMinima(n int, x int64) *minima {
	m := &minima{size: 1}
	for m.size < n {
		m.size *= 2
	}
	m.at = make([]int64, 2*m.size)
	for k := range m.at {
		m.at[k] = math.MaxInt64
	}
	for i := range n {
		m.set(i, x)
	}
	return m
}

func (m *minima) set(i int, x int64) {
	k := m.size + i
	m.at[k] = x
	for k >>= 1; k > 0; k >>= 1 {
		least := min(m.at[2*k], m.at[2*k+1])
		if m.at[k] == least {
			return
		}
		m.at[k] = least
	}
}

func (m *minima) least() int64 { return m.at[1] }

// first returns the first place that has the least number.
func (m *minima) first() int {
	k := 1
	for k < m.size {
		if k *= 2; m.at[k] > m.at[k+1] {
			k++
		}
	}
	return k - m.size
}

// others returns the least number in front of place i and that behind it.
func (m *minima) others(i int) (before, behind int64) {
	before, behind = math.MaxInt64, math.MaxInt64
	for k := m.size + i; k > 1; k >>= 1 {
		if k&1 == 1 {
			before = min(before, m.at[k-1])
		} else {
			behind = min(behind, m.at[k+1])
		}
	}
	return before, behind
}
