package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// wrow is one source row of these tests: a key, a value, an event time, whether it
// counts for a FILTER, and the watermark after it.
type wrow struct {
	at   int64
	key  string // "NULL" for NULL
	val  int64
	null bool // val is NULL
	keep bool
	kind stream.RowKind
	dead bool // filtered out before: only its watermark counts
	mark stream.Timestamp

	arrival int // of models
}

var windowInput = stream.Schema{Fields: []stream.Field{
	{Name: "ts", Type: types.NewTimestamp(3), Time: stream.Rowtime},
	{Name: "k", Type: types.Of(types.Varchar)},
	{Name: "v", Type: types.Of(types.BigInt)},
	{Name: "c", Type: types.Of(types.Boolean)},
}}

// windowPlan is
//
//	SELECT k, COUNT(*), SUM(v), MIN(v), COUNT(DISTINCT v), SUM(v) FILTER (WHERE c),
//	  window_start, window_end, window_time
//
// grouped by window and k (if keyed), below a late filter.
func windowPlan(spec window.Spec, keyed, retract, lateFire bool, lateness int64, calls ...aggCall) (*physical.LateFilter, *physical.WindowAggregate) {
	if calls == nil {
		calls = []aggCall{{name: "COUNT"}, {name: "SUM", of: 2}, {name: "MIN", of: 2}, {name: "COUNT", of: 2, distinct: true}, {name: "SUM", of: 2, filter: 3}}
	}
	input := &physical.Values{Base: physical.Base{Schema: windowInput}}
	if retract {
		input.Mode = physical.Retract
	}
	late := &physical.LateFilter{Base: input.Base, Input: input, Window: spec, Time: 0, Lateness: lateness}
	p := &physical.WindowAggregate{Input: late, Window: spec, Time: 0, LateFire: lateFire, Lateness: lateness}
	add := func(name string, t types.Type) {
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: name, Type: t})
	}
	if keyed {
		p.Keys = []int{1}
		add("k", types.Of(types.Varchar))
	}
	for _, c := range calls {
		call := resolveCall(c, retract)
		p.Aggs = append(p.Aggs, call)
		add(call.Name, call.Res.Result)
	}
	for _, prop := range []physical.WindowProp{
		{Kind: physical.WindowStart, Name: "window_start", Type: types.NewTimestamp(3)},
		{Kind: physical.WindowEnd, Name: "window_end", Type: types.NewTimestamp(3)},
		{Kind: physical.WindowTime, Name: "window_time", Type: types.NewTimestamp(3)},
	} {
		p.Props = append(p.Props, prop)
		add(prop.Name, prop.Type)
	}
	return late, p
}

// aggCall is an aggregate over column of (0: none), counting rows where column filter
// is TRUE.
type aggCall struct {
	name       string
	of, filter int
	distinct   bool
}

func resolveCall(c aggCall, retract bool) expr.AggregateCall {
	return resolveOver(windowInput, c, retract)
}

func resolveOver(s stream.Schema, c aggCall, retract bool) expr.AggregateCall {
	column := func(i int) expr.Expr {
		return &expr.Column{Info: expr.Info{T: s.Fields[i].Type}, Index: i}
	}
	call := expr.AggregateCall{Name: c.name, Distinct: c.distinct, Info: expr.Info{S: diag.Span{Start: 7, End: 10}}}
	var ts []types.Type
	if c.of > 0 {
		call.Args = []expr.Expr{column(c.of)}
		ts = append(ts, call.Args[0].Type())
	}
	if c.filter > 0 {
		call.Filter = column(c.filter)
	}
	for _, a := range builtin.Aggregates() {
		if a.Name == c.name {
			res, err := a.Resolve(ts, c.distinct, retract)
			if err != nil {
				panic(err)
			}
			call.Agg, call.Res = a, res
		}
	}
	return call
}

// chain runs operators one behind the other and writes what the last one sends as
// lines: rows "kind values @ordinal", marks "W time @ordinal", late rows.
type chain struct {
	t     testing.TB
	ops   []Operator
	envs  []*Env
	lines []string
	ord   int64 // of the last row or mark sent
	thru  int64
	limit int // rows a batch may have
}

