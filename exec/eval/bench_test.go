package eval

import (
	"fmt"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// BenchmarkRun measures expressions over a batch of 4096 rows; ns/op divided by
// that is the cost of a row.
func BenchmarkRun(b *testing.B) {
	const n = 4096
	var x, y, s, k []any
	for i := range n {
		x, y, s, k = append(x, i%1000), append(y, i%7+1), append(s, fmt.Sprint("value ", i%13)), append(k, fmt.Sprint("k", i%50))
	}
	in := batch(x, y, s, k)
	var ts stream.Vec
	ts.Reset(types.NewTimestamp(3), n)
	for i := range n {
		stream.Values[int64](&ts)[i] = 1700000000000 + int64(i)*997
	}
	in.Cols = append(in.Cols, ts)
	cx, cy, cs, ck := col(0, intT), col(1, intT), col(2, textT), col(3, textT)
	ct := col(4, types.NewTimestamp(3))
	iv := lit(types.Of(types.IntervalDay).Required(), types.IntValue(2000))
	and := func(args ...expr.Expr) expr.Expr { return &expr.And{Info: expr.Info{T: boolT}, Args: args} }
	for _, c := range []struct {
		name string
		e    expr.Expr
	}{
		{"add", fn(b, "+", cx, cy)}, {"add-const", fn(b, "+", cx, num(1))}, {"divide", fn(b, "/", cx, cy)}, {"modulo", fn(b, "%", cx, num(7))},
		{"less", fn(b, "<", cx, num(500))}, {"equal-text", fn(b, "=", ck, str("k7"))}, {"and", and(fn(b, ">", cx, num(100)), fn(b, "<", cx, num(900)))},
		{"and-text", and(fn(b, ">", cx, num(500)), fn(b, "=", ck, str("k7")))}, {"like-prefix", fn(b, "LIKE", cs, str("value 1%"))},
		{"like-infix", fn(b, "LIKE", cs, str("%lue 1%"))}, {"in-text", fn(b, "IN", ck, str("k1"), str("k2"), str("k3"), str("k4"))},
		{"in-int", fn(b, "IN", cx, num(1), num(20), num(300), num(40))}, {"upper", fn(b, "UPPER", cs)}, {"join", fn(b, "||", cs, ck)},
		{"substring", fn(b, "SUBSTRING", cs, num(3), num(4))}, {"watermark", fn(b, "-", ct, iv)}, {"floor-minute", fn(b, "FLOOR", ct, str("MINUTE"))},
		{"extract-hour", fn(b, "EXTRACT", str("HOUR"), ct)}, {"extract-year", fn(b, "EXTRACT", str("YEAR"), ct)}, {"format", fn(b, "DATE_FORMAT", ct, str("yyyy-MM-dd HH:mm"))},
		{"case", &expr.Case{Info: expr.Info{T: intT}, Whens: []expr.When{{Cond: fn(b, "<", cx, num(500)), Then: cx}}, Else: cy}},
		{"coalesce", fn(b, "COALESCE", cx, cy)}, {"exp", fn(b, "EXP", cy)}, {"round", fn(b, "ROUND", &expr.Cast{Info: expr.Info{T: types.Of(types.Double)}, Arg: cx}, num(1))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := Compile([]expr.Expr{c.e}, nil)
			if err != nil {
				b.Fatal(err)
			}
			out := make([]stream.Vec, 1)
			env := &Env{}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Run(in, env, out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
