package exec

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// TestJoinedRowsExpire: a row is kept for a time after it was last written, which
// counting a pair of it is, too; rows whose time is over are not there any more, and
// memory of them and their keys is given up.
func TestJoinedRowsExpire(t *testing.T) {
	now := int64(0)
	in := &physical.Values{}
	in.Schema, in.Mode = groupInput, physical.Append
	p := &physical.Join{Left: in, Right: in, Kind: physical.LeftOuter, LeftKeys: []int{0}, RightKeys: []int{0}, NullSafe: []bool{false}, TTL: 100}
	p.Schema.Fields = append(append(p.Schema.Fields, groupInput.Fields...), groupInput.Fields...)
	op, err := newJoin(p)
	if err != nil {
		t.Fatal(err)
	}
	store := &state.Store{}
	if err := op.Open(context.Background(), &Env{State: store, Counters: &Counters{}, BatchSize: 16, Now: func() int64 { return now }}); err != nil {
		t.Fatal(err)
	}
	ord := int64(0)
	var out collect
	feed := func(side int, k string, v int64) {
		ord += 2
		b := &stream.Batch{N: 1, Cols: make([]stream.Vec, 2), Base: ord, Thru: ord + 1}
		b.Cols[0].Reset(groupInput.Fields[0].Type, 1)
		b.Cols[1].Reset(groupInput.Fields[1].Type, 1)
		b.Cols[0].AppendString(k)
		stream.Values[int64](&b.Cols[1])[0] = v
		out.lines = nil
		for _, port := range []int{side, 1 - side} {
			if port != side {
				b = &stream.Batch{Cols: make([]stream.Vec, 2), Base: ord, Thru: ord + 1}
			}
			if err := op.ProcessBatch(context.Background(), port, b, &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, r := range []struct {
		at   int64
		side int
		v    int64
		want []string
	}{
		{0, 0, 1, []string{"+I a0 1 0 0"}},
		{90, 1, 7, []string{"-D a0 1 0 0", "+I a0 1 a0 7"}},
		{150, 1, 8, []string{"+I a0 1 a0 8"}}, // the left row was written at 90
		{195, 0, 2, []string{"+I a0 2 a0 8"}}, // 7 has gone at 190
		{200, 1, 9, []string{"+I a0 1 a0 9", "+I a0 2 a0 9"}},
		{301, 0, 3, []string{"+I a0 3 0 0"}},
	} {
		now = r.at
		feed(r.side, "a", r.v)
		if !slices.Equal(out.lines, r.want) {
			t.Errorf("at %d: got %q, want %q", r.at, out.lines, r.want)
		}
	}
	for i := range 3 * int64(manyEnded) {
		now += 1
		feed(0, fmt.Sprint("key", i), i)
	}
	if n := store.Rows(); n > 250 {
		t.Errorf("%d rows are held, though each is kept while 100 come", n)
	}
	if n := op.(*join).state.table.Len(); n > manyEnded {
		t.Errorf("%d keys are held", n)
	}
}
