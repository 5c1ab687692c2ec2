package builtin

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// The quick loops give what the general ones do, value by value.

// column makes a Flat vector, or a Const one of a single value.
func column[T stream.Fixed](t types.Type, vals []T) *stream.Vec {
	v := new(stream.Vec)
	v.Reset(t, len(vals))
	copy(stream.Values[T](v), vals)
	if len(vals) == 1 {
		v.Enc = stream.Const
	}
	return v
}

func checkComparison[T number](t *testing.T, typ types.Type, r *rand.Rand, pool []T) {
	t.Helper()
	const n = 200
	pick := func(n int) []T {
		vals := make([]T, n)
		for i := range vals {
			vals[i] = pool[r.IntN(len(pool))]
		}
		return vals
	}
	for range 60 {
		x, y := pick(n), pick(n)
		switch r.IntN(3) {
		case 0:
			x = pick(1)
		case 1:
			y = pick(1)
		}
		rows := expr.Rows{N: n}
		if r.IntN(3) == 0 {
			rows.Sel = []int32{3, 70, 199}
		}
		for _, rel := range []relation{equal, less, lessEqual} {
			var out stream.Vec
			out.Reset(boolType, n)
			loopFor(rel, typ, typ)(column(typ, x), column(typ, y), &out, rows)
			for i := range n {
				if rows.Sel != nil && !slices.Contains(rows.Sel, int32(i)) {
					continue
				}
				v, u := at(x, i), at(y, i)
				want := map[relation]bool{equal: v == u, less: v < u, lessEqual: v <= u}[rel]
				if out.Bool(i) != want {
					t.Fatalf("%s: relation %d of %v and %v is %v", typ, rel, v, u, out.Bool(i))
				}
			}
		}
	}
}

func TestComparisonsInWords(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	checkComparison(t, types.Of(types.TinyInt), r, []int8{0, 1, -1, 127, -128, 5})
	checkComparison(t, types.Of(types.SmallInt), r, []int16{0, 1, -1, 32767, -32768, 5})
	checkComparison(t, types.Of(types.Int), r, []int32{0, 1, -1, math.MaxInt32, math.MinInt32, 5})
	checkComparison(t, types.Of(types.BigInt), r, []int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 31, 1 << 32, -1 << 31})
	zero := math.Copysign(0, -1)
	checkComparison(t, types.Of(types.Double), r, []float64{0, zero, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64})
	checkComparison(t, types.Of(types.Float), r, []float32{0, float32(zero), 1, -1, float32(math.NaN()), float32(math.Inf(1)), 2.5})
}

func TestDecimalsOfTwoScales(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	random := func(p int32, n int) []int64 {
		vals := make([]int64, n)
		for i := range vals {
			vals[i] = r.Int64N(2*types.Pow10(p)-1) - types.Pow10(p) + 1
			if r.IntN(2) == 0 {
				vals[i] %= 100
			}
		}
		return vals
	}
	quick := 0
	for range 200 {
		a, b := types.NewDecimal(1+r.IntN(18), 0), types.NewDecimal(1+r.IntN(18), 0)
		a.Scale, b.Scale = r.Int32N(a.Precision+1), r.Int32N(b.Precision+1)
		x, y := random(a.Precision, 130), random(b.Precision, 130)
		if r.IntN(2) == 0 {
			y = y[:1]
		}
		if r.IntN(4) == 0 && len(y) > 1 {
			x = x[:1]
		}
		for _, rel := range []relation{equal, less, lessEqual} {
			var out stream.Vec
			out.Reset(boolType, 130)
			loopFor(rel, a, b)(column(a, x), column(b, y), &out, expr.Rows{N: 130})
			for i := range 130 {
				c := types.CompareDecimal(types.Widen(at(x, i)), a.Scale, types.Widen(at(y, i)), b.Scale)
				if out.Bool(i) != holds(rel, c) {
					t.Fatalf("relation %d of %d %s and %d %s is %v", rel, at(x, i), a, at(y, i), b, out.Bool(i))
				}
			}
		}
		digits := r.Int32N(a.Scale + 1)
		for _, direction := range []int{-1, 0, 1, 2} {
			to := roundType(a, int64(digits))
			k := roundSmall(a, to, digits, direction)
			if k == nil {
				continue
			}
			quick++
			x := random(a.Precision, 130)
			out := column(to, make([]int64, 130))
			k(nil, []*stream.Vec{column(a, x)}, out, expr.Rows{N: 130})
			for i, v := range x {
				want, ok := roundDecimal(types.Widen(v), a.Scale, digits, to, direction)
				if got := stream.Values[int64](out)[i]; !ok || want != types.Widen(got) {
					t.Fatalf("%d %s to %d digits, direction %d: %d, not %v", v, a, digits, direction, got, want)
				}
			}
		}
	}
	if quick < 100 {
		t.Errorf("only %d roundings were quick", quick)
	}
}