type chainOutput struct {
	c  *chain
	at int
}

func (o chainOutput) Poll(context.Context) error { return nil }

func (o chainOutput) Batch(ctx context.Context, b *stream.Batch) error {
	if o.at < len(o.c.ops) {
		return o.c.ops[o.at].ProcessBatch(ctx, 0, b, chainOutput{o.c, o.at + 1})
	}
	o.c.take(b)
	return nil
}

func newChain(t testing.TB, make func() []Operator, batchSize int, seed uint64) *chain {
	c := &chain{t: t, ops: make(), thru: -1, ord: -1, limit: batchSize}
	for _, op := range c.ops {
		env := &Env{State: &state.Store{}, Counters: &Counters{}, Seed: seed, BatchSize: batchSize}
		env.late = func(l *LateRows) {
			env.Counters.Late.Add(int64(len(l.Rows)))
			for i, r := range l.Rows {
				c.lines = append(c.lines, fmt.Sprintf("late [%d,%d) by %d @%d", l.Start[i], l.End[i], l.Watermark[i], l.Batch.Ordinal(int(r))))
			}
		}
		if err := op.Open(context.Background(), env); err != nil {
			t.Fatal(err)
		}
		c.envs = append(c.envs, env)
	}
	return c
}

// restart moves all state through a snapshot into fresh operators.
func (c *chain) restart(make func() []Operator, seed uint64) *chain {
	d := newChain(c.t, make, c.limit, seed)
	for i := range c.envs {
		var e stream.Encoder
		c.envs[i].State.Snapshot(&e)
		dec := stream.NewDecoder(e.Bytes())
		if err := d.envs[i].State.Restore(dec); err != nil || dec.Len() > 0 {
			c.t.Fatalf("restore: %v, %d bytes left", err, dec.Len())
		}
	}
	d.lines, d.ord, d.thru = c.lines, c.ord, c.thru
	return d
}

func (c *chain) take(b *stream.Batch) {
	c.t.Helper()
	if b.N > max(c.limit, 2) {
		c.t.Fatalf("a batch of %d rows, the limit is %d", b.N, c.limit)
	}
	note := func(ord int64) {
		if ord < c.ord || ord <= c.thru {
			c.t.Fatalf("ordinal %d behind %d, thru %d..%d", ord, c.ord, c.thru, b.Thru)
		}
		c.ord = ord
	}
	marks := b.Marks
	put := func(limit int) {
		for len(marks) > 0 && int(marks[0].Pos) <= limit {
			note(marks[0].Ord)
			c.lines = append(c.lines, fmt.Sprintf("W %d @%d", marks[0].W, marks[0].Ord))
			marks = marks[1:]
		}
	}
	for i := range b.N {
		put(i)
		if b.Sel != nil && !slices.Contains(b.Sel, int32(i)) {
			continue
		}
		note(b.Ordinal(i))
		line := b.Kind(i).String()
		for k := range b.Cols {
			v := b.Cols[k].Value(b.Cols[k].At(i))
			switch {
			case v.Null:
				line += " NULL"
			case b.Cols[k].Type.IsText():
				line += " " + v.S
			default:
				line += fmt.Sprint(" ", v.I)
			}
		}
		c.lines = append(c.lines, fmt.Sprintf("%s @%d", line, b.Ordinal(i)))
	}
	put(b.N)
	if len(marks) > 0 || b.Thru < c.thru {
		c.t.Fatalf("marks %v behind the end, thru %d after %d", marks, b.Thru, c.thru)
	}
	c.thru = b.Thru
}

