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

// sessionTVF keeps rows until their session closes and then sends them, in order of
// arrival, with the edges of the session. Late rows are dropped.
type sessionTVF struct {
	plan  *physical.WindowTVF
	env   *Env
	state sessionRows

	in    sessionInput
	out   firing
	kinds []stream.RowKind
	list  []int32 // rows of the session that closes
	ids   []int32
}

// sessionRows is the declared state: sessions and their rows.
type sessionRows struct {
	sessionSet
	store   *state.RowStore
	changes bool // rows other than +I are possible
	// By session.
	head, tail []int32
	// By row.
	behind  []int32 // the session's next row; -1: none
	arrival []int64
	kind    []stream.RowKind
	rowsNow int64 // next arrival number
}

func newSessionTVF(p *physical.WindowTVF) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &sessionTVF{plan: p}, nil
}

func (o *sessionTVF) Open(_ context.Context, env *Env) error {
	o.env = env
	input := o.plan.Input.Info()
	s := &o.state
	for _, c := range o.plan.Partition {
		s.keys = append(s.keys, input.Schema.Fields[c].Type)
	}
	var columns []types.Type
	for _, f := range input.Schema.Fields {
		columns = append(columns, f.Type)
	}
	s.grid = gridOf(o.plan.Window, o.plan.Input, o.plan.Time, env)
	s.seed, s.changes = env.Seed, input.Mode != physical.Append
	s.init()
	s.store = state.NewRowStore(columns)
	o.in = sessionInput{set: &s.sessionSet, keyed: o.plan.Partition, time: o.plan.Time, settle: o.settle, merged: s.merged}
	o.out.init(o.plan.Schema, env.BatchSize)
	o.report()
	return env.State.Register("sessions", 1, s)
}

func (o *sessionTVF) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.out.begin(b.Base)
	o.kinds = o.kinds[:0]
	if row := firstNull(&b.Cols[o.plan.Time], b); row >= 0 {
		var front stream.Batch
		ord := b.Ordinal(row)
		if err := o.process(ctx, before(&front, b, ord), out); err != nil {
			return err
		}
		return nullTime(o.plan.Info(), o.plan.Input, o.plan.Time, ord)
	}
	return o.process(ctx, b, out)
}

func (o *sessionTVF) process(ctx context.Context, b *stream.Batch, out Output) error {
	late, err := o.in.consume(b, o.env, func(m stream.Mark, closes bool) error {
		if closes {
			if err := o.fire(ctx, m, out); err != nil {
				return err
			}
		}
		o.out.mark(m.Ord, m.W)
		return nil
	})
	if err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(b.Live() - late))
	if o.state.worn() {
		if err := o.state.pack(); err != nil {
			return err
		}
	}
	o.report()
	return o.flush(ctx, out, b.Thru)
}

// settle stores rows with their sessions.
func (o *sessionTVF) settle(b *stream.Batch, rows, ids []int32) error {
	s := &o.state
	o.ids = o.ids[:0]
	for _, i := range rows {
		id := s.store.New()
		o.ids = append(o.ids, id)
		s.append(ids[i], id, s.rowsNow, b.Kind(int(i)))
		s.rowsNow++
	}
	s.store.Put(b.Cols, rows, o.ids)
	return nil
}

// append adds a stored row to a session.
func (s *sessionRows) append(session, id int32, arrival int64, kind stream.RowKind) {
	for len(s.head) <= int(session) {
		s.head, s.tail = append(s.head, -1), append(s.tail, -1)
	}
	for len(s.behind) <= int(id) {
		s.behind, s.arrival = append(s.behind, -1), append(s.arrival, 0)
		if s.changes {
			s.kind = append(s.kind, stream.Insert)
		}
	}
	s.behind[id], s.arrival[id] = -1, arrival
	if s.changes {
		s.kind[id] = kind
	}
	if t := s.tail[session]; t >= 0 {
		s.behind[t] = id
	} else {
		s.head[session] = id
	}
	s.tail[session] = id
}

// merged adds the rows of one session to another.
func (s *sessionRows) merged(into, from int32) error {
	s.behind[s.tail[into]] = s.head[from]
	s.tail[into] = s.tail[from]
	s.head[from], s.tail[from] = -1, -1
	return nil
}

