package state

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// column makes a Flat vector of type t.
func column(t types.Type, vals ...types.Value) *stream.Vec {
	v := new(stream.Vec)
	v.Reset(t, len(vals))
	for i, x := range vals {
		v.Put(i, len(vals), x)
	}
	return v
}

func texts(vals ...string) []types.Value {
	var out []types.Value
	for _, s := range vals {
		if s == "NULL" {
			out = append(out, types.NullValue)
		} else {
			out = append(out, types.TextValue(s))
		}
	}
	return out
}

func find(t *Table, n int, keys ...*stream.Vec) []int32 {
	groups := make([]int32, n)
	t.Find(keys, expr.Rows{N: n}, groups)
	return groups
}

func TestKeysDoNotCollide(t *testing.T) {
	str := types.Of(types.Varchar)
	tab := NewTable([]types.Type{str, str}, 1, NewScratch())
	a := column(str, texts("x|", "x,", "ab", "a", "", "NULL", "", "NULL", "ab")...)
	b := column(str, texts("y", "|y", "c", "bc", "x", "x", "NULL", "NULL", "c")...)
	got := find(tab, 9, a, b)
	if want := "[0 1 2 3 4 5 6 7 2]"; fmt.Sprint(got) != want {
		t.Errorf("groups %v, want %v", got, want)
	}
}

func TestNullIsNotEmptyOrZero(t *testing.T) {
	str, i32 := types.Of(types.Varchar), types.Of(types.Int)
	if got := find(NewTable([]types.Type{str}, 1, NewScratch()), 4, column(str, texts("", "NULL", "", "NULL")...)); fmt.Sprint(got) != "[0 1 0 1]" {
		t.Errorf("text: %v", got)
	}
	nums := column(i32, types.IntValue(0), types.NullValue, types.IntValue(-1), types.NullValue, types.IntValue(0))
	if got := find(NewTable([]types.Type{i32}, 1, NewScratch()), 5, nums); fmt.Sprint(got) != "[0 1 2 1 0]" {
		t.Errorf("INT: %v", got)
	}
	if got := find(NewTable([]types.Type{i32, i32}, 1, NewScratch()), 5, nums, nums); fmt.Sprint(got) != "[0 1 2 1 0]" {
		t.Errorf("INT, INT: %v", got)
	}
}

func TestFloatKeys(t *testing.T) {
	d := types.Of(types.Double)
	nan2 := math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
	v := column(d, types.FloatValue(0), types.FloatValue(math.Copysign(0, -1)), types.FloatValue(math.NaN()), types.FloatValue(nan2), types.FloatValue(-nan2))
	for _, keys := range [][]types.Type{{d}, {d, types.Of(types.Int)}, {d, types.Of(types.Varchar)}} {
		cols := []*stream.Vec{v}
		for _, k := range keys[1:] {
			c := new(stream.Vec)
			c.SetConst(k, types.NullValue)
			cols = append(cols, c)
		}
		if got := find(NewTable(keys, 1, NewScratch()), 5, cols...); fmt.Sprint(got) != "[0 1 2 2 2]" {
			t.Errorf("%v: %v, want 0.0, -0.0 and one NaN", keys, got)
		}
	}
}

func TestNoKeys(t *testing.T) {
	tab := NewTable(nil, 1, NewScratch())
	groups := []int32{7, 7, 7}
	tab.Find(nil, expr.Rows{N: 3, Sel: []int32{}}, groups)
	if tab.Len() != 0 {
		t.Errorf("a group without rows")
	}
	tab.Find(nil, expr.Rows{N: 3, Sel: []int32{1, 2}}, groups)
	if tab.Len() != 1 || fmt.Sprint(groups) != "[7 0 0]" || fmt.Sprint(tab.Fresh()) != "[1]" {
		t.Errorf("len %d, groups %v, fresh %v", tab.Len(), groups, tab.Fresh())
	}
}

