package exec

import (
	"context"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// join is a join without windows: it keeps the rows of both inputs and answers each row
// with its pairs. Rows and marks of the two inputs are taken by ordinal, then port.
// (Flink: StreamingJoinOperator, StreamingSemiAntiJoinOperator.)
//
// Keys are looked up, and rows written to the store, batch by batch. The pairs that the
// further condition judges are put together over rows that follow each other on one
// side: the rows of the other do not change meanwhile.
type join struct {
	plan  *physical.Join
	env   *Env
	state joinState
	sides [2]joinInput
	away  idleness
	out   joinOutput
	match joinCondition
	now   int64

	interval *intervalJoin // nil: all rows are joined
}

// joinInput is one input: what has come of it and may still be preceded by something of
// the other, and what is known of the rows of its first batch.
type joinInput struct {
	queue    *merger // with one port
	keys     []int
	inputs   []*stream.Vec
	nullable []int // keys in which a NULL matches nothing
	outer    bool  // rows without a match are sent, too

	begun  bool    // the rest is set
	from   int     // the live row at which it was
	rows   []int32 // live rows from there on
	groups []int32 // by physical row; -1: a NULL that matches nothing
	alone  []bool  // by physical row, instead of -1 in a join by an interval
	ids    []int32 // in the store, by place in rows
	iota   []int32
}

func (s *joinInput) port() *mergePort { return &s.queue.ports[0] }

func newJoin(p *physical.Join) (Operator, error) {
	if len(p.LeftKeys) != len(p.RightKeys) || len(p.LeftKeys) != len(p.NullSafe) {
		return nil, badPlan(p, "%d and %d keys", len(p.LeftKeys), len(p.RightKeys))
	}
	o := &join{plan: p, away: newIdleness(2)}
	for i, in := range p.Inputs() {
		o.sides[i].queue = newMerger(1, in.Info().Schema)
	}
	o.sides[0].keys, o.sides[1].keys = p.LeftKeys, p.RightKeys
	o.sides[0].outer = p.Kind == physical.LeftOuter || p.Kind == physical.FullOuter
	o.sides[1].outer = p.Kind == physical.RightOuter || p.Kind == physical.FullOuter
	return o, nil
}

// Open implements Operator.
func (o *join) Open(_ context.Context, env *Env) error {
	o.env = env
	p, st := o.plan, &o.state
	st.keys.init(p.Left, p.LeftKeys, env)
	st.table, st.ttl, st.watermark = st.keys.table(), p.TTL, stream.MinWatermark
	unique := [2][]int{p.LeftUnique, p.RightUnique}
	for i, in := range p.Inputs() {
		s, r := &o.sides[i], &st.sides[i]
		s.inputs = make([]*stream.Vec, len(s.keys))
		for k, safe := range p.NullSafe {
			if !safe {
				s.nullable = append(s.nullable, s.keys[k])
			}
		}
		columns := columnTypes(in)
		*r = joinRows{store: state.NewRowStore(columns), unique: unique[i] != nil, ttl: p.TTL}
		r.counted = s.outer || i == 0 && o.semi()
		switch {
		case r.unique:
			r.index = state.NewRowIndex(r.store, append(append([]int{}, s.keys...), unique[i]...), env.Seed)
		case in.Info().Mode != physical.Append:
			r.index = state.NewRowIndex(r.store, firstColumns(len(columns)), env.Seed)
		}
		if err := env.State.Register([...]string{"left", "right"}[i], 1, s.queue); err != nil {
			return err
		}
	}
	o.out.init(o)
	if err := o.match.init(o); err != nil {
		return err
	}
	return env.State.Register("rows", 1, st)
}

func (o *join) semi() bool {
	return o.plan.Kind == physical.LeftSemi || o.plan.Kind == physical.LeftAnti
}

// ProcessBatch implements Operator.
func (o *join) ProcessBatch(ctx context.Context, port int, b *stream.Batch, out Output) error {
	o.env.Counters.Used.Add(int64(b.Live()))
	o.out.begin(b.Base)
	if o.plan.TTL > 0 {
		o.now = o.env.Now()
	}
	q := o.sides[port].queue
	p := &q.ports[0]
	before := o.thru()
	p.thru = b.Thru
	if b.N > 0 || b.HasMarks() {
		p.queue = append(p.queue, mergeItem{b: p.borrow(b), borrowed: true})
	}
	thru := o.thru()
	err := o.advance(ctx, thru, out)
	for i := range o.sides {
		o.sides[i].begun = false
		o.sides[i].queue.recycle()
	}
	if err != nil {
		return err
	}
	q.keep(p)
	o.env.Counters.Watermark.Store(int64(o.state.watermark))
	if !o.out.empty() || thru != before {
		if err := o.out.flush(ctx, out, thru); err != nil {
			return err
		}
	}
	o.state.tidy(o.now, o.interval)
	return nil
}

// thru returns the ordinal up to which both inputs have delivered.
func (o *join) thru() int64 { return min(o.sides[0].port().thru, o.sides[1].port().thru) }

// advance takes what has an ordinal up to thru.
func (o *join) advance(ctx context.Context, thru int64, out Output) error {
	for {
		side, ord, isMark := 0, int64(nothing), false
		limit := int64(nothing) // up to which rows of the side come before anything of the other
		for i := range o.sides {
			at, mark, ok := o.sides[i].peek()
			switch {
			case !ok:
			case at < ord:
				side, ord, isMark, limit = i, at, mark, min(limit, ord-1)
			default:
				limit = min(limit, at)
			}
		}
		if ord > thru || ord == nothing {
			return nil
		}
		if isMark {
			if err := o.rise(ctx, side, out); err != nil {
				return err
			}
			continue
		}
		if err := o.run(ctx, side, min(limit, thru), thru, out); err != nil {
			return err
		}
	}
}

// peek returns the next row or mark, dropping batches that are used up.
func (s *joinInput) peek() (ord int64, isMark, ok bool) {
	p := s.port()
	for len(p.queue) > 0 {
		t := &p.queue[0]
		if ord, isMark, ok = t.next(); ok {
			return ord, isMark, true
		}
		if !t.borrowed {
			s.queue.spent = append(s.queue.spent, t.b)
		}
		s.begun = false
		p.queue = p.queue[:copy(p.queue, p.queue[1:])]
	}
	return 0, false, false
}

// rise takes the next mark of a side.
func (o *join) rise(ctx context.Context, side int, out Output) error {
	p := o.sides[side].port()
	t := &p.queue[0]
	m := t.b.Marks[t.mark]
	t.mark++
	p.wm = max(p.wm, m.W)
	if w := o.minimum(); w > o.state.watermark {
		return o.raise(ctx, m.Ord, w, out)
	}
	return nil
}

// raise passes a rise of the watermark on.
func (o *join) raise(ctx context.Context, ord int64, w stream.Timestamp, out Output) error {
	if o.interval != nil {
		return o.interval.raise(ctx, ord, w, out)
	}
	o.state.watermark = w
	o.out.mark(ord, w)
	return nil
}

// minimum returns the watermark of both inputs.
func (o *join) minimum() stream.Timestamp {
	if o.away.away > 0 {
		return o.away.least(o.portWatermark, o.state.watermark)
	}
	return min(o.sides[0].port().wm, o.sides[1].port().wm)
}

func (o *join) portWatermark(port int) stream.Timestamp { return o.sides[port].port().wm }

// run takes rows of one side up to ordinal limit, or the next mark.
func (o *join) run(ctx context.Context, side int, limit, thru int64, out Output) error {
	s := &o.sides[side]
	t := &s.port().queue[0]
	if !s.begun {
		o.begin(side, t, thru)
	}
	from := t.row
	for t.row++; ; t.row++ {
		if ord, isMark, ok := t.next(); !ok || isMark || ord > limit {
			break
		}
	}
	if o.interval != nil {
		for k := from - s.from; k < t.row-s.from; k++ {
			if err := o.interval.take(ctx, side, t.b, k, out); err != nil {
				return err
			}
		}
		return nil
	}
	if o.match.program != nil {
		return o.match.run(ctx, side, t.b, from-s.from, t.row-s.from, out)
	}
	others := &o.state.sides[1-side]
	for k := from - s.from; k < t.row-s.from; k++ {
		o.match.matched = o.match.matched[:0]
		if g := s.groups[s.rows[k]]; g >= 0 {
			o.match.matched = others.matches(g, o.now, o.match.matched)
		}
		if err := o.answer(ctx, side, t.b, k, o.match.matched, out); err != nil {
			return err
		}
	}
	return nil
}

// begin looks up the keys of all rows of a side's first batch up to ordinal thru and
// writes them to the store: all of them are taken now.
func (o *join) begin(side int, t *mergeItem, thru int64) {
	s, r := &o.sides[side], &o.state.sides[side]
	b := t.b
	live := liveRows(b, &s.iota)
	n := len(live)
	for n > t.row && b.Ordinal(int(live[n-1])) > thru {
		n--
	}
	s.begun, s.from = true, t.row
	s.rows = append(s.rows[:0], live[t.row:n]...)
	for i, c := range s.keys {
		s.inputs[i] = &b.Cols[c]
	}
	s.groups = resize(s.groups, b.N)
	o.state.table.Find(s.inputs, expr.Rows{N: b.N, Sel: s.rows}, s.groups)
	if o.interval != nil {
		o.interval.edges[side] = edgesOf(&b.Cols[o.interval.times[side]])
		s.alone = resize(s.alone, b.N)
		clear(s.alone)
	}
	for _, c := range s.nullable {
		if v := &b.Cols[c]; v.Valid != nil || v.Type.Kind == types.Null {
			for _, row := range s.rows {
				switch {
				case !v.IsNull(int(row)):
				case o.interval != nil:
					s.alone[row] = true
				default:
					s.groups[row] = -1
				}
			}
		}
	}
	s.ids = s.ids[:0]
	for range s.rows {
		s.ids = append(s.ids, r.store.New())
	}
	r.store.Put(b.Cols, s.rows, s.ids)
}

// Status implements idler.
func (o *join) Status(ctx context.Context, port int, c stream.Control, out Output) (bool, error) {
	w, changed := o.away.set(port, c.Kind == stream.Idle, o.portWatermark, o.state.watermark)
	if w <= o.state.watermark {
		return changed, nil
	}
	o.env.Counters.Watermark.Store(int64(w))
	o.out.begin(c.Ord + 1)
	if err := o.raise(ctx, c.Ord, w, out); err != nil {
		return changed, err
	}
	return changed, o.out.flush(ctx, out, c.Ord)
}

// Finish implements Operator.
func (o *join) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *join) Close() error { return nil }
