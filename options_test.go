package streamsql_test

import (
	"context"
	"testing"
	"time"

	"streamsql"
)

// pushOrders runs a tumbling count over rows at the given seconds and returns the query
// after its end.
func pushOrders(t *testing.T, source streamsql.SourceOption, send func(*streamsql.Push[Order]), opts ...streamsql.Option) (*streamsql.Query, []int64, error) {
	t.Helper()
	e, err := streamsql.Open(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	orders := streamsql.NewPush[Order]()
	if err := e.RegisterSource("orders", orders, source); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), `SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
		GROUP BY window_start, window_end, item`)
	if err != nil {
		t.Fatal(err)
	}
	go send(orders)
	var counts []int64
	for n, err := range streamsql.Rows[int64](q) {
		if err != nil {
			return q, counts, err
		}
		counts = append(counts, n)
	}
	return q, counts, nil
}

func second(s int) time.Time { return time.Date(2026, 3, 1, 12, 0, s, 0, time.UTC) }

// Each late row reaches WithLate; Query.Late keeps the first ones, Stats counts all.
func TestLateRowsBeyondThoseKept(t *testing.T) {
	var seen []string
	q, counts, err := pushOrders(t, streamsql.EventTime("ts", 0), func(p *streamsql.Push[Order]) {
		for _, o := range []Order{{second(5), "a", 1}, {second(25), "b", 1}, {second(1), "c", 1}, {second(2), "d", 1}, {second(3), "e", 1}} {
			if err := p.Send(context.Background(), o); err != nil {
				t.Error(err)
			}
		}
		p.End(nil)
	}, streamsql.WithKeepLate(2), streamsql.WithLate(func(r streamsql.LateRow) { seen = append(seen, r.Values[1]) }))
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 2 {
		t.Errorf("windows %v, expected two", counts)
	}
	if len(seen) != 3 || seen[0] != "c" || seen[1] != "d" || seen[2] != "e" {
		t.Errorf("WithLate saw %v", seen)
	}
	kept := 0
	for range q.Late() {
		kept++
	}
	if kept != 2 {
		t.Errorf("%d late rows kept, expected 2", kept)
	}
	if n := q.Stats().Sources[0].Late; n != 3 {
		t.Errorf("%d late rows counted, expected 3", n)
	}
}

// With SourceWatermarks only Advance moves time: a later row alone closes nothing.
func TestSourceWatermarks(t *testing.T) {
	q, counts, err := pushOrders(t, streamsql.SourceWatermarks("ts"), func(p *streamsql.Push[Order]) {
		ctx := context.Background()
		send := func(s int) {
			if err := p.Send(ctx, Order{second(s), "a", 1}); err != nil {
				t.Error(err)
			}
		}
		send(5)
		send(25)
		send(6) // in time: nobody has said that time has passed
		if err := p.Advance(ctx, second(20)); err != nil {
			t.Error(err)
		}
		send(7) // late
		p.End(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 2 || counts[0] != 2 || counts[1] != 1 {
		t.Errorf("windows %v, expected 2 and 1", counts)
	}
	if n := q.Stats().Sources[0].Late; n != 1 {
		t.Errorf("%d late rows, expected 1", n)
	}
}

// State past the limit ends the query with an error of its own code.
func TestMemoryLimit(t *testing.T) {
	_, _, err := pushOrders(t, streamsql.EventTime("ts", 0), func(p *streamsql.Push[Order]) {
		for i := range 100_000 {
			if p.Send(context.Background(), Order{second(1), time.Duration(i).String(), 1}) != nil {
				return // the query has ended
			}
		}
		p.End(nil)
	}, streamsql.WithMemoryLimit(1<<20))
	e, ok := err.(*streamsql.Error)
	if !ok || e.Code != streamsql.CodeMemory {
		t.Fatalf("error %v, expected code %q", err, streamsql.CodeMemory)
	}
}
