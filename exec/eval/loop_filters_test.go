package eval

import (
	"testing"

	"streamsql/expr"
	"streamsql/types"
)

func both(args ...expr.Expr) expr.Expr {
	return &expr.And{Info: expr.Info{T: boolT}, Args: args}
}

func either(args ...expr.Expr) expr.Expr {
	return &expr.Or{Info: expr.Info{T: boolT}, Args: args}
}

// filterLoops are conditions on numbers and times. Each loop holds its condition
// itself: a call for each row would be no measure.
func filterLoops(t testing.TB) []loopCase {
	x, y, l, d, e := loopColumn(colX), loopColumn(colY), loopColumn(colL), loopColumn(colD), loopColumn(colE)
	p, n, small, at, day := loopColumn(colP), loopColumn(colN), loopColumn(colSmall), loopColumn(colTime), loopColumn(colDay)
	const instant, date = 1_710_000_000_000, 19_500
	return []loopCase{
		{"where int > constant", fn(t, ">", x, num(500)), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.x {
				if v > 500 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int with NULLs > constant", fn(t, ">", n, num(500)), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.n {
				if v > 500 && c.valid[i>>6]>>(i&63)&1 != 0 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int = int", fn(t, "=", x, y), func(c *loopData) {
			sel, y := c.sel[:0], c.y[:len(c.x)]
			for i, v := range c.x {
				if v == y[i] {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where smallint < constant", fn(t, "<", small, lit(types.Of(types.SmallInt).Required(), types.IntValue(100))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.small {
				if v < 100 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where bigint <= constant", fn(t, "<=", l, lit(bigT.Required(), types.IntValue(1<<38))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.l {
				if v <= 1<<38 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where bigint <> constant", fn(t, "<>", l, num(5)), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.l {
				if v != 5 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where double > double", fn(t, ">", d, e), func(c *loopData) {
			sel, e := c.sel[:0], c.e[:len(c.d)]
			for i, v := range c.d {
				if v > e[i] {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where double >= constant", fn(t, ">=", d, lit(types.Of(types.Double).Required(), types.FloatValue(900))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.d {
				if v >= 900 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where double = double", fn(t, "=", d, e), func(c *loopData) {
			sel, e := c.sel[:0], c.e[:len(c.d)]
			for i, v := range c.d {
				if v == e[i] {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where decimal > constant", fn(t, ">", p, lit(types.NewDecimal(3, 1).Required(), types.IntValue(125))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.p {
				if v > 1250 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where timestamp >= constant", fn(t, ">=", at, lit(loopTypes[colTime].Required(), types.IntValue(instant))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.time {
				if v >= instant {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where date = constant", fn(t, "=", day, lit(loopTypes[colDay].Required(), types.IntValue(date))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.day {
				if v == date {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int > constant and int < constant", both(fn(t, ">", x, num(100)), fn(t, "<", y, num(20))), func(c *loopData) {
			sel, y := c.sel[:0], c.y[:len(c.x)]
			for i, v := range c.x {
				if v > 100 && y[i] < 20 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where rare int and int < constant", both(fn(t, "=", x, num(100)), fn(t, "<", y, num(20))), func(c *loopData) {
			sel, y := c.sel[:0], c.y[:len(c.x)]
			for i, v := range c.x {
				if v == 100 && y[i] < 20 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int = constant or int < constant", either(fn(t, "=", x, num(100)), fn(t, "<", y, num(20))), func(c *loopData) {
			sel, y := c.sel[:0], c.y[:len(c.x)]
			for i, v := range c.x {
				if v == 100 || y[i] < 20 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int between", both(fn(t, ">=", x, num(250)), fn(t, "<=", x, num(750))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.x {
				if v >= 250 && v <= 750 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where double between", both(fn(t, ">=", d, num(250)), fn(t, "<=", d, num(750))), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.d {
				if v >= 250 && v <= 750 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int in (2 constants)", fn(t, "IN", x, num(1), num(20)), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.x {
				if v == 1 || v == 20 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int in (4 constants)", fn(t, "IN", x, num(1), num(20), num(300), num(40)), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.x {
				if v == 1 || v == 20 || v == 300 || v == 40 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where bigint in (12 constants)", fn(t, "IN", append([]expr.Expr{l}, twelve()...)...), func(c *loopData) {
			sel := c.sel[:0]
			for i, v := range c.l {
				switch v {
				case 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000:
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int is null", fn(t, "IS NULL", n), func(c *loopData) {
			sel := c.sel[:0]
			for i := range c.n {
				if c.valid[i>>6]>>(i&63)&1 == 0 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where int is not null", fn(t, "IS NOT NULL", n), func(c *loopData) {
			sel := c.sel[:0]
			for i := range c.n {
				if c.valid[i>>6]>>(i&63)&1 != 0 {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"int > constant as a value", fn(t, ">", x, num(500)), func(c *loopData) {
			clear(c.bits)
			for i, v := range c.x {
				if v > 500 {
					c.bits[i>>6] |= 1 << (i & 63)
				}
			}
		}, toBits},
	}
}

// twelve are powers of ten.
func twelve() (list []expr.Expr) {
	for n := int64(1); len(list) < 12; n *= 10 {
		list = append(list, lit(bigT.Required(), types.IntValue(n)))
	}
	return list
}

// conditionLoops are CASE and its relatives.
func conditionLoops(t testing.TB) []loopCase {
	x, y, n, d := loopColumn(colX), loopColumn(colY), loopColumn(colN), loopColumn(colD)
	choose := func(to types.Type, cond, then, or expr.Expr) expr.Expr {
		return &expr.Case{Info: expr.Info{T: to}, Whens: []expr.When{{Cond: cond, Then: then}}, Else: or}
	}
	return []loopCase{
		{"case int", choose(intT, fn(t, ">", x, num(500)), x, y), func(c *loopData) {
			y, o := c.y[:len(c.x)], c.ints[:len(c.x)]
			for i, v := range c.x {
				if v > 500 {
					o[i] = v
				} else {
					o[i] = y[i]
				}
			}
		}, toInts},
		{"case 1 or 0", choose(intT, fn(t, ">", x, num(500)), num(1), num(0)), func(c *loopData) {
			o := c.ints[:len(c.x)]
			for i, v := range c.x {
				if v > 500 {
					o[i] = 1
				} else {
					o[i] = 0
				}
			}
		}, toInts},
		{"case with calculations", choose(types.Of(types.Double), fn(t, ">", x, num(900)), fn(t, "*", d, loopColumn(colE)), d), func(c *loopData) {
			d, e, o := c.d[:len(c.x)], c.e[:len(c.x)], c.doubles[:len(c.x)]
			for i, v := range c.x {
				if v > 900 {
					o[i] = d[i] * e[i]
				} else {
					o[i] = d[i]
				}
			}
		}, toDoubles},
		{"case of three texts", &expr.Case{Info: expr.Info{T: textT}, Whens: []expr.When{
			{Cond: fn(t, "<", x, num(300)), Then: str("low")}, {Cond: fn(t, "<", x, num(600)), Then: str("middle")},
		}, Else: str("high")}, func(c *loopData) {
			data, off := c.data[:0], append(c.off[:0], 0)
			for _, v := range c.x {
				switch {
				case v < 300:
					data = append(data, "low"...)
				case v < 600:
					data = append(data, "middle"...)
				default:
					data = append(data, "high"...)
				}
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"coalesce int, 0", fn(t, "COALESCE", n, num(0)), func(c *loopData) {
			o := c.ints[:len(c.n)]
			for i, v := range c.n {
				if c.valid[i>>6]>>(i&63)&1 == 0 {
					v = 0
				}
				o[i] = v
			}
		}, toInts},
		{"coalesce int, int", fn(t, "COALESCE", n, x), func(c *loopData) {
			x, o := c.x[:len(c.n)], c.ints[:len(c.n)]
			for i, v := range c.n {
				if c.valid[i>>6]>>(i&63)&1 == 0 {
					v = x[i]
				}
				o[i] = v
			}
		}, toInts},
		{"nullif int, constant", fn(t, "NULLIF", x, num(7)), func(c *loopData) {
			o := c.ints[:len(c.x)]
			for k := range c.bits {
				c.bits[k] = ^uint64(0)
			}
			for i, v := range c.x {
				o[i] = v
				if v == 7 {
					c.bits[i>>6] &^= 1 << (i & 63)
				}
			}
		}, toNulls},
		{"greatest of int, int", fn(t, "GREATEST", x, y), func(c *loopData) {
			y, o := c.y[:len(c.x)], c.ints[:len(c.x)]
			for i, v := range c.x {
				o[i] = max(v, y[i])
			}
		}, toInts},
	}
}
