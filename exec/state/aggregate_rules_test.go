package state

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/types"
)

// aggregateRule says in plain words what an aggregate is: which arguments it takes, and
// its result over the rows of a group. Every aggregate of the registry has one.
type aggregateRule struct {
	// takes says which single arguments it takes; all others must be refused.
	takes func(types.Type) bool
	// more are lists of several arguments that it takes.
	more [][]ruleArg
	// keepsNulls: NULLs count as values.
	keepsNulls bool
	// past keeps what rows leave behind that are gone, where the result depends on it.
	past func(p *rulePast, t types.Type, x types.Value, take bool)
	// result is the result over the rows of a group, which are in order of arrival; "error: " and a part of
	// the message where there is none.
	result func(g *ruleGroup, args []ruleArg, result types.Type) string
	// near accepts a result that differs from the expected one by rounding.
	near func(g *ruleGroup, args []ruleArg, result types.Type, got string) bool
}

// ruleArg is an argument: of any value of a type, or the same constant in all rows.
type ruleArg struct {
	typ      types.Type
	constant *types.Value
	pool     []types.Value // instead of those of the type
}

// ruleRow is a row with its arguments.
type ruleRow struct {
	args   []types.Value
	filter types.Value
}

// ruleGroup is what one call has of a group.
type ruleGroup struct {
	retract bool      // the input takes rows back
	rows    []ruleRow // that count, in order of arrival
	values  []ruleSeen
	past    rulePast
}

// ruleSeen is a value of a DISTINCT call, with how often it is there.
type ruleSeen struct {
	key   string
	row   ruleRow
	count int
}

// rulePast is what rows leave behind.
type rulePast struct {
	sum     float64
	n       int
	best    types.Value
	has     bool
	largest float64 // of the values that ever were there
	broken  bool    // by a value that is no number, until the group is empty
}

// rules returns the rules by name.
func rules() map[string]aggregateRule {
	number := types.Type.IsNumeric
	all := func(types.Type) bool { return true }
	ordered := func(t types.Type) bool {
		return t.IsNumeric() || t.IsText() || t.IsTemporal() || t.Kind == types.Boolean
	}
	double, text := types.Of(types.Double), types.Of(types.Varchar)
	half, bar := types.FloatValue(0.3), types.TextValue("|")
	fractions := arrayOf(types.NewArray(double), types.FloatValue(0), types.FloatValue(0.6))
	spread := func(sample, root bool) aggregateRule {
		s := spreadRule{sample, root}
		return aggregateRule{takes: number, past: pastOfSpread, result: s.result, near: s.near}
	}
	m := map[string]aggregateRule{
		"COUNT": {takes: all, more: [][]ruleArg{{}}, result: func(g *ruleGroup, _ []ruleArg, _ types.Type) string { return fmt.Sprint(len(g.rows)) }},
		"SUM":   {takes: number, past: pastOfSum, result: sumRule},
		"$SUM0": {takes: number, past: pastOfSum, result: sum0Rule},
		"AVG":   {takes: number, past: pastOfMean, result: meanRule},
		"MIN":   {takes: ordered, past: pastOfExtreme(false), result: extremeRule(false)},
		"MAX":   {takes: ordered, past: pastOfExtreme(true), result: extremeRule(true)},
		"FIRST_VALUE": {takes: all, result: func(g *ruleGroup, args []ruleArg, _ types.Type) string {
			return edgeRule(g, args, func(n int) int { return 0 })
		}},
		"LAST_VALUE": {takes: all, result: func(g *ruleGroup, args []ruleArg, _ types.Type) string {
			return edgeRule(g, args, func(n int) int { return n - 1 })
		}},
		"VAR_POP":     spread(false, false),
		"VAR_SAMP":    spread(true, false),
		"STDDEV_POP":  spread(false, true),
		"STDDEV_SAMP": spread(true, true),
		"LISTAGG": {takes: types.Type.IsText, more: [][]ruleArg{{{typ: text}, {typ: types.NewChar(1), constant: &bar}}},
			result: func(g *ruleGroup, args []ruleArg, _ types.Type) string {
				separator := ","
				if len(args) > 1 {
					separator = args[1].constant.S
				}
				if len(g.rows) == 0 {
					return "NULL"
				}
				return strings.Join(textsOf(g), separator)
			}},
		"ARRAY_AGG": {takes: all, keepsNulls: true, result: func(g *ruleGroup, args []ruleArg, _ types.Type) string {
			if len(g.rows) == 0 {
				return "NULL"
			}
			var l []string
			for _, r := range g.rows {
				l = append(l, show(args[0].typ, r.args[0]))
			}
			return "[" + strings.Join(l, ", ") + "]"
		}},
		"COLLECT": {takes: all, result: collectRule},
		"JSON_ARRAYAGG": {takes: types.Type.IsText, result: func(g *ruleGroup, _ []ruleArg, _ types.Type) string {
			return "[" + strings.Join(textsOf(g), ",") + "]"
		}},
		"JSON_OBJECTAGG": {more: [][]ruleArg{{{typ: text, pool: keyPool()}, {typ: text}}}, result: objectRule},
		"PERCENTILE": {more: [][]ruleArg{
			{{typ: double}, {typ: double, constant: &half}},
			{{typ: double}, {typ: fractions.typ, constant: fractions.constant}},
			{{typ: double}, {typ: double, constant: &half}, {typ: types.Of(types.BigInt), pool: intValues(1, 1, 2, 3, 0, -1)}},
		}, result: percentileRule},
	}
	for name, r := range bitmapRules() {
		m[name] = r
	}
	return m
}

