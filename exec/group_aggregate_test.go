package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/exec"
)

// twoLevels groups what another aggregate sends: the last time of each number, and for
// each such time its numbers. Groups of the upper one end all the time.
const twoLevels = `
source a: v BIGINT, ts TIMESTAMP(3)*
g = group a: keys v, aggs LAST_VALUE(ts)
h = group g: retract, keys LAST_VALUE(ts), aggs COUNT(*) SUM(v) MIN(v) FIRST_VALUE(v) LAST_VALUE(v) COUNT(v)/distinct
root h`

// modelOfTwoLevels is twoLevels, row by row over lists.
func modelOfTwoLevels(rows []trow) []string {
	last, groups := map[int64]int64{}, map[int64][]int64{}
	var out []string
	result := func(ts int64) string {
		list := groups[ts]
		sum := int64(0)
		for _, v := range list {
			sum += v
		}
		return fmt.Sprint(ts, len(list), sum, slices.Min(list), list[0], list[len(list)-1], len(list))
	}
	change := func(ts int64, do func()) {
		before := ""
		if len(groups[ts]) > 0 {
			before = result(ts)
		}
		do()
		switch {
		case len(groups[ts]) == 0:
			out = append(out, "-D "+before)
		case before == "":
			out = append(out, "+I "+result(ts))
		case before != result(ts):
			out = append(out, "-U "+before, "+U "+result(ts))
		}
	}
	for _, r := range rows {
		old, known := last[r.v]
		if known && old == r.ts {
			continue
		}
		last[r.v] = r.ts
		if known {
			change(old, func() {
				i := slices.Index(groups[old], r.v)
				groups[old] = slices.Delete(groups[old], i, i+1)
			})
		}
		change(r.ts, func() { groups[r.ts] = append(groups[r.ts], r.v) })
	}
	return out
}

func TestGroupsOfGroups(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 5))
		numbers, times := int64(40), int64(9)
		n := 400
		if seed == 2 { // so many groups end that their places are given up
			numbers, times, n = 3000, 1<<40, 30_000
		}
		var rows []trow
		for range n {
			rows = append(rows, trow{v: r.Int64N(numbers), ts: 1 + r.Int64N(times)})
		}
		want := strings.Join(modelOfTwoLevels(rows), "\n")
		for _, cfg := range configs() {
			if n > 1000 && cfg.BatchSize < 7 {
				continue
			}
			res := runJob(t, twoLevels, cfg, &table{rows: rows})
			if res.err != nil {
				t.Fatal(res.err)
			}
			if res.String() != want {
				t.Fatalf("seed %d, batch size %d, workers %d: changes differ from those of the model", seed, cfg.BatchSize, cfg.Workers)
			}
			for _, o := range res.stats.Operators {
				if o.ID == "h" && n > 1000 && o.StateRows > numbers {
					t.Errorf("%d groups are held", o.StateRows)
				}
			}
		}
	}
}

// TestFaultOfTheFirstRow: whatever the batches are, the changes before the row at fault
// come out, and nothing behind it, also where a row further on in the batch would fail
// in a group that is looked at earlier.
func TestFaultOfTheFirstRow(t *testing.T) {
	const most = 1<<63 - 1
	rows := []trow{{v: most, ts: 1}, {v: most - 1, ts: 2}, {v: 1, ts: 2}, {v: 1, ts: 3}, {v: 1, ts: 2}, {v: 1, ts: 1}}
	for _, plan := range []string{
		"source a: v BIGINT, ts TIMESTAMP(3)*\ng = group a: keys ts, aggs SUM(v)\nroot g",
		"source a: v BIGINT, ts TIMESTAMP(3)*\ng = group a: keys ts, aggs SUM(v)/distinct\nroot g",
	} {
		distinct := strings.Contains(plan, "distinct")
		want := fmt.Sprintf("+I 1 %d\n+I 2 %d\n-U 2 %d\n+U 2 %d\n+I 3 1", int64(most), int64(most-1), int64(most-1), int64(most))
		for _, size := range []int{1, 2, 4, 100} {
			res := runJob(t, plan, exec.Config{BatchSize: size}, &table{rows: rows})
			if res.String() != want || res.err == nil || !strings.Contains(res.err.Error(), "9223372036854775808") {
				t.Errorf("distinct %v, batch size %d: %v after\n%s", distinct, size, res.err, res)
			}
		}
	}
}
