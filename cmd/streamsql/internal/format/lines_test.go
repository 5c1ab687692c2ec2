package format

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"streamsql"
)

// textColumn makes a column as a query gives it.
func textColumn(values []string) streamsql.TextColumn {
	t := streamsql.TextColumn{Offsets: []int32{0}}
	for i, v := range values {
		if v == null {
			if t.Valid == nil {
				t.Valid = slices.Repeat([]uint64{^uint64(0)}, (len(values)+63)/64)
			}
			t.Valid[i>>6] &^= 1 << (i & 63)
			v = ""
		}
		t.Data = append(t.Data, v...)
		t.Offsets = append(t.Offsets, int32(len(t.Data)))
	}
	t.Data = slices.Clip(t.Data) // nothing may be read behind it
	return t
}

// TestRowsAsRow: many rows at once look like the same rows one by one, be they copied or
// not.
func TestRowsAsRow(t *testing.T) {
	cols := []Column{{"short", "STRING"}, {"a name of more than sixteen bytes", "STRING"}, {"ok", "BOOLEAN"}, {"n", "BIGINT"}, {"x", "DOUBLE"}, {"last", "STRING"}}
	r := rand.New(rand.NewPCG(1, 2))
	long := "0123456789 abcdefghijklmnopqrstuvwxyz 0123456789 abcdefghijklmnopqrstuvwxyz"
	odd := []string{"", null, "a,b", `say "hi"`, "日本", "tab\t", "NaN"}
	copied := 0
	for round := range 300 {
		n := 1 + r.IntN(100)
		values := make([][]string, len(cols))
		for i, c := range cols {
			for range n {
				v := long[:1+r.IntN(len(long)-1)]
				switch c.Type {
				case "BOOLEAN":
					v = []string{"TRUE", "FALSE"}[r.IntN(2)]
				case "BIGINT":
					v = fmt.Sprint(r.Int64() >> r.IntN(64))
				case "DOUBLE":
					v = fmt.Sprint(r.IntN(1000)) + ".5"
				}
				if round%3 == 1 && r.IntN(n) == 0 {
					v = ""
					if c.Type != "STRING" {
						v = null
					}
				}
				if round%3 == 2 && r.IntN(n) == 0 {
					v = odd[r.IntN(len(odd))]
					if c.Type != "STRING" {
						v = null
					}
					if c.Type == "DOUBLE" {
						v = "NaN"
					}
				}
				values[i] = append(values[i], v)
			}
		}
		rows := &Rows{}
		for _, v := range values {
			col := textColumn(v)
			rows.Cols, rows.Plain = append(rows.Cols, col), append(rows.Plain, Plain(col.Data))
		}
		for _, name := range []string{"csv", "ndjson", "json", "table"} {
			at, one := New(name, cols, Layout{Live: true}), New(name, cols, Layout{Live: true})
			got, want := at.Begin(nil), one.Begin(nil)
			cells := make([]Cell, len(cols))
			for from := 0; from < n; {
				to := min(n, from+1+r.IntN(40))
				got = at.Flush(at.Rows(got, rows, from, to))
				for ; from < to; from++ {
					rows.Cells(cells, from)
					for i := range cells {
						cells[i].Plain = false
					}
					want = one.Row(want, streamsql.Insert, cells)
				}
				want = one.Flush(want)
			}
			if got, want := string(at.End(got)), string(one.End(want)); got != want {
				t.Fatalf("round %d, %s:\n%s\nwant\n%s", round, name, got, want)
			}
			if p, ok := at.(*jsonPrinter); ok && name == "ndjson" && p.lines.copies(rows, 0, n) {
				copied++
			}
		}
	}
	if copied == 0 || copied == 300 {
		t.Errorf("%d of 300 batches are copied", copied)
	}
}
