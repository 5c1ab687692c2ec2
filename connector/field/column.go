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

	// What Quick needs to know of texts: End ends one, in every byte; Quote may start
	// one, 0 does where there are none; one with NullSize bytes may mean NULL (-1: none).
	End      uint64
	Quote    byte
	NullSize int
	Skip     uint64 // the number of values that are not wanted

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

	// Dict is where texts get ids; nil: they are written as they are.
	Dict *Dictionary
	IDs  []int32 // of the batch; nil: none
	// Spans are, by row, the texts whose ids are still to be looked for.
	Spans []Span

	own   []byte // bytes that were spelled otherwise
	cache clock
}

// Start points the column to the vector of a new batch.
func (c *Column) Start(v *stream.Vec, size int) {
	c.Vec, c.Size, c.IDs = v, size, nil
	if c.Dict != nil && !c.Dict.Pays() {
		c.Dict = nil
	}
	if c.Dict != nil {
		v.Reset(types.Of(types.Int), size)
		if c.IDs = v.IDs(); size == 0 {
			c.IDs = []int32{}
		}
		v.Type, v.Enc, v.Dict = c.Type, stream.Dict, &c.Dict.Vec
		return
	}
	v.Reset(c.Type, size)
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
	if c.IDs != nil {
		v.Data = v.Data[:4*rows]
		return
	}
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

// PutText writes a text, which is UTF-8.
func (c *Column) PutText(row int, b []byte) {
	if c.IDs == nil {
		c.PutBytes(row, b)
		return
	}
	c.IDs[row] = c.Dict.Add(b)
}

// PutNull marks the row as NULL.
func (c *Column) PutNull(row int) {
	if c.IDs != nil {
		c.IDs[row] = 0
	} else if c.Type.Layout() == types.Bytes {
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

// IsFull reports whether the texts of the first rows have the size that ends a
// batch, whatever its number of rows.
func (c *Column) IsFull(rows int) bool {
	if c.IDs != nil {
		return c.Dict.IsFull()
	}
	return c.Off != nil && c.Off[rows] > maxText
}

const maxText = 64 << 20
