package eval

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// loopRows is the number of rows of a batch.
const loopRows = 4096

// loopData are the columns of the batch that both sides read.
type loopData struct {
	in   *stream.Batch
	x, y []int32
	l    []int64
	d, e []float64
	s    *stream.Vec
	sel  []int32
	ints []int32
	long []int64
	dbls []float64
}

func newLoopData() *loopData {
	r := rand.New(rand.NewPCG(1, 2))
	var x, y, s []any
	for range loopRows {
		x, y, s = append(x, r.IntN(1000)), append(y, 1+r.IntN(100)), append(s, fmt.Sprintf("item-%d-large", r.IntN(10_000)))
	}
	c := &loopData{in: batch(x, y, s)}
	for _, t := range []types.Kind{types.BigInt, types.Double, types.Double} {
		var v stream.Vec
		v.Reset(types.Of(t), loopRows)
		for i := range loopRows {
			if t == types.BigInt {
				stream.Values[int64](&v)[i] = r.Int64N(1 << 40)
			} else {
				stream.Values[float64](&v)[i] = r.Float64() * 1000
			}
		}
		c.in.Cols = append(c.in.Cols, v)
	}
	cols := c.in.Cols
	c.x, c.y, c.s = stream.Values[int32](&cols[0]), stream.Values[int32](&cols[1]), &cols[2]
	c.l, c.d, c.e = stream.Values[int64](&cols[3]), stream.Values[float64](&cols[4]), stream.Values[float64](&cols[5])
	c.ints, c.long, c.dbls = make([]int32, loopRows), make([]int64, loopRows), make([]float64, loopRows)
	return c
}

// choose is a filter by hand.
func (c *loopData) choose(keep func(i int) bool) {
	c.sel = c.sel[:0]
	for i := range loopRows {
		if keep(i) {
			c.sel = append(c.sel, int32(i))
		}
	}
}

type loopCase struct {
	name   string
	expr   expr.Expr
	filter bool
	loop   func(c *loopData)
}

// loopCases are common expressions, each with a loop over the same slices that does no
// more than the work. The loops of filters hold their condition themselves: a call for
// each row would be no measure.
func loopCases(t testing.TB) []loopCase {
	big, double := types.Of(types.BigInt), types.Of(types.Double)
	x, y, s, l, d, e := col(0, intT), col(1, intT), col(2, textT), col(3, big), col(4, double), col(5, double)
	cast := func(a expr.Expr, to types.Type) expr.Expr { return &expr.Cast{Info: expr.Info{T: to}, Arg: a} }
	and := func(args ...expr.Expr) expr.Expr { return &expr.And{Info: expr.Info{T: boolT}, Args: args} }
	texts := func(c *loopData, keep func(b []byte) bool) {
		data, off := c.s.Data, c.s.Off
		c.choose(func(i int) bool { return keep(data[off[i]:off[i+1]]) })
	}
	return []loopCase{
		{"int + int", fn(t, "+", x, y), false, func(c *loopData) {
			for i, v := range c.x {
				c.ints[i] = v + c.y[i]
			}
		}},
		{"int + constant", fn(t, "+", x, num(1)), false, func(c *loopData) {
			for i, v := range c.x {
				c.ints[i] = v + 1
			}
		}},
		{"double * double", fn(t, "*", d, e), false, func(c *loopData) {
			for i, v := range c.d {
				c.dbls[i] = v * c.e[i]
			}
		}},
		{"double * bigint", fn(t, "*", d, l), false, func(c *loopData) {
			for i, v := range c.d {
				c.dbls[i] = v * float64(c.l[i])
			}
		}},
		{"int / int", fn(t, "/", x, y), false, func(c *loopData) {
			for i, v := range c.x {
				c.ints[i] = v / c.y[i]
			}
		}},
		{"cast int to double", cast(x, double), false, func(c *loopData) {
			for i, v := range c.x {
				c.dbls[i] = float64(v)
			}
		}},
		{"cast int to bigint", cast(x, big), false, func(c *loopData) {
			for i, v := range c.x {
				c.long[i] = int64(v)
			}
		}},
		{"where int > constant", fn(t, ">", x, num(500)), true, func(c *loopData) {
			c.sel = c.sel[:0]
			for i, v := range c.x {
				if v > 500 {
					c.sel = append(c.sel, int32(i))
				}
			}
		}},
		{"where int > constant and int < constant", and(fn(t, ">", x, num(100)), fn(t, "<", y, num(20))), true, func(c *loopData) {
			c.sel = c.sel[:0]
			for i, v := range c.x {
				if v > 100 && c.y[i] < 20 {
					c.sel = append(c.sel, int32(i))
				}
			}
		}},
		{"where double > double", fn(t, ">", d, e), true, func(c *loopData) {
			c.sel = c.sel[:0]
			for i, v := range c.d {
				if v > c.e[i] {
					c.sel = append(c.sel, int32(i))
				}
			}
		}},
		{"where int in (4 constants)", fn(t, "IN", x, num(1), num(20), num(300), num(40)), true, func(c *loopData) {
			c.sel = c.sel[:0]
			for i, v := range c.x {
				if v == 1 || v == 20 || v == 300 || v == 40 {
					c.sel = append(c.sel, int32(i))
				}
			}
		}},
		{"where text in (3 constants)", fn(t, "IN", s, str("item-1-large"), str("item-20-large"), str("item-300-large")), true, func(c *loopData) {
			texts(c, func(b []byte) bool {
				return string(b) == "item-1-large" || string(b) == "item-20-large" || string(b) == "item-300-large"
			})
		}},
		{"where text = constant", fn(t, "=", s, str("item-77-large")), true, func(c *loopData) {
			texts(c, func(b []byte) bool { return string(b) == "item-77-large" })
		}},
		{"where text like 'item-1%'", fn(t, "LIKE", s, str("item-1%")), true, func(c *loopData) {
			texts(c, func(b []byte) bool { return bytes.HasPrefix(b, []byte("item-1")) })
		}},
		{"where text like '%7-la%'", fn(t, "LIKE", s, str("%7-la%")), true, func(c *loopData) {
			texts(c, func(b []byte) bool { return bytes.Contains(b, []byte("7-la")) })
		}},
	}
}

// BenchmarkAgainstLoops shows in x-loop how many times as long as the loop by hand an
// expression takes: the medians of rounds in turn.
func BenchmarkAgainstLoops(b *testing.B) {
	data := newLoopData()
	for _, c := range loopCases(b) {
		b.Run(c.name, func(b *testing.B) {
			p, err := Compile([]expr.Expr{c.expr}, nil)
			if err != nil {
				b.Fatal(err)
			}
			out, env := make([]stream.Vec, 1), &Env{}
			var sel []int32
			run := func() error { return p.Run(data.in, env, out) }
			if c.filter {
				run = func() (err error) {
					sel, err = p.Filter(data.in, env, sel)
					return err
				}
			}
			if err := run(); err != nil {
				b.Fatal(err)
			}
			c.loop(data)
			if c.filter && len(sel) != len(data.sel) {
				b.Fatalf("%d rows, by hand %d", len(sel), len(data.sel))
			}
			var ours, loops []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := run(); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				c.loop(data)
				ours, loops = append(ours, middle.Sub(start)), append(loops, time.Since(middle))
			}
			b.ReportMetric(float64(median(ours))/float64(median(loops)), "x-loop")
			b.ReportMetric(float64(median(ours).Nanoseconds())/loopRows, "ns/row")
		})
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
