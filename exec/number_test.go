package exec

import (
	"math/rand/v2"
	"testing"

	"streamsql/stream"
)

// Every ordinal lies behind what was promised before and within what is promised
// now, and rows and marks have theirs in the order in which they stand.
func TestNumbersKeepPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var j Job
	thru := int64(-1)
	for range 1000 {
		b := &stream.Batch{N: r.IntN(4)}
		for pos := 0; pos <= b.N; pos++ {
			for range r.IntN(3) {
				b.Marks = append(b.Marks, stream.Mark{Pos: int32(pos)})
			}
		}
		j.number(b)
		last, k := thru, 0
		check := func(ord int64, strict bool) {
			if ord < last || strict && ord == last || ord <= thru || ord > b.Thru {
				t.Fatalf("ordinal %d behind %d; promised %d before, %d now", ord, last, thru, b.Thru)
			}
			last = ord
		}
		for i := 0; i <= b.N; i++ {
			for ; k < len(b.Marks) && int(b.Marks[k].Pos) == i; k++ {
				if b.Marks[k].Ord&1 == 0 {
					t.Fatal("a mark has the ordinal of a row")
				}
				check(b.Marks[k].Ord, false)
			}
			if i < b.N {
				check(b.Ordinal(i), true)
			}
		}
		thru = b.Thru
	}
}
