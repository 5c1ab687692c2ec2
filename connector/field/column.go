package field

import (
	"streamsql/stream"
	"streamsql/types"
)

// Column is one wanted column of a table: where its values are written. Its slices
// point into the vector of the batch that is being filled; the one that fits the
// type's layout is set.
type Column struct {
	Index int // physical column of the table
	Name  string
	Type  types.Type
	// Separators may stand between the date and the time of a timestamp.
	Separators [2]byte

	Vec  *stream.Vec
	Size int // most rows of the batch
	I8   []int8
	I16  []int16
	I32  []int32
	I64  []int64
	F32  []float32
	F64  []float64
	Data []byte // of a Bytes vector, with all its capacity but the slack
	Off  []int32

	cache clock
}

// Start points the column to the vector of a new batch.
func (c *Column) Start(v *stream.Vec, size int) {
	v.Reset(c.Type, size)
	c.Vec, c.Size = v, size
	switch c.Type.Layout() {
	case types.Int8:
		c.I8 = stream.Values[int8](v)
	case types.Int16:
		c.I16 = stream.Values[int16](v)
	case types.Int32:
		c.I32 = stream.Values[int32](v)
	case types.Int64:
		c.I64 = stream.Values[int64](v)
	case types.Float32:
		c.F32 = stream.Values[float32](v)
	case types.Float64:
		c.F64 = stream.Values[float64](v)
	case types.Bytes:
		c.Off = v.Off[:size+1]
		if c.Data = v.Data[:max(0, cap(v.Data)-stream.Slack)]; len(c.Data) == 0 {
			c.Grow(0, 0)
		}
	}
}

// Finish hands the rows over to the vector.
func (c *Column) Finish(rows int) {
	v := c.Vec
	v.N = rows
	switch l := c.Type.Layout(); l {
	case types.Bytes:
		v.Off = c.Off[:rows+1]
		v.Data = c.Data[:c.Off[rows]]
	case types.Bits:
		v.Data = v.Data[:(rows+63)/64*8]
	default:
		v.Data = v.Data[:rows*l.Width()]
	}
}

// Grow makes room for n more bytes behind the first used ones.
func (c *Column) Grow(used, n int) {
	bigger := make([]byte, max(2*cap(c.Data), used+n, 16<<10)+stream.Slack)
	copy(bigger, c.Data[:used])
	c.Data = bigger[:len(bigger)-stream.Slack]
}

// PutBytes writes a text or bytes value.
func (c *Column) PutBytes(row int, b []byte) {
	at := int(c.Off[row])
	if at+len(b) > len(c.Data) {
		c.Grow(at, len(b))
	}
	copy(c.Data[at:], b)
	c.Off[row+1] = int32(at + len(b))
}

// PutNull marks the row as NULL.
func (c *Column) PutNull(row int) {
	if c.Type.Layout() == types.Bytes {
		c.Off[row+1] = c.Off[row]
	}
	c.Vec.SetNull(row, c.Size)
}

// Valid takes back what an abandoned record may have said about the row.
func (c *Column) Valid(row int) {
	if c.Vec.Valid != nil {
		c.Vec.Valid[row>>6] |= 1 << (row & 63)
	}
}
