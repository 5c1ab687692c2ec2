package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/internal/optest"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// model merges rows as the definition says: one by one, the next from the source
// whose watermark before it is lowest, ties to the first.
func model(a, b []trow) []string {
	rows := [2][]trow{a, b}
	next, wm := [2]int{}, [2]int64{-1 << 62, -1 << 62}
	var out []string
	for next[0] < len(a) || next[1] < len(b) {
		s := 0
		if next[0] == len(a) || next[1] < len(b) && wm[1] < wm[0] {
			s = 1
		}
		r := rows[s][next[s]]
		next[s]++
		w := r.ts
		if s == 0 {
			w -= 5
		}
		if w > 0 {
			wm[s] = max(wm[s], w)
		}
		out = append(out, fmt.Sprintf("+I %d %d", r.v, r.ts))
	}
	return out
}

func TestSourcesMergeByWatermark(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		a, b := randomRows(r, r.IntN(40), 0), randomRows(r, r.IntN(40), 1000)
		want := strings.Join(model(a, b), "\n")
		for _, cfg := range configs() {
			got := runJob(t, twoSources, cfg, &table{rows: a, traits: connector.Traits{Bounded: true}}, &table{rows: b, traits: connector.Traits{Bounded: true}})
			if got.err != nil || got.String() != want {
				t.Fatalf("%+v: %v\ngot\n%s\nwant\n%s", cfg, got.err, got, want)
			}
		}
	}
}

func TestSourceWithoutWatermarkIsReadFirst(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
wa = watermark a: ts, ts
u = union wa b
root u`
	bounded := connector.Traits{Bounded: true}
	for _, cfg := range configs() {
		got := runJob(t, plan, cfg,
			&table{rows: []trow{{v: 1, ts: 10}, {v: 2, ts: 20}}, traits: bounded},
			&table{rows: []trow{{v: 3, ts: 1}, {v: 4, ts: 99}}, traits: bounded})
		if want := "+I 3 1\n+I 4 99\n+I 1 10\n+I 2 20"; got.err != nil || got.String() != want {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
		}
	}
}

func TestLateRowsHavePlaceAndAdvice(t *testing.T) {
	rows := []trow{{1, 12, 0}, {2, 30, 0}, {3, 9, 0}, {4, 14, 0}, {5, 29, 0}}
	// Watermarks: 7, 25. Row 3 (window end 10) comes 16 ms after 9, row 4 (end 20) 6 ms
	// after 19: delays of 17 and 7 ms more would have kept them.
	for _, cfg := range configs() {
		got := runJob(t, windows, cfg, &table{rows: rows, traits: connector.Traits{Bounded: true}})
		if want := "+I 1 1 20\n+I 1 5 30\n+I 1 2 40"; got.err != nil || got.String() != want {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
		}
		if len(got.late) != 2 {
			t.Fatalf("%+v: late rows %v", cfg, got.late)
		}
		l := got.late[0]
		if l.File != "t.csv" || l.Line != 3 || l.Time != 9 || l.WindowStart != 0 || l.WindowEnd != 10 || l.Watermark != 25 ||
			l.Table != "a" || l.Ord != 4 || l.Values[0] != "3" || l.Columns[1] != "ts" || l.LateBy() != 16 {
			t.Errorf("%+v: %+v", cfg, l)
		}
		if got.late[1].Line != 4 {
			t.Errorf("%+v: line %d", cfg, got.late[1].Line)
		}
		s := got.stats.Sources[0]
		if s.Late != 2 || s.KeepAll != 17 || s.Keep99 != 17 || s.MaxEventTime != 30 || s.Watermark != stream.MaxWatermark || s.Read != 5 {
			t.Errorf("%+v: %+v", cfg, s)
		}
	}
}

// Sources with watermarks of their own: of several marks at one place the last counts
// for the row behind.
func TestSourcesMergeByTheirOwnMarks(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
u = union a b
root u`
	own := connector.Traits{Bounded: true, Watermarks: true}
	for _, cfg := range configs() {
		a := &table{traits: own, twice: true, rows: []trow{{1, 1, 10}, {2, 2, 30}, {3, 3, 0}, {4, 4, 50}}}
		b := &table{traits: own, twice: true, rows: []trow{{5, 5, 0}, {6, 6, 20}, {7, 7, 30}, {8, 8, 60}, {9, 9, 0}}}
		var res result
		j := buildJob(t, plan, cfg, &res, a, b)
		w := stream.MinWatermark
		var marks []string
		err := j.Run(context.Background(), func(batch *stream.Batch) error {
			for cursor := 0; ; {
				m, next, ok := batch.NextMark(cursor, w, stream.MinWatermark)
				if !ok {
					return res.take(batch)
				}
				cursor, w = next, m.W
				marks = append(marks, fmt.Sprint(m.W))
			}
		})
		// a stands at 10 behind row 1, so b sends 5 and 6 and stands at 20; a sends 2 and
		// stands at 30; b sends 7 and stands at 30: the tie goes to a, up to 50.
		if want := "+I 1 1\n+I 5 5\n+I 6 6\n+I 2 2\n+I 7 7\n+I 3 3\n+I 4 4\n+I 8 8\n+I 9 9"; err != nil || res.String() != want {
			t.Fatalf("%+v: %v\n%s", cfg, err, res)
		}
		// The minimum, as each mark m of b and a comes as m-1 and m: b at 19 (a at 10), a
		// at 29 (b at 20), b at 29 and 30 (a at 30), b at 59 (a at 50), the end of a (b at
		// 60), the end.
		if got := strings.Join(marks, " "); got != "10 20 29 30 50 60 9223372036854775807" {
			t.Fatalf("%+v: marks %s", cfg, got)
		}
	}
}

