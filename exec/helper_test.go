package exec_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/internal/optest"
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
	twice  bool  // in front of each mark stands one that is 1 lower
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
		if row.mark != 0 && r.t.twice {
			b.Marks = append(b.Marks, stream.Mark{Pos: int32(i + 1), W: stream.Timestamp(row.mark - 1)})
		}
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

const windows = `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
l = late w: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`

const twoSources = `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
wa = watermark a: ts, (- ts 5ms)
wb = watermark b: ts, ts
u = union wa wb
root u`

func randomRows(r *rand.Rand, n int, base int64) []trow {
	rows := make([]trow, n)
	for i := range rows {
		rows[i] = trow{v: base + int64(i), ts: int64(i)*3 + r.Int64N(40) - 10}
	}
	return rows
}
