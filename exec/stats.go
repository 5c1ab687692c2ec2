package exec

import (
	"slices"

	"streamsql/planner/physical"
	"streamsql/stream"
)

// Stats reads the counters. It can be called from any goroutine at any time.
func (j *Job) Stats() stream.Stats {
	s := stream.Stats{RowsOut: j.rowsOut.Load(), Done: j.done.Load()}
	for i, in := range j.inputs {
		if in.source == nil {
			continue
		}
		s.Sources = append(s.Sources, j.sourceStats(i, in))
	}
	s.Operators = j.graph.Stats()
	if _, ok := j.plan.Root.(*physical.Sink); ok && len(s.Operators) > 0 {
		s.RowsOut = s.Operators[len(s.Operators)-1].Used // the consumer is the sink, the last operator
	}
	return s
}

func (j *Job) sourceStats(i int, in *input) stream.SourceStats {
	// Handed is read first: rows may be read meanwhile, but none becomes unread by it.
	handed := in.handed.Load()
	c := in.counts()
	tail := j.graph.heads[i].tail
	// A row in the future was read well, but is a bad one all the same.
	var future int64
	if f := j.graph.heads[i].future; f != nil {
		future = f.counters.Filtered.Load()
	}
	idle, since := j.isIdle(in), int64(0)
	if idle {
		since = in.last.Load()
	}
	late, keep99, keepAll := j.graph.late.sources[i].advice()
	return stream.SourceStats{
		Table: in.table, Read: c.Delivered + c.Bad, Delivered: handed - future, Bad: c.Bad + future, BadFields: c.BadFields, Unread: c.Delivered - handed,
		Bytes: c.Bytes, TotalBytes: c.TotalBytes,
		Watermark:    stream.Timestamp(tail.sent.Load()),
		MaxEventTime: stream.Timestamp(tail.counters.MaxTime.Load()),
		Late:         late, Keep99: keep99, KeepAll: keepAll,
		ID: j.graph.heads[i].scan.plan.Info().ID, Batches: in.counters.batches.Load(), Nanos: in.counters.nanos.Load(),
		Ended: in.ended.Load(), Idle: idle, IdleSince: since,
		Location: locationOf(tail.plan, j.graph.late.zone),
	}
}

// Stats reads the counters of all operators, inputs before consumers.
func (g *Graph) Stats() []stream.OperatorStats {
	var list []stream.OperatorStats
	for _, n := range g.nodes {
		if n.op == nil {
			continue
		}
		c := &n.counters
		clock := slices.Contains(g.clock.windows, n)
		at := n.inputLocation()
		if clock {
			at = sessionLocation(n.env.Zone)
		}
		list = append(list, stream.OperatorStats{
			ID: n.plan.Info().ID, Name: n.name,
			In: c.In.Load(), Used: c.Used.Load(), Late: c.Late.Load(), Filtered: c.Filtered.Load(), Out: c.Out.Load(),
			StateRows: c.stateRows.Load(), StateBytes: c.stateBytes.Load(),
			Watermark: stream.Timestamp(c.Watermark.Load()), NextTimer: stream.Timestamp(c.NextTimer.Load()), OpenRows: c.OpenRows.Load(),
			Windows: c.Windows.Load(), Clock: clock, Location: at,
			Batches: c.batches.Load(), Nanos: c.nanos.Load(),
		})
	}
	return list
}
