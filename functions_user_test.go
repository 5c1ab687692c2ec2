package streamsql_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"streamsql"
)

func userEngine(t *testing.T) *streamsql.Engine {
	t.Helper()
	engine, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

func TestRegisterFunc(t *testing.T) {
	engine := userEngine(t)
	type name string
	for n, f := range map[string]any{
		"twice":    func(x float64) float64 { return 2 * x },
		"Greet":    func(s string) string { return "hello " + s },
		"named":    func(s name) name { return "<" + s + ">" },
		"len_of":   func(s *string) (int64, error) { return int64(len(orElse(s, "nothing"))), nil },
		"odd":      func(x int32) (bool, error) { return x%2 != 0, nil },
		"maybe":    func(x int64) *int64 { return map[bool]*int64{true: &x}[x > 0] },
		"mirror":   func(b []byte) []byte { return append([]byte("x"), b...) },
		"later":    func(at time.Time, by time.Duration) time.Time { return at.Add(by) },
		"parse":    strconv.Atoi,
		"explode":  func(x int64) int64 { panic(fmt.Sprint("boom ", x)) },
		"zero":     func() int8 { return 7 },
		"half":     func(x float32) float32 { return x / 2 },
		"last_of3": func(_ bool, _ int16, s string) string { return s },
	} {
		if err := engine.RegisterFunc(n, f); err != nil {
			t.Fatalf("%s: %v", n, err)
		}
	}
	for _, c := range []struct{ sql, want string }{
		{"TWICE(1.5E0)", "3.0"},
		{"twice(x)", "42.0"}, // INT is cast
		{"greet('you')", "hello you"},
		{"greet(CAST(NULL AS STRING))", ""},
		{"named(s)", "<abc>"},
		{"len_of(s)", "3"},
		{"len_of(CAST(NULL AS STRING))", "7"},
		{"odd(x)", "TRUE"},
		{"maybe(5)", "5"},
		{"maybe(-5)", ""},
		{"mirror(x'0102')", "x'780102'"},
		{"later(TIMESTAMP '2024-01-01 00:00:00', INTERVAL '1' HOUR)", "2024-01-01 01:00:00.000"},
		{"parse('12')", "12"},
		{"zero()", "7"},
		{"half(CAST(3 AS FLOAT))", "1.5"},
		{"last_of3(TRUE, CAST(1 AS SMALLINT), s)", "abc"},
		{"TYPEOF(twice(x))", "DOUBLE NOT NULL"},
		{"TYPEOF(maybe(x))", "BIGINT"},
		{"error: parse('x')", `function "PARSE": strconv.Atoi: parsing "x": invalid syntax`},
		{"error: parse(s)", `function "PARSE": strconv.Atoi: parsing "abc": invalid syntax`},
		{"error: explode(x)", `function "EXPLODE" panicked: boom 21`},
		{"error: twice('a')", `function "TWICE" expects DOUBLE as argument 1, not CHAR(1)`},
		{"error: odd(CAST(1 AS BIGINT))", `function "ODD" expects INT as argument 1, not BIGINT`},
		{"error: odd()", `function "ODD" takes 1 argument, not 0`},
		{"error: greeet(s)", `function "greeet" not found`},
	} {
		text, wantError := strings.CutPrefix(c.sql, "error: ")
		got, err := one(engine, "SELECT "+text+" FROM (VALUES (21, 'abc')) AS t(x, s)")
		switch {
		case wantError && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", text, err, c.want)
		case !wantError && (err != nil || got != c.want):
			t.Errorf("%s is %q, %v, want %q", text, got, err, c.want)
		}
	}
}

func orElse(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// TestUserFunctionNested: slices, maps and structs pass as ARRAY, MAP and ROW.
func TestUserFunctionNested(t *testing.T) {
	engine := userEngine(t)
	type point struct {
		X, Y int32
		Name *string `sql:"label"`
	}
	type path struct {
		Points []point
		Tags   map[string][]int64
	}
	for n, f := range map[string]any{
		"total": func(list []int64) (sum int64) {
			for _, x := range list {
				sum += x
			}
			return sum
		},
		"count_nulls": func(list []*string) (n int64) {
			for _, x := range list {
				if x == nil {
					n++
				}
			}
			return n
		},
		"range_of": func(n int32) []int32 { return make([]int32, n) },
		"maybe_of": func(list *[]string) *[]string { return list },
		"swap":     func(p point) point { return point{p.Y, p.X, p.Name} },
		"flip": func(m map[string]int64) map[int64]string {
			out := map[int64]string{}
			for k, v := range m {
				out[v] = k
			}
			return out
		},
		"path_of": func(n int32, label string) path {
			return path{[]point{{n, n + 1, &label}, {n + 2, n + 3, nil}}, map[string][]int64{"b": {1}, "a": nil}}
		},
		"length_of": func(p path) int64 { return int64(len(p.Points) + len(p.Tags)) },
		"times_of":  func(at []time.Time, by time.Duration) []time.Time { return []time.Time{at[0].Add(by)} },
	} {
		if err := engine.RegisterFunc(n, f); err != nil {
			t.Fatalf("%s: %v", n, err)
		}
	}
	for _, c := range []struct{ sql, want string }{
		{"total(ARRAY[1, 2, x])", "24"}, // the elements are cast
		{"total(ARRAY[1, CAST(NULL AS INT)])", "1"},
		{"COALESCE(total(CAST(NULL AS ARRAY<BIGINT>)), -1)", "-1"},
		{"count_nulls(ARRAY[s, CAST(NULL AS STRING), ''])", "1"},
		{"range_of(2)", "[0, 0]"},
		{"CARDINALITY(range_of(x - 21))", "0"},
		{"maybe_of(ARRAY[s, s])", "[abc, abc]"},
		{"maybe_of(CAST(NULL AS ARRAY<STRING>)) IS NULL", "TRUE"},
		{"swap(ROW(x, 2, s))", "(2, 21, abc)"},
		{"swap(ROW(x, 2, CAST(NULL AS STRING))).label IS NULL", "TRUE"},
		{"swap(ROW(x, 2, s)).X", "2"},
		{"flip(MAP['a', 1, 'b', 2])", "{1=a, 2=b}"},
		{"path_of(x, s)", "([(21, 22, abc), (23, 24, NULL)], {a=[], b=[1]})"},
		{"path_of(x, s).Points[1].Y", "22"},
		{"length_of(path_of(x, s))", "4"},
		{"times_of(ARRAY[TIMESTAMP '2024-01-01 00:00:00'], INTERVAL '1' HOUR)", "[2024-01-01 01:00:00.000]"},
		{"TYPEOF(range_of(x))", "ARRAY<INT NOT NULL> NOT NULL"},
		{"TYPEOF(swap(ROW(x, 2, s)))", "ROW<`X` INT NOT NULL, `Y` INT NOT NULL, `label` STRING> NOT NULL"},
		{"error: total(ARRAY['a'])", `function "TOTAL" expects ARRAY<BIGINT NOT NULL> as argument 1`},
		{"error: swap(ROW(1, 2))", `function "SWAP" expects ROW`},
	} {
		text, wantError := strings.CutPrefix(c.sql, "error: ")
		got, err := one(engine, "SELECT "+text+" FROM (VALUES (21, 'abc')) AS t(x, s)")
		switch {
		case wantError && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", text, err, c.want)
		case !wantError && (err != nil || got != c.want):
			t.Errorf("%s is %q, %v, want %q", text, got, err, c.want)
		}
	}
}

// TestUserFunctionRows: a function is called for the rows that need it, and rows
// before a failure come out.
func TestUserFunctionRows(t *testing.T) {
	engine := userEngine(t)
	calls := 0
	err := engine.RegisterFunc("inverse", func(x int32) (string, error) {
		if calls++; x == 0 {
			return "", errors.New("no inverse of 0")
		}
		return "1/" + strconv.Itoa(int(x)), nil
	}, streamsql.FuncVolatile())
	if err != nil {
		t.Fatal(err)
	}
	const rows = " FROM (VALUES (1), (0), (2)) AS t(x)"
	got, err := one(engine, "SELECT CASE WHEN x <> 0 THEN inverse(x) ELSE '-' END"+rows)
	if err != nil || got != "1/1-1/2" || calls != 2 {
		t.Errorf("%q, %v, %d calls", got, err, calls)
	}
	got, err = one(engine, "SELECT inverse(x)"+rows)
	if err == nil || !strings.Contains(err.Error(), `function "INVERSE": no inverse of 0`) || got != "1/1" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	engine := userEngine(t)
	one := func(int64) int64 { return 1 }
	if err := engine.RegisterFunc("mine", one); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		fn   any
		want string
	}{
		{"upper", one, "exists already"}, {"MINE", one, "exists already"}, {"tumble", one, "exists already"}, {"sum", one, "exists already"},
		{"two words", one, "cannot be the name"}, {"", one, "cannot be the name"}, {"select", one, "word of the language"},
		{"a", nil, "is nil"}, {"a", 5, "not a function"}, {"a", func(...int64) int64 { return 0 }, "any number of arguments"},
		{"a", func(struct{}) int64 { return 0 }, "argument 1 of it has type struct {}"}, {"a", func([]chan int) int64 { return 0 }, "argument 1 of it has type []chan int"},
		{"a", func() map[*string]int { return nil }, "returns map[*string]int"}, {"a", func() {}, "must return one value"},
		{"a", func() (int64, int64) { return 0, 0 }, "must return one value"}, {"a", func() chan int { return nil }, "returns chan int"},
		{"a", (func() int64)(nil), "is nil"},
	} {
		if err := engine.RegisterFunc(c.name, c.fn); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.name, err, c.want)
		}
	}
	type state struct{ N int64 }
	merge := func(into, from *state) { into.N += from.N }
	result := func(s *state) int64 { return s.N }
	for _, c := range []struct {
		def  streamsql.Aggregate[state]
		want string
	}{
		{streamsql.Aggregate[state]{Add: func(*state, int64) {}, Result: result}, "no Merge"},
		{streamsql.Aggregate[state]{Merge: merge, Result: result}, "Add must be a function"},
		{streamsql.Aggregate[state]{Add: func(int64) {}, Merge: merge, Result: result}, "first argument is *streamsql_test.state"},
		{streamsql.Aggregate[state]{Add: func(*state, int64) int64 { return 0 }, Merge: merge, Result: result}, "nothing but an error"},
		{streamsql.Aggregate[state]{Add: func(*state, int64) {}, Retract: func(*state) {}, Merge: merge, Result: result}, "Retract is"},
		{streamsql.Aggregate[state]{Add: func(*state, int64) {}, Merge: merge, Result: func(*state) {}}, "must return one value"},
	} {
		if err := streamsql.RegisterAggregate(engine, "a", c.def); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	hidden := streamsql.Aggregate[struct{ n int64 }]{Add: func(*struct{ n int64 }, int64) {}, Merge: func(_, _ *struct{ n int64 }) {}, Result: func(*struct{ n int64 }) int64 { return 0 }}
	if err := streamsql.RegisterAggregate(engine, "a", hidden); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
		t.Errorf("a state without exported fields: %v", err)
	}
}

