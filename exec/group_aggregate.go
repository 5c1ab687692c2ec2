package exec

import (
	"context"
	"math"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// groupAggregate groups by keys and answers each row with what it changes in the row of
// its group: +I for a group that begins, -U and +U if a column differs, -D for one that
// has lost its last row. A row that is taken back from a group that is not there is
// rowIgnored. (Flink: GroupAggFunction.)
//
// The keys of a batch are looked up at once; then each accumulator goes through the
// rows in order and gives the results around each of them.
type groupAggregate struct {
	plan   *physical.GroupAggregate
	env    *Env
	groups groupSet
	wm     watermarkState
	follow state.Follower

	keys    []*stream.Vec
	of      []int32 // by physical row: its group, then its slot
	roles   []uint8 // by physical row
	taken   []int32 // rows that are not ignored
	changed []bool  // by position in taken
	pairs   []stream.Vec
	out     groupOutput

	long    bool    // some results are texts, bytes or nested values
	longest int     // bytes of the longest of these so far
	all     []int32 // the rows of a batch that is answered in parts
}

// resultBytes is how many bytes the long results of rows that are answered at once may
// take, about: a group that keeps all its values gives them twice for each row.
const resultBytes = 32 << 20

func newGroupAggregate(p *physical.GroupAggregate) (Operator, error) {
	if len(p.Schema.Fields) != len(p.Keys)+len(p.Aggs) {
		return nil, badPlan(p, "its columns are not keys and aggregates")
	}
	return &groupAggregate{plan: p}, nil
}

// Open implements Operator.
func (o *groupAggregate) Open(_ context.Context, env *Env) error {
	o.env = env
	in := o.plan.Input.Info()
	o.groups = groupSet{calls: o.plan.Aggs, seed: env.Seed, retract: in.Mode != physical.Append, ttl: o.plan.TTL}
	for _, c := range o.plan.Keys {
		o.groups.keys = append(o.groups.keys, in.Schema.Fields[c].Type)
	}
	if err := o.groups.init(); err != nil {
		return err
	}
	o.keys = make([]*stream.Vec, len(o.plan.Keys))
	o.pairs = make([]stream.Vec, len(o.plan.Aggs))
	for _, a := range o.plan.Aggs {
		o.long = o.long || a.Res.Result.Layout() == types.Bytes
	}
	o.out.init(o.plan)
	o.wm.w = stream.MinWatermark
	if err := env.State.Register("watermark", 1, &o.wm); err != nil {
		return err
	}
	return env.State.Register("groups", 1, &o.groups)
}

// ProcessBatch implements Operator.
func (o *groupAggregate) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.env.Counters.Used.Add(int64(b.Live()))
	rows := o.find(b)
	if o.plan.AtEnd {
		if err := o.groups.aggs.Update(b, o.of, rows, o.groups.size()); err != nil {
			return failedRow(b, rows, err)
		}
		o.out.build(o, b, expr.Rows{N: b.N, Sel: none}, 0, b.N)
		return out.Batch(ctx, &o.out.batch)
	}
	for {
		first, rest := o.split(b, rows)
		if err := o.answer(ctx, b, first, rest.Len() > 0, out); err != nil {
			return err
		}
		if rest.Len() == 0 {
			break
		}
		rows = rest
	}
	if !o.groups.ends() {
		return nil
	}
	return o.groups.tidy(o.now())
}

// split returns the first of rows, as many as are answered at once, and the others. A
// group that keeps its values has a result that grows with each row, and every row
// gives it twice: in bytes, answers grow with the square of the rows.
func (o *groupAggregate) split(b *stream.Batch, rows expr.Rows) (first, rest expr.Rows) {
	if !o.long {
		return rows, expr.Rows{}
	}
	grows := 16 + longestText(b)
	n := min(resultBytes/(4*max(o.longest, 2048)), int(math.Sqrt(float64(resultBytes/(4*grows)))))
	n = max(n, 1)
	if rows.Len() <= n {
		return rows, expr.Rows{}
	}
	if rows.Sel == nil {
		o.all = o.all[:0]
		for i := range rows.N {
			o.all = append(o.all, int32(i))
		}
		rows.Sel = o.all
	}
	return expr.Rows{N: rows.N, Sel: rows.Sel[:n]}, expr.Rows{N: rows.N, Sel: rows.Sel[n:]}
}

// longestText returns the bytes of the longest value of b that has no fixed size.
func longestText(b *stream.Batch) int {
	longest := 0
	for i := range b.Cols {
		v := &b.Cols[i]
		if v.Type.Layout() != types.Bytes {
			continue
		}
		if v.Enc == stream.Dict {
			v = v.Dict
		}
		longest = max(longest, longestOf(v))
	}
	return longest
}

