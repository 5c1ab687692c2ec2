package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// dictSource makes Dict vectors over a dictionary that grows in one of the ways that a
// source may choose.
type dictSource struct {
	r      *rand.Rand
	dict   *stream.Vec
	inside bool // a longer dictionary is the same vector, not a new one of the series

	distinct bool // no two values are equal
	first    int  // number of the first of them
}

// fresh starts an empty dictionary.
func (s *dictSource) fresh() {
	s.dict = new(stream.Vec)
	s.dict.Reset(types.Of(types.Varchar), 0)
	s.dict.Series, s.dict.Distinct = stream.NewSeries(), s.distinct
	s.first = s.r.IntN(100)
}

// batch makes a vector of n rows over at least size values, of which nulls of eight are
// NULL, and its Flat form.
func (s *dictSource) batch(n, size, nulls int) (dict, flat *stream.Vec) {
	if s.dict.N < size {
		d := s.dict
		if !s.inside {
			d = new(stream.Vec)
			*d = *s.dict
		} else {
			d.Series = 0
		}
		for d.N < size {
			if s.distinct {
				d.AppendString(dictText(s.first + d.N))
			} else {
				d.AppendString(dictText(s.r.IntN(2 * size)))
			}
		}
		s.dict = d
	}
	values := s.dict
	if s.r.IntN(8) == 0 {
		alone := *s.dict // for this batch, as of a reader that has given up its dictionary
		alone.Series = 0
		values = &alone
	}
	dict, flat = new(stream.Vec), new(stream.Vec)
	dict.Reset(types.Of(types.Int), n)
	dict.Type, dict.Enc, dict.Dict = types.Of(types.Varchar), stream.Dict, values
	flat.Reset(types.Of(types.Varchar), n)
	for i := range dict.IDs() {
		id := s.r.IntN(s.dict.N)
		dict.IDs()[i] = int32(id)
		if s.r.IntN(8) < nulls {
			dict.SetNull(i, n)
			flat.AppendBytes(nil)
			flat.SetNull(i, n)
		} else {
			flat.AppendBytes(s.dict.Bytes(id))
		}
	}
	return dict, flat
}

func dictText(i int) string {
	return fmt.Sprintf("%.*s%d", i%23, "some more than sixteen!", i)
}

// TestDictAgainstFlat: dictionaries that grow, are replaced, alternate, are far too
// large or give way to plain vectors give the groups that plain vectors give, alone and
// beside another key, and the same snapshot.
func TestDictAgainstFlat(t *testing.T) {
	str, num := types.Of(types.Varchar), types.Of(types.BigInt)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		src := []*dictSource{{r: r, distinct: seed%4 > 0}, {r: r, inside: true, distinct: seed%4 > 1}}
		for _, s := range src {
			s.fresh()
		}
		for _, keys := range [][]types.Type{{str}, {str, num}} {
			a, b := NewTable(keys, seed, NewScratch()), NewTable(keys, seed+1, NewScratch())
			for round := range 40 {
				s := src[0]
				if seed%3 == 0 {
					s = src[r.IntN(2)]
				}
				switch r.IntN(12) {
				case 0:
					s.fresh()
				case 1:
					a.Reset()
					b.Reset()
				case 2:
					a = reborn(t, keys, a, b)
				}
				n := 1 + r.IntN(1500)
				size := 1 + r.IntN(1+20*round)
				if seed%5 == 4 {
					size = 30_000
				}
				dict, flat := s.batch(n, size, r.IntN(2))
				cols, plain := []*stream.Vec{dict}, []*stream.Vec{flat}
				if len(keys) > 1 {
					v := new(stream.Vec)
					v.Reset(num, n)
					for i := range n {
						stream.Values[int64](v)[i] = r.Int64N(3)
					}
					cols, plain = append(cols, v), append(plain, v)
				}
				rows := expr.Rows{N: n}
				if r.IntN(2) == 0 {
					rows.Sel = []int32{}
					for i := range n {
						if r.IntN(3) > 0 {
							rows.Sel = append(rows.Sel, int32(i))
						}
					}
				}
				if r.IntN(16) == 0 {
					cols = plain
				}
				got, want := make([]int32, n), make([]int32, n)
				a.Find(cols, rows, got)
				b.Find(plain, rows, want)
				if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(a.Fresh()) != fmt.Sprint(b.Fresh()) || a.Len() != b.Len() {
					t.Fatalf("seed %d round %d: other groups than those of a Flat vector", seed, round)
				}
			}
			x, y := make([]stream.Vec, len(keys)), make([]stream.Vec, len(keys))
			a.Keys(nil, a.Len(), x)
			b.Keys(nil, b.Len(), y)
			for g := range a.Len() {
				if p, q := x[0].Value(g), y[0].Value(g); p != q {
					t.Fatalf("seed %d: key %d is %v, want %v", seed, g, p, q)
				}
			}
		}
	}
}