func TestRegisterVectorFunc(t *testing.T) {
	engine := userEngine(t)
	join := func(args []arrow.Array) (arrow.Array, error) {
		s, n := args[0].(*array.String), args[1].(*array.Int64)
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range s.Len() {
			switch {
			case s.IsNull(i) || n.IsNull(i):
				b.AppendNull()
			case n.Value(i) < 0:
				return nil, fmt.Errorf("%d is negative", n.Value(i))
			default:
				b.Append(strings.Repeat(s.Value(i), int(n.Value(i))))
			}
		}
		return b.NewStringArray(), nil
	}
	bad := func(a arrow.Array) func([]arrow.Array) (arrow.Array, error) {
		return func([]arrow.Array) (arrow.Array, error) { return a, nil }
	}
	for n, f := range map[string]streamsql.VectorFunc{
		"times":  {Args: []string{"STRING", "BIGINT"}, Result: "STRING", Call: join},
		"same":   {Args: []string{"DECIMAL(10, 2)"}, Result: "DECIMAL(10, 2)", Call: func(a []arrow.Array) (arrow.Array, error) { return a[0], nil }},
		"same_b": {Args: []string{"BOOLEAN"}, Result: "BOOLEAN", Call: func(a []arrow.Array) (arrow.Array, error) { return a[0], nil }},
		"none":   {Args: []string{"BIGINT"}, Result: "BIGINT", Call: bad(nil)},
		"short":  {Args: []string{"BIGINT"}, Result: "BIGINT", Call: bad(array.NewInt64Builder(memory.DefaultAllocator).NewArray())},
		"other":  {Args: []string{"BIGINT"}, Result: "STRING", Call: func(a []arrow.Array) (arrow.Array, error) { return a[0], nil }},
		"panics": {Args: []string{"BIGINT"}, Result: "STRING", Call: func([]arrow.Array) (arrow.Array, error) { panic("boom") }},
	} {
		if err := engine.RegisterVectorFunc(n, f); err != nil {
			t.Fatalf("%s: %v", n, err)
		}
	}
	for _, c := range []struct{ sql, want string }{
		{"times(s, x)", "abab/NULL/ccc/NULL/"},
		{"CASE WHEN x > 2 THEN times(s, x) ELSE 'small' END", "small/small/ccc/small/"},
		{"times('-', 3)", "---/---/---/---/"},
		{"same(x * 1.5)", "3.00/1.50/4.50/NULL/"},
		{"same_b(x > 1)", "TRUE/FALSE/TRUE/NULL/"},
		{"error: times(s, -x)", `function "TIMES": -2 is negative`},
		{"error: none(x)", `function "NONE" returned no array`},
		{"error: short(x)", `function "SHORT" returned 0 values for 4 rows`},
		{"error: other(x)", `function "OTHER" returned an array of int64 instead of utf8`},
		{"error: panics(x)", `function "PANICS" panicked: boom`},
		{"error: times(x, x)", "expects STRING as argument 1, not INT"},
	} {
		text, wantError := strings.CutPrefix(c.sql, "error: ")
		got, err := one(engine, "SELECT COALESCE(CAST("+text+" AS STRING), 'NULL') || '/' FROM (VALUES (2, 'ab'), (1, NULL), (3, 'c'), (NULL, 'd')) AS t(x, s)")
		switch {
		case wantError && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", text, err, c.want)
		case !wantError && (err != nil || got != c.want):
			t.Errorf("%s is %q, %v, want %q", text, got, err, c.want)
		}
	}
	if err := engine.RegisterVectorFunc("x", streamsql.VectorFunc{Args: []string{"NUMBER OF"}, Result: "INT", Call: join}); err == nil {
		t.Error("a type that does not exist is taken")
	}
}

