package exec_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"streamsql/internal/optest"
)

// mrow is a row of the models; a negative k or v is NULL.
type mrow struct {
	id, k, v   int
	start, end int64
}

func cell(n int) string {
	if n < 0 {
		return "NULL"
	}
	return fmt.Sprint(n)
}

func (r mrow) String() string {
	return fmt.Sprintf("%d | %s | %s | %d | %d", r.id, cell(r.k), cell(r.v), r.start, r.end)
}

const mcolumns = "id INT, k INT, v INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3)"

// randomRow is a row of a window of 10 that starts at a multiple of 5.
func randomRow(rnd *rand.Rand, id int, now int64) mrow {
	start := (now + int64(rnd.IntN(25)) - 12) / 5 * 5
	return mrow{id, rnd.IntN(4) - 1, rnd.IntN(6) - 1, start, start + 10}
}

// openWindows are the rows of a side by window.
type openWindows map[[2]int64][]mrow

// due takes the windows that watermark w closes, by end, then start.
func due(w int64, sides ...openWindows) [][2]int64 {
	var keys [][2]int64
	for _, s := range sides {
		for k := range s {
			if k[1]-1 <= w && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.SortFunc(keys, func(a, b [2]int64) int {
		return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
	})
	return keys
}

// script collects messages with what the model expects of each.
type script struct{ strings.Builder }

func (s *script) message(text string, want []string) {
	fmt.Fprintf(s, "< %s\n", text)
	for _, w := range want {
		fmt.Fprintf(s, "> %s\n", w)
	}
}

func (s *script) run(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.txt")
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	optest.Run(t, path)
	if t.Failed() {
		t.Log(s.String())
	}
}

// singleModel runs random rows through an operator with one input. of gives what a
// window sends, of its rows by arrival.
func singleModel(t *testing.T, seed uint64, node string, of func(rows []mrow) []string) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var s script
	fmt.Fprintf(&s, "test model %d\nsource a: %s\no = %s\nroot o\n", seed, mcolumns, node)
	open := openWindows{}
	w, now := int64(math.MinInt64), int64(0)
	fire := func() (want []string) {
		for _, k := range due(w, open) {
			for _, line := range of(open[k]) {
				want = append(want, "+I "+line)
			}
			delete(open, k)
		}
		return want
	}
	for id := range 45 {
		r := randomRow(rnd, id, now)
		if r.end-1 <= w {
			s.message("a: "+r.String(), []string{fmt.Sprintf("late %s @ %d", r, w)})
		} else {
			open[[2]int64{r.start, r.end}] = append(open[[2]int64{r.start, r.end}], r)
			s.message("a: "+r.String(), nil)
		}
		if rnd.IntN(3) == 0 {
			now += int64(rnd.IntN(8))
			if up := now - int64(rnd.IntN(4)); up > w {
				w = up
				s.message(fmt.Sprintf("a W %d", w), append(fire(), fmt.Sprintf("W %d", w)))
			}
		}
	}
	w = math.MaxInt64
	s.message("end", append(fire(), "W end"))
	s.run(t)
}

// byPartition splits rows by k, partitions by their first row.
func byPartition(rows []mrow) [][]mrow {
	var parts [][]mrow
	for _, r := range rows {
		i := slices.IndexFunc(parts, func(p []mrow) bool { return p[0].k == r.k })
		if i < 0 {
			i, parts = len(parts), append(parts, nil)
		}
		parts[i] = append(parts[i], r)
	}
	return parts
}

func TestWindowRankModel(t *testing.T) {
	for seed := range uint64(8) {
		from, to := 1+int(seed%2), 1+int(seed%2)+int(seed%3)
		desc := seed%4 < 2
		order := "order v"
		if desc {
			order = "order v desc"
		}
		node := fmt.Sprintf("rank a: partition k, %s, rows %d %d number", order, from, to)
		singleModel(t, seed, node, func(rows []mrow) (out []string) {
			for _, p := range byPartition(rows) {
				// NULL is -1 here: the smallest value.
				slices.SortStableFunc(p, func(a, b mrow) int {
					if desc {
						a, b = b, a
					}
					return cmp.Compare(a.v, b.v)
				})
				for i := from; i <= min(to, len(p)); i++ {
					out = append(out, fmt.Sprintf("%s | %d", p[i-1], i))
				}
			}
			return out
		})
	}
}

func TestWindowDeduplicateModel(t *testing.T) {
	for seed := range uint64(4) {
		last := seed%2 == 1
		keep := "first window_start"
		if last {
			keep = "last window_start"
		}
		// All rows of a window have equal times, so arrival decides.
		singleModel(t, 100+seed, "dedup a: partition k, "+keep, func(rows []mrow) (out []string) {
			for _, p := range byPartition(rows) {
				if last {
					out = append(out, p[len(p)-1].String())
				} else {
					out = append(out, p[0].String())
				}
			}
			return out
		})
	}
}

// joined is what a window sends of a join: the nested loop, left rows by arrival.
func joined(kind string, left, right []mrow, match func(l, r mrow) bool) (out []string) {
	const none = "NULL | NULL | NULL | NULL | NULL"
	found := make([]bool, len(right))
	for _, l := range left {
		any := false
		for i, r := range right {
			if !match(l, r) {
				continue
			}
			any, found[i] = true, true
			if kind != "semi" && kind != "anti" {
				out = append(out, l.String()+" | "+r.String())
			}
		}
		switch {
		case any && kind == "semi", !any && kind == "anti":
			out = append(out, l.String())
		case !any && (kind == "left" || kind == "full"):
			out = append(out, l.String()+" | "+none)
		}
	}
	if kind == "right" || kind == "full" {
		for i, r := range right {
			if !found[i] {
				out = append(out, none+" | "+r.String())
			}
		}
	}
	return out
}

func TestWindowJoinModel(t *testing.T) {
	conditions := []struct {
		text  string
		match func(l, r mrow) bool
	}{
		{"keys k k", func(l, r mrow) bool { return l.k >= 0 && l.k == r.k }},
		{"keys k k nullsafe", func(l, r mrow) bool { return l.k == r.k }},
		{"keys k k, on (<= v r_v)", func(l, r mrow) bool { return l.k >= 0 && l.k == r.k && l.v >= 0 && l.v <= r.v }},
		{"on (= v r_k)", func(l, r mrow) bool { return l.v >= 0 && l.v == r.k }},
		{"keys k k, keys v v nullsafe", func(l, r mrow) bool { return l.k >= 0 && l.k == r.k && l.v == r.v }},
	}
	for i, kind := range []string{"inner", "left", "right", "full", "semi", "anti"} {
		for j, c := range conditions {
			joinModel(t, uint64(10*i+j), kind, c.text, c.match)
		}
	}
}

// joinModel runs random rows through a join of two sources, each with its own
// watermark.
func joinModel(t *testing.T, seed uint64, kind, cond string, match func(l, r mrow) bool) {
	rnd := rand.New(rand.NewPCG(seed, 8))
	var s script
	fmt.Fprintf(&s, "test %s, %s\nsource l: %s\nsource r: %s\nj = join l r: %s, %s\nroot j\n", kind, cond, mcolumns, mcolumns, kind, cond)
	names, open := [2]string{"l", "r"}, [2]openWindows{{}, {}}
	ws := [2]int64{math.MinInt64, math.MinInt64}
	w, now := int64(math.MinInt64), int64(0)
	rise := func() (want []string) {
		up := min(ws[0], ws[1])
		if up <= w {
			return nil
		}
		w = up
		for _, k := range due(w, open[0], open[1]) {
			for _, line := range joined(kind, open[0][k], open[1][k], match) {
				want = append(want, "+I "+line)
			}
			delete(open[0], k)
			delete(open[1], k)
		}
		if w == math.MaxInt64 {
			return append(want, "W end")
		}
		return append(want, fmt.Sprintf("W %d", w))
	}
	for id := range 40 {
		side := rnd.IntN(2)
		r := randomRow(rnd, id, now)
		if r.end-1 <= w {
			s.message(names[side]+": "+r.String(), []string{fmt.Sprintf("late %s @ %d", r, w)})
		} else {
			k := [2]int64{r.start, r.end}
			open[side][k] = append(open[side][k], r)
			s.message(names[side]+": "+r.String(), nil)
		}
		if rnd.IntN(3) == 0 {
			now += int64(rnd.IntN(6))
			side := rnd.IntN(2)
			if up := now - int64(rnd.IntN(4)); up > ws[side] {
				ws[side] = up
				s.message(fmt.Sprintf("%s W %d", names[side], up), rise())
			}
		}
	}
	ws[0] = math.MaxInt64
	want := rise()
	ws[1] = math.MaxInt64
	s.message("end", append(want, rise()...))
	s.run(t)
}
