package csv_test

import (
	"fmt"
	"strings"
	"testing"
)

// Texts and what Flink 2.3 reads in a column of the type; "!" marks a text that is
// refused (NULL with ignore-parse-errors). Each line also runs through both paths.
const spellings = `
i8 | 1 | 1
i8 | -1 | -1
i8 | +5 | 5
i8 | 007 | 7
i8 |  8 | 8
i8 | 128 | !
i8 | -128 | -128
i16 | 32767 | 32767
i16 | 32768 | !
int | 1_000 | !
int | 1.0 | !
int | 1e3 | !
int | 0x10 | !
int | 1L | !
int | - | !
int | --1 | !
int | 2147483647 | 2147483647
int | 2147483648 | !
int | -2147483648 | -2147483648
int | NaN | !
int | 1 2 | !
int | ١٢ | 12
int | -0 | 0
int | 1. | !
int | .5 | !
big | 9223372036854775807 | 9223372036854775807
big | 9223372036854775808 | !
big | -9223372036854775808 | -9223372036854775808
big | 1234567 | 1234567
big | 12345678 | 12345678
big | 123456789 | 123456789
big | 1234567890123456 | 1234567890123456
big | 123456789012345678 | 123456789012345678
big | 1234567890123456789 | 1234567890123456789
f64 | 1.5 | 1.5
f64 | +1.5 | 1.5
f64 | .5 | 0.5
f64 | 1. | 1.0
f64 | 1e3 | 1000.0
f64 | 1E-3 | 0.001
f64 | 1e400 | Infinity
f64 | 1e-400 | 0.0
f64 | NaN | NaN
f64 | nan | !
f64 | Infinity | Infinity
f64 | -Infinity | -Infinity
f64 | inf | !
f64 | 0x1p3 | 8.0
f64 | 1d | 1.0
f64 | 1f | 1.0
f64 | 1L | !
f64 | 1_0 | !
f64 | -0.0 | -0.0
f64 | 0.1 | 0.1
f64 | 123456789.123456789 | 1.2345678912345679E8
f64 | 3.4028236e39 | 3.4028236E39
f64 | 00.5 | 0.5
f64 | 1e | !
f64 | . | !
f64 | +.5e+3 | 500.0
f64 | 1e5f | 100000.0
f64 | - | !
f64 | 12345678901234567890 | 1.2345678901234567E19
f64 | 9007199254740993 | 9.007199254740992E15
f64 | 0.30000000000000004 | 0.30000000000000004
f32 | 3.4028236e39 | Infinity
f32 | 1.17549435E-38 | 1.17549435E-38
f32 | 1e-46 | 0.0
f32 | 0.1 | 0.1
f32 | 16777217 | 1.6777216E7
f32 | NaN | NaN
dec | 1 | 1.00
dec | 1.5 | 1.50
dec | 1.234 | 1.23
dec | 1.235 | 1.24
dec | -1.235 | -1.24
dec | 999.99 | 999.99
dec | 999.995 | !
dec | 1000 | !
dec | 1e2 | 100.00
dec | 1e3 | !
dec | 1E-2 | 0.01
dec | +3 | 3.00
dec | .5 | 0.50
dec | 1. | 1.00
dec | NaN | !
dec | 00012 | 12.00
dec | -.5 | -0.50
dec | 1_0 | !
dec10 | 1.5 | 2
dec10 | 2.5 | 3
dec10 | 0.4 | 0
dec10 | 9999999999 | 9999999999
dec10 | 9999999999.5 | !
dec38 | 12345678901234567890123456.123456789012 | 12345678901234567890123456.1234567890
dec38 | 1e28 | !
dec38 | 0.00000000005 | 0.0000000001
bool | true | TRUE
bool | TRUE | TRUE
bool | false | FALSE
bool |  true | TRUE
bool | maybe | !
bool | 1 | !
bool | truex | !
date | 2024-01-01 | 2024-01-01
date | 2024-1-1 | 2024-01-01
date | 2024-02-29 | 2024-02-29
date | 2023-02-29 | !
date | 2024-02-30 | !
date | 20240101 | !
date | 2024/01/01 | !
date | 2024-01-01 00:00:00 | !
date | 0001-01-01 | 0001-01-01
date | 9999-12-31 | 9999-12-31
date | 12024-01-01 | !
date | 2024-13-01 | !
date | 2024-00-10 | !
date | 1969-12-31 | 1969-12-31
time | 10:20:30 | 10:20:30.0
time | 10:20 | 10:20:00.0
time | 1:2:3 | !
time | 10:20:30.123456 | 10:20:30.123
time | 24:00:00 | !
ts9 | 2024-01-01 00:00:00 | 2024-01-01 00:00:00.000000000
ts9 | 2024-01-01 12:13:14.1 | 2024-01-01 12:13:14.100000000
ts9 | 2024-01-01 12:13:14.123456789 | 2024-01-01 12:13:14.123456789
ts9 | 2024-01-01 12:13:14.1234567891 | !
ts0 | 2024-01-01 12:13:14.9 | 2024-01-01 12:13:14
ts6 | 2024-01-01 12:13:14.123456789 | 2024-01-01 12:13:14.123456
ts | 2024-01-01 12:13:14.1239 | 2024-01-01 12:13:14.123
ts | 2024-01-01 12:13:14. | 2024-01-01 12:13:14.000
ts |   2024-01-01 12:13:14 | 2024-01-01 12:13:14.000
ts | 1969-12-31 23:59:59.999 | 1969-12-31 23:59:59.999
ts | 0001-01-01 00:00:00 | 0001-01-01 00:00:00.000
ts | 2024-01-32 00:00:00 | !
ts | 2024-01-01 23:59:60 | !
ts | 2024-01-01 24:00:01 | !
ts | 2024-1-1 00:00:00 | !
ts | 2024-01-01 12:13 | !
ts | 2024-01-01 | !
ltz | 2024-01-01 12:13:14.5Z | 2024-01-01 12:13:14.500
ltz | 2024-01-01 12:13:14 | !
bytes | YWJj | x'616263'
bytes | YWJ | !
bytes | !! | !
bytes | YQ== | x'61'
text | a | a
`

// TestSpellings reads each text alone and behind another one, since the fast path
// remembers times.
func TestSpellings(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(spellings), "\n") {
		p := strings.SplitN(line, " | ", 3)
		typ, textIn, want := p[0], p[1], p[2]
		if want == "!" {
			want = "<NULL>"
		}
		for _, slow := range []bool{false, true} {
			for _, end := range []string{",z\n", ",z\r\n"} {
				r := read{schema: schema("i int, a " + typ + ", z text"), opts: options(t, "ignore-parse-errors=true"), slow: slow}
				data := fmt.Sprintf("0,2024-01-01 12:13:14%[2]s1,%[1]s%[2]s2,%[1]s%[2]s", textIn, end)
				got := r.run(t, input("t.csv", data)).Values()
				for k := 1; k <= 2; k++ {
					if w := fmt.Sprintf("%d | %s | z", k, want); got[k] != w {
						t.Errorf("%s %q, slow %v: got %q, want %q", typ, textIn, slow, got[k], w)
					}
				}
			}
		}
	}
}
