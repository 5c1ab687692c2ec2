package builtin

import (
	"math"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TestSpreadValues has answers of Flink 2.3, value by value.
func TestSpreadValues(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  types.Type
		vals []types.Value
		want []string // after each value
	}{
		{"VAR_POP", types.Of(types.Double), floats(1.1, 2.7, 3.3, 10, 17.9), []string{"0", "0.6400000000000001", "0.862222222222222", "11.571874999999999", "38.959999999999994"}},
		{"VARIANCE", types.Of(types.Double), floats(1.1, 2.7, 3.3, 10, 17.9), []string{"NULL", "1.2800000000000002", "1.293333333333333", "15.429166666666665", "48.69999999999999"}},
		{"STDDEV_POP", types.Of(types.Double), floats(1.1, 2.7, 3.3, 10, 17.9), []string{"0", "0.8", "0.9285592184789412", "3.401745875282279", "6.241794613730893"}},
		{"STDDEV", types.Of(types.Double), floats(1.1, 2.7, 3.3, 10, 17.9), []string{"NULL", "1.1313708498984762", "1.1372481406154653", "3.927997793617846", "6.97853852894716"}},
		{"STDDEV_POP", types.Of(types.TinyInt), floats(100, 100, 7, 100), []string{"0", "0", "43", "40"}},
		{"VAR_SAMP", types.Of(types.Int), floats(1, 2, 4), []string{"NULL", "0", "2"}},
		{"VAR_POP", types.NewDecimal(3, 2), floats(1.5, 2.5, 4.25), []string{"0", "250000", "1291667"}},
		{"STDDEV_SAMP", types.NewDecimal(20, 9), floats(1.123456789, 2.5, 99999999999.5), []string{"NULL", "973363039", "57735026917627900000"}},
		{"VAR_SAMP", types.Of(types.TinyInt), floats(100, 100, 7), []string{"NULL", "0", "VAR_SAMP is out of range for TINYINT: 2883.0"}},
		{"VAR_POP", types.Of(types.Double), floats(math.Inf(1), 1), []string{"NaN", "NaN"}},
	} {
		a, typ := aggregateAlias(t, c.name, false, c.typ)
		a.Grow(1)
		for i, x := range c.vals {
			if err := a.Add([]int32{0}, []*stream.Vec{aggColumn(doubleType, x)}, expr.Rows{N: 1}); err != nil {
				t.Fatal(err)
			}
			got, err := results(a, typ, nil, 1)
			if err != nil {
				got = []string{err.Error()}
			}
			if got[0] != c.want[i] {
				t.Errorf("%s of %v is %s, want %s", c.name, c.vals[:i+1], got[0], c.want[i])
			}
		}
	}
}

// aggregateAlias is aggregate by any of its names.
func aggregateAlias(t *testing.T, name string, retract bool, args ...types.Type) (expr.Accumulator, types.Type) {
	t.Helper()
	r, err := expr.NewRegistry(nil, Aggregates()).Aggregate(name).Resolve(args, false, retract)
	if err != nil {
		t.Fatal(err)
	}
	return r.New(), r.Result
}

// TestPercentileValues has answers of Flink 2.3, value by value.
func TestPercentileValues(t *testing.T) {
	vals := floats(1.1, 2.7, 3.3, 10, 17.9)
	for p, want := range map[float64][]string{
		0.15:  {"1.1", "1.3399999999999999", "1.58", "1.8199999999999998", "2.0600000000000005"},
		0.35:  {"1.1", "1.6600000000000001", "2.2199999999999998", "2.7300000000000004", "2.94"},
		0.77:  {"1.1", "2.3320000000000003", "3.024", "5.377000000000001", "10.632"},
		0.123: {"1.1", "1.2968000000000002", "1.4936", "1.6904000000000001", "1.8872"},
	} {
		a, typ := aggregate(t, "PERCENTILE", false, doubleType, doubleType)
		a.Grow(1)
		fraction := new(stream.Vec)
		fraction.SetConst(doubleType, types.FloatValue(p))
		for i, x := range vals {
			if err := a.Add([]int32{0}, []*stream.Vec{aggColumn(doubleType, x), fraction}, expr.Rows{N: 1}); err != nil {
				t.Fatal(err)
			}
			if got, _ := results(a, typ, nil, 1); got[0] != want[i] {
				t.Errorf("PERCENTILE of %v, %v is %s, want %s", vals[:i+1], p, got[0], want[i])
			}
		}
	}
	a, typ := aggregate(t, "PERCENTILE", false, doubleType, doubleType, bigintType)
	a.Grow(1)
	x := aggColumn(doubleType, append(floats(10, 20, 30, 40, 5), types.NullValue)...)
	w := aggColumn(bigintType, append(ints(1, 3, 0), types.NullValue, types.IntValue(-1), types.IntValue(2))...)
	half := aggColumn(doubleType, floats(0.3, 0.3, 0.3, 0.3, 0.3, 0.3)...)
	if err := a.Add(make([]int32, 6), []*stream.Vec{x, half, w}, expr.Rows{N: 6}); err != nil {
		t.Fatal(err)
	}
	if got, _ := results(a, typ, nil, 1); got[0] != "19" {
		t.Errorf("with weights it is %s, want 19", got[0])
	}
}