// keySets are the key types of the random test: each storage form, with the corners
// of packing.
var keySets = [][]types.Type{
	{types.Of(types.Boolean)},
	{types.Of(types.TinyInt)},
	{types.Of(types.BigInt)},
	{types.Of(types.Float)},
	{types.Of(types.Varchar)},
	{types.Of(types.Varbinary)},
	{types.NewDecimal(10, 2)},
	{types.NewDecimal(38, 2)},
	{types.Of(types.SmallInt), types.Of(types.Boolean), types.Of(types.Int)},
	{types.Of(types.Int), types.Of(types.Int)},
	{types.Of(types.BigInt), types.Of(types.Int), types.Of(types.Date)},
	{types.Of(types.Int), types.Of(types.BigInt), types.Of(types.Boolean), types.Of(types.Boolean)},
	{types.Of(types.BigInt), types.Of(types.BigInt)},
	{types.Of(types.BigInt), types.Of(types.BigInt), types.Of(types.Boolean), types.Of(types.Double)},
	{types.Of(types.Varchar), types.Of(types.Int)},
	{types.Of(types.Double), types.Of(types.Varchar), types.Of(types.Boolean), types.NewDecimal(30, 0)},
	{types.Of(types.Null)},
	{types.Of(types.Null), types.Of(types.Int)},
}

func randomValue(r *rand.Rand, t types.Type, spread int64) types.Value {
	if r.IntN(8) == 0 || t.Kind == types.Null {
		return types.NullValue
	}
	x := r.Int64N(spread) - spread/2
	switch t.Layout() {
	case types.Bits:
		return types.BoolValue(x&1 == 0)
	case types.Int8:
		return types.IntValue(int64(int8(x)))
	case types.Int16:
		return types.IntValue(int64(int16(x)))
	case types.Int32, types.Int64:
		return types.IntValue(x)
	case types.Float32, types.Float64:
		return types.FloatValue(float64(x) / 4)
	case types.Int128:
		return types.Value{D: decimal128.FromI64(x)}
	}
	return types.TextValue(fmt.Sprintf("%.*s%d", int(x&31), "a long prefix of the key that repeats", x))
}

// TestTableAgainstMap gives random keys, with selections and restarts, to a table and
// to a Go map from the printed key to the id.
func TestTableAgainstMap(t *testing.T) {
	for _, keys := range keySets {
		for _, spread := range []int64{5, 3000} {
			r := rand.New(rand.NewPCG(uint64(len(keys)), uint64(spread)))
			tab := NewTable(keys, r.Uint64(), NewScratch())
			ids := map[string]int32{}
			var printed []string
			for round := range 6 {
				n := 1 + r.IntN(2500)
				cols := make([]*stream.Vec, len(keys))
				names := make([]string, n)
				for c, k := range keys {
					vals := make([]types.Value, n)
					for i := range vals {
						vals[i] = randomValue(r, k, spread)
						names[i] += fmt.Sprintf("%v|", vals[i])
					}
					cols[c] = column(k, vals...)
				}
				rows := expr.Rows{N: n}
				if round%2 == 1 {
					rows.Sel = []int32{}
					for i := range n {
						if r.IntN(3) > 0 {
							rows.Sel = append(rows.Sel, int32(i))
						}
					}
				}
				groups := make([]int32, n)
				before := tab.Len()
				got := findIn(tab, cols, rows, groups, round%3 == 2)
				var fresh []int32
				each(rows, func(i int32) {
					id, ok := ids[names[i]]
					if !ok {
						id = int32(len(ids))
						ids[names[i]] = id
						printed = append(printed, names[i])
						fresh = append(fresh, i)
					}
					if groups[i] != id {
						t.Fatalf("%v: row %d key %s: group %d, want %d", keys, i, names[i], groups[i], id)
					}
				})
				if fmt.Sprint(fresh) != fmt.Sprint(got) || tab.Len() != before+len(fresh) {
					t.Fatalf("%v: fresh %v, want %v", keys, got, fresh)
				}
				checkKeys(t, tab, printed, r)
				if round == 2 || round == 4 {
					tab = restart(t, tab, keys, r.Uint64())
				}
				if round == 3 {
					tab.Reset()
					clear(ids)
					printed = nil
				}
			}
		}
	}
}

