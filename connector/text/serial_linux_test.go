package text_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/json"
	"streamsql/connector/text"
	"streamsql/connector/text/texttest"
)

// passes is how often the data are read: each worker's dictionary becomes known once.
const passes = 25

// BenchmarkSerialPart prints the serial part: what only one goroutine can do at a time, as
// a percentage of what a single worker would need for all the rest. With n per cent,
// more than 100/n workers are of no use. A stream has to be read in order; its memory is
// copied here instead.
func BenchmarkSerialPart(b *testing.B) {
	const rows = 200_000
	inputs := func(open func(string, string) text.Input, data string) (list []text.Input) {
		for i := range passes {
			list = append(list, open(fmt.Sprintf("%02d", i), data))
		}
		return list
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var lines, objects strings.Builder
	for i := range rows {
		ts := fmt.Sprintf("2024-05-01 %02d:%02d:%02d.%03d", i/360_000, i/6000%60, i/100%60, i%100*10)
		user, item, price, qty := rnd.IntN(1_000_000), rnd.IntN(10_000), float64(rnd.IntN(100_000))/100, rnd.IntN(20)
		fmt.Fprintf(&lines, "%s,%d,item-%d,%.2f,%d\n", ts, user, item, price, qty)
		fmt.Fprintf(&objects, "{\"ts\":%q,\"user_id\":%d,\"item\":\"item-%d\",\"price\":%.2f,\"qty\":%d}\n", ts, user, item, price, qty)
	}
	schema := texttest.Schema("ts ts, user_id big, item text, price f64, qty big")
	wanted := texttest.Wanted(schema, []int{0, 2, 3})
	lined, err := csv.ParseOptions(nil)
	if err != nil {
		b.Fatal(err)
	}
	formatted, err := json.ParseOptions(nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		data string
		open func(string, string) text.Input
		dec  func() (text.Divisible, error)
	}{
		{"csv file", lines.String(), texttest.RandomInput, func() (text.Divisible, error) { return csv.NewDecoder(schema, wanted, lined, nil) }},
		{"csv stream", lines.String(), texttest.Input, func() (text.Divisible, error) { return csv.NewDecoder(schema, wanted, lined, nil) }},
		{"json file", objects.String(), texttest.RandomInput, func() (text.Divisible, error) { return json.NewDecoder(schema, wanted, formatted, nil) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var serial, parallel time.Duration
			for b.Loop() {
				dec, err := c.dec()
				if err != nil {
					b.Fatal(err)
				}
				dec.(text.Interner).Intern([]int{2})
				s, p, n, err := text.SerialPart(inputs(c.open, c.data), dec,
					connector.OpenOptions{BatchSize: 4096, ReadBuffer: 256 << 10, Workers: 2, Intern: []int{2}})
				if err != nil || n != passes*rows {
					b.Fatal(n, err)
				}
				serial += s
				parallel += p
			}
			b.ReportMetric(100*float64(serial)/float64(parallel), "serial-part-%")
			b.ReportMetric(float64(serial.Nanoseconds())/float64(b.N*passes*rows), "serial-ns/row")
		})
	}
}
