package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// firstByTime keeps the row of each partition with the lowest event time, of equal ones
// the first that arrived, and sends it when the watermark reaches its time: nothing that
// comes later can be before it. Rows behind the watermark are dropped as late.
type firstByTime struct {
	plan  *physical.Deduplicate
	env   *Env
	state firstRows
	out   changeOutput
	cut   cutter
	iota  []int32
	late  LateRows
}

// firstRows is the declared state: the row of each partition that waits, if it has not
// been sent yet, and the watermark.
type firstRows struct {
	keys      partitionKeys
	table     *state.Table
	rows      *state.RowStore
	row       []int32 // by partition; nobody: none yet, sent: it is over
	arrived   []int64 // by partition: the how manieth row that waits
	queue     timeQueue
	count     int64
	waiting   int64
	watermark stream.Timestamp
}

const (
	nobody = int32(-1)
	sent   = int32(-2)
)

// Open implements Operator.
func (o *firstByTime) Open(_ context.Context, env *Env) error {
	o.env = env
	s := &o.state
	s.keys.init(o.plan.Input, o.plan.Partition, env)
	s.table, s.rows = s.keys.table(), state.NewRowStore(columnTypes(o.plan.Input))
	s.watermark = stream.MinWatermark
	o.out.init(s.rows, o.plan.Info(), false, env.BatchSize)
	o.report()
	return env.State.Register("rows", 1, s)
}

// ProcessBatch implements Operator.
func (o *firstByTime) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	s := &o.state
	live := liveRows(b, &o.iota)
	groups := s.keys.find(s.table, b, live)
	for len(s.row) < s.table.Len() {
		s.row, s.arrived = append(s.row, nobody), append(s.arrived, 0)
	}
	times := edgesOf(&b.Cols[o.plan.Time])
	l := &o.late
	l.clear()
	o.out.begin(b)
	o.cut.start(b, s.watermark)
	for _, r := range live {
		if err := o.marks(ctx, r, out); err != nil {
			return err
		}
		t := times.of(r)
		if t < int64(s.watermark) {
			// A watermark one lower than the one in force would not have dropped it.
			l.add(r, t, t+2, s.watermark)
			continue
		}
		o.take(r, groups[r], t)
	}
	if err := o.marks(ctx, int32(b.N), out); err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(len(live) - len(l.Rows)))
	o.env.LateRows(l, b, o.plan.Time)
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// take judges one row of partition g.
func (o *firstByTime) take(r, g int32, t int64) {
	s := &o.state
	switch id := s.row[g]; {
	case id == sent:
		return
	case id == nobody:
		s.waiting++
	case s.queue.timeOf(id) <= t:
		return
	default:
		o.out.drop(id)
	}
	id := o.out.store(r)
	s.row[g], s.arrived[g] = id, s.count
	s.queue.push(t, s.count, id, g)
	s.count++
}

// marks handles the rises of the watermark up to a row.
func (o *firstByTime) marks(ctx context.Context, limit int32, out Output) error {
	s := &o.state
	for {
		m, ok := o.cut.next(limit)
		if !ok {
			return nil
		}
		for s.queue.reached(m.W) {
			e := s.queue.pop()
			if s.row[e.group] != e.id || s.arrived[e.group] != e.arrived {
				continue // an earlier row has taken its place
			}
			if err := o.out.room(ctx, out, m.Ord); err != nil {
				return err
			}
			o.out.send(stream.Insert, e.id, 0, m.Ord)
			o.out.drop(e.id)
			s.row[e.group] = sent
			s.waiting--
		}
		s.watermark = m.W
		o.out.mark(m)
	}
}

func (o *firstByTime) report() {
	publish(&o.env.Counters.NextTimer, int64(o.state.queue.next()))
	publish(&o.env.Counters.OpenRows, o.state.waiting)
}

// Finish implements Operator.
func (o *firstByTime) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *firstByTime) Close() error { return nil }

// Rows implements state.Object.
func (s *firstRows) Rows() int64 { return int64(s.table.Len()) }

// Bytes implements state.Object.
func (s *firstRows) Bytes() int64 {
	return s.table.Bytes() + s.rows.Bytes() + int64(cap(s.row))*4 + int64(cap(s.arrived))*8 + s.queue.bytes()
}

// Snapshot implements state.Object.
func (s *firstRows) Snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.count)
	s.table.Snapshot(e)
	for g, id := range s.row {
		e.Int64(int64(min(id, 0)))
		if id >= 0 {
			e.Int64(s.queue.timeOf(id))
			e.Int64(s.arrived[g])
			s.rows.SnapshotRow(e, id)
		}
	}
}

// Restore implements state.Object.
func (s *firstRows) Restore(d *stream.Decoder) error {
	s.watermark, s.count = stream.Timestamp(d.Int64()), d.Int64()
	if err := s.table.Restore(d); err != nil {
		return err
	}
	for g := range int32(s.table.Len()) {
		id, arrived := int32(d.Int64()), int64(0)
		if id >= 0 {
			t := d.Int64()
			arrived = d.Int64()
			id = s.rows.RestoreRow(d)
			s.queue.push(t, arrived, id, g)
			s.waiting++
		}
		s.row, s.arrived = append(s.row, id), append(s.arrived, arrived)
	}
	return d.Err()
}
