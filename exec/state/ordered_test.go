package state

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Entries are put in and taken out at random and must lie as in one sorted list.
func TestOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	value := make([]int, 20000) // by id
	var o Ordered
	o.Grow(2)
	lists := [2][]int32{}
	for id := range int32(len(value)) {
		value[id] = r.IntN(900)
		g := id % 2
		list := lists[g]
		if len(list) > 0 && r.IntN(3) == 0 {
			at := r.IntN(len(list))
			victim := list[at]
			got := o.Remove(g, 1<<30, func(x int32) bool {
				return value[x] > value[victim] || value[x] == value[victim] && x >= victim
			})
			if got != at {
				t.Fatalf("removed place %d, want %d", got, at)
			}
			lists[g] = slices.Delete(list, at, at+1)
			continue
		}
		at := slices.IndexFunc(list, func(x int32) bool { return value[x] > value[id] })
		if at < 0 {
			at = len(list)
		}
		if got := o.Insert(g, id, 1<<30, func(x int32) bool { return value[x] > value[id] }); got != at {
			t.Fatalf("inserted at %d, want %d", got, at)
		}
		lists[g] = slices.Insert(list, at, id)
	}
	if n := len(lists[0]) + len(lists[1]); o.Len() != n || n < 4*chunkMost {
		t.Fatalf("%d entries, want %d", o.Len(), n)
	}
	for g, list := range lists {
		for _, from := range []int{0, 1, 511, 512, 1500, len(list) - 1, len(list), len(list) + 1} {
			for _, n := range []int{0, 1, 600, len(list)} {
				want := list[min(from, len(list)):min(len(list), from+n)]
				if got := o.From(int32(g), from, n, nil); !slices.Equal(got, want) {
					t.Fatalf("group %d from %d: %d entries differ from the %d wanted", g, from, len(got), len(want))
				}
			}
		}
		for len(lists[g]) > 0 {
			victim := lists[g][0]
			o.Remove(int32(g), 0, func(x int32) bool { return value[x] >= value[victim] })
			lists[g] = lists[g][1:]
		}
	}
	if o.Len() != 0 || o.held != 0 {
		t.Fatalf("%d entries and %d bytes are left", o.Len(), o.held)
	}
}