func TestHashedLists(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	hashed := 0
	for range 300 {
		list := make([]int64, 1+r.IntN(60))
		for i := range list {
			list[i] = []int64{r.Int64N(100), r.Int64(), -r.Int64N(1000), math.MinInt64 + r.Int64N(3)}[r.IntN(4)]
		}
		slices.Sort(list)
		list = slices.Compact(list)
		l := wantInts[int64](list)
		if l.few {
			hashed++
		}
		x := make([]int64, 200)
		for i := range x {
			if x[i] = r.Int64N(100); r.IntN(2) == 0 {
				x[i] = list[r.IntN(len(list))]
			}
		}
		var out stream.Vec
		out.Reset(boolType, len(x))
		searchInts[int64](l, column(types.Of(types.BigInt), x), &out, expr.Rows{N: len(x)})
		for i, v := range x {
			if out.Bool(i) != slices.Contains(list, v) {
				t.Fatalf("%d in %v: %v", v, list, out.Bool(i))
			}
		}
	}
	if hashed < 100 {
		t.Errorf("only %d lists were hashed", hashed)
	}
}

func TestTimesInLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []types.Type{types.NewTimestamp(3), types.NewTimestamp(6), types.NewTimestamp(9)} {
		scale := typ.TimeUnit() / 1e3
		x := make([]int64, 100)
		for i := range x {
			x[i] = (r.Int64N(8e12)-4e12)*scale + r.Int64N(scale)
		}
		ms := func(v int64) int64 {
			whole, _ := types.FloorDiv(v, scale)
			return whole
		}
		for u := unitSecond; u <= unitEpoch; u++ {
			if k := fieldLoop(u, typ); k != nil {
				o, field := make([]int64, len(x)), fieldOf(u)
				k(o, column(typ, x), len(x))
				for i, v := range x {
					if o[i] != field(ms(v)) {
						t.Fatalf("%s of %d %s: %d, not %d", u, v, typ, o[i], field(ms(v)))
					}
				}
			}
			if u > unitMillennium {
				continue
			}
			if k := floorLoop(typ, u, -1); k != nil {
				o, round := make([]int64, len(x)), rounder(u, -1)
				k(o, x)
				for i, v := range x {
					if want := round(ms(v)) * scale; o[i] != want {
						t.Fatalf("floor of %d %s to %s: %d, not %d", v, typ, u, o[i], want)
					}
				}
			}
		}
	}
	for _, s := range []string{"yyyy-MM-dd HH:mm:ss.SSS", "dd/MM/uuuu", "hh KK kk", "yyyyMMdd'T'HHmm", "''yyyy", "MM"} {
		p, err := parseDatePattern(s)
		if err != nil || p.layout == nil {
			t.Fatal(s, err)
		}
		general := *p
		general.layout = nil
		for range 500 {
			ms, nanos := r.Int64N(4e14)-1e14, r.Int64N(1e9)
			x, _ := p.append(nil, ms, nanos)
			y, _ := general.append(nil, ms, nanos)
			if a, b := string(x), string(y); a != b {
				t.Fatalf("%s: %s, not %s", s, a, b)
			}
		}
	}
}

func TestLikeEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		var v, out stream.Vec
		v.Reset(stringType, 100)
		for range 100 {
			v.AppendString("abababababababab"[r.IntN(3) : 3+r.IntN(14)])
		}
		if r.IntN(2) == 0 {
			v.Data = slices.Clip(v.Data)
		}
		out.Reset(boolType, 100)
		end := "ababababababa"[r.IntN(2) : 2+r.IntN(12)]
		pattern := end + "%"
		if r.IntN(2) == 0 {
			pattern = "%" + end
		}
		p, err := parsePattern([]byte(pattern), "")
		if err != nil {
			t.Fatal(err)
		}
		p.run(nil, []*stream.Vec{&v}, &out, expr.Rows{N: 100})
		for i := range 100 {
			if out.Bool(i) != p.match(v.Bytes(i)) {
				t.Fatalf("%s LIKE %s is %v", v.Bytes(i), pattern, out.Bool(i))
			}
		}
	}
}
