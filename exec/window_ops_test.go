package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql/exec/state"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

func must[T any](t testing.TB) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// aggregateChain is a window aggregate alone or below its late filter.
func aggregateChain(t testing.TB, withFilter bool, lateness int64, calls ...aggCall) *chain {
	mk := func() []Operator {
		late, p := windowPlan(window.Spec{Size: 10_000}, true, false, lateness > 0, lateness, calls...)
		ops := []Operator{must[Operator](t)(newWindowAggregate(p))}
		if withFilter {
			ops = append([]Operator{must[Operator](t)(newLateFilter(late))}, ops...)
		}
		return ops
	}
	return newChain(t, mk, 4096, 1)
}

// TestMarksAreForwarded: each rise comes out at its place with its ordinal, whether it
// fires something or not, in both forms.
func TestMarksAreForwarded(t *testing.T) {
	rows := []wrow{at(1, 0.5, "a", 1), at(2, 0.5, "a", 2), at(12, 9.999, "b", 3), at(13, 25, "b", 4), at(31, 26, "a", 5)}
	for _, dense := range []bool{false, true} {
		c := aggregateChain(t, false, 0, aggCall{name: "SUM", of: 2})
		b := batchOf(rows, 0, len(rows), stream.MinWatermark, dense)
		if err := (chainOutput{c, 0}).Batch(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		want := "W 500 @1\n+I a 3 0 10000 9999 @5\nW 9999 @5\n+I b 7 10000 20000 19999 @7\nW 25000 @7\nW 26000 @9"
		if got := strings.Join(c.lines, "\n"); got != want {
			t.Errorf("dense %v:\n%s\nwant:\n%s", dense, got, want)
		}
		if n := c.envs[0].Counters.NextTimer.Load(); n != 39_999 {
			t.Errorf("the next timer is %d, want 39999", n)
		}
		if n := c.envs[0].Counters.OpenRows.Load(); n != 1 {
			t.Errorf("%d groups wait, want 1", n)
		}
	}
}

// TestEmptyBatchesPass: a batch that only says how far the input is, and one that is
// just a mark, go through.
func TestEmptyBatchesPass(t *testing.T) {
	c := aggregateChain(t, true, 0)
	for _, b := range []*stream.Batch{
		{Cols: make([]stream.Vec, 4), Thru: 7},
		{Cols: make([]stream.Vec, 4), Thru: 9, Marks: []stream.Mark{{Ord: 9, W: 5}}},
	} {
		for i := range b.Cols {
			b.Cols[i].Type = windowInput.Fields[i].Type
		}
		if err := (chainOutput{c, 0}).Batch(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		if c.thru != b.Thru {
			t.Errorf("thru %d came out as %d", b.Thru, c.thru)
		}
	}
	if got := strings.Join(c.lines, "\n"); got != "W 5 @9" {
		t.Error(got)
	}
}

// TestOverflowStopsAtItsMark: what stands before the failing window has been sent, and
// the error names the aggregate and its place.
func TestOverflowStopsAtItsMark(t *testing.T) {
	rows := []wrow{at(1, 1, "a", 1), at(12, 12, "a", math.MaxInt64), at(13, 13, "a", 1), at(24, 24, "a", 1), at(35, 35, "a", 1)}
	for _, batch := range []int{1, 2, 5} {
		c := aggregateChain(t, true, 0, aggCall{name: "SUM", of: 2})
		var err error
		w := stream.MinWatermark
		for from := 0; from < len(rows) && err == nil; from += batch {
			b := batchOf(rows, from, min(len(rows), from+batch), w, batch == 2)
			w = b.LastMark(w)
			err = (chainOutput{c, 0}).Batch(context.Background(), b)
		}
		var e *diag.Error
		if !errors.As(err, &e) || e.Msg != "SUM is out of range for BIGINT: 9223372036854775808" || e.Code != diag.Runtime || e.Hint == "" || e.Span.Start != 7 {
			t.Fatalf("error %#v", err)
		}
		if ordinalOf(err) != 7 {
			t.Errorf("the error stands at ordinal %d, want that of the mark, 7", ordinalOf(err))
		}
		if got, want := strings.Join(c.lines, "\n"), "W 1000 @1\n+I a 1 0 10000 9999 @3\nW 12000 @3\nW 13000 @5"; got != want {
			t.Errorf("batches of %d:\n%s\nwant:\n%s", batch, got, want)
		}
		if c.thru > 6 {
			t.Errorf("ordinals up to %d are said to be delivered", c.thru)
		}
	}
}

func TestNullTime(t *testing.T) {
	rows := []wrow{at(1, 12, "a", 1), at(13, 12, "a", 2), at(14, 25, "a", 4)}
	for _, withFilter := range []bool{false, true} {
		c := aggregateChain(t, withFilter, 0, aggCall{name: "SUM", of: 2})
		b := batchOf(rows, 0, 3, stream.MinWatermark, false)
		b.Cols[0].SetNull(1, 3)
		err := (chainOutput{c, 0}).Batch(context.Background(), b)
		if err == nil || ordinalOf(err) != 2 || !strings.Contains(err.Error(), `event-time column "ts" is NULL`) {
			t.Errorf("error %v at ordinal %d", err, ordinalOf(err))
		}
		if got, want := strings.Join(c.lines, "\n"), "+I a 1 0 10000 9999 @1\nW 12000 @1"; got != want {
			t.Errorf("before the error:\n%s\nwant:\n%s", got, want)
		}
	}
}

// TestLateFilterForms: constant times, selections, and a batch whose rows are all late.
func TestLateFilterForms(t *testing.T) {
	late, _ := windowPlan(window.Spec{Size: 10_000}, true, false, false, 0)
	mk := func() []Operator { return []Operator{must[Operator](t)(newLateFilter(late))} }
	send := func(c *chain, b *stream.Batch) int {
		t.Helper()
		before := len(c.lines)
		if err := (chainOutput{c, 0}).Batch(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range c.lines[before:] {
			if strings.HasPrefix(l, "+I") {
				n++
			}
		}
		return n
	}
	c := newChain(t, mk, 4096, 1)
	rows := []wrow{at(1, 0, "a", 1), at(9.999, 9.998, "a", 2), at(9.999, 9.999, "a", 3), at(9.999, 9.999, "a", 4), at(10, 9.999, "a", 5)}
	b := batchOf(rows, 0, 5, stream.MinWatermark, false)
	if n := send(c, b); n != 4 {
		t.Errorf("%d rows pass, want 4: just the second row at 9.999 is late", n)
	}
	one := batchOf([]wrow{at(0, 0, "a", 1), at(0, 0, "b", 1)}, 0, 2, 9999, false)
	one.Base, one.Thru, one.Cols[0] = 10, 13, stream.Vec{}
	one.Cols[0].SetConst(types.NewTimestamp(3), types.IntValue(9999))
	one.Marks = nil
	c2 := newChain(t, mk, 4096, 1)
	if n := send(c2, one); n != 2 {
		t.Errorf("%d of 2 rows with one time pass before any watermark", n)
	}
	c2.ops[0].(*lateFilter).watermark.w = 9999
	one.Base, one.Thru = 14, 17
	if n := send(c2, one); n != 0 {
		t.Errorf("%d late rows pass", n)
	}
	if got := c2.envs[0].Counters; got.Used.Load() != 2 || got.Late.Load() != 2 {
		t.Errorf("used %d, late %d, want 2 and 2", got.Used.Load(), got.Late.Load())
	}
	if got := c2.lines[len(c2.lines)-1]; got != "late [0,10000) by 9999 @16" {
		t.Error(got)
	}
}

// TestWindowTVF: all rows get their window, late or not, marks and selection stay.
func TestWindowTVF(t *testing.T) {
	input := &physical.Values{Base: physical.Base{Schema: windowInput}}
	p := &physical.WindowTVF{Input: input, Window: window.Spec{Size: 10_000, Offset: -3000}}
	p.Schema.Fields = append(p.Schema.Fields, windowInput.Fields...)
	for _, name := range []string{"window_start", "window_end", "window_time"} {
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: name, Type: types.NewTimestamp(3)})
	}
	c := newChain(t, func() []Operator { return []Operator{must[Operator](t)(newWindowTVF(p))} }, 4096, 1)
	rows := []wrow{at(7, 0, "a", 1), at(-3.001, 0, "b", 2), at(1, 30, "c", 3), at(6.999, 30, "d", 4)}
	rows[2].dead = true
	rows[3].kind = stream.UpdateAfter
	if err := (chainOutput{c, 0}).Batch(context.Background(), batchOf(rows, 0, 4, stream.MinWatermark, false)); err != nil {
		t.Fatal(err)
	}
	want := "+I 7000 a 1 0 7000 17000 16999 @0\nW 0 @1\n+I -3001 b 2 0 -13000 -3000 -3001 @2\nW 30000 @5\n+U 6999 d 4 0 -3000 7000 6999 @6"
	if s := strings.Join(c.lines, "\n"); s != want {
		t.Errorf("%s\nwant:\n%s", s, want)
	}
}

// fixedZone is eight hours ahead of UTC, like Asia/Shanghai.
type fixedZone struct{}

func (fixedZone) Offset(int64) int64        { return 8 * 3600_000 }
func (fixedZone) Instant(local int64) int64 { return local - 8*3600_000 }
func (fixedZone) Name() string              { return "Asia/Shanghai" }

// TestDailyWindowsOfInstants is Flink's answer for daily windows over TIMESTAMP_LTZ in
// Shanghai, with the lateness of legacy windows there.
func TestDailyWindowsOfInstants(t *testing.T) {
	const day, hour = 24 * 3600_000, 3600_000
	schema := stream.Schema{Fields: append([]stream.Field{}, windowInput.Fields...)}
	schema.Fields[0].Type = types.NewTimestampLTZ(3)
	late, p := windowPlan(window.Spec{Size: day}, false, false, false, 0, aggCall{name: "SUM", of: 2})
	late.Input.(*physical.Values).Schema, late.Schema = schema, schema
	p.Props[2].Type = types.NewTimestampLTZ(3)
	p.Schema.Fields[3].Type = types.NewTimestampLTZ(3)
	rows := []wrow{
		{at: 10 * hour, mark: 16*hour - 2, val: 1}, {at: 11 * hour, mark: 16*hour - 1, val: 2}, {at: 12 * hour, mark: 16*hour - 1, val: 4},
		{at: 16 * hour, mark: 16 * hour, val: 8},
	}
	for _, n := range []int{1, 4} {
		ctx := context.Background()
		c := &chain{t: t, thru: -1, ord: -1, limit: 4096, ops: []Operator{must[Operator](t)(newLateFilter(late)), must[Operator](t)(newWindowAggregate(p))}}
		for _, op := range c.ops {
			env := &Env{State: &state.Store{}, Counters: &Counters{}, BatchSize: 4096, Zone: fixedZone{}}
			env.late = func(l *LateRows) {
				for i := range l.Rows {
					c.lines = append(c.lines, fmt.Sprintf("late [%d,%d) @%d", l.Start[i], l.End[i], l.Batch.Ordinal(int(l.Rows[i]))))
				}
			}
			if err := op.Open(ctx, env); err != nil {
				t.Fatal(err)
			}
		}
		w := stream.MinWatermark
		for from := 0; from < 4; from += n {
			b := batchOf(rows, from, from+n, w, false)
			b.Cols[0].Type = types.NewTimestampLTZ(3)
			w = b.LastMark(w)
			if err := (chainOutput{c, 0}).Batch(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, l := range inOrder(c.lines) {
			if !strings.HasPrefix(l, "W") {
				got = append(got, l)
			}
		}
		// Wall clock 1970-01-01 00:00 to 24:00 in Shanghai; window_time is the instant.
		want := fmt.Sprintf("+I 3 0 %d %d @3\nlate [%d,%d) @4", day, 16*hour-1, -8*hour, 16*hour)
		if s := strings.Join(got, "\n"); s != want {
			t.Errorf("%s\nwant:\n%s", s, want)
		}
	}
}

// TestMemoryStaysFlat: windows of many keys come and go; the memory is that of a few.
func TestMemoryStaysFlat(t *testing.T) {
	for _, lateness := range []int64{0, 15_000} {
		c := aggregateChain(t, true, lateness)
		r := rand.New(rand.NewPCG(1, 1))
		top := int64(0)
		ord := int64(0)
		w := stream.MinWatermark
		for round := range 600 {
			var rows []wrow
			for range 500 {
				x := at(float64(round)+r.Float64(), float64(round)-2, fmt.Sprint("key ", round, r.IntN(300)), r.Int64N(100))
				x.at -= r.Int64N(9000)
				rows = append(rows, x)
			}
			b := batchOf(rows, 0, len(rows), w, false)
			for i := range b.Marks {
				b.Marks[i].Ord += ord
			}
			b.Base, b.Thru = ord, ord+b.Thru
			ord += 2 * int64(len(rows))
			w = b.LastMark(w)
			if err := (chainOutput{c, 0}).Batch(context.Background(), b); err != nil {
				t.Fatal(err)
			}
			c.lines = c.lines[:0]
			bytes := c.envs[len(c.envs)-1].State.Bytes()
			if round == 200 {
				top = bytes
			}
			if round > 200 && bytes > 2*top {
				t.Fatalf("lateness %d: %d bytes after %d rounds, %d after 200", lateness, bytes, round, top)
			}
		}
	}
}

// TestManyOpenWindows: a long watermark delay keeps thousands of windows open; each
// costs what its groups need, not a batch's scratch.
func TestManyOpenWindows(t *testing.T) {
	c := aggregateChain(t, true, 0)
	const windows = 3000
	var rows []wrow
	for i := range windows {
		rows = append(rows, at(float64(i*10), 0, "a", 1), at(float64(i*10+1), 0, "b", 2))
	}
	ctx := context.Background()
	w := stream.MinWatermark
	for from := 0; from < len(rows); from += 1000 {
		b := batchOf(rows, from, from+1000, w, false)
		w = b.LastMark(w)
		if err := (chainOutput{c, 0}).Batch(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.envs[1].State.Rows(); n != 2*windows {
		t.Fatalf("%d groups are open, want %d", n, 2*windows)
	}
	if n := c.envs[1].State.Bytes() / windows; n > 20_000 {
		t.Errorf("an open window of two groups holds %d bytes", n)
	}
}
