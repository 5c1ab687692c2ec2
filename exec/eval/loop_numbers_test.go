package eval

import (
	"math"
	"testing"

	"streamsql/expr"
	"streamsql/types"
)

func castTo(a expr.Expr, to types.Type) expr.Expr {
	return &expr.Cast{Info: expr.Info{T: to}, Arg: a}
}

// numberLoops are arithmetic, numeric functions and casts.
func numberLoops(t testing.TB) []loopCase {
	x, y, l, m, d, e := loopColumn(colX), loopColumn(colY), loopColumn(colL), loopColumn(colM), loopColumn(colD), loopColumn(colE)
	p, q, n := loopColumn(colP), loopColumn(colQ), loopColumn(colN)
	double := types.Of(types.Double)
	return []loopCase{
		{"int + int", fn(t, "+", x, y), func(c *loopData) {
			x, y, o := c.x, c.y[:len(c.x)], c.ints[:len(c.x)]
			for i, v := range x {
				o[i] = v + y[i]
			}
		}, toInts},
		{"int + constant", fn(t, "+", x, num(1)), func(c *loopData) {
			o := c.ints[:len(c.x)]
			for i, v := range c.x {
				o[i] = v + 1
			}
		}, toInts},
		{"int + int with NULLs", fn(t, "+", x, n), func(c *loopData) {
			n, o := c.n[:len(c.x)], c.ints[:len(c.x)]
			for i, v := range c.x {
				o[i] = v + n[i]
			}
			copy(c.bits, c.valid)
		}, toNulls},
		{"bigint - bigint", fn(t, "-", l, m), func(c *loopData) {
			m, o := c.m[:len(c.l)], c.longs[:len(c.l)]
			for i, v := range c.l {
				o[i] = v - m[i]
			}
		}, toLongs},
		{"bigint * int", fn(t, "*", l, x), func(c *loopData) {
			x, o := c.x[:len(c.l)], c.longs[:len(c.l)]
			for i, v := range c.l {
				o[i] = v * int64(x[i])
			}
		}, toLongs},
		{"double * double", fn(t, "*", d, e), func(c *loopData) {
			e, o := c.e[:len(c.d)], c.doubles[:len(c.d)]
			for i, v := range c.d {
				o[i] = v * e[i]
			}
		}, toDoubles},
		{"double / constant", fn(t, "/", d, lit(double.Required(), types.FloatValue(3))), func(c *loopData) {
			o := c.doubles[:len(c.d)]
			for i, v := range c.d {
				o[i] = v / 3
			}
		}, toDoubles},
		{"double * bigint", fn(t, "*", d, l), func(c *loopData) {
			l, o := c.l[:len(c.d)], c.doubles[:len(c.d)]
			for i, v := range c.d {
				o[i] = v * float64(l[i])
			}
		}, toDoubles},
		{"decimal + decimal", fn(t, "+", p, q), func(c *loopData) {
			q, o := c.q[:len(c.p)], c.longs[:len(c.p)]
			for i, v := range c.p {
				o[i] = v + q[i]
			}
		}, toLongs},
		{"decimal * decimal", fn(t, "*", p, q), func(c *loopData) {
			q, o := c.q[:len(c.p)], c.longs[:len(c.p)]
			for i, v := range c.p {
				o[i] = v * q[i]
			}
		}, toLongs},
		{"int / int", fn(t, "/", x, y), func(c *loopData) {
			y, o := c.y[:len(c.x)], c.ints[:len(c.x)]
			for i, v := range c.x {
				if y[i] == 0 {
					panic("division by zero")
				}
				o[i] = v / y[i]
			}
		}, toInts},
		{"int / constant", fn(t, "/", x, num(7)), func(c *loopData) {
			o := c.ints[:len(c.x)]
			for i, v := range c.x {
				o[i] = v / 7
			}
		}, toInts},
		{"int % constant", fn(t, "MOD", x, num(7)), func(c *loopData) {
			o := c.ints[:len(c.x)]
			for i, v := range c.x {
				o[i] = v % 7
			}
		}, toInts},
		{"bigint / constant", fn(t, "/", l, num(1000)), func(c *loopData) {
			o := c.longs[:len(c.l)]
			for i, v := range c.l {
				o[i] = v / 1000
			}
		}, toLongs},
		{"bigint % bigint", fn(t, "%", l, m), func(c *loopData) {
			m, o := c.m[:len(c.l)], c.longs[:len(c.l)]
			for i, v := range c.l {
				if m[i] == 0 {
					panic("division by zero")
				}
				o[i] = v % m[i]
			}
		}, toLongs},
		{"abs int", fn(t, "ABS", x), func(c *loopData) {
			o := c.ints[:len(c.x)]
			for i, v := range c.x {
				if v < 0 {
					v = -v
				}
				o[i] = v
			}
		}, toInts},
		{"abs double", fn(t, "ABS", d), func(c *loopData) {
			o := c.doubles[:len(c.d)]
			for i, v := range c.d {
				o[i] = math.Abs(v)
			}
		}, toDoubles},
		{"abs decimal", fn(t, "ABS", p), func(c *loopData) {
			o := c.longs[:len(c.p)]
			for i, v := range c.p {
				if v < 0 {
					v = -v
				}
				o[i] = v
			}
		}, toLongs},
		{"floor double", fn(t, "FLOOR", d), func(c *loopData) {
			o := c.doubles[:len(c.d)]
			for i, v := range c.d {
				o[i] = math.Floor(v)
			}
		}, toDoubles},
		{"round decimal", fn(t, "ROUND", p, num(1)), func(c *loopData) {
			o := c.longs[:len(c.p)]
			for i, v := range c.p { // halves away from zero
				if v < 0 {
					o[i] = (v - 5) / 10
				} else {
					o[i] = (v + 5) / 10
				}
			}
		}, toLongs},
		{"cast int to double", castTo(x, double), func(c *loopData) {
			o := c.doubles[:len(c.x)]
			for i, v := range c.x {
				o[i] = float64(v)
			}
		}, toDoubles},
		{"cast int to bigint", castTo(x, bigT), func(c *loopData) {
			o := c.longs[:len(c.x)]
			for i, v := range c.x {
				o[i] = int64(v)
			}
		}, toLongs},
		{"cast bigint to int", castTo(l, intT), func(c *loopData) {
			o := c.ints[:len(c.l)]
			for i, v := range c.l {
				o[i] = int32(v)
			}
		}, toInts},
		{"cast double to bigint", castTo(d, bigT), func(c *loopData) {
			o := c.longs[:len(c.d)]
			for i, v := range c.d {
				switch {
				case v != v:
					o[i] = 0
				case v >= math.MaxInt64:
					o[i] = math.MaxInt64
				case v <= math.MinInt64:
					o[i] = math.MinInt64
				default:
					o[i] = int64(v)
				}
			}
		}, toLongs},
		{"cast double to int", castTo(d, intT), func(c *loopData) {
			o := c.ints[:len(c.d)]
			for i, v := range c.d {
				switch {
				case v != v:
					o[i] = 0
				case v >= math.MaxInt32:
					o[i] = math.MaxInt32
				case v <= math.MinInt32:
					o[i] = math.MinInt32
				default:
					o[i] = int32(v)
				}
			}
		}, toInts},
		{"cast decimal to double", castTo(p, double), func(c *loopData) {
			o := c.doubles[:len(c.p)]
			for i, v := range c.p {
				o[i] = float64(v) / 100
			}
		}, toDoubles},
		{"cast int to decimal", castTo(x, types.NewDecimal(12, 2)), func(c *loopData) {
			o := c.longs[:len(c.x)]
			for i, v := range c.x {
				o[i] = int64(v) * 100
			}
		}, toLongs},
	}
}
