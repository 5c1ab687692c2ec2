package exec

import (
	"fmt"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// snapshotVersion is that of the driver's part of a snapshot.
const snapshotVersion = 1

// Snapshot writes the state of all operators and the position of every source: the
// effect of everything read so far. It may only be called from Config.Rest.
func (j *Job) Snapshot() ([]byte, error) {
	if j.cfg.Stutter != 0 {
		return nil, diag.New(diag.Unsupported, diag.Span{}, "no snapshots while input is cut at random places")
	}
	var e stream.Encoder
	e.Uint64(snapshotVersion)
	e.Int64(j.next)
	e.Uint64(uint64(len(j.inputs)))
	for _, in := range j.inputs {
		if in.isPushed() {
			return nil, diag.New(diag.Unsupported, in.span, "table %q has no position to go back to", in.table)
		}
		e.String(in.table)
		e.Bool(in.over)
		e.Int64(in.handed.Load())
		e.Blob(in.place())
		j.snapshotPending(&e, in)
	}
	j.graph.Snapshot(&e)
	return e.Bytes(), nil
}

// place is the position behind the batches that were taken from the reader.
func (in *input) place() connector.Position {
	if in.over || in.reader == nil || in.arriving {
		return in.position
	}
	return in.reader.Position()
}

// snapshotPending writes what a merge has fetched but not sent yet: the head's chain
// has seen it already.
func (j *Job) snapshotPending(e *stream.Encoder, in *input) {
	e.Int64(int64(in.wm))
	rest := in.got != nil && (in.row < in.got.N || in.mark < len(in.got.Marks))
	e.Bool(rest)
	if !rest {
		return
	}
	m := newMerger(1, j.graph.heads[in.head].tail.plan.Info().Schema)
	src := m.ports[0].borrow(in.got)
	item := mergeItem{b: src, row: in.row, mark: in.mark, borrowed: true}
	if in.got.After != nil {
		for item.mark < len(src.Marks) && int(src.Marks[item.mark].Pos) <= in.row {
			item.mark++
		}
	}
	m.ports[0].queue = append(m.ports[0].queue, item)
	m.keep(&m.ports[0])
	encodeBatch(e, m.ports[0].queue[0].b)
}

// Restore makes Run go on from a snapshot of a job with the same plan. It is called
// before Run.
func (j *Job) Restore(snapshot []byte) { j.restore = snapshot }

// restoreState reads the snapshot, if there is one, into the opened graph.
func (j *Job) restoreState() error {
	if j.restore == nil {
		return nil
	}
	d := stream.NewDecoder(j.restore)
	err := j.decode(d)
	if err == nil && d.Len() > 0 {
		err = stream.ErrSnapshot
	}
	if err != nil {
		return diag.New(diag.InvalidArgument, diag.Span{}, "the snapshot does not fit").Wrap(err)
	}
	return nil
}

func (j *Job) decode(d *stream.Decoder) error {
	if v := d.Uint64(); d.Err() == nil && v != snapshotVersion {
		return fmt.Errorf("it has version %d, not %d", v, snapshotVersion)
	}
	j.next = d.Int64()
	if n := d.Count(8); d.Err() == nil && n != len(j.inputs) {
		return fmt.Errorf("it holds %d sources, the plan has %d", n, len(j.inputs))
	}
	for _, in := range j.inputs {
		if t := d.String(); d.Err() == nil && t != in.table {
			return fmt.Errorf("it holds table %q where the plan has %q", t, in.table)
		}
		in.over = d.Bool()
		in.ended.Store(in.over)
		in.handed.Store(d.Int64())
		in.base.Store(in.handed.Load())
		in.position = append(connector.Position(nil), d.Blob()...)
		in.wm = stream.Timestamp(d.Int64())
		if d.Bool() {
			in.got = new(stream.Batch)
			if err := decodeBatch(d, in.got, j.graph.heads[in.head].tail.plan.Info().Schema); err != nil {
				return err
			}
			in.base.Add(int64(in.got.N))
		}
	}
	return j.graph.Restore(d)
}