// Late rows of several operators come by their place in the input, then in plan order.
func TestLateRowsOfSeveralBranches(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, ts
l = late w: ts, tumble 10
m = late w: ts, tumble 20
u = union l m
root u`
	rows := []trow{{1, 45, 0}, {2, 5, 0}, {3, 35, 0}, {4, 41, 0}, {5, 6, 0}}
	for _, cfg := range configs() {
		got := runJob(t, plan, cfg, &table{rows: rows, traits: connector.Traits{Bounded: true}})
		var text []string
		for _, l := range got.late {
			text = append(text, fmt.Sprint(l.Operator, l.Values[0], "@", l.Line))
		}
		if want := "l2@2 m2@2 l3@3 m3@3 l5@5 m5@5"; got.err != nil || strings.Join(text, " ") != want {
			t.Fatalf("%+v: %v, %v", cfg, got.err, text)
		}
	}
}

func TestLimitStopsEndlessSource(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
f = filter a: (> v 1)
m = limit f: 3
root m`
	for _, cfg := range configs() {
		src := &table{rows: []trow{{v: 1}, {v: 2}, {v: 3}}, endles: true}
		got := runJob(t, plan, cfg, src)
		if want := "+I 2 0\n+I 3 0\n+I 2 0"; got.err != nil || got.String() != want {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
		}
		// Rows 1 2 3 1 2 made the three results.
		if d := got.stats.Sources[0].Delivered; d != 5 {
			t.Errorf("%+v: delivered %d", cfg, d)
		}
		if !src.opened[0].closed {
			t.Error("the reader is not closed")
		}
	}
}

func TestLimitZeroReadsNothing(t *testing.T) {
	src := &table{rows: []trow{{v: 1}}, endles: true}
	got := runJob(t, "source a: v BIGINT, ts TIMESTAMP(3)*\nm = limit a: 0\nroot m", exec.Config{}, src)
	if got.err != nil || len(got.rows) != 0 || len(src.opened) != 0 {
		t.Fatal(got.err, got.rows, len(src.opened))
	}
}

