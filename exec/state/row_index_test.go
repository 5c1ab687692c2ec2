package state

import (
	"math/rand/v2"
	"testing"

	"streamsql/stream"
	"streamsql/types"
)

// rowsOf makes a store of rows (INT, STRING); negative numbers and "" are NULL.
func rowsOf(numbers []int64, texts []string) (*RowStore, []int32) {
	columns := []types.Type{types.Of(types.Int), types.NewVarchar(types.MaxLength), types.Of(types.Varbinary)}
	cols := make([]stream.Vec, 2)
	n := len(numbers)
	cols[0].Reset(columns[0], n)
	cols[1].Reset(columns[1], n)
	s := NewRowStore(columns)
	var rows, ids []int32
	for i := range numbers {
		stream.Values[int32](&cols[0])[i] = int32(numbers[i])
		if numbers[i] < 0 {
			cols[0].SetNull(i, n)
		}
		cols[1].AppendBytes([]byte(texts[i]))
		if texts[i] == "" {
			cols[1].SetNull(i, n)
		}
		rows, ids = append(rows, int32(i)), append(ids, s.New())
	}
	s.Put(cols, rows, ids)
	return s, ids
}

func TestRowIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"", "a", "b", "a text that does not lie in the row", "a text that does not lie in the roW"}
	var numbers []int64
	var texts []string
	for range 3000 {
		numbers, texts = append(numbers, int64(r.IntN(5)-1)), append(texts, words[r.IntN(len(words))])
	}
	s, ids := rowsOf(numbers, texts)
	type content struct {
		n int64
		s string
	}
	x := NewRowIndex(s, []int{0, 1}, 7)
	left := map[content][]int32{}
	for _, id := range ids[:2000] {
		s.SetBytes(id, 2, []byte{byte(id)}) // a column that does not count
		c := content{numbers[id], texts[id]}
		x.Add(id)
		left[c] = append(left[c], id)
	}
	first := func(a, b int32) bool { return a < b }
	for _, id := range ids[2000:] {
		c, want := content{numbers[id], texts[id]}, int32(-1)
		if list := left[c]; len(list) > 0 {
			want, left[c] = list[0], list[1:]
		}
		if got := x.Take(id, first); got != want {
			t.Fatalf("row %v: took %d, want %d", c, got, want)
		}
	}
	for c, list := range left {
		for _, want := range list {
			if got := x.Take(want, first); got != want {
				t.Fatalf("row %v: took %d, want %d", c, got, want)
			}
		}
	}
	if x.n != 0 {
		t.Fatalf("%d rows are left", x.n)
	}
}
