package csv

import (
	"streamsql/stream"
	"streamsql/types"
)

// column is one wanted column: where its values are written.
type column struct {
	field   int // physical column of the table
	name    string
	typ     types.Type
	op      op
	literal []byte // the null literal

	vec  *stream.Vec
	size int
	i8   []int8
	i16  []int16
	i32  []int32
	i64  []int64
	f32  []float32
	f64  []float64
	data []byte // of a Bytes vector, with all its capacity but the slack
	off  []int32

	cache clock
}

// start points the column to the vector of a new batch.
func (c *column) start(v *stream.Vec, size int) {
	v.Reset(c.typ, size)
	c.vec, c.size = v, size
	switch c.typ.Layout() {
	case types.Int8:
		c.i8 = stream.Values[int8](v)
	case types.Int16:
		c.i16 = stream.Values[int16](v)
	case types.Int32:
		c.i32 = stream.Values[int32](v)
	case types.Int64:
		c.i64 = stream.Values[int64](v)
	case types.Float32:
		c.f32 = stream.Values[float32](v)
	case types.Float64:
		c.f64 = stream.Values[float64](v)
	case types.Bytes:
		c.off = v.Off[:size+1]
		if c.data = v.Data[:max(0, cap(v.Data)-stream.Slack)]; len(c.data) == 0 {
			c.grow(0, 0)
		}
	}
}

// finish hands the rows over to the vector.
func (c *column) finish(rows int) {
	v := c.vec
	v.N = rows
	switch l := c.typ.Layout(); l {
	case types.Bytes:
		v.Off = c.off[:rows+1]
		v.Data = c.data[:c.off[rows]]
	case types.Bits:
		v.Data = v.Data[:(rows+63)/64*8]
	default:
		v.Data = v.Data[:rows*l.Width()]
	}
}

// grow makes room for n more bytes behind the first used ones.
func (c *column) grow(used, n int) {
	bigger := make([]byte, max(2*cap(c.data), used+n, 16<<10)+stream.Slack)
	copy(bigger, c.data[:used])
	c.data = bigger[:len(bigger)-stream.Slack]
}

// putBytes writes a text or bytes value.
func (c *column) putBytes(row int, b []byte) {
	at := int(c.off[row])
	if at+len(b) > len(c.data) {
		c.grow(at, len(b))
	}
	copy(c.data[at:], b)
	c.off[row+1] = int32(at + len(b))
}

// putNull marks the row as NULL.
func (c *column) putNull(row int) {
	if c.typ.Layout() == types.Bytes {
		c.off[row+1] = c.off[row]
	}
	c.vec.SetNull(row, c.size)
}

// valid takes back what an abandoned record may have said about the row.
func (c *column) valid(row int) {
	if c.vec.Valid != nil {
		c.vec.Valid[row>>6] |= 1 << (row & 63)
	}
}
