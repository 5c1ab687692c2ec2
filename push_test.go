package streamsql

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/internal/diag"
)

type inner struct {
	Small int8
	Name  string `sql:"name"`
}

type allFields struct {
	TS time.Time `sql:"ts"`
	inner
	Short  int16
	Mid    int32
	Long   int64
	Plain  int
	F      float32
	D      float64
	Flag   bool
	Raw    []byte
	Wait   time.Duration
	Maybe  *int64
	Text   *string
	When   *time.Time
	Hidden map[string]int `sql:"-"`
	//lint:ignore U1000 shows that fields that are not exported are no columns
	private int
}

// What is sent comes out of SELECT *, whatever the type of the field.
func TestPushFields(t *testing.T) {
	seven, tea, at := int64(7), "tea", time.UnixMilli(-1).UTC()
	rows := []allFields{
		{TS: time.UnixMilli(1_700_000_000_123).UTC(), inner: inner{-8, "ä"}, Short: -16, Mid: -32, Long: -64, Plain: 1 << 40, F: 1.5, D: -2.25, Flag: true,
			Raw: []byte{0, 255}, Wait: -1500 * time.Millisecond, Maybe: &seven, Text: &tea, When: &at},
		{TS: time.UnixMilli(-5).UTC(), Raw: []byte{}},
	}
	e := openTest(t)
	p := NewPush[allFields]()
	if err := e.RegisterSource("p", p); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "SELECT * FROM p")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		p.Send(context.Background(), rows...)
		p.Send(context.Background())
		p.Send(context.Background(), rows[1])
		p.End(nil)
	}()
	got, err := Collect[allFields](q)
	if err != nil {
		t.Fatal(err)
	}
	want := []allFields{rows[0], rows[1], rows[1]}
	for i := range got {
		if got[i].Raw == nil {
			got[i].Raw = []byte{}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestPushRefusesEmbeddedPointer(t *testing.T) {
	type row struct{ *inner }
	type exported struct{ *Inner }
	_ = row{}
	p := NewPush[exported]()
	e := openTest(t)
	e.RegisterSource("p", p)
	err := p.Send(t.Context(), exported{})
	if d := diag.As(err); d == nil || d.Code != diag.TypeMismatch || !strings.Contains(d.Msg, "embedded pointer") {
		t.Errorf("got %v", err)
	}
}

// Inner is embedded by a pointer in a test.
type Inner struct{ A int64 }

type trade struct {
	TS    time.Time `sql:"ts"`
	Item  string    `sql:"item"`
	Price float64   `sql:"price"`
}

func openTest(t testing.TB) *Engine {
	t.Helper()
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// pushQuery starts a query over a Push named trades.
func pushQuery(t testing.TB, text string) (*Push[trade], *Query) {
	t.Helper()
	e := openTest(t)
	p := NewPush[trade]()
	if err := e.RegisterSource("trades", p, EventTime("ts", 0)); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return p, q
}

// Sending rows that nothing comes out of allocates nothing.
func TestSendAllocatesNothing(t *testing.T) {
	p, q := pushQuery(t, `SELECT window_start, item, COUNT(*), SUM(price) FROM TABLE(TUMBLE(TABLE trades, DESCRIPTOR(ts), INTERVAL '1' HOUR))
		WHERE price > 1 GROUP BY window_start, window_end, item`)
	defer q.Close()
	ctx := t.Context()
	i := 0
	send := func() {
		i++
		if err := p.Send(ctx, trade{time.UnixMilli(int64(i)), "item", float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		send()
	}
	if n := testing.AllocsPerRun(1000, send); n > 0 {
		t.Errorf("%v allocations for each Send", n)
	}
}

// BenchmarkSend is one row through assigner, filter, project and aggregate.
func BenchmarkSend(b *testing.B) {
	p, q := pushQuery(b, `SELECT window_start, item, COUNT(*), SUM(price) FROM TABLE(TUMBLE(TABLE trades, DESCRIPTOR(ts), INTERVAL '24' HOUR))
		WHERE price > 1 GROUP BY window_start, window_end, item`)
	defer q.Close()
	ctx := b.Context()
	b.ReportAllocs()
	for i := range b.N {
		if err := p.Send(ctx, trade{time.UnixMilli(int64(i & 0xffffff)), "item", 2}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLatency is the time from before Send until the reader of the results has
// the row, and, to compare with, that of a channel between two goroutines.
func BenchmarkLatency(b *testing.B) {
	p, q := pushQuery(b, `SELECT ts, UPPER(item) AS item, price * 2 AS price FROM trades WHERE price > 1`)
	ctx := b.Context()
	var got atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for batch, err := range q.Batches() {
			if err == nil {
				got.Add(batch.NumRows())
			}
		}
	}()
	took := make([]time.Duration, 0, b.N)
	for i := range b.N {
		start := time.Now()
		if err := p.Send(ctx, trade{time.UnixMilli(int64(i)), "item", 2}); err != nil {
			b.Fatal(err)
		}
		for got.Load() <= int64(i) {
			runtime.Gosched()
		}
		took = append(took, time.Since(start))
	}
	p.End(nil)
	<-done
	channel := channelLatency(b.N)
	b.ReportMetric(quantile(took, 0.5), "ns-median")
	b.ReportMetric(quantile(took, 0.99), "ns-p99")
	b.ReportMetric(quantile(channel, 0.5), "ns-median-of-a-channel")
}

func channelLatency(n int) []time.Duration {
	out := make(chan int64, resultBatches)
	var got atomic.Int64
	go func() {
		for range out {
			got.Add(1)
		}
	}()
	took := make([]time.Duration, 0, n)
	for i := range n {
		start := time.Now()
		out <- int64(i)
		for got.Load() <= int64(i) {
			runtime.Gosched()
		}
		took = append(took, time.Since(start))
	}
	close(out)
	return took
}

func quantile(d []time.Duration, f float64) float64 {
	slices.Sort(d)
	return float64(d[int(f*float64(len(d)-1))])
}
