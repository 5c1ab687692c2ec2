package builtin

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// model computes an aggregate from the values of one group, in arrival order.
func model(name string, t types.Type, vals []types.Value) string {
	if name == "COUNT" {
		return fmt.Sprint(len(vals))
	}
	if name == "COLLECT" {
		return modelMultiset(t, vals)
	}
	if len(vals) == 0 {
		return "NULL"
	}
	if strings.HasPrefix(name, "BITMAP_") {
		return modelBitmap(name, vals)
	}
	switch name {
	case "ARRAY_AGG":
		texts := make([]string, len(vals))
		for i, v := range vals {
			texts[i] = show(t, v)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case "FIRST_VALUE":
		return show(t, vals[0])
	case "LAST_VALUE":
		return show(t, vals[len(vals)-1])
	case "MIN", "MAX":
		best := vals[0]
		for _, v := range vals[1:] {
			if c := compareAggValues(t, v, best); name == "MIN" && c < 0 || name == "MAX" && c > 0 {
				best = v
			}
		}
		return show(t, best)
	}
	if t.IsApproximate() {
		sum := 0.0
		for _, v := range vals {
			sum += v.F
		}
		if name == "AVG" {
			sum /= float64(len(vals))
		}
		if t.Kind == types.Float {
			sum = float64(float32(sum))
		}
		return fmt.Sprint(sum)
	}
	sum := new(big.Int)
	for _, v := range vals {
		if t.Layout() == types.Int128 {
			sum.Add(sum, v.D.BigInt())
		} else {
			sum.Add(sum, big.NewInt(v.I))
		}
	}
	if name == "AVG" {
		n := big.NewInt(int64(len(vals)))
		if t.Kind != types.Decimal {
			return sum.Quo(sum, n).String()
		}
		for range max(0, 6-int(t.Scale)) {
			sum.Mul(sum, big.NewInt(10))
		}
		// Half up, away from zero: (2|s| + n) / 2n.
		neg := sum.Sign() < 0
		sum.Abs(sum)
		sum.Add(sum.Lsh(sum, 1), n)
		sum.Quo(sum, new(big.Int).Lsh(n, 1))
		if neg {
			sum.Neg(sum)
		}
	}
	return sum.String()
}

func modelMultiset(t types.Type, vals []types.Value) string {
	sorted := slices.Clone(vals)
	slices.SortStableFunc(sorted, func(a, b types.Value) int { return compareAggValues(t, a, b) })
	var texts []string
	for i := 0; i < len(sorted); {
		n := 0
		for i+n < len(sorted) && sorted[i].Equal(sorted[i+n]) {
			n++
		}
		texts = append(texts, fmt.Sprintf("%s=%d", show(t, sorted[i]), n))
		i += n
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

func compareAggValues(t types.Type, a, b types.Value) int {
	switch {
	case t.Layout() == types.Int128:
		return a.D.Cmp(b.D)
	case t.Layout() == types.Bytes:
		return strings.Compare(a.S, b.S)
	case t.IsApproximate():
		return big.NewFloat(a.F).Cmp(big.NewFloat(b.F))
	}
	return big.NewInt(a.I).Cmp(big.NewInt(b.I))
}

func randomArg(r *rand.Rand, t types.Type) types.Value {
	if r.IntN(6) == 0 {
		return types.NullValue
	}
	if t.Kind == types.Bitmap {
		return randomBitmap(r)
	}
	x := r.Int64N(9) - 4
	switch t.Layout() {
	case types.Bits:
		return types.BoolValue(x > 0)
	case types.Float32, types.Float64:
		return types.FloatValue(float64(x) / 4) // sums of these are exact in any order
	case types.Int128:
		return types.Value{D: decimal128.New(x, r.Uint64()%3)}
	case types.Int64:
		return types.IntValue(x * 1e15)
	case types.Bytes:
		return types.TextValue(strings.Repeat("ab", int(x+4)*3) + string(rune('a'+x+4)))
	}
	return types.IntValue(x)
}

// TestAggregatesAgainstModel adds, retracts, merges, snapshots and selects at random
// and compares with a computation from the values that should be there.
func TestAggregatesAgainstModel(t *testing.T) {
	numbers := []types.Type{
		types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt),
		types.Of(types.Float), types.Of(types.Double), types.NewDecimal(18, 2), types.NewDecimal(38, 0), types.NewDecimal(38, 9),
	}
	others := []types.Type{types.Of(types.Boolean), types.Of(types.Varchar), types.NewTimestamp(3), types.Of(types.Date)}
	for _, name := range []string{"COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "ARRAY_AGG", "COLLECT"} {
		list := numbers
		if name != "SUM" && name != "AVG" {
			list = append(append([]types.Type{}, numbers...), others...)
		}
		if name == "FIRST_VALUE" || name == "LAST_VALUE" || name == "COLLECT" {
			list = append(list, types.Of(types.IntervalMonth), types.Of(types.IntervalDay))
		}
		for _, typ := range list {
			for _, retract := range []bool{false, true} {
				for seed := range uint64(6) {
					checkAggregate(t, name, typ, retract, rand.New(rand.NewPCG(seed, 7)))
				}
			}
		}
	}
}

func checkAggregate(t *testing.T, name string, typ types.Type, retract bool, r *rand.Rand) {
	t.Helper()
	const maxGroups = 5
	acc, result := aggregate(t, name, retract, typ)
	there := make([][]types.Value, 0, maxGroups)
	for range 30 {
		if len(there) == 0 || len(there) < maxGroups && r.IntN(3) == 0 {
			there = append(there, nil)
			acc.Grow(len(there))
		}
		switch op := r.IntN(8); {
		case op == 0:
			var e stream.Encoder
			acc.Snapshot(&e)
			d := stream.NewDecoder(e.Bytes())
			acc, _ = aggregate(t, name, retract, typ)
			if err := acc.Restore(d); err != nil || d.Len() > 0 {
				t.Fatalf("%s(%s): restore: %v, %d left", name, typ, err, d.Len())
			}
		case op == 1:
			// A second accumulator with groups in another order, merged in.
			other, _ := aggregate(t, name, retract, typ)
			other.Grow(len(there))
			more := make([][]types.Value, len(there))
			feed(t, other, typ, more, false, name == "ARRAY_AGG", r)
			groups, from := make([]int32, len(there)), make([]int32, len(there))
			for i, p := range r.Perm(len(there)) {
				groups[i], from[i] = int32(i), int32(p)
				there[i] = append(there[i], more[p]...)
			}
			if err := acc.Merge(groups, other, from); err != nil {
				t.Fatal(err)
			}
		case op == 2 && r.IntN(4) == 0:
			acc.Reset()
			acc.Grow(len(there))
			for g := range there {
				there[g] = nil
			}
		case op < 5 && retract:
			feed(t, acc, typ, there, true, name == "ARRAY_AGG", r)
		default:
			feed(t, acc, typ, there, false, name == "ARRAY_AGG", r)
		}
		var groups []int32
		n := len(there)
		if r.IntN(2) == 0 {
			n = 1 + r.IntN(7)
			for range n {
				groups = append(groups, int32(r.IntN(len(there))))
			}
		}
		got, err := results(acc, result, groups, n)
		if err != nil {
			if name == "SUM" {
				continue // out of range for a narrow type; values in range are compared
			}
			t.Fatal(err)
		}
		for k := range n {
			g := groupAt(groups, k)
			if want := model(name, typ, there[g]); got[k] != want {
				t.Fatalf("%s(%s), retract %v: group %d of %v: %s, want %s", name, typ, retract, g, there[g], got[k], want)
			}
		}
	}
}

// feed adds random rows to acc, or takes rows that are there out of it. nulls: NULLs count
// as values.
func feed(t *testing.T, acc expr.Accumulator, typ types.Type, there [][]types.Value, retract, nulls bool, r *rand.Rand) {
	t.Helper()
	n := 1 + r.IntN(12)
	vals, groups := make([]types.Value, n), make([]int32, n)
	rows := expr.Rows{N: n}
	if r.IntN(2) == 0 || retract {
		rows.Sel = []int32{}
	}
	constant := r.IntN(5) == 0 && !retract
	one := randomArg(r, typ)
	for i := range n {
		g := r.IntN(len(there))
		groups[i], vals[i] = int32(g), randomArg(r, typ)
		if constant {
			vals[i] = one
		}
		take := rows.Sel == nil || r.IntN(3) > 0
		if retract {
			if len(there[g]) == 0 {
				continue
			}
			k := r.IntN(len(there[g]))
			vals[i] = there[g][k]
			k = slices.IndexFunc(there[g], vals[i].Equal) // of equal values the first is taken
			there[g] = append(there[g][:k:k], there[g][k+1:]...)
			rows.Sel = append(rows.Sel, int32(i))
			continue
		}
		if rows.Sel != nil && take {
			rows.Sel = append(rows.Sel, int32(i))
		}
		if take && (nulls || !vals[i].Null) {
			there[g] = append(there[g], vals[i])
		}
	}
	v := aggColumn(typ, vals...)
	if constant {
		v.SetConst(typ, one)
	}
	f := acc.Add
	if retract {
		f = acc.Retract
	}
	if err := f(groups, []*stream.Vec{v}, rows); err != nil {
		t.Fatal(err)
	}
}
