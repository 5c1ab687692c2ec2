package exec

import (
	"strconv"

	"streamsql/stream"
)

// none selects no row; a nil selection selects all.
var none = []int32{}

// liveRow returns the physical row of live row i.
func liveRow(b *stream.Batch, i int) int {
	if b.Sel != nil {
		return int(b.Sel[i])
	}
	return i
}

// floorDiv divides and rounds down; d is positive.
func floorDiv(x, d int64) int64 {
	q := x / d
	if x%d < 0 {
		q--
	}
	return q
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
