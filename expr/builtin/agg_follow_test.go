package builtin

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TestFollowIsRowByRow compares the results that accumulators give around each row of
// a batch with those between single additions and retractions.
func TestFollowIsRowByRow(t *testing.T) {
	args := []types.Type{
		types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Float), types.Of(types.Double),
		types.NewDecimal(10, 2), types.NewDecimal(38, 9), types.Of(types.Varchar), types.NewTimestamp(3),
	}
	followers := 0
	for _, name := range []string{"COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "VAR_POP", "STDDEV_SAMP", "LISTAGG", "JSON_ARRAYAGG", "ARRAY_AGG", "COLLECT"} {
		for _, typ := range args {
			for _, retract := range []bool{false, true} {
				res, err := expr.NewRegistry(nil, Aggregates()).Aggregate(name).Resolve([]types.Type{typ}, false, retract)
				if err != nil {
					continue
				}
				if _, ok := res.New().(expr.Follower); !ok {
					continue
				}
				followers++
				for seed := range uint64(8) {
					checkFollow(t, fmt.Sprintf("%s(%s), retract %v, seed %d", name, typ, retract, seed), res, retract, rand.New(rand.NewPCG(seed, 3)))
				}
			}
		}
	}
	if followers < 50 {
		t.Errorf("only %d accumulators follow", followers)
	}
}

func checkFollow(t *testing.T, what string, res expr.AggregateResolution, retract bool, r *rand.Rand) {
	t.Helper()
	const groups = 3
	typ := res.Args[0]
	a, b := res.New(), res.New()
	a.Grow(groups)
	b.Grow(groups)
	there := make([][]types.Value, groups)
	for range 6 {
		n := 1 + r.IntN(20)
		of, vals, steps := make([]int32, n), make([]types.Value, n), make([]int8, n)
		rows := expr.Rows{N: n}
		var taken []int32
		for i := range n {
			of[i], vals[i], steps[i] = int32(r.IntN(groups)), randomArg(r, typ), 1
			if r.IntN(4) == 0 {
				steps[i] = 0
			}
			if have := there[of[i]]; retract && len(have) > 0 && r.IntN(3) == 0 {
				k := r.IntN(len(have))
				vals[i], steps[i] = have[k], -1
				there[of[i]] = append(have[:k:k], have[k+1:]...)
			} else if steps[i] == 1 {
				there[of[i]] = append(have, vals[i])
			}
			taken = append(taken, int32(i))
		}
		if r.IntN(2) == 0 {
			rows.Sel = taken
		}
		v := aggColumn(typ, vals...)
		var out stream.Vec
		out.Reset(res.Result, 2*n)
		at := n
		err := a.(expr.Follower).Follow(of, []*stream.Vec{v}, rows, steps, &out)
		if err != nil {
			var re *expr.RowError
			if !errors.As(err, &re) {
				t.Fatalf("%s: %v has no row", what, err)
			}
			at = re.Row
		}
		for k := range at {
			one := expr.Rows{N: n, Sel: []int32{int32(k)}}
			compareResult(t, what, b, res, of[k], &out, 2*k)
			do := b.Add
			if steps[k] < 0 {
				do = b.Retract
			}
			if steps[k] != 0 {
				if err := do(of, []*stream.Vec{v}, one); err != nil {
					t.Fatalf("%s: row %d: %v", what, k, err)
				}
			}
			compareResult(t, what, b, res, of[k], &out, 2*k+1)
		}
		if err != nil {
			return
		}
	}
}

func compareResult(t *testing.T, what string, a expr.Accumulator, res expr.AggregateResolution, g int32, out *stream.Vec, k int) {
	t.Helper()
	want, err := results(a, res.Result, []int32{g}, 1)
	if err != nil {
		t.Fatalf("%s: result %d: %v", what, k, err)
	}
	if got := show(res.Result, out.Value(k)); got != want[0] {
		t.Fatalf("%s: result %d is %s, want %s", what, k, got, want[0])
	}
}
