package exec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"streamsql/exec"
	"streamsql/internal/optest"
	"streamsql/stream"
	"streamsql/types"
)

// latencyPlan is every operator of a windowed aggregation with WHERE.
const latencyPlan = `
source a: ts TIMESTAMP(3)*, k BIGINT, v BIGINT
w = watermark a: ts, (- ts 1000ms)
f = filter w: (> v 10)
p = project f: ts=ts, k=k, v=(+ v 1)
l = late p: ts, tumble 100000000000
g = aggregate l: ts, tumble 100000000000, keys k, aggs COUNT(*) SUM(v), props start
root g`

// rowPusher pushes batches into latencyPlan and counts what comes out.
type rowPusher struct {
	graph *exec.Graph
	batch stream.Batch
	ord   int64
	now   int64
	marks int
	rows  int
}

func newRowPusher(t testing.TB, groups int) *rowPusher {
	plan, err := optest.Plan(latencyPlan)
	if err != nil {
		t.Fatal(err)
	}
	p := &rowPusher{now: 1_000_000}
	p.graph, err = exec.NewGraph(plan, exec.GraphConfig{}, func(b *stream.Batch) error {
		p.rows += b.Live()
		if b.HasMarks() {
			p.marks++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.graph.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.batch.Cols = make([]stream.Vec, 3)
	for at := 0; at < groups; at += 4096 {
		p.push(t, 4096, int64(at))
	}
	return p
}

// push sends n rows with keys from key on, of which all pass the filter.
func (p *rowPusher) push(t testing.TB, n int, key int64) {
	b := &p.batch
	b.N = n
	b.Cols[0].Reset(types.NewTimestamp(3), n)
	b.Cols[1].Reset(types.Of(types.BigInt), n)
	b.Cols[2].Reset(types.Of(types.BigInt), n)
	ts, k, v := stream.Values[int64](&b.Cols[0]), stream.Values[int64](&b.Cols[1]), stream.Values[int64](&b.Cols[2])
	for i := range n {
		ts[i], k[i], v[i] = p.now, key+int64(i), 11
	}
	p.now++
	b.Base, b.Thru = p.ord, p.ord+2*int64(n)-1
	p.ord += 2 * int64(n)
	if err := p.graph.Push(context.Background(), 0, b); err != nil {
		t.Fatal(err)
	}
}

// TestOneRowAllocatesNothing: neither does a batch of 4,096.
func TestOneRowAllocatesNothing(t *testing.T) {
	p := newRowPusher(t, 20_000)
	for _, n := range []int{1, 4096} {
		p.push(t, n, 0)
		before := p.marks
		if a := testing.AllocsPerRun(100, func() { p.push(t, n, 0) }); a > 0 {
			t.Errorf("%v allocations for a batch of %d rows", a, n)
		}
		if p.marks == before {
			t.Error("the watermark did not come out")
		}
	}
}

// BenchmarkOneRow is the time from the push of one row to its mark at the output, with a
// million groups in the window, to one of which or to a random one the row belongs;
// x-clock is the median against reading the clock twice.
func BenchmarkOneRow(b *testing.B) {
	const groups = 1_000_000
	for _, hot := range []int64{1, groups} {
		b.Run(fmt.Sprintf("hot=%d", hot), func(b *testing.B) { benchmarkOneRow(b, groups, hot) })
	}
}

func benchmarkOneRow(b *testing.B, groups int, hot int64) {
	p := newRowPusher(b, groups)
	r := rand.New(rand.NewPCG(1, 1))
	took, clock := make([]time.Duration, 0, 1<<20), make([]time.Duration, 0, 1<<20)
	for b.Loop() {
		key := r.Int64N(hot)
		start := time.Now()
		p.push(b, 1, key)
		took = append(took, time.Since(start))
		start = time.Now()
		clock = append(clock, time.Since(start))
	}
	if p.rows > 0 || p.marks < len(took) {
		b.Fatalf("%d rows, %d marks", p.rows, p.marks)
	}
	slices.Sort(took)
	slices.Sort(clock)
	at := func(d []time.Duration, share float64) float64 {
		return float64(d[int(share*float64(len(d)-1))].Nanoseconds())
	}
	b.ReportMetric(at(took, 0.5), "median-ns")
	b.ReportMetric(at(took, 0.999), "p99.9-ns")
	b.ReportMetric(at(took, 0.5)/max(1, at(clock, 0.5)), "x-clock")
}
