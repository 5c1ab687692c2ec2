package state

import (
	"fmt"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TestEqualTags: where the index offers the group of another key, because the hashes
// agree in 32 bits, only the comparison of the keys can tell. Each pair of keys differs
// in one place; the second one's tag is made to lead to the first one's group.
func TestEqualTags(t *testing.T) {
	str, big := types.Of(types.Varchar), types.Of(types.BigInt)
	ints := func(x ...int64) []*stream.Vec {
		var cols []*stream.Vec
		for _, x := range x {
			cols = append(cols, column(big, types.IntValue(x)))
		}
		return cols
	}
	text := func(s string) []*stream.Vec { return []*stream.Vec{column(str, types.TextValue(s))} }
	type pair struct {
		types []types.Type
		a, b  []*stream.Vec
	}
	pairs := []pair{
		{[]types.Type{big}, ints(1), ints(2)},
		{[]types.Type{big, types.Of(types.Int)}, append(ints(1), column(types.Of(types.Int), types.IntValue(1))), append(ints(1), column(types.Of(types.Int), types.IntValue(2)))},
		{[]types.Type{big, big}, ints(1, 1), ints(2, 1)},
		{[]types.Type{big, big}, ints(1, 1), ints(1, 2)},
		{[]types.Type{big, big}, ints(1, 0), append(ints(1), column(big, types.NullValue))},
		{[]types.Type{str}, text("a"), text("a\x00")},
	}
	for _, n := range []int{1, 4, 8, 9, 16, 17, 24, 25, 40} {
		for _, at := range []int{0, n / 2, n - 1} {
			s := []byte(strings.Repeat("x", n))
			s[at] = 'y'
			pairs = append(pairs, pair{[]types.Type{str}, text(strings.Repeat("x", n)), text(string(s))})
		}
	}
	for i, p := range pairs {
		other := NewTable(p.types, 1, NewScratch())
		find(other, 1, p.b...)
		var tag uint32
		for _, s := range other.index.parts[0].slots {
			if s != 0 {
				tag = uint32(s >> 32)
			}
		}
		tab := NewTable(p.types, 1, NewScratch())
		find(tab, 1, p.a...)
		tab.index.add(tag, 0)
		for range 2 { // the second time behind the wrong slot
			if g := find(tab, 1, p.b...); g[0] != 1 {
				t.Errorf("pair %d: the second key has group %d, want 1", i, g[0])
			}
		}
		// Of long texts the first word is a hash: let that agree, too.
		if tab.layout.form == textKey && tab.texts.At(0).n > inlineText {
			tab.texts.At(0).a = tab.texts.At(1).a
			if g := find(tab, 1, p.b...); g[0] != 1 {
				t.Errorf("pair %d: with equal hashes the second key has group %d, want 1", i, g[0])
			}
		}
	}
}

// TestDistinctEntries: values that are no word are read back whole, in any order.
func TestDistinctEntries(t *testing.T) {
	str, big := types.Of(types.Varchar), types.Of(types.BigInt)
	d := NewDistinct([]types.Type{str, big}, 1, NewScratch())
	a := column(str, texts("first value of them", "NULL", "", "the fourth of the values", "first value of them")...)
	b := column(big, types.IntValue(1), types.IntValue(2), types.NullValue, types.IntValue(4), types.IntValue(5))
	d.Add([]int32{9, 8, 7, 6, 5}, []*stream.Vec{a, b}, expr.Rows{N: 5})
	cols := make([]stream.Vec, 3)
	d.entries([]int32{4, 3, 2, 1, 0}, 5, cols)
	for k := range 5 {
		got := fmt.Sprintf("%v %v %v", cols[0].Value(k).I, cols[1].Value(k), cols[2].Value(k))
		if want := fmt.Sprintf("%v %v %v", 5+k, a.Value(4-k), b.Value(4-k)); got != want {
			t.Errorf("entry %d: %s, want %s", 4-k, got, want)
		}
	}
}
