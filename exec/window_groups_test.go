package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// groupLoad is COUNT(*) and SUM by a BIGINT key in one window: an operator and a batch
// whose keys are set before each call. arrivals is what a merge of parallel parts keeps
// besides: the ordinal at which each group came.
type groupLoad struct {
	op       *windowAggregate
	batch    *stream.Batch
	keys     []int64
	out      discard
	arrivals expr.Cells[int64]
}

func newGroupLoad(t testing.TB) *groupLoad {
	big := types.Of(types.BigInt)
	schema := stream.Schema{Fields: []stream.Field{
		{Name: "ts", Type: types.NewTimestamp(3), Time: stream.Rowtime}, {Name: "k", Type: big}, {Name: "v", Type: big},
	}}
	_, p := windowPlan(window.Spec{Size: 10_000}, true, false, false, 0, aggCall{name: "COUNT"}, aggCall{name: "SUM", of: 2})
	p.Input = &physical.Values{Base: physical.Base{Schema: schema}}
	p.Schema.Fields[0].Type = big
	op, err := newWindowAggregate(p)
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{State: &state.Store{}, Counters: &Counters{}, BatchSize: loadRows, Seed: 1}
	if err := op.Open(context.Background(), env); err != nil {
		t.Fatal(err)
	}
	l := &groupLoad{op: op.(*windowAggregate), batch: &stream.Batch{N: loadRows, Cols: make([]stream.Vec, 3)}}
	for i := range l.batch.Cols {
		l.batch.Cols[i].Reset(schema.Fields[i].Type, loadRows)
	}
	clear(stream.Values[int64](&l.batch.Cols[0]))
	l.keys = stream.Values[int64](&l.batch.Cols[1])
	for i, vals := 0, stream.Values[int64](&l.batch.Cols[2]); i < loadRows; i++ {
		vals[i] = int64(i)
	}
	return l
}

// groupKey spreads keys.
func groupKey(i int) int64 { return int64(uint64(i) * 0x9E3779B97F4A7C15) }

// send sends the batch and returns how long that took.
func (l *groupLoad) send(t testing.TB) time.Duration {
	start := threadTime()
	err := l.op.ProcessBatch(context.Background(), 0, l.batch, &l.out)
	took := threadTime() - start
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range l.op.panes.wait[0].table.Fresh() {
		l.arrivals.Append(l.batch.Ordinal(int(row)))
	}
	return took
}

// fill opens n groups, whose keys are a permutation of a range, and returns the total
// and the longest time of a batch.
func (l *groupLoad) fill(t testing.TB, n int) (total, longest time.Duration) {
	for at := 0; at < n; at += loadRows {
		for i := range l.keys {
			l.keys[i] = groupKey(min(at+i, n-1))
		}
		took := l.send(t)
		total, longest = total+took, max(longest, took)
	}
	return total, longest
}

func (l *groupLoad) bytes() int64 { return l.op.panes.Bytes() + l.arrivals.Bytes() }

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBytesPerGroup: a group with a key of 8 bytes, COUNT(*) and SUM(BIGINT), its place
// in the index and the ordinal of its arrival takes up to 56 bytes, as the operator
// accounts it and as the heap grows. The index is as large for a group at any number;
// the last chunks of cells weigh less with more groups.
func TestBytesPerGroup(t *testing.T) {
	const n = 1_000_000
	l := newGroupLoad(t)
	base, held := heap(), l.bytes()
	l.fill(t, n)
	grown := heap() - base
	if got := l.op.panes.Rows(); got != n {
		t.Fatalf("%d groups, want %d", got, n)
	}
	accounted := float64(l.bytes()-held) / n
	real := float64(grown) / n
	t.Logf("%.1f bytes a group accounted, %.1f on the heap", accounted, real)
	if accounted > 56 || real > 57 {
		t.Errorf("%.1f bytes a group accounted, %.1f on the heap, want 56", accounted, real)
	}
	if d := accounted - real; d > 1 || d < -1 {
		t.Errorf("%.1f bytes a group are accounted, %.1f are on the heap", accounted, real)
	}
	runtime.KeepAlive(l)
}

// BenchmarkGroups opens n groups in one window and then adds to them at random. All
// times are those of the thread; longest-µs is the longest time of a batch of 4,096 rows
// while the groups are opened. x-loop is the time per row of the random part against a
// loop that does nothing but add to random places of two arrays of that length.
func BenchmarkGroups(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for b.Loop() {
				l := newGroupLoad(b)
				total, longest := l.fill(b, n)
				r := rand.New(rand.NewPCG(1, 1))
				const rounds = 200
				var random, plain time.Duration
				counts, sums := make([]int64, n), make([]int64, 2*n)
				for range rounds {
					for i := range l.keys {
						l.keys[i] = groupKey(r.IntN(n))
					}
					random += l.send(b)
					places := r.Perm(loadRows)
					for i := range places {
						places[i] = r.IntN(n)
					}
					start := threadTime()
					for _, p := range places {
						counts[p]++
						sums[2*p]++
					}
					plain += threadTime() - start
				}
				b.ReportMetric(float64(total.Nanoseconds())/float64(n), "fill-ns/row")
				b.ReportMetric(float64(longest.Microseconds()), "longest-µs")
				b.ReportMetric(float64(random.Nanoseconds())/rounds/loadRows, "add-ns/row")
				b.ReportMetric(float64(random)/float64(plain), "x-loop")
				b.ReportMetric(float64(l.bytes())/float64(n), "B/group")
			}
		})
	}
}