// findIn looks rows up, all at once or each alone, and returns those that opened groups.
func findIn(tab *Table, cols []*stream.Vec, rows expr.Rows, groups []int32, alone bool) (fresh []int32) {
	if !alone {
		tab.Find(cols, rows, groups)
		return tab.Fresh()
	}
	each(rows, func(i int32) {
		tab.Find(cols, expr.Rows{N: rows.N, Sel: []int32{i}}, groups)
		fresh = append(fresh, tab.Fresh()...)
	})
	return fresh
}

// checkKeys reads keys back, all and some.
func checkKeys(t *testing.T, tab *Table, printed []string, r *rand.Rand) {
	t.Helper()
	out := make([]stream.Vec, len(tab.layout.types))
	some := make([]int32, 1+r.IntN(100))
	for i := range some {
		some[i] = int32(r.IntN(max(1, tab.Len())))
	}
	for _, groups := range [][]int32{nil, some} {
		n := tab.Len()
		if groups != nil {
			n = len(groups)
		}
		if tab.Len() == 0 {
			return
		}
		tab.Keys(groups, n, out)
		for k := range n {
			name := ""
			for c := range out {
				name += fmt.Sprintf("%v|", out[c].Value(k))
			}
			if want := printed[group(groups, k)]; name != want {
				t.Fatalf("key of group %d is %s, want %s", group(groups, k), name, want)
			}
		}
	}
}

func restart(t *testing.T, tab *Table, keys []types.Type, seed uint64) *Table {
	t.Helper()
	var e stream.Encoder
	tab.Snapshot(&e)
	d := stream.NewDecoder(e.Bytes())
	fresh := NewTable(keys, seed, NewScratch())
	if err := fresh.Restore(d); err != nil || d.Len() > 0 {
		t.Fatalf("restore: %v, %d bytes left", err, d.Len())
	}
	var again stream.Encoder
	fresh.Snapshot(&again)
	if string(again.Bytes()) != string(e.Bytes()) {
		t.Fatal("a restored table has another snapshot")
	}
	return fresh
}

// TestManyKeys has so many keys that some share their 32-bit tags: only the comparison
// of keys keeps them apart.
func TestManyKeys(t *testing.T) {
	const n = 400_000
	big, str := types.Of(types.BigInt), types.Of(types.Varchar)
	nums, txts := make([]types.Value, n), make([]types.Value, n)
	for i := range nums {
		nums[i] = types.IntValue(int64(i) * 1_000_003)
		txts[i] = types.TextValue(fmt.Sprint("key ", i))
	}
	num, txt, one := column(big, nums...), column(str, txts...), new(stream.Vec)
	one.SetConst(types.Of(types.Int), types.IntValue(1))
	for _, c := range []struct {
		types []types.Type
		keys  []*stream.Vec
	}{
		{[]types.Type{big}, []*stream.Vec{num}},
		{[]types.Type{big, types.Of(types.Int)}, []*stream.Vec{num, one}},
		{[]types.Type{str}, []*stream.Vec{txt}},
	} {
		tab := NewTable(c.types, 1, NewScratch())
		tags := map[uint32]bool{}
		groups := find(tab, n, c.keys...)
		for i, g := range groups {
			if int(g) != i {
				t.Fatalf("%v: key %d has group %d", c.types, i, g)
			}
		}
		if len(tab.index.parts) != 1<<splitBits {
			t.Errorf("%v: the index has %d parts", c.types, len(tab.index.parts))
		}
		for _, p := range tab.index.parts {
			for _, s := range p.slots {
				if s != 0 {
					tags[uint32(s>>32)] = true
				}
			}
		}
		if len(tags) == n {
			t.Errorf("%v: no two keys share a tag, the test shows nothing", c.types)
		}
		if len(tags) < n-200 {
			t.Errorf("%v: %d of %d tags differ, the hash is poor", c.types, len(tags), n)
		}
		if again := find(tab, n, c.keys...); fmt.Sprint(again[:100], again[n-100:]) != fmt.Sprint(groups[:100], groups[n-100:]) || tab.Len() != n {
			t.Errorf("%v: a second look gives other groups", c.types)
		}
	}
}

