package builtin

import (
	"math"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TestSumWidens: after so many rows that their number may not fit the narrow sums, sums
// go on in wide ones: over, at and back below the border, through merging and a restart.
func TestSumWidens(t *testing.T) {
	big := types.Of(types.BigInt)
	mk := newExactSum(big, finish{name: "AVG", result: big, mean: true})
	ones := new(stream.Vec)
	ones.Reset(big, 3)
	for i := range 3 {
		ones.Put(i, 3, types.IntValue(math.MaxInt64))
	}
	groups, args, rows := []int32{0, 1, 0}, []*stream.Vec{ones}, expr.Rows{N: 3}
	check := func(a *intSum[int64], g int, n int64, wide bool) {
		t.Helper()
		// n times MaxInt64 is n<<63 - n.
		want := sum128{lo: uint64(n)<<63 - uint64(n), hi: n >> 1, n: n}
		if uint64(n)<<63 < uint64(n) {
			want.hi--
		}
		if got := a.at(g); got != want || a.isWide != wide {
			t.Errorf("group %d is %v (wide %v), want %v (wide %v)", g, got, a.isWide, want, wide)
		}
	}
	start := func(n int64) *intSum[int64] {
		a := mk().(*intSum[int64])
		a.Grow(2)
		var e stream.Encoder
		e.Uint64(2)
		for range 2 {
			lo := uint64(n)<<63 - uint64(n)
			hi := n >> 1
			if uint64(n)<<63 < uint64(n) {
				hi--
			}
			e.Uint64(lo)
			e.Int64(hi)
			e.Int64(n)
		}
		if err := a.Restore(stream.NewDecoder(e.Bytes())); err != nil {
			t.Fatal(err)
		}
		return a
	}

	a := start(narrowRows - 4) // 3 rows more may come to one group
	if err := a.Add(groups, args, rows); err != nil {
		t.Fatal(err)
	}
	check(a, 0, narrowRows-2, false)
	check(a, 1, narrowRows-3, false)
	if err := a.Add(groups, args, rows); err != nil {
		t.Fatal(err)
	}
	check(a, 0, narrowRows, true)
	if err := a.Add(groups, args, rows); err != nil {
		t.Fatal(err)
	}
	check(a, 0, narrowRows+2, true)
	if err := a.Retract(groups, args, expr.Rows{N: 3, Sel: []int32{0, 2}}); err != nil {
		t.Fatal(err)
	}
	check(a, 0, narrowRows, true)

	b := start(5)
	if err := b.Merge([]int32{0, 1}, a, []int32{0, 1}); err != nil {
		t.Fatal(err)
	}
	check(b, 0, narrowRows+5, true)
	check(b, 1, narrowRows-1+5, true)
	out := new(stream.Vec)
	out.Reset(big, 2)
	if err := b.Result(nil, 2, out); err != nil {
		t.Fatal(err)
	}
	if got := stream.Values[int64](out); got[0] != math.MaxInt64 || got[1] != math.MaxInt64 {
		t.Errorf("means %v", got)
	}
	b.Reset()
	b.Grow(1)
	if b.isWide || b.at(0) != (sum128{}) {
		t.Error("Reset left something")
	}
}

// TestReserveRecounts: many rows over many groups do not make sums wide.
func TestReserveRecounts(t *testing.T) {
	big := types.Of(types.BigInt)
	a := newExactSum(big, finish{name: "SUM", result: big})().(*intSum[int64])
	a.Grow(3)
	v := new(stream.Vec)
	v.Reset(big, 1)
	v.Put(0, 1, types.IntValue(-1))
	for g := range int32(3) {
		if err := a.Add([]int32{g}, []*stream.Vec{v}, expr.Rows{N: 1}); err != nil {
			t.Fatal(err)
		}
	}
	a.rows = narrowRows
	if err := a.Add([]int32{1}, []*stream.Vec{v}, expr.Rows{N: 1}); err != nil {
		t.Fatal(err)
	}
	if a.isWide || a.rows > 10 || a.at(1) != (sum128{lo: math.MaxUint64 - 1, hi: -1, n: 2}) {
		t.Errorf("wide %v, rows %d, sum %v", a.isWide, a.rows, a.at(1))
	}
}