// counts reports whether a row counts for the aggregate.
func (r aggregateRule) counts(row ruleRow, args []ruleArg) bool {
	if r.keepsNulls {
		return true
	}
	for i, x := range row.args {
		if x.Null && args[i].constant == nil {
			return false
		}
	}
	return true
}

func textsOf(g *ruleGroup) []string {
	l := make([]string, len(g.rows))
	for i, r := range g.rows {
		l[i] = r.args[0].S
	}
	return l
}

// asFloat is a number as a DOUBLE.
func asFloat(t types.Type, x types.Value) float64 {
	switch {
	case t.IsApproximate():
		return x.F
	case t.Kind == types.Decimal:
		f, _ := new(big.Rat).SetFrac(unscaled(t, x), power10(int(t.Scale))).Float64()
		return f
	}
	return float64(x.I)
}

func unscaled(t types.Type, x types.Value) *big.Int {
	if t.Layout() == types.Int128 {
		return x.D.BigInt()
	}
	return big.NewInt(x.I)
}

func power10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// pastOfSum keeps the sum in the order of what happened: floating-point sums are not
// exact, and a NaN stays in them.
func pastOfSum(p *rulePast, t types.Type, x types.Value, take bool) {
	pastOfMean(p, t, x, take)
	if t.Kind == types.Float {
		p.sum = float64(float32(p.sum))
	}
}

func pastOfMean(p *rulePast, t types.Type, x types.Value, take bool) {
	if !t.IsApproximate() {
		return
	}
	if f := x.F; take {
		p.sum -= f
	} else if !p.has {
		p.sum, p.has = f, true
	} else {
		p.sum += f
	}
}

func sumRule(g *ruleGroup, args []ruleArg, result types.Type) string {
	t := args[0].typ
	if len(g.rows) == 0 {
		return "NULL"
	}
	if t.IsApproximate() {
		return show(result, types.FloatValue(g.past.sum))
	}
	return exact("SUM", exactSum(g, t), result)
}

func sum0Rule(g *ruleGroup, args []ruleArg, result types.Type) string {
	if args[0].typ.IsApproximate() {
		return show(result, types.FloatValue(g.past.sum+0))
	}
	return exact("$SUM0", exactSum(g, args[0].typ), result)
}

func exactSum(g *ruleGroup, t types.Type) *big.Int {
	sum := new(big.Int)
	for _, r := range g.rows {
		sum.Add(sum, unscaled(t, r.args[0]))
	}
	return sum
}

// exact prints an exact number, or says that it is out of range.
func exact(name string, x *big.Int, t types.Type) string {
	if t.Kind == types.Decimal {
		if new(big.Int).Abs(x).Cmp(power10(int(t.Precision))) >= 0 {
			return "error: " + name + " is out of range for DECIMAL"
		}
		return show(t, types.Value{D: decimal128.FromBigInt(x)})
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(8*t.Layout().Width()-1))
	if x.Cmp(limit) >= 0 || x.Cmp(new(big.Int).Neg(limit)) < 0 {
		return fmt.Sprintf("error: %s is out of range for %s: %s", name, t.Name(), x)
	}
	return x.String()
}