func TestListValues(t *testing.T) {
	texts := aggColumn(stringType, append(textVals("b", "a", "a"), types.NullValue, types.TextValue(""))...)
	bar := new(stream.Vec)
	bar.SetConst(types.NewChar(1), types.TextValue("|"))
	keys := aggColumn(stringType, textVals("z", `k"`, "b", "a", "c")...)
	for _, c := range []struct {
		name string
		args []*stream.Vec
		want string
	}{
		{"LISTAGG", []*stream.Vec{texts}, "b,a,a,"},
		{"LISTAGG", []*stream.Vec{texts, bar}, "b|a|a|"},
		{"JSON_ARRAYAGG", []*stream.Vec{texts}, "[b,a,a,]"},
		{"JSON_OBJECTAGG", []*stream.Vec{keys, texts}, `{"b":a,"c":,"k\"":a,"z":b}`},
	} {
		var ts []types.Type
		for _, v := range c.args {
			ts = append(ts, v.Type)
		}
		a, typ := aggregate(t, c.name, false, ts...)
		a.Grow(2)
		if err := a.Add(make([]int32, 5), c.args, expr.Rows{N: 5}); err != nil {
			t.Fatal(err)
		}
		got, err := results(a, typ, nil, 2)
		if err != nil || got[0] != c.want {
			t.Errorf("%s is %v, %v, want %s", c.name, got, err, c.want)
		}
		if empty := map[string]string{"LISTAGG": "NULL", "JSON_ARRAYAGG": "[]", "JSON_OBJECTAGG": "{}"}[c.name]; got[1] != empty {
			t.Errorf("%s of nothing is %s, want %s", c.name, got[1], empty)
		}
	}
	a, typ := aggregate(t, "JSON_OBJECTAGG", false, stringType, stringType)
	a.Grow(1)
	if err := a.Add(make([]int32, 5), []*stream.Vec{texts, keys}, expr.Rows{N: 3}); err != nil {
		t.Fatal(err)
	}
	if _, err := results(a, typ, nil, 1); err == nil || !strings.Contains(err.Error(), "'a' comes twice") {
		t.Errorf("an equal key: %v", err)
	}
	if err := a.Add(make([]int32, 5), []*stream.Vec{texts, keys}, expr.Rows{N: 5}); err == nil {
		t.Error("a NULL key is taken")
	}
}

func TestMoreDamagedSnapshots(t *testing.T) {
	for _, c := range []struct {
		name string
		args []types.Type
	}{
		{"VAR_POP", []types.Type{doubleType}}, {"PERCENTILE", []types.Type{doubleType, doubleType}},
		{"LISTAGG", []types.Type{stringType}}, {"JSON_OBJECTAGG", []types.Type{stringType, stringType}},
	} {
		a, _ := aggregate(t, c.name, true, c.args...)
		a.Grow(3)
		var cols []*stream.Vec
		for _, typ := range c.args {
			if typ == doubleType {
				cols = append(cols, aggColumn(typ, floats(0.5, 0.25)...))
			} else {
				cols = append(cols, aggColumn(typ, textVals("a", "b")...))
			}
		}
		if err := a.Add([]int32{0, 1}, cols, expr.Rows{N: 2}); err != nil {
			t.Fatal(err)
		}
		var e stream.Encoder
		a.Snapshot(&e)
		for cut := range len(e.Bytes()) {
			b, _ := aggregate(t, c.name, true, c.args...)
			if err := b.Restore(stream.NewDecoder(e.Bytes()[:cut])); err == nil {
				t.Fatalf("%s: a snapshot cut to %d of %d bytes was taken", c.name, cut, len(e.Bytes()))
			}
		}
	}
}
