package exec

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// written is an Output that writes rows and marks as lines, with their ordinals.
type written struct {
	lines []string
	thru  int64
}

func (w *written) Poll(context.Context) error { return nil }

func (w *written) Batch(_ context.Context, b *stream.Batch) error {
	marks := b.Marks
	for i := 0; i <= b.N; i++ {
		for len(marks) > 0 && int(marks[0].Pos) == i {
			w.lines = append(w.lines, fmt.Sprintf("W %d @%d", marks[0].W, marks[0].Ord))
			marks = marks[1:]
		}
		if i < b.N {
			line := fmt.Sprintf("%v @%d", b.Kind(i), b.Ordinal(i))
			for c := range b.Cols {
				line += fmt.Sprintf(" %v", b.Cols[c].Value(b.Cols[c].At(i)))
			}
			w.lines = append(w.lines, line)
		}
	}
	w.thru = b.Thru
	return nil
}

// wideInput are columns of all layouts that a key or an argument may have.
var wideInput = stream.Schema{Fields: []stream.Field{
	{Name: "ts", Type: types.NewTimestamp(3), Time: stream.Rowtime},
	{Name: "b", Type: types.Of(types.BigInt)},
	{Name: "s", Type: types.Of(types.Varchar)},
	{Name: "t", Type: types.Of(types.TinyInt)},
	{Name: "m", Type: types.Of(types.SmallInt)},
	{Name: "i", Type: types.Of(types.Int)},
	{Name: "d", Type: types.Of(types.Double)},
	{Name: "f", Type: types.Of(types.Float)},
	{Name: "c", Type: types.Of(types.Boolean)},
	{Name: "n", Type: types.NewDecimal(30, 2)},
}}

// wideKeys are keys of all forms: a word, two, three, a text, a row.
var wideKeys = [][]int{{1}, {6}, {8}, {5, 3}, {1, 5}, {1, 6, 3}, {2}, {2, 8}, {9}, {3, 4, 8}, {7}}

// randomValue is a value of a column, of few different ones.
func randomValue(r *rand.Rand, t types.Type, many int) types.Value {
	k := r.IntN(many)
	switch {
	case r.IntN(12) == 0:
		return types.NullValue
	case t.Kind == types.Boolean:
		return types.BoolValue(k%2 == 0)
	case t.IsText():
		return types.TextValue(strings.Repeat("x", k%30) + fmt.Sprint(k))
	case t.Kind == types.Double, t.Kind == types.Float:
		return types.FloatValue([]float64{float64(k) / 8, math.NaN(), math.Copysign(0, -1), 0, 1e16}[min(4, r.IntN(20))*r.IntN(2)] + float64(k)/4)
	case t.Kind == types.Decimal:
		return types.Value{I: int64(k) * 7}
	}
	return types.IntValue(int64(k % 100))
}

// wideBatch makes n rows, the first of them number first, with rises of the watermark.
// The texts have a dictionary if dict is given.
func wideBatch(r *rand.Rand, first int64, n, many int, w *stream.Timestamp, dict *stream.Vec) *stream.Batch {
	b := &stream.Batch{N: n, Base: 2 * first, Thru: 2*(first+int64(n)) - 1, Cols: make([]stream.Vec, len(wideInput.Fields))}
	for c, f := range wideInput.Fields {
		v := &b.Cols[c]
		v.Reset(f.Type, n)
		for i := range n {
			if c == 0 {
				v.Put(i, n, types.IntValue(int64(*w+stream.Timestamp(r.IntN(25_000)))+1))
			} else {
				v.Put(i, n, randomValue(r, f.Type, many))
			}
		}
		if dict != nil && c == 2 {
			toIDs(v, dict)
		}
		if c == 1 && many%3 == 0 && r.IntN(4) == 0 {
			for range 3 {
				v.Put(r.IntN(n), n, types.IntValue(math.MaxInt64)) // sums of it overflow
			}
		}
	}
	if r.IntN(3) == 0 {
		b.Sel = []int32{}
		for i := range n {
			if r.IntN(3) > 0 {
				b.Sel = append(b.Sel, int32(i))
			}
		}
	}
	for pos := 1 + r.IntN(n); pos <= n && r.IntN(2) == 0; pos += 1 + r.IntN(n) {
		*w += stream.Timestamp(r.IntN(6000))
		if len(b.Marks) == 0 || b.Marks[len(b.Marks)-1].W < *w {
			b.Marks = append(b.Marks, stream.Mark{Pos: int32(pos), Ord: 2*(first+int64(pos)) - 1, W: *w})
		}
	}
	// Rows behind a mark that they are late for would have been filtered.
	times := stream.Values[int64](&b.Cols[0])
	for i := range times {
		times[i] = max(times[i], int64(*w)+1)
	}
	return b
}