func meanRule(g *ruleGroup, args []ruleArg, result types.Type) string {
	t, n := args[0].typ, int64(len(g.rows))
	if n == 0 {
		return "NULL"
	}
	if t.IsApproximate() {
		mean := (g.past.sum + 0) / float64(n)
		if t.Kind == types.Float {
			mean = float64(float32(mean))
		}
		return show(result, types.FloatValue(mean))
	}
	sum := exactSum(g, t)
	if t.Kind != types.Decimal {
		return exact("AVG", sum.Quo(sum, big.NewInt(n)), result) // toward zero
	}
	// Half up, away from zero, at the scale of the result: (2 |s| + n) / 2n.
	sum.Mul(sum, power10(int(result.Scale-t.Scale)))
	negative := sum.Sign() < 0
	sum.Abs(sum).Lsh(sum, 1)
	sum.Add(sum, big.NewInt(n)).Quo(sum, big.NewInt(2*n))
	if negative {
		sum.Neg(sum)
	}
	return exact("AVG", sum, result)
}

// pastOfExtreme keeps the best value of rows that are only added: a NaN is neither less
// nor greater than anything, so where it comes first it stays.
func pastOfExtreme(greatest bool) func(*rulePast, types.Type, types.Value, bool) {
	return func(p *rulePast, t types.Type, x types.Value, take bool) {
		better := x.F < p.best.F
		if greatest {
			better = x.F > p.best.F
		}
		if !take && t.IsApproximate() && (!p.has || better) {
			p.best, p.has = x, true
		}
	}
}

// extremeRule: with retraction floating-point values are in total order, -0.0 below 0.0
// and NaN above all; without, they are compared as they come.
func extremeRule(greatest bool) func(*ruleGroup, []ruleArg, types.Type) string {
	return func(g *ruleGroup, args []ruleArg, result types.Type) string {
		t := args[0].typ
		if len(g.rows) == 0 {
			return "NULL"
		}
		if t.IsApproximate() && !g.retract {
			return show(result, g.past.best)
		}
		best := g.rows[0].args[0]
		for _, r := range g.rows[1:] {
			c := compareValues(t, r.args[0], best)
			if greatest && c > 0 || !greatest && c < 0 {
				best = r.args[0]
			}
		}
		return show(result, best)
	}
}

func compareValues(t types.Type, a, b types.Value) int {
	switch {
	case t.IsApproximate():
		rank := func(x float64) float64 {
			if x != x {
				return math.Inf(1)
			}
			return x
		}
		x, y := rank(a.F), rank(b.F)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		case a.F != a.F || b.F != b.F: // infinite is below NaN
			return boolInt(a.F != a.F) - boolInt(b.F != b.F)
		}
		return boolInt(math.Signbit(b.F)) - boolInt(math.Signbit(a.F))
	case t.Layout() == types.Bytes:
		return strings.Compare(a.S, b.S)
	}
	return unscaled(t, a).Cmp(unscaled(t, b))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func edgeRule(g *ruleGroup, args []ruleArg, place func(n int) int) string {
	if len(g.rows) == 0 {
		return "NULL"
	}
	return show(args[0].typ, g.rows[place(len(g.rows))].args[0])
}

func collectRule(g *ruleGroup, args []ruleArg, _ types.Type) string {
	count := map[string]int{}
	for _, r := range g.rows {
		count[show(args[0].typ, r.args[0])]++
	}
	var l []string
	for k, n := range count {
		l = append(l, fmt.Sprintf("%s=%d", k, n))
	}
	sort.Strings(l)
	return "{" + strings.Join(l, ", ") + "}"
}

func objectRule(g *ruleGroup, _ []ruleArg, _ types.Type) string {
	rows := slices.Clone(g.rows)
	slices.SortStableFunc(rows, func(a, b ruleRow) int { return strings.Compare(a.args[0].S, b.args[0].S) })
	var l []string
	for i, r := range rows {
		if i > 0 && r.args[0].S == rows[i-1].args[0].S {
			return fmt.Sprintf("error: JSON_OBJECTAGG: key '%s' comes twice", r.args[0].S)
		}
		l = append(l, fmt.Sprintf("%q:%s", r.args[0].S, r.args[1].S))
	}
	return "{" + strings.Join(l, ",") + "}"
}

