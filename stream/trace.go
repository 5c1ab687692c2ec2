package stream

import "time"

// TraceEvent tells what one input row, or one mark of a source, did: the row, the
// watermark around it, the windows that it went to and what came out because of it.
type TraceEvent struct {
	Table string // source; "" for VALUES
	// Row numbers the rows of all sources by arrival, from 1; 0: no row, but a mark of
	// the source such as its end.
	Row     int64
	Columns []string // of the source; shared by its events
	Values  []string // CAST(... AS STRING)
	Nulls   []bool
	// TimeColumn is the event-time column, -1 if the source has none, and Time its
	// value: 0 if there is no column or no row.
	TimeColumn int
	Time       Timestamp
	Location   *time.Location // in which all times of the event, TIMESTAMP_LTZ, are shown; nil: they have no zone
	// Before and After are the source's watermark before and after the row:
	// MinWatermark before the first one, MaxWatermark at the end of input.
	Before, After Timestamp
	Windows       []TraceWindow // that took the row
	Missed        []TraceWindow // closed ones: the last window of the row, for each operator that dropped it
	Fired         []TraceWindow // whose results came out, in order; again those that a late row corrects
	Fate          Fate
	Results       []TraceChange // what the query sent because of this event
}

// TraceWindow is a window as event times: [Start, End).
type TraceWindow struct {
	Start, End Timestamp
	Rows       int64 // it has taken so far; 0: not known, as sessions merge
}

// TraceChange is a row of the result.
type TraceChange struct {
	Kind   RowKind
	Values []string
	Nulls  []bool
}

// Fate is what became of a row.
type Fate uint8

// The fates.
const (
	NoRow    Fate = iota // the event is no row
	Passed               // the query has no window that could take it
	Filtered             // a condition dropped it before any window
	InTime               // an open window took it
	Merged               // a window took it that had fired, and fired again
	Late                 // all its windows are closed: it became a row of LATE(...)
	Dropped              // all its windows are closed: it was counted and dropped
)

// String is the fate in words.
func (f Fate) String() string {
	return [...]string{"", "passed", "filtered", "in time", "merged late", "late", "dropped"}[f]
}
