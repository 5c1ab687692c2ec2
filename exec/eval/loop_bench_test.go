package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// loopRows is the number of rows of a batch, loopBatches that of the batches that are
// taken in turn: one alone is soon known to the processor's prediction of branches by
// heart, which no stream of new rows is.
const (
	loopRows    = 4096
	loopBatches = 8
)

// The columns of a batch.
const (
	colX      = iota // INT
	colY             // INT, 1 to 100
	colL             // BIGINT
	colM             // BIGINT
	colD             // DOUBLE
	colE             // DOUBLE
	colP             // DECIMAL(10, 2)
	colQ             // DECIMAL(5, 2)
	colTime          // TIMESTAMP(3)
	colDay           // DATE
	colN             // INT, a tenth is NULL
	colSmall         // SMALLINT
	colText          // STRING of 13 to 16 bytes
	colWord          // STRING of 2 or 3 bytes
	colDigits        // STRING of up to 7 digits
	colSpaced        // STRING with blanks around
	loopColumns
)

var loopTypes = [loopColumns]types.Type{
	intT, intT, bigT, bigT, types.Of(types.Double), types.Of(types.Double), types.NewDecimal(10, 2), types.NewDecimal(5, 2),
	types.NewTimestamp(3), types.Of(types.Date), intT, types.Of(types.SmallInt), textT, textT, textT, textT,
}

// loopData is a batch with the slices of its columns, and what the loops write.
type loopData struct {
	in                         *stream.Batch
	x, y, n, day               []int32
	l, m, p, q, time           []int64
	d, e                       []float64
	small                      []int16
	valid                      []uint64 // of n
	text, word, digits, spaced *stream.Vec
	sel, ints                  []int32
	longs                      []int64
	doubles                    []float64
	bits                       []uint64
	data                       []byte
	off                        []int32
}

func newLoopData(seed uint64) *loopData {
	r := rand.New(rand.NewPCG(1, seed))
	c := &loopData{in: &stream.Batch{N: loopRows, Cols: make([]stream.Vec, loopColumns)}}
	for k := range c.in.Cols {
		v := &c.in.Cols[k]
		v.Reset(loopTypes[k], loopRows)
		for i := range loopRows {
			v.Put(i, loopRows, loopValue(r, k))
		}
	}
	col := func(k int) *stream.Vec { return &c.in.Cols[k] }
	c.x, c.y, c.n, c.day = stream.Values[int32](col(colX)), stream.Values[int32](col(colY)), stream.Values[int32](col(colN)), stream.Values[int32](col(colDay))
	c.l, c.m, c.p, c.q = stream.Values[int64](col(colL)), stream.Values[int64](col(colM)), stream.Values[int64](col(colP)), stream.Values[int64](col(colQ))
	c.time, c.small = stream.Values[int64](col(colTime)), stream.Values[int16](col(colSmall))
	c.d, c.e, c.valid = stream.Values[float64](col(colD)), stream.Values[float64](col(colE)), col(colN).Valid
	c.text, c.word, c.digits, c.spaced = col(colText), col(colWord), col(colDigits), col(colSpaced)
	c.ints, c.longs, c.doubles, c.bits = make([]int32, loopRows), make([]int64, loopRows), make([]float64, loopRows), make([]uint64, loopRows/64)
	return c
}

// loopValue returns a random value for column k.
func loopValue(r *rand.Rand, k int) types.Value {
	switch k {
	case colX:
		return types.IntValue(r.Int64N(1000))
	case colY:
		return types.IntValue(1 + r.Int64N(100))
	case colL:
		return types.IntValue(r.Int64N(1 << 40))
	case colM:
		return types.IntValue(1 + r.Int64N(1<<20))
	case colD, colE:
		return types.FloatValue(float64(r.Int64N(1_000_000)) / 1000)
	case colP:
		return types.IntValue(r.Int64N(2_000_000) - 1_000_000)
	case colQ:
		return types.IntValue(1 + r.Int64N(10_000))
	case colTime:
		return types.IntValue(1_700_000_000_000 + r.Int64N(400*types.MillisPerDay))
	case colDay:
		return types.IntValue(19_000 + r.Int64N(1000))
	case colN:
		if r.IntN(10) == 0 {
			return types.NullValue
		}
		return types.IntValue(r.Int64N(1000))
	case colSmall:
		return types.IntValue(r.Int64N(1000) - 500)
	case colText:
		return types.TextValue(fmt.Sprintf("item-%d-large", r.IntN(10_000)))
	case colWord:
		return types.TextValue(fmt.Sprint("k", r.IntN(50)))
	case colDigits:
		return types.TextValue(fmt.Sprint(r.IntN(10_000_000)))
	}
	return types.TextValue(fmt.Sprintf("%*s%*s", 3+r.IntN(4), "ab", -r.IntN(6), "c"))
}