func percentileRule(g *ruleGroup, args []ruleArg, result types.Type) string {
	var vals []types.Value
	for _, r := range g.rows {
		weight := int64(1)
		if len(args) > 2 {
			weight = r.args[2].I
		}
		for range max(0, weight) {
			vals = append(vals, r.args[0])
		}
	}
	if len(vals) == 0 {
		return "NULL"
	}
	double := types.Of(types.Double)
	slices.SortStableFunc(vals, func(a, b types.Value) int { return compareValues(double, a, b) })
	at := func(fraction float64) string {
		rank := float64(fraction*float64(len(vals)-1)) + 1 // of the first value it is 1
		low := math.Floor(rank)
		x := vals[int(low)-1].F
		if rank > low {
			x = float64((low+1-rank)*x) + float64((rank-low)*vals[int(low)].F)
		}
		return show(double, types.FloatValue(x))
	}
	if result.Kind != types.Array {
		return at(args[1].constant.F)
	}
	fractions := types.ReadArray(result, []byte(args[1].constant.S))
	var l []string
	for i := range fractions.Len() {
		l = append(l, at(fractions.Value(i).F))
	}
	return "[" + strings.Join(l, ", ") + "]"
}

// spreadRule is a variance, computed exactly from the values; what accumulators compute
// step by step may differ by rounding.
type spreadRule struct{ sample, root bool }

// pastOfSpread keeps what the rounding errors of all steps depend on.
func pastOfSpread(p *rulePast, _ types.Type, x types.Value, take bool) {
	if take {
		p.n--
	} else {
		p.n++
	}
	switch size := math.Abs(x.F); {
	case p.n == 0:
		p.broken, p.largest = false, 0
	case size < 1e150:
		p.largest = max(p.largest, size)
	default:
		p.broken = true
	}
}

func (s spreadRule) result(g *ruleGroup, _ []ruleArg, _ types.Type) string {
	if n := len(g.rows); n == 0 || n == 1 && s.sample {
		return "NULL"
	}
	return "about"
}

// variance returns the exact variance as a DOUBLE.
func (s spreadRule) variance(g *ruleGroup) float64 {
	sum, squares, n := new(big.Rat), new(big.Rat), int64(len(g.rows))
	for _, r := range g.rows {
		x := new(big.Rat).SetFloat64(r.args[0].F)
		sum.Add(sum, x)
		squares.Add(squares, new(big.Rat).Mul(x, x))
	}
	sum.Mul(sum, sum).Quo(sum, new(big.Rat).SetInt64(n))
	squares.Sub(squares, sum)
	if s.sample {
		n--
	}
	f, _ := squares.Quo(squares, new(big.Rat).SetInt64(n)).Float64()
	return f
}

func (s spreadRule) near(g *ruleGroup, _ []ruleArg, result types.Type, got string) bool {
	if g.past.broken {
		return true
	}
	exact := s.variance(g)
	slack := 1e-9*exact + 1e-12*g.past.largest*g.past.largest
	low, high := math.Max(0, exact-slack), exact+slack
	if s.root {
		low, high = math.Sqrt(low), math.Sqrt(high)
	}
	switch {
	case result.Kind == types.Decimal:
		low, high = low-1e-6, high*(1+1e-9)+1e-6
	case result.IsInteger():
		low = math.Trunc(low)
	case result.Kind == types.Float:
		if low, high = low*(1-1e-6), high*(1+1e-6); high > math.MaxFloat32 {
			high = math.Inf(1)
		}
	}
	if strings.HasPrefix(got, "error: ") {
		limit := math.Ldexp(1, 8*result.Layout().Width()-1)
		if result.Kind == types.Decimal {
			limit = math.Pow10(int(result.Precision - result.Scale))
		}
		return strings.Contains(got, "is out of range for "+result.Name()) && high*(1+1e-9) >= limit
	}
	x, err := strconv.ParseFloat(got, 64)
	return err == nil && x >= low && x <= high
}
