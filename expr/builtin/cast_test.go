package builtin_test

import (
	"strings"
	"testing"

	_ "time/tzdata"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

const null = "<NULL>"

// vector builds a vector from texts, which are read as CAST reads them.
func vector(t *testing.T, typ types.Type, texts ...string) *stream.Vec {
	t.Helper()
	v := new(stream.Vec)
	v.Reset(typ, len(texts))
	for i, text := range texts {
		x := types.NullValue
		if text != null {
			var err error
			if x, err = types.ParseText(typ, text); err != nil {
				t.Fatal(err)
			}
		}
		v.Put(i, len(texts), x)
	}
	return v
}

// cast runs a cast over all rows as eval does: rows that are NULL are left out
// where the kernel can fail.
func cast(t *testing.T, in *stream.Vec, to types.Type, try bool, zone expr.Zone) ([]string, error) {
	t.Helper()
	kernel, canFail, ok := builtin.CastKernel(in.Type, to, try)
	if !ok {
		t.Fatalf("no cast from %v to %v", in.Type, to)
	}
	out := new(stream.Vec)
	out.Reset(to, in.N)
	rows := expr.Rows{N: in.N}
	if in.Valid != nil {
		out.Valid = append([]uint64(nil), in.Valid...)
		if canFail {
			rows.Sel = []int32{}
			for i := range in.N {
				if !in.IsNull(i) {
					rows.Sel = append(rows.Sel, int32(i))
				}
			}
		}
	}
	if err := kernel(&expr.Context{Zone: zone}, []*stream.Vec{in}, out, rows); err != nil {
		return nil, err
	}
	if out.N != in.N {
		t.Fatalf("%v to %v: %d rows out of %d", in.Type, to, out.N, in.N)
	}
	texts := make([]string, out.N)
	for i := range texts {
		texts[i] = null
		if !out.IsNull(i) {
			texts[i] = string(builtin.AppendText(nil, out, i, zone))
		}
	}
	return texts, nil
}

func load(t *testing.T, name string) expr.Zone {
	t.Helper()
	z, err := types.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

var (
	boolean  = types.Of(types.Boolean)
	tinyInt  = types.Of(types.TinyInt)
	smallInt = types.Of(types.SmallInt)
	integer4 = types.Of(types.Int)
	bigInt   = types.Of(types.BigInt)
	float    = types.Of(types.Float)
	double   = types.Of(types.Double)
	text     = types.Of(types.Varchar)
	date     = types.Of(types.Date)
	bytesOf  = types.Of(types.Varbinary)
	dec102   = types.NewDecimal(10, 2)
	dec3818  = types.NewDecimal(38, 18)
	months   = types.Of(types.IntervalMonth)
	millis   = types.Of(types.IntervalDay)
)

func timeType(p int) types.Type { return types.Type{Kind: types.Time, Precision: int32(p)} }

// Expected values are Flink's, from the cases cast-bool, cast-num, cast-bytes,
// cast-time, decimal, float-print-col and cast-interval. Times before 1970 are
// rounded down, where Flink is one day or second late.
func TestCast(t *testing.T) {
	bi := []string{"5000000000", "-10", "9223372036854775807", "-9223372036854775808", "0", null, "1"}
	i := []string{"70000", "-9", "2147483647", "-2147483648", "0", null, "1"}
	ti := []string{"5", "-7", "127", "-128", "0", null, "1"}
	d := []string{"2.25", "-3.75", "1.7976931348623157E308", "4.9E-324", "0.0", null, "0.1"}
	odd := []string{"NaN", "Infinity", "-Infinity", "-0.0", "1E10", "-3E9", "1e19", "123.987", "300"}
	f := []string{"1.5", "-2.5", "3.4028235E38", "1.4E-45", "0", null, "0.1"}
	dc := []string{"123.45", "-99.99", "99999999.99", "-99999999.99", "0.00", null, "0.10"}
	db := []string{"1234567890.123456789012345678", "-0.000000000000000001", "99999999999999999999.999999999999999999", "0.100000000000000000", null}
	b := []string{"TRUE", "FALSE", null}
	s := []string{"ab", "Hello", "é😀", "", null}
	stamps := []string{"2024-02-29 12:34:56.789", "1999-12-31 23:59:59.999", "1970-01-01 00:00:00", "1969-07-20 20:17:40.5", null}
	nanos := []string{"2024-02-29 12:34:56.123456789", "1969-07-20 20:17:40.000000001", null}
	for _, c := range []struct {
		from types.Type
		in   []string
		to   types.Type
		want []string
	}{
		{boolean, b, text, []string{"TRUE", "FALSE", null}},
		{boolean, b, tinyInt, []string{"1", "0", null}},
		{boolean, b, bigInt, []string{"1", "0", null}},
		{boolean, b, double, []string{"1.0", "0.0", null}},
		{boolean, b, types.NewDecimal(5, 2), []string{"1.00", "0.00", null}},
		{boolean, b, types.NewDecimal(2, 2), []string{null, "0.00", null}},
		{boolean, b, types.NewDecimal(30, 2), []string{"1.00", "0.00", null}},
		{boolean, b, types.NewVarchar(3), []string{"TRU", "FAL", null}},
		{boolean, b, boolean, []string{"TRUE", "FALSE", null}},
		{integer4, i, types.NewChar(3), []string{"700", "-9 ", "214", "-21", "0  ", null, "1  "}},
		{integer4, i, boolean, []string{"TRUE", "TRUE", "TRUE", "TRUE", "FALSE", null, "TRUE"}},
		{integer4, i, tinyInt, []string{"112", "-9", "-1", "0", "0", null, "1"}},
		{integer4, i, bigInt, i},
		{integer4, i, float, []string{"70000.0", "-9.0", "2.14748365E9", "-2.14748365E9", "0.0", null, "1.0"}},
		{integer4, i, types.NewDecimal(12, 2), []string{"70000.00", "-9.00", "2147483647.00", "-2147483648.00", "0.00", null, "1.00"}},
		{integer4, i, millis, []string{"+0 00:01:10.000", "-0 00:00:00.009", "+24 20:31:23.647", "-24 20:31:23.648", "+0 00:00:00.000", null, "+0 00:00:00.001"}},
		{integer4, []string{"70000", "-9", null}, months, []string{"+5833-04", "-0-09", null}},
		{bigInt, bi, integer4, []string{"705032704", "-10", "-1", "0", "0", null, "1"}},
		{bigInt, bi, float, []string{"5.0E9", "-10.0", "9.223372E18", "-9.223372E18", "0.0", null, "1.0"}},
		{bigInt, bi, double, []string{"5.0E9", "-10.0", "9.223372036854776E18", "-9.223372036854776E18", "0.0", null, "1.0"}},
		{bigInt, bi, types.NewDecimal(20, 1), []string{"5000000000.0", "-10.0", "9223372036854775807.0", "-9223372036854775808.0", "0.0", null, "1.0"}},
		{bigInt, bi, types.NewDecimal(10, 0), []string{"5000000000", "-10", null, null, "0", null, "1"}},
		{tinyInt, ti, types.NewDecimal(3, 1), []string{"5.0", "-7.0", null, null, "0.0", null, "1.0"}},
		{tinyInt, ti, types.NewDecimal(38, 36), []string{"5.000000000000000000000000000000000000", "-7.000000000000000000000000000000000000", null, null, "0.000000000000000000000000000000000000", null, "1.000000000000000000000000000000000000"}},
		{double, d, text, []string{"2.25", "-3.75", "1.7976931348623157E308", "4.9E-324", "0.0", null, "0.1"}},
		{double, d, types.NewVarchar(4), []string{"2.25", "-3.7", "1.79", "4.9E", "0.0", null, "0.1"}},
		{double, d, boolean, []string{"TRUE", "TRUE", "TRUE", "TRUE", "FALSE", null, "TRUE"}},
		{double, d, integer4, []string{"2", "-3", "2147483647", "0", "0", null, "0"}},
		{double, d, bigInt, []string{"2", "-3", "9223372036854775807", "0", "0", null, "0"}},
		{double, odd, integer4, []string{"0", "2147483647", "-2147483648", "0", "2147483647", "-2147483648", "2147483647", "123", "300"}},
		{double, odd, bigInt, []string{"0", "9223372036854775807", "-9223372036854775808", "0", "10000000000", "-3000000000", "9223372036854775807", "123", "300"}},
		{double, odd, tinyInt, []string{"0", "-1", "0", "0", "-1", "0", "-1", "123", "44"}},
		{double, odd, boolean, []string{"TRUE", "TRUE", "TRUE", "FALSE", "TRUE", "TRUE", "TRUE", "TRUE", "TRUE"}},
		{float, f, integer4, []string{"1", "-2", "2147483647", "0", "0", null, "0"}},
		{float, f, double, []string{"1.5", "-2.5", "3.4028234663852886E38", "1.401298464324817E-45", "0.0", null, "0.10000000149011612"}},
		{float, f, types.NewDecimal(10, 5), []string{"1.50000", "-2.50000", null, "0.00000", "0.00000", null, "0.10000"}},
		{dec102, dc, tinyInt, []string{"123", "-99", "-1", "1", "0", null, "0"}},
		{dec102, dc, integer4, []string{"123", "-99", "99999999", "-99999999", "0", null, "0"}},
		{dec102, dc, types.NewDecimal(10, 1), []string{"123.5", "-100.0", "100000000.0", "-100000000.0", "0.0", null, "0.1"}},
		{dec102, dc, types.NewDecimal(5, 2), []string{"123.45", "-99.99", null, null, "0.00", null, "0.10"}},
		{dec102, dc, types.NewDecimal(12, 4), []string{"123.4500", "-99.9900", "99999999.9900", "-99999999.9900", "0.0000", null, "0.1000"}},
		{dec102, dc, double, []string{"123.45", "-99.99", "9.999999999E7", "-9.999999999E7", "0.0", null, "0.1"}},
		{dec102, dc, float, []string{"123.45", "-99.99", "1.0E8", "-1.0E8", "0.0", null, "0.1"}},
		{dec102, dc, boolean, []string{"TRUE", "TRUE", "TRUE", "TRUE", "FALSE", null, "TRUE"}},
		{dec3818, db, integer4, []string{"1234567890", "0", "1661992959", "0", null}},
		{dec3818, db, bigInt, []string{"1234567890", "0", "7766279631452241919", "0", null}},
		{dec3818, db, types.NewDecimal(20, 2), []string{"1234567890.12", "0.00", null, "0.10", null}},
		{dec3818, db, types.NewDecimal(12, 2), []string{"1234567890.12", "0.00", null, "0.10", null}},
		{dec3818, db, types.NewDecimal(38, 0), []string{"1234567890", "0", "100000000000000000000", "0", null}},
		{dec3818, db, text, db},
		{dec3818, db, boolean, []string{"TRUE", "TRUE", "TRUE", "TRUE", null}},
		{text, s, bytesOf, []string{"x'6162'", "x'48656c6c6f'", "x'c3a9f09f9880'", "x''", null}},
		{text, s, types.Type{Kind: types.Binary, Length: 2}, []string{"x'6162'", "x'4865'", "x'c3a9'", "x'0000'", null}},
		{text, s, types.Type{Kind: types.Varbinary, Length: 2}, []string{"x'6162'", "x'4865'", "x'c3a9'", "x''", null}},
		{text, s, types.NewChar(3), []string{"ab ", "Hel", "é😀 ", "   ", null}},
		{types.Type{Kind: types.Binary, Length: 8}, []string{"ab\x00\x00\x00\x00\x00\x00"}, types.Type{Kind: types.Varbinary, Length: 3}, []string{"x'616200'"}},
		{bytesOf, []string{"Hello", "\xff", null}, text, []string{"Hello", "\uFFFD", null}},
		{bytesOf, []string{"ab"}, types.NewChar(4), []string{"ab  "}},
		{date, []string{"2024-02-29", null}, text, []string{"2024-02-29", null}},
		{date, []string{"2024-02-29", "1969-07-20", null}, types.NewTimestamp(3), []string{"2024-02-29 00:00:00.000", "1969-07-20 00:00:00.000", null}},
		{timeType(3), []string{"12:34:56.789"}, types.NewTimestamp(3), []string{"1970-01-01 12:34:56.789"}},
		{timeType(3), []string{"12:34:56.789"}, timeType(0), []string{"12:34:56"}},
		{timeType(0), []string{"12:34:56"}, timeType(3), []string{"12:34:56.0"}},
		{types.NewTimestamp(9), nanos, types.NewTimestamp(3), []string{"2024-02-29 12:34:56.123", "1969-07-20 20:17:40.000", null}},
		{types.NewTimestamp(9), nanos, types.NewTimestamp(0), []string{"2024-02-29 12:34:56", "1969-07-20 20:17:40", null}},
		{types.NewTimestamp(9), nanos, types.NewTimestamp(8), []string{"2024-02-29 12:34:56.12345678", "1969-07-20 20:17:40.00000000", null}},
		{types.NewTimestamp(3), stamps, types.NewTimestamp(9), []string{"2024-02-29 12:34:56.789000000", "1999-12-31 23:59:59.999000000", "1970-01-01 00:00:00.000000000", "1969-07-20 20:17:40.500000000", null}},
		{types.NewTimestamp(3), stamps, types.NewVarchar(10), []string{"2024-02-29", "1999-12-31", "1970-01-01", "1969-07-20", null}},
		{types.NewTimestamp(3), stamps, date, []string{"2024-02-29", "1999-12-31", "1970-01-01", "1969-07-20", null}},
		{types.NewTimestamp(3), stamps, timeType(0), []string{"12:34:56", "23:59:59", "00:00:00", "20:17:40", null}},
		{types.NewTimestamp(3), stamps, timeType(3), []string{"12:34:56.789", "23:59:59.999", "00:00:00.0", "20:17:40.5", null}},
		{types.NewTimestampLTZ(3), stamps, types.NewTimestampLTZ(0), []string{"2024-02-29 12:34:56", "1999-12-31 23:59:59", "1970-01-01 00:00:00", "1969-07-20 20:17:40", null}},
		{millis, []string{}, text, []string{}},
	} {
		got, err := cast(t, vector(t, c.from, c.in...), c.to, false, nil)
		if err != nil {
			t.Errorf("%v to %v: %v", c.from, c.to, err)
			continue
		}
		if g, w := strings.Join(got, " | "), strings.Join(c.want, " | "); g != w {
			t.Errorf("%v to %v:\n got %s\nwant %s", c.from, c.to, g, w)
		}
	}
}

// Flink cases cast-str-num and cast-str-time: the parsers have tables of their
// own, here each type is met once.
func TestTryCastText(t *testing.T) {
	for _, c := range []struct {
		to       types.Type
		in, want []string
	}{
		{tinyInt, []string{" 12 ", "128", null, "x"}, []string{"12", null, null, null}},
		{smallInt, []string{"32767", "40000"}, []string{"32767", null}},
		{integer4, []string{"1.5", "1e3"}, []string{"1", null}},
		{bigInt, []string{"9223372036854775807", "9223372036854775808"}, []string{"9223372036854775807", null}},
		{float, []string{"NaN", "0.1", "abc"}, []string{"NaN", "0.1", null}},
		{double, []string{"1d", "1E400", ""}, []string{"1.0", "Infinity", null}},
		{types.NewDecimal(5, 0), []string{"1.5", "2147483648"}, []string{"2", null}},
		{types.NewDecimal(38, 10), []string{"１２", "abc"}, []string{"12.0000000000", null}},
		{boolean, []string{"yes", "N", "on", null}, []string{"TRUE", "FALSE", null, null}},
		{date, []string{"2024-2-9", "2024-02-30"}, []string{"2024-02-09", null}},
		{timeType(0), []string{"12:34:56.789", "24:00:00"}, []string{"12:34:56", null}},
		{timeType(1), []string{"12:34:56.789"}, []string{"12:34:56.7"}},
		{types.NewTimestamp(3), []string{"2024-02-29 24:00:00", "2024-02-29T12:34:56"}, []string{"2024-03-01 00:00:00.000", null}},
		{types.NewTimestampLTZ(3), []string{"2024-02-29", "12"}, []string{"2024-02-29 00:00:00.000", null}},
		{types.NewTimestamp(9), []string{"9999-12-31 00:00:00", "2024-01-01"}, []string{null, "2024-01-01 00:00:00.000000000"}},
	} {
		got, err := cast(t, vector(t, text, c.in...), c.to, true, nil)
		if err != nil {
			t.Errorf("%v: %v", c.to, err)
			continue
		}
		if g, w := strings.Join(got, " | "), strings.Join(c.want, " | "); g != w {
			t.Errorf("text to %v: got %s, want %s", c.to, g, w)
		}
	}
}

// Flink cases cast-time-tz (Europe/Berlin) and tz-new-york.
func TestCastZone(t *testing.T) {
	berlin, newYork := load(t, "Europe/Berlin"), load(t, "America/New_York")
	ltz3 := types.NewTimestampLTZ(3)
	for _, c := range []struct {
		zone expr.Zone
		from types.Type
		in   string
		to   types.Type
		want string
	}{
		// Instants are written in UTC.
		{berlin, ltz3, "2024-02-29 12:34:56.789", text, "2024-02-29 13:34:56.789"},
		{berlin, ltz3, "1999-12-31 23:59:59.999", types.NewTimestamp(3), "2000-01-01 00:59:59.999"},
		{berlin, ltz3, "1999-12-31 23:59:59.999", date, "2000-01-01"},
		{berlin, ltz3, "2023-03-26 01:30:00", text, "2023-03-26 03:30:00.000"},
		{berlin, ltz3, "2023-03-26 01:30:00", timeType(0), "03:30:00"},
		{berlin, types.NewTimestamp(3), "2024-02-29 12:34:56.789", ltz3, "2024-02-29 12:34:56.789"},
		{berlin, types.NewTimestamp(3), "2024-03-31 02:30:00", ltz3, "2024-03-31 03:30:00.000"},
		{berlin, text, "2024-10-27 02:30:00", ltz3, "2024-10-27 02:30:00.000"},
		{berlin, date, "2024-03-31", types.NewTimestampLTZ(0), "2024-03-31 00:00:00"},
		{newYork, text, "2024-03-10 02:30:00", ltz3, "2024-03-10 03:30:00.000"},
		{newYork, ltz3, "1970-01-01 00:00:00", date, "1969-12-31"},
		{newYork, ltz3, "2023-03-26 01:30:00", date, "2023-03-25"},
	} {
		got, err := cast(t, vector(t, c.from, c.in), c.to, false, c.zone)
		if err != nil {
			t.Errorf("%s %v to %v: %v", c.in, c.from, c.to, err)
			continue
		}
		if got[0] != c.want {
			t.Errorf("%s %v to %v in %s = %s, want %s", c.in, c.from, c.to, c.zone.Name(), got[0], c.want)
		}
	}
}

func TestCastErrors(t *testing.T) {
	for _, c := range []struct {
		from types.Type
		in   string
		to   types.Type
		want string
	}{
		{text, "abc", integer4, "cannot cast 'abc' to INT"},
		{text, "2147483648", integer4, "cannot cast '2147483648' to INT: out of range"},
		{text, "", double, "cannot cast '' to DOUBLE"},
		{text, "on", boolean, "cannot cast 'on' to BOOLEAN"},
		{text, "2024-02-30", date, "cannot cast '2024-02-30' to DATE: no such day"},
		{text, strings.Repeat("é", 100), integer4, "cannot cast '" + strings.Repeat("é", 64) + "...' to INT"},
		{double, "NaN", dec102, "cannot cast NaN to DECIMAL(10, 2)"},
		{types.NewDecimal(7, 3), "99.995", types.NewDecimal(3, 2).Required(), "cannot cast 99.995 to DECIMAL(3, 2): out of range"},
		{types.NewTimestamp(3), "9999-12-31 00:00:00", types.NewTimestamp(9), "cannot cast '9999-12-31 00:00:00.000' to TIMESTAMP(9): out of range"},
	} {
		in := vector(t, c.from, null, c.in)
		_, err := cast(t, in, c.to, false, nil)
		e, ok := err.(*expr.RowError)
		if !ok {
			t.Errorf("%q to %v: %v", c.in, c.to, err)
			continue
		}
		if e.Msg != c.want || e.Row != 1 {
			t.Errorf("row %d: %s\nwant 1: %s", e.Row, e.Msg, c.want)
		}
		if got, err := cast(t, in, c.to, true, nil); err != nil || got[1] != null {
			t.Errorf("TRY_CAST of %q to %v = %v, %v", c.in, c.to, got, err)
		}
	}
}

// Flink's matrix: 6.3 of its documentation as run, and the cases cast-bool,
// cast-num, cast-bytes, cast-time and cast-interval.
func TestCastMatrix(t *testing.T) {
	all := []types.Type{boolean, tinyInt, integer4, bigInt, float, double, dec102, types.NewChar(3), text, bytesOf,
		date, timeType(0), types.NewTimestamp(3), types.NewTimestampLTZ(3), months, millis}
	marks := "boolean tiny int big float double decimal char text bytes date time timestamp ltz months millis"
	// x: accepted
	want := map[string]string{
		"boolean":   "xxxxxxxxx.......",
		"tiny":      "xxxxxxxxx.....xx",
		"int":       "xxxxxxxxx.....xx",
		"big":       "xxxxxxxxx.....xx",
		"float":     "xxxxxxxxx.......",
		"double":    "xxxxxxxxx.......",
		"decimal":   "xxxxxxxxx.......",
		"char":      "xxxxxxxxxxxxxx..",
		"text":      "xxxxxxxxxxxxxx..",
		"bytes":     ".......xxx......",
		"date":      ".......xx.x.xx..",
		"time":      ".......xx..xxx..",
		"timestamp": ".......xx.xxxx..",
		"ltz":       ".......xx.xxxx..",
		"months":    ".......xx.....x.",
		"millis":    ".......xx......x",
	}
	for i, name := range strings.Fields(marks) {
		got := ""
		for _, to := range all {
			if builtin.CanCast(all[i], to) {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != want[name] {
			t.Errorf("from %-9s %s, want %s", name, got, want[name])
		}
	}
	ints, texts := types.NewArray(integer4), types.NewArray(text)
	rows := types.NewRow(types.Field{Name: "a", Type: integer4})
	for _, c := range []struct {
		from, to types.Type
		want     bool
	}{
		{ints, text, true}, {ints, texts, true}, {texts, ints, true}, {rows, types.NewRow(types.Field{Name: "b", Type: text}), true},
		{types.NewMap(text, integer4), types.NewMap(integer4, text), true}, {text, ints, false}, {integer4, ints, false}, {ints, integer4, false},
		{ints, bytesOf, false}, {ints, rows, false}, {rows, types.NewRow(), false}, {ints, types.NewMultiset(integer4), false},
		{types.NewArray(date), types.NewArray(integer4), false}, {types.NewMap(text, date), types.NewMap(text, integer4), false},
	} {
		if got := builtin.CanCast(c.from, c.to); got != c.want {
			t.Errorf("from %v to %v: %v", c.from, c.to, got)
		}
	}
	if !builtin.CanCast(types.Type{}, date) {
		t.Error("NULL cannot be cast")
	}
	if builtin.CastHint(bigInt, types.NewTimestampLTZ(3)) == "" || builtin.CastHint(types.NewTimestamp(3), bigInt) == "" {
		t.Error("no hint between numbers and timestamps")
	}
}

func TestImplicitCast(t *testing.T) {
	for _, c := range []struct {
		from, to types.Type
		want     bool
	}{
		{tinyInt, bigInt, true},
		{bigInt, integer4, false},
		{bigInt, float, true},
		{double, float, false},
		{float, double, true},
		{dec102, double, true},
		{integer4, dec102, true},
		{double, dec102, true},
		{float, dec102, true},
		{dec102, float, true},
		{dec102, types.NewDecimal(5, 0), true},
		{types.NewChar(3), text, true},
		{text, types.NewChar(3), false},
		{text, integer4, false},
		{integer4, text, false},
		{types.NewTimestamp(3), types.NewTimestampLTZ(3), true},
		{types.NewTimestamp(6), types.NewTimestamp(3), true},
		{date, types.NewTimestamp(3), false},
		{types.Type{}, date, true},
		{boolean, integer4, false},
	} {
		if got := builtin.ImplicitCast(c.from, c.to); got != c.want {
			t.Errorf("%v to %v: %v", c.from, c.to, got)
		}
	}
}

// A selection computes only its rows; text keeps all positions.
func TestCastSelection(t *testing.T) {
	in := vector(t, text, "1", "x", "3", null, "5")
	kernel, _, _ := builtin.CastKernel(text, integer4, false)
	out := new(stream.Vec)
	out.Reset(integer4, 5)
	if err := kernel(&expr.Context{}, []*stream.Vec{in}, out, expr.Rows{N: 5, Sel: []int32{0, 4}}); err != nil {
		t.Fatal(err)
	}
	if o := stream.Values[int32](out); o[0] != 1 || o[4] != 5 {
		t.Errorf("got %v", o)
	}
	kernel, _, _ = builtin.CastKernel(integer4, text, false)
	in = vector(t, integer4, "1", "2", "3", "4", "5")
	out.Reset(text, 5)
	if err := kernel(&expr.Context{}, []*stream.Vec{in}, out, expr.Rows{N: 5, Sel: []int32{1, 3}}); err != nil {
		t.Fatal(err)
	}
	if got := string(out.Data); got != "24" || out.N != 5 || len(out.Off) != 6 {
		t.Errorf("data %q, %d rows", got, out.N)
	}
}

func TestCastConstant(t *testing.T) {
	for _, to := range []types.Type{bigInt, double, dec102, dec3818, text, boolean} {
		in := new(stream.Vec)
		in.SetConst(integer4, types.IntValue(7))
		kernel, _, _ := builtin.CastKernel(integer4, to, false)
		out := new(stream.Vec)
		out.Reset(to, 3)
		if err := kernel(&expr.Context{}, []*stream.Vec{in}, out, expr.Rows{N: 3}); err != nil {
			t.Fatal(err)
		}
		first := string(builtin.AppendText(nil, out, 0, nil))
		if last := string(builtin.AppendText(nil, out, 2, nil)); last != first || !strings.HasPrefix(first, "7") && first != "TRUE" {
			t.Errorf("%v: %s and %s", to, first, last)
		}
	}
}

func TestAppendText(t *testing.T) {
	v := vector(t, bytesOf, "\x00\xff", null)
	if got := string(builtin.AppendText(nil, v, 0, nil)); got != "x'00ff'" {
		t.Errorf("bytes print as %s", got)
	}
	if got := builtin.AppendText(nil, v, 1, nil); len(got) != 0 {
		t.Errorf("NULL prints as %q", got)
	}
	dict := vector(t, text, "a", "b")
	ids := vector(t, integer4, "1", "0", "1")
	v = &stream.Vec{Type: text, Enc: stream.Dict, N: 3, Data: ids.Data, Dict: dict}
	got := ""
	for i := range 3 {
		got += string(builtin.AppendText(nil, v, i, nil))
	}
	if got != "bab" {
		t.Errorf("dictionary prints as %s", got)
	}
}

// Casts allocate nothing per row.
func TestCastAllocations(t *testing.T) {
	const n = 512
	fill := func(typ types.Type, s string) *stream.Vec {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = s
		}
		return vector(t, typ, texts...)
	}
	ctx := &expr.Context{Zone: load(t, "Europe/Berlin")}
	for _, c := range []struct {
		in *stream.Vec
		to types.Type
	}{
		{fill(integer4, "7"), bigInt},
		{fill(double, "7.5"), integer4},
		{fill(double, "7.5"), dec102},
		{fill(dec3818, "7.5"), dec102},
		{fill(text, "7.5"), dec3818},
		{fill(text, "2024-01-01 00:00:00"), types.NewTimestampLTZ(3)},
		{fill(types.NewTimestampLTZ(3), "2024-01-01 00:00:00"), text},
		{fill(double, "7.5"), types.NewChar(10)},
	} {
		kernel, _, _ := builtin.CastKernel(c.in.Type, c.to, false)
		out := new(stream.Vec)
		args := []*stream.Vec{c.in}
		run := func() {
			out.Reset(c.to, n)
			if err := kernel(ctx, args, out, expr.Rows{N: n}); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if a := testing.AllocsPerRun(20, run); a > 4 {
			t.Errorf("%v to %v: %v allocations for %d rows", c.in.Type, c.to, a, n)
		}
	}
}
