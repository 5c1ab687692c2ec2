package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/exec/state"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// discard is an output that only counts.
type discard struct{ rows, marks int }

func (d *discard) Batch(_ context.Context, b *stream.Batch) error {
	d.rows += b.Live()
	d.marks += len(b.Marks)
	return nil
}

func (d *discard) Poll(context.Context) error { return nil }

// windowLoad is COUNT(*) and SUM over text keys in windows of ten seconds: an operator
// and batches of 4,096 rows, one every 100 ms of event time, whose times and ordinals
// move on from call to call.
type windowLoad struct {
	op      Operator
	batches []*stream.Batch
	now     int64
	ord     int64
	next    int
	out     discard
}

const loadRows = 4096

func newWindowLoad(t testing.TB, keys int, dense bool) *windowLoad {
	return newWindowLoadOf(t, keys, dense, 16)
}

// newWindowLoadOf is newWindowLoad with another number of batches, which come in turn:
// many keys need many.
func newWindowLoadOf(t testing.TB, keys int, dense bool, batches int) *windowLoad {
	_, p := windowPlan(window.Spec{Size: 10_000}, true, false, false, 0)
	p.Aggs = p.Aggs[:2]
	fields := p.Schema.Fields
	p.Schema.Fields = append(fields[:3:3], fields[6:]...)
	op, err := newWindowAggregate(p)
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{State: &state.Store{}, Counters: &Counters{}, BatchSize: loadRows, Seed: 1}
	if err := op.Open(context.Background(), env); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	l := &windowLoad{op: op}
	for range batches {
		b := &stream.Batch{N: loadRows, Cols: make([]stream.Vec, 4)}
		for i := range b.Cols {
			b.Cols[i].Reset(windowInput.Fields[i].Type, loadRows)
		}
		for i := range loadRows {
			b.Cols[1].Put(i, loadRows, types.TextValue(fmt.Sprintf("item-%d-variant", r.IntN(keys))))
			b.Cols[2].Put(i, loadRows, types.IntValue(r.Int64N(1000)))
		}
		if dense {
			b.After = make([]stream.Timestamp, loadRows)
		} else {
			b.Marks = make([]stream.Mark, 1)
		}
		l.batches = append(l.batches, b)
	}
	return l
}

// step sends one batch.
func (l *windowLoad) step(t testing.TB) {
	b := l.batches[l.next]
	l.next = (l.next + 1) % len(l.batches)
	times := stream.Values[int64](&b.Cols[0])
	for i := range times {
		times[i] = l.now + int64(i)*100/loadRows
	}
	if b.After != nil {
		for i := range b.After {
			b.After[i] = stream.Timestamp(times[i] - 1000)
		}
	} else {
		b.Marks[0] = stream.Mark{Pos: loadRows, Ord: l.ord + 2*loadRows - 1, W: stream.Timestamp(l.now - 1000)}
	}
	b.Base, b.Thru = l.ord, l.ord+2*loadRows-1
	l.now, l.ord = l.now+100, l.ord+2*loadRows
	if err := l.op.ProcessBatch(context.Background(), 0, b, &l.out); err != nil {
		t.Fatal(err)
	}
}

// TestWindowAggregateAllocates checks that windows that open, fill and fire take no new
// memory once the first ones have been through.
func TestWindowAggregateAllocates(t *testing.T) {
	for _, dense := range []bool{false, true} {
		l := newWindowLoad(t, 3000, dense)
		for range 350 { // three windows have fired
			l.step(t)
		}
		before := l.out.rows
		if a := testing.AllocsPerRun(200, func() { l.step(t) }); a > 0 {
			t.Errorf("dense %v: %v allocations a batch", dense, a)
		}
		if l.out.rows == before {
			t.Error("no window fired while counting")
		}
	}
}

func BenchmarkWindowAggregate(b *testing.B) {
	for _, keys := range []int{100, 10_000} {
		for _, dense := range []bool{false, true} {
			b.Run(fmt.Sprintf("keys=%d/dense=%v", keys, dense), func(b *testing.B) {
				l := newWindowLoad(b, keys, dense)
				for range 130 {
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
}
