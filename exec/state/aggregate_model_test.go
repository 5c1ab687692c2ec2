package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// TestAggregatesAgainstRules takes every aggregate of the registry, with every argument
// type it takes, plain, DISTINCT, with FILTER and with both, over input that only adds
// rows and over input that takes them back. It adds, takes back, merges, subtracts,
// moves, saves and loads at random and compares each result with one computed anew by
// the aggregate's rule. An aggregate without a rule fails.
func TestAggregatesAgainstRules(t *testing.T) {
	rule, seeds := rules(), 12
	if testing.Short() {
		seeds = 1
	}
	known := map[string]bool{}
	for _, a := range builtin.Aggregates() {
		r, ok := rule[a.Name]
		if known[a.Name] = true; !ok {
			t.Errorf("%s has no rule: add it to rules in aggregate_rules_test.go", a.Name)
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			for i, args := range r.arguments(t, a) {
				for seed := range uint64(seeds) {
					checkRule(t, modelOf(a, r, args, seed%2 == 1), randomBytes(seed, uint64(i), 400))
				}
			}
		})
	}
	for name := range rule {
		if !known[name] {
			t.Errorf("there is a rule for %s, but no such aggregate", name)
		}
	}
}

// FuzzAggregates is the same with a sequence made of the fuzzer's bytes: the first ones
// choose the aggregate, its arguments and the input.
func FuzzAggregates(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(randomBytes(seed, 0, 300))
	}
	rule, all := rules(), builtin.Aggregates()
	f.Fuzz(func(t *testing.T, data []byte) {
		c := choices{data}
		a := all[c.next(len(all))]
		r := rule[a.Name]
		lists := r.arguments(t, a)
		checkRule(t, modelOf(a, r, lists[c.next(len(lists))], c.next(2) == 1), c.rest)
	})
}

// arguments lists the arguments that the rule says the aggregate takes, and checks that
// it takes these and no other single ones.
func (r aggregateRule) arguments(t *testing.T, a *expr.Aggregate) [][]ruleArg {
	t.Helper()
	lists := slices.Clone(r.more)
	for _, typ := range valueTypes() {
		_, err := a.Resolve([]types.Type{typ}, false, false)
		takes := r.takes != nil && r.takes(typ)
		if takes != (err == nil) {
			t.Errorf("%s(%s): %v, but the rule says it takes it: %v", a.Name, typ, err, takes)
		}
		if takes {
			lists = append(lists, []ruleArg{{typ: typ}})
		}
	}
	return lists
}

// choices makes decisions of bytes.
type choices struct{ rest []byte }

func (c *choices) next(n int) int {
	if len(c.rest) == 0 {
		return 0
	}
	x := int(c.rest[0])
	c.rest = c.rest[1:]
	return x % n
}