func TestEmitMayStop(t *testing.T) {
	var res result
	j := buildJob(t, "source a: v BIGINT, ts TIMESTAMP(3)*\nroot a", exec.Config{BatchSize: 1}, &res, &table{rows: []trow{{v: 1}}, endles: true})
	n := 0
	err := j.Run(context.Background(), func(*stream.Batch) error {
		if n++; n == 3 {
			return connector.ErrEnough
		}
		return nil
	})
	if err != nil || n != 3 || !j.Stats().Done {
		t.Fatal(err, n)
	}
}

func TestCancelFlushesNothing(t *testing.T) {
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		var res result
		rows := []trow{{v: 1, ts: 1}}
		j := buildJob(t, windows, exec.Config{BatchSize: 1, Workers: workers, Rest: func(j *exec.Job) error {
			if j.Stats().Sources[0].Delivered == 100 {
				cancel()
			}
			return nil
		}}, &res, &table{rows: rows, endles: true})
		err := j.Run(ctx, res.take)
		if !errors.Is(err, context.Canceled) || len(res.rows) != 0 {
			t.Fatal(err, res.rows)
		}
	}
}

func TestFailureComesBehindTheRowsBeforeIt(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
p = project w: v=(/ 10 v), ts=ts
l = late p: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`
	rows := []trow{{1, 1, 0}, {2, 2, 0}, {5, 40, 0}, {2, 3, 0}, {0, 100, 0}, {1, 200, 0}, {1, 4, 0}}
	for _, cfg := range configs() {
		got := runJob(t, plan, cfg, &table{rows: rows, traits: connector.Traits{Bounded: true}})
		if got.err == nil || !strings.Contains(got.err.Error(), "zero") || got.String() != "+I 2 15 10" {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
		}
		// The row at 4 is behind the failure: it never came.
		if len(got.late) != 1 || got.stats.Sources[0].Late != 1 || got.stats.Sources[0].Delivered != 5 {
			t.Errorf("%+v: late %v, %+v", cfg, got.late, got.stats.Sources[0])
		}
	}
}

func TestEarliestFailureOfSeveralBranches(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
p = project a: q=(/ 10 (- v 7)), r=v
q = project a: q=(/ 10 (- v 3)), r=v
u = union p q
root u`
	rows := make([]trow, 10)
	for i := range rows {
		rows[i].v = int64(i)
	}
	for _, cfg := range configs() {
		got := runJob(t, plan, cfg, &table{rows: rows, traits: connector.Traits{Bounded: true}})
		// Rows 0, 1, 2 went through both; row 3 is the last that was handed over.
		if got.err == nil || len(got.rows) != 6 || got.stats.Sources[0].Delivered != 4 {
			t.Fatalf("%+v: %v\n%s\n%+v", cfg, got.err, got, got.stats.Sources[0])
		}
	}
}

func TestReaderFailureWaitsForItsTurn(t *testing.T) {
	bounded := connector.Traits{Bounded: true}
	for _, cfg := range configs() {
		got := runJob(t, twoSources, cfg,
			&table{rows: []trow{{v: 1, ts: 100}}, traits: bounded, fails: errors.New("disk on fire")},
			&table{rows: []trow{{v: 2, ts: 50}, {v: 3, ts: 90}, {v: 4, ts: 200}, {v: 5, ts: 300}}, traits: bounded})
		// Source a stands at 95 behind its row: its failure comes when b is above that.
		if want := "+I 1 100\n+I 2 50\n+I 3 90\n+I 4 200"; got.err == nil || got.String() != want {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
		}
		e := diag.As(got.err)
		if e == nil || e.Code != diag.IO || !strings.Contains(e.Error(), `table "a"`) || !strings.Contains(e.Error(), "disk on fire") {
			t.Errorf("%v", got.err)
		}
	}
}

