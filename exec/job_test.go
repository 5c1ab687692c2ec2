package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
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

// table is a source in memory: rows of a number and a time. A row with a mark is
// followed by that watermark of the source's own.
type table struct {
	rows   []trow
	traits connector.Traits
	fails  error // behind the last row
	endles bool  // rows repeat for ever
	bomb   bool  // Next panics behind the last row
	opened []*tableReader
}

type trow struct {
	v, ts int64
	mark  int64
}

var tableSchema = stream.Schema{Fields: []stream.Field{
	{Name: "v", Type: types.Of(types.BigInt)},
	{Name: "ts", Type: types.NewTimestamp(3), Time: stream.Rowtime},
}}

func (t *table) Schema() stream.Schema    { return tableSchema }
func (t *table) Traits() connector.Traits { return t.traits }

func (t *table) Open(_ context.Context, o connector.OpenOptions) (connector.Reader, error) {
	r := &tableReader{t: t, o: o}
	if o.From != nil {
		fmt.Sscan(string(o.From), &r.next)
	}
	t.opened = append(t.opened, r)
	return r, nil
}

type tableReader struct {
	t         *table
	o         connector.OpenOptions
	next      int
	delivered atomic.Int64
	closed    bool
}

func (r *tableReader) Next(ctx context.Context, b *stream.Batch) error {
	n := len(r.t.rows) - r.next
	if r.t.endles {
		n = r.o.BatchSize
	}
	if n = min(n, r.o.BatchSize); n == 0 {
		if r.t.bomb {
			panic("bomb")
		}
		if r.t.fails != nil {
			return r.t.fails
		}
		return io.EOF
	}
	if len(b.Cols) == 0 {
		b.Cols = make([]stream.Vec, 2)
	}
	b.N = n
	b.Cols[0].Reset(tableSchema.Fields[0].Type, n)
	b.Cols[1].Reset(tableSchema.Fields[1].Type, n)
	v, ts := stream.Values[int64](&b.Cols[0]), stream.Values[int64](&b.Cols[1])
	b.From = append(b.From, stream.Origin{File: "t.csv", Line: int64(r.next + 1)})
	for i := range n {
		row := r.t.rows[(r.next+i)%len(r.t.rows)]
		v[i], ts[i] = row.v, row.ts
		if row.mark != 0 {
			b.Marks = append(b.Marks, stream.Mark{Pos: int32(i + 1), W: stream.Timestamp(row.mark)})
		}
	}
	r.next += n
	r.delivered.Add(int64(n))
	return nil
}

func (r *tableReader) Position() connector.Position { return fmt.Append(nil, r.next) }
func (r *tableReader) Counts() connector.Counts {
	return connector.Counts{Delivered: r.delivered.Load()}
}
func (r *tableReader) Close() error { r.closed = true; return nil }

// result is what a job gave.
type result struct {
	rows  []string
	late  []stream.LateRow
	stats stream.Stats
	err   error
}

func (r result) String() string { return strings.Join(r.rows, "\n") }

// runJob runs a plan over sources, in the order of their handles.
func runJob(t testing.TB, plan string, cfg exec.Config, sources ...connector.Source) result {
	t.Helper()
	var res result
	j := buildJob(t, plan, cfg, &res, sources...)
	res.err = j.Run(context.Background(), res.take)
	res.stats = j.Stats()
	for _, s := range res.stats.Sources {
		if s.Read != s.Delivered+s.Bad+s.Unread {
			t.Errorf("table %s: read %d, delivered %d, bad %d, unread %d", s.Table, s.Read, s.Delivered, s.Bad, s.Unread)
		}
	}
	for _, o := range res.stats.Operators {
		if res.err == nil && o.In != o.Used+o.Late+o.Filtered {
			t.Errorf("operator %s: in %d, used %d, late %d, filtered %d", o.ID, o.In, o.Used, o.Late, o.Filtered)
		}
	}
	return res
}

