package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
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

// TestUpdateNamesTheRow: of several aggregates that fail in a batch the failure is that
// of the first row, whichever of them it is.
func TestUpdateNamesTheRow(t *testing.T) {
	text := types.Of(types.Varchar)
	agg := expr.NewRegistry(nil, builtin.Aggregates()).Aggregate("JSON_OBJECTAGG")
	res, err := agg.Resolve([]types.Type{text, text}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	call := func(key int) expr.AggregateCall {
		col := func(i int) expr.Expr { return &expr.Column{Info: expr.Info{T: text}, Index: i} }
		return expr.AggregateCall{Agg: agg, Res: res, Args: []expr.Expr{col(key), col(2)}}
	}
	a, err := NewAggregates([]expr.AggregateCall{call(0), call(1)}, 1, NewScratch())
	if err != nil {
		t.Fatal(err)
	}
	b := &stream.Batch{N: 5, Cols: make([]stream.Vec, 3)}
	for c, null := range []int{3, 2, -1} {
		b.Cols[c].Reset(text, b.N)
		for i := range b.N {
			x := types.TextValue(fmt.Sprint(i))
			if i == null {
				x = types.NullValue
			}
			b.Cols[c].Put(i, b.N, x)
		}
	}
	err = a.Update(b, make([]int32, b.N), expr.Rows{N: b.N}, 1)
	if err == nil || FaultAt(err, -1) != 2 {
		t.Errorf("%v at row %d, want row 2", err, FaultAt(err, -1))
	}
	if FaultAt(errors.New("x"), 7) != 7 {
		t.Error("an error without a row has one")
	}
}
