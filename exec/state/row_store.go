package state

import (
	"encoding/binary"
	"math/bits"

	"streamsql/stream"
	"streamsql/types"
)

// RowStore keeps whole rows, each under a number. A row is a fixed number of bytes: one
// bit a column that says whether the value is there, then the values; of a text longer
// than 12 bytes its length, its start and the place of the rest. Rows lie in pages that
// never move, without pointers, and numbers of freed rows are used again.
type RowStore struct {
	types   []types.Type
	layouts []types.Layout
	offset  []int // of each column in a row
	stride  int
	texts   []int // columns of text

	pages [][]byte // the first doubles until it is whole, all others are whole
	shift uint
	n     int32   // numbers given out so far
	free  []int32 // numbers to use again
	arena arena
	held  int64 // bytes of texts in the arena that are in use
	dead  int64 // and that are not
}

const (
	pageBytes  = 1 << 15
	inlineRow  = 12 // bytes of a text that lie in the row
	textSlot   = 16
	deadWorth  = 1 << 16 // unused bytes of texts that are worth moving the others
	firstShift = 4
)

// NewRowStore returns an empty store of rows with columns of the given types.
func NewRowStore(columns []types.Type) *RowStore {
	s := &RowStore{types: columns}
	s.stride = (len(columns) + 7) / 8
	for c, t := range columns {
		l := t.Layout()
		s.layouts = append(s.layouts, l)
		s.offset = append(s.offset, s.stride)
		switch l {
		case types.Bytes:
			s.stride += textSlot
			s.texts = append(s.texts, c)
		case types.Bits:
			s.stride++
		default:
			s.stride += l.Width()
		}
	}
	s.stride = max(s.stride, 1)
	s.shift = uint(max(firstShift, bits.Len(uint(pageBytes/s.stride))))
	return s
}

// Len returns the number of rows held.
func (s *RowStore) Len() int { return int(s.n) - len(s.free) }

// Bytes is the memory held.
func (s *RowStore) Bytes() int64 {
	n := s.arena.bytes + int64(cap(s.free))*4 + int64(cap(s.pages))*24
	for _, p := range s.pages {
		n += int64(cap(p))
	}
	return n
}

// Reset drops all rows and keeps the memory.
func (s *RowStore) Reset() {
	s.n, s.free, s.held, s.dead = 0, s.free[:0], 0, 0
	s.arena.reset()
}

// New returns the number of a new row, in which all columns are NULL.
func (s *RowStore) New() int32 {
	var id int32
	if k := len(s.free); k > 0 {
		id = s.free[k-1]
		s.free = s.free[:k-1]
	} else {
		id = s.n
		s.n++
		s.room(int(id))
	}
	clear(s.row(id))
	return id
}

// room makes the page of row id.
func (s *RowStore) room(id int) {
	k := id >> s.shift
	if k == len(s.pages) {
		rows := 1 << s.shift
		if k == 0 {
			rows = 1 << firstShift
		}
		s.pages = append(s.pages, make([]byte, rows*s.stride))
		return
	}
	if p := s.pages[k]; (id&(1<<s.shift-1)+1)*s.stride > len(p) {
		s.pages[k] = make([]byte, min(2*len(p), s.stride<<s.shift))
		copy(s.pages[k], p)
	}
}

func (s *RowStore) row(id int32) []byte {
	at := int(id) & (1<<s.shift - 1) * s.stride
	return s.pages[int(id)>>s.shift][at : at+s.stride]
}

// Free gives a row back.
func (s *RowStore) Free(id int32) {
	s.Clear(id)
	s.free = append(s.free, id)
}

// Clear makes all columns of a row NULL, so that it can be written again.
func (s *RowStore) Clear(id int32) {
	row := s.row(id)
	for _, c := range s.texts {
		s.drop(row[s.offset[c]:])
	}
	clear(row)
	if s.dead > deadWorth && s.dead > s.held {
		s.compact()
	}
}