func randomBytes(seed, stream uint64, n int) []byte {
	r, b := rand.New(rand.NewPCG(seed, stream)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// aggregateModel runs one aggregate in up to four forms beside its rule.
type aggregateModel struct {
	agg     *expr.Aggregate
	rule    aggregateRule
	args    []ruleArg
	given   []types.Type // of the arguments, before the aggregate asks for other ones
	retract bool
	res     expr.AggregateResolution
	calls   []expr.AggregateCall
}

func modelOf(a *expr.Aggregate, r aggregateRule, args []ruleArg, retract bool) *aggregateModel {
	m := &aggregateModel{agg: a, rule: r, args: slices.Clone(args), retract: retract}
	for _, x := range args {
		m.given = append(m.given, x.typ)
	}
	return m
}

// modelState is what is in an Aggregates, according to the rule.
type modelState struct {
	groups [][]ruleGroup // by call and group
	there  [][]ruleRow   // by group: the rows that can be taken back
}

func (m *aggregateModel) newState() *modelState {
	return &modelState{groups: make([][]ruleGroup, len(m.calls))}
}

func (s *modelState) grow(n int, retract bool) {
	for len(s.there) < n {
		s.there = append(s.there, nil)
		for c := range s.groups {
			s.groups[c] = append(s.groups[c], ruleGroup{retract: retract})
		}
	}
}

// prepare resolves the calls that the mask chooses of the four forms.
func (m *aggregateModel) prepare(t *testing.T, mask int) {
	t.Helper()
	column := func(i int, typ types.Type) *expr.Column {
		return &expr.Column{Info: expr.Info{T: typ}, Index: i}
	}
	for form := range 4 {
		distinct := form&1 != 0
		if mask>>form&1 == 0 || distinct && len(m.args) == 0 {
			continue
		}
		res, err := m.agg.Resolve(m.given, distinct, m.retract)
		if err != nil {
			t.Fatalf("%s%v: %v", m.agg.Name, m.given, err)
		}
		m.res = res
		c := expr.AggregateCall{Agg: m.agg, Res: res, Distinct: distinct, Name: m.agg.Name}
		for i := range m.args {
			m.args[i].typ = res.Args[i].Nullable()
			c.Args = append(c.Args, column(i, m.args[i].typ))
		}
		if form&2 != 0 {
			c.Filter = column(len(m.args), types.Of(types.Boolean))
		}
		m.calls = append(m.calls, c)
	}
}

func (m *aggregateModel) String() string {
	return fmt.Sprintf("%s%v, retract %v", m.agg.Name, m.given, m.retract)
}

func (m *aggregateModel) open(t *testing.T) *Aggregates {
	t.Helper()
	a, err := NewAggregates(m.calls, 5, NewScratch())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkRule runs the operations that data stands for.
func checkRule(t *testing.T, m *aggregateModel, data []byte) {
	t.Helper()
	c := &choices{data}
	if m.prepare(t, 1+c.next(15)); len(m.calls) == 0 {
		m.prepare(t, 15)
	}
	const maxGroups = 4
	edges := c.next(4) == 0
	acc, want, n := m.open(t), m.newState(), 0
	var merged *Aggregates // taken into groups that still have it
	var added *modelState
	for steps := 0; len(c.rest) > 0 && steps < 60; steps++ {
		if n == 0 || n < maxGroups && c.next(3) == 0 {
			n++
			want.grow(n, m.retract)
			acc.Grow(n)
		}
		switch op := c.next(14); op {
		case 0:
			acc = m.reload(t, acc)
		case 1:
			acc, want = m.move(t, c, acc, want, n)
			merged = nil
		case 2:
			merged, added = m.open(t), m.newState()
			added.grow(n, m.retract)
			merged.Grow(n)
			for range 1 + c.next(4) {
				m.feed(t, c, merged, added, n, edges)
			}
			if err := acc.Merge(iota32(n), merged, iota32(n), n); err != nil {
				t.Fatal(err)
			}
			m.merge(want, added, n)
		case 3, 12, 13:
			if merged == nil || !m.canSubtract() || !m.holds(want, added) {
				continue
			}
			if err := acc.Subtract(iota32(len(added.there)), merged, iota32(len(added.there))); err != nil {
				t.Fatal(err)
			}
			m.subtract(want, added)
			merged = nil
		case 4:
			if c.next(4) == 0 {
				acc.Reset()
				acc.Grow(n)
				want, merged = m.newState(), nil
				want.grow(n, m.retract)
			}
		case 5, 6:
			if m.follow(t, c, acc, want, n, edges) {
				return // a result cannot be given: the query is over
			}
		default:
			m.feed(t, c, acc, want, n, edges)
		}
		m.compare(t, c, acc, want, n)
	}
}

func iota32(n int) []int32 {
	l := make([]int32, n)
	for i := range l {
		l[i] = int32(i)
	}
	return l
}

func (m *aggregateModel) canSubtract() bool {
	for _, c := range m.calls {
		if !CanSubtract(c) {
			return false
		}
	}
	return true
}

// reload saves all and loads it into a new instance.
func (m *aggregateModel) reload(t *testing.T, acc *Aggregates) *Aggregates {
	t.Helper()
	var e stream.Encoder
	acc.Snapshot(&e)
	next, d := m.open(t), stream.NewDecoder(e.Bytes())
	if err := next.Restore(d); err != nil || d.Len() > 0 {
		t.Fatalf("%s: restore: %v, %d bytes left", m, err, d.Len())
	}
	var again stream.Encoder
	if next.Snapshot(&again); !slices.Equal(e.Bytes(), again.Bytes()) {
		t.Fatalf("%s: what was loaded is saved in another form", m)
	}
	return next
}

// move moves the groups to other places in a new instance.
func (m *aggregateModel) move(t *testing.T, c *choices, acc *Aggregates, want *modelState, n int) (*Aggregates, *modelState) {
	t.Helper()
	to := iota32(n)
	for i := range to {
		j := i + c.next(n-i)
		to[i], to[j] = to[j], to[i]
	}
	next, moved := m.open(t), m.newState()
	moved.grow(n, m.retract)
	if err := next.Move(to, acc, iota32(n), n); err != nil {
		t.Fatal(err)
	}
	for g, h := range to {
		moved.there[h] = want.there[g]
		for k := range want.groups {
			moved.groups[k][h] = want.groups[k][g]
		}
	}
	return next, moved
}

// batch makes a batch of rows that are added and taken back. Those in sel count; their
// rows, groups and directions are returned too.
func (m *aggregateModel) batch(c *choices, want *modelState, n int, edges bool) (b *stream.Batch, groups []int32, rows expr.Rows, in []ruleRow) {
	size := 1 + c.next(6)
	b = &stream.Batch{N: size, Cols: make([]stream.Vec, len(m.args)+1)}
	groups, rows = make([]int32, size), expr.Rows{N: size}
	in = make([]ruleRow, size)
	some, back, same := c.next(2) == 0, m.retract && c.next(3) > 0, c.next(6) == 0
	if some {
		rows.Sel = []int32{}
	}
	if back {
		b.Kinds = make([]stream.RowKind, size)
	}
	there := make([][]ruleRow, n)
	for g := range there {
		there[g] = slices.Clone(want.there[g])
	}
	for i := range size {
		g := c.next(n)
		groups[i], in[i] = int32(g), m.row(c, edges)
		if same && i > 0 {
			in[i] = in[0]
		}
		counts := !some || c.next(3) > 0
		if some && counts {
			rows.Sel = append(rows.Sel, int32(i))
		}
		if !counts {
			continue
		}
		if back && c.next(2) == 0 && len(there[g]) > 0 {
			k := c.next(len(there[g]))
			in[i], b.Kinds[i] = there[g][k], stream.Delete
			there[g] = slices.Delete(there[g], k, k+1)
			same = false
			continue
		}
		there[g] = append(there[g], in[i])
	}
	for k := range b.Cols {
		typ := types.Of(types.Boolean)
		if k < len(m.args) {
			typ = m.args[k].typ
		}
		value := func(i int) types.Value {
			if k < len(m.args) {
				return in[i].args[k]
			}
			return in[i].filter
		}
		if same || k < len(m.args) && m.args[k].constant != nil {
			b.Cols[k].SetConst(typ, value(0))
			continue
		}
		b.Cols[k].Reset(typ, size)
		for i := range size {
			b.Cols[k].Put(i, size, value(i))
		}
	}
	return b, groups, rows, in
}

// row makes a row.
func (m *aggregateModel) row(c *choices, edges bool) ruleRow {
	r := ruleRow{filter: types.BoolValue(c.next(3) > 0)}
	if c.next(8) == 0 {
		r.filter = types.NullValue
	}
	for i, a := range m.args {
		var x types.Value
		switch usual, rare := poolOf(m.given[i]); {
		case a.constant != nil:
			x = *a.constant
		case a.pool != nil:
			x = a.pool[c.next(len(a.pool))]
		case c.next(7) == 0:
			x = types.NullValue
		case edges && len(rare) > 0 && c.next(3) == 0:
			x = rare[c.next(len(rare))]
		default:
			x = usual[c.next(len(usual))]
		}
		if a.constant == nil && !x.Null && a.typ.Kind == types.Double && m.given[i].Kind != types.Double {
			x = types.FloatValue(asFloat(m.given[i], x)) // numbers that are taken as DOUBLE
		}
		r.args = append(r.args, x)
	}
	return r
}

// feed adds and takes back rows.
func (m *aggregateModel) feed(t *testing.T, c *choices, acc *Aggregates, want *modelState, n int, edges bool) {
	t.Helper()
	b, groups, rows, in := m.batch(c, want, n, edges)
	if err := acc.Update(b, groups, rows, n); err != nil {
		t.Fatalf("%s: %v", m, err)
	}
	each(rows, func(i int32) { m.account(want, int(groups[i]), in[i], b.Kind(int(i)).Retracts()) })
}

// follow is feed with the results around each row. It reports whether one cannot be
// given.
func (m *aggregateModel) follow(t *testing.T, c *choices, acc *Aggregates, want *modelState, n int, edges bool) bool {
	t.Helper()
	b, groups, rows, in := m.batch(c, want, n, edges)
	out, changed := make([]stream.Vec, len(m.calls)), make([]bool, rows.Len())
	whole, fault := acc.Follow(b, groups, rows, n, new(Follower), out, changed)
	at := 0
	failed := false
	each(rows, func(i int32) {
		if failed {
			return
		}
		g := int(groups[i])
		check := func(side int) {
			for k := range m.calls {
				if at < whole {
					got := m.shown(out[k].Value(2*at + side))
					if problem := m.differs(&want.groups[k][g], got); problem != "" {
						t.Fatalf("%s: call %d, row %d, side %d: %s", m, k, at, side, problem)
					}
				} else if w := m.expected(&want.groups[k][g]); strings.HasPrefix(w, "error") || w == "about" {
					failed = true
				}
			}
		}
		check(0)
		m.account(want, g, in[i], b.Kind(int(i)).Retracts())
		check(1)
		at++
	})
	if (fault != nil) != failed && !(fault == nil && whole == rows.Len()) {
		t.Fatalf("%s: failed with %v at row %d of %d, want a failure: %v", m, fault, whole, rows.Len(), failed)
	}
	return fault != nil
}

// compare asks for results of groups, all or some in any order.
func (m *aggregateModel) compare(t *testing.T, c *choices, acc *Aggregates, want *modelState, n int) {
	t.Helper()
	var groups []int32
	if c.next(2) == 0 {
		for range 1 + c.next(5) {
			groups = append(groups, int32(c.next(n)))
		}
		n = len(groups)
	}
	out := make([]stream.Vec, len(m.calls))
	err := acc.Results(groups, n, out)
	for k := range m.calls {
		for i := range n {
			g := i
			if groups != nil {
				g = int(groups[i])
			}
			got := ""
			if err == nil {
				got = m.shown(out[k].Value(i))
			} else {
				got = m.alone(acc, k, int32(g))
			}
			if problem := m.differs(&want.groups[k][g], got); problem != "" {
				t.Fatalf("%s: call %d (distinct %v, filter %v), group %d: %s", m, k, m.calls[k].Distinct, m.calls[k].Filter != nil, g, problem)
			}
		}
	}
}

// alone asks for one result: where some cannot be given, none of them is.
func (m *aggregateModel) alone(acc *Aggregates, call int, g int32) string {
	var v stream.Vec
	v.Reset(m.calls[call].Res.Result, 1)
	err := acc.calls[call].acc.Result([]int32{g}, 1, &v)
	var re *expr.RowError
	switch {
	case err == nil:
		return m.shown(v.Value(0))
	case errors.As(err, &re) && re.Row == 0:
		return "error: " + re.Msg
	}
	return "fault: " + err.Error()
}

func (m *aggregateModel) expected(g *ruleGroup) string {
	return m.rule.result(g, m.args, m.res.Result.Nullable())
}

// differs says how a result differs from the rule's.
func (m *aggregateModel) differs(g *ruleGroup, got string) string {
	want := m.expected(g)
	switch {
	case got == want, strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, want):
		return ""
	case want == "about" && m.rule.near(g, m.args, m.res.Result, got):
		return ""
	}
	var rows []string
	for _, r := range g.rows {
		rows = append(rows, m.key(r))
	}
	return fmt.Sprintf("of %q it is %s, want %s", rows, got, want)
}

func (m *aggregateModel) shown(x types.Value) string { return show(m.res.Result, x) }