// newDict makes a dictionary that may become longer.
func newDict(r *rand.Rand) *stream.Vec {
	dict := new(stream.Vec)
	dict.Reset(types.Of(types.Varchar), 0)
	dict.AppendString("")
	dict.Series, dict.Distinct = stream.NewSeries(), r.IntN(2) == 0
	return dict
}

// toIDs gives a column of texts ids into a dictionary that becomes longer.
func toIDs(v, dict *stream.Vec) {
	known := map[string]int32{}
	for id := range dict.N {
		known[string(dict.Bytes(id))] = int32(id)
	}
	ids := new(stream.Vec)
	ids.Reset(types.Of(types.Int), v.N)
	for i := range v.N {
		if v.IsNull(i) {
			ids.IDs()[i] = 0
			continue
		}
		text := string(v.Bytes(i))
		if _, ok := known[text]; !ok {
			known[text] = int32(dict.N)
			dict.AppendString(text)
		}
		ids.IDs()[i] = known[text]
	}
	ids.Type, ids.Enc, ids.Dict, ids.Valid = v.Type, stream.Dict, dict, v.Valid
	*v = *ids
}

// wideCalls are aggregates whose groups may be divided.
func wideCalls(r *rand.Rand) []aggCall {
	all := []aggCall{
		{name: "COUNT"}, {name: "SUM", of: 1}, {name: "SUM", of: 6}, {name: "AVG", of: 1}, {name: "MIN", of: 5}, {name: "MAX", of: 6}, {name: "SUM", of: 9},
		{name: "COUNT", of: 2, distinct: true}, {name: "SUM", of: 1, filter: 8}, {name: "STDDEV_POP", of: 6}, {name: "MAX", of: 3}, {name: "AVG", of: 7},
	}
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all[:1+r.IntN(4)]
}

func widePlan(keys []int, calls []aggCall) *physical.WindowAggregate {
	input := &physical.Values{Base: physical.Base{Schema: wideInput}}
	p := &physical.WindowAggregate{Input: input, Window: window.Spec{Size: 10_000}, Keys: keys}
	for _, k := range keys {
		p.Schema.Fields = append(p.Schema.Fields, wideInput.Fields[k])
	}
	for _, c := range calls {
		call := resolveOver(wideInput, c, false)
		p.Aggs = append(p.Aggs, call)
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: call.Name, Type: call.Res.Result})
	}
	end := types.NewTimestamp(3)
	p.Props = []physical.WindowProp{{Kind: physical.WindowEnd, Name: "window_end", Type: end}}
	p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: "window_end", Type: end})
	return p
}

// wideOperator opens the aggregate with a number of lanes; 0: none.
func wideOperator(t testing.TB, p *physical.WindowAggregate, lanes, from, few int) (*windowAggregate, *Env) {
	t.Helper()
	op := must[Operator](t)(newWindowAggregate(p)).(*windowAggregate)
	env := &Env{State: &state.Store{}, Counters: &Counters{}, BatchSize: 64, Seed: uint64(lanes), Lanes: lanes}
	if err := op.Open(context.Background(), env); err != nil {
		t.Fatal(err)
	}
	op.wideFrom, op.fewRows = from, few
	return op, env
}

