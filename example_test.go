package streamsql_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"streamsql"
)

// Order is a row of the example's stream.
type Order struct {
	TS     time.Time `sql:"ts"`
	Item   string    `sql:"item"`
	Amount int64     `sql:"amount"`
}

// PerWindow is a row of its result.
type PerWindow struct {
	WindowStart time.Time
	Item        string
	N           int64
	Total       int64
}

// A Go program pushes rows and reads windows as they close. The row at 12:00:03 comes
// when the watermark (newest event time less two seconds) has passed the end of its
// window: it is late, counted, and can be read.
func Example() {
	ctx := context.Background()
	engine, err := streamsql.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	orders := streamsql.NewPush[Order]()
	if err := engine.RegisterSource("orders", orders, streamsql.EventTime("ts", 2*time.Second)); err != nil {
		log.Fatal(err)
	}
	query, err := engine.Query(ctx, `
		SELECT window_start, item, COUNT(*) AS n, SUM(amount) AS total
		FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
		GROUP BY window_start, window_end, item`)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		at := func(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC) }
		for _, o := range []Order{{at(1), "tea", 3}, {at(8), "mate", 2}, {at(4), "tea", 5}, {at(13), "tea", 1}, {at(3), "mate", 9}} {
			if err := orders.Send(ctx, o); err != nil {
				log.Print(err)
			}
		}
		orders.End(nil)
	}()
	for row, err := range streamsql.Rows[PerWindow](query) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.WindowStart.Format("15:04:05"), row.Item, row.N, row.Total)
	}
	for late := range query.Late() {
		fmt.Println("late:", late.Values)
	}
	// Output:
	// 12:00:00 tea 2 8
	// 12:00:00 mate 1 2
	// 12:00:10 tea 1 1
	// late: [2026-03-01 12:00:03.000 mate 9]
}