// fire sends the rows of the sessions that the mark closes.
func (o *sessionTVF) fire(ctx context.Context, m stream.Mark, out Output) error {
	s := &o.state
	for _, id := range s.close(m.W) {
		o.env.trace.fired(s.grid, s.sessions[id].start, s.sessions[id].end, false)
		o.list = o.list[:0]
		sorted := true
		for r := s.head[id]; r >= 0; r = s.behind[r] {
			if n := len(o.list); n > 0 && s.arrival[o.list[n-1]] > s.arrival[r] {
				sorted = false
			}
			o.list = append(o.list, r)
		}
		if !sorted {
			slices.SortFunc(o.list, func(a, b int32) int { return cmp.Compare(s.arrival[a], s.arrival[b]) })
		}
		if err := o.emit(ctx, id, m.Ord, out); err != nil {
			return err
		}
		for _, r := range o.list {
			s.store.Free(r)
		}
		s.head[id], s.tail[id] = -1, -1
		s.remove(id)
	}
	return nil
}

// emit sends the listed rows of a session.
func (o *sessionTVF) emit(ctx context.Context, id int32, ord int64, out Output) error {
	s := &o.state
	in := len(o.plan.Schema.Fields) - 3
	p := &s.sessions[id]
	edges := [3]int64{p.start, p.end, s.grid.Time(p.end)}
	if o.plan.Processing {
		edges[2] = o.env.Clock()
	}
	for list := o.list; len(list) > 0; {
		part := list[:min(len(list), o.out.size)]
		list = list[len(part):]
		o.out.batch.Kinds = o.kinds
		if err := o.out.room(ctx, out, len(part), ord-1); err != nil {
			return err
		}
		if o.out.batch.N == 0 {
			o.kinds = o.kinds[:0]
		}
		dst := o.out.target()
		s.store.Gather(part, dst[:in])
		for k, t := range edges {
			dst[in+k].Reset(o.plan.Schema.Fields[in+k].Type, len(part))
			vals := stream.Values[int64](&dst[in+k])
			for i := range vals {
				vals[i] = t
			}
		}
		if s.changes {
			for _, r := range part {
				o.kinds = append(o.kinds, s.kind[r])
			}
		}
		o.out.commit(len(part), ord)
		if err := out.Poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (o *sessionTVF) flush(ctx context.Context, out Output, thru int64) error {
	o.out.batch.Kinds = nil
	if o.state.changes && o.out.batch.N > 0 {
		o.out.batch.Kinds = o.kinds
	}
	return o.out.flush(ctx, out, thru)
}

func (o *sessionTVF) report() {
	o.env.Counters.NextTimer.Store(int64(o.state.timer()))
	o.env.Counters.OpenRows.Store(int64(o.state.store.Len()))
	o.env.Counters.Windows.Store(o.state.rows())
}

func (o *sessionTVF) Finish(context.Context, Output) error { return nil }
func (o *sessionTVF) Close() error                         { return nil }

// pack renumbers the sessions.
func (s *sessionRows) pack() error {
	left, err := s.renumber()
	if err != nil {
		return err
	}
	for k, id := range left {
		s.head[k], s.tail[k] = s.head[id], s.tail[id]
	}
	s.head, s.tail = s.head[:len(left)], s.tail[:len(left)]
	if len(left) == 0 {
		s.store.Reset()
	}
	return nil
}

// Rows is the number of rows kept.
func (s *sessionRows) Rows() int64 { return int64(s.store.Len()) }

// Bytes is the memory held.
func (s *sessionRows) Bytes() int64 {
	return s.bytes() + s.store.Bytes() + int64(cap(s.head)+cap(s.tail)+cap(s.behind))*4 +
		int64(cap(s.arrival))*8 + int64(cap(s.kind))
}

// Snapshot writes the sessions with their rows.
func (s *sessionRows) Snapshot(e *stream.Encoder) {
	s.snapshot(e)
	e.Int64(s.rowsNow)
	for id := range s.sessions {
		if s.sessions[id].key < 0 {
			continue
		}
		n := uint64(0)
		for r := s.head[id]; r >= 0; r = s.behind[r] {
			n++
		}
		e.Uint64(n)
		for r := s.head[id]; r >= 0; r = s.behind[r] {
			e.Int64(s.arrival[r])
			if s.changes {
				e.Uint64(uint64(s.kind[r]))
			}
			s.store.SnapshotRow(e, r)
		}
	}
}

// Restore reads them.
func (s *sessionRows) Restore(d *stream.Decoder) error {
	if err := s.restore(d); err != nil {
		return err
	}
	s.rowsNow = d.Int64()
	for id := range s.sessions {
		if s.sessions[id].key < 0 {
			s.head, s.tail = append(s.head, -1), append(s.tail, -1)
			continue
		}
		for range d.Count(1) {
			arrival, kind := d.Int64(), stream.Insert
			if s.changes {
				kind = stream.RowKind(d.Uint64() & 3)
			}
			s.append(int32(id), s.store.RestoreRow(d), arrival, kind)
			if d.Err() != nil {
				return d.Err()
			}
		}
	}
	return d.Err()
}
