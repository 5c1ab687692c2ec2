package state

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TestFilterRows: TRUE only, with and without NULLs and a selection, also where the
// vector is longer than the batch or a constant.
func TestFilterRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 150 {
		v := new(stream.Vec)
		longer := n + r.IntN(100)
		v.Reset(types.Of(types.Boolean), longer)
		for i := range longer {
			x := types.BoolValue(r.IntN(2) == 0)
			if n%3 == 0 && r.IntN(3) == 0 {
				x = types.NullValue
			}
			v.Put(i, longer, x)
		}
		if n%10 == 9 {
			v.SetConst(types.Of(types.Boolean), types.BoolValue(n%20 == 9))
		}
		for _, rows := range []expr.Rows{{N: n}, {N: n, Sel: []int32{}}} {
			want := []int32{}
			for i := range n {
				if rows.Sel != nil {
					if r.IntN(2) == 0 {
						continue
					}
					rows.Sel = append(rows.Sel, int32(i))
				}
				if x := v.Value(i); !x.Null && x.I != 0 {
					want = append(want, int32(i))
				}
			}
			if got := filterRows([]int32{}, v, rows); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%d rows: %v, want %v", n, got, want)
			}
		}
	}
}
