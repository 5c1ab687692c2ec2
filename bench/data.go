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

const wideCount = 50 // columns of the wide file

// dataset is one input file: its name under the data folder, where the prototype looks
// for it, too, and how its rows are made.
type dataset struct {
	file, format string
	part         int // it has the base number of rows divided by part
	header       string
	row          func(t *trade, b []byte) []byte
}

const tradeHeader = "ts,user_id,item,price,qty\n"

var (
	trades     = dataset{"data/t.csv", "csv", 1, tradeHeader, (*trade).csv}
	tradesJSON = dataset{"data/t.jsonl", "json", 1, "", (*trade).json}
	quoted     = dataset{"data/quoted.csv", "csv", 2, tradeHeader, (*trade).quoted}
	wide       = dataset{"data/wide.csv", "csv", 5, "ts," + wideColumns("%s", ",") + "\n", (*trade).wide}
	flights    = dataset{"data/flights.csv", "csv", 0, "", nil} // real data: flights.py makes it
)

// trade is what a row is made of.
type trade struct {
	at         time.Time
	user, item int
	cents, qty int
	name       string
	r          *rand.Rand
}

// write makes the file with rows/part rows, unless it is there, and returns its path
// and how many rows it has. The rows are ten minutes of event time, up to 200 ms out of
// order, with 10,000 items of 6 to 22 characters and a million users.
func (d *dataset) write(dir string, rows int) (string, int, error) {
	path := filepath.Join(dir, d.file)
	rows /= d.part
	stamp := path + ".rows"
	if b, err := os.ReadFile(stamp); err == nil && string(b) == strconv.Itoa(rows) {
		return path, rows, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	w.WriteString(d.header)
	t := trade{r: rand.New(rand.NewPCG(dataSeed, 1))}
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("item-%d%s", i, []string{"", "-large", "-large-green"}[i%3])
	}
	span := int64(10 * time.Minute / time.Millisecond)
	base := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var b []byte
	for i := range rows {
		t.at = base.Add(time.Duration(int64(i)*span/int64(rows)+200-t.r.Int64N(200)) * time.Millisecond)
		t.user, t.item, t.cents, t.qty = t.r.IntN(1_000_000), t.r.IntN(len(names)), t.r.IntN(100_000), 1+t.r.IntN(20)
		t.name = names[t.item]
		b = d.row(&t, b[:0])
		if _, err := w.Write(b); err != nil {
			return "", 0, err
		}
	}
	if err := w.Flush(); err != nil {
		return "", 0, err
	}
	return path, rows, os.WriteFile(stamp, []byte(strconv.Itoa(rows)), 0o644)
}

func (t *trade) time(b []byte) []byte { return t.at.AppendFormat(b, "2006-01-02 15:04:05.000") }

func (t *trade) price(b []byte) []byte {
	return strconv.AppendFloat(b, float64(t.cents)/100, 'f', 2, 64)
}

func (t *trade) csv(b []byte) []byte {
	return fmt.Appendf(t.time(b), ",%d,%s,%s,%d\n", t.user, t.name, t.price(nil), t.qty)
}

// quoted quotes all items; one in three holds a comma and quotation marks.
func (t *trade) quoted(b []byte) []byte {
	form := ",%d,\"%s\",%s,%d\n"
	if t.item%3 == 0 {
		form = ",%d,\"%s, \"\"special\"\"\",%s,%d\n"
	}
	return fmt.Appendf(t.time(b), form, t.user, t.name, t.price(nil), t.qty)
}

func (t *trade) json(b []byte) []byte {
	b = append(t.time(append(b, `{"ts":"`...)), '"')
	return fmt.Appendf(b, `,"user_id":%d,"item":"%s","price":%s,"qty":%d}`+"\n", t.user, t.name, t.price(nil), t.qty)
}

// wide writes numbers, prices and short texts; column 20 has the item, 40 the price.
func (t *trade) wide(b []byte) []byte {
	b = t.time(b)
	for i := 1; i < wideCount; i++ {
		b = append(b, ',')
		switch {
		case i == 20:
			b = append(b, t.name...)
		case i == 40:
			b = t.price(b)
		case i%3 == 0:
			b = append(b, "text-"...)
			b = strconv.AppendInt(b, t.r.Int64N(1000), 10)
		default:
			b = strconv.AppendInt(b, t.r.Int64N(1_000_000), 10)
		}
	}
	return append(b, '\n')
}
