package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// changeLoad is an aggregate over a text key and a number, and batches of rows for it.
type changeLoad struct {
	op      Operator
	batches []*stream.Batch
	next    int
	out     discard
}

var groupInput = stream.Schema{Fields: []stream.Field{{Name: "k", Type: types.Of(types.Varchar)}, {Name: "v", Type: types.Of(types.BigInt)}}}

func groupPlan(mode physical.ChangelogMode, aggs ...string) *physical.GroupAggregate {
	in := &physical.Values{}
	in.Schema, in.Mode = groupInput, mode
	p := &physical.GroupAggregate{Input: in, Keys: []int{0}}
	p.Schema.Fields = append(p.Schema.Fields, groupInput.Fields[0])
	for _, name := range aggs {
		c := expr.AggregateCall{Agg: builtin.NewRegistry().Aggregate(name)}
		if name != "COUNT" {
			c.Args = []expr.Expr{&expr.Column{Info: expr.Info{T: groupInput.Fields[1].Type}, Index: 1, Name: "v"}}
		}
		var args []types.Type
		for _, a := range c.Args {
			args = append(args, a.Type())
		}
		c.Res, _ = c.Agg.Resolve(args, false, mode != physical.Append)
		c.T = c.Res.Result
		p.Aggs = append(p.Aggs, c)
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: name, Type: c.T})
	}
	return p
}

func openGroups(t testing.TB, p *physical.GroupAggregate, now func() int64) (Operator, *state.Store) {
	op, err := newGroupAggregate(p)
	if err != nil {
		t.Fatal(err)
	}
	store := &state.Store{}
	if err := op.Open(context.Background(), &Env{State: store, Counters: &Counters{}, BatchSize: loadRows, Now: now}); err != nil {
		t.Fatal(err)
	}
	return op, store
}

func newChangeLoad(t testing.TB, groups int, aggs ...string) *changeLoad {
	l := &changeLoad{}
	l.op, _ = openGroups(t, groupPlan(physical.Append, aggs...), nil)
	r := rand.New(rand.NewPCG(1, 1))
	for range 16 {
		b := &stream.Batch{N: loadRows, Cols: make([]stream.Vec, 2)}
		b.Cols[0].Reset(groupInput.Fields[0].Type, loadRows)
		b.Cols[1].Reset(groupInput.Fields[1].Type, loadRows)
		for i := range loadRows {
			b.Cols[0].AppendString(fmt.Sprint("key", r.IntN(groups)))
			stream.Values[int64](&b.Cols[1])[i] = r.Int64N(1000)
		}
		l.batches = append(l.batches, b)
	}
	return l
}

func (l *changeLoad) step(t testing.TB) {
	b := l.batches[l.next%len(l.batches)]
	l.next++
	if err := l.op.ProcessBatch(context.Background(), 0, b, &l.out); err != nil {
		t.Fatal(err)
	}
}

// TestGroupAggregateAllocates holds that rows of known groups allocate nothing.
func TestGroupAggregateAllocates(t *testing.T) {
	for _, aggs := range [][]string{{"COUNT", "SUM"}, {"MIN", "MAX", "AVG"}, {}} {
		l := newChangeLoad(t, 1000, aggs...)
		for range 40 {
			l.step(t)
		}
		if n := testing.AllocsPerRun(20, func() { l.step(t) }); n > 2 {
			t.Errorf("%v: %v allocations a batch", aggs, n)
		}
	}
}

func BenchmarkGroupAggregate(b *testing.B) {
	for _, groups := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprint(groups, " groups"), func(b *testing.B) {
			l := newChangeLoad(b, groups, "COUNT", "SUM")
			for range 32 {
				l.step(b)
			}
			b.ReportAllocs()
			for b.Loop() {
				l.step(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/loadRows, "ns/row")
		})
	}
}

// collect is an output that writes changes down.
type collect struct{ lines []string }

func (c *collect) Batch(_ context.Context, b *stream.Batch) error {
	for i := range b.N {
		line := b.Kind(i).String()
		for k := range b.Cols {
			v := b.Cols[k].Value(i)
			line += fmt.Sprint(" ", v.S, v.I)
		}
		c.lines = append(c.lines, line)
	}
	return nil
}

func (c *collect) Poll(context.Context) error { return nil }

// TestGroupsExpire: with a time to live each row is answered, and a group whose time is
// over begins anew without a word.
func TestGroupsExpire(t *testing.T) {
	now := int64(0)
	p := groupPlan(physical.Append, "MAX")
	p.TTL = 100
	op, store := openGroups(t, p, func() int64 { return now })
	var out collect
	for _, r := range []struct {
		at   int64
		k    string
		v    int64
		want []string
	}{
		{0, "a", 5, []string{"+I a0 5"}},
		{10, "a", 3, []string{"-U a0 5", "+U a0 5"}},
		{20, "b", 1, []string{"+I b0 1"}},
		{109, "a", 7, []string{"-U a0 5", "+U a0 7"}}, // kept since 10
		{120, "b", 2, []string{"+I b0 2"}},
		{209, "a", 1, []string{"+I a0 1"}},
	} {
		now = r.at
		b := &stream.Batch{N: 1, Cols: make([]stream.Vec, 2)}
		b.Cols[0].Reset(groupInput.Fields[0].Type, 1)
		b.Cols[1].Reset(groupInput.Fields[1].Type, 1)
		b.Cols[0].AppendString(r.k)
		stream.Values[int64](&b.Cols[1])[0] = r.v
		out.lines = nil
		if err := op.ProcessBatch(context.Background(), 0, b, &out); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.lines, r.want) {
			t.Errorf("at %d: got %q, want %q", r.at, out.lines, r.want)
		}
	}
	now = 1000
	if err := op.ProcessBatch(context.Background(), 0, &stream.Batch{Cols: make([]stream.Vec, 2)}, &out); err != nil {
		t.Fatal(err)
	}
	if n := store.Rows(); n != 0 {
		t.Errorf("%d rows are held when all groups have expired", n)
	}
}
