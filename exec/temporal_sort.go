package exec

import (
	"bytes"
	"context"
	"slices"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// temporalSort sends rows in the order of their event time, when the watermark reaches
// it. A row that would have to come before one that was sent is dropped as late.
type temporalSort struct {
	plan  *physical.TemporalSort
	env   *Env
	state timeSorted
	key   int // column of the sort key of rows of equal time
	order sortKeys
	out   changeOutput
	cut   cutter
	iota  []int32
	due   []int32
	late  LateRows
}

// timeSorted is the declared state: the rows that wait, the time of the last that was
// sent, and the watermark.
type timeSorted struct {
	rows      *state.RowStore
	queue     timeQueue
	count     int64
	sent      int64 // time of the last row that was sent
	watermark stream.Timestamp
}

func newTemporalSort(p *physical.TemporalSort) (Operator, error) {
	if p.Input.Info().Mode != physical.Append {
		return nil, badPlan(p, "an updating input")
	}
	return &temporalSort{plan: p, order: sortKeys{order: p.Order}}, nil
}

// Open implements Operator.
func (o *temporalSort) Open(_ context.Context, env *Env) error {
	o.env = env
	columns := columnTypes(o.plan.Input)
	o.key = len(columns)
	if len(o.plan.Order) > 0 {
		columns = append(columns, types.Of(types.Varbinary))
	}
	o.state = timeSorted{rows: state.NewRowStore(columns), sent: int64(stream.MinWatermark), watermark: stream.MinWatermark}
	o.out.init(o.state.rows, o.plan.Info(), false, env.BatchSize)
	o.report()
	return env.State.Register("rows", 1, &o.state)
}

// ProcessBatch implements Operator.
func (o *temporalSort) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	s := &o.state
	live := liveRows(b, &o.iota)
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
		if t <= s.sent {
			l.add(r, t, t+1, s.watermark)
			continue
		}
		id := o.out.store(r)
		if len(o.plan.Order) > 0 {
			s.rows.SetBytes(id, o.key, o.order.of(b, int(r)))
		}
		s.queue.push(t, s.count, id, 0)
		s.count++
	}
	if err := o.marks(ctx, int32(b.N), out); err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(len(live) - len(l.Rows)))
	o.env.LateRows(l, b, o.plan.Time)
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// marks handles the rises of the watermark up to a row.
func (o *temporalSort) marks(ctx context.Context, limit int32, out Output) error {
	s := &o.state
	for {
		m, ok := o.cut.next(limit)
		if !ok {
			return nil
		}
		for s.queue.reached(m.W) {
			if err := o.sendNext(ctx, m, out); err != nil {
				return err
			}
		}
		s.watermark = m.W
		o.out.mark(m)
	}
}

// sendNext sends the rows of the lowest time that waits.
func (o *temporalSort) sendNext(ctx context.Context, m stream.Mark, out Output) error {
	s := &o.state
	s.sent = int64(s.queue.next())
	o.due = o.due[:0]
	for len(s.queue.heap) > 0 && int64(s.queue.next()) == s.sent {
		o.due = append(o.due, s.queue.pop().id)
	}
	if len(o.plan.Order) > 0 {
		slices.SortStableFunc(o.due, func(a, b int32) int {
			return bytes.Compare(s.rows.BytesOf(a, o.key), s.rows.BytesOf(b, o.key))
		})
	}
	for _, id := range o.due {
		if err := o.out.room(ctx, out, m.Ord); err != nil {
			return err
		}
		o.out.send(stream.Insert, id, 0, m.Ord)
		o.out.drop(id)
	}
	return nil
}

func (o *temporalSort) report() {
	publish(&o.env.Counters.NextTimer, int64(o.state.queue.next()))
	publish(&o.env.Counters.OpenRows, int64(len(o.state.queue.heap)))
}

// Finish implements Operator.
func (o *temporalSort) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *temporalSort) Close() error { return nil }

// Rows implements state.Object.
func (s *timeSorted) Rows() int64 { return int64(s.rows.Len()) }

// Bytes implements state.Object.
func (s *timeSorted) Bytes() int64 { return s.rows.Bytes() + s.queue.bytes() }

// Snapshot implements state.Object.
func (s *timeSorted) Snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.sent)
	e.Int64(s.count)
	e.Uint64(uint64(len(s.queue.heap)))
	for _, r := range s.queue.heap {
		e.Int64(r.time)
		e.Int64(r.arrived)
		s.rows.SnapshotRow(e, r.id)
	}
}

// Restore implements state.Object.
func (s *timeSorted) Restore(d *stream.Decoder) error {
	s.watermark, s.sent, s.count = stream.Timestamp(d.Int64()), d.Int64(), d.Int64()
	for range d.Count(16) {
		t, arrived := d.Int64(), d.Int64()
		s.queue.push(t, arrived, s.rows.RestoreRow(d), 0)
	}
	return d.Err()
}
