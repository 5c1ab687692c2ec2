package exec

import (
	"context"
	"fmt"
	"testing"

	"streamsql/exec/state"
	"streamsql/window"
)

// newKindLoad is newWindowLoad with another kind of window.
func newKindLoad(t testing.TB, spec window.Spec, keys int, calls ...aggCall) *windowLoad {
	l := newWindowLoad(t, keys, false)
	if calls == nil {
		calls = []aggCall{{name: "COUNT"}, {name: "SUM", of: 2}}
	}
	_, p := windowPlan(spec, true, false, false, 0, calls...)
	op, err := windowAggregateFor(p)
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{State: &state.Store{}, Counters: &Counters{}, BatchSize: loadRows, Seed: 1}
	if err := op.Open(context.Background(), env); err != nil {
		t.Fatal(err)
	}
	l.op = op
	return l
}

var kindSpecs = []struct {
	name  string
	spec  window.Spec
	calls []aggCall
}{
	{"tumble 1 s", window.Spec{Size: 1000}, nil},
	{"hop 1 s, 10 s", window.Spec{Kind: window.Hop, Slide: 1000, Size: 10_000}, nil},
	{"hop 1 s, 1 min", window.Spec{Kind: window.Hop, Slide: 1000, Size: 60_000}, nil},
	{"hop 1 s, 1 h", window.Spec{Kind: window.Hop, Slide: 1000, Size: 3_600_000}, nil},
	{"hop 1 s, 1 min, min", window.Spec{Kind: window.Hop, Slide: 1000, Size: 60_000}, []aggCall{{name: "COUNT"}, {name: "MIN", of: 2}}},
	{"cumulate 1 s, 1 min", window.Spec{Kind: window.Cumulate, Slide: 1000, Size: 60_000}, nil},
	{"session 10 s", window.Spec{Kind: window.Session, Gap: 10_000}, nil},
}

// BenchmarkWindowKinds shows the cost of a row that comes in or goes out.
func BenchmarkWindowKinds(b *testing.B) {
	for _, k := range kindSpecs {
		for _, keys := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("%s/keys=%d", k.name, keys), func(b *testing.B) {
				l := newKindLoad(b, k.spec, keys, k.calls...)
				for range 700 { // more than the longest session, or minute
					l.step(b)
				}
				before := l.out.rows
				b.ReportAllocs()
				for b.Loop() {
					l.step(b)
				}
				rows := float64(b.N)*loadRows + float64(l.out.rows-before)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "ns/row")
				b.ReportMetric(float64(l.out.rows-before)/float64(b.N)/loadRows, "out/in")
			})
		}
	}
}
