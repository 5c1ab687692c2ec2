package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"streamsql"
)

// mostLatency is how many times as long as a bare channel a row may take, in the
// median, from Send through the plan and the result queue to the reader.
const mostLatency = 40

type pushedTrade struct {
	TS    time.Time `sql:"ts"`
	Item  string    `sql:"item"`
	Price float64   `sql:"price"`
}

// latency measures the way of single rows and fails if it is too long.
func latency(rows int) error {
	e, err := streamsql.Open()
	if err != nil {
		return err
	}
	defer e.Close()
	p := streamsql.NewPush[pushedTrade]()
	if err := e.RegisterSource("trades", p, streamsql.EventTime("ts", time.Second)); err != nil {
		return err
	}
	ctx := context.Background()
	q, err := e.Query(ctx, "SELECT ts, UPPER(item) AS item, price * 2 AS price FROM trades WHERE price > 1")
	if err != nil {
		return err
	}
	var got atomic.Int64
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b, err := range q.Batches() {
			if failed = err; err != nil {
				return
			}
			got.Add(b.NumRows())
		}
	}()
	var sendErr error
	row := roundTrips(rows, &got, func(i int) {
		if err := p.Send(ctx, pushedTrade{time.UnixMilli(int64(i)), "item", 2}); err != nil && sendErr == nil {
			sendErr = err
			got.Store(int64(rows)) // lets the waiting end
		}
	})
	p.End(nil)
	<-done
	if sendErr != nil || failed != nil {
		return fmt.Errorf("latency: %v, %v", sendErr, failed)
	}
	var passed atomic.Int64
	c := make(chan int, 8)
	go func() {
		for range c {
			passed.Add(1)
		}
	}()
	bare := roundTrips(rows, &passed, func(i int) { c <- i })
	close(c)
	ratio := float64(row[rows/2]) / float64(bare[rows/2])
	fmt.Printf("\nlatency of one row from Send through filter, project and result queue to the reader: median %v, 99th percentile %v; median of a bare channel %v: %.1f times (at most %d)\n",
		row[rows/2], row[rows*99/100], bare[rows/2], ratio, mostLatency)
	if ratio > mostLatency {
		return fmt.Errorf("the way of a single row takes %.0f times as long as a channel", ratio)
	}
	return nil
}

// roundTrips sends n things one by one, each when the reader has counted the one
// before, and returns the times in order of length.
func roundTrips(n int, got *atomic.Int64, send func(i int)) []time.Duration {
	took := make([]time.Duration, n)
	for i := range took {
		start := time.Now()
		send(i)
		for got.Load() <= int64(i) {
			runtime.Gosched()
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took
}
