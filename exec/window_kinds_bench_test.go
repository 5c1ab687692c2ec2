package exec

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"streamsql/exec/state"
	"streamsql/window"
)

// newKindLoad is newWindowLoad with another kind of window.
func newKindLoad(t testing.TB, spec window.Spec, keys int, calls ...aggCall) *windowLoad {
	l := newWindowLoadOf(t, keys, false, max(16, keys/loadRows))
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

// BenchmarkWindowRatios shows what a row costs, coming in or going out, against a
// tumbling window over the same rows: the median of rounds that take turns. HOP with 60
// slices shall cost no more than 3 times as much, SESSION over a million keys no more
// than 5 times.
func BenchmarkWindowRatios(b *testing.B) {
	for _, c := range []struct {
		name         string
		spec, tumble window.Spec
		keys         int
	}{
		{"hop 1 s, 1 min", window.Spec{Kind: window.Hop, Slide: 1000, Size: 60_000}, window.Spec{Size: 60_000}, 1000},
		{"session 10 s", window.Spec{Kind: window.Session, Gap: 10_000}, window.Spec{Size: 10_000}, 1_000_000},
	} {
		b.Run(fmt.Sprintf("%s/keys=%d", c.name, c.keys), func(b *testing.B) {
			loads := [2]*windowLoad{newKindLoad(b, c.tumble, c.keys), newKindLoad(b, c.spec, c.keys)}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			const steps = 100
			round := func(l *windowLoad) float64 {
				out, start := l.out.rows, threadTime()
				for range steps {
					l.step(b)
				}
				return float64(threadTime()-start) / float64(steps*loadRows+l.out.rows-out)
			}
			for range 7 { // more than the longest window
				round(loads[0])
				round(loads[1])
			}
			var ratios []float64
			for b.Loop() {
				base := round(loads[0])
				ratios = append(ratios, round(loads[1])/base)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-tumble")
		})
	}
}
