package streamsql

import (
	"streamsql/expr/builtin"
	"streamsql/stream"
)

// TextColumn is the text of one column of a batch, made for all rows in one loop by
// Batch.Text: the fast way to print. Use one for a column of all batches of a query,
// since it keeps its memory. It is valid until the next call of Text with it.
type TextColumn struct {
	Data    []byte   // the texts, one behind the other
	Offsets []int32  // the text of row i is Data[Offsets[i]:Offsets[i+1]]
	Valid   []uint64 // bit i%64 of word i/64 is set: row i is not NULL; nil: none is
	own     stream.Vec
}

// Text fills t with the texts of a column, as AppendText gives them.
func (b Batch) Text(col int, t *TextColumn) {
	v := builtin.TextColumn(&t.own, &b.vecs[col], int(b.NumRows()), b.zone)
	t.Data, t.Offsets, t.Valid = v.Data, v.Off, v.Valid
}

// Bytes returns the text of a row, empty for NULL.
func (t *TextColumn) Bytes(row int) []byte { return t.Data[t.Offsets[row]:t.Offsets[row+1]] }

// IsNull reports whether the value of a row is NULL.
func (t *TextColumn) IsNull(row int) bool {
	return t.Valid != nil && t.Valid[row>>6]>>(row&63)&1 == 0
}
