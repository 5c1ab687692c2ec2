package javaregex

import (
	"slices"
	"sort"
	"unicode"
)

// set is a set of code points: pairs of first and last, ascending and apart.
type set struct {
	ranges []rune
	ascii  [2]uint64
}

func newSet(pairs ...rune) *set {
	s := &set{ranges: pairs}
	return s.tidy()
}

// tidy sorts and joins the ranges and fills in the bits of ASCII.
func (s *set) tidy() *set {
	pairs := make([][2]rune, 0, len(s.ranges)/2)
	for i := 0; i+1 < len(s.ranges); i += 2 {
		pairs = append(pairs, [2]rune{s.ranges[i], s.ranges[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return int(a[0]) - int(b[0]) })
	s.ranges = s.ranges[:0:0]
	for _, p := range pairs {
		if n := len(s.ranges); n > 0 && p[0] <= s.ranges[n-1]+1 {
			s.ranges[n-1] = max(s.ranges[n-1], p[1])
			continue
		}
		s.ranges = append(s.ranges, p[0], p[1])
	}
	s.ascii = [2]uint64{}
	for r := rune(0); r < 128; r++ {
		if s.search(r) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return s
}

func (s *set) search(r rune) bool {
	i := sort.Search(len(s.ranges)/2, func(i int) bool { return s.ranges[2*i+1] >= r })
	return 2*i < len(s.ranges) && s.ranges[2*i] <= r
}

// has reports whether r is in the set.
func (s *set) has(r rune) bool {
	if r < 128 {
		return s.ascii[r>>6]>>(r&63)&1 != 0
	}
	return s.search(r)
}

func (s *set) union(t *set) *set {
	return newSet(slices.Concat(s.ranges, t.ranges)...)
}

func (s *set) negate() *set {
	var out []rune
	next := rune(0)
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] > next {
			out = append(out, next, s.ranges[i]-1)
		}
		next = s.ranges[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return newSet(out...)
}

func (s *set) intersect(t *set) *set {
	return s.negate().union(t.negate()).negate()
}

// tableSet makes a set of tables of Unicode.
func tableSet(tables ...*unicode.RangeTable) *set {
	var out []rune
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, lo, hi)
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, r, r)
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newSet(out...)
}

// folded returns the set of what matches the range lo..hi in any case: of ASCII only,
// unless all is set.
func folded(lo, hi rune, all bool) *set {
	out := []rune{lo, hi}
	if all {
		for r := lo; r <= hi && r-lo < 1<<17; r++ {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				out = append(out, f, f)
			}
		}
		return newSet(out...)
	}
	for r := 'a'; r <= 'z'; r++ {
		if upper := r - 'a' + 'A'; lo <= r && r <= hi || lo <= upper && upper <= hi {
			out = append(out, r, r, upper, upper)
		}
	}
	return newSet(out...)
}

// Sets that escapes and points stand for.
var (
	digitSet      = newSet('0', '9')
	wordSet       = newSet('0', '9', 'A', 'Z', '_', '_', 'a', 'z')
	spaceSet      = newSet(' ', ' ', '\t', '\r')
	horizontalSet = newSet(' ', ' ', '\t', '\t', 0xA0, 0xA0, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000)
	verticalSet   = newSet('\n', '\r', 0x85, 0x85, 0x2028, 0x2029)
	lineEndSet    = newSet('\n', '\n', '\r', '\r', 0x85, 0x85, 0x2028, 0x2029)
	newlineSet    = newSet('\n', '\n')
	anySet        = newSet(0, unicode.MaxRune)
)
