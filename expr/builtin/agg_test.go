package builtin

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/types/bitmap"
)

func aggregate(t testing.TB, name string, retract bool, args ...types.Type) (expr.Accumulator, types.Type) {
	t.Helper()
	for _, a := range Aggregates() {
		if a.Name == name {
			r, err := a.Resolve(args, false, retract)
			if err != nil {
				t.Fatal(err)
			}
			return r.New(), r.Result
		}
	}
	t.Fatalf("no aggregate %s", name)
	return nil, types.Type{}
}

func aggColumn(t types.Type, vals ...types.Value) *stream.Vec {
	v := new(stream.Vec)
	v.Reset(t, len(vals))
	for i, x := range vals {
		v.Put(i, len(vals), x)
	}
	return v
}

// results prints the results of groups.
func results(a expr.Accumulator, t types.Type, groups []int32, n int) ([]string, error) {
	var out stream.Vec
	out.Reset(t, n)
	if err := a.Result(groups, n, &out); err != nil {
		return nil, err
	}
	var s []string
	for i := range n {
		s = append(s, show(t, out.Value(i)))
	}
	return s, nil
}

func show(t types.Type, v types.Value) string {
	switch {
	case v.Null:
		return "NULL"
	case t.Kind == types.Array:
		a := types.ReadArray(t, []byte(v.S))
		texts := make([]string, a.Len())
		for i := range texts {
			texts[i] = show(t.Elem(), a.Value(i))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case t.Kind == types.Multiset:
		m := types.ReadMap(t, []byte(v.S))
		texts := make([]string, m.Len())
		for i := range texts {
			texts[i] = show(t.Elem(), m.Keys.Value(i)) + "=" + fmt.Sprint(m.Values.Value(i).I)
		}
		return "{" + strings.Join(texts, ", ") + "}"
	case t.Kind == types.Bitmap:
		return string(bitmap.AppendText(nil, []byte(v.S)))
	case t.Layout() == types.Int128:
		return v.D.BigInt().String()
	case t.IsApproximate():
		return fmt.Sprint(v.F)
	case t.Layout() == types.Bytes:
		return v.S
	}
	return fmt.Sprint(v.I)
}

func ints(vals ...int64) []types.Value {
	var out []types.Value
	for _, x := range vals {
		out = append(out, types.IntValue(x))
	}
	return out
}

func floats(vals ...float64) []types.Value {
	var out []types.Value
	for _, x := range vals {
		out = append(out, types.FloatValue(x))
	}
	return out
}

func TestAggregateTypes(t *testing.T) {
	dec := types.NewDecimal
	for _, c := range []struct {
		name     string
		arg      types.Type
		want     string
		required bool
	}{
		{"COUNT", types.Of(types.Varchar), "BIGINT NOT NULL", true},
		{"SUM", types.Of(types.TinyInt), "TINYINT", false},
		{"SUM", types.Of(types.Int), "INT", false},
		{"SUM", types.Of(types.BigInt), "BIGINT", false},
		{"SUM", types.Of(types.Float), "FLOAT", false},
		{"SUM", dec(10, 2), "DECIMAL(38, 2)", false},
		{"SUM", dec(38, 18), "DECIMAL(38, 18)", false},
		{"SUM", dec(5, 0), "DECIMAL(38, 0)", false},
		{"AVG", types.Of(types.BigInt), "BIGINT", false},
		{"AVG", types.Of(types.Double), "DOUBLE", false},
		{"AVG", dec(10, 2), "DECIMAL(38, 6)", false},
		{"AVG", dec(5, 0), "DECIMAL(38, 6)", false},
		{"AVG", dec(38, 18), "DECIMAL(38, 18)", false},
		{"MIN", types.Of(types.TinyInt), "TINYINT", false},
		{"MAX", types.Of(types.Boolean), "BOOLEAN", false},
		{"FIRST_VALUE", dec(10, 2), "DECIMAL(10, 2)", false},
		{"FIRST_VALUE", types.Of(types.IntervalMonth), "INTERVAL MONTH", false},
		{"LAST_VALUE", types.Of(types.SmallInt).Required(), "SMALLINT", false},
	} {
		if _, got := aggregate(t, c.name, false, c.arg); got.String() != c.want {
			t.Errorf("%s(%s) is %s, want %s", c.name, c.arg, got, c.want)
		}
	}
}

func TestAggregatesRefuse(t *testing.T) {
	for _, c := range []struct {
		name     string
		distinct bool
		args     []types.Type
		want     string
	}{
		{"SUM", false, []types.Type{types.Of(types.Varchar)}, "SUM needs a number, not STRING"},
		{"AVG", false, []types.Type{types.Of(types.Date)}, "AVG needs a number, not DATE"},
		{"SUM", false, []types.Type{types.Of(types.IntervalDay)}, "SUM needs a number, not INTERVAL SECOND(3)"},
		{"SUM", false, []types.Type{types.Of(types.Null)}, "SUM needs a number, not NULL"},
		{"SUM", false, nil, "SUM takes one number, not 0 arguments"},
		{"SUM", true, []types.Type{types.Of(types.Int), types.Of(types.Int)}, "SUM takes one number, not 2 arguments"},
		{"MIN", false, []types.Type{types.Of(types.Varbinary)}, "MIN needs a number, text, date, time or BOOLEAN, not BYTES"},
		{"MAX", false, []types.Type{types.Of(types.IntervalDay)}, "MAX needs a number, text, date, time or BOOLEAN, not INTERVAL SECOND(3)"},
		{"COUNT", false, []types.Type{types.Of(types.Int), types.Of(types.Int)}, "COUNT takes * or one value, not 2"},
		{"COUNT", true, nil, "COUNT(DISTINCT) needs a value"},
	} {
		for _, a := range Aggregates() {
			if a.Name != c.name {
				continue
			}
			if _, err := a.Resolve(c.args, c.distinct, false); err == nil || err.Error() != c.want {
				t.Errorf("%s%v: %v, want %s", c.name, c.args, err, c.want)
			}
		}
	}
}

// TestAggregateValues holds values that were seen on Flink, or follow from exact
// arithmetic where Flink wraps.
func TestAggregateValues(t *testing.T) {
	nan, inf, minus0 := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct {
		name    string
		retract bool
		arg     types.Type
		vals    []types.Value
		want    string // a result, or an error
	}{
		{"SUM", false, types.Of(types.Int), ints(5, 1), "6"},
		{"SUM", false, types.Of(types.TinyInt), ints(100, 27), "127"},
		{"SUM", false, types.Of(types.TinyInt), ints(100, 28), "SUM is out of range for TINYINT: 128"},
		{"SUM", false, types.Of(types.TinyInt), ints(-100, -28), "-128"},
		{"SUM", false, types.Of(types.TinyInt), ints(-100, -29), "SUM is out of range for TINYINT: -129"},
		{"SUM", false, types.Of(types.Int), ints(math.MaxInt32, 1, -1), "2147483647"},
		{"SUM", false, types.Of(types.BigInt), ints(math.MaxInt64, math.MaxInt64, math.MinInt64), "9223372036854775806"},
		{"SUM", false, types.Of(types.BigInt), ints(math.MaxInt64, 1), "SUM is out of range for BIGINT: 9223372036854775808"},
		{"SUM", false, types.Of(types.BigInt), ints(math.MinInt64, -1), "SUM is out of range for BIGINT: -9223372036854775809"},
		{"AVG", false, types.Of(types.BigInt), ints(math.MaxInt64, math.MaxInt64, 0), "6148914691236517204"},
		{"AVG", false, types.Of(types.Int), ints(-1, -2), "-1"},
		{"AVG", false, types.Of(types.Int), ints(1, 2), "1"},
		{"AVG", false, types.Of(types.TinyInt), ints(100, 7), "53"},
		{"AVG", false, types.Of(types.Float), floats(1.5, 2.5, float64(float32(0.1))), "1.3666666746139526"}, // prints 1.3666667
		{"SUM", false, types.Of(types.Float), floats(2.5, float64(float32(0.1))), "2.5999999046325684"},      // prints 2.6
		{"SUM", false, types.Of(types.Double), floats(1e308, 1e308, -1e308), "+Inf"},
		{"SUM", false, types.Of(types.Double), floats(0.1, 0.2, 0.3), "0.6000000000000001"},
		{"SUM", false, types.Of(types.Double), floats(minus0), "-0"},
		{"SUM", false, types.Of(types.Double), floats(minus0, 0), "0"},
		{"AVG", false, types.Of(types.Double), floats(1, nan), "NaN"},
		{"SUM", false, types.NewDecimal(10, 2), ints(1005, 2010, -333), "2682"},
		{"AVG", false, types.NewDecimal(10, 2), ints(1005, 2010, -333, 2010), "11730000"},
		{"AVG", false, types.NewDecimal(10, 0), ints(1, 2, 2), "1666667"},
		{"AVG", false, types.NewDecimal(10, 0), ints(-1, -2, -2), "-1666667"},
		{"AVG", false, types.NewDecimal(10, 6), ints(1, 2), "2"},
		{"AVG", false, types.NewDecimal(10, 6), ints(-1, -2), "-2"},
		{"SUM", false, types.NewDecimal(38, 0), nines(38, 1), "99999999999999999999999999999999999999"},
		{"SUM", false, types.NewDecimal(38, 0), append(nines(38, 1), types.Value{D: decimal128.FromI64(1)}), "SUM is out of range for DECIMAL(38, 0): 100000000000000000000000000000000000000"},
		{"SUM", false, types.NewDecimal(38, 2), nines(38, 9), "SUM is out of range for DECIMAL(38, 2): 8999999999999999999999999999999999999.91"},
		{"AVG", false, types.NewDecimal(38, 6), nines(38, 9), "99999999999999999999999999999999999999"},
		{"AVG", false, types.NewDecimal(38, 0), nines(38, 1), "AVG is out of range for DECIMAL(38, 6): 99999999999999999999999999999999999999.000000"},
		{"MIN", false, types.Of(types.Double), floats(nan, 1, 2), "NaN"},
		{"MIN", false, types.Of(types.Double), floats(1, nan, 0), "0"},
		{"MAX", false, types.Of(types.Double), floats(1, nan, 0), "1"},
		{"MAX", false, types.Of(types.Double), floats(1, inf), "+Inf"},
		{"MIN", false, types.Of(types.Double), floats(0, minus0), "0"},
		{"MIN", true, types.Of(types.Double), floats(nan, 1, 2), "1"},
		{"MAX", true, types.Of(types.Double), floats(nan, 1, 2), "NaN"},
		{"MIN", true, types.Of(types.Double), floats(0, minus0), "-0"},
		{"MAX", true, types.Of(types.Double), floats(minus0, 0), "0"},
		{"MIN", true, types.Of(types.Double), floats(-1, -2, math.Inf(-1)), "-Inf"},
		{"MIN", false, types.Of(types.Varchar), textVals("x", "Z", "ab", "é"), "Z"},
		{"MAX", false, types.Of(types.Varchar), textVals("x", "Z", "ab", "é"), "é"},
		{"MIN", false, types.Of(types.Varchar), textVals("ab", "a", ""), ""},
		{"MIN", false, types.Of(types.Boolean), ints(1, 0), "0"},
		{"MAX", false, types.Of(types.Boolean), ints(0, 1), "1"},
		{"FIRST_VALUE", false, types.Of(types.Int), append([]types.Value{types.NullValue}, ints(2, 3)...), "2"},
		{"LAST_VALUE", false, types.Of(types.Int), append(ints(2, 3), types.NullValue), "3"},
		{"LAST_VALUE", false, types.Of(types.Varchar), textVals("a long one", "b"), "b"},
		{"LAST_VALUE", false, types.Of(types.Double), floats(1, minus0), "-0"},
		{"SUM", false, types.Of(types.Int), []types.Value{types.NullValue}, "NULL"},
		{"AVG", false, types.NewDecimal(10, 2), []types.Value{types.NullValue}, "NULL"},
		{"MIN", false, types.Of(types.Varchar), []types.Value{types.NullValue}, "NULL"},
		{"COUNT", false, types.Of(types.Int), append(ints(1, 1), types.NullValue), "2"},
	} {
		a, typ := aggregate(t, c.name, c.retract, c.arg)
		a.Grow(1)
		v := aggColumn(c.arg, c.vals...)
		if err := a.Add(make([]int32, v.N), []*stream.Vec{v}, expr.Rows{N: v.N}); err != nil {
			t.Fatal(err)
		}
		got, err := results(a, typ, nil, 1)
		if err != nil {
			got = []string{err.Error()}
			if re := err.(*expr.RowError); re.Hint == "" || re.Row != 0 {
				t.Errorf("%s: error %+v", c.name, re)
			}
		}
		if got[0] != c.want {
			t.Errorf("%s(%s) of %v: %s, want %s", c.name, c.arg, c.vals, got[0], c.want)
		}
	}
}

func nines(digits, n int) []types.Value {
	x, _ := new(big.Int).SetString(strings.Repeat("9", digits), 10)
	var out []types.Value
	for range n {
		out = append(out, types.Value{D: decimal128.FromBigInt(x)})
	}
	return out
}

func textVals(vals ...string) []types.Value {
	var out []types.Value
	for _, s := range vals {
		out = append(out, types.TextValue(s))
	}
	return out
}

func TestCountStar(t *testing.T) {
	a, typ := aggregate(t, "COUNT", true)
	a.Grow(2)
	if err := a.Add([]int32{0, 1, 0}, nil, expr.Rows{N: 3}); err != nil {
		t.Fatal(err)
	}
	if err := a.Retract([]int32{0, 1, 0}, nil, expr.Rows{N: 3, Sel: []int32{2}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := results(a, typ, nil, 2); fmt.Sprint(got) != "[1 1]" {
		t.Errorf("counts %v", got)
	}
}

// TestRetractBeforeAdd: a value that was taken before it came is not there until it
// has come twice.
func TestRetractBeforeAdd(t *testing.T) {
	a, typ := aggregate(t, "MIN", true, types.Of(types.Int))
	a.Grow(1)
	v := aggColumn(types.Of(types.Int), ints(1, 5)...)
	groups := []int32{0, 0}
	steps := []struct {
		f    func([]int32, []*stream.Vec, expr.Rows) error
		sel  []int32
		want string
	}{
		{a.Retract, []int32{0}, "NULL"},
		{a.Add, []int32{1}, "5"},
		{a.Add, []int32{0}, "5"},
		{a.Add, []int32{0}, "1"},
	}
	for i, s := range steps {
		if err := s.f(groups, []*stream.Vec{v}, expr.Rows{N: 2, Sel: s.sel}); err != nil {
			t.Fatal(err)
		}
		if got, _ := results(a, typ, nil, 1); got[0] != s.want {
			t.Errorf("step %d: %s, want %s", i, got[0], s.want)
		}
	}
}

// TestTextsArePacked: replaced texts must not stay for ever.
func TestTextsArePacked(t *testing.T) {
	for _, c := range []struct {
		name    string
		retract bool
	}{{"MIN", false}, {"LAST_VALUE", false}, {"MIN", true}} {
		a, typ := aggregate(t, c.name, c.retract, types.Of(types.Varchar))
		a.Grow(1)
		for i := range 20_000 {
			v := aggColumn(types.Of(types.Varchar), types.TextValue(strings.Repeat("x", 20+i%90)+fmt.Sprint(20_000-i)))
			if err := a.Add([]int32{0}, []*stream.Vec{v}, expr.Rows{N: 1}); err != nil {
				t.Fatal(err)
			}
			if c.retract {
				if err := a.Retract([]int32{0}, []*stream.Vec{v}, expr.Rows{N: 1}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := results(a, typ, nil, 1); err != nil {
			t.Fatal(err)
		}
		if a.Bytes() > 1<<16 {
			t.Errorf("%s, retract %v: holds %d bytes for one group", c.name, c.retract, a.Bytes())
		}
	}
}

func TestDamagedSnapshots(t *testing.T) {
	for _, name := range []string{"COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST_VALUE"} {
		for _, typ := range []types.Type{types.Of(types.Int), types.Of(types.Double), types.NewDecimal(38, 0), types.Of(types.Varchar)} {
			for _, retract := range []bool{false, true} {
				if typ.IsText() && (name == "SUM" || name == "AVG") {
					continue
				}
				a, _ := aggregate(t, name, retract, typ)
				a.Grow(3)
				there := make([][]types.Value, 3)
				feed(t, a, typ, there, false, false, rand.New(rand.NewPCG(3, 3)))
				var e stream.Encoder
				a.Snapshot(&e)
				for cut := range len(e.Bytes()) {
					b, _ := aggregate(t, name, retract, typ)
					if err := b.Restore(stream.NewDecoder(e.Bytes()[:cut])); err == nil {
						t.Fatalf("%s(%s): a snapshot cut to %d of %d bytes was taken", name, typ, cut, len(e.Bytes()))
					}
				}
			}
		}
	}
}

// TestMultisetIsBalanced: values that come in order must not make a list of the tree.
func TestMultisetIsBalanced(t *testing.T) {
	m := multiset{}
	m.roots.Grow(1)
	const n = 20_000
	for i := range int64(n) {
		m.add(0, &probe{hi: i}, 1)
	}
	var depth func(root int32) int
	depth = func(root int32) int {
		if root == 0 {
			return 0
		}
		x := m.node(root)
		return 1 + max(depth(x.left), depth(x.right))
	}
	if d := depth(*m.roots.At(0)); d > 60 {
		t.Errorf("%d values in order make a tree of depth %d", n, d)
	}
	for i := range int64(n) {
		m.add(0, &probe{hi: n - 1 - i}, -1)
	}
	if *m.roots.At(0) != 0 {
		t.Error("values are left")
	}
	m.add(0, &probe{hi: 1}, 1)
	if m.nodes.Len() != n {
		t.Errorf("%d nodes, freed ones are not used again", m.nodes.Len())
	}
}
