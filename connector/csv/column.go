package csv

import (
	"streamsql/connector/field"
	"streamsql/stream"
	"streamsql/types"
)

// column is one wanted column.
type column struct {
	field.Column
	op      op
	literal []byte            // the null literal
	dict    *field.Dictionary // nil: none is wanted
	ids     []int32           // of the batch; nil: it is written as texts
}

// start points the column to the vector of a new batch.
func (c *column) start(v *stream.Vec, size int) {
	if c.dict != nil && !c.dict.Pays() {
		c.dict = nil
	}
	if c.dict == nil {
		c.ids = nil
		c.Start(v, size)
		return
	}
	v.Reset(types.Of(types.Int), size)
	c.ids = v.IDs()
	if size == 0 {
		c.ids = []int32{}
	}
	v.Type, v.Enc, v.Dict = c.Type, stream.Dict, &c.dict.Vec
	c.Vec, c.Size = v, size
}

// finish hands the rows over to the vector.
func (c *column) finish(rows int) {
	if c.ids == nil {
		c.Finish(rows)
		return
	}
	c.Vec.N, c.Vec.Data = rows, c.Vec.Data[:4*rows]
}

// isFull reports whether the column has so much text that the batch should end.
func (c *column) isFull(rows int) bool {
	if c.ids == nil {
		return c.IsFull(rows)
	}
	return c.dict.IsFull()
}

// putText writes a text, which is UTF-8.
func (c *column) putText(row int, b []byte) {
	if c.ids == nil {
		c.PutBytes(row, b)
		return
	}
	c.ids[row] = c.dict.Add(b)
}

// putNull marks the row as NULL.
func (c *column) putNull(row int) {
	if c.ids == nil {
		c.PutNull(row)
		return
	}
	c.ids[row] = 0
	c.Vec.SetNull(row, c.Size)
}
