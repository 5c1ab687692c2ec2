package state

import (
	"bytes"

	"streamsql/types"
)

// Equal reports whether two rows have the same values in some columns, NULLs included.
func (s *RowStore) Equal(a, b int32, columns []int) bool {
	x, y := s.row(a), s.row(b)
	for _, c := range columns {
		bit := byte(1) << (c & 7)
		there := x[c>>3]&bit != 0
		if there != (y[c>>3]&bit != 0) {
			return false
		}
		if !there {
			continue
		}
		if !bytes.Equal(s.value(x, c), s.value(y, c)) {
			return false
		}
	}
	return true
}

// Hash is the same for rows that are Equal.
func (s *RowStore) Hash(id int32, columns []int, seed uint64) uint64 {
	row, h := s.row(id), seed
	for _, c := range columns {
		if row[c>>3]&(1<<(c&7)) == 0 {
			h = mix(h^mixB, mixC)
			continue
		}
		h = hashBytes(s.value(row, c), h)
	}
	return h
}

// value returns the bytes of a column that is there.
func (s *RowStore) value(row []byte, c int) []byte {
	slot := row[s.offset[c]:]
	switch l := s.layouts[c]; l {
	case types.Bytes:
		return s.text(slot)
	case types.Bits:
		return slot[:1]
	default:
		return slot[:l.Width()]
	}
}
