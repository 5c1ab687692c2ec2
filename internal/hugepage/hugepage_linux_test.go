package hugepage

import "testing"

// TestAdvise: arrays of all sizes stay what they are.
func TestAdvise(t *testing.T) {
	Advise[int64](nil)
	for _, n := range []int{1, fromSize/8 - 1, fromSize / 8, fromSize, 3 * block / 8} {
		s := make([]int64, n)
		s[0], s[n-1] = 1, 2
		Advise(s)
		sum := int64(0)
		for i := range s {
			sum += s[i]
			s[i] = 7
		}
		want := int64(3)
		if n == 1 {
			want = 2
		}
		if sum != want {
			t.Errorf("the sum of %d values is %d, want %d", n, sum, want)
		}
	}
}
