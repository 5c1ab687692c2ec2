package types

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The values of Flink cases float-print, float-print-col and cast-num, and of Java
// 17 (1E23 and 2^60).
func TestAppendDouble(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{math.NaN(), "NaN"},
		{math.Inf(1), "Infinity"},
		{math.Inf(-1), "-Infinity"},
		{1, "1.0"},
		{100, "100.0"},
		{1e6, "1000000.0"},
		{9999999, "9999999.0"},
		{1e7, "1.0E7"},
		{12345678.9, "1.23456789E7"},
		{1e10, "1.0E10"},
		{1e-5, "1.0E-5"},
		{0.001, "0.001"},
		{9.999999e-4, "9.999999E-4"},
		{1.5e-7, "1.5E-7"},
		{1e21, "1.0E21"},
		{0.30000000000000004, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{2.0 / 3, "0.6666666666666666"},
		{9007199254740992, "9.007199254740992E15"},
		{math.MaxInt64, "9.223372036854776E18"},
		{2e23, "1.9999999999999998E23"},
		{123e20, "1.2300000000000001E22"},
		{math.MaxFloat64, "1.7976931348623157E308"},
		{math.SmallestNonzeroFloat64, "4.9E-324"},
		{-3.75, "-3.75"},
		{1e23, "9.999999999999999E22"},
		{1 << 60, "1.15292150460684698E18"},
		{1.401298464324817e-45, "1.401298464324817E-45"},
	} {
		if got := string(AppendDouble(nil, c.x)); got != c.want {
			t.Errorf("AppendDouble(%g) = %s, want %s", c.x, got, c.want)
		}
	}
}

// The values of Flink cases float-print and cast-num.
func TestAppendFloat(t *testing.T) {
	for _, c := range []struct {
		x    float32
		want string
	}{
		{0, "0.0"},
		{0.1, "0.1"},
		{16777216, "1.6777216E7"},
		{math.MaxInt64, "9.223372E18"},
		{1.17549435e-38, "1.17549435E-38"},
		{12345678.9, "1.2345679E7"},
		{math.MaxInt32, "2.14748365E9"},
		{math.SmallestNonzeroFloat32, "1.4E-45"},
		{float32(math.Inf(1)), "Infinity"},
		{float32(math.NaN()), "NaN"},
	} {
		if got := string(AppendFloat(nil, c.x)); got != c.want {
			t.Errorf("AppendFloat(%g) = %s, want %s", c.x, got, c.want)
		}
	}
}

// testdata/java17_floats.txt was written by Double.toString and Float.toString of
// OpenJDK 17 for bit patterns at random and for patterns near powers of two and
// ten.
func TestFloatTextAsJava(t *testing.T) {
	f, err := os.Open("testdata/java17_floats.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		p := strings.Fields(lines.Text())
		b, err := strconv.ParseUint(p[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if p[0] == "float" {
			got = string(AppendFloat(nil, math.Float32frombits(uint32(b))))
		} else {
			got = string(AppendDouble(nil, math.Float64frombits(b)))
		}
		if got != p[2] {
			t.Errorf("%s: got %s", lines.Text(), got)
		}
		n++
	}
	if n < 1000 {
		t.Errorf("only %d values in the file", n)
	}
}

// Where the shortest text is not used directly, the digits are developed; both
// ways must agree where both apply.
func TestShortestAgreesWithDigits(t *testing.T) {
	x := uint64(1)
	for range 20000 {
		x = x*6364136223846793005 + 1442695040888963407
		exp := 1023 - 40 + int(x>>58)%92
		frac := x >> 12
		f := math.Float64frombits(uint64(exp)<<52 | frac)
		want, ok := appendShortest(nil, f, 64)
		if !ok || frac == 0 {
			continue
		}
		if got := appendJavaDigits(nil, exp-1023, frac|1<<52, 53); string(got) != string(want) {
			t.Fatalf("%x: digits %s, shortest %s", math.Float64bits(f), got, want)
		}
	}
}

func FuzzDouble(f *testing.F) {
	for _, x := range []uint64{0, 1, 0x3ff8000000000000, 0x7fefffffffffffff, 0x000fffffffffffff, 0x44c52d02c7e14af6} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		x := math.Float64frombits(bits)
		text := AppendDouble(nil, x)
		y, fault := ParseDouble(text)
		if fault != OK || x == x && y != x || x != x && y == y {
			t.Errorf("%x prints %s, which reads as %g (%v)", bits, text, y, fault)
		}
		s := math.Float32frombits(uint32(bits))
		text = AppendFloat(nil, s)
		r, fault := ParseFloat(text)
		if fault != OK || s == s && r != s || s != s && r == r {
			t.Errorf("%x prints %s, which reads as %g (%v)", uint32(bits), text, r, fault)
		}
	})
}

// Numbers with up to three digits behind the point are written without developing
// their digits: the text must be that of Java's own way.
func TestAppendDoubleThousandths(t *testing.T) {
	slow := func(x float64) string {
		b := math.Float64bits(x)
		return string(appendJavaDigits(nil, int(b>>52)-1023, b&(1<<52-1)|1<<52, 53))
	}
	check := func(n int64) {
		x := float64(n) / 1000
		if got, want := string(AppendDouble(nil, x)), slow(x); got != want {
			t.Fatalf("%d/1000 is written %s, want %s", n, got, want)
		}
		for _, near := range []float64{math.Nextafter(x, 0), math.Nextafter(x, 1e9)} {
			if got, want := string(AppendDouble(nil, near)), slow(near); got != want {
				t.Fatalf("a neighbour of %d/1000 is written %s, want %s", n, got, want)
			}
		}
	}
	for n := int64(1); n < 20_000; n++ {
		check(n)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(1 + r.Int64N(20_000_000_000))
	}
	for i := range 24 {
		check(1000 << i)
	}
}