// The chain that finds the watermarks runs ahead of the merge; its failures do not.
func TestChainFailureWaitsForItsTurn(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
pa = project a: v=(/ 10 v), ts=ts
wa = watermark pa: ts, ts
wb = watermark b: ts, ts
u = union wa wb
root u`
	bounded := connector.Traits{Bounded: true}
	for _, cfg := range configs() {
		got := runJob(t, plan, cfg,
			&table{rows: []trow{{v: 1, ts: 10}, {v: 2, ts: 100}, {v: 0, ts: 110}, {v: 1, ts: 120}}, traits: bounded},
			&table{rows: []trow{{v: 7, ts: 50}, {v: 8, ts: 150}, {v: 9, ts: 200}}, traits: bounded})
		if want := "+I 10 10\n+I 7 50\n+I 5 100\n+I 8 150"; got.err == nil || !strings.Contains(got.err.Error(), "zero") || got.String() != want {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
		}
	}
}

func TestPanicsBecomeErrors(t *testing.T) {
	for _, workers := range []int{1, 2} {
		got := runJob(t, windows, exec.Config{Workers: workers}, &table{rows: []trow{{v: 1, ts: 1}}, bomb: true})
		if e := diag.As(got.err); e == nil || e.Code != diag.Internal {
			t.Fatal(got.err)
		}
	}
	var res result
	j := buildJob(t, windows, exec.Config{}, &res, &table{rows: []trow{{v: 1, ts: 1}}, traits: connector.Traits{Bounded: true}})
	err := j.Run(context.Background(), func(*stream.Batch) error { panic("consumer") })
	if e := diag.As(err); e == nil || e.Code != diag.Internal || !strings.Contains(e.Msg, "WindowAggregate") {
		t.Fatal(err)
	}
}

func TestMemoryLimitNamesTheOperator(t *testing.T) {
	plan := strings.ReplaceAll(windows, "keys,", "keys v,")
	rows := make([]trow, 20000)
	for i := range rows {
		rows[i].v = int64(i)
	}
	got := runJob(t, plan, exec.Config{MemoryLimit: 100_000}, &table{rows: rows, traits: connector.Traits{Bounded: true}})
	e := diag.As(got.err)
	if e == nil || e.Code != diag.Memory || !strings.Contains(e.Msg, "WindowAggregate") || !strings.Contains(e.Msg, "100000 bytes") {
		t.Fatal(got.err)
	}
}

// memSink keeps what an INSERT writes.
type memSink struct {
	rows      result
	flushes   int
	closed    bool
	committed bool
}

func (s *memSink) Traits() connector.SinkTraits                   { return connector.SinkTraits{} }
func (s *memSink) Open(context.Context) (connector.Writer, error) { return s, nil }
func (s *memSink) Write(_ context.Context, b *stream.Batch) error { return s.rows.take(b) }
func (s *memSink) Flush(context.Context) error                    { s.flushes++; return nil }
func (s *memSink) Close(commit bool) error                        { s.closed, s.committed = true, commit; return nil }

func TestSinkIsCommittedAtTheEndOnly(t *testing.T) {
	bounded := connector.Traits{Bounded: true}
	for _, c := range []struct {
		src     *table
		rows    string
		fails   bool
		flushes int
	}{
		{&table{rows: []trow{{v: 1}, {v: 2}}, traits: bounded}, "+I 10 0\n+I 5 0", false, 1},
		{&table{rows: []trow{{v: 1}, {v: 0}}, traits: bounded}, "+I 10 0", true, 0},
		{&table{rows: []trow{{v: 1}, {v: 2}}, traits: connector.Traits{Bounded: true, Live: true}}, "+I 10 0\n+I 5 0", false, 3},
	} {
		p, err := optest.Plan("source a: v BIGINT, ts TIMESTAMP(3)*\np = project a: v=(/ 10 v), ts=ts\nroot p")
		if err != nil {
			t.Fatal(err)
		}
		p.Root = &physical.Sink{Base: physical.Base{ID: "sink", Schema: p.Root.Info().Schema}, Input: p.Root, Table: "out"}
		sink := new(memSink)
		j, err := exec.Build(p, exec.Config{BatchSize: 1,
			Source: func(int) (connector.Source, error) { return c.src, nil },
			Sink:   func(int) (connector.Sink, error) { return sink, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		err = j.Run(context.Background(), func(*stream.Batch) error { t.Error("emit of an INSERT"); return nil })
		if (err != nil) != c.fails || sink.rows.String() != c.rows || !sink.closed || sink.committed == c.fails || sink.flushes != c.flushes {
			t.Errorf("%v: %+v", err, sink)
		}
	}
}

func TestValues(t *testing.T) {
	schema := stream.Schema{Fields: []stream.Field{{Name: "v", Type: types.Of(types.BigInt)}, {Name: "s", Type: types.Of(types.Varchar)}}}
	cell := func(typ types.Type, v types.Value) expr.Expr {
		return &expr.Literal{Info: expr.Info{T: typ}, Value: v}
	}
	n := &physical.Values{Base: physical.Base{ID: "values", Schema: schema, Bounded: true}}
	for i := range int64(5) {
		n.Rows = append(n.Rows, []expr.Expr{cell(schema.Fields[0].Type, types.IntValue(i)), cell(schema.Fields[1].Type, types.NullValue)})
	}
	for _, cfg := range configs() {
		j, err := exec.Build(&physical.Plan{Root: n, Zone: "UTC"}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var res result
		w := stream.MinWatermark
		err = j.Run(context.Background(), func(b *stream.Batch) error {
			w = b.LastMark(w)
			return res.take(b)
		})
		if want := "+I 0 NULL\n+I 1 NULL\n+I 2 NULL\n+I 3 NULL\n+I 4 NULL"; err != nil || res.String() != want || w != stream.MaxWatermark {
			t.Fatalf("%+v: %v\n%s", cfg, err, res)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
f = filter w: (> v 1)
p = project f: v=(+ v 1), ts=ts
u = union p
root u`
	rows := make([]trow, 1000)
	for i := range rows {
		rows[i] = trow{v: int64(i), ts: int64(i)}
	}
	var res result
	batches := 0
	var before, after runtime.MemStats
	j := buildJob(t, plan, exec.Config{BatchSize: 100, Rest: func(*exec.Job) error {
		batches++
		switch batches {
		case 200:
			runtime.ReadMemStats(&before)
		case 1200:
			runtime.ReadMemStats(&after)
			return connector.ErrEnough
		}
		return nil
	}}, &res, &table{rows: rows, endles: true})
	if err := j.Run(context.Background(), func(*stream.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	// The runtime itself may allocate now and then.
	if n := after.Mallocs - before.Mallocs; n > 20 {
		t.Errorf("%d allocations in 1000 batches", n)
	}
}

// TestCountersWhileLanesWork: between batches the statistics are those of all rows that
// were read, also where they were handed to other goroutines.
func TestCountersWhileLanesWork(t *testing.T) {
	var rows []trow
	for i := range int64(3000) {
		rows = append(rows, trow{v: i, ts: 1})
	}
	tumble := `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
g = aggregate w: ts, tumble 10, keys v, aggs COUNT(*), props end
root g`
	attached := `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
t = tvf w: ts, tumble 10
p = project t: v=v, ts=ts, ws=window_start, we=window_end
g = aggregate p: ts, attached, keys v, aggs COUNT(*), props end
root g`
	for _, c := range []struct {
		plan   string
		traits connector.Traits
	}{{tumble, connector.Traits{Bounded: true}}, {tumble, connector.Traits{Live: true}}, {attached, connector.Traits{Bounded: true}}} {
		var res result
		rests := 0
		cfg := exec.Config{BatchSize: 100, Workers: 2, Stutter: 3}
		cfg.Rest = func(j *exec.Job) error {
			rests++
			s := j.Stats()
			g := s.Operators[len(s.Operators)-1]
			if read := s.Sources[0].Delivered; g.OpenRows != read || g.StateRows != read {
				t.Errorf("%d groups are open, %d in the state, of %d", g.OpenRows, g.StateRows, read)
			}
			return nil
		}
		if err := buildJob(t, c.plan, cfg, &res, &table{rows: rows, traits: c.traits}).Run(t.Context(), res.take); err != nil {
			t.Fatal(err)
		}
		if rests < 10 {
			t.Errorf("only %d rests", rests)
		}
	}
}
