package builtin_test

import (
	"strings"
	"testing"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func TestExtract(t *testing.T) {
	one := func(unit, typ string, rows ...string) {
		t.Helper()
		for i, r := range rows {
			rows[i] = unit + "|" + r
		}
		check(t, fcase{"EXTRACT", "s' " + typ, "BIGINT", rows}, nil)
	}
	one("YEAR", "t3", "2024-02-29 12:34:56.789|2024", "1969-07-20 20:17:40.500|1969", "∅|∅")
	one("QUARTER", "dt", "2024-02-29|1", "1999-12-31|4")
	one("WEEK", "dt", "2024-02-29|9", "1999-12-31|52", "1970-01-01|1", "1969-07-20|29", "2020-12-31|53", "2021-01-03|53", "2021-01-04|1")
	one("DOW", "dt", "2024-02-29|5", "2024-03-03|1", "1970-01-01|5", "1969-07-20|1")
	one("ISODOW", "t3", "2024-02-29 00:00:00|4", "1970-01-04 00:00:00|7")
	one("ISOYEAR", "dt", "2021-01-03|2020", "2024-12-30|2025")
	one("DOY", "dt", "2024-02-29|60", "1999-12-31|365")
	one("HOUR", "t3", "2024-02-29 12:34:56.789|12", "1969-07-20 20:17:40.500|20")
	one("MINUTE", "t9", "2024-02-29 12:34:56.789|34", "1969-07-20 20:17:40.000000001|17")
	one("SECOND", "t6", "2024-02-29 12:34:56.123456|56", "1969-07-20 20:17:40.500001|40")
	one("MILLISECOND", "t3", "2024-02-29 12:34:56.789|789")
	one("MICROSECOND", "t6", "2024-02-29 12:34:56.123456|123456", "1969-07-20 20:17:40.500001|500001")
	one("NANOSECOND", "t9", "2024-02-29 12:34:56.123456789|123456789")
	one("NANOSECOND", "t3", "2024-02-29 12:34:56.789|789000000")
	one("MILLISECOND", "tm", "12:34:56|0")
	one("HOUR", "tm", "12:34:56|12")
	one("HOUR", "dt", "2024-02-29|0")
	one("EPOCH", "t3", "2024-02-29 12:34:56.789|1709210096", "1969-12-31 23:59:59.500|-1")
	one("EPOCH", "dt", "2024-02-29|1709164800")
	one("DECADE", "dt", "2024-02-29|202", "1969-07-20|196")
	one("CENTURY", "dt", "2001-01-01|21", "2000-12-31|20")
	one("MILLENNIUM", "dt", "2024-02-29|3", "2000-12-31|2")
	checkAll(t, []fcase{
		{"YEAR", "dt", "BIGINT", []string{"2024-02-29|2024", "∅|∅"}}, {"MONTH", "t3", "BIGINT", []string{"2024-02-29 00:00:00|2"}},
		{"DAYOFMONTH", "dt", "", []string{"2024-02-29|29"}}, {"DAYOFWEEK", "dt", "", []string{"2024-02-29|5"}},
		{"DAYOFYEAR", "t9", "", []string{"2024-02-29 00:00:00|60"}}, {"SECOND", "l3", "", []string{"2024-02-29 12:34:56|56"}},
	})
	refuses(t, "EXTRACT", "'YEAR tm", "cannot take YEAR")
	refuses(t, "EXTRACT", "'MICROSECOND tm", "cannot take MICROSECOND")
	refuses(t, "EXTRACT", "'FORTNIGHT dt", "the unit FORTNIGHT")
	refuses(t, "EXTRACT", "'YEAR s", "a time as argument 2")
	refuses(t, "YEAR", "s", "a time")
}

func TestFloorTime(t *testing.T) {
	for _, c := range []string{
		"FLOOR t3 YEAR 2024-02-29 12:34:56.789 2024-01-01 00:00:00.000", "FLOOR t3 QUARTER 1999-12-31 23:59:59.999 1999-10-01 00:00:00.000",
		"FLOOR t3 WEEK 2024-02-29 12:34:56.789 2024-02-25 00:00:00.000", "FLOOR t3 WEEK 1970-01-01 00:00:00.000 1969-12-28 00:00:00.000",
		"FLOOR t3 DAY 1969-07-20 20:17:40.500 1969-07-20 00:00:00.000", "FLOOR t3 MINUTE 2024-02-29 12:34:56.789 2024-02-29 12:34:00.000",
		"FLOOR t3 CENTURY 1999-12-31 23:59:59.999 1901-01-01 00:00:00.000", "FLOOR t3 MILLENNIUM 1999-12-31 23:59:59.999 1001-01-01 00:00:00.000",
		"FLOOR t3 DECADE 1999-12-31 23:59:59.999 1990-01-01 00:00:00.000", "CEIL t3 DECADE 2024-02-29 12:34:56.789 2030-01-01 00:00:00.000",
		"CEIL t3 YEAR 1970-01-01 00:00:00.000 1970-01-01 00:00:00.000", "CEIL t3 MONTH 1999-12-31 23:59:59.999 2000-01-01 00:00:00.000",
		"CEIL t3 WEEK 2024-02-29 12:34:56.789 2024-03-03 00:00:00.000", "CEIL t3 DAY 2024-02-29 12:34:56.789 2024-03-01 00:00:00.000",
		"CEIL t3 SECOND 1969-07-20 20:17:40.500 1969-07-20 20:17:41.000", "FLOOR t9 MILLISECOND 2024-02-29 12:34:56.123456789 2024-02-29 12:34:56.123000000",
		"CEIL t9 SECOND 2024-02-29 12:34:56.123456789 2024-02-29 12:34:57.000000000", "FLOOR t9 SECOND 1969-07-20 20:17:40.000000001 1969-07-20 20:17:40.000000000",
	} {
		f := strings.Fields(c)
		check(t, fcase{f[0], f[1] + " s'", "", []string{f[3] + " " + f[4] + "|" + f[2] + "|" + f[5] + " " + f[6], "∅|" + f[2] + "|∅"}}, nil)
	}
	checkAll(t, []fcase{
		{"FLOOR", "dt s'", "DATE", []string{"2024-02-29|QUARTER|2024-01-01", "2024-02-29|CENTURY|2001-01-01", "2024-02-29|HOUR|2024-02-29", "1969-07-20|WEEK|1969-07-20"}},
		{"CEIL", "dt s'", "DATE", []string{"2024-02-29|MONTH|2024-03-01", "2024-03-03|WEEK|2024-03-03", "1999-12-31|QUARTER|2000-01-01"}},
		{"FLOOR", "tm s'", "TIME(0)", []string{"12:44:31|MINUTE|12:44:00", "12:44:31|DAY|12:44:31"}},
		{"CEIL", "tm s'", "TIME(0)", []string{"12:44:31|MINUTE|12:45:00", "23:59:59|HOUR|24:00:00"}},
	})
	refuses(t, "FLOOR", "t3 'MICROSECOND", "MICROSECOND")
}

func TestMoveTime(t *testing.T) {
	interval := func(name string, k types.Kind) {
		typeNames[name] = types.Of(k)
	}
	interval("iv", types.IntervalDay)
	interval("im", types.IntervalMonth)
	checks := []struct {
		fn, typ string
		at      string
		by      int64
		want    string
	}{
		{"+", "dt", "2024-01-31", 1, "2024-02-29"}, {"-", "dt", "2024-03-31", 1, "2024-02-29"}, {"+", "dt", "2024-02-29", 12, "2025-02-28"},
		{"-", "t3", "1970-01-01 00:00:00.000", 1, "1969-12-01 00:00:00.000"}, {"+", "t9", "2024-01-31 12:34:56.123456789", 1, "2024-02-29 12:34:56.123456789"},
	}
	for _, c := range checks {
		moved(t, c.fn, typeNames[c.typ], c.at, typeNames["im"], c.by, c.want)
	}
	const hour = 3600 * 1000
	for _, c := range []struct {
		fn, typ, at string
		by          int64
		want        string
	}{
		{"+", "dt", "2024-02-29", 25 * hour, "2024-03-01"}, {"-", "dt", "2024-02-29", hour, "2024-02-29"}, {"-", "dt", "2024-02-29", 25 * hour, "2024-02-28"},
		{"+", "t3", "1969-07-20 20:17:40.500", 24 * hour, "1969-07-21 20:17:40.500"}, {"-", "t6", "1970-01-01 00:00:00", 500, "1969-12-31 23:59:59.500000"},
		{"+", "t9", "2024-02-29 12:34:56.123456789", 1, "2024-02-29 12:34:56.124456789"},
		{"+", "tm", "23:59:59", hour, "00:59:59"}, {"-", "tm", "12:34:56", 13 * hour, "23:34:56"}, {"+", "l3", "2024-02-29 12:34:56.789", 24 * hour, "2024-03-01 12:34:56.789"},
	} {
		moved(t, c.fn, typeNames[c.typ], c.at, typeNames["iv"], c.by, c.want)
	}
	delete(typeNames, "iv")
	delete(typeNames, "im")
}

// moved checks time ± interval.
func moved(t *testing.T, fn string, typ types.Type, at string, by types.Type, n int64, want string) {
	t.Helper()
	b := &stream.Batch{N: 3, Cols: make([]stream.Vec, 2)}
	b.Cols[0].Reset(typ, 3)
	b.Cols[1].Reset(by, 3)
	for i := range 3 {
		v := argument(t, typ, at)
		if i == 1 {
			v = types.NullValue
		}
		b.Cols[0].Put(i, 3, v)
		b.Cols[1].Put(i, 3, types.IntValue(n))
	}
	for _, iv := range []expr.Expr{
		&expr.Column{Info: expr.Info{T: by}, Index: 1},
		&expr.Literal{Info: expr.Info{T: by.Required()}, Value: types.IntValue(n)},
	} {
		e, err := bind(fn, []expr.Expr{&expr.Column{Info: expr.Info{T: typ}}, iv})
		if err != nil {
			t.Error(err)
			return
		}
		got, err := evaluate(e, b, nil)
		if err != nil || got[0] != want || got[1] != absent || got[2] != want || e.Type() != typ {
			t.Errorf("%s %s %d: got %v %v, want %s", at, fn, n, got, err, want)
		}
	}
}

func TestTimestampAddAndDiff(t *testing.T) {
	checkAll(t, []fcase{
		{"TIMESTAMPADD", "s' i t3", "TIMESTAMP(3)", []string{
			"WEEK|1|2024-02-29 12:34:56.789|2024-03-07 12:34:56.789", "MONTH|1|2023-01-31 06:00:00.100|2023-02-28 06:00:00.100",
			"QUARTER|1|1999-12-31 23:59:59.999|2000-03-31 23:59:59.999", "YEAR|1|2024-02-29 12:34:56.789|2025-02-28 12:34:56.789",
			"MILLISECOND|-3|1999-12-31 23:59:59.999|1999-12-31 23:59:59.996", "DAY|∅|2024-02-29 00:00:00|∅"}},
		{"TIMESTAMPADD", "s' bi dt", "DATE", []string{"DAY|1|2024-02-29|2024-03-01", "MONTH|-1|2024-03-31|2024-02-29", "WEEK|-3|1999-12-31|1999-12-10"}},
		{"TIMESTAMPADD", "s' i t9", "TIMESTAMP(9)", []string{"DAY|7|2024-02-29 12:34:56.123456789|2024-03-07 12:34:56.123456789"}},
		{"TIMESTAMPADD", "s' i tm", "TIME(0)", []string{"HOUR|7|18:00:00|01:00:00", "MONTH|7|18:00:00|18:00:00"}},
		{"TIMESTAMPDIFF", "s' dt dt", "INT", []string{"DAY|2024-02-29|2024-03-01|1", "MONTH|2024-01-31|2024-02-29|1", "QUARTER|2024-02-29|2030-01-01|23", "YEAR|2024-02-29|2030-01-01|5", "DAY|∅|2024-01-01|∅"}},
		{"TIMESTAMPDIFF", "s' t3 t3", "INT", []string{
			"MINUTE|2024-01-01 00:00:00|1999-12-31 23:59:59.999|-12623040", "MONTH|2024-01-31 00:00:00|1999-12-31 23:59:59.999|-289",
			"MONTH|2024-01-31 00:00:00|2023-01-31 06:00:00.1|-12", "YEAR|2024-02-29 12:34:57|2024-02-29 12:34:56.789|0",
			"SECOND|2024-02-29 12:34:56.789|2024-02-29 12:34:56|0", "MILLISECOND|2024-02-29 12:34:56.789|2024-02-29 12:34:56|-789"}},
		{"TIMESTAMPDIFF", "s' dt t3", "INT", []string{"HOUR|2024-02-29|2024-02-29 12:34:56|12"}},
		{"TIMESTAMPDIFF", "s' tm tm", "INT", []string{"SECOND|00:00:00|12:34:56|45296"}},
	})
	check(t, fcase{"TIMESTAMPADD", "s' i dt", "", []string{"HOUR|1|2024-02-29|2024-02-29 01:00:00.000000", "MINUTE|-3|1999-12-31|1999-12-30 23:57:00.000000"}}, nil)
	refuses(t, "TIMESTAMPDIFF", "'DAY t3 l3", "TIMESTAMP(3) and TIMESTAMP_LTZ(3)")
	refuses(t, "TIMESTAMPDIFF", "'DAY s t3", "two times")
	refuses(t, "TIMESTAMPADD", "'DAY dc dt", "an integer")
	refuses(t, "TIMESTAMPADD", "'MICROSECOND i t3", "MICROSECOND")
}

func TestDateFormat(t *testing.T) {
	const at = "2024-02-29 12:34:56.123456789"
	rows := []string{}
	for _, r := range [][2]string{
		{"yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "2024-02-29 12:34:56.123456789"}, {"yy/M/d H:m:s", "24/2/29 12:34:56"},
		{"EEE, d MMM yyyy", "Thu, 29 Feb 2024"}, {"EEEE MMMM", "Thursday February"}, {"Q", "1"}, {"YYYY-ww", "2024-09"},
		{"yyyy-MM-dd'T'HH:mm:ss.SSS", "2024-02-29T12:34:56.123"}, {"hh:mm a", "12:34 PM"}, {"D", "60"}, {"DDD", "060"}, {"k K h", "12 0 12"},
		{"e E u", "5 Thu 2024"}, {"yyyyMMddHHmmss", "20240229123456"}, {"G", "AD"}, {"w W F", "9 5 1"}, {"A n N", "45296123 123456789 45296123456789"},
		{"LLL LLLL MMMMM", "Feb February F"}, {"y yyy uuuu YY", "2024 2024 2024 24"}, {"SS S SSSS", "12 1 1234"}, {"EEEEE c", "T 5"},
		{"QQ QQQ qqqq", "01 Q1 1st quarter"}, {"[yyyy]", "2024"}, {"", ""}, {"''yy''", "'24'"}, {"'o''clock'", "o'clock"}, {"é", "é"},
	} {
		rows = append(rows, at+"|"+r[0]+"|"+r[1])
	}
	check(t, fcase{"DATE_FORMAT", "t9 s", "STRING", append(rows, "∅|yyyy|∅", at+"|∅|∅")}, nil)
	checkAll(t, []fcase{
		{"DATE_FORMAT", "t3 s", "STRING", []string{"1999-12-31 23:59:59.999|YYYY-ww|2000-01", "1969-07-20 20:17:40.5|yy/M/d HH:mm:ss.SSS|69/7/20 20:17:40.500",
			"1970-01-01 00:00:00|k:mm h a|24:00 12 AM", "1999-12-31 23:59:59|QQQQ w W F|4th quarter 1 5 3"}},
		{"DATE_FORMAT", "s s", "STRING", []string{"2024-02-29 12:34:56|HH:mm|12:34", "bad|yyyy|∅", "2024-02-30 00:00:00|MM-dd|03-01"}},
	})
	fails(t, "DATE_FORMAT", "t3 s", "2024-01-01 00:00:00|yyyy b", "unknown letter b")
	refuses(t, "DATE_FORMAT", "t3 'yyyy-b", "unknown letter b")
	refuses(t, "DATE_FORMAT", "t3 'z", "zones")
	refuses(t, "DATE_FORMAT", "t3 'dddd", "too many letters")
	refuses(t, "DATE_FORMAT", "dt 'yyyy", "CAST")
}

func TestReadTimes(t *testing.T) {
	checkAll(t, []fcase{
		{"TO_TIMESTAMP", "s", "TIMESTAMP(3)", []string{"2024-02-29 12:34:56.123456789|2024-02-29 12:34:56.123", "2024-02-29T12:34:56|∅", "abc|∅", "|∅", "2024-02-30|2024-02-29 00:00:00.000", "∅|∅"}},
		{"TO_TIMESTAMP", "s s", "TIMESTAMP(3)", []string{
			"29-Feb-2024|dd-MMM-yyyy|2024-02-29 00:00:00.000", "2024-02-29T12:34:56|yyyy-MM-dd'T'HH:mm:ss|2024-02-29 12:34:56.000",
			"2024-02-29 12:34:56.789|yyyy-MM-dd HH:mm:ss.SSS|2024-02-29 12:34:56.789", "2024-02-29 12:34:56.123456|yyyy-MM-dd HH:mm:ss.SSSSSS|2024-02-29 12:34:56.123",
			"2024-02-29 12:34:56|yyyy-MM-dd|2024-02-29 12:34:56.000", "2024-02-29|yyyy-MM-dd HH:mm:ss|2024-02-29 00:00:00.000", "2024-02-30|yyyy-MM-dd|2024-02-29 00:00:00.000",
			"2024-02-29 11:00 PM|yyyy-MM-dd hh:mm a|2024-02-29 23:00:00.000", "20240229123456|yyyyMMddHHmmss|2024-02-29 12:34:56.000", "2024-13-01|yyyy-MM-dd|∅", "2024-02-29T12:00:00+02:00|yyyy-MM-dd'T'HH:mm:ssXXX|2024-02-29 12:00:00.000",
			"2024|bad pattern|∅", "2024-02-29|∅|∅", "2/9/24|M/d/yy|2024-02-09 00:00:00.000", "2024-060|yyyy-DDD|2024-02-29 00:00:00.000", "x2024-01-01|yyyy-MM-dd|∅"}},
		{"TO_DATE", "s", "DATE", []string{"2024-02-29|2024-02-29", "2024-02-30|∅", "2024-2-9|2024-02-09", "2024-02-29 12:34:56|2024-02-29", "∅|∅", "abc|∅"}},
		{"TO_DATE", "s s", "DATE", []string{"20240229|yyyyMMdd|2024-02-29", "2024-02-30|yyyy-MM-dd|2024-03-01", "bad|yyyy|∅", "29.2.2024 junk|d.M.yyyy|2024-02-29"}},
		{"TO_TIMESTAMP_LTZ", "bi i'", "", []string{"1709210096789|3|2024-02-29 12:34:56.789", "1709210096|0|2024-02-29 12:34:56.000", "-1|0|1969-12-31 23:59:59.000",
			"7|9|1970-01-01 00:00:00.000000007", "7|4|1970-01-01 00:00:00.0007", "9223372036854775807|0|∅", "∅|3|∅"}},
		{"TO_TIMESTAMP_LTZ", "d3 i'", "TIMESTAMP_LTZ(3)", []string{"10.5|3|1970-01-01 00:00:00.010", "-4.5|3|1969-12-31 23:59:59.996", "7.9|0|1970-01-01 00:00:07.000"}},
		{"TO_TIMESTAMP_LTZ", "d i'", "TIMESTAMP_LTZ(3)", []string{"7|0|1970-01-01 00:00:07.000", "1.5|0|1970-01-01 00:00:01.500", "NaN|0|1970-01-01 00:00:00.000", "1E300|0|∅"}},
		{"TO_TIMESTAMP_LTZ", "s s s", "TIMESTAMP_LTZ(3)", []string{"2024-02-29 12:34:56|yyyy-MM-dd HH:mm:ss|America/Los_Angeles|2024-02-29 20:34:56.000", "2024/02/29|yyyy/MM/dd|UTC|2024-02-29 00:00:00.000"}},
		{"FROM_UNIXTIME", "i", "STRING", []string{"44|1970-01-01 00:00:44", "-1|1969-12-31 23:59:59", "∅|∅"}},
		{"FROM_UNIXTIME", "bi s", "STRING", []string{"1709210096|yyyy/MM/dd|2024/02/29", "7|EEE dd MMM hh a D|Thu 01 Jan 12 AM 1"}},
		{"UNIX_TIMESTAMP", "s", "BIGINT", []string{"2024-02-29 12:34:56|1709210096", "2024-02-30 00:00:00|1709251200", "2024-02-29 12:34:56.789|1709210096", "bad|∅"}},
		{"UNIX_TIMESTAMP", "s s", "BIGINT", []string{"2024-02-29|yyyy-MM-dd|1709164800", "1970-01-01 08:00:01.001 +0800|yyyy-MM-dd HH:mm:ss.SSS|28801", "29/feb/2024|dd/MMM/yyyy|1709164800",
			"1970-01-01 08:00:01.001 +0800|yyyy-MM-dd HH:mm:ss.SSS X|1", "1970-01-01 00:00:00 -0130|yyyy-MM-dd HH:mm:ss Z|5400", "1970-01-01T00:00:00+01:00|yyyy-MM-dd'T'HH:mm:ssXXX|-3600",
			"1970-01-01T00:00:00Z|yyyy-MM-dd'T'HH:mm:ssXXX|0", "1970-01-01 08:00:01.001|yyyy-MM-dd HH:mm:ss.SSS X|∅"}},
		{"CONVERT_TZ", "s s s", "STRING", []string{"1970-01-01 00:00:00|UTC|America/Los_Angeles|1969-12-31 16:00:00", "2024-07-01 12:00:00|UTC|Europe/Berlin|2024-07-01 14:00:00",
			"2024-07-01|UTC|Asia/Tokyo|∅", "2024-07-01 12:00:00|Nope|UTC|2024-07-01 12:00:00", "∅|UTC|UTC|∅"}},
	})
	refuses(t, "TO_TIMESTAMP_LTZ", "s 'yyyy 'Nope/Zone", "Nope/Zone")
	refuses(t, "TO_TIMESTAMP", "i", "a text")
	refuses(t, "FROM_UNIXTIME", "dc", "an integer")
}

// TestZone holds answers of Flink in Europe/Berlin; the wall clock time 02:30 of
// 2024-10-27 exists twice there.
func TestZone(t *testing.T) {
	z, err := types.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []fcase{
		{"FLOOR", "l3 s'", "", []string{"2024-02-29 12:34:56.789|DAY|2024-02-29 00:00:00.000", "2024-10-27 00:30:00|DAY|2024-10-27 00:00:00.000", "2024-10-27 00:30:00|HOUR|2024-10-27 02:00:00.000"}},
		{"CEIL", "l3 s'", "", []string{"2024-02-29 12:34:56.789|DAY|2024-03-01 00:00:00.000", "2024-10-27 00:30:00|DAY|2024-10-27 23:00:00.000"}},
		{"HOUR", "l3", "", []string{"2024-02-29 12:34:56.789|13", "2024-10-27 00:30:00|2"}},
		{"EXTRACT", "s' l3", "", []string{"EPOCH|2024-02-29 12:34:56.789|1709213696", "EPOCH|2024-10-27 00:30:00|1729996200"}},
		{"DATE_FORMAT", "l3 s", "", []string{"2024-02-29 12:34:56.789|HH:mm|13:34"}},
		{"FROM_UNIXTIME", "i", "", []string{"0|1970-01-01 01:00:00"}},
		{"UNIX_TIMESTAMP", "s", "", []string{"1970-01-01 01:00:00|0", "2024-10-27 02:30:00|1729992600"}},
		{"TO_TIMESTAMP_LTZ", "s", "", []string{"2024-02-29 12:34:56|2024-02-29 13:34:56.000"}},
		{"TIMESTAMPADD", "s' i l3", "", []string{"MONTH|1|2024-10-27 00:30:00|2024-11-27 01:30:00.000"}},
		{">", "t3 l3", "", []string{"2024-03-30 12:34:56.789|2024-02-29 12:34:56.789|TRUE", "2024-10-27 02:30:00|2024-10-27 00:30:00|FALSE"}},
		{"=", "t3 l3", "", []string{"2024-10-27 02:30:00|2024-10-27 00:30:00|TRUE"}},
	} {
		check(t, c, z)
	}
}

func TestClock(t *testing.T) {
	z, err := types.LoadZone("+01:00")
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[string]int64{
		"CURRENT_TIMESTAMP": 86399999, "NOW": 86399999, "LOCALTIMESTAMP": 86399999 + 3600000, "CURRENT_DATE": 1,
		"LOCALTIME": 3599000, "CURRENT_TIME": 3599000, "UNIX_TIMESTAMP": 86399,
	} {
		e, err := bind(fn, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := eval.Compile([]expr.Expr{e}, z)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]stream.Vec, 1)
		if err := p.Run(&stream.Batch{N: 5}, &eval.Env{Now: func() int64 { return 86399999 }}, out); err != nil {
			t.Fatal(err)
		}
		if v := out[0].Value(4); v.I != want || v.Null || !e.Type().NotNull {
			t.Errorf("%s is %v (%s), want %d", fn, v, e.Type(), want)
		}
	}
}

func TestTypeof(t *testing.T) {
	checkAll(t, []fcase{{"TYPEOF", "dc", "STRING NOT NULL", nil}})
	e, err := bind("TYPEOF", []expr.Expr{&expr.Column{Info: expr.Info{T: types.NewDecimal(10, 2)}}})
	if err != nil {
		t.Fatal(err)
	}
	var v stream.Vec
	v.Reset(types.NewDecimal(10, 2), 1)
	v.SetNull(0, 1)
	got, err := evaluate(e, &stream.Batch{N: 1, Cols: []stream.Vec{v}}, nil)
	if err != nil || got[0] != "DECIMAL(10, 2)" {
		t.Error(got, err)
	}
}

// TestExtractInterval has answers of Flink 2.3.
func TestExtractInterval(t *testing.T) {
	for _, c := range []struct {
		unit   string
		typ    types.Kind
		x      int64
		result string
	}{
		{"YEAR", types.IntervalMonth, 14, "1"}, {"MONTH", types.IntervalMonth, -14, "-2"}, {"QUARTER", types.IntervalMonth, 14, "1"},
		{"DAY", types.IntervalDay, 108600000, "1"}, {"HOUR", types.IntervalDay, 108600000, "6"}, {"MINUTE", types.IntervalDay, 108600000, "10"},
		{"SECOND", types.IntervalDay, 1500, "1"}, {"MILLISECOND", types.IntervalDay, 1500, "500"},
	} {
		args := []expr.Expr{
			&expr.Literal{Info: expr.Info{T: types.NewChar(len(c.unit)).Required()}, Value: types.TextValue(c.unit)},
			&expr.Column{Info: expr.Info{T: types.Of(c.typ)}},
		}
		e, err := bind("EXTRACT", args)
		if err != nil {
			t.Fatal(err)
		}
		b := &stream.Batch{N: 2, Cols: make([]stream.Vec, 1)}
		b.Cols[0].Reset(types.Of(c.typ), 2)
		b.Cols[0].Put(0, 2, types.IntValue(c.x))
		b.Cols[0].Put(1, 2, types.NullValue)
		got, err := evaluate(e, b, nil)
		if err != nil || got[0] != c.result || got[1] != absent {
			t.Errorf("%s of %d: %v, %v", c.unit, c.x, got, err)
		}
	}
	for _, c := range []struct {
		unit string
		typ  types.Kind
	}{{"DAY", types.IntervalMonth}, {"YEAR", types.IntervalDay}, {"EPOCH", types.IntervalDay}} {
		_, err := bind("EXTRACT", []expr.Expr{
			&expr.Literal{Info: expr.Info{T: types.NewChar(len(c.unit)).Required()}, Value: types.TextValue(c.unit)},
			&expr.Column{Info: expr.Info{T: types.Of(c.typ)}},
		})
		if err == nil {
			t.Errorf("%s of an interval is accepted", c.unit)
		}
	}
}