// reborn returns a table with the keys of a's snapshot, which must be that of b.
func reborn(t *testing.T, keys []types.Type, a, b *Table) *Table {
	var x, y stream.Encoder
	a.Snapshot(&x)
	b.Snapshot(&y)
	if !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Fatal("another snapshot than that of Flat vectors")
	}
	c := NewTable(keys, 3, NewScratch())
	if err := c.Restore(stream.NewDecoder(x.Bytes())); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDictArray: which dictionaries get an array, and that it outlives growth but not
// replacement.
func TestDictArray(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &dictSource{r: r}
	s.fresh()
	tab := NewTable([]types.Type{types.Of(types.Varchar)}, 1, NewScratch())
	groups := make([]int32, 5000)
	find := func(n, size int) int {
		v, _ := s.batch(n, size, 0)
		tab.Find([]*stream.Vec{v}, expr.Rows{N: n}, groups)
		known := 0
		for _, g := range tab.dict.groups {
			if g != 0 {
				known++
			}
		}
		return known
	}
	first := find(1000, 50)
	if first < 40 {
		t.Errorf("%d of 50 values are known after 1000 rows", first)
	}
	if n := find(1, 4000); n < first || len(tab.dict.groups) != 4000 {
		t.Errorf("%d values are known in the longer dictionary of %d, want %d", n, len(tab.dict.groups), first)
	}
	if find(1, 100_000); len(tab.dict.groups) != 4000 {
		t.Error("a dictionary of 100,000 values has an array after 1000 rows")
	}
	for range 6 {
		find(5000, 100_000)
	}
	if len(tab.dict.groups) != 100_000 {
		t.Error("a dictionary of 100,000 values has no array after 30,000 rows")
	}
	tab.Reset()
	if find(1, 100_000); len(tab.dict.groups) != 100_000 {
		t.Error("no array in the next window, though the one before had 30,000 rows")
	}
	s.fresh()
	if n := find(1, 1); n != 1 && len(tab.dict.groups) != 100_000 {
		t.Errorf("%d values of the replaced dictionary are known", n)
	}
	v, _ := s.batch(5000, 300, 0)
	cols := []*stream.Vec{v}
	window := func() {
		tab.Find(cols, expr.Rows{N: 5000}, groups)
		tab.Reset()
	}
	for range 25 {
		window()
	}
	if a := testing.AllocsPerRun(5, window); a > 0 || len(tab.dict.groups) > 0 {
		t.Errorf("%v allocations for a window, %d values known after it", a, len(tab.dict.groups))
	}
}

// TestTextLengths: keys of all lengths around the borders of the inline form that differ
// in one byte, or in length by zero bytes, are told apart and read back.
func TestTextLengths(t *testing.T) {
	var keys []string
	for n := range 40 {
		zeros := make([]byte, n)
		keys = append(keys, string(zeros))
		for at := range n {
			b := append([]byte(nil), zeros...)
			b[at] = 1
			keys = append(keys, string(b))
		}
	}
	v := new(stream.Vec)
	v.Reset(types.Of(types.Varchar), len(keys))
	for _, k := range keys {
		v.AppendString(k)
	}
	tab := NewTable([]types.Type{types.Of(types.Varchar)}, 1, NewScratch())
	for range 2 {
		for i, g := range find(tab, len(keys), v) {
			if int(g) != i {
				t.Fatalf("key %q has group %d, want %d", keys[i], g, i)
			}
		}
	}
	out := make([]stream.Vec, 1)
	tab.Keys(nil, len(keys), out)
	for i, k := range keys {
		if got := string(out[0].Bytes(i)); got != k {
			t.Fatalf("key %q is read back as %q", k, got)
		}
	}
}

// TestMergeTables: keys of a second table come in order of their ids behind those that
// are there.
func TestMergeTables(t *testing.T) {
	str := types.Of(types.Varchar)
	a, b := NewTable([]types.Type{str}, 1, NewScratch()), NewTable([]types.Type{str}, 2, NewScratch())
	find(a, 3, column(str, texts("x", "NULL", "y")...))
	find(b, 5, column(str, texts("z", "y", "NULL", "a key of more than sixteen bytes", "x")...))
	if got := a.Merge(b, []int32{9}); fmt.Sprint(got) != "[9 3 2 1 4 0]" {
		t.Errorf("groups %v", got)
	}
	var many []types.Value
	for i := range 10_000 {
		many = append(many, types.IntValue(int64(i)))
	}
	big := types.Of(types.BigInt)
	c, d := NewTable([]types.Type{big}, 1, NewScratch()), NewTable([]types.Type{big}, 2, NewScratch())
	find(c, 5000, column(big, many[5000:]...))
	find(d, 10_000, column(big, many...))
	for i, g := range c.Merge(d, nil) {
		if want := (i + 5000) % 10_000; int(g) != want {
			t.Fatalf("key %d is group %d, want %d", i, g, want)
		}
	}
}
