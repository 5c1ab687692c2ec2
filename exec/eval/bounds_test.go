package eval

import (
	"math"
	"strings"
	"testing"
)

// TestTextsOfBatch bounds what the texts of a vector have together, as offsets cannot go
// further. Rows before hold.
func TestTextsOfBatch(t *testing.T) {
	mostBytes = 1000
	defer func() { mostBytes = math.MaxInt32 }()
	long := strings.Repeat("x", 200)
	b := batch([]any{"a", long, nil, "b", long, long, "c"})
	twice := fn(t, "CONCAT", col(0, textT), col(0, textT))
	got, err := run(t, b, twice, fn(t, "CHAR_LENGTH", twice))
	want := "aa " + long + long + " - bb " + long + long + " | 2 400 - 2 400"
	if got != want || err == nil || !strings.Contains(err.Error(), "the texts of a batch have more than 1000 bytes together") {
		t.Errorf("got %s, %v", got, err)
	}
	b.Sel = []int32{0, 1, 4, 6}
	if got, err = run(t, b, twice); got != "aa "+long+long+" "+long+long+" cc" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
