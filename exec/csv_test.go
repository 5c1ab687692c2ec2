package exec_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/text"
	"streamsql/exec"
	"streamsql/internal/optest"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// events is a csv file in memory: ts, user_id, item, price, qty. Times go up by 120 µs
// a row and are up to 200 ms out of order.
type events struct {
	data   string
	opened connector.OpenOptions
	flat   bool // without dictionaries
}

var eventsSchema = stream.Schema{Fields: []stream.Field{
	{Name: "ts", Type: types.NewTimestamp(3), Time: stream.Rowtime}, {Name: "user_id", Type: types.Of(types.BigInt)},
	{Name: "item", Type: types.Of(types.Varchar)}, {Name: "price", Type: types.Of(types.Double)}, {Name: "qty", Type: types.Of(types.BigInt)},
}}

func newEvents(rows, items int) *events {
	r := rand.New(rand.NewPCG(1, 2))
	variants := []string{"", "-small", "-large-green", "-xl"}
	b := make([]byte, 0, rows*56)
	for i := range rows {
		ms := int64(i)*12/100 - r.Int64N(200) + 1000
		b = fmt.Appendf(b, "2026-03-01 %02d:%02d:%02d.%03d,", 12+ms/3600_000, ms/60_000%60, ms/1000%60, ms%1000)
		b = strconv.AppendInt(b, r.Int64N(1_000_000), 10)
		item := r.IntN(items)
		b = fmt.Appendf(b, ",item-%d%s,%.2f,%d\n", item, variants[item%4], r.Float64()*1000, r.IntN(20))
	}
	return &events{data: string(b)}
}

func (e *events) Schema() stream.Schema    { return eventsSchema }
func (e *events) Traits() connector.Traits { return connector.Traits{Bounded: true} }

func (e *events) Open(_ context.Context, o connector.OpenOptions) (connector.Reader, error) {
	e.opened = o
	if e.flat {
		o.Intern = nil
	}
	dec, err := csv.NewDecoder(eventsSchema, o.Columns, csv.Default(), o.Bad)
	if err != nil {
		return nil, err
	}
	in := text.Input{Name: "t.csv", Size: int64(len(e.data)), Open: func(_ context.Context, offset int64) (text.Stream, error) {
		return &memory{strings.NewReader(e.data)}, nil
	}}
	return text.Open([]text.Input{in}, dec, o)
}

// memory is an input that can be read at any place.
type memory struct{ *strings.Reader }

func (m *memory) Read(_ context.Context, p []byte) (int, error) { return m.Reader.Read(p) }
func (m *memory) Ready() bool                                   { return true }
func (m *memory) Close() error                                  { return nil }

// tumble counts and sums by item in windows of ten seconds.
const tumble = `
source t: ts TIMESTAMP(3)*, item STRING, price DOUBLE
w = watermark t: ts, (- ts 1000ms)
l = late w: ts, tumble 10000
g = aggregate l: ts, tumble 10000, keys item, aggs COUNT(*) SUM(price), props start
root g`

func tumbleJob(t testing.TB, e *events, cfg exec.Config) *exec.Job {
	t.Helper()
	p, err := optest.Plan(tumble)
	if err != nil {
		t.Fatal(err)
	}
	for n := p.Root; ; n = n.Inputs()[0] {
		if s, ok := n.(*physical.Scan); ok {
			s.Columns = []int{0, 2, 3}
			break
		}
	}
	cfg.Source = func(int) (connector.Source, error) { return e, nil }
	j, err := exec.Build(p, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// runTumble returns the number of rows that come out.
func runTumble(t testing.TB, e *events, workers int) (rows int) {
	j := tumbleJob(t, e, exec.Config{Workers: workers})
	if err := j.Run(context.Background(), func(b *stream.Batch) error {
		rows += b.Live()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestWorkersAndDictionaries: results, late rows and their order are the same with any
// number of workers, with and without dictionaries, and over any cuts.
func TestWorkersAndDictionaries(t *testing.T) {
	var want result
	for i, c := range []struct {
		cfg  exec.Config
		flat bool
	}{
		{cfg: exec.Config{Workers: 1}, flat: true}, {cfg: exec.Config{Workers: 1}}, {cfg: exec.Config{Workers: 2}}, {cfg: exec.Config{Workers: 2}, flat: true},
		{cfg: exec.Config{Workers: 3, BatchSize: 7, ReadBuffer: 100}}, {cfg: exec.Config{Workers: 2, BatchSize: 64, Stutter: 3}},
		{cfg: exec.Config{Workers: 1, ReadBuffer: 1000}},
	} {
		e := newEvents(3000, 40)
		// Some rows are late: their times stand far back.
		e.data += strings.Repeat("2026-03-01 12:00:01.000,1,late,1.5,1\n2026-03-01 12:01:00.000,1,item-1,2.5,1\n", 20)
		e.data += newEvents(2000, 50).data
		e.flat = c.flat
		var got result
		c.cfg.Late = func(l stream.LateRow) { got.late = append(got.late, l) }
		err := tumbleJob(t, e, c.cfg).Run(context.Background(), func(b *stream.Batch) error {
			for i := range b.Live() {
				row := i
				if b.Sel != nil {
					row = int(b.Sel[i])
				}
				line := ""
				for k := range b.Cols {
					line += string(types.AppendValue(nil, b.Cols[k].Type, b.Cols[k].Value(row), nil)) + " "
				}
				got.rows = append(got.rows, line)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !c.flat && c.cfg.Stutter == 0 && cmp.Diff(e.opened.Intern, []int{2}) != "" {
			t.Errorf("columns with dictionary: %v", e.opened.Intern)
		}
		if i == 0 {
			want = got
			if len(want.rows) < 40 || len(want.late) < 2000 {
				t.Fatalf("%d rows, %d late", len(want.rows), len(want.late))
			}
			continue
		}
		if diff := cmp.Diff(want.rows, got.rows); diff != "" {
			t.Errorf("%+v: %s", c.cfg, diff)
		}
		if diff := cmp.Diff(want.late, got.late); diff != "" {
			t.Errorf("%+v: late rows: %s", c.cfg, diff)
		}
	}
}

// TestTumbleAllocates: from file to result fewer than 1,000 objects a million rows.
func TestTumbleAllocates(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a million rows")
	}
	e := newEvents(1_200_000, 1000)
	whole := e.data
	count := func(bytes int, workers int) int64 {
		e.data = whole[:bytes]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		runTumble(t, e, workers)
		runtime.ReadMemStats(&after)
		return int64(after.Mallocs - before.Mallocs)
	}
	sixth := strings.LastIndexByte(whole[:len(whole)/6], '\n') + 1
	for _, workers := range []int{1, 2} {
		count(sixth, workers)
		if few, many := count(sixth, workers), count(len(whole), workers); many-few > 1000 {
			t.Errorf("%d workers: %d objects for a million more rows", workers, many-few)
		}
	}
}

func BenchmarkCSVTumble(b *testing.B) {
	const rows = 1_000_000
	for _, items := range []int{10_000} {
		e := newEvents(rows, items)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("items=%d/workers=%d", items, workers), func(b *testing.B) {
				b.SetBytes(int64(len(e.data)))
				b.ReportAllocs()
				for b.Loop() {
					runTumble(b, e, workers)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
