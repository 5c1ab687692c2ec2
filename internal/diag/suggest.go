package diag

import "strings"

// Suggest returns the candidate that is nearest to name, or "" if none is near:
// one that differs only in case wins, else the least edit distance of at most a
// third of the name's length (at least one). Ties go to the earlier candidate.
func Suggest(name string, candidates []string) string {
	best, limit := "", max(1, len([]rune(name))/3)
	least := limit + 1
	low := strings.ToLower(name)
	for _, c := range candidates {
		if strings.EqualFold(c, name) {
			return c
		}
		if d := editDistance(low, strings.ToLower(c), least); d < least && d < len([]rune(c)) {
			best, least = c, d
		}
	}
	return best
}

// DidYouMean sets a hint that names the nearest candidate, if there is one;
// otherwise it sets the given fallback (which may be empty).
func (e *Error) DidYouMean(name string, candidates []string, fallback string) *Error {
	if s := Suggest(name, candidates); s != "" {
		return e.WithHint("did you mean %q?", s)
	}
	e.Hint = fallback
	return e
}

// editDistance is the number of single-character edits and swaps of neighbours
// (optimal string alignment) between a and b, or limit if it is not below that.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d >= limit || -d >= limit {
		return limit
	}
	older, prev, cur := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, prev, cur = prev, cur, older
	}
	return min(prev[len(y)], limit)
}
