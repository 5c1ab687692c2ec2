package exec

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// at makes a row from seconds.
func at(ts, wm float64, key string, val int64) wrow {
	return wrow{at: int64(ts * 1000), mark: stream.Timestamp(wm * 1000), key: key, val: val}
}

// changes runs rows through a late filter and a ten second window aggregate in several
// batch sizes, and returns the changes without marks and ordinals: kind, key,
// aggregates, window start.
func changes(t *testing.T, lateness int64, keyed, retract bool, rows []wrow, calls ...aggCall) string {
	t.Helper()
	var first string
	for i, batchSize := range []int{1, 2, 4096} {
		mk := func() []Operator {
			late, p := windowPlan(window.Spec{Size: 10_000}, keyed, retract, lateness > 0, lateness, calls...)
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
		var lines []string
		for _, l := range inOrder(runWindows(t, mk, rows, batchSize, rand.New(rand.NewPCG(1, uint64(batchSize)))).lines) {
			switch {
			case strings.HasPrefix(l, "W "):
			case strings.HasPrefix(l, "late"):
				lines = append(lines, "late")
			default:
				f := strings.Fields(l)
				lines = append(lines, strings.Join(f[:len(f)-3], " "))
			}
		}
		got := strings.Join(lines, "\n")
		if i == 0 {
			first = got
		} else if got != first {
			t.Errorf("batch size %d gives\n%s\nbatch size 1\n%s", batchSize, got, first)
		}
	}
	return first
}

// TestLateFire holds the changes that Flink 2.3 sends for legacy TUMBLE windows with
// late-fire and a lateness.
func TestLateFire(t *testing.T) {
	sum, minimum, maximum, rows := aggCall{name: "SUM", of: 2}, aggCall{name: "MIN", of: 2}, aggCall{name: "MAX", of: 2}, aggCall{name: "COUNT"}
	null := func(r wrow) wrow { r.null = true; return r }
	for _, c := range []struct {
		name     string
		lateness int64
		rows     []wrow
		calls    []aggCall
		want     string
	}{
		{"corrects", 5000, []wrow{at(1, 1, "a", 1), at(12, 12, "a", 2), at(3, 12, "a", 4), at(40, 40, "a", 8)}, []aggCall{sum},
			"+I a 1 0\n-U a 1 0\n+U a 5 0\n+I a 2 10000\n+I a 8 40000"},
		{"unchanged value is silent", 5000, []wrow{at(1, 1, "a", 9), at(12, 12, "a", 2), at(3, 12, "a", 4), at(4, 12, "a", 10), at(40, 40, "a", 32)}, []aggCall{maximum},
			"+I a 9 0\n-U a 9 0\n+U a 10 0\n+I a 2 10000\n+I a 32 40000"},
		{"boundary", 5000, []wrow{at(1, 1, "a", 1), at(12, 14.998, "a", 2), at(3, 14.998, "a", 4), at(4, 14.999, "a", 8), at(5, 14.999, "a", 16), at(40, 40, "a", 32)}, []aggCall{sum},
			"+I a 1 0\n-U a 1 0\n+U a 5 0\n-U a 5 0\n+U a 13 0\nlate\n+I a 2 10000\n+I a 32 40000"},
		{"new key", 5000, []wrow{at(1, 1, "a", 1), at(12, 12, "a", 2), at(3, 12, "b", 4), at(4, 12, "b", 8), at(40, 40, "a", 32)}, []aggCall{sum},
			"+I a 1 0\n+I b 4 0\n-U b 4 0\n+U b 12 0\n+I a 2 10000\n+I a 32 40000"},
		{"unseen window", 5000, []wrow{at(12, 12, "a", 2), at(3, 13, "a", 4), at(40, 40, "a", 32)}, []aggCall{sum},
			"+I a 4 0\n+I a 2 10000\n+I a 32 40000"},
		{"NULL value", 5000, []wrow{at(1, 1, "NULL", 1), at(12, 12, "NULL", 2), null(at(3, 12, "NULL", 0)), at(40, 40, "NULL", 8)}, []aggCall{sum},
			"+I NULL 1 0\n+I NULL 2 10000\n+I NULL 8 40000"},
		{"NULL value counts", 5000, []wrow{at(1, 1, "NULL", 1), at(12, 12, "NULL", 2), null(at(3, 12, "NULL", 0)), at(40, 40, "NULL", 8)}, []aggCall{sum, rows},
			"+I NULL 1 1 0\n-U NULL 1 1 0\n+U NULL 1 2 0\n+I NULL 2 1 10000\n+I NULL 8 1 40000"},
		{"lateness longer than the window", 30_000, []wrow{at(1, 1, "a", 1), at(35, 35, "a", 2), at(2, 35, "a", 4), at(13, 35, "a", 8), at(60, 60, "a", 16), at(3, 60, "a", 32)}, []aggCall{sum},
			"+I a 1 0\n-U a 1 0\n+U a 5 0\n+I a 8 10000\n+I a 2 30000\nlate\n+I a 16 60000"},
		{"minimum", 5000, []wrow{at(1, 1, "a", 9), at(12, 12, "a", 2), at(3, 12, "a", 10), at(4, 12, "a", 8), at(40, 40, "a", 1)}, []aggCall{minimum},
			"+I a 9 0\n-U a 9 0\n+U a 8 0\n+I a 2 10000\n+I a 1 40000"},
	} {
		if got := changes(t, c.lateness, true, false, c.rows, c.calls...); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// TestUpdatingInput: a window counts what is left of its rows; one that lost all of
// them is silent on time, and takes its result back where it has fired.
func TestUpdatingInput(t *testing.T) {
	kind := func(k stream.RowKind, r wrow) wrow { r.kind = k; return r }
	minus, plus, gone := stream.UpdateBefore, stream.UpdateAfter, stream.Delete
	calls := []aggCall{{name: "MIN", of: 2}, {name: "MAX", of: 2}, {name: "COUNT", of: 2, distinct: true}}
	for _, c := range []struct {
		name     string
		lateness int64
		rows     []wrow
		want     string
	}{
		// Flink's case: keep-last deduplication of a,9 b,5 a,1 b,6 below the window.
		{"min and max", 0, []wrow{at(1, 1, "", 9), at(2, 2, "", 5), kind(minus, at(1, 2, "", 9)), kind(plus, at(3, 3, "", 1)), kind(minus, at(2, 3, "", 5)), kind(plus, at(4, 4, "", 6)), at(25, 25, "", 16)},
			"+I 1 6 2 0\n+I 16 16 1 20000"},
		{"retraction of a fired window is late", 0, []wrow{at(1, 1, "", 1), at(12, 12, "", 2), kind(gone, at(1, 12, "", 1))},
			"+I 1 1 1 0\nlate\n+I 2 2 1 10000"},
		{"all taken back in time", 0, []wrow{at(1, 1, "", 1), kind(gone, at(1, 2, "", 1)), at(12, 12, "", 2)},
			"+I 2 2 1 10000"},
		{"taken back after firing", 5000, []wrow{at(1, 1, "", 1), at(12, 12, "", 2), kind(gone, at(1, 12, "", 1)), at(3, 12, "", 7), at(4, 12, "", 7)},
			"+I 1 1 1 0\n-D 1 1 1 0\n+I 7 7 1 0\n+I 2 2 1 10000"},
		{"empty when it fires, then a late row", 5000, []wrow{at(1, 1, "", 1), kind(gone, at(1, 2, "", 1)), at(12, 12, "", 2), at(3, 12, "", 7)},
			"+I 7 7 1 0\n+I 2 2 1 10000"},
	} {
		if got := changes(t, c.lateness, false, true, c.rows, calls...); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// TestSameResult: -0.0 is 0.0 and NaN is never the same, as Flink compares results.
func TestSameResult(t *testing.T) {
	double, text := types.Of(types.Double), types.Of(types.Varchar)
	nan := types.FloatValue(math.NaN())
	for _, c := range []struct {
		typ  types.Type
		a, b types.Value
		want bool
	}{
		{double, types.FloatValue(0), types.FloatValue(math.Copysign(0, -1)), true},
		{double, nan, nan, false},
		{double, types.FloatValue(1), types.FloatValue(1.5), false},
		{double, types.NullValue, types.NullValue, true},
		{double, types.NullValue, types.FloatValue(0), false},
		{types.Of(types.Float), types.FloatValue(0), types.FloatValue(math.Copysign(0, -1)), true},
		{types.Of(types.Boolean), types.BoolValue(true), types.BoolValue(true), true},
		{types.Of(types.Boolean), types.BoolValue(true), types.BoolValue(false), false},
		{types.Of(types.Int), types.IntValue(7), types.IntValue(7), true},
		{types.Of(types.Int), types.IntValue(7), types.IntValue(7 << 20), false},
		{text, types.TextValue("a"), types.TextValue("a"), true},
		{text, types.TextValue(""), types.NullValue, false},
	} {
		var a, b stream.Vec
		for v, x := range map[*stream.Vec]types.Value{&a: c.a, &b: c.b} {
			v.Reset(c.typ, 1)
			v.Put(0, 1, x)
		}
		if got := sameResult(&a, &b); got != c.want {
			t.Errorf("%s: %v and %v are the same: %v, want %v", c.typ, c.a, c.b, got, c.want)
		}
	}
}