// batchOf makes rows from..to-1 of the source a batch. The dense form of marks is
// chosen by dense.
func batchOf(rows []wrow, from, to int, before stream.Timestamp, dense bool) *stream.Batch {
	n := to - from
	b := &stream.Batch{N: n, Base: 2 * int64(from), Thru: 2*int64(to) - 1, Cols: make([]stream.Vec, 4)}
	for i := range b.Cols {
		b.Cols[i].Reset(windowInput.Fields[i].Type, n)
	}
	some, kinds, last := false, false, before
	var sel []int32
	for i, r := range rows[from:to] {
		b.Cols[0].Put(i, n, types.IntValue(r.at))
		if r.key == "NULL" {
			b.Cols[1].Put(i, n, types.NullValue)
		} else {
			b.Cols[1].Put(i, n, types.TextValue(r.key))
		}
		b.Cols[2].Put(i, n, types.Value{I: r.val, Null: r.null})
		b.Cols[3].Put(i, n, types.BoolValue(r.keep))
		if r.dead {
			some = true
		} else {
			sel = append(sel, int32(i))
		}
		kinds = kinds || r.kind != stream.Insert
		b.Kinds = append(b.Kinds, r.kind)
		before = max(before, r.mark)
		if dense {
			b.After = append(b.After, before)
		} else if before > last {
			b.Marks = append(b.Marks, stream.Mark{Pos: int32(i + 1), Ord: 2*int64(from+i) + 1, W: before})
			last = before
		}
	}
	if some {
		b.Sel = append([]int32{}, sel...)
	}
	if !kinds {
		b.Kinds = nil
	}
	return b
}

// spoil overwrites a batch's memory: whoever kept a reference shows it.
func spoil(b *stream.Batch) {
	for i := range b.Cols {
		for k := range b.Cols[i].Data {
			b.Cols[i].Data[k] = 0xa5
		}
	}
}

// runWindows feeds rows in pieces of the given sizes and then ends the input.
func runWindows(t testing.TB, mk func() []Operator, rows []wrow, batchSize int, r *rand.Rand) *chain {
	t.Helper()
	ctx := context.Background()
	c := newChain(t, mk, batchSize, r.Uint64())
	w := stream.MinWatermark
	for from := 0; from < len(rows); {
		to := min(len(rows), from+1+r.IntN(2*batchSize))
		if r.IntN(4) == 0 {
			to = from + 1
		}
		b := batchOf(rows, from, to, w, r.IntN(2) == 0)
		w = b.LastMark(w)
		if err := (chainOutput{c, 0}).Batch(ctx, b); err != nil {
			t.Fatal(err)
		}
		spoil(b)
		if r.IntN(5) == 0 {
			c = c.restart(mk, r.Uint64())
		}
		if r.IntN(6) == 0 {
			if err := (chainOutput{c, 0}).Batch(ctx, &stream.Batch{Cols: make([]stream.Vec, 4), Base: 2 * int64(to), Thru: 2*int64(to) - 1}); err != nil {
				t.Fatal(err)
			}
		}
		from = to
	}
	end := &stream.Batch{Cols: make([]stream.Vec, 4), Base: 2 * int64(len(rows)), Thru: 2*int64(len(rows)) + 1,
		Marks: []stream.Mark{{Pos: 0, Ord: 2*int64(len(rows)) + 1, W: stream.MaxWatermark}}}
	if err := (chainOutput{c, 0}).Batch(ctx, end); err != nil {
		t.Fatal(err)
	}
	return c
}

// naive computes the lines of windowPlan's answer row by row, from the rows that each
// group holds.
type naive struct {
	spec            window.Spec
	keyed, lateFire bool
	plain           bool // without COUNT(DISTINCT v)
	lateness        int64
	w               stream.Timestamp
	panes           map[int64]*naivePane
	lines           []string
}

type naivePane struct {
	fired  bool
	keys   []string
	groups map[string][]wrow
	count  map[string]int
	sent   map[string]string
}

func (m *naive) run(rows []wrow) []string {
	m.w, m.panes = stream.MinWatermark, map[int64]*naivePane{}
	for i, r := range rows {
		if !r.dead {
			m.row(r, 2*int64(i))
		}
		if r.mark > m.w {
			m.raise(r.mark, 2*int64(i)+1)
		}
	}
	m.raise(stream.MaxWatermark, 2*int64(len(rows))+1)
	return m.lines
}

