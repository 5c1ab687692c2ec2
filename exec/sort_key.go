package exec

import (
	"encoding/binary"
	"math"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// sortKeys turns the sort columns of rows into bytes that compare as the rows do. A
// value starts with a byte that puts NULLs in their place. Numbers follow with the
// highest byte first and the sign turned; -0.0 is 0.0 and NaN the greatest number.
// Texts end with two zeros, a zero inside them being followed by 0xff, so that a text
// stands before its continuations whatever comes behind. DESC turns all bits.
type sortKeys struct {
	order []physical.SortKey
	buf   []byte
}

// of returns the key of a physical row of b, valid until the next call.
func (s *sortKeys) of(b *stream.Batch, row int) []byte {
	s.buf = s.buf[:0]
	for _, k := range s.order {
		s.append(&b.Cols[k.Column], row, k)
	}
	return s.buf
}

func (s *sortKeys) append(v *stream.Vec, row int, k physical.SortKey) {
	if v.IsNull(row) {
		null := byte(0)
		if k.NullsLast {
			null = 2
		}
		s.buf = append(s.buf, null)
		return
	}
	s.buf = append(s.buf, 1)
	from := len(s.buf)
	if v.Enc == stream.Dict {
		row, v = int(v.IDs()[row]), v.Dict
	}
	row = v.At(row)
	switch v.Type.Layout() {
	case types.Bits:
		s.buf = append(s.buf, v.Data[row>>3]>>(row&7)&1)
	case types.Int8:
		s.buf = append(s.buf, v.Data[row]^0x80)
	case types.Int16:
		s.buf = binary.BigEndian.AppendUint16(s.buf, stream.Values[uint16](v)[row]^1<<15)
	case types.Int32:
		s.buf = binary.BigEndian.AppendUint32(s.buf, stream.Values[uint32](v)[row]^1<<31)
	case types.Int64:
		s.buf = binary.BigEndian.AppendUint64(s.buf, stream.Values[uint64](v)[row]^1<<63)
	case types.Float32:
		s.buf = binary.BigEndian.AppendUint64(s.buf, floatBits(float64(stream.Values[float32](v)[row])))
	case types.Float64:
		s.buf = binary.BigEndian.AppendUint64(s.buf, floatBits(stream.Values[float64](v)[row]))
	case types.Int128:
		x := stream.Values[types.Num128](v)[row]
		s.buf = binary.BigEndian.AppendUint64(s.buf, uint64(x.HighBits())^1<<63)
		s.buf = binary.BigEndian.AppendUint64(s.buf, x.LowBits())
	case types.Bytes:
		s.text(v.Bytes(row))
	}
	if k.Desc {
		for i := from; i < len(s.buf); i++ {
			s.buf[i] = ^s.buf[i]
		}
	}
}

func (s *sortKeys) text(b []byte) {
	for _, c := range b {
		s.buf = append(s.buf, c)
		if c == 0 {
			s.buf = append(s.buf, 0xff)
		}
	}
	s.buf = append(s.buf, 0, 0)
}

// floatBits returns bits that compare as numbers do.
func floatBits(f float64) uint64 {
	switch {
	case f != f:
		return math.MaxUint64
	case f == 0:
		return 1 << 63
	}
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}
