package field_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"streamsql/connector/field"
	"streamsql/stream"
	"streamsql/types"
)

// one returns a column of a type for one row.
func one(t types.Type) *field.Column {
	c := &field.Column{Name: "a", Type: t, Separators: [2]byte{' ', 'T'}}
	c.Start(new(stream.Vec), 1)
	return c
}

// padded is a text with what may be read behind it.
func padded(s string) []byte { return append([]byte(s), make([]byte, stream.Slack)...) }

// TestNumbers compares with the standard library: what is read is right, and short
// plain numbers are read.
func TestNumbers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	f64, f32, small, dec := one(types.Of(types.Double)), one(types.Of(types.Float)), one(types.Of(types.SmallInt)), one(types.NewDecimal(9, 4))
	for range 200_000 {
		digits := strconv.FormatUint(rnd.Uint64()>>rnd.IntN(64), 10)
		s := digits
		if rnd.IntN(2) == 0 {
			at := rnd.IntN(len(digits) + 1)
			s = digits[:at] + "." + digits[at:]
		}
		if rnd.IntN(3) == 0 {
			s = "-" + s
		}
		buf := padded(s + ",")
		if v, next := field.Int(buf, 0); next >= 0 {
			want, err := strconv.ParseInt(s[:next], 10, 64)
			if err != nil || v != want || next < len(s) && s[next] != '.' {
				t.Fatalf("integer %q: %d up to %d", s, v, next)
			}
		} else if len(digits) <= 18 && s[strings.IndexAny(s, "0123456789."):][0] != '.' {
			t.Fatalf("integer %q is not read", s)
		}
		want, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		if next := f64.Float64(buf, 0, 0); next >= 0 && (next != len(s) || f64.F64[0] != want) {
			t.Fatalf("double %q: %v up to %d", s, f64.F64[0], next)
		} else if next < 0 && len(digits) <= 15 {
			t.Fatalf("double %q is not read", s)
		}
		want32, _ := strconv.ParseFloat(s, 32)
		if next := f32.Float32(buf, 0, 0); next >= 0 && (next != len(s) || f32.F32[0] != float32(want32)) {
			t.Fatalf("float %q: %v up to %d", s, f32.F32[0], next)
		}
		if next := small.SmallInt(buf, 0, 0); next >= 0 {
			if want, err := strconv.ParseInt(s[:next], 10, 16); err != nil || int64(small.I16[0]) != want {
				t.Fatalf("small integer %q: %d", s, small.I16[0])
			}
		}
		if next := dec.Decimal(buf, 0, 0); next >= 0 {
			exact, fault := types.ParseDecimal64([]byte(s), 9, 4)
			if fault != types.OK || exact != dec.I64[0] || next != len(s) {
				t.Fatalf("decimal %q: %d, want %d", s, dec.I64[0], exact)
			}
		}
	}
}

// TestClock compares with the standard library, over neighbours that share a minute
// or a month and others.
func TestClock(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	ts, day := one(types.NewTimestamp(3)), one(types.Of(types.Date))
	at := time.Date(2024, 2, 28, 23, 59, 0, 0, time.UTC)
	for range 100_000 {
		at = at.Add(time.Duration(rnd.Int64N(1<<rnd.IntN(62))) * time.Millisecond / 1000)
		if at.Year() > 9000 {
			at = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		at = at.Truncate(time.Millisecond)
		s := at.Format([]string{"2006-01-02 15:04:05.000", "2006-01-02T15:04:05.000"}[rnd.IntN(2)])
		if next := ts.Timestamp(padded(s+","), 0, 0); next != len(s) || ts.I64[0] != at.UnixMilli() {
			t.Fatalf("%s: %d up to %d, want %d", s, ts.I64[0], next, at.UnixMilli())
		}
		if next := day.Date(padded(s[:10]+","), 0, 0); next != 10 || int64(day.I32[0]) != at.Truncate(24*time.Hour).Unix()/86400 {
			t.Fatalf("%s: day %d up to %d", s[:10], day.I32[0], next)
		}
	}
	for _, s := range []string{"2024-02-30 00:00:00", "2024-13-01 00:00:00", "0000-01-01 00:00:00", "2024-01-01 24:00:00", "2024-01-01 00:60:00",
		"2024-01-01 00:00:60", "2024-01-01x00:00:00", "2024-01-01 00:00:00.1234567890", "2024/01/01 00:00:00", "24-01-01 00:00:00"} {
		if next := ts.Timestamp(padded(s), 0, 0); next >= 0 {
			t.Errorf("%s is read", s)
		}
	}
	ts.Separators = [2]byte{' ', ' '}
	if next := ts.Timestamp(padded("2024-01-02T00:00:00"), 0, 0); next >= 0 {
		t.Error("a T that is no separator is read")
	}
}

// TestDictionary: equal texts have equal ids, however they are found.
func TestDictionary(t *testing.T) {
	d := field.NewDictionary(types.Of(types.Varchar))
	ids := map[string]int32{}
	for i := range 5000 {
		s := strings.Repeat(fmt.Sprint("é", i%1700), i%4)
		var id int32
		switch i % 3 {
		case 0:
			id = d.Add([]byte(s))
		case 1:
			buf := padded("x" + s + ",")
			n, ascii := field.Text(buf, 1, ','*field.Ones)
			if n != len(s) || ascii != (s == "") {
				t.Fatalf("%q: length %d, ascii %v", s, n, ascii)
			}
			got := [2]int32{7, 7}
			if d.Resolve(buf, []field.Span{field.NoSpan, field.NewSpan(1, n)}, got[:]); got[0] != 7 {
				t.Fatal("an id that was known has changed")
			}
			id = got[1]
		default:
			var n int
			if id, n = d.Quoted(padded(`"`+s+`"`), 1); n != len(s) {
				t.Fatalf("%q: length %d", s, n)
			}
		}
		if old, ok := ids[s]; ok && old != id || string(d.Vec.Bytes(int(id))) != s {
			t.Fatalf("%q: id %d, %q", s, id, d.Vec.Bytes(int(id)))
		}
		ids[s] = id
	}
	if d.Vec.N != len(ids) {
		t.Errorf("%d values, want %d", d.Vec.N, len(ids))
	}
	for _, s := range []string{`a\n"`, "a\n", "a", "\xff\""} {
		if id, _ := d.Quoted(padded(s), 0); id >= 0 {
			t.Errorf("%q has id %d", s, id)
		}
	}
}

func TestAppendDecimal(t *testing.T) {
	for _, c := range []struct {
		digits string
		scale  int
		want   string // as Java's BigDecimal.stripTrailingZeros().toString()
	}{
		{"0", 2, "0"}, {"100", 2, "1"}, {"1000", 2, "1E+1"}, {"-10000", 2, "-1E+2"}, {"12000", 2, "1.2E+2"}, {"150", 2, "1.5"}, {"-5", 2, "-0.05"},
		{"1", 18, "1E-18"}, {"1", 6, "0.000001"}, {"1", 7, "1E-7"}, {"123", 9, "1.23E-7"}, {"10050", 2, "100.5"}, {"7", 0, "7"},
	} {
		if got := string(field.AppendDecimal(nil, []byte(c.digits), c.scale)); got != c.want {
			t.Errorf("%s, scale %d: %s, want %s", c.digits, c.scale, got, c.want)
		}
	}
	for s, want := range map[string]string{"1.50": "1.5", "1.00": "1", "10.0": "10", "00:00:00.0": "00:00:00"} {
		if got := string(field.CutZeros([]byte(s))); got != want {
			t.Errorf("%s: %s", s, got)
		}
	}
}
