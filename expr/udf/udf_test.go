package udf

import (
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

type counts struct{ N, Sum int64 }

func counter(t *testing.T) *expr.Aggregate {
	t.Helper()
	a, err := Aggregate("mean", "", Definition[counts]{
		Add:     func(c *counts, x int64) { c.N, c.Sum = c.N+1, c.Sum+x },
		Retract: func(c *counts, x int64) { c.N, c.Sum = c.N-1, c.Sum-x },
		Merge:   func(into, from *counts) { into.N, into.Sum = into.N+from.N, into.Sum+from.Sum },
		Result: func(c *counts) *int64 {
			if c.N == 0 {
				return nil
			}
			m := c.Sum / c.N
			return &m
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func column(vals ...int64) []*stream.Vec {
	v := new(stream.Vec)
	v.Reset(types.Of(types.BigInt), len(vals))
	for i, x := range vals {
		v.Put(i, len(vals), types.IntValue(x))
	}
	return []*stream.Vec{v}
}

// TestAggregate adds, takes back, merges, saves and restores.
func TestAggregate(t *testing.T) {
	res, err := counter(t).Resolve([]types.Type{types.Of(types.Int)}, false, true)
	if err != nil {
		t.Fatal(err)
	}
	if res.Args[0].Kind != types.BigInt || res.Result.String() != "BIGINT" {
		t.Errorf("it takes %v and gives %s", res.Args, res.Result)
	}
	a, b := res.New(), res.New()
	a.Grow(2)
	b.Grow(1)
	for _, err := range []error{
		a.Add([]int32{0, 1, 0}, column(4, 10, 6), expr.Rows{N: 3}),
		a.Retract([]int32{0}, column(4), expr.Rows{N: 1}),
		b.Add([]int32{0, 0}, column(20, 99), expr.Rows{N: 2, Sel: []int32{0}}),
		a.Merge([]int32{1}, b, []int32{0}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var e stream.Encoder
	a.Snapshot(&e)
	c := res.New()
	if d := stream.NewDecoder(e.Bytes()); c.Restore(d) != nil || d.Len() != 0 {
		t.Fatal(d.Err())
	}
	for cut := range len(e.Bytes()) {
		if err := res.New().Restore(stream.NewDecoder(e.Bytes()[:cut])); err == nil {
			t.Fatalf("a snapshot cut to %d of %d bytes is taken", cut, len(e.Bytes()))
		}
	}
	c.Grow(3)
	var out stream.Vec
	out.Reset(res.Result, 3)
	if err := c.Result([]int32{2, 1, 0}, 3, &out); err != nil {
		t.Fatal(err)
	}
	if got := stream.Values[int64](&out); !out.IsNull(0) || got[1] != 15 || got[2] != 6 {
		t.Errorf("results %v, first NULL: %v", got, out.IsNull(0))
	}
	c.Reset()
	c.Grow(1)
	out.Reset(res.Result, 1)
	if err := c.Result(nil, 1, &out); err != nil || !out.IsNull(0) {
		t.Errorf("after a reset: %v, NULL: %v", err, out.IsNull(0))
	}
}

// TestRetractMissing: an aggregate without Retract is refused over changing input.
func TestRetractMissing(t *testing.T) {
	a, err := Aggregate("n", "", Definition[counts]{
		Add: func(c *counts, x int64) { c.N++ }, Merge: func(into, from *counts) { into.N += from.N }, Result: func(c *counts) int64 { return c.N },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Resolve([]types.Type{types.Of(types.BigInt)}, false, true); err == nil {
		t.Error("it is taken")
	}
	if _, err := a.Resolve([]types.Type{types.Of(types.BigInt)}, false, false); err != nil {
		t.Error(err)
	}
}

// TestPanics: a panic in any part of an aggregate is an error that names it.
func TestPanics(t *testing.T) {
	boom := func(*counts, *counts) { panic("boom") }
	a, err := Aggregate("bad", "", Definition[counts]{
		Add: func(c *counts, x int64) { panic("boom") }, Merge: boom, Result: func(c *counts) int64 { panic("boom") },
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Resolve([]types.Type{types.Of(types.BigInt)}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	acc := res.New()
	acc.Grow(1)
	var out stream.Vec
	out.Reset(res.Result, 1)
	for what, err := range map[string]error{
		"Add": acc.Add([]int32{0}, column(1), expr.Rows{N: 1}), "Merge": acc.Merge([]int32{0}, acc, []int32{0}), "Result": acc.Result(nil, 1, &out),
	} {
		if err == nil || err.Error() != `function "BAD" panicked: boom` {
			t.Errorf("%s: %v", what, err)
		}
	}
}