// loopCase is an expression with a loop over the same slices that does no more than
// the work, in the way a person would write it: the same result, NULLs and checks.
type loopCase struct {
	name string
	expr expr.Expr
	loop func(c *loopData)
	out  loopResult
}

// loopResult says what a loop writes.
type loopResult uint8

const (
	toRows loopResult = iota // sel: the expression is a filter
	toInts
	toNulls // ints and bits, which are the validity
	toLongs
	toDoubles
	toTexts
	toBits
)

// loopColumn is column k as an expression.
func loopColumn(k int) expr.Expr { return col(k, loopTypes[k]) }

// check compares the result of the loop with that of the expression.
func (c loopCase) check(data *loopData, out *stream.Vec, sel []int32) error {
	for i := range loopRows {
		same := true
		switch c.out {
		case toRows:
			if !slices.Equal(sel, data.sel) {
				return fmt.Errorf("%d rows, by hand %d", len(sel), len(data.sel))
			}
			return nil
		case toInts:
			same = !out.IsNull(i) && out.Value(i).I == int64(data.ints[i])
		case toNulls:
			null := data.bits[i>>6]>>(i&63)&1 == 0
			same = out.IsNull(i) == null && (null || out.Value(i).I == int64(data.ints[i]))
		case toLongs:
			same = !out.IsNull(i) && out.Value(i).I == data.longs[i]
		case toDoubles:
			same = !out.IsNull(i) && out.Value(i).F == data.doubles[i]
		case toTexts:
			same = !out.IsNull(i) && string(out.Bytes(i)) == string(data.data[data.off[i]:data.off[i+1]])
		case toBits:
			same = !out.IsNull(i) && out.Bool(i) == (data.bits[i>>6]>>(i&63)&1 != 0)
		}
		if !same {
			return fmt.Errorf("row %d: another value than by hand: %v", i, out.Value(i))
		}
	}
	return nil
}

// runner compiles the expression: run gives its result for a batch.
func (c loopCase) runner(t testing.TB) func(data *loopData) (*stream.Vec, []int32) {
	p, err := Compile([]expr.Expr{c.expr}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, env := make([]stream.Vec, 1), &Env{}
	var sel []int32
	return func(data *loopData) (*stream.Vec, []int32) {
		var err error
		if c.out == toRows {
			sel, err = p.Filter(data.in, env, sel)
		} else {
			err = p.Run(data.in, env, out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return &out[0], sel
	}
}

func loopCases(t testing.TB) []loopCase {
	return slices.Concat(numberLoops(t), filterLoops(t), conditionLoops(t), textLoops(t), timeLoops(t))
}

// TestLoopsByHand: the loops that the expressions are measured against give the same.
func TestLoopsByHand(t *testing.T) {
	data := newLoopData(1)
	for _, c := range loopCases(t) {
		out, sel := c.runner(t)(data)
		c.loop(data)
		if err := c.check(data, out, sel); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// BenchmarkAgainstLoops shows in x-loop how many times as long as the loop by hand an
// expression takes: the medians of rounds in turn.
func BenchmarkAgainstLoops(b *testing.B) {
	var data [loopBatches]*loopData
	for i := range data {
		data[i] = newLoopData(uint64(i))
	}
	for _, c := range loopCases(b) {
		b.Run(c.name, func(b *testing.B) {
			run := c.runner(b)
			for _, d := range data {
				run(d)
				c.loop(d)
			}
			var ours, loops []time.Duration
			for k := 0; b.Loop(); k++ {
				d := data[k%loopBatches]
				start := time.Now()
				run(d)
				middle := time.Now()
				c.loop(d)
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