func TestRestoreOfDamagedData(t *testing.T) {
	keys := []types.Type{types.Of(types.Varchar), types.Of(types.Int)}
	tab := NewTable(keys, 3, NewScratch())
	find(tab, 3, column(keys[0], texts("a", "b", "NULL")...), column(keys[1], types.IntValue(1), types.NullValue, types.IntValue(3)))
	var e stream.Encoder
	tab.Snapshot(&e)
	for cut := range len(e.Bytes()) {
		if err := NewTable(keys, 3, NewScratch()).Restore(stream.NewDecoder(e.Bytes()[:cut])); err == nil {
			t.Fatalf("a snapshot cut to %d bytes was taken", cut)
		}
	}
}

// TestRestoreOfDamagedSet: a value's number must be that of a value.
func TestRestoreOfDamagedSet(t *testing.T) {
	str := types.Of(types.Varchar)
	d := NewDistinct([]types.Type{str}, 1, NewScratch())
	d.Add([]int32{0, 1}, []*stream.Vec{column(str, texts("a", "b")...)}, expr.Rows{N: 2})
	var whole stream.Encoder
	d.Snapshot(&whole)
	if err := NewDistinct([]types.Type{str}, 2, NewScratch()).Restore(stream.NewDecoder(whole.Bytes())); err != nil {
		t.Fatal(err)
	}
	d.large[0].Reset()
	var short stream.Encoder
	d.Snapshot(&short)
	if err := NewDistinct([]types.Type{str}, 2, NewScratch()).Restore(stream.NewDecoder(short.Bytes())); err == nil {
		t.Error("a set without its values was taken")
	}
}

func TestResetShrinksIndexKeepsMemory(t *testing.T) {
	tab := NewTable([]types.Type{types.Of(types.BigInt)}, 1, NewScratch())
	const n = 60_000 // more would split the index
	vals := make([]types.Value, n)
	for i := range vals {
		vals[i] = types.IntValue(int64(i))
	}
	many := column(types.Of(types.BigInt), vals...)
	groups := make([]int32, n)
	fill := func(m int) {
		v := *many
		v.N = m
		tab.Find([]*stream.Vec{&v}, expr.Rows{N: m}, groups)
		if tab.Len() != m {
			t.Fatalf("%d groups, want %d", tab.Len(), m)
		}
	}
	fill(n)
	tab.Reset()
	fill(10)
	tab.Reset()
	if n := len(tab.index.parts[0].slots); n > 1024 {
		t.Errorf("after ten keys the index still has %d slots", n)
	}
	fill(n)
	tab.Reset()
	fill(n)
	tab.Reset()
	if a := testing.AllocsPerRun(5, func() { fill(n); tab.Reset(); fill(10); tab.Reset() }); a > 0 {
		t.Errorf("%v allocations for windows of known sizes", a)
	}
}