// longestOf returns the bytes of the longest value of a Flat or Const vector.
func longestOf(v *stream.Vec) int {
	longest := int32(0)
	for k := range v.N {
		longest = max(longest, v.Off[k+1]-v.Off[k])
	}
	return int(longest)
}

// answer sends the changes of rows; with more, others of the batch follow.
func (o *groupAggregate) answer(ctx context.Context, b *stream.Batch, rows expr.Rows, more bool, out Output) error {
	o.changed = resize(o.changed, rows.Len())
	clear(o.changed)
	whole, fault := o.groups.aggs.Follow(b, o.of, rows, o.groups.size(), &o.follow, o.pairs, o.changed)
	if o.long {
		o.measure()
	}
	limit, ord := b.N, b.Thru+1
	switch {
	case fault != nil:
		limit = rowOf(rows, whole)
		ord = b.Ordinal(limit)
	case more:
		limit = rowOf(rows, whole-1) + 1
		ord = b.Ordinal(limit)
	}
	o.out.build(o, b, rows, whole, limit)
	o.out.batch.Thru = ord - 1
	if err := out.Batch(ctx, &o.out.batch); err != nil {
		return err
	}
	if fault != nil {
		row := make([]stream.Vec, len(o.keys))
		for k, v := range o.keys {
			row[k] = *v
		}
		return Fail(ord, ofGroup(fault, o.plan.Schema.Fields, row, limit))
	}
	return nil
}

// measure notes the longest of the results at hand.
func (o *groupAggregate) measure() {
	for i := range o.pairs {
		if p := &o.pairs[i]; p.Type.Layout() == types.Bytes {
			o.longest = max(o.longest, longestOf(p))
		}
	}
}

// now is the processing time, as far as it matters.
func (o *groupAggregate) now() int64 {
	if o.plan.TTL == 0 {
		return 0
	}
	return o.env.Now()
}

func rowOf(rows expr.Rows, k int) int {
	if rows.Sel != nil {
		return int(rows.Sel[k])
	}
	return k
}

// find finds the slots of the rows and what each row is to its group. It returns the
// rows that are not ignored.
func (o *groupAggregate) find(b *stream.Batch) expr.Rows {
	rows := expr.Rows{N: b.N, Sel: b.Sel}
	for k, c := range o.plan.Keys {
		o.keys[k] = &b.Cols[c]
	}
	o.of, o.roles = resize(o.of, b.N), resize(o.roles, b.N)
	s := &o.groups
	s.table.Find(o.keys, rows, o.of)
	if !s.ends() {
		for k := range rows.Len() {
			o.roles[rowOf(rows, k)] = rowLater
		}
		for _, i := range s.table.Fresh() {
			o.roles[i] = rowFirst
		}
		return rows
	}
	now := o.now()
	s.slots.Grow(s.table.Len())
	o.taken = o.taken[:0]
	for k := range rows.Len() {
		i := rowOf(rows, k)
		slot, role := s.take(o.of[i], b.Kind(i).Retracts(), now)
		if role != rowIgnored {
			o.of[i], o.roles[i] = slot, role
			o.taken = append(o.taken, int32(i))
		}
	}
	if len(o.taken) == b.N {
		return expr.Rows{N: b.N}
	}
	if o.taken == nil {
		o.taken = []int32{}
	}
	rows.Sel = o.taken
	return rows
}

// Finish implements Operator.
func (o *groupAggregate) Finish(ctx context.Context, out Output) error {
	if !o.plan.AtEnd {
		return nil
	}
	keys, size := len(o.plan.Keys), max(1, o.env.BatchSize)
	ids, ords := make([]int32, 0, size), make([]int64, size)
	for i := range ords {
		ords[i] = unbounded
	}
	for g := 0; g < o.groups.size(); g += len(ids) {
		ids = ids[:0]
		for i := g; i < min(g+size, o.groups.size()); i++ {
			ids = append(ids, int32(i))
		}
		cols := o.out.cols
		o.groups.table.Keys(ids, len(ids), cols[:keys])
		if err := o.groups.aggs.Results(ids, len(ids), cols[keys:]); err != nil {
			return ofGroup(err, o.plan.Schema.Fields, cols[:keys], state.FaultAt(err, 0))
		}
		o.out.batch = stream.Batch{N: len(ids), Cols: cols, Ord: ords[:len(ids)], Thru: unbounded}
		if err := out.Batch(ctx, &o.out.batch); err != nil {
			return err
		}
		if err := out.Poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Operator.
func (o *groupAggregate) Close() error { return nil }
