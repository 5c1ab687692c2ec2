package format

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql"
)

// Both checks give what looking at each byte gives, wherever the byte stands.
func TestPlainEachByte(t *testing.T) {
	for n := range 20 {
		for at := range n {
			for c := range 256 {
				text := bytes.Repeat([]byte{'a'}, n)
				text[at] = byte(c)
				plain := c >= 0x20 && c < 0x7f && !strings.ContainsRune(`,"\`, rune(c))
				if Plain(text) != plain {
					t.Fatalf("byte %#x at %d of %d: plain is %v", c, at, n, !plain)
				}
				if quoted := c < 0x80 && strings.ContainsRune("\",\r\n", rune(c)); quotedInCSV(text) != quoted {
					t.Fatalf("byte %#x at %d of %d: quoted is %v", c, at, n, !quoted)
				}
			}
		}
	}
	if !Plain(nil) || quotedInCSV(nil) {
		t.Error("the empty text has no special byte")
	}
}

// Knowing that a text is plain changes nothing that is printed.
func TestPlainCellsPrintTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const letters = `ab ~0'xyz`
	for _, name := range []string{"csv", "json", "ndjson", "table", "changelog"} {
		var out [2][]byte
		p := [2]Printer{New(name, testCols, Layout{}), New(name, testCols, Layout{})}
		for i := range p {
			out[i] = p[i].Begin(nil)
		}
		for range 200 {
			text := make([]byte, r.IntN(12))
			for i := range text {
				text[i] = letters[r.IntN(len(letters))]
			}
			row := []Cell{{Text: text}, {Text: []byte("-17")}, {Text: []byte("TRUE"), Null: r.IntN(2) == 0}}
			out[0] = p[0].Row(out[0], streamsql.Insert, row)
			for i := range row {
				row[i].Plain = true
			}
			out[1] = p[1].Row(out[1], streamsql.Insert, row)
		}
		for i := range p {
			out[i] = p[i].End(p[i].Flush(out[i]))
		}
		if !bytes.Equal(out[0], out[1]) {
			t.Errorf("%s: plain cells are printed differently", name)
		}
	}
}

// Rows prints what Row prints.
func TestRowsPrintTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"csv", "json", "ndjson", "table", "changelog"} {
		for variant := range 4 {
			layout := Layout{Changes: variant&1 > 0, Live: variant&2 > 0}
			one, many := New(name, testCols, layout), New(name, testCols, layout)
			want, got := one.Begin(nil), many.Begin(nil)
			for range 5 {
				n := 1 + r.IntN(2000)
				rows := randomRows(r, n)
				cells := make([]Cell, 3)
				for i := range n {
					rows.Cells(cells, i)
					want = one.Row(want, rows.Kind(i), cells)
				}
				cut := r.IntN(n)
				got = many.Rows(got, rows, 0, cut)
				got = many.Rows(got, rows, cut, n)
				want, got = one.Flush(want), many.Flush(got)
			}
			if want, got = one.End(want), many.End(got); !bytes.Equal(got, want) {
				t.Errorf("%s, %+v: many rows at once are printed differently", name, layout)
			}
		}
	}
}

func randomRows(r *rand.Rand, n int) *Rows {
	texts := [3][]string{{"", "tea", "a,b", "\"q\"", "ä\n"}, {"-7", "0", "1.5E7", "NaN"}, {"TRUE", "FALSE"}}
	rows := &Rows{Cols: make([]streamsql.TextColumn, 3), Plain: make([]bool, 3)}
	for range n {
		rows.Kinds = append(rows.Kinds, streamsql.RowKind(r.IntN(4)))
	}
	for col := range rows.Cols {
		c := &rows.Cols[col]
		c.Offsets, c.Valid = []int32{0}, make([]uint64, n/64+1)
		for i := range n {
			if r.IntN(5) > 0 {
				c.Valid[i/64] |= 1 << (i % 64)
				c.Data = append(c.Data, texts[col][r.IntN(len(texts[col]))]...)
			}
			c.Offsets = append(c.Offsets, int32(len(c.Data)))
		}
		rows.Plain[col] = Plain(c.Data)
	}
	return rows
}
