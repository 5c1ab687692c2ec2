package sql

import (
	"math/rand"
	"strings"
	"testing"
)

// TestMutations splices the tokens of statements at random: most results are
// nearly right, which bytes changed at random never are.
func TestMutations(t *testing.T) {
	const rounds = 6000
	mutations(t, rand.New(rand.NewSource(1)), rounds)
}

func mutations(t *testing.T, r *rand.Rand, rounds int) {
	var all [][]string
	for _, s := range corpus(t) {
		var words []string
		if guard(s, func() {
			for _, tok := range lex(s, 0, len(s)) {
				words = append(words, s[tok.pos:tok.end])
			}
		}) == nil && len(words) < 150 {
			all = append(all, words[:len(words)-1])
		}
	}
	pick := func() []string { return all[r.Intn(len(all))] }
	accepted := 0
	for range rounds {
		w := append([]string(nil), pick()...)
		for range 1 + r.Intn(3) {
			i := r.Intn(len(w))
			switch other := pick(); r.Intn(5) {
			case 0:
				if len(w) > 1 {
					w = append(w[:i], w[i+1:]...)
				}
			case 1:
				w[i] = other[r.Intn(len(other))]
			case 2:
				w = append(w[:i], append([]string{other[r.Intn(len(other))]}, w[i:]...)...)
			case 3: // a run of another statement
				from := r.Intn(len(other))
				to := min(len(other), from+1+r.Intn(8))
				w = append(w[:i], append(append([]string(nil), other[from:to]...), w[i:]...)...)
			case 4:
				j := r.Intn(len(w))
				w[i], w[j] = w[j], w[i]
			}
		}
		text := strings.Join(w, " ")
		checkStatement(t, text)
		if _, err := Parse(text); err == nil {
			accepted++
		}
	}
	if accepted < rounds/20 {
		t.Errorf("only %d of %d mutations parse", accepted, rounds)
	}
}
