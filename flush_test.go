package streamsql

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Ending the context of a query stops it: what is open has no result. With
// WithFlushOnStop it ends the input instead.
func TestFlushOnStop(t *testing.T) {
	for _, flush := range []bool{false, true} {
		var opts []Option
		if flush {
			opts = append(opts, WithFlushOnStop())
		}
		e, err := Open(opts...)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		p := NewPush[trade]()
		if err := e.RegisterSource("trades", p, EventTime("ts", 0)); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		q, err := e.Query(ctx, `SELECT item, COUNT(*) FROM TABLE(TUMBLE(TABLE trades, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, item`)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Send(t.Context(), trade{time.UnixMilli(1000), "tea", 1}, trade{time.UnixMilli(2000), "tea", 2}); err != nil {
			t.Fatal(err)
		}
		stop()
		rows := int64(0)
		var failed error
		for b, err := range q.Batches() {
			if failed = err; err == nil {
				rows += b.NumRows()
			}
		}
		if flush && (failed != nil || rows != 1) || !flush && (!errors.Is(failed, context.Canceled) || rows != 0) {
			t.Errorf("flush %v: %d rows, %v", flush, rows, failed)
		}
	}
}

// EndInput ends one query, and nothing else.
func TestQueryEndInput(t *testing.T) {
	p, q := pushQuery(t, `SELECT item, COUNT(*) FROM TABLE(TUMBLE(TABLE trades, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, item`)
	if err := p.Send(t.Context(), trade{time.UnixMilli(1000), "tea", 1}); err != nil {
		t.Fatal(err)
	}
	q.EndInput()
	rows := int64(0)
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		rows += b.NumRows()
	}
	if _, _, ended := q.Watermark(); rows != 1 || !ended {
		t.Errorf("%d rows, ended %v", rows, ended)
	}
}
