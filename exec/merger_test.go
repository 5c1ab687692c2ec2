package exec

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/stream"
	"streamsql/types"
)

// TestMergerAgainstSort feeds random rows and marks of three ports in random
// batches, snapshots and restores between them, and compares with sorting everything.
func TestMergerAgainstSort(t *testing.T) {
	type event struct {
		port int
		ord  int64
		w    stream.Timestamp // marks
		text string           // rows; "NULL" for NULL
	}
	schema := stream.Schema{Fields: []stream.Field{{Name: "s", Type: types.Of(types.Varchar)}, {Name: "b", Type: types.Of(types.Boolean)}, {Name: "i", Type: types.Of(types.SmallInt)}}}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var events []event
		wm := [3]stream.Timestamp{}
		for n := range int64(30) {
			for p := range 3 {
				if r.IntN(3) > 0 {
					text := fmt.Sprintf("row %d of %d", n, p)
					if r.IntN(5) == 0 {
						text = "NULL"
					}
					events = append(events, event{port: p, ord: 2 * n, text: text})
				}
				if r.IntN(3) == 0 {
					wm[p] += stream.Timestamp(r.IntN(4))
					events = append(events, event{port: p, ord: 2*n + 1, w: wm[p] + 1})
				}
			}
		}
		var want []string
		sorted := slices.Clone(events)
		slices.SortStableFunc(sorted, func(a, b event) int { return cmp.Or(cmp.Compare(a.ord, b.ord), cmp.Compare(a.port, b.port)) })
		in := [3]stream.Timestamp{stream.MinWatermark, stream.MinWatermark, stream.MinWatermark}
		sent := stream.MinWatermark
		for _, e := range sorted {
			if e.text != "" {
				want = append(want, e.text)
				continue
			}
			in[e.port] = max(in[e.port], e.w)
			if w := min(in[0], in[1], in[2]); w > sent {
				sent = w
				want = append(want, fmt.Sprint("W ", w))
			}
		}

		var got []string
		m := newMerger(3, schema)
		var queues [3][]event
		for _, e := range events {
			queues[e.port] = append(queues[e.port], e)
		}
		var done [3]stream.Timestamp
		for p := range done {
			done[p] = stream.MinWatermark
		}
		for len(queues[0])+len(queues[1])+len(queues[2]) > 0 {
			p := r.IntN(3)
			n := r.IntN(len(queues[p]) + 1)
			part := queues[p][:n]
			queues[p] = queues[p][n:]
			b := &stream.Batch{Cols: make([]stream.Vec, 3), Ord: []int64{}, Thru: 1 << 40}
			if len(queues[p]) > 0 {
				b.Thru = queues[p][0].ord - 1
			}
			var rows []event
			for _, e := range part {
				if e.text != "" {
					rows = append(rows, e)
				} else if e.w > done[p] {
					done[p] = e.w
					b.Marks = append(b.Marks, stream.Mark{Pos: int32(len(rows)), Ord: e.ord, W: e.w})
				}
			}
			b.N = len(rows)
			for c := range b.Cols {
				b.Cols[c].Reset(schema.Fields[c].Type, b.N)
				for i, e := range rows {
					v := [3]types.Value{types.TextValue(e.text), types.BoolValue(e.ord%4 == 0), types.IntValue(e.ord)}[c]
					if e.text == "NULL" && c != 2 {
						v = types.NullValue
					}
					b.Cols[c].Put(i, b.N, v)
				}
			}
			for _, e := range rows {
				b.Ord = append(b.Ord, e.ord)
			}
			if out := m.add(p, b); out != nil {
				got = append(got, mergedLines(t, out)...)
			}
			m.recycle()
			if r.IntN(3) == 0 {
				var e stream.Encoder
				m.Snapshot(&e)
				m = newMerger(3, schema)
				if err := m.Restore(stream.NewDecoder(e.Bytes())); err != nil {
					t.Fatal(err)
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func mergedLines(t *testing.T, b *stream.Batch) []string {
	var lines []string
	k := 0
	for i := 0; i <= b.N; i++ {
		for ; k < len(b.Marks) && int(b.Marks[k].Pos) == i; k++ {
			lines = append(lines, fmt.Sprint("W ", b.Marks[k].W))
		}
		if i == b.N {
			break
		}
		text := "NULL"
		if !b.Cols[0].IsNull(i) {
			text = string(b.Cols[0].Bytes(i))
			if b.Cols[1].IsNull(i) || b.Cols[1].Bool(i) != (b.Ordinal(i)%4 == 0) {
				t.Error("the BOOLEAN of a row is lost")
			}
		}
		if stream.Values[int16](&b.Cols[2])[i] != int16(b.Ordinal(i)) {
			t.Error("the SMALLINT of a row is lost")
		}
		lines = append(lines, text)
	}
	return lines
}
