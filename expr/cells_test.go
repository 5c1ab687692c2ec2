package expr

import "testing"

// TestCells: cells keep their values while the array grows from one cell to several
// chunks, and new ones are zero, also where the memory has been in use.
func TestCells(t *testing.T) {
	var c Cells[int64]
	for round := range 3 {
		for n := 1; n <= 3<<CellBits; n += 1 + n/2 {
			old := c.Len()
			c.Grow(n)
			for g := range n {
				p := c.At(g)
				if g >= old && *p != 0 || g < old && *p != int64(g+round) {
					t.Fatalf("round %d: cell %d of %d is %d", round, g, n, *p)
				}
				*p = int64(g + round)
			}
			flat, ok := c.Flat()
			if ok != (n <= 1<<CellBits) || ok && len(flat) != n {
				t.Fatalf("%d cells: flat %v of %d", n, ok, len(flat))
			}
		}
		n := c.Len()
		c.Append(-5)
		if c.Len() != n+1 || *c.At(n) != -5 || *c.At(n - 1) != int64(n-1+round) {
			t.Fatal("Append")
		}
		c.Reset()
	}
}

// TestCellsMemory: memory is used again at once and given back after 16 small rounds.
func TestCellsMemory(t *testing.T) {
	var c Cells[int64]
	const large = 5 << CellBits
	c.Grow(large)
	held := c.Bytes()
	if held < large*8 || held > large*8+1000 {
		t.Errorf("%d bytes for %d cells", held, large)
	}
	if a := testing.AllocsPerRun(20, func() {
		c.Reset()
		c.Grow(10)
		c.Reset()
		c.Grow(large)
	}); a > 0 {
		t.Errorf("%v allocations", a)
	}
	for range 2 * 16 {
		c.Reset()
		c.Grow(10)
	}
	if got := c.Bytes(); got > held/4 {
		t.Errorf("%d bytes are held for ten cells", got)
	}
}
