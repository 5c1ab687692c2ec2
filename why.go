package streamsql

import (
	"fmt"
	"strings"

	"streamsql/stream"
)

// Why explains what a query waits for: which window closes next, how far the
// watermark is from it, and which source holds the watermark back.
func (q *Query) Why() string {
	s := q.Stats()
	var b strings.Builder
	for _, src := range s.Sources {
		fmt.Fprintf(&b, "source %s: %d rows read, newest event time %s, watermark %s%s\n",
			src.Table, src.Read, timeText(src.MaxEventTime), timeText(src.Watermark), stateText(src))
	}
	waiting, clock := false, false
	for _, op := range s.Operators {
		if op.NextTimer == stream.MaxWatermark || op.NextTimer == 0 && op.StateRows == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %s for the window that closes at %s", op.Name, waitText(op), timeText(op.NextTimer+1))
		if op.Clock {
			clock = true
			q.writeClock(&b, op)
			continue
		}
		waiting = true
		fmt.Fprintf(&b, "; the watermark is %s", timeText(op.Watermark))
		if op.Watermark > stream.MinWatermark {
			fmt.Fprintf(&b, ", %s to go", msText(int64(op.NextTimer)-int64(op.Watermark)))
		}
		b.WriteByte('\n')
	}
	if held := slowest(s.Sources); waiting && held != "" {
		fmt.Fprintf(&b, "the watermark is held by source %s\n", held)
	}
	switch {
	case s.Done:
		b.WriteString("the query has ended\n")
	case waiting:
		b.WriteString("a row with a later event time, or the end of input, lets it go on\n")
	case len(s.Sources) > 0 && totalRead(s) == 0:
		b.WriteString("no row has arrived yet\n")
	case clock:
		b.WriteString("nothing but the clock lets it go on\n")
	case s.RowsOut == 0:
		b.WriteString("no window is open: rows were filtered or late, see the counters\n")
	}
	return b.String()
}

// waitText says how much waits: rows where an operator keeps them, else groups.
func waitText(op stream.OperatorStats) string {
	what := "group"
	if op.Name != "WindowAggregate" {
		what = "row"
	}
	if op.OpenRows == 1 {
		return "1 " + what + " waits"
	}
	return fmt.Sprintf("%d %ss wait", op.OpenRows, what)
}

// writeClock says when a window of processing time closes.
func (q *Query) writeClock(b *strings.Builder, op stream.OperatorStats) {
	left := int64(op.NextTimer) + 1 - q.engine.nowMillis()
	switch {
	case q.Stats().Done:
		b.WriteString(": the end of input closes no window of processing time\n")
	case left > 0:
		fmt.Fprintf(b, ", when the clock is there, in %s\n", msText(left))
	default:
		b.WriteString(", when the clock is there, which it is\n")
	}
}

func stateText(s stream.SourceStats) string {
	switch {
	case s.Ended:
		return " (ended)"
	case s.Idle:
		return " (idle since " + timeText(stream.Timestamp(s.IdleSince)) + ")"
	}
	return ""
}

// slowest returns the running source with the lowest watermark, if several run or
// that one has none.
func slowest(sources []stream.SourceStats) string {
	name, low := "", stream.MaxWatermark
	for _, s := range sources {
		if !s.Ended && !s.Idle && s.Watermark < low {
			name, low = s.Table, s.Watermark
		}
	}
	return name
}

func totalRead(s stream.Stats) int64 {
	var n int64
	for _, src := range s.Sources {
		n += src.Read
	}
	return n
}

func timeText(w stream.Timestamp) string {
	switch w {
	case stream.MinWatermark:
		return "not known yet"
	case stream.MaxWatermark:
		return "at the end of input"
	}
	return goTime(w).Format("2006-01-02 15:04:05.000")
}

func msText(ms int64) string {
	if ms%1000 == 0 {
		return fmt.Sprintf("%d s", ms/1000)
	}
	return fmt.Sprintf("%d.%03d s", ms/1000, ms%1000)
}
