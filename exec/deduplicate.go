package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// deduplicate keeps one row of each partition and says so at once: the first that
// arrives, or the last by event time or arrival. A last row replaces the one before it
// even if both are equal, unless the order is that of arrival, as in Flink.
type deduplicate struct {
	plan *physical.Deduplicate
	env  *Env
	kept keptRows
	out  changeOutput
	cut  cutter
	iota []int32
	all  []int // all columns
}

func deduplicateFor(p *physical.Deduplicate) (Operator, error) {
	if p.Input.Info().Mode != physical.Append {
		return nil, badPlan(p, "an updating input")
	}
	if p.Time >= 0 && !p.Last {
		return &firstByTime{plan: p}, nil
	}
	return &deduplicate{plan: p, all: firstColumns(len(p.Input.Info().Schema.Fields))}, nil
}

// keptRows is the declared state of a deduplication: the row of each partition, and the
// watermark.
type keptRows struct {
	keys      partitionKeys
	table     *state.Table
	rows      *state.RowStore
	row       []int32 // by partition
	time      []int64 // by partition, where the order is the event time
	timed     bool
	watermark stream.Timestamp
}

// Open implements Operator.
func (o *deduplicate) Open(_ context.Context, env *Env) error {
	o.env = env
	k := &o.kept
	k.keys.init(o.plan.Input, o.plan.Partition, env)
	k.table, k.rows = k.keys.table(), state.NewRowStore(columnTypes(o.plan.Input))
	k.timed, k.watermark = o.plan.Time >= 0, stream.MinWatermark
	o.out.init(k.rows, o.plan.Info(), false, env.BatchSize)
	return env.State.Register("rows", 1, k)
}

// ProcessBatch implements Operator.
func (o *deduplicate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	k := &o.kept
	live := liveRows(b, &o.iota)
	groups := k.keys.find(k.table, b, live)
	var times edgeColumn
	if k.timed {
		times = edgesOf(&b.Cols[o.plan.Time])
	}
	o.out.begin(b)
	o.cut.start(b, k.watermark)
	for _, r := range live {
		o.out.pass(&o.cut, r)
		if err := o.out.room(ctx, out, b.Ordinal(int(r))); err != nil {
			return err
		}
		var t int64
		if k.timed {
			t = times.of(r)
		}
		o.take(b, r, groups[r], t)
	}
	o.out.pass(&o.cut, int32(b.N))
	k.watermark = o.cut.w
	o.env.Counters.Used.Add(int64(len(live)))
	return o.out.flush(ctx, out, b.Thru)
}

// take judges one row of partition g.
func (o *deduplicate) take(b *stream.Batch, r, g int32, t int64) {
	k, ord := &o.kept, b.Ordinal(int(r))
	if int(g) == len(k.row) {
		k.row = append(k.row, o.out.store(r))
		if k.timed {
			k.time = append(k.time, t)
		}
		o.out.send(stream.Insert, k.row[g], 0, ord)
		return
	}
	if !o.plan.Last || k.timed && t < k.time[g] {
		return
	}
	old, id := k.row[g], o.out.store(r)
	if k.timed {
		k.time[g] = t
	} else {
		o.out.put()
		if k.rows.Equal(old, id, o.all) {
			o.out.drop(id)
			return
		}
	}
	o.out.send(stream.UpdateBefore, old, 0, ord)
	o.out.send(stream.UpdateAfter, id, 0, ord)
	o.out.drop(old)
	k.row[g] = id
}

// Finish implements Operator.
func (o *deduplicate) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *deduplicate) Close() error { return nil }

// Rows implements state.Object.
func (k *keptRows) Rows() int64 { return int64(k.rows.Len()) }

// Bytes implements state.Object.
func (k *keptRows) Bytes() int64 {
	return k.table.Bytes() + k.rows.Bytes() + int64(cap(k.row))*4 + int64(cap(k.time))*8
}

// Snapshot implements state.Object.
func (k *keptRows) Snapshot(e *stream.Encoder) {
	e.Int64(int64(k.watermark))
	k.table.Snapshot(e)
	for g, id := range k.row {
		if k.timed {
			e.Int64(k.time[g])
		}
		k.rows.SnapshotRow(e, id)
	}
}

// Restore implements state.Object.
func (k *keptRows) Restore(d *stream.Decoder) error {
	k.watermark = stream.Timestamp(d.Int64())
	if err := k.table.Restore(d); err != nil {
		return err
	}
	for range k.table.Len() {
		if k.timed {
			k.time = append(k.time, d.Int64())
		}
		k.row = append(k.row, k.rows.RestoreRow(d))
	}
	return d.Err()
}
