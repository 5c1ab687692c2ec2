package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// sessionAggregate groups rows by session and keys. Sessions of a key that a row joins
// become one. Lateness is judged here, as it depends on the sessions that are open.
type sessionAggregate struct {
	plan  *physical.WindowAggregate
	env   *Env
	state sessionTotals

	in   sessionInput
	out  windowOutput
	keys []int32 // of the sessions that close
}

// sessionTotals is the declared state.
type sessionTotals struct {
	sessionSet
	calls   []expr.AggregateCall
	retract bool
	aggs    *state.Aggregates
	spare   *state.Aggregates // one group
	counts  []int64           // rows of a session, where the input takes rows back
}

func newSessionAggregate(p *physical.WindowAggregate) (Operator, error) {
	if err := checkWindow(p.Info(), p.Window); err != nil {
		return nil, err
	}
	return &sessionAggregate{plan: p}, nil
}

func (o *sessionAggregate) Open(_ context.Context, env *Env) error {
	o.env = env
	input := o.plan.Input.Info()
	s := &o.state
	for _, c := range o.plan.Keys {
		s.keys = append(s.keys, input.Schema.Fields[c].Type)
	}
	s.grid = gridOf(o.plan.Window, o.plan.Input, o.plan.Time, env)
	s.seed, s.calls, s.retract = env.Seed, o.plan.Aggs, input.Mode != physical.Append
	s.init()
	var err error
	if s.aggs, err = state.NewAggregates(s.calls, s.seed, s.scratch); err != nil {
		return err
	}
	if s.spare, err = state.NewAggregates(s.calls, s.seed, s.scratch); err != nil {
		return err
	}
	o.in = sessionInput{set: &s.sessionSet, keyed: o.plan.Keys, time: o.plan.Time, settle: o.settle, merged: o.merged}
	o.out.init(o.plan, s.grid, env, false)
	o.report()
	return env.State.Register("sessions", 1, s)
}

