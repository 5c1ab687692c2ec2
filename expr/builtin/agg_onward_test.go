package builtin

import (
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TestOnward checks that MIN and MAX over values of one direction add as the others do,
// and take nothing back, in all their methods.
func TestOnward(t *testing.T) {
	typ := types.Of(types.BigInt)
	for name, want := range map[string][]int64{"MAX": {9, 4}, "MIN": {2, 1}} {
		res, err := expr.NewRegistry(nil, Aggregates()).Aggregate(name).Resolve([]types.Type{typ}, false, true)
		if err != nil {
			t.Fatal(err)
		}
		if res.Onward == nil || res.Onward.KeepsValues {
			t.Fatalf("%s: %+v", name, res.Onward)
		}
		var v stream.Vec
		v.Reset(typ, 5)
		copy(stream.Values[int64](&v), []int64{2, 4, 9, 1, 5})
		args, groups := []*stream.Vec{&v}, []int32{0, 1, 0, 1, 0}
		result := func(what string, a expr.Accumulator) {
			t.Helper()
			var out stream.Vec
			out.Reset(res.Onward.Result, 2)
			if err := a.Result(nil, 2, &out); err != nil {
				t.Fatal(err)
			}
			for g, w := range want {
				if got := stream.Values[int64](&out)[g]; out.IsNull(g) || got != w {
					t.Errorf("%s %s, group %d: %d, want %d", name, what, g, got, w)
				}
			}
		}
		a := res.Onward.New()
		a.Grow(2)
		for _, f := range []func([]int32, []*stream.Vec, expr.Rows) error{a.Add, a.Retract} {
			if err := f(groups, args, expr.Rows{N: 5}); err != nil {
				t.Fatal(err)
			}
			result("added and taken back", a)
		}
		b := res.Onward.New()
		b.Grow(2)
		if err := b.Merge([]int32{0, 1}, a, []int32{0, 1}); err != nil {
			t.Fatal(err)
		}
		result("merged", b)
		var e stream.Encoder
		a.Snapshot(&e)
		c := res.Onward.New()
		if err := c.Restore(stream.NewDecoder(e.Bytes())); err != nil {
			t.Fatal(err)
		}
		result("restored", c)

		d := res.Onward.New()
		d.Grow(2)
		var pairs stream.Vec
		pairs.Reset(res.Onward.Result, 10)
		if err := d.(expr.Follower).Follow(groups, args, expr.Rows{N: 5}, []int8{1, 1, 1, 1, -1}, &pairs); err != nil {
			t.Fatal(err)
		}
		result("followed", d)
		if x := stream.Values[int64](&pairs); x[8] != want[0] || x[9] != want[0] {
			t.Errorf("%s: a row that is taken back changes %d to %d", name, x[8], x[9])
		}
	}
}
