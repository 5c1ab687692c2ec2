package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// rank is what the operators of Top-N share: they keep rows in an order, partition by
// partition, and answer each row with what changes among the rows that are wanted.
type rank struct {
	plan  *physical.Rank
	env   *Env
	rows  *state.RowStore // the input's columns, then the sort key
	keys  partitionKeys
	order sortKeys
	kept  storedKeys
	ends  rankEnds
	out   changeOutput
	cut   cutter
	iota  []int32
	// plain: neither numbers nor an offset, so that only entering and leaving rows matter.
	plain bool
}

// rankEnds is declared state: the partitions, how many rows of each are wanted where a
// column says so, and the watermark.
type rankEnds struct {
	table     *state.Table
	column    bool
	to        []int64 // by partition
	watermark stream.Timestamp
}

func rankFor(p *physical.Rank) (Operator, error) {
	if p.From < 1 || p.ToColumn < 0 && p.To < p.From {
		return nil, badPlan(p, "rows %d to %d", p.From, p.To)
	}
	if (p.Input.Info().Mode == physical.Append) != (p.Strategy == physical.AppendRank) {
		return nil, badPlan(p, "strategy %s over an input that sends %s", p.Strategy, p.Input.Info().Mode)
	}
	r := rank{plan: p, order: sortKeys{order: p.Order}, plain: !p.Number && p.From == 1}
	switch p.Strategy {
	case physical.AppendRank:
		return &rankAppend{rank: r}, nil
	case physical.UpdateRank:
		return &rankUpdate{rank: r}, nil
	}
	return &rankRetract{rank: r}, nil
}

func (o *rank) open(env *Env) error {
	o.env = env
	columns := append(columnTypes(o.plan.Input), types.Of(types.Varbinary))
	o.rows = state.NewRowStore(columns)
	o.kept = storedKeys{rows: o.rows, column: len(columns) - 1}
	o.keys.init(o.plan.Input, o.plan.Partition, env)
	o.ends = rankEnds{table: o.keys.table(), column: o.plan.ToColumn >= 0, watermark: stream.MinWatermark}
	o.out.init(o.rows, o.plan.Info(), o.plan.Number, env.BatchSize)
	return env.State.Register("partitions", 1, &o.ends)
}

// process goes through rows and marks in order and calls take for each row.
func (o *rank) process(ctx context.Context, b *stream.Batch, out Output, live, groups []int32, take func(b *stream.Batch, k int, r, g int32) error) error {
	o.cut.start(b, o.ends.watermark)
	for k, r := range live {
		o.out.pass(&o.cut, r)
		if err := o.out.room(ctx, out, b.Ordinal(int(r))); err != nil {
			return err
		}
		if o.ends.column && int(groups[r]) == len(o.ends.to) {
			o.ends.to = append(o.ends.to, wantedRows(&b.Cols[o.plan.ToColumn], int(r)))
		}
		if err := take(b, k, r, groups[r]); err != nil {
			return o.out.fail(ctx, out, b.Ordinal(int(r)), err)
		}
	}
	o.out.pass(&o.cut, int32(b.N))
	o.ends.watermark = o.cut.w
	o.env.Counters.Used.Add(int64(len(live)))
	return nil
}

// wantedRows reads how many rows are wanted: none for NULL.
func wantedRows(v *stream.Vec, row int) int64 {
	if v.IsNull(row) {
		return 0
	}
	return v.Value(row).I
}

// to is the number of the last row that is wanted of a partition.
func (o *rank) to(g int32) int64 {
	if o.ends.column {
		return o.ends.to[g]
	}
	return o.plan.To
}

// send says what becomes of a row with a number, if that is wanted.
func (o *rank) send(kind stream.RowKind, id int32, number, to, ord int64) {
	if number >= o.plan.From && number <= to {
		o.out.send(kind, id, number, ord)
	}
}

// replace says that a row takes the number of another.
func (o *rank) replace(old, id int32, number, to, ord int64) {
	o.send(stream.UpdateBefore, old, number, to, ord)
	o.send(stream.UpdateAfter, id, number, to, ord)
}

// storeAll gives all rows of a batch a place in the store, with their sort keys.
func (o *rank) storeAll(b *stream.Batch, live, ids []int32) []int32 {
	ids = ids[:0]
	for _, r := range live {
		id := o.out.store(r)
		o.kept.set(id, o.order.of(b, int(r)))
		ids = append(ids, id)
	}
	o.out.put()
	return ids
}

// Finish implements Operator.
func (o *rank) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *rank) Close() error { return nil }

// Rows implements state.Object.
func (s *rankEnds) Rows() int64 { return 0 }

// Bytes implements state.Object.
func (s *rankEnds) Bytes() int64 { return s.table.Bytes() + int64(cap(s.to))*8 }

// Snapshot implements state.Object.
func (s *rankEnds) Snapshot(e *stream.Encoder) {
	e.Int64(int64(s.watermark))
	s.table.Snapshot(e)
	for _, n := range s.to {
		e.Int64(n)
	}
}

// Restore implements state.Object.
func (s *rankEnds) Restore(d *stream.Decoder) error {
	s.watermark = stream.Timestamp(d.Int64())
	if err := s.table.Restore(d); err != nil {
		return err
	}
	if s.column {
		for range s.table.Len() {
			s.to = append(s.to, d.Int64())
		}
	}
	return d.Err()
}