func buildJob(t testing.TB, plan string, cfg exec.Config, res *result, sources ...connector.Source) *exec.Job {
	t.Helper()
	p, err := optest.Plan(plan)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Source = func(h int) (connector.Source, error) { return sources[h], nil }
	cfg.Late = func(l stream.LateRow) { res.late = append(res.late, l) }
	j, err := exec.Build(p, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (r *result) take(b *stream.Batch) error {
	for i := range b.Live() {
		row := i
		if b.Sel != nil {
			row = int(b.Sel[i])
		}
		var cells []string
		for c := range b.Cols {
			v := b.Cols[c].Value(row)
			if v.Null {
				cells = append(cells, "NULL")
				continue
			}
			cells = append(cells, fmt.Sprint(v.I))
		}
		r.rows = append(r.rows, b.Kind(row).String()+" "+strings.Join(cells, " "))
	}
	return nil
}

// configs are the ways to run a job that must not change its answer.
func configs() []exec.Config {
	var list []exec.Config
	for _, size := range []int{1, 2, 3, 7, 4096} {
		for _, workers := range []int{1, 2} {
			list = append(list, exec.Config{BatchSize: size, Workers: workers})
		}
		list = append(list, exec.Config{BatchSize: size, Stutter: uint64(size) + 1, Seed: 77})
		list = append(list, exec.Config{BatchSize: size, Stutter: uint64(size) + 2, Workers: 2})
	}
	return list
}

const twoSources = `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
wa = watermark a: ts, (- ts 5ms)
wb = watermark b: ts, ts
u = union wa wb
root u`

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

func randomRows(r *rand.Rand, n int, base int64) []trow {
	rows := make([]trow, n)
	for i := range rows {
		rows[i] = trow{v: base + int64(i), ts: int64(i)*3 + r.Int64N(40) - 10}
	}
	return rows
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

const windows = `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
l = late w: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`

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
		if got.err == nil || len(got.rows) != 6 {
			t.Fatalf("%+v: %v\n%s", cfg, got.err, got)
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

func TestSnapshotAndRestoreOfJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
wa = watermark a: ts, (- ts 5ms)
wb = watermark b: ts, ts
u = union wa wb
l = late u: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`
	a, b := randomRows(r, 60, 0), randomRows(r, 50, 1000)
	sources := func() []connector.Source {
		return []connector.Source{&table{rows: a, traits: connector.Traits{Bounded: true}}, &table{rows: b, traits: connector.Traits{Bounded: true}}}
	}
	want := runJob(t, plan, exec.Config{}, sources()...)
	for _, cfg := range []exec.Config{{BatchSize: 1}, {BatchSize: 4}, {BatchSize: 4, Workers: 2}, {BatchSize: 30}} {
		var res result
		var saved []byte
		stop := 1 // stop at rest point number stop of each run
		for runs := 0; ; runs++ {
			n := 0
			c := cfg
			c.Rest = func(j *exec.Job) (err error) {
				if n++; n < stop {
					return nil
				}
				if saved, err = j.Snapshot(); err != nil {
					return err
				}
				return errStop
			}
			j := buildJob(t, plan, c, &res, sources()...)
			if saved != nil {
				j.Restore(saved)
			}
			err := j.Run(context.Background(), res.take)
			for _, s := range j.Stats().Sources {
				if s.Unread < 0 {
					t.Fatalf("%+v: unread %d", cfg, s.Unread)
				}
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errStop) {
				t.Fatal(err)
			}
			stop = 1 + runs%3
		}
		if res.String() != want.String() || len(res.late) != len(want.late) {
			t.Errorf("%+v: got\n%s\nwant\n%s", cfg, res, want)
		}
	}
}

var errStop = errors.New("stop here")

func TestRestoreRefusesOtherPlans(t *testing.T) {
	var res result
	var saved []byte
	j := buildJob(t, windows, exec.Config{BatchSize: 1, Rest: func(j *exec.Job) (err error) {
		saved, err = j.Snapshot()
		return err
	}}, &res, &table{rows: []trow{{v: 1, ts: 1}}, traits: connector.Traits{Bounded: true}})
	if err := j.Run(context.Background(), res.take); err != nil {
		t.Fatal(err)
	}
	for n := range saved {
		j := buildJob(t, windows, exec.Config{}, &res, &table{traits: connector.Traits{Bounded: true}})
		j.Restore(saved[:n])
		if err := j.Run(context.Background(), res.take); err == nil {
			t.Fatalf("a snapshot cut at %d of %d bytes is taken", n, len(saved))
		}
	}
	j = buildJob(t, "source b: v BIGINT, ts TIMESTAMP(3)*\nroot b", exec.Config{}, &res, &table{traits: connector.Traits{Bounded: true}})
	j.Restore(saved)
	if err := j.Run(context.Background(), res.take); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Fatal(err)
	}
}

// pushed is a source that test code feeds.
type pushed struct {
	table
	feed func(context.Context, *stream.Batch) error
	end  func(error)
	up   chan struct{}
}

func newPushed() *pushed {
	return &pushed{table: table{traits: connector.Traits{Bounded: true, Live: true, Watermarks: true}}, up: make(chan struct{})}
}

func (p *pushed) Attach(_ connector.OpenOptions, feed func(context.Context, *stream.Batch) error, end func(error)) error {
	p.feed, p.end = feed, end
	close(p.up)
	return nil
}

func (p *pushed) send(rows ...trow) error {
	<-p.up
	var b stream.Batch
	r := tableReader{t: &table{rows: rows}, o: connector.OpenOptions{BatchSize: len(rows)}}
	if err := r.Next(context.Background(), &b); err != nil {
		return err
	}
	return p.feed(context.Background(), &b)
}

func TestPushedSources(t *testing.T) {
	p, q := newPushed(), newPushed()
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
u = union a b
l = late u: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`
	var res result
	j := buildJob(t, plan, exec.Config{}, &res, p, q)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	for _, err := range []error{
		p.send(trow{1, 1, 0}, trow{2, 12, 0}),
		q.send(trow{3, 3, 20}),
		p.send(trow{4, 4, 9}), // the minimum is 9 now
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := "+I 3 8 10"; res.String() != want {
		t.Fatalf("before the end: %s", res)
	}
	p.end(nil)
	q.end(nil)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if want := "+I 3 8 10\n+I 1 2 20"; res.String() != want {
		t.Fatal(res)
	}
	if err := p.send(trow{5, 5, 0}); !errors.Is(err, connector.ErrEnough) {
		t.Fatal("a row after the end:", err)
	}
	if s := j.Stats().Sources[0]; s.Delivered != 3 || s.Read != 3 || !s.Ended {
		t.Fatalf("%+v", s)
	}
}

func TestPushedSourceHearsOfFailures(t *testing.T) {
	p := newPushed()
	var res result
	j := buildJob(t, "source a: v BIGINT, ts TIMESTAMP(3)*\np = project a: q=(/ 10 v)\nroot p", exec.Config{}, &res, p)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	if err := p.send(trow{v: 5}); err != nil {
		t.Fatal(err)
	}
	if err := p.send(trow{v: 0}); err == nil || !strings.Contains(err.Error(), "zero") {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "zero") {
		t.Fatal(err)
	}
	if err := p.send(trow{v: 5}); err == nil || !strings.Contains(err.Error(), "zero") {
		t.Fatal(err)
	}
}

func TestPushedSourceAndLimit(t *testing.T) {
	p := newPushed()
	var res result
	j := buildJob(t, "source a: v BIGINT, ts TIMESTAMP(3)*\nm = limit a: 2\nroot m", exec.Config{}, &res, p)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	if err := p.send(trow{v: 1}, trow{v: 2}, trow{v: 3}); !errors.Is(err, connector.ErrEnough) {
		t.Fatal(err)
	}
	if err := <-done; err != nil || res.String() != "+I 1 0\n+I 2 0" {
		t.Fatal(err, res)
	}
}

func TestLiveReadersInterleaveAndEnd(t *testing.T) {
	live := connector.Traits{Bounded: true, Live: true}
	for _, cfg := range configs() {
		got := runJob(t, twoSources, cfg,
			&table{rows: randomRows(rand.New(rand.NewPCG(1, 1)), 50, 0), traits: live},
			&table{rows: randomRows(rand.New(rand.NewPCG(1, 2)), 50, 1000), traits: live})
		if got.err != nil || len(got.rows) != 100 {
			t.Fatalf("%+v: %v, %d rows", cfg, got.err, len(got.rows))
		}
		// The order between the two is that of arrival, within each that of its rows.
		var first []string
		for _, r := range got.rows {
			var v, ts int64
			fmt.Sscanf(r, "+I %d %d", &v, &ts)
			if v < 1000 {
				first = append(first, fmt.Sprintf("%05d", v))
			}
		}
		if len(first) != 50 || !slices.IsSorted(first) {
			t.Fatal("rows of one source out of order")
		}
	}
}

func TestLiveReaderPanicAndFailureEndTheJob(t *testing.T) {
	live := connector.Traits{Bounded: true, Live: true}
	endless := func() *table { return &table{rows: []trow{{v: 1, ts: 1}}, endles: true, traits: live} }
	got := runJob(t, twoSources, exec.Config{}, endless(), &table{traits: live, bomb: true})
	if e := diag.As(got.err); e == nil || e.Code != diag.Internal {
		t.Fatal(got.err)
	}
	got = runJob(t, twoSources, exec.Config{}, endless(), &table{traits: live, fails: errors.New("gone")})
	if e := diag.As(got.err); e == nil || e.Code != diag.IO {
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
