package builtin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/types/bitmap"
)

// randomBitmap is a set of few numbers, of runs, or of many.
func randomBitmap(r *rand.Rand) types.Value {
	var m bitmap.Memory
	var s bitmap.Set
	s.Use(&m)
	for range r.IntN(4) {
		start := uint32(r.IntN(3))<<16 | uint32(r.IntN(12))
		if r.IntN(3) == 0 {
			start = -start
		}
		for k := range uint32([]int{1, 1, 2, 7, 150}[r.IntN(5)]) {
			s.Add(start + k*uint32(1+r.IntN(2)))
		}
	}
	return types.TextValue(string(s.AppendTo(nil)))
}

// modelBitmap counts in how many of the values each number is.
func modelBitmap(name string, vals []types.Value) string {
	times := map[uint32]int{}
	for _, v := range vals {
		if strings.HasPrefix(name, "BITMAP_BUILD") {
			times[uint32(v.I)]++
			continue
		}
		bitmap.Each([]byte(v.S), func(x uint32) bool {
			times[x]++
			return true
		})
	}
	var numbers []uint32
	for x, n := range times {
		if strings.HasPrefix(name, "BITMAP_AND") && n < len(vals) || strings.HasPrefix(name, "BITMAP_XOR") && n%2 == 0 {
			continue
		}
		numbers = append(numbers, x)
	}
	if strings.Contains(name, "CARDINALITY") {
		return fmt.Sprint(len(numbers))
	}
	slices.Sort(numbers)
	texts := make([]string, len(numbers))
	for i, x := range numbers {
		texts[i] = fmt.Sprint(x)
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// TestBitmapAggregatesAgainstModel is TestAggregatesAgainstModel for bitmaps.
func TestBitmapAggregatesAgainstModel(t *testing.T) {
	for _, name := range []string{"BUILD", "OR", "AND", "XOR"} {
		typ := bitmapType
		if name == "BUILD" {
			typ = intType
		}
		for _, form := range []string{"_AGG", "_CARDINALITY_AGG"} {
			for _, retract := range []bool{false, true} {
				for seed := range uint64(4) {
					checkAggregate(t, "BITMAP_"+name+form, typ, retract, rand.New(rand.NewPCG(seed, 11)))
				}
			}
		}
	}
}

// TestBitmapRetractFirst: what is taken out before it came is not there, and leaves no
// trace when it has come.
func TestBitmapRetractFirst(t *testing.T) {
	for _, name := range []string{"BITMAP_BUILD_AGG", "BITMAP_OR_AGG", "BITMAP_AND_AGG", "BITMAP_XOR_AGG"} {
		typ, one, two := bitmapType, bitmapOf(1, 2), bitmapOf(2, 3)
		if name == "BITMAP_BUILD_AGG" {
			typ, one, two = intType, types.IntValue(1), types.IntValue(2)
		}
		acc, result := aggregate(t, name, true, typ)
		acc.Grow(1)
		feedOne := func(f func([]int32, []*stream.Vec, expr.Rows) error, v types.Value, want string) {
			t.Helper()
			if err := f([]int32{0}, []*stream.Vec{aggColumn(typ, v)}, expr.Rows{N: 1}); err != nil {
				t.Fatal(err)
			}
			got, err := results(acc, result, nil, 1)
			if err != nil || got[0] != want {
				t.Errorf("%s: %v, %v, want %s", name, got, err, want)
			}
		}
		lone := map[string]string{"BITMAP_BUILD_AGG": "{2}", "BITMAP_OR_AGG": "{2,3}", "BITMAP_AND_AGG": "{2,3}", "BITMAP_XOR_AGG": "{2,3}"}[name]
		feedOne(acc.Retract, one, "NULL")
		feedOne(acc.Add, one, "NULL")
		feedOne(acc.Add, two, lone)
		feedOne(acc.Retract, two, "NULL")
	}
}

func bitmapOf(numbers ...uint32) types.Value {
	var m bitmap.Memory
	var s bitmap.Set
	s.Use(&m)
	for _, x := range numbers {
		s.Add(x)
	}
	return types.TextValue(string(s.AppendTo(nil)))
}