// drop accounts the text of a slot as unused.
func (s *RowStore) drop(slot []byte) {
	if n := binary.LittleEndian.Uint32(slot); n > inlineRow {
		s.held -= int64(n)
		s.dead += int64(n)
	}
}

// compact moves the texts in use to a new arena. Freed rows hold none.
func (s *RowStore) compact() {
	old := s.arena
	s.arena, s.dead = arena{}, 0
	for id := range s.n {
		row := s.row(id)
		for _, c := range s.texts {
			slot := row[s.offset[c]:]
			if n := binary.LittleEndian.Uint32(slot); n > inlineRow {
				place := s.arena.put(old.get(binary.LittleEndian.Uint64(slot[8:]), n))
				binary.LittleEndian.PutUint64(slot[8:], place)
			}
		}
	}
}

// SetBytes writes the text of one column.
func (s *RowStore) SetBytes(id int32, c int, b []byte) {
	row := s.row(id)
	row[c>>3] |= 1 << (c & 7)
	slot := row[s.offset[c]:]
	s.drop(slot)
	s.putText(slot, b)
}

func (s *RowStore) putText(slot, b []byte) {
	binary.LittleEndian.PutUint32(slot, uint32(len(b)))
	if len(b) <= inlineRow {
		copy(slot[4:textSlot], b)
		return
	}
	copy(slot[4:8], b)
	binary.LittleEndian.PutUint64(slot[8:], s.arena.put(b))
	s.held += int64(len(b))
}

// BytesOf returns the text of one column, empty if it is NULL; valid until a row is
// freed or the store is reset.
func (s *RowStore) BytesOf(id int32, c int) []byte {
	return s.text(s.row(id)[s.offset[c]:])
}

func (s *RowStore) text(slot []byte) []byte {
	n := binary.LittleEndian.Uint32(slot)
	if n <= inlineRow {
		return slot[4 : 4+n]
	}
	return s.arena.get(binary.LittleEndian.Uint64(slot[8:]), n)
}

// Put writes columns 0..len(cols)-1 of rows that are NULL so far: number ids[k] gets
// physical row rows[k]. No number may occur twice.
func (s *RowStore) Put(cols []stream.Vec, rows, ids []int32) {
	for c := range cols {
		v := &cols[c]
		switch l := s.layouts[c]; l {
		case types.NoLayout:
		case types.Bytes:
			s.putTexts(c, v, rows, ids)
		case types.Bits:
			s.putBits(c, v, rows, ids)
		default:
			if v.Enc == stream.Dict {
				s.putDict(c, v, rows, ids, l.Width())
			} else {
				s.putFixed(c, v, rows, ids, l.Width())
			}
		}
	}
}

// present sets the bits of the rows that are not NULL.
func (s *RowStore) present(c int, v *stream.Vec, rows, ids []int32) {
	at, bit := c>>3, byte(1)<<(c&7)
	for k, r := range rows {
		row := s.row(ids[k])
		if v.IsNull(int(r)) {
			row[at] &^= bit
		} else {
			row[at] |= bit
		}
	}
}

func (s *RowStore) putFixed(c int, v *stream.Vec, rows, ids []int32, width int) {
	s.present(c, v, rows, ids)
	off := s.offset[c]
	for k, r := range rows {
		r = int32(v.At(int(r)))
		dst := s.row(ids[k])[off:]
		switch width {
		case 8:
			*(*[8]byte)(dst) = *(*[8]byte)(v.Data[8*int(r):])
		case 4:
			*(*[4]byte)(dst) = *(*[4]byte)(v.Data[4*int(r):])
		default:
			copy(dst[:width], v.Data[width*int(r):])
		}
	}
}

func (s *RowStore) putDict(c int, v *stream.Vec, rows, ids []int32, width int) {
	s.present(c, v, rows, ids)
	off, entries := s.offset[c], v.IDs()
	for k, r := range rows {
		copy(s.row(ids[k])[off:off+width], v.Dict.Data[width*int(entries[r]):])
	}
}

