package exec

import (
	"cmp"
	"context"
	"slices"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// sortAll keeps the rows of its input, those that are taken back apart, and sends them in
// an order when the input ends.
type sortAll struct {
	plan  *physical.Sort
	env   *Env
	state sortedRows
	order sortKeys
	keys  storedKeys
	out   changeOutput
	cut   cutter
	iota  []int32
	ids   []int32
}

// sortedRows is the declared state: the rows, and the watermark.
type sortedRows struct {
	rows      *state.RowStore
	index     *state.RowIndex // nil: the input only adds rows
	keys      *storedKeys
	arrived   []int64 // by row; absent: it is none
	count     int64
	watermark stream.Timestamp
}

const absent = int64(-1)

func newSort(p *physical.Sort) (Operator, error) {
	if len(p.Order) == 0 {
		return nil, badPlan(p, "no order")
	}
	return &sortAll{plan: p, order: sortKeys{order: p.Order}}, nil
}

// Open implements Operator.
func (o *sortAll) Open(_ context.Context, env *Env) error {
	o.env = env
	columns := append(columnTypes(o.plan.Input), types.Of(types.Varbinary))
	s := &o.state
	s.rows, s.watermark = state.NewRowStore(columns), stream.MinWatermark
	o.keys = storedKeys{rows: s.rows, column: len(columns) - 1}
	s.keys = &o.keys
	if o.plan.Input.Info().Mode != physical.Append {
		s.index = state.NewRowIndex(s.rows, firstColumns(o.keys.column), env.Seed)
	}
	o.out.init(s.rows, o.plan.Info(), false, env.BatchSize)
	o.report()
	return env.State.Register("rows", 1, s)
}

// ProcessBatch implements Operator.
func (o *sortAll) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	s := &o.state
	live := liveRows(b, &o.iota)
	o.out.begin(b)
	o.ids = o.ids[:0]
	for _, r := range live {
		id := o.out.store(r)
		o.keys.set(id, o.order.of(b, int(r)))
		o.ids = append(o.ids, id)
	}
	o.out.put()
	for k, r := range live {
		if !b.Kind(int(r)).Retracts() {
			s.add(o.ids[k])
			continue
		}
		if old := s.index.Take(o.ids[k], s.before); old >= 0 {
			s.remove(old)
		}
		s.rows.Free(o.ids[k])
	}
	o.env.Counters.Used.Add(int64(len(live)))
	o.cut.start(b, s.watermark)
	for {
		m, ok := o.cut.next(int32(b.N))
		if !ok {
			break
		}
		if m.W == stream.MaxWatermark {
			if err := o.finish(ctx, m, out); err != nil {
				return err
			}
		}
		o.out.mark(m)
	}
	s.watermark = o.cut.w
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// finish sends all rows.
func (o *sortAll) finish(ctx context.Context, m stream.Mark, out Output) error {
	s := &o.state
	o.ids = o.ids[:0]
	for id, at := range s.arrived {
		if at != absent {
			o.ids = append(o.ids, int32(id))
		}
	}
	slices.SortFunc(o.ids, func(a, b int32) int {
		if c := o.keys.compare(a, b); c != 0 {
			return c
		}
		return cmp.Compare(s.arrived[a], s.arrived[b])
	})
	for _, id := range o.ids {
		if err := o.out.room(ctx, out, m.Ord); err != nil {
			return err
		}
		o.out.send(stream.Insert, id, 0, m.Ord)
		o.out.drop(id)
		s.arrived[id] = absent
	}
	return nil
}

func (o *sortAll) report() {
	publish(&o.env.Counters.OpenRows, int64(o.state.rows.Len()))
}

// Finish implements Operator.
func (o *sortAll) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *sortAll) Close() error { return nil }

func (s *sortedRows) add(id int32) {
	for len(s.arrived) <= int(id) {
		s.arrived = append(s.arrived, absent)
	}
	s.arrived[id] = s.count
	s.count++
	if s.index != nil {
		s.index.Add(id)
	}
}

func (s *sortedRows) remove(id int32) {
	s.arrived[id] = absent
	s.rows.Free(id)
}

func (s *sortedRows) before(a, b int32) bool { return s.arrived[a] < s.arrived[b] }

// Rows implements state.Object.
func (s *sortedRows) Rows() int64 { return int64(s.rows.Len()) }

// Bytes implements state.Object.
func (s *sortedRows) Bytes() int64 {
	n := s.rows.Bytes() + s.keys.bytes() + int64(cap(s.arrived))*8
	if s.index != nil {
		n += s.index.Bytes()
	}
	return n
}

// Snapshot implements state.Object.
func (s *sortedRows) Snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	e.Int64(s.count)
	e.Uint64(uint64(s.rows.Len()))
	for id, at := range s.arrived {
		if at != absent {
			e.Int64(at)
			s.rows.SnapshotRow(e, int32(id))
		}
	}
}

// Restore implements state.Object.
func (s *sortedRows) Restore(d *stream.Decoder) error {
	s.watermark = stream.Timestamp(d.Int64())
	count := d.Int64()
	for range d.Count(16) {
		s.count = d.Int64()
		id := s.rows.RestoreRow(d)
		s.keys.restored(id)
		s.add(id)
	}
	s.count = count
	return d.Err()
}
