package field

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"streamsql/stream"
	"streamsql/types"
)

// quickColumn is a column with one row, and a function that reads a text with a delimiter
// behind it by its Quick; ok is false where that leaves the text to others.
func quickColumn(t types.Type, quick Quick) (*Column, func(s string) (ok bool)) {
	c := &Column{Type: t, Separators: [2]byte{' ', 'T'}, End: ',' * Ones, Quote: '"', NullSize: -1}
	c.Start(new(stream.Vec), 1)
	return c, func(s string) bool {
		b := append([]byte(s+",,"), make([]byte, stream.Slack)...)
		next := quick(c, unsafe.Pointer(&b[0]), 0, 0)
		return next >= 0 && b[next] == ',' && next == len(s)
	}
}

// TestQuickTime changes each byte of times into each other one: what is read is what the
// standard library reads, and what it does not read is not.
func TestQuickTime(t *testing.T) {
	millis := types.Of(types.Timestamp)
	millis.Precision = 3
	for _, first := range []string{"2024-02-28 10:20:30.456", "2023-02-01 00:00:00.000", "1969-12-31 23:59:59.999", "2024-02-29 09:19:39", "2000-04-30 20:00:00"} {
		c, quick := quickColumn(millis, (*Column).QuickTime)
		primed := append([]byte(first), make([]byte, stream.Slack)...)
		if quick(first) {
			t.Fatalf("%q is read before its month is known", first)
		}
		if c.Timestamp(primed, 0, 0) < 0 || !quick(first) {
			t.Fatalf("%q is not read", first)
		}
		layout := "2006-01-02 15:04:05.000"[:len(first)]
		read := 0
		for i := len("2024-02-"); i < len(first); i++ {
			for b := 1; b < 256; b++ {
				s := first[:i] + string([]byte{byte(b)}) + first[i+1:]
				want, err := time.Parse(layout, s)
				valid := err == nil && want.Format(layout) == s // Parse takes some blanks
				got := quick(s)
				if got != valid {
					t.Fatalf("%q: read %v, want %v", s, got, valid)
				}
				if got && c.I64[0] != want.UnixMilli() {
					t.Fatalf("%q: %d, want %d", s, c.I64[0], want.UnixMilli())
				}
				if got {
					read++
				}
			}
		}
		if read < 30 {
			t.Errorf("%q: only %d changed times are read", first, read)
		}
	}
	_, quick := quickColumn(millis, (*Column).QuickTime)
	if zero := string(make([]byte, 16)) + ":00"; quick(zero) {
		t.Error("zeros are read as a time that was never seen")
	}
}

// texts gives all texts of up to n of the characters.
func texts(chars string, n int, do func(s string)) {
	do("")
	if n == 0 {
		return
	}
	for _, c := range chars {
		texts(chars, n-1, func(s string) { do(string(c) + s) })
	}
}

// TestQuickNumbers reads all short texts of some characters.
func TestQuickNumbers(t *testing.T) {
	integer, readInteger := quickColumn(types.Of(types.BigInt), (*Column).QuickInt64)
	small, readSmall := quickColumn(types.Of(types.Int), (*Column).QuickInt32)
	double, readDouble := quickColumn(types.Of(types.Double), (*Column).QuickFloat64)
	check := func(s string) {
		n, err := strconv.ParseInt(s, 10, 64)
		if got := readInteger(s); got != (err == nil && s[0] != '+' && len(strings.TrimPrefix(s, "-")) <= 7) || got && integer.I64[0] != n {
			t.Fatalf("%q: BIGINT %v, %d", s, got, integer.I64[0])
		}
		if got := readSmall(s); got != (err == nil && s[0] != '+' && len(strings.TrimPrefix(s, "-")) <= 7) || got && int64(small.I32[0]) != n {
			t.Fatalf("%q: INT %v, %d", s, got, small.I32[0])
		}
		f, err := strconv.ParseFloat(s, 64)
		simple := err == nil && len(s) <= 7 && strings.Contains(s, ".") && !strings.ContainsAny(s, "eE+-")
		if got := readDouble(s); got != simple || got && double.F64[0] != f {
			t.Fatalf("%q: DOUBLE %v, %v", s, got, double.F64[0])
		}
	}
	texts("09.-+e/:", 5, check)
	for _, s := range []string{"1234567", "-1234567", "12345678", "-12345678", "9999999", "123456.", ".123456", "123.456", "1234.567", "0000.01", "12345678901"} {
		check(s)
	}
}
