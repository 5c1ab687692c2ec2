package eval

import (
	"bytes"
	"errors"
	"strconv"
	"testing"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// textLoops are functions and conditions of texts. Texts may hold any character: the
// loops have a way for those that are not ASCII, as a person would write it.
func textLoops(t testing.TB) []loopCase {
	s, word, digits, spaced := loopColumn(colText), loopColumn(colWord), loopColumn(colDigits), loopColumn(colSpaced)
	choose := func(of func(c *loopData) *stream.Vec, keep func(data []byte, off, sel []int32) []int32) func(c *loopData) {
		return func(c *loopData) {
			v := of(c)
			c.sel = keep(v.Data, v.Off, c.sel[:0])
		}
	}
	text := func(c *loopData) *stream.Vec { return c.text }
	return []loopCase{
		{"where text = constant", fn(t, "=", s, str("item-77-large")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if string(data[off[i]:off[i+1]]) == "item-77-large" {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text <> constant", fn(t, "<>", word, str("k7")), choose(func(c *loopData) *stream.Vec { return c.word }, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if string(data[off[i]:off[i+1]]) != "k7" {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text < constant", fn(t, "<", s, str("item-5")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if string(data[off[i]:off[i+1]]) < "item-5" {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text = text", fn(t, "=", s, digits), func(c *loopData) {
			a, b, sel := c.text, c.digits, c.sel[:0]
			for i := range loopRows {
				if bytes.Equal(a.Data[a.Off[i]:a.Off[i+1]], b.Data[b.Off[i]:b.Off[i+1]]) {
					sel = append(sel, int32(i))
				}
			}
			c.sel = sel
		}, toRows},
		{"where text in (3 constants)", fn(t, "IN", s, str("item-1-large"), str("item-20-large"), str("item-300-large")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if b := string(data[off[i]:off[i+1]]); b == "item-1-large" || b == "item-20-large" || b == "item-300-large" {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text like 'item-1%'", fn(t, "LIKE", s, str("item-1%")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if bytes.HasPrefix(data[off[i]:off[i+1]], []byte("item-1")) {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text like '%7-large'", fn(t, "LIKE", s, str("%7-large")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if bytes.HasSuffix(data[off[i]:off[i+1]], []byte("7-large")) {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text like '%7-la%'", fn(t, "LIKE", s, str("%7-la%")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if bytes.Contains(data[off[i]:off[i+1]], []byte("7-la")) {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"where text like 'item-1%large'", fn(t, "LIKE", s, str("item-1%large")), choose(text, func(data []byte, off, sel []int32) []int32 {
			for i := range loopRows {
				if b := data[off[i]:off[i+1]]; len(b) >= 11 && bytes.HasPrefix(b, []byte("item-1")) && bytes.HasSuffix(b, []byte("large")) {
					sel = append(sel, int32(i))
				}
			}
			return sel
		}), toRows},
		{"char_length", fn(t, "CHAR_LENGTH", s), func(c *loopData) {
			o, data, off := c.ints, c.text.Data, c.text.Off
			for i := range loopRows {
				o[i] = int32(utf8.RuneCount(data[off[i]:off[i+1]]))
			}
		}, toInts},
		{"upper", fn(t, "UPPER", s), textLoop(text, func(dst, b []byte) []byte {
			for i, ch := range b {
				switch {
				case ch >= utf8.RuneSelf:
					return append(dst, bytes.ToUpper(b[i:])...)
				case 'a' <= ch && ch <= 'z':
					ch -= 'a' - 'A'
				}
				dst = append(dst, ch)
			}
			return dst
		}), toTexts},
		{"substring", fn(t, "SUBSTRING", s, num(3), num(4)), textLoop(text, func(dst, b []byte) []byte {
			from := skipCharacters(b, 2)
			return append(dst, b[from:from+skipCharacters(b[from:], 4)]...)
		}), toTexts},
		{"trim", fn(t, "TRIM", spaced), textLoop(func(c *loopData) *stream.Vec { return c.spaced }, func(dst, b []byte) []byte {
			for len(b) > 0 && b[0] == ' ' {
				b = b[1:]
			}
			for len(b) > 0 && b[len(b)-1] == ' ' {
				b = b[:len(b)-1]
			}
			return append(dst, b...)
		}), toTexts},
		{"text || text", fn(t, "||", s, word), func(c *loopData) {
			a, b, data, off := c.text, c.word, c.data[:0], append(c.off[:0], 0)
			for i := range loopRows {
				data = append(data, a.Data[a.Off[i]:a.Off[i+1]]...)
				data = append(data, b.Data[b.Off[i]:b.Off[i+1]]...)
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"concat of text, constant, text", fn(t, "CONCAT", s, str("-"), word), func(c *loopData) {
			a, b, data, off := c.text, c.word, c.data[:0], append(c.off[:0], 0)
			for i := range loopRows {
				data = append(data, a.Data[a.Off[i]:a.Off[i+1]]...)
				data = append(data, '-')
				data = append(data, b.Data[b.Off[i]:b.Off[i+1]]...)
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"replace", fn(t, "REPLACE", s, str("large"), str("small")), textLoop(text, func(dst, b []byte) []byte {
			for {
				k := bytes.Index(b, []byte("large"))
				if k < 0 {
					return append(dst, b...)
				}
				dst = append(append(dst, b[:k]...), "small"...)
				b = b[k+5:]
			}
		}), toTexts},
		{"cast int to string", castTo(loopColumn(colX), textT), func(c *loopData) {
			data, off := c.data[:0], append(c.off[:0], 0)
			for _, v := range c.x {
				data = strconv.AppendInt(data, int64(v), 10)
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"cast bigint to string", castTo(loopColumn(colL), textT), func(c *loopData) {
			data, off := c.data[:0], append(c.off[:0], 0)
			for _, v := range c.l {
				data = strconv.AppendInt(data, v, 10)
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"cast double to string", castTo(loopColumn(colD), textT), func(c *loopData) {
			data, off := c.data[:0], append(c.off[:0], 0)
			for _, v := range c.d { // the form that Java prints
				data = types.AppendDouble(data, v)
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"cast string to int", castTo(digits, intT), func(c *loopData) {
			o, data, off := c.ints, c.digits.Data, c.digits.Off
			for i := range loopRows {
				v, err := readInt(data[off[i]:off[i+1]])
				if err != nil {
					panic(err)
				}
				o[i] = v
			}
		}, toInts},
	}
}

// textLoop appends to one buffer what f makes of each text.
func textLoop(of func(c *loopData) *stream.Vec, f func(dst, b []byte) []byte) func(c *loopData) {
	return func(c *loopData) {
		v, data, off := of(c), c.data[:0], append(c.off[:0], 0)
		for i := range loopRows {
			data = f(data, v.Data[v.Off[i]:v.Off[i+1]])
			off = append(off, int32(len(data)))
		}
		c.data, c.off = data, off
	}
}

// skipCharacters returns the length of the first n characters of b.
func skipCharacters(b []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(b); n-- {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRune(b[i:])
		i += w
	}
	return i
}

// readInt reads a number of at most nine digits, or any by the way of the library.
func readInt(b []byte) (int32, error) {
	if len(b) == 0 {
		return 0, errors.New("no digits")
	}
	if len(b) > 9 {
		v, err := strconv.ParseInt(string(b), 10, 32)
		return int32(v), err
	}
	n := int32(0)
	for _, ch := range b {
		if ch < '0' || ch > '9' {
			return 0, errors.New("not a digit")
		}
		n = n*10 + int32(ch-'0')
	}
	return n, nil
}

// timeLoops are functions of times.
func timeLoops(t testing.TB) []loopCase {
	at, day := loopColumn(colTime), loopColumn(colDay)
	interval := lit(types.Of(types.IntervalDay).Required(), types.IntValue(2000))
	truncated := func(unit int64) func(c *loopData) {
		return func(c *loopData) {
			o := c.longs[:len(c.time)]
			for i, v := range c.time {
				rest := v % unit
				if rest < 0 {
					rest += unit
				}
				o[i] = v - rest
			}
		}
	}
	dayOf := func(ms int64) int64 {
		d := ms / types.MillisPerDay
		if ms%types.MillisPerDay < 0 {
			d--
		}
		return d
	}
	extract := func(unit string, of expr.Expr) expr.Expr { return fn(t, "EXTRACT", str(unit), of) }
	return []loopCase{
		{"timestamp - interval", fn(t, "-", at, interval), func(c *loopData) {
			o := c.longs[:len(c.time)]
			for i, v := range c.time {
				o[i] = v - 2000
			}
		}, toLongs},
		{"floor to minute", fn(t, "FLOOR", at, str("MINUTE")), truncated(types.MillisPerMinute), toLongs},
		{"floor to day", fn(t, "FLOOR", at, str("DAY")), truncated(types.MillisPerDay), toLongs},
		{"floor to month", fn(t, "FLOOR", at, str("MONTH")), func(c *loopData) {
			o := c.longs[:len(c.time)]
			for i, v := range c.time {
				d := dayOf(v)
				_, _, day := types.Civil(d)
				o[i] = (d - int64(day) + 1) * types.MillisPerDay
			}
		}, toLongs},
		{"extract hour", extract("HOUR", at), func(c *loopData) {
			o := c.longs[:len(c.time)]
			for i, v := range c.time {
				rest := v % types.MillisPerDay
				if rest < 0 {
					rest += types.MillisPerDay
				}
				o[i] = rest / types.MillisPerHour
			}
		}, toLongs},
		{"extract year", extract("YEAR", at), func(c *loopData) {
			o := c.longs[:len(c.time)]
			for i, v := range c.time {
				y, _, _ := types.Civil(dayOf(v))
				o[i] = int64(y)
			}
		}, toLongs},
		{"extract month of a date", extract("MONTH", day), func(c *loopData) {
			o := c.longs[:len(c.day)]
			for i, v := range c.day {
				_, m, _ := types.Civil(int64(v))
				o[i] = int64(m)
			}
		}, toLongs},
		{"extract epoch", extract("EPOCH", at), func(c *loopData) {
			o := c.longs[:len(c.time)]
			for i, v := range c.time {
				s := v / 1000
				if v%1000 < 0 {
					s--
				}
				o[i] = s
			}
		}, toLongs},
		{"timestampdiff in seconds", fn(t, "TIMESTAMPDIFF", str("SECOND"), lit(loopTypes[colTime].Required(), types.IntValue(1_700_000_000_000)), at), func(c *loopData) {
			o := c.ints[:len(c.time)]
			for i, v := range c.time {
				o[i] = int32((v - 1_700_000_000_000) / 1000)
			}
		}, toInts},
		{"date_format", fn(t, "DATE_FORMAT", at, str("yyyy-MM-dd HH:mm")), func(c *loopData) {
			data, off := c.data[:0], append(c.off[:0], 0)
			for _, v := range c.time {
				d := dayOf(v)
				rest := v - d*types.MillisPerDay
				y, m, day := types.Civil(d)
				h, minute := rest/types.MillisPerHour, rest/types.MillisPerMinute%60
				if y < 1000 || y > 9999 {
					panic("another number of digits")
				}
				data = append(data, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-',
					byte('0'+m/10), byte('0'+m%10), '-', byte('0'+day/10), byte('0'+day%10), ' ',
					byte('0'+h/10), byte('0'+h%10), ':', byte('0'+minute/10), byte('0'+minute%10))
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"cast timestamp to string", castTo(at, textT), func(c *loopData) {
			data, off := c.data[:0], append(c.off[:0], 0)
			for _, v := range c.time {
				data = types.AppendTimestamp(data, v, 1000, 3)
				off = append(off, int32(len(data)))
			}
			c.data, c.off = data, off
		}, toTexts},
		{"cast timestamp to date", castTo(at, types.Of(types.Date)), func(c *loopData) {
			o := c.ints[:len(c.time)]
			for i, v := range c.time {
				o[i] = int32(dayOf(v))
			}
		}, toInts},
	}
}