// Longest is the state of a user's aggregate.
type Longest struct{ Text string }

func TestRegisterAggregate(t *testing.T) {
	engine := userEngine(t)
	err := streamsql.RegisterAggregate(engine, "longest", streamsql.Aggregate[Longest]{
		Add: func(l *Longest, s string, least *int64) error {
			if s == "bad" {
				return errors.New("a bad text")
			}
			if len(s) > len(l.Text) && (least == nil || int64(len(s)) >= *least) {
				l.Text = s
			}
			return nil
		},
		Merge: func(into, from *Longest) {
			if len(from.Text) > len(into.Text) {
				into.Text = from.Text
			}
		},
		Result: func(l *Longest) *string {
			if l.Text == "" {
				return nil
			}
			return &l.Text
		},
	}, streamsql.FuncDoc("The longest text."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ call, want string }{
		{"longest(item, CAST(NULL AS BIGINT))", "teapot"},
		{"longest(item, 7)", ""},
		{"longest(item, 0) FILTER (WHERE item <> 'teapot')", "mate"},
		{"longest(DISTINCT item, 0)", "teapot"},
	} {
		got, err := one(engine, "SELECT "+c.call+items(t, engine, "tea", "teapot", "", "mate"))
		if err != nil || got != c.want {
			t.Errorf("%s is %q, %v, want %q", c.call, got, err, c.want)
		}
	}
	_, err = one(engine, "SELECT longest(item, 0)"+items(t, engine, "tea", "bad"))
	if err == nil || !strings.Contains(err.Error(), `function "LONGEST": a bad text`) {
		t.Errorf("a failing Add: %v", err)
	}
	r, err := engine.Exec(t.Context(), "DESCRIBE FUNCTION longest")
	if err != nil || *r.Rows[0][1] != "LONGEST(STRING, BIGINT)" || *r.Rows[1][1] != "The longest text." {
		t.Errorf("DESCRIBE FUNCTION: %v, %v", r.Rows, err)
	}
}

var itemTables int

// items makes a table of rows a second apart ("" is NULL) and returns the FROM and
// GROUP BY of a query over one window of it.
func items(t *testing.T, engine *streamsql.Engine, rows ...string) string {
	t.Helper()
	type row struct {
		TS   time.Time `sql:"ts"`
		Item *string   `sql:"item"`
	}
	push := streamsql.NewPush[row]()
	itemTables++
	name := fmt.Sprint("items", itemTables)
	if err := engine.RegisterSource(name, push, streamsql.EventTime("ts", 0)); err != nil {
		t.Fatal(err)
	}
	go func() {
		for i := range rows {
			r := row{TS: time.Unix(int64(i), 0).UTC(), Item: &rows[i]}
			if rows[i] == "" {
				r.Item = nil
			}
			if err := push.Send(context.Background(), r); err != nil {
				return // the query has stopped
			}
		}
		push.End(nil)
	}()
	return " FROM TABLE(TUMBLE(TABLE " + name + ", DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
}

func TestRandomSeed(t *testing.T) {
	run := func() string {
		engine, err := streamsql.Open(streamsql.WithRandom(5), streamsql.WithWorkers(1))
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		got, err := one(engine, "SELECT UUID() || CAST(RAND() AS STRING) || CAST(RAND_INTEGER(100) AS STRING) FROM (VALUES (1), (2)) AS t(x)")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if a, b := run(), run(); a != b {
		t.Errorf("one seed gives %s and %s", a, b)
	}
	engine := userEngine(t)
	a, err := one(engine, "SELECT UUID()")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := one(engine, "SELECT UUID()"); a == b {
		t.Errorf("two queries give %s", a)
	}
}

func ExampleEngine_RegisterFunc() {
	engine, err := streamsql.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	err = engine.RegisterFunc("vowels", func(s string) int64 {
		return int64(len(s) - len(strings.NewReplacer("a", "", "e", "", "i", "", "o", "", "u", "").Replace(s)))
	})
	if err != nil {
		log.Fatal(err)
	}
	query, err := engine.Query(context.Background(), "SELECT word, vowels(word) AS n FROM (VALUES ('stream'), ('query')) AS t(word)")
	if err != nil {
		log.Fatal(err)
	}
	type row struct {
		Word string
		N    int64
	}
	for r, err := range streamsql.Rows[row](query) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Word, r.N)
	}
	// Output:
	// stream 2
	// query 2
}