func (s *RowStore) putBits(c int, v *stream.Vec, rows, ids []int32) {
	s.present(c, v, rows, ids)
	off := s.offset[c]
	for k, r := range rows {
		var b byte
		if !v.IsNull(int(r)) && v.Bool(int(r)) {
			b = 1
		}
		s.row(ids[k])[off] = b
	}
}

func (s *RowStore) putTexts(c int, v *stream.Vec, rows, ids []int32) {
	off, at, bit := s.offset[c], c>>3, byte(1)<<(c&7)
	for k, r := range rows {
		if v.IsNull(int(r)) {
			continue
		}
		row := s.row(ids[k])
		row[at] |= bit
		s.putText(row[off:], v.Bytes(int(r)))
	}
}

// Gather writes columns 0..len(out)-1 of rows as Flat vectors; a negative number gives
// NULLs.
func (s *RowStore) Gather(ids []int32, out []stream.Vec) {
	for c := range out {
		s.GatherColumn(c, ids, &out[c])
	}
}

// GatherColumn writes one column of rows as a Flat vector; a negative number gives NULL.
func (s *RowStore) GatherColumn(c int, ids []int32, out *stream.Vec) {
	n := len(ids)
	out.Reset(s.types[c], n)
	off, at, bit := s.offset[c], c>>3, byte(1)<<(c&7)
	l := s.layouts[c]
	width := l.Width()
	if l == types.Bits {
		clear(out.Data)
	}
	for k, id := range ids {
		if id < 0 || s.row(id)[at]&bit == 0 {
			if l == types.Bytes {
				out.AppendBytes(nil)
			} else if width > 0 {
				clear(out.Data[k*width : (k+1)*width])
			}
			out.SetNull(k, n)
			continue
		}
		src := s.row(id)[off:]
		switch l {
		case types.Bytes:
			out.AppendBytes(s.text(src))
		case types.Bits:
			out.Data[k>>3] |= src[0] << (k & 7)
		case types.Int64, types.Float64:
			*(*[8]byte)(out.Data[8*k:]) = *(*[8]byte)(src)
		case types.Int32, types.Float32:
			*(*[4]byte)(out.Data[4*k:]) = *(*[4]byte)(src)
		default:
			copy(out.Data[k*width:(k+1)*width], src)
		}
	}
}

// SnapshotRow writes one row.
func (s *RowStore) SnapshotRow(e *stream.Encoder, id int32) {
	row := s.row(id)
	head := (len(s.types) + 7) / 8
	e.Blob(row[:head])
	for c, l := range s.layouts {
		if row[c>>3]&(1<<(c&7)) == 0 {
			continue
		}
		slot := row[s.offset[c]:]
		switch l {
		case types.Bytes:
			e.Blob(s.text(slot))
		case types.Bits:
			e.Blob(slot[:1])
		default:
			e.Blob(slot[:l.Width()])
		}
	}
}

// RestoreRow reads a row into a new number.
func (s *RowStore) RestoreRow(d *stream.Decoder) int32 {
	id := s.New()
	head := d.Blob()
	if d.Err() != nil || len(head) != (len(s.types)+7)/8 {
		d.Fail(stream.ErrSnapshot)
		return id
	}
	row := s.row(id)
	for c, l := range s.layouts {
		if head[c>>3]&(1<<(c&7)) == 0 {
			continue
		}
		b := d.Blob()
		if d.Err() != nil {
			return id
		}
		if l == types.Bytes {
			s.putText(row[s.offset[c]:], b)
			continue
		}
		if len(b) != max(1, l.Width()) {
			d.Fail(stream.ErrSnapshot)
			return id
		}
		copy(row[s.offset[c]:], b)
	}
	copy(row, head)
	return id
}