// TestWidePanes: groups that are divided among lanes send the rows, marks and errors that
// one goroutine sends, whatever the keys, the encoding of texts, the number of lanes,
// the number of rows that come together, and with a restart in between.
func TestWidePanes(t *testing.T) {
	seeds, wide, overflows := uint64(66), 0, 0
	if testing.Short() {
		seeds = 22
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		keys := wideKeys[seed%uint64(len(wideKeys))]
		p := widePlan(keys, wideCalls(r))
		one, oneEnv := wideOperator(t, p, 0, 0, 0)
		many, env := wideOperator(t, p, 2+r.IntN(maxLanes), 1+r.IntN(60), r.IntN(50))
		var a, b written
		var dict *stream.Vec
		var failed error
		if seed%2 == 0 {
			dict = newDict(r)
		}
		w, next, values := stream.Timestamp(0), int64(0), 1+r.IntN(200)
		for range 30 {
			switch {
			case dict == nil:
			case r.IntN(6) == 0:
				dict = newDict(r)
			case r.IntN(3) == 0: // a longer one in a header of its own
				longer := *dict
				dict = &longer
			}
			of := dict
			if r.IntN(10) == 0 {
				of = nil // texts by themselves in between
			}
			batch := wideBatch(r, next, 1+r.IntN(300), values, &w, of)
			next += int64(batch.N)
			x := one.ProcessBatch(context.Background(), 0, batch, &a)
			y := many.ProcessBatch(context.Background(), 0, batch, &b)
			if fmt.Sprint(x) != fmt.Sprint(y) || ordinalOf(x) != ordinalOf(y) {
				t.Fatalf("seed %d: error %v, want %v", seed, y, x)
			}
			if failed = x; failed != nil {
				overflows++
				break
			}
			spoil(batch)
			if many.panes.exchange != nil {
				wide++
			}
			if r.IntN(6) == 0 {
				sameSnapshot(t, seed, p.Aggs, oneEnv, env)
			}
			if r.IntN(12) == 0 {
				again, fresh := wideOperator(t, p, 2+r.IntN(3), 1+r.IntN(60), r.IntN(50))
				move(t, env, fresh)
				if err := many.Close(); err != nil {
					t.Fatal(err)
				}
				many, env = again, fresh
			}
		}
		end := &stream.Batch{Cols: emptyColumns(nil, wideInput), Base: 2 * next, Thru: 2*next + 1, Marks: []stream.Mark{{Ord: 2*next + 1, W: stream.MaxWatermark}}}
		if failed == nil {
			x, y := one.ProcessBatch(context.Background(), 0, end, &a), many.ProcessBatch(context.Background(), 0, end, &b)
			if fmt.Sprint(x) != fmt.Sprint(y) {
				t.Fatalf("seed %d: error %v, want %v", seed, y, x)
			}
			failed = x
		}
		if a.thru != b.thru {
			t.Fatalf("seed %d: thru %d, want %d", seed, b.thru, a.thru)
		}
		if len(a.lines) != len(b.lines) {
			t.Fatalf("seed %d: %d lines, want %d", seed, len(b.lines), len(a.lines))
		}
		for i, line := range b.lines {
			if line != a.lines[i] {
				t.Fatalf("seed %d, line %d:\n%s\nwant\n%s", seed, i, line, a.lines[i])
			}
		}
		if failed == nil && (many.panes.Rows() != 0 || env.Counters.OpenRows.Load() != 0) {
			t.Fatalf("seed %d: %d groups are left", seed, many.panes.Rows())
		}
		if err := many.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if wide < 10*int(seeds) || overflows == 0 {
		t.Errorf("only %d batches met divided groups, %d sums have overflowed", wide, overflows)
	}
}

// sameSnapshot: what is written does not depend on lanes, but for the order of the values
// that DISTINCT has seen in different groups, which no answer depends on.
func sameSnapshot(t *testing.T, seed uint64, calls []expr.AggregateCall, one, many *Env) {
	t.Helper()
	var x, y stream.Encoder
	one.State.Snapshot(&x)
	many.State.Snapshot(&y)
	if slices.ContainsFunc(calls, func(c expr.AggregateCall) bool { return c.Distinct }) {
		return
	}
	if !bytes.Equal(x.Bytes(), y.Bytes()) {
		t.Fatalf("seed %d: divided groups make another snapshot", seed)
	}
}

// move takes the state of one operator to a fresh one.
func move(t *testing.T, from, to *Env) {
	t.Helper()
	var e stream.Encoder
	from.State.Snapshot(&e)
	d := stream.NewDecoder(e.Bytes())
	if err := to.State.Restore(d); err != nil || d.Len() > 0 {
		t.Fatalf("restore: %v, %d bytes left", err, d.Len())
	}
}

// explosive is COUNT(*) that panics or fails at its third call.
type explosive struct {
	expr.Accumulator
	calls int
	err   error
}

func (e *explosive) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	if e.calls++; e.calls < 3 {
		return e.Accumulator.Add(groups, args, rows)
	}
	if e.err != nil {
		return e.err
	}
	panic("boom")
}

func (e *explosive) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	return e.Accumulator.Merge(groups, from.(*explosive).Accumulator, fromGroups)
}