func TestDistinct(t *testing.T) {
	str := types.Of(types.Varchar)
	d := NewDistinct([]types.Type{str}, 1, NewScratch())
	vals := column(str, texts("a", "b", "a", "a", "NULL", "NULL")...)
	groups := []int32{0, 0, 0, 1, 0, 0}
	all := expr.Rows{N: 6}
	steps := []struct {
		add  bool
		rows expr.Rows
		want string
	}{
		{true, all, "[0 1 3 4]"},
		{true, expr.Rows{N: 6, Sel: []int32{0}}, "[]"},
		{false, all, "[1 3 5]"},                          // group 0 keeps one "a" of three
		{false, expr.Rows{N: 6, Sel: []int32{2}}, "[2]"}, // the last one
		{true, expr.Rows{N: 6, Sel: []int32{2}}, "[2]"},  // comes back
	}
	for i, s := range steps {
		f := d.Retract
		if s.add {
			f = d.Add
		}
		if got := f(groups, []*stream.Vec{vals}, s.rows); fmt.Sprint(got.Sel) != s.want {
			t.Errorf("step %d: %v, want %s", i, got.Sel, s.want)
		}
		var e stream.Encoder
		d.Snapshot(&e)
		d = NewDistinct([]types.Type{str}, uint64(i), NewScratch())
		if err := d.Restore(stream.NewDecoder(e.Bytes())); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkFind looks known keys up, in each form; x-map is the time per row against a
// Go map of the same keys in the same run.
func BenchmarkFind(b *testing.B) {
	for _, form := range []string{"int", "text", "long", "dict", "pair"} {
		for _, keys := range []int{100, 10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", form, keys), func(b *testing.B) { benchmarkFind(b, form, keys) })
		}
	}
}

func benchmarkFind(b *testing.B, form string, keys int) {
	const n, batches = 4096, 256
	r := rand.New(rand.NewPCG(1, 1))
	str, big := types.Of(types.Varchar), types.Of(types.BigInt)
	dict := new(stream.Vec)
	dict.Reset(str, 0)
	texts := make([]string, keys)
	for i := range texts {
		texts[i] = fmt.Sprintf("item-%d-variant", i)
		if form == "long" {
			texts[i] += " in a long text"
		}
		dict.AppendString(texts[i])
	}
	typs := []types.Type{str}
	switch form {
	case "int":
		typs = []types.Type{big}
	case "pair":
		typs = []types.Type{big, big}
	}
	names, cols := make([][]string, batches), make([][]*stream.Vec, batches)
	ints := map[int64]int32{}
	strs := map[string]int32{}
	for at := range cols {
		v := new(stream.Vec)
		v.Reset(typs[0], n)
		if form == "dict" {
			v.Reset(types.Of(types.Int), n)
			v.Type, v.Enc, v.Dict = str, stream.Dict, dict
		}
		for i := range n {
			x := r.IntN(keys)
			switch form {
			case "int", "pair":
				stream.Values[int64](v)[i] = int64(x) * 1_000_003
				ints[int64(x)*1_000_003] = int32(x)
			case "dict":
				v.IDs()[i] = int32(x)
			default:
				v.AppendString(texts[x])
			}
			names[at] = append(names[at], strings.Clone(texts[x]))
			strs[texts[x]] = int32(x)
		}
		cols[at] = []*stream.Vec{v, v}[:len(typs)]
	}
	tab, groups := NewTable(typs, 1, NewScratch()), make([]int32, n)
	for range 2 { // a large dictionary has no array at first
		for at := range cols {
			tab.Find(cols[at], expr.Rows{N: n}, groups)
		}
	}
	var found, plain time.Duration
	rounds, sum := 0, int32(0)
	for b.Loop() {
		at := rounds % batches
		start := time.Now()
		tab.Find(cols[at], expr.Rows{N: n}, groups)
		found += time.Since(start)
		start = time.Now()
		if len(ints) > 0 {
			for _, x := range stream.Values[int64](cols[at][0]) {
				sum += ints[x]
			}
		} else {
			for _, x := range names[at] {
				sum += strs[x]
			}
		}
		plain += time.Since(start)
		rounds++
	}
	if sum == 1 {
		b.Log(sum)
	}
	b.ReportMetric(float64(found.Nanoseconds())/float64(rounds)/n, "ns/row")
	b.ReportMetric(float64(found)/float64(plain), "x-map")
	b.ReportMetric(0, "ns/op")
}
