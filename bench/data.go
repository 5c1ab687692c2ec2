package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// dataSeed makes the data the same on every machine.
const dataSeed = 2026

// writeTrades writes rows of (ts, user_id, item, price, qty) over ten minutes of
// event time, up to 200 ms out of order, with 10,000 items of 6 to 22 characters.
// An existing file of the right number of rows is kept.
func writeTrades(path string, rows int) error {
	stamp := path + ".rows"
	if b, err := os.ReadFile(stamp); err == nil && string(b) == strconv.Itoa(rows) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(dataSeed, 1))
	items := make([]string, 10_000)
	for i := range items {
		items[i] = fmt.Sprintf("item-%d", i)
		switch i % 3 {
		case 1:
			items[i] += "-large"
		case 2:
			items[i] += "-large-green"
		}
	}
	const span = int64(10 * time.Minute / time.Millisecond)
	base := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	fmt.Fprintln(w, "ts,user_id,item,price,qty")
	var b []byte
	for i := range rows {
		ms := int64(i)*span/int64(rows) + 200 - r.Int64N(200)
		b = base.Add(time.Duration(ms)*time.Millisecond).AppendFormat(b[:0], "2006-01-02 15:04:05.000")
		b = append(b, ',')
		b = strconv.AppendInt(b, r.Int64N(1_000_000), 10)
		b = append(b, ',')
		b = append(b, items[r.IntN(len(items))]...)
		b = append(b, ',')
		b = strconv.AppendFloat(b, float64(r.IntN(100_000))/100, 'f', 2, 64)
		b = append(b, ',')
		b = strconv.AppendInt(b, 1+r.Int64N(20), 10)
		b = append(b, '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(strconv.Itoa(rows)), 0o644)
}
