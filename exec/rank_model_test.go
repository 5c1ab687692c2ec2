package exec_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/exec"
	"streamsql/internal/optest"
	"streamsql/stream"
	"streamsql/types"
)

// rankRow is a row (id, k, v) of the model; arrived is its place in the order of arrival.
type rankRow struct {
	id, k, v int32
	arrived  int
}

// TestRankModel folds what a Top-N sends over random rows that come and go, and compares
// it with the first rows of each partition after every batch.
func TestRankModel(t *testing.T) {
	for _, c := range []struct {
		strategy string
		from, to int
		number   bool
	}{
		{"append", 1, 1, false}, {"append", 1, 3, false}, {"append", 1, 3, true}, {"append", 2, 4, false},
		{"retract", 1, 1, false}, {"retract", 1, 3, false}, {"retract", 1, 3, true}, {"retract", 2, 4, false}, {"retract", 1, 900, true},
		{"update id k", 1, 1, false}, {"update id k", 1, 3, false}, {"update id k", 1, 3, true}, {"update id k", 2, 4, true},
		{"update id k, keepall", 1, 1, false}, {"update id k, keepall", 1, 3, false}, {"update id k, keepall", 2, 4, true},
	} {
		name := fmt.Sprintf("%s %d..%d number %t", c.strategy, c.from, c.to, c.number)
		t.Run(name, func(t *testing.T) {
			number := ""
			if c.number {
				number = " number"
			}
			plan, err := optest.Plan(fmt.Sprintf("source a: id INT, k INT, v INT\nr = topn a: %s, partition k, order v desc, rows %d %d%s\nroot r", c.strategy, c.from, c.to, number))
			if err != nil {
				t.Fatal(err)
			}
			folded := map[string]int{}
			g, err := exec.NewGraph(plan, exec.GraphConfig{BatchSize: 5}, func(b *stream.Batch) error {
				for i := range b.Live() {
					if b.Sel != nil {
						i = int(b.Sel[i])
					}
					cells := make([]string, len(b.Cols))
					for c := range b.Cols {
						cells[c] = fmt.Sprint(b.Cols[c].Value(i).I)
					}
					key := strings.Join(cells, " ")
					if b.Kind(i).Retracts() {
						folded[key]--
					} else {
						folded[key]++
					}
					if folded[key] == 0 {
						delete(folded, key)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
			m := rankModel{r: rand.New(rand.NewPCG(5, uint64(len(name)))), strategy: c.strategy}
			for next := int64(0); next < 3000; {
				b := m.batch(1+m.r.IntN(9), next)
				next += int64(b.N)
				if err := g.Push(context.Background(), 0, b); err != nil {
					t.Fatal(err)
				}
				if want := m.first(c.from, c.to, c.number); !equalCounts(folded, want) {
					t.Fatalf("after row %d: got %v, want %v", next, folded, want)
				}
			}
			if err := g.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func equalCounts(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, n := range a {
		if b[k] != n {
			return false
		}
	}
	return true
}

// rankModel makes rows and remembers which are there.
type rankModel struct {
	r        *rand.Rand
	strategy string
	rows     []rankRow
	count    int
}

// batch returns n changes whose first has ordinal 2 * next.
func (m *rankModel) batch(n int, next int64) *stream.Batch {
	b := &stream.Batch{N: n, Base: 2 * next, Thru: 2*(next+int64(n)) - 1, Cols: make([]stream.Vec, 3)}
	for c := range b.Cols {
		b.Cols[c].Reset(types.Of(types.Int), n)
	}
	for i := range n {
		row, kind := m.change()
		for c, v := range []int32{row.id, row.k, row.v} {
			stream.Values[int32](&b.Cols[c])[i] = v
		}
		b.Kinds = append(b.Kinds, kind)
	}
	return b
}

func (m *rankModel) change() (rankRow, stream.RowKind) {
	m.count++
	row := rankRow{int32(m.r.IntN(40)), int32(m.r.IntN(3)), int32(m.r.IntN(12)), m.count}
	switch {
	case strings.HasPrefix(m.strategy, "update"):
		at := slices.IndexFunc(m.rows, func(r rankRow) bool { return r.id == row.id && r.k == row.k })
		if at < 0 {
			break
		}
		old := m.rows[at]
		if m.strategy == "update id k" {
			row.v = old.v + int32(m.r.IntN(3))
		}
		if row.v == old.v {
			row.arrived = old.arrived // it keeps its place
		}
		m.rows[at] = row
		return row, stream.UpdateAfter
	case m.strategy == "retract" && len(m.rows) > 0 && m.r.IntN(5) < 2:
		at := m.r.IntN(len(m.rows))
		row = m.rows[at]
		// Of equal rows the first one goes.
		at = slices.IndexFunc(m.rows, func(r rankRow) bool { return r.id == row.id && r.k == row.k && r.v == row.v })
		m.rows = slices.Delete(m.rows, at, at+1)
		return row, stream.Delete
	}
	m.rows = append(m.rows, row)
	return row, stream.Insert
}

// first returns the wanted rows, as the fold shows them.
func (m *rankModel) first(from, to int, number bool) map[string]int {
	sorted := slices.Clone(m.rows)
	slices.SortFunc(sorted, func(a, b rankRow) int {
		return cmp.Or(cmp.Compare(a.k, b.k), cmp.Compare(b.v, a.v), cmp.Compare(a.arrived, b.arrived))
	})
	want := map[string]int{}
	n := 0
	for i, r := range sorted {
		if n++; i > 0 && sorted[i-1].k != r.k {
			n = 1
		}
		if n < from || n > to {
			continue
		}
		key := fmt.Sprintf("%d %d %d", r.id, r.k, r.v)
		if number {
			key += fmt.Sprintf(" %d", n)
		}
		want[key]++
	}
	return want
}