func (m *naive) row(r wrow, ord int64) {
	start := r.at - (((r.at-m.spec.Offset)%m.spec.Size)+m.spec.Size)%m.spec.Size
	end := start + m.spec.Size
	if int64(m.w) >= end-1+m.lateness && m.w != stream.MinWatermark {
		m.lines = append(m.lines, fmt.Sprintf("late [%d,%d) by %d @%d", start, end, m.w, ord))
		return
	}
	p := m.panes[start]
	if p == nil {
		p = &naivePane{groups: map[string][]wrow{}, count: map[string]int{}, sent: map[string]string{}}
		m.panes[start] = p
	}
	key := ""
	if m.keyed {
		key = r.key
	}
	if !slices.Contains(p.keys, key) {
		p.keys = append(p.keys, key)
	}
	if r.kind.Retracts() {
		p.count[key]--
		k := slices.IndexFunc(p.groups[key], func(x wrow) bool { return x.val == r.val && x.keep == r.keep })
		p.groups[key] = append(p.groups[key][:k:k], p.groups[key][k+1:]...)
	} else {
		p.count[key]++
		p.groups[key] = append(p.groups[key], r)
	}
	if m.lateFire && int64(m.w) >= end-1 {
		m.emit(p, start, key, ord)
	}
}

// emit sends what changed for one group.
func (m *naive) emit(p *naivePane, start int64, key string, ord int64) {
	old, had := p.sent[key]
	if p.count[key] == 0 {
		if had {
			m.lines = append(m.lines, fmt.Sprintf("-D%s @%d", old, ord))
			delete(p.sent, key)
		}
		return
	}
	line := m.result(p, start, key)
	switch {
	case !had:
		m.lines = append(m.lines, fmt.Sprintf("+I%s @%d", line, ord))
	case line != old:
		m.lines = append(m.lines, fmt.Sprintf("-U%s @%d", old, ord), fmt.Sprintf("+U%s @%d", line, ord))
	}
	p.sent[key] = line
}

func (m *naive) result(p *naivePane, start int64, key string) string {
	line := ""
	if m.keyed {
		line = " " + key
	}
	sum, lo, filtered := int64(0), "NULL", "NULL"
	values := map[int64]bool{}
	fsum, fn := int64(0), 0
	least := int64(0)
	for i, r := range p.groups[key] {
		sum += r.val
		if i == 0 || r.val < least {
			least = r.val
		}
		lo = fmt.Sprint(least)
		values[r.val] = true
		if r.keep {
			fsum += r.val
			fn++
		}
	}
	if fn > 0 {
		filtered = fmt.Sprint(fsum)
	}
	end := start + m.spec.Size
	if m.plain {
		return fmt.Sprintf("%s %d %d %s %s %d %d %d", line, p.count[key], sum, lo, filtered, start, end, end-1)
	}
	return fmt.Sprintf("%s %d %d %s %d %s %d %d %d", line, p.count[key], sum, lo, len(values), filtered, start, end, end-1)
}

func (m *naive) raise(w stream.Timestamp, ord int64) {
	var starts []int64
	for s, p := range m.panes {
		if !p.fired && int64(w) >= s+m.spec.Size-1 {
			starts = append(starts, s)
		}
	}
	slices.Sort(starts)
	for _, s := range starts {
		p := m.panes[s]
		p.fired = true
		for _, key := range p.keys {
			m.emit(p, s, key, ord)
		}
		if !m.lateFire {
			delete(m.panes, s)
		}
	}
	m.lines = append(m.lines, fmt.Sprintf("W %d @%d", w, ord))
	m.w = w
}

// randomRows makes rows around a rising watermark, some far behind it.
func randomRows(r *rand.Rand, n int, retract bool) []wrow {
	var rows []wrow
	var there []wrow
	now, w := int64(-60), stream.MinWatermark
	keys := []string{"a", "b", "", "NULL", "c"}
	for range n {
		now += r.Int64N(4)
		x := wrow{at: now - r.Int64N(25), key: keys[r.IntN(len(keys))], val: r.Int64N(4), keep: r.IntN(2) == 0, dead: r.IntN(7) == 0}
		if retract && len(there) > 0 && r.IntN(3) == 0 {
			k := r.IntN(len(there))
			x = there[k]
			x.kind = []stream.RowKind{stream.Delete, stream.UpdateBefore}[r.IntN(2)]
			there = append(there[:k:k], there[k+1:]...)
		} else if retract {
			x.kind = []stream.RowKind{stream.Insert, stream.UpdateAfter}[r.IntN(2)]
			if !x.dead {
				there = append(there, x)
			}
		}
		if r.IntN(3) > 0 {
			w = max(w, stream.Timestamp(now-r.Int64N(12)))
		}
		x.mark = w
		rows = append(rows, x)
	}
	return rows
}

