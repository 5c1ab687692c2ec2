package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// jrow is a row of the model of a join; a negative k is NULL.
type jrow struct{ k, v int }

func (r jrow) String() string { return cell(r.k) + " | " + fmt.Sprint(r.v) }

// jkept is a row as the model keeps it: how many equal ones there are, and pairs of it.
type jkept struct {
	jrow
	count, pairs int
}

// pairModel is Flink's regular join, row by row over lists: ON l.k = r.k AND l.v <= r.v.
type pairModel struct {
	kind  string
	sides [2][]*jkept
	rows  [2][]jrow // as they came, for the relational answer
	out   []string
}

func (m *pairModel) outer(side int) bool {
	return m.kind == "full" || m.kind == [...]string{"left", "right"}[side]
}

func (m *pairModel) send(kind, left, right string) {
	if m.kind == "semi" || m.kind == "anti" {
		m.out = append(m.out, kind+" "+left)
		return
	}
	m.out = append(m.out, kind+" "+left+" | "+right)
}

func (m *pairModel) pair(kind string, side int, r, other jrow) {
	if side == 1 {
		r, other = other, r
	}
	m.send(kind, r.String(), other.String())
}

func (m *pairModel) padded(kind string, side int, r jrow) {
	if side == 0 {
		m.send(kind, r.String(), "NULL | NULL")
	} else {
		m.send(kind, "NULL | NULL", r.String())
	}
}

func pairs(l, r jrow) bool { return l.k >= 0 && l.k == r.k && l.v <= r.v }

func (m *pairModel) matches(side int, r jrow) (list []*jkept) {
	for _, o := range m.sides[1-side] {
		if side == 0 && pairs(r, o.jrow) || side == 1 && pairs(o.jrow, r) {
			list = append(list, o)
		}
	}
	return list
}

func (m *pairModel) keep(side int, r jrow, n int) {
	for _, o := range m.sides[side] {
		if o.jrow == r {
			o.count, o.pairs = o.count+1, n
			return
		}
	}
	m.sides[side] = append(m.sides[side], &jkept{r, 1, n})
}

func (m *pairModel) forget(side int, r jrow) {
	i := slices.IndexFunc(m.sides[side], func(o *jkept) bool { return o.jrow == r })
	if m.sides[side][i].count--; m.sides[side][i].count == 0 {
		m.sides[side] = slices.Delete(m.sides[side], i, i+1)
	}
}

// take answers one row of a side.
func (m *pairModel) take(side int, kind string, r jrow) []string {
	m.out = nil
	gone := kind[0] == '-'
	matched := m.matches(side, r)
	n := 0
	for _, o := range matched {
		n += o.count
	}
	if m.kind == "semi" || m.kind == "anti" {
		m.test(side, kind, r, matched, n)
	} else {
		m.join(side, kind, r, matched, n)
	}
	if gone {
		m.forget(side, r)
		i := slices.Index(m.rows[side], r)
		m.rows[side] = slices.Delete(m.rows[side], i, i+1)
	} else {
		m.keep(side, r, n)
		m.rows[side] = append(m.rows[side], r)
	}
	return m.out
}

func (m *pairModel) join(side int, kind string, r jrow, matched []*jkept, n int) {
	gone, otherOuter := kind[0] == '-', m.outer(1-side)
	switch {
	case gone && m.outer(side):
		kind = "-D"
	case !gone && (m.outer(side) || otherOuter):
		kind = "+I"
	}
	if n == 0 && m.outer(side) {
		m.padded(kind, side, r)
	}
	for _, o := range matched {
		for range o.count {
			if otherOuter && !gone && o.pairs == 0 {
				m.padded("-D", 1-side, o.jrow)
			}
			m.pair(kind, side, r, o.jrow)
			if otherOuter && gone && o.pairs == 1 {
				m.padded("+I", 1-side, o.jrow)
			}
		}
		if gone {
			o.pairs--
		} else {
			o.pairs++
		}
	}
}

func (m *pairModel) test(side int, kind string, r jrow, matched []*jkept, n int) {
	if side == 0 {
		if n > 0 == (m.kind == "semi") {
			m.send(kind, r.String(), "")
		}
		return
	}
	from, step := 0, 1
	if kind[0] == '-' {
		from, step = 1, -1
	}
	if m.kind == "anti" {
		kind = map[int]string{1: "-D", -1: "+I"}[step]
	}
	for _, o := range matched {
		for range o.count {
			if o.pairs == from {
				m.send(kind, o.String(), "")
			}
		}
		o.pairs += step
	}
}

// answer is the join of all rows that there are, without an order.
func (m *pairModel) answer() (list []string) {
	m.out = nil
	found := make([]bool, len(m.rows[1]))
	for _, l := range m.rows[0] {
		n := 0
		for i, r := range m.rows[1] {
			if pairs(l, r) {
				n++
				found[i] = true
				if m.kind != "semi" && m.kind != "anti" {
					m.pair("", 0, l, r)
				}
			}
		}
		if n == 0 && (m.outer(0) || m.kind == "anti") || n > 0 && m.kind == "semi" {
			m.padded("", 0, l)
		}
	}
	for i, r := range m.rows[1] {
		if !found[i] && m.outer(1) {
			m.padded("", 1, r)
		}
	}
	list = m.out
	slices.Sort(list)
	return list
}

// TestPairModel: over random changes the operator sends what the model sends, and what
// was sent makes up the join of the rows that there are.
func TestPairModel(t *testing.T) {
	for _, kind := range []string{"inner", "left", "right", "full", "semi", "anti"} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(kind, seed), func(t *testing.T) { modelPairs(t, kind, seed) })
		}
	}
}

func modelPairs(t *testing.T, kind string, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 11))
	m := &pairModel{kind: kind}
	var s script
	fmt.Fprintf(&s, "test %s\nsource l: k INT, v INT\nsource r: k INT, v INT\nj = pairs l r: %s, keys k k, retract, on (<= v r_v)\nroot j\n", kind, kind)
	var table []string
	for range 50 {
		side := rnd.IntN(2)
		r, change := jrow{rnd.IntN(3) - 1, rnd.IntN(4)}, []string{"+I", "+U"}[rnd.IntN(2)]
		if n := len(m.rows[side]); n > 0 && rnd.IntN(5) < 2 {
			r, change = m.rows[side][rnd.IntN(n)], []string{"-D", "-U"}[rnd.IntN(2)]
		}
		want := m.take(side, change, r)
		s.message(fmt.Sprintf("%s: [%s] %s", [...]string{"l", "r"}[side], change, r), want)
		for _, line := range want {
			if line[0] == '+' {
				table = append(table, line[2:])
			} else if i := slices.Index(table, line[2:]); i >= 0 {
				table = slices.Delete(table, i, i+1)
			} else {
				t.Fatalf("%s is taken back, but is not there", line)
			}
		}
		slices.Sort(table)
		if whole := m.answer(); !slices.Equal(table, whole) {
			t.Fatalf("what was sent makes\n%s\nbut the join is\n%s", strings.Join(table, "\n"), strings.Join(whole, "\n"))
		}
	}
	s.message("end", []string{"W end"})
	s.run(t)
}
