package stream

import "time"

// Stats is a reading of a query's counters. Reading never disturbs the query.
type Stats struct {
	Sources   []SourceStats
	Operators []OperatorStats
	RowsOut   int64 // changes delivered to the consumer
	Done      bool  // the query has ended
}

// SourceStats are the counters of one source. Read = Delivered + Bad + Unread.
type SourceStats struct {
	Table        string
	Read         int64 // rows met in the input
	Delivered    int64 // rows handed to the plan
	Bad          int64 // rows that could not be read and were skipped
	BadFields    int64 // values that could not be read and became NULL in delivered rows
	Unread       int64 // rows that were read but not delivered: LIMIT or stop
	Bytes        int64
	TotalBytes   int64     // 0: not known
	Watermark    Timestamp // MinWatermark before the first; MaxWatermark at the end of input
	MaxEventTime Timestamp // MinWatermark if there is no event time
	Late         int64     // rows of this source that an operator dropped as late
	Keep99       int64     // watermark delay in ms that would have kept 99 % of the late rows; 0 without late rows
	KeepAll      int64     // and all of them
	ID           string    // of the scan in the plan
	Batches      int64     // calls that read, only measured with a clock
	Nanos        int64     // time they took
	Idle         bool
	IdleSince    int64 // of an idle source: when its last row came, by the clock of the engine, in ms since 1970
	Ended        bool
	Location     *time.Location // in which its event times, TIMESTAMP_LTZ, are shown; nil: they have no zone
}

// Lag is how far the watermark of a source is behind its newest event time, in
// milliseconds; 0 before there are both and at the end of input.
func (s SourceStats) Lag() int64 {
	if s.Watermark == MinWatermark || s.Watermark == MaxWatermark || s.MaxEventTime == MinWatermark {
		return 0
	}
	return max(0, int64(s.MaxEventTime)-int64(s.Watermark))
}

// OperatorStats are the counters of one operator. In = Used + Late + Filtered.
type OperatorStats struct {
	ID         string
	Name       string // as in EXPLAIN
	In         int64
	Used       int64
	Late       int64
	Filtered   int64
	Out        int64
	StateRows  int64
	StateBytes int64
	Watermark  Timestamp      // seen by the operator
	NextTimer  Timestamp      // the next window end - 1 that waits; MaxWatermark: none
	OpenRows   int64          // rows (or groups) that wait for it
	Windows    int64          // windows that are open; of HOP and CUMULATE the pieces that they share
	Clock      bool           // the windows close by the clock: NextTimer is a moment of processing time
	Location   *time.Location // as of a source; nil too where the input has no event time
	Batches    int64          // batches taken, only measured with a clock
	Nanos      int64          // time in the operator itself, without its consumers
}

// LateRow is a row that an operator dropped because its window was closed.
type LateRow struct {
	Table       string // source; "" if several feed the operator
	Operator    string // operator's ID
	File        string // origin of the source row, if known
	Line        int64  // 0: not known
	Ord         int64
	Time        Timestamp // event time of the row
	WindowStart Timestamp
	WindowEnd   Timestamp
	Watermark   Timestamp      // in force before the row
	Location    *time.Location // in which these times, TIMESTAMP_LTZ, are shown; nil: they have no zone
	Columns     []string       // names of the operator's input columns
	Values      []string       // as CAST to STRING; see Nulls
	Nulls       []bool
}

// LateBy is how far the watermark had passed the row's window, in milliseconds: the
// additional watermark delay that would have kept the row is LateBy + 1.
func (r LateRow) LateBy() int64 { return int64(r.Watermark) - int64(r.WindowEnd-1) }