func TestWindowAggregateAgainstModel(t *testing.T) {
	for seed := range uint64(240) {
		r := rand.New(rand.NewPCG(seed, 99))
		size := []int64{1, 3, 10, 50}[r.IntN(4)]
		spec := window.Spec{Size: size, Offset: r.Int64N(2*size-1) - size + 1}
		keyed, retract, lateFire := r.IntN(3) > 0, r.IntN(3) == 0, r.IntN(2) == 0
		// Without DISTINCT additions and retractions of a batch may go in apart.
		var calls []aggCall
		plain := r.IntN(3) == 0
		if plain {
			calls = []aggCall{{name: "COUNT"}, {name: "SUM", of: 2}, {name: "MIN", of: 2}, {name: "SUM", of: 2, filter: 3}}
		}
		lateness := int64(0)
		if lateFire {
			lateness = 1 + r.Int64N(30)
		}
		rows := randomRows(r, 1+r.IntN(150), retract)
		if retract {
			rows = onlyMatched(rows, spec, lateness)
		}
		model := &naive{spec: spec, keyed: keyed, lateFire: lateFire, lateness: lateness, plain: plain}
		want := strings.Join(model.run(rows), "\n")
		mk := func() []Operator {
			late, p := windowPlan(spec, keyed, retract, lateFire, lateness, calls...)
			f, err := newLateFilter(late)
			if err != nil {
				t.Fatal(err)
			}
			a, err := newWindowAggregate(p)
			if err != nil {
				t.Fatal(err)
			}
			return []Operator{f, a}
		}
		for _, batchSize := range []int{1, 3, 40, 4096} {
			c := runWindows(t, mk, rows, batchSize, r)
			// Late rows are reported when their batch comes, before what the batch sends;
			// the order of both among each other is not an answer.
			if got := strings.Join(inOrder(c.lines), "\n"); got != strings.Join(inOrder(strings.Split(want, "\n")), "\n") {
				t.Fatalf("seed %d, batch size %d, %+v keyed %v retract %v lateness %d:\n%s\nwant:\n%s", seed, batchSize, spec, keyed, retract, lateness, got, want)
			}
			e := c.envs[0].Counters
			if e.Late.Load() < 0 || c.envs[1].State.Rows() != 0 {
				t.Fatalf("%d groups are left after the end", c.envs[1].State.Rows())
			}
		}
	}
}

// onlyMatched drops retractions whose addition is late or dead, and rows whose
// retraction would be: a model of sets cannot hold them.
func onlyMatched(rows []wrow, spec window.Spec, lateness int64) []wrow {
	w := stream.MinWatermark
	type id struct {
		at   int64
		key  string
		val  int64
		keep bool
	}
	there := map[id]int{}
	for i := range rows {
		x := &rows[i]
		k := id{x.at, x.key, x.val, x.keep}
		_, end := spec.Range(x.at)
		late := window.CleanedAt(end, lateness) <= w
		switch {
		case x.kind.Retracts() && there[k] == 0:
			x.dead = true
		case x.dead || late:
		case x.kind.Retracts():
			there[k]--
		default:
			there[k]++
		}
		w = max(w, x.mark)
	}
	return rows
}

// inOrder sorts lines by ordinal, keeping those of one ordinal in order.
func inOrder(lines []string) []string {
	out := slices.Clone(lines)
	ord := func(s string) (n int64) {
		fmt.Sscan(s[strings.LastIndexByte(s, '@')+1:], &n)
		return n
	}
	sort.SliceStable(out, func(i, j int) bool { return ord(out[i]) < ord(out[j]) })
	return out
}