// TestLanesThatFail: what goes wrong in a lane comes out where the driver is, at the
// latest when the window closes, and the lanes end.
func TestLanesThatFail(t *testing.T) {
	for _, fault := range []error{nil, fmt.Errorf("broken")} {
		p := widePlan([]int{1}, []aggCall{{name: "COUNT"}})
		count := p.Aggs[0].Res.New
		p.Aggs[0].Res.New = func() expr.Accumulator { return &explosive{Accumulator: count(), err: fault} }
		op, _ := wideOperator(t, p, 2, 1, 0)
		r := rand.New(rand.NewPCG(1, 1))
		got := func() (got any) {
			defer func() {
				if v := recover(); v != nil {
					got = v
				}
			}()
			w := stream.Timestamp(0)
			for i := range 20 {
				b := wideBatch(r, int64(i)*100, 100, 50, &w, nil)
				if err := op.ProcessBatch(context.Background(), 0, b, &written{}); err != nil {
					return err
				}
			}
			return nil
		}()
		if fault == nil && got != "boom" || fault != nil && (got == nil || !strings.Contains(fmt.Sprint(got), "broken")) {
			t.Errorf("%v comes out as %v", fault, got)
		}
		if err := op.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLanesAllocateNothing: rows on their way to lanes that know their groups need no
// memory.
func TestLanesAllocateNothing(t *testing.T) {
	for _, keys := range [][]int{{1}, {2}, {1, 2}} {
		op, _ := wideOperator(t, widePlan(keys, []aggCall{{name: "COUNT"}, {name: "SUM", of: 6}}), 2, 1, 0)
		w := stream.Timestamp(0)
		b := wideBatch(rand.New(rand.NewPCG(1, 1)), 0, 1000, 100, &w, nil)
		b.Marks = nil
		var out written
		send := func() {
			if err := op.ProcessBatch(context.Background(), 0, b, &out); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			send()
		}
		if n := testing.AllocsPerRun(50, send); n > 1 {
			t.Errorf("keys %v: %v allocations for a batch", keys, n)
		}
		if err := op.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSmallWindowsAreNotDivided: after a window with many groups the next one is divided
// from its first row on, but only as long as there are many.
func TestSmallWindowsAreNotDivided(t *testing.T) {
	op, _ := wideOperator(t, widePlan([]int{1}, []aggCall{{name: "COUNT"}}), 2, 40, 0)
	var got []bool
	for window, groups := range []int{60, 60, 30, 10, 10, 60, 60} {
		b := &stream.Batch{N: 100, Base: int64(window) * 500, Cols: emptyColumns(nil, wideInput)}
		for c, f := range wideInput.Fields {
			b.Cols[c].Reset(f.Type, b.N)
			for i := range b.N {
				v := types.IntValue(int64(i % groups))
				if c == 0 {
					v = types.IntValue(int64(window)*10_000 + 1)
				}
				if f.Type.Layout() == types.Bytes {
					v = types.TextValue("x")
				}
				b.Cols[c].Put(i, b.N, v)
			}
		}
		for range 2 {
			b.Thru = b.Base + 199
			if err := op.ProcessBatch(context.Background(), 0, b, &written{}); err != nil {
				t.Fatal(err)
			}
			b.Base += 200
		}
		end := stream.Mark{Ord: b.Base, W: stream.Timestamp(window+1)*10_000 - 1}
		got = append(got, op.panes.wait[0].wide != nil)
		last := &stream.Batch{Cols: emptyColumns(nil, wideInput), Base: end.Ord, Thru: end.Ord + 1, Marks: []stream.Mark{end}}
		if err := op.ProcessBatch(context.Background(), 0, last, &written{}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []bool{true, true, true, true, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("divided: %v, want %v", got, want)
	}
	if err := op.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCountersOfClosedLanes: what a query that failed or was stopped shows is what all of
// its rows have come to.
func TestCountersOfClosedLanes(t *testing.T) {
	op, env := wideOperator(t, widePlan([]int{1}, []aggCall{{name: "COUNT", of: 2, distinct: true}}), 2, 1, 0)
	w := stream.Timestamp(0)
	for i, n := range []int{10, 20_000} {
		b := wideBatch(rand.New(rand.NewPCG(1, 1)), int64(i)*10, n, 100, &w, nil)
		b.Marks = nil
		if err := op.ProcessBatch(context.Background(), 0, b, &written{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := op.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := env.Counters.OpenRows.Load(), op.panes.waiting(); got != want || want == 0 {
		t.Errorf("%d groups wait, want %d", got, want)
	}
}
