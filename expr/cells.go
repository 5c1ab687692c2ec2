package expr

import "unsafe"

// The chunks of Cells. Cell g lies in chunk g>>CellBits at g&CellMask.
const (
	CellBits = 16
	CellMask = 1<<CellBits - 1
)

// Cells is an array by group id that grows without moving what it holds, once it is
// large: growing never takes longer than making one chunk. T should hold no
// pointers, so that the collector need not look inside.
type Cells[T any] struct {
	chunks [][]T // the first doubles until it is whole, the others begin as halves
	n      int

	peak, resets int // most cells at the last Resets, and how many these are
}

// Len returns the number of cells.
func (c *Cells[T]) Len() int { return c.n }

// At returns cell g.
func (c *Cells[T]) At(g int) *T { return &c.chunks[uint(g)>>CellBits][g&CellMask] }

// Touch reads the start of cell g, so that it is in a cache when it is needed.
func (c *Cells[T]) Touch(g int32) byte { return *(*byte)(unsafe.Pointer(c.At(int(g)))) }

// Chunks returns the chunks for loops that go over many cells. They may be longer
// than Len.
func (c *Cells[T]) Chunks() [][]T { return c.chunks }

// Flat returns all cells as one slice; ok is false if they are too many for one
// chunk.
func (c *Cells[T]) Flat() (flat []T, ok bool) {
	if c.n > 1<<CellBits {
		return nil, false
	}
	if len(c.chunks) == 0 {
		return nil, true
	}
	return c.chunks[0][:c.n], true
}

// Grow makes the array at least n long; new cells are zero.
func (c *Cells[T]) Grow(n int) {
	for c.n < n {
		k := c.n >> CellBits
		lo, hi := c.n&CellMask, min(n-k<<CellBits, 1<<CellBits)
		switch {
		case k == len(c.chunks):
			size := sizeFor(hi)
			if k > 0 {
				size = max(size, 1<<(CellBits-1))
			}
			c.chunks = append(c.chunks, make([]T, size))
		case hi > len(c.chunks[k]):
			larger := make([]T, sizeFor(hi))
			copy(larger, c.chunks[k][:lo])
			c.chunks[k] = larger
		default:
			clear(c.chunks[k][lo:hi]) // it may have been in use before a Reset
		}
		c.n = k<<CellBits + hi
	}
}

func sizeFor(n int) int {
	size := 64
	for size < n {
		size *= 2
	}
	return size
}

// Append adds a cell.
func (c *Cells[T]) Append(x T) {
	if k := c.n >> CellBits; k < len(c.chunks) && c.n&CellMask < len(c.chunks[k]) {
		c.chunks[k][c.n&CellMask] = x
		c.n++
		return
	}
	c.Grow(c.n + 1)
	*c.At(c.n - 1) = x
}

// Reset empties the array and keeps the memory, but for what was not needed for long:
// whole chunks that none of the last 16 Resets found in use are given back.
func (c *Cells[T]) Reset() {
	c.peak = max(c.peak, c.n)
	if c.resets++; c.resets == 16 {
		if keep := max(1, (c.peak+CellMask)>>CellBits); keep < len(c.chunks) {
			clear(c.chunks[keep:])
			c.chunks = c.chunks[:keep]
		}
		c.peak, c.resets = 0, 0
	}
	c.n = 0
}

// Bytes is the memory held.
func (c *Cells[T]) Bytes() int64 {
	if len(c.chunks) == 0 {
		return 0
	}
	var x T
	last := len(c.chunks) - 1
	cells := len(c.chunks[last])
	if last > 0 {
		cells += len(c.chunks[0]) + (last-1)<<CellBits
	}
	return int64(cells)*int64(unsafe.Sizeof(x)) + int64(cap(c.chunks))*int64(unsafe.Sizeof(c.chunks[0]))
}
