package builtin

import (
	"errors"
	"fmt"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func percentileAggregate() *expr.Aggregate {
	return &expr.Aggregate{
		Name: "PERCENTILE", Usage: "PERCENTILE([DISTINCT] number, {fraction | ARRAY[fraction, ...]} [, weight])",
		Doc:      "The value below which the fraction (a constant from 0 to 1) of the values lies, interpolated between two values; a value counts weight times. Several fractions give an array.",
		Examples: []expr.Example{ex("PERCENTILE(price, 0.5)", "3.0"), ex("PERCENTILE(price, ARRAY[0, 0.75])", "[1.5, 3.75]")},
		Resolve:  resolvePercentile,
		Check:    checkPercentile,
	}
}

func resolvePercentile(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
	if err := arity(args, 2, 3); err != nil {
		return expr.AggregateResolution{}, err
	}
	several := args[1].Kind == types.Array
	fraction := args[1]
	if several {
		fraction = args[1].Elem()
	}
	if !args[0].IsNumeric() || !fraction.IsNumeric() {
		return expr.AggregateResolution{}, fmt.Errorf("PERCENTILE needs numbers, not %s", list(args))
	}
	as, result := doubleType, doubleType
	if several {
		as, result = types.NewArray(doubleType), types.NewArray(doubleType)
	}
	to := []types.Type{doubleType.WithNullability(!args[0].NotNull), as}
	if len(args) == 3 {
		if !args[2].IsInteger() {
			return expr.AggregateResolution{}, fmt.Errorf("PERCENTILE needs an integer as weight, not %s", args[2].Name())
		}
		to = append(to, bigintType)
	}
	return expr.AggregateResolution{Args: to, Result: result, OrderInsensitive: true, KeepsValues: true, MakesValue: several,
		New: func() expr.Accumulator { return &percentile{several: several} }}, nil
}

func checkPercentile(lits []*expr.Literal) error {
	p := lits[1]
	if p == nil || p.Value.Null {
		return errors.New("the fraction of PERCENTILE must be a constant")
	}
	fractions := []types.Value{p.Value}
	if p.T.Kind == types.Array {
		fractions = fractions[:0]
		a := types.ReadArray(p.T, []byte(p.Value.S))
		for i := range a.Len() {
			fractions = append(fractions, a.Value(i))
		}
	}
	for _, x := range fractions {
		if x.Null || !(x.F >= 0 && x.F <= 1) {
			return errors.New("the fraction of PERCENTILE must be from 0 to 1")
		}
	}
	return nil
}

// percentile keeps the values in order, each with how often it counts.
type percentile struct {
	several   bool // the result is an array
	fractions []float64
	set       multiset
	sel       []int32
	array     types.ArrayBuilder
}

// load takes the constant fractions, once there is a row.
func (a *percentile) load(v *stream.Vec, i int) {
	if a.fractions != nil {
		return
	}
	if !a.several {
		a.fractions = []float64{stream.Values[float64](v)[v.At(i)]}
		return
	}
	l := types.ReadArray(v.Type, v.Bytes(i))
	for k := range l.Len() {
		a.fractions = append(a.fractions, types.RawFloat(v.Type.Elem(), l.Raw(k)))
	}
}

func (a *percentile) Grow(n int) { a.set.roots.Grow(n) }
func (a *percentile) Reset()     { a.set.reset() }

func (a *percentile) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.count(groups, args, rows, 1)
	return nil
}

func (a *percentile) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.count(groups, args, rows, -1)
	return nil
}

func (a *percentile) count(groups []int32, args []*stream.Vec, rows expr.Rows, sign int64) {
	v := args[0]
	vals := stream.Values[float64](v)
	sel, all := notNull(&a.sel, v, rows)
	one := func(i int) {
		a.load(args[1], i)
		weight := int64(1)
		if len(args) == 3 {
			if args[2].IsNull(i) {
				return
			}
			weight = integerAt(args[2], i)
		}
		if weight > 0 {
			a.set.add(groups[i], &probe{hi: totalOrder(vals[v.At(i)])}, sign*weight)
		}
	}
	if all {
		for i := range rows.N {
			one(i)
		}
	}
	for _, i := range sel {
		one(int(i))
	}
}

func (a *percentile) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*percentile)
	if a.fractions == nil {
		a.fractions = f.fractions
	}
	a.set.merge(groups, &f.set, fromGroups)
	return nil
}

func (a *percentile) Result(groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		root := *a.set.roots.At(groupAt(groups, k))
		total := int64(0)
		a.set.walk(root, func(x *msNode) { total += max(x.count, 0) })
		switch {
		case !a.several:
			dst := stream.Values[float64](out)
			dst[k] = 0
			if total > 0 {
				dst[k] = a.between(root, rankOf(a.fractions[0], total))
			}
		case total > 0:
			a.array.Reset(out.Type.Elem())
			for _, f := range a.fractions {
				a.array.AppendValue(types.FloatValue(a.between(root, rankOf(f, total))))
			}
			out.Data = a.array.AppendTo(out.Data)
			closeText(out)
		default:
			closeText(out)
		}
		if total == 0 {
			out.SetNull(k, n)
		}
	}
	return nil
}

// rankOf is the place of a fraction among a number of values. Ranks count from 1; one
// may lie between two values.
func rankOf(fraction float64, total int64) float64 {
	return float64(fraction*float64(total-1)) + 1
}

// between returns the value at a rank: where it is no whole number, the values on both
// sides count the more the nearer they are.
func (a *percentile) between(root int32, rank float64) float64 {
	seen, low := int64(0), int64(rank)
	var lower, upper float64
	a.set.walk(root, func(x *msNode) {
		before := seen
		if seen += max(x.count, 0); before < low && low <= seen {
			lower = fromTotalOrder(x.hi)
		}
		if before <= low && low < seen {
			upper = fromTotalOrder(x.hi)
		}
	})
	if rank == float64(low) {
		return lower
	}
	return float64((float64(low+1)-rank)*lower) + float64((rank-float64(low))*upper)
}

func (a *percentile) Bytes() int64 {
	return a.set.bytes() + int64(cap(a.sel))*4
}

// Snapshot implements expr.Accumulator.
func (a *percentile) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(len(a.fractions)))
	for _, f := range a.fractions {
		e.Float64(f)
	}
	a.set.snapshot(e)
}

// Restore implements expr.Accumulator.
func (a *percentile) Restore(d *stream.Decoder) error {
	a.Reset()
	a.fractions = nil
	for range d.Count(8) {
		a.fractions = append(a.fractions, d.Float64())
	}
	return a.set.restore(d)
}
