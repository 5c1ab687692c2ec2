package streamsql

import (
	"fmt"
	"strings"
	"time"

	"streamsql/stream"
)

// Why explains what a query waits for: which window closes next, how far the
// watermark is from it, and which source holds the watermark back.
func (q *Query) Why() string {
	s := q.Stats()
	var b strings.Builder
	for _, src := range s.Sources {
		writeSource(&b, src, s.Done)
	}
	waiting, clock := false, false
	for _, op := range s.Operators {
		if op.NextTimer == stream.MaxWatermark || op.NextTimer == 0 && op.StateRows == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %s for the window that closes at %s", op.Name, waitText(op), timeText(op.NextTimer+1, op.Location))
		if op.Clock {
			clock = true
			q.writeClock(&b, op)
			continue
		}
		waiting = true
		fmt.Fprintf(&b, "; the watermark is %s", timeText(op.Watermark, op.Location))
		if op.Watermark > stream.MinWatermark {
			fmt.Fprintf(&b, ", %s to go", waitTime(int64(op.NextTimer)-int64(op.Watermark)))
		}
		b.WriteByte('\n')
	}
	held := slowest(s.Sources)
	if waiting && held.Table != "" {
		fmt.Fprintf(&b, "the watermark is held by source %s\n", held.Table)
	}
	switch {
	case s.Done:
		b.WriteString("the query has ended\n")
	case waiting && held.Delivered > 0 && held.Watermark == stream.MinWatermark:
		fmt.Fprintf(&b, "the watermark of %s is NULL for all of its rows so far: one that is not, or the end of input, lets it go on\n", held.Table)
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
		fmt.Fprintf(b, ", when the clock is there, in %s\n", waitTime(left))
	default:
		b.WriteString(", when the clock is there, which it is\n")
	}
}

// writeSource says how far a source has come. What has no event time by the end has none.
func writeSource(b *strings.Builder, s stream.SourceStats, done bool) {
	fmt.Fprintf(b, "source %s: %d rows read", s.Table, s.Read)
	if !done && !s.Ended || s.MaxEventTime != stream.MinWatermark {
		fmt.Fprintf(b, ", newest event time %s, watermark %s", timeText(s.MaxEventTime, s.Location), timeText(s.Watermark, s.Location))
	}
	b.WriteString(stateText(s) + "\n")
}

func stateText(s stream.SourceStats) string {
	switch {
	case s.Ended:
		return " (ended)"
	case s.Idle:
		return " (idle since " + timeText(stream.Timestamp(s.IdleSince), s.Location) + ")"
	}
	return ""
}

// slowest returns the running source with the lowest watermark; none has no name.
func slowest(sources []stream.SourceStats) stream.SourceStats {
	low := stream.SourceStats{Watermark: stream.MaxWatermark}
	for _, s := range sources {
		if !s.Ended && !s.Idle && s.Watermark < low.Watermark {
			low = s
		}
	}
	return low
}

func totalRead(s stream.Stats) int64 {
	var n int64
	for _, src := range s.Sources {
		n += src.Read
	}
	return n
}

// timeText writes an event time or watermark as the result of the query shows it.
func timeText(w stream.Timestamp, at *time.Location) string {
	switch w {
	case stream.MinWatermark:
		return "not known yet"
	case stream.MaxWatermark:
		return "at the end of input"
	}
	t := goTime(w)
	if at != nil {
		t = t.In(at)
	}
	return t.Format("2006-01-02 15:04:05.000")
}

// waitTime writes milliseconds as 7h24m50.921s, without parts that are zero.
func waitTime(ms int64) string {
	text := (time.Duration(ms) * time.Millisecond).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
