package format

import (
	"encoding/binary"
	"errors"
	"iter"

	"streamsql"
)

// Fold keeps the rows that are left after all changes so far, in the order in which
// they came; the new row of an update stands where its old row stood.
type Fold struct {
	rows []string         // encoded cells; "" is a gap
	at   map[string][]int // places of a row, several if it is there several times
	live int
	hole int // place of the last -U that no +U has taken; -1: none
	buf  []byte
}

// NewFold returns an empty Fold.
func NewFold() *Fold { return &Fold{at: map[string][]int{}, hole: -1} }

// errNoSuchRow is a fault of the engine: a change takes away what was never there.
var errNoSuchRow = errors.New("internal fault: a change takes away a row that was never sent")

// Len returns the number of rows.
func (f *Fold) Len() int { return f.live }

// Add applies a change.
func (f *Fold) Add(kind streamsql.RowKind, cells []Cell) error {
	f.buf = encode(f.buf[:0], cells)
	if kind.Retracts() {
		places := f.at[string(f.buf)]
		if len(places) == 0 {
			return errNoSuchRow
		}
		place := places[len(places)-1]
		if len(places) == 1 {
			delete(f.at, string(f.buf))
		} else {
			f.at[string(f.buf)] = places[:len(places)-1]
		}
		f.rows[place] = ""
		f.live--
		f.hole = -1
		if kind == streamsql.UpdateBefore {
			f.hole = place
		} else if len(f.rows) > 1024 && len(f.rows) > 2*f.live {
			f.compact()
		}
		return nil
	}
	row := string(f.buf)
	place := len(f.rows)
	if kind == streamsql.UpdateAfter && f.hole >= 0 {
		place = f.hole
		f.rows[place] = row
	} else {
		f.rows = append(f.rows, row)
	}
	f.hole = -1
	f.at[row] = append(f.at[row], place)
	f.live++
	return nil
}

// Rows are the rows that are left. The cells are valid during the step.
func (f *Fold) Rows() iter.Seq[[]Cell] {
	return func(yield func([]Cell) bool) {
		var cells []Cell
		for _, row := range f.rows {
			if row == "" {
				continue
			}
			f.buf = append(f.buf[:0], row...)
			cells = decode(cells[:0], f.buf)
			if !yield(cells) {
				return
			}
		}
	}
}

// compact drops the gaps, so that a result that shrinks and grows forever keeps its
// size.
func (f *Fold) compact() {
	kept := make([]string, 0, f.live)
	clear(f.at)
	for _, row := range f.rows {
		if row != "" {
			f.at[row] = append(f.at[row], len(kept))
			kept = append(kept, row)
		}
	}
	f.rows = kept
}

// encode appends a mark, so that no row is empty, and each cell as its length plus
// one, 0 for NULL, and its text.
func encode(dst []byte, cells []Cell) []byte {
	dst = append(dst, 'r')
	for _, c := range cells {
		if c.Null {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(c.Text))+1)
		dst = append(dst, c.Text...)
	}
	return dst
}

func decode(dst []Cell, b []byte) []Cell {
	b = b[1:]
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		b = b[size:]
		if n == 0 {
			dst = append(dst, Cell{Null: true})
			continue
		}
		dst = append(dst, Cell{Text: b[:n-1]})
		b = b[n-1:]
	}
	return dst
}
