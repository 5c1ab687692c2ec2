package builtin

import (
	"streamsql/expr"
	"streamsql/types"
)

// stampOf puts milliseconds and what is left of one together to a TIMESTAMP with scale
// units in a millisecond; false beyond the years that nanoseconds can hold.
func stampOf(ms, rest, scale int64) (v int64, ok bool) {
	v = ms * scale
	if v/scale != ms {
		return 0, false
	}
	return v + rest, v+rest >= v
}

// nanos reports a type that counts nanoseconds: results in it can be out of range.
func nanos(t types.Type) bool { return t.IsTimestamp() && t.TimeUnit() == 1e9 }

// outOfNanos is the error of a result before 1677 or after 2262.
func outOfNanos(t types.Type, row int) error {
	return &expr.RowError{Row: row, Msg: "the result is out of range for " + t.Name(), Hint: "TIMESTAMP(7) to TIMESTAMP(9) hold the years 1677 to 2262: CAST to TIMESTAMP(6)"}
}
