package json_test

import (
	"fmt"
	"strings"
	"testing"
)

// spellings are type, JSON value, and what comes out ("!": a bad value). They are
// what Flink 2.3 answers, but that fractions of integers, DECIMALs that do not fit,
// other values than true and false for BOOLEAN and days that do not exist are bad.
const spellings = `
i8 | 1 | 1
i8 | -128 | -128
i8 | 128 | !
i8 | 1.0 | !
i8 | 1e2 | !
i8 | "1" | 1
i8 | " 7 " | 7
i8 | "1.5" | !
i8 | -0 | 0
i16 | 300 | 300
i16 | 1.0 | !
i16 | 32768 | !
int | 1.0 | 1
int | 1.5 | !
int | 1e2 | 100
int | 1.9e0 | !
int | -0.0 | 0
int | 2147483648 | !
int | -2147483648 | -2147483648
int | 1E-7 | !
int | 10E-1 | 1
int | 0.5e1 | 5
int | "" | !
int | "x" | !
int | true | !
int | [1] | !
int | {"x":1} | !
int | null | <NULL>
int | 12345678901234567 | !
int | "007" | 7
big | 9223372036854775807 | 9223372036854775807
big | 9223372036854775808 | !
big | 123456789012345678 | 123456789012345678
big | 1234567890123456789 | 1234567890123456789
big | 12345678 | 12345678
big | 123456789 | 123456789
big | 1234567890.0 | 1234567890
big | 1e400 | !
big | 2147483648 | 2147483648
f64 | 1 | 1.0
f64 | 1e400 | Infinity
f64 | 12345678901234567890.123456789 | 1.2345678901234567E19
f64 | -0 | -0.0
f64 | 1E-7 | 1.0E-7
f64 | "NaN" | NaN
f64 | "1.5" | 1.5
f64 | "" | !
f64 | true | !
f64 | 0.1 | 0.1
f64 | 123456.789 | 123456.789
f64 | 9007199254740993 | 9.007199254740992E15
f32 | 16777217 | 1.6777216E7
f32 | 0.1 | 0.1
f32 | 9223372036854775808 | 9.223372E18
f32 | 1.5e0 | 1.5
dec | 1.5 | 1.50
dec | 1e2 | 100.00
dec | 999.995 | !
dec | 999.994 | 999.99
dec | 0.005 | 0.01
dec | "1.5" | 1.50
dec | " 7 " | 7.00
dec | -0 | 0.00
dec | 300 | 300.00
dec | 1000 | !
dec38 | 12345678901234567890.123456789 | 12345678901234567890.1234567890
dec38 | 1E-7 | 0.0000001000
bool | true | TRUE
bool | false | FALSE
bool | "true" | TRUE
bool | "" | !
bool | 0 | !
text | 1.0 | 1.0
text | -0 | -0
text | "" | 
text | "  7" |   7
text | true | true
text | null | <NULL>
text | 12345678901234567890.123456789 | 12345678901234567890.123456789
date | "2024-02-29" | 2024-02-29
date | "2024-1-1" | !
date | "2023-02-29" | !
date | 19723 | !
date | "2024-01-01 00:00:00" | !
date | " 2024-01-01" | !
time | "10:20:30.123456" | 10:20:30.123
time | "10:20:30Z" | !
time | "10:20" | !
time | "24:00:00" | 00:00:00.0
ts | "2024-01-01 12:13:14.1239" | 2024-01-01 12:13:14.123
ts | "2024-01-01T00:00:00" | !
ts | "2024-01-01 00:00:00Z" | !
ts | "2024-01-01 12:13:14." | 2024-01-01 12:13:14.000
ts | "2024-01-01 24:00:00" | 2024-01-02 00:00:00.000
ts | "2024-02-30 00:00:00" | !
ts | " 2024-01-01 12:13:14" | !
ts | "2024-01-01 12:13:14 " | !
ts | 1704067200000 | !
ts | "1969-12-31 23:59:59.999" | 1969-12-31 23:59:59.999
ts9 | "2024-01-01 12:13:14.123456789" | 2024-01-01 12:13:14.123456789
ts9 | "2024-01-01 12:13:14.1234567891" | !
ltz | "2024-01-01 00:00:00Z" | 2024-01-01 00:00:00.000
ltz | "2024-01-01 00:00:00" | !
bytes | "YWJj" | x'616263'
bytes | "YWJ" | !
bytes | "YW\nJj" | !
bytes | " YWJj " | x'616263'
bytes | "" | x''
`

// TestSpellings reads each value alone and behind another one, since the fast path
// remembers times and what stands between values.
func TestSpellings(t *testing.T) {
	for _, line := range strings.Split(strings.Trim(spellings, "\n"), "\n") {
		p := strings.SplitN(line, " | ", 3)
		typ, value, want := p[0], p[1], p[2]
		if want == "!" {
			want = "<NULL>"
		}
		for _, slow := range []bool{false, true} {
			r := read{schema: schema("i int, a " + typ + ", z text"), opts: options(t, "ignore-parse-errors=true"), slow: slow}
			row := `{"i":%d,"a":%s,"z":"z"}` + "\n"
			data := fmt.Sprintf(row+row+row, 0, `"2024-01-01 12:13:14"`, 1, value, 2, value)
			got := r.run(t, input("t.json", data))
			for k := 1; k <= 2; k++ {
				if w := fmt.Sprintf("%d | %s | z", k, want); got.Values()[k] != w {
					t.Errorf("%s %s, slow %v: got %q, want %q", typ, value, slow, got.Values()[k], w)
				}
			}
			if bad := len(got.Bad) >= 2; bad != (p[2] == "!") {
				t.Errorf("%s %s, slow %v: bad values %q", typ, value, slow, got.Bad)
			}
		}
	}
}

func TestISO(t *testing.T) {
	const rows = `{"a":"2024-01-01T00:00:00","b":"2024-01-01T00:00:00.5Z"}
{"a":"2024-01-01t00:00:00.123456789","b":"2024-01-01T00:00Z"}
{"a":"2024-01-01T00:00","b":"2024-01-01T00:00:00z"}
{"a":"2024-01-01 00:00:00","b":"2024-01-01T00:00:00"}
{"a":"2024-01-01T24:00:00","b":"2024-01-01T00:00:00+01:00"}
`
	for _, slow := range []bool{false, true} {
		r := read{schema: schema("a ts, b ltz"), opts: options(t, "timestamp-format.standard=ISO-8601; ignore-parse-errors=true"), slow: slow}
		got := strings.Join(r.run(t, input("t.json", rows)).Values(), "\n")
		want := `2024-01-01 00:00:00.000 | 2024-01-01 00:00:00.500
2024-01-01 00:00:00.123 | 2024-01-01 00:00:00.000
2024-01-01 00:00:00.000 | <NULL>
<NULL> | <NULL>
<NULL> | <NULL>`
		if got != want {
			t.Errorf("slow %v: got\n%s", slow, got)
		}
	}
}