func (o *sessionAggregate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.out.begin(b)
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

func (o *sessionAggregate) process(ctx context.Context, b *stream.Batch, out Output) error {
	late, err := o.in.consume(b, o.env, func(m stream.Mark, closes bool) error {
		if closes {
			if err := o.fire(ctx, m, out); err != nil {
				return err
			}
		}
		o.out.mark(m)
		return nil
	})
	if err != nil {
		return err
	}
	o.env.Counters.Used.Add(int64(b.Live() - late))
	if err := o.state.tidy(); err != nil {
		return err
	}
	o.report()
	return o.out.flush(ctx, out, b.Thru)
}

// settle accounts rows to their sessions.
func (o *sessionAggregate) settle(b *stream.Batch, rows, ids []int32) error {
	s := &o.state
	if s.retract {
		for len(s.counts) < len(s.sessions) {
			s.counts = append(s.counts, 0)
		}
		countKinds(b, rows, ids, s.counts)
	}
	if err := s.aggs.Update(b, ids, expr.Rows{N: b.N, Sel: rows}, len(s.sessions)); err != nil {
		return failedRow(b, expr.Rows{N: b.N, Sel: rows}, err)
	}
	return nil
}

// merged adds one session to another.
func (o *sessionAggregate) merged(into, from int32) error {
	s := &o.state
	if s.retract {
		s.counts[into] += s.counts[from]
	}
	// By way of a copy: state cannot be merged with itself.
	s.spare.Reset()
	if err := s.spare.Merge([]int32{0}, s.aggs, []int32{from}, 1); err != nil {
		return err
	}
	return s.aggs.Merge([]int32{into}, s.spare, []int32{0}, len(s.sessions))
}

// fire sends the rows of the sessions that the mark closes.
func (o *sessionAggregate) fire(ctx context.Context, m stream.Mark, out Output) error {
	s := &o.state
	due := s.close(m.W)
	nk, na := len(o.plan.Keys), len(o.plan.Aggs)
	for from := 0; from < len(due); {
		ids := due[from:from]
		o.keys = o.keys[:0]
		for ; from < len(due) && len(ids) < o.out.size; from++ {
			if id := due[from]; !s.retract || s.counts[id] != 0 {
				ids = append(ids, id) // over ones that were left out
				o.keys = append(o.keys, s.sessions[id].key)
			} else {
				s.remove(id)
			}
		}
		n := len(ids)
		if n == 0 {
			continue
		}
		if err := o.out.room(ctx, out, n, m.Ord-1); err != nil {
			return err
		}
		dst := o.out.target()
		results := func() error {
			s.table.Keys(o.keys[:n], n, dst[:nk])
			return s.aggs.Results(ids[:n], n, dst[nk:nk+na])
		}
		fault := results()
		if fault != nil {
			fault = o.out.ofGroup(fault, dst)
			if n = state.FaultAt(fault, 0); n == 0 || results() != nil {
				return o.fail(ctx, out, m.Ord, fault)
			}
		}
		o.props(ids[:n], dst[nk+na:])
		o.out.commit(dst, n, stream.Insert, m.Ord)
		if fault != nil {
			return o.fail(ctx, out, m.Ord, fault)
		}
		for _, id := range ids {
			if o.env.trace != nil {
				o.env.trace.fired(s.grid, s.sessions[id].start, s.sessions[id].end, false)
			}
			s.remove(id)
		}
		if err := out.Poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// props writes the window columns of sessions.
func (o *sessionAggregate) props(ids []int32, dst []stream.Vec) {
	for i, prop := range o.plan.Props {
		dst[i].Reset(prop.Type, len(ids))
		vals := stream.Values[int64](&dst[i])
		for k, id := range ids {
			switch prop.Kind {
			case physical.WindowStart:
				vals[k] = o.state.sessions[id].start
			case physical.WindowEnd:
				vals[k] = o.state.sessions[id].end
			default:
				vals[k] = o.state.grid.Time(o.state.sessions[id].end)
				if o.plan.Processing {
					vals[k] = o.env.Clock()
				}
			}
		}
	}
}

func (o *sessionAggregate) fail(ctx context.Context, out Output, ord int64, err error) error {
	if e := o.out.flush(ctx, out, ord-1); e != nil {
		return e
	}
	return Fail(ord, err)
}

func (o *sessionAggregate) report() {
	o.env.Counters.NextTimer.Store(int64(o.state.timer()))
	o.env.Counters.OpenRows.Store(o.state.rows())
	o.env.Counters.Windows.Store(o.state.rows())
}

func (o *sessionAggregate) Finish(context.Context, Output) error { return nil }
func (o *sessionAggregate) Close() error                         { return nil }

// tidy renumbers the sessions if many are over.
func (s *sessionTotals) tidy() error {
	if !s.worn() && !s.aggs.Spare() {
		return nil
	}
	return s.pack()
}

func (s *sessionTotals) pack() error {
	left, err := s.renumber()
	if err != nil {
		return err
	}
	n := len(left)
	if n == 0 {
		s.aggs.Reset()
		s.counts = s.counts[:0]
		return nil
	}
	to, err := state.NewAggregates(s.calls, s.seed, s.scratch)
	if err != nil {
		return err
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	if err := to.Merge(all, s.aggs, left, n); err != nil {
		return err
	}
	s.aggs = to
	if s.retract {
		for k, id := range left {
			s.counts[k] = s.counts[id]
		}
		s.counts = s.counts[:n]
	}
	return nil
}

// Rows is the number of open sessions.
func (s *sessionTotals) Rows() int64 { return s.rows() }

// Bytes is the memory held.
func (s *sessionTotals) Bytes() int64 { return s.bytes() + s.aggs.Bytes() + int64(cap(s.counts))*8 }

// Snapshot writes the sessions with their totals.
func (s *sessionTotals) Snapshot(e *stream.Encoder) {
	s.snapshot(e)
	for _, c := range s.counts {
		e.Int64(c)
	}
	s.aggs.Snapshot(e)
}

// Restore reads them.
func (s *sessionTotals) Restore(d *stream.Decoder) error {
	if err := s.restore(d); err != nil {
		return err
	}
	if s.retract {
		for range s.sessions {
			s.counts = append(s.counts, d.Int64())
		}
	}
	return s.aggs.Restore(d)
}

// sessionInput takes the rows and marks of batches for a sessionSet.
type sessionInput struct {
	set   *sessionSet
	keyed []int // key columns
	time  int
	// settle accounts rows to their sessions (by physical row), before sessions change
	// otherwise; merged then adds one session to another.
	settle func(b *stream.Batch, rows, ids []int32) error
	merged func(into, from int32) error

	b      *stream.Batch
	local  []int64
	keys   []*stream.Vec
	groups []int32
	ids    []int32
	iota   []int32
	rows   []int32 // not settled yet
	cut    cutter
	late   LateRows
}

// consume goes through rows and marks in order and calls mark for each mark, with
// whether it closes sessions. It returns the number of late rows.
func (o *sessionInput) consume(b *stream.Batch, env *Env, mark func(m stream.Mark, closes bool) error) (int, error) {
	s := o.set
	o.b = b
	times := localTimes(s.grid, &b.Cols[o.time], &o.local)
	live := b.Sel
	if live == nil {
		for len(o.iota) < b.N {
			o.iota = append(o.iota, int32(len(o.iota)))
		}
		live = o.iota[:b.N]
	}
	o.keys = o.keys[:0]
	for _, c := range o.keyed {
		o.keys = append(o.keys, &b.Cols[c])
	}
	o.groups, o.ids = resize(o.groups, b.N), resize(o.ids, b.N)
	s.table.Find(o.keys, expr.Rows{N: b.N, Sel: live}, o.groups)
	s.grow()
	s.warm(o.groups, live)
	l := &o.late
	l.clear()
	o.rows = o.rows[:0]
	o.cut.start(b, s.watermark)
	for k := 0; ; k++ {
		limit := int32(b.N)
		if k < len(live) {
			limit = live[k]
		}
		if err := o.marks(limit, mark); err != nil {
			return 0, err
		}
		if k == len(live) {
			break
		}
		t := times[0]
		if len(times) > 1 {
			t = times[limit]
		}
		id, err := s.take(o.groups[limit], t, s.arrived, o.join)
		if err != nil {
			return 0, Fail(b.Ordinal(int(limit)), err)
		}
		s.arrived++
		if id == noSession {
			o.drop(limit, t)
			continue
		}
		if env.trace != nil {
			env.trace.joined(b.Ordinal(int(limit)), s.grid, s.sessions[id].start, s.sessions[id].end, false)
		}
		o.ids[limit] = id
		o.rows = append(o.rows, limit)
	}
	if err := o.flush(); err != nil {
		return 0, err
	}
	env.LateRows(l, b, o.time)
	return len(l.Rows), nil
}

// marks handles the marks up to a row.
func (o *sessionInput) marks(limit int32, mark func(m stream.Mark, closes bool) error) error {
	for {
		m, ok := o.cut.next(limit)
		if !ok {
			return nil
		}
		closes := m.W >= o.set.timer()
		if closes {
			if err := o.flush(); err != nil {
				return err
			}
		}
		if err := mark(m, closes); err != nil {
			return err
		}
		o.set.watermark = m.W
	}
}

// join merges sessions; rows of both are accounted before.
func (o *sessionInput) join(into, from int32) error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.merged(into, from)
}

func (o *sessionInput) flush() error {
	if len(o.rows) == 0 {
		return nil
	}
	err := o.settle(o.b, o.rows, o.ids)
	o.rows = o.rows[:0]
	return err
}

func (o *sessionInput) drop(row int32, t int64) {
	l, g := &o.late, o.set.grid
	l.add(row, g.Time(t+1), int64(g.FiresAt(t+g.Gap))+1, o.set.watermark)
}
