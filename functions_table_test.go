package streamsql_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"streamsql"
)

// word is a row of a table function.
type word struct {
	Text   string `sql:"text"`
	Length int32  `sql:"length"`
	Rest   *string
	Left   int `sql:"-"`
}

// tail is a row with nested values.
type tail struct {
	Items []string
	Place map[string]int32
	More  struct{ N *int64 }
}

func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		list := strings.Fields(text)
		for i, w := range list {
			r := word{Text: w, Length: int32(len(w))}
			if i+1 < len(list) {
				r.Rest = &list[i+1]
			}
			if !yield(r) {
				return
			}
		}
	}
}

// naturals has no end.
func naturals(from int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := from; yield(i); i++ {
		}
	}
}

// upTo gives 1 to n, and fails behind 3.
func upTo(n int32) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		for i := int32(1); i <= n; i++ {
			var err error
			if i > 3 {
				err = fmt.Errorf("%d is too much", i)
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

func tableEngine(t *testing.T, opts ...streamsql.Option) *streamsql.Engine {
	t.Helper()
	engine, err := streamsql.Open(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	for name, fn := range map[string]any{
		"words": words, "naturals": naturals, "up_to": upTo,
		"tails": func(list []string) iter.Seq[tail] {
			return func(yield func(tail) bool) {
				for i := range list {
					if !yield(tail{list[i:], map[string]int32{list[i]: int32(i)}, struct{ N *int64 }{}}) {
						return
					}
				}
			}
		},
		"nothing":  func() iter.Seq[string] { return nil },
		"refuses":  func(s string) (iter.Seq[string], error) { return nil, errors.New("not " + s) },
		"explodes": func(n int64) iter.Seq[int64] { return func(func(int64) bool) { panic(fmt.Sprint("boom ", n)) } },
		"goes_on": func() iter.Seq[int64] {
			return func(yield func(int64) bool) {
				for i := range int64(1 << 40) {
					yield(i)
				}
			}
		},
		"maybe": func(n *int64) iter.Seq[*int64] {
			return func(yield func(*int64) bool) {
				if n == nil || yield(nil) {
					yield(n)
				}
			}
		},
	} {
		if err := engine.RegisterTableFunc(name, fn); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return engine
}

// changes runs a query and prints its rows with their kinds, one behind the other.
func changes(engine *streamsql.Engine, text string) (string, error) {
	query, err := engine.Query(context.Background(), text)
	if err != nil {
		return "", err
	}
	defer query.Close()
	var out []byte
	for b, err := range query.Batches() {
		if err != nil {
			return string(out), err
		}
		for row := range int(b.NumRows()) {
			out = append(append(out, b.Kind(row).String()...), ' ')
			for col := range int(b.NumCols()) {
				if col > 0 {
					out = append(out, ',')
				}
				if b.IsNull(row, col) {
					out = append(out, "NULL"...)
				}
				out = b.AppendText(out, row, col)
			}
			out = append(out, '\n')
		}
	}
	for _, op := range query.Stats().Operators {
		if op.In != op.Used+op.Late+op.Filtered {
			return string(out), fmt.Errorf("%s: in %d, used %d, late %d, filtered %d", op.ID, op.In, op.Used, op.Late, op.Filtered)
		}
	}
	return string(out), nil
}

// tableCases are queries with their changes; "error: " is what stands in the error
// behind them.
var tableCases = []struct{ name, sql, want string }{
	{"alone", "SELECT * FROM TABLE(words('a bc'))", "+I a,1,bc\n+I bc,2,NULL\n"},
	{"alias", "SELECT r.y, x FROM TABLE(words('a bc')) AS r(x, y, z)", "+I 1,a\n+I 2,bc\n"},
	{"scalar", "SELECT * FROM TABLE(up_to(2))", "+I 1\n+I 2\n"},
	{"scalar name", "SELECT `EXPR$0` + 1 FROM TABLE(up_to(2))", "+I 2\n+I 3\n"},
	{"comma", "SELECT n, x FROM t, LATERAL TABLE(words(s)) AS r(x, y, z)", "+I 1,ab\n+I 1,c\n+I 4,d\n"},
	{"cross", "SELECT n, s, y FROM t CROSS JOIN LATERAL TABLE(words(s)) AS r(x, y, z) WHERE y > 1", "+I 1,ab c,2\n"},
	{"left", "SELECT n, x, z FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON TRUE", "+I 1,ab,c\n+I 1,c,NULL\n+I 2,NULL,NULL\n+I 3,NULL,NULL\n+I 4,d,NULL\n"},
	{"left on", "SELECT n, x FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON y = 1", "+I 1,c\n+I 2,NULL\n+I 3,NULL\n+I 4,d\n"},
	{"left on nothing", "SELECT n, x FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON y IS NULL", "+I 1,NULL\n+I 2,NULL\n+I 3,NULL\n+I 4,NULL\n"},
	{"left on rows before", "SELECT n, v FROM t LEFT JOIN LATERAL TABLE(up_to(3)) AS r(v) ON v < 2", "+I 1,1\n+I 2,1\n+I 3,1\n+I 4,1\n"},
	{"left on both sides", "SELECT n, v FROM t LEFT JOIN LATERAL TABLE(up_to(3)) AS r(v) ON v + n = 4", "+I 1,3\n+I 2,2\n+I 3,1\n+I 4,NULL\n"},
	{"left where", "SELECT n, x FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON TRUE WHERE x IS NULL", "+I 2,NULL\n+I 3,NULL\n"},
	{"inner on", "SELECT n, x FROM t JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON y = n", "+I 1,c\n"},
	{"chain", "SELECT n, v, w FROM t, LATERAL TABLE(up_to(n)) AS a(v), LATERAL TABLE(up_to(v)) AS b(w) WHERE n = 2", "+I 2,1,1\n+I 2,2,1\n+I 2,2,2\n"},
	{"not lateral", "SELECT n, v FROM t, TABLE(up_to(2)) AS r(v) WHERE n < 3", "+I 1,1\n+I 1,2\n+I 2,1\n+I 2,2\n"},
	{"null argument", "SELECT * FROM TABLE(words(CAST(NULL AS STRING)))", ""},
	{"null parameter", "SELECT n, v FROM t, LATERAL TABLE(maybe(NULLIF(n, 2))) AS r(v) WHERE n < 3", "+I 1,NULL\n+I 1,1\n+I 2,NULL\n"},
	{"nil sequence", "SELECT n, v FROM t LEFT JOIN LATERAL TABLE(nothing()) AS r(v) ON TRUE WHERE n = 1", "+I 1,NULL\n"},
	{"endless", "SELECT * FROM TABLE(naturals(5)) LIMIT 3", "+I 5\n+I 6\n+I 7\n"},
	{"endless for each row", "SELECT n, v FROM t, LATERAL TABLE(naturals(n)) AS r(v) WHERE MOD(v, 3) = 0 LIMIT 4", "+I 1,3\n+I 1,6\n+I 1,9\n+I 1,12\n"},
	{"offset", "SELECT * FROM TABLE(naturals(0)) LIMIT 2 OFFSET 3", "+I 3\n+I 4\n"},
	{"updating", "SELECT k, c, v FROM (SELECT MOD(n, 2) AS k, CAST(COUNT(*) AS INT) AS c FROM t GROUP BY MOD(n, 2)) CROSS JOIN LATERAL TABLE(up_to(c)) AS r(v) WHERE k = 1",
		"+I 1,1,1\n-U 1,1,1\n+U 1,2,1\n+U 1,2,2\n"},
	{"aggregate", "SELECT v, COUNT(*) FROM t, LATERAL TABLE(up_to(NULLIF(n, 4))) AS r(v) WHERE v > 1 GROUP BY v", "+I 2,1\n-U 2,1\n+U 2,2\n+I 3,1\n"},
	{"rowtime", "SELECT window_start, v, COUNT(*) FROM TABLE(TUMBLE((SELECT * FROM e CROSS JOIN LATERAL TABLE(up_to(n)) AS r(v)), DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, v",
		"+I 2026-01-01 00:00:00.000,1,2\n+I 2026-01-01 00:00:00.000,2,1\n+I 2026-01-01 00:01:00.000,1,1\n"},
	{"windows", "SELECT window_start, v, COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) CROSS JOIN LATERAL TABLE(up_to(n)) AS r(v) GROUP BY window_start, window_end, v",
		"+I 2026-01-01 00:00:00.000,1,2\n+I 2026-01-01 00:00:00.000,2,1\n+I 2026-01-01 00:01:00.000,1,1\n"},
	{"watermark", "SELECT n, v, CURRENT_WATERMARK(ts) FROM e, LATERAL TABLE(up_to(n)) AS r(v)",
		"+I 1,1,NULL\n+I 2,1,2026-01-01 00:00:00.999\n+I 2,2,2026-01-01 00:00:00.999\n+I 1,1,2026-01-01 00:00:01.999\n"},
	{"watermark of the condition", "SELECT n, v FROM e LEFT JOIN LATERAL TABLE(up_to(3)) AS r(v) ON v = 2 AND CURRENT_WATERMARK(ts) < TIMESTAMP '2026-01-01 00:00:01.500'", "+I 1,NULL\n+I 2,2\n+I 1,NULL\n"},
	{"nested", "SELECT n, items, place, more, a.more.N IS NULL FROM t, LATERAL TABLE(tails(SPLIT(s, ' '))) AS a(items, place, more) WHERE n = 1",
		"+I 1,[ab, c],{ab=0},(NULL),TRUE\n+I 1,[c],{c=1},(NULL),TRUE\n"},
	{"union", "SELECT n FROM t WHERE n = 1 UNION ALL SELECT v FROM t, LATERAL TABLE(up_to(n)) AS r(v) WHERE n = 2", "+I 1\n+I 1\n+I 2\n"},
	{"error", "SELECT n, v FROM t, LATERAL TABLE(up_to(n)) AS r(v)", "+I 1,1\n+I 2,1\n+I 2,2\n+I 3,1\n+I 3,2\n+I 3,3\n+I 4,1\n+I 4,2\n+I 4,3\nerror: function \"UP_TO\": 4 is too much"},
	{"error at once", "SELECT v FROM t, LATERAL TABLE(refuses(s)) AS r(v)", "error: function \"REFUSES\": not ab c"},
	{"error of condition", "SELECT n, v FROM t LEFT JOIN LATERAL TABLE(up_to(NULLIF(n, 4))) AS r(v) ON 6 / (3 - v) > 0", "+I 1,1\n+I 2,1\n+I 2,2\n+I 3,1\n+I 3,2\nerror: division by zero"},
	{"panic", "SELECT n, v FROM t, LATERAL TABLE(explodes(n)) AS r(v)", "error: function \"EXPLODES\" panicked: boom 1"},
	{"goes on", "SELECT * FROM TABLE(goes_on()) LIMIT 2", "+I 0\n+I 1\n"},
}

// TestTableFunctions runs functions of the program over batch sizes.
func TestTableFunctions(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4096} {
		for _, stutter := range []uint64{0, 7} {
			engine := tableEngine(t, streamsql.WithBatchSize(size), streamsql.WithStutter(stutter))
			setUpTables(t, engine)
			for _, c := range tableCases {
				got, err := changes(engine, c.sql)
				want, message, fails := strings.Cut(c.want, "error: ")
				switch {
				case got != want:
					t.Errorf("%s, batches of %d: %v\n%swant\n%s", c.name, size, err, got, want)
				case !fails && err != nil || fails && (err == nil || !strings.Contains(err.Error(), message)):
					t.Errorf("%s, batches of %d: %v, want %s", c.name, size, err, message)
				}
			}
		}
	}
}

// TestTableFunctionFailurePlace: a failure of a function points to its call.
func TestTableFunctionFailurePlace(t *testing.T) {
	engine := tableEngine(t)
	for _, call := range []string{"explodes(1)", "up_to(5)", "refuses('x')"} {
		const text = "SELECT *\nFROM TABLE("
		_, err := changes(engine, text+call+")")
		var e *streamsql.Error
		if !errors.As(err, &e) || e.Line != 2 || e.Col != len("FROM TABLE(")+1 {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// TestTableFunctionStops: who closes a query stops a function that has no end, also where
// nothing comes out.
func TestTableFunctionStops(t *testing.T) {
	engine := tableEngine(t)
	var asked atomic.Int64
	endless := func() iter.Seq[int64] {
		return func(yield func(int64) bool) {
			for i := int64(0); yield(i); i++ {
				asked.Store(i)
			}
		}
	}
	if err := engine.RegisterTableFunc("endless", endless); err != nil {
		t.Fatal(err)
	}
	query, err := engine.Query(t.Context(), "SELECT * FROM TABLE(endless()) AS r(v) WHERE v < 0")
	if err != nil {
		t.Fatal(err)
	}
	for asked.Load() < 10_000 {
		runtime.Gosched()
	}
	if err := query.Close(); err != nil {
		t.Error(err)
	}
	last := asked.Load()
	for range 100 {
		runtime.Gosched()
	}
	if now := asked.Load(); now != last {
		t.Errorf("it went on from %d to %d", last, now)
	}
}

// setUpTables makes a table of rows without time, t, and one with, e.
func setUpTables(t *testing.T, engine *streamsql.Engine) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"t": "1,ab c\n2,\n3,NULL\n4,d\n",
		"e": "2026-01-01 00:00:01.000,1\n2026-01-01 00:00:02.000,2\n2026-01-01 00:01:01.000,1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, ddl := range []string{
		"CREATE TABLE t (n INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '" + dir + "/t.csv', 'format' = 'csv', 'csv.null-literal' = 'NULL')",
		"CREATE TABLE e (ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND) WITH ('connector' = 'filesystem', 'path' = '" + dir + "/e.csv', 'format' = 'csv')",
	} {
		if _, err := engine.Exec(t.Context(), ddl); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTableFunctionErrors: what a query cannot do with a table function is refused at
// its place.
func TestTableFunctionErrors(t *testing.T) {
	engine := tableEngine(t)
	setUpTables(t, engine)
	if err := engine.RegisterTableFunc("dice", func() iter.Seq[int64] { return nil }, streamsql.FuncVolatile()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sql, want, hint string }{
		{"SELECT * FROM TABLE(wrods('a'))", `table function "wrods" not found`, "WORDS"},
		{"SELECT * FROM t, LATERAL TABLE(UPPER(s)) AS r(x)", `function "UPPER" gives a value, not a table`, "SELECT"},
		{"SELECT words(s) FROM t", `function "words" gives a table, not a value`, "LATERAL TABLE(words(...))"},
		{"SELECT * FROM t, TABLE(words(s)) AS r(x, y, z)", `column "s" not found`, "LATERAL TABLE(WORDS(...))"},
		{"SELECT * FROM TABLE(words(1))", `function "WORDS" expects STRING as argument 1, not INT`, "WORDS(STRING)"},
		{"SELECT * FROM TABLE(words())", `function "WORDS" takes 1 argument, not 0`, "WORDS(STRING)"},
		{"SELECT * FROM TABLE(words('a')) AS r(x)", `alias "r" lists 1 columns, but there are 3`, "text, length, Rest"},
		{"SELECT * FROM t RIGHT JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON TRUE", "RIGHT JOIN of a table function is not supported", "LEFT JOIN LATERAL"},
		{"SELECT * FROM t JOIN LATERAL TABLE(words(s)) AS r(s, y, z) USING (s)", "JOIN of a table function is not supported", ""},
		{"SELECT * FROM (SELECT COUNT(*) AS c FROM t), LATERAL TABLE(dice()) AS r(x)", "DICE over an updating result is not supported", "FuncVolatile"},
		{"SELECT * FROM t LEFT JOIN LATERAL TABLE(words(s)) AS r(x, y, z) ON y", "ON", ""},
	} {
		_, err := changes(engine, c.sql)
		if err == nil {
			t.Errorf("%s is taken", c.sql)
			continue
		}
		var e *streamsql.Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, c.want) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %v, want %s (%s)", c.sql, err, c.want, c.hint)
		}
	}
}

func TestRegisterTableFuncRefuses(t *testing.T) {
	engine := tableEngine(t)
	type inner struct{ X int64 }
	for _, c := range []struct {
		name string
		fn   any
		want string
	}{
		{"words", words, "exists already"}, {"upper", words, "exists already"}, {"a", nil, "is nil"}, {"a", 5, "not a function"},
		{"a", func() int64 { return 0 }, "must return a sequence"}, {"a", func() {}, "must return a sequence"},
		{"a", func() iter.Seq2[int64, string] { return nil }, "is string, not an error"},
		{"a", func() iter.Seq[chan int] { return nil }, "rows are chan int"},
		{"a", func() iter.Seq[struct{ x int64 }] { return nil }, "no exported fields"},
		{"a", func() iter.Seq[struct{ X chan int }] { return nil }, `field "X"`},
		{"a", func() iter.Seq[struct{ *inner }] { return nil }, "embedded pointer"},
		{"a", func(...int64) iter.Seq[int64] { return nil }, "any number of arguments"},
		{"a", func(chan int) iter.Seq[int64] { return nil }, "argument 1 of it has type chan int"},
	} {
		if err := engine.RegisterTableFunc(c.name, c.fn); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestTableFunctionShown: SHOW and DESCRIBE know table functions.
func TestTableFunctionShown(t *testing.T) {
	engine := tableEngine(t)
	if !slices.Contains(engine.Functions(), "WORDS") {
		t.Error("WORDS is not among the functions")
	}
	r, err := engine.Exec(t.Context(), "SHOW FUNCTIONS LIKE 'WORD%'")
	if err != nil || len(r.Rows) != 1 || *r.Rows[0][0] != "WORDS" {
		t.Errorf("SHOW FUNCTIONS: %v, %v", r.Rows, err)
	}
	r, err = engine.Exec(t.Context(), "DESCRIBE FUNCTION words")
	if err != nil || len(r.Rows) != 3 || *r.Rows[0][1] != "WORDS(STRING)" || *r.Rows[2][1] != "table function" {
		t.Errorf("DESCRIBE FUNCTION: %v, %v", r.Rows, err)
	}
	r, err = engine.Exec(t.Context(), "EXPLAIN SELECT v FROM TABLE(naturals(1)) AS r(v)")
	if err != nil || !strings.Contains(fmt.Sprint(*r.Rows[0][0]), "TableFunction call=NATURALS(1)") {
		t.Errorf("EXPLAIN: %v, %v", *r.Rows[0][0], err)
	}
}

func ExampleEngine_RegisterTableFunc() {
	engine, err := streamsql.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	type part struct {
		Key   string `sql:"key"`
		Value string `sql:"value"`
	}
	err = engine.RegisterTableFunc("parts", func(text string) iter.Seq[part] {
		return func(yield func(part) bool) {
			for p := range strings.SplitSeq(text, "&") {
				key, value, _ := strings.Cut(p, "=")
				if !yield(part{key, value}) {
					return
				}
			}
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	query, err := engine.Query(context.Background(), `SELECT id, key, value
		FROM (VALUES (1, 'lang=de&page=2'), (2, 'page=7')) AS t(id, args) CROSS JOIN LATERAL TABLE(parts(args))`)
	if err != nil {
		log.Fatal(err)
	}
	type row struct {
		ID         int32
		Key, Value string
	}
	for r, err := range streamsql.Rows[row](query) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.ID, r.Key, r.Value)
	}
	// Output:
	// 1 lang de
	// 1 page 2
	// 2 page 7
}
