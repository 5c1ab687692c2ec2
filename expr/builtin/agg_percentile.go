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
		Name: "PERCENTILE", Usage: "PERCENTILE([DISTINCT] number, fraction [, weight])",
		Doc:      "The value below which the fraction (a constant from 0 to 1) of the values lies, interpolated between two values; a value counts weight times.",
		Examples: []expr.Example{ex("PERCENTILE(price, 0.5)", "3.0")},
		Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
			if err := arity(args, 2, 3); err != nil {
				return expr.AggregateResolution{}, err
			}
			for _, t := range args[:2] {
				if !t.IsNumeric() {
					return expr.AggregateResolution{}, fmt.Errorf("PERCENTILE needs numbers, not %s", list(args))
				}
			}
			to := []types.Type{doubleType.WithNullability(!args[0].NotNull), doubleType}
			if len(args) == 3 {
				if !args[2].IsInteger() {
					return expr.AggregateResolution{}, fmt.Errorf("PERCENTILE needs an integer as weight, not %s", args[2].Name())
				}
				to = append(to, bigintType)
			}
			return expr.AggregateResolution{Args: to, Result: doubleType, OrderInsensitive: true, KeepsValues: true,
				New: func() expr.Accumulator { return new(percentile) }}, nil
		},
		Check: func(lits []*expr.Literal) error {
			p := lits[1]
			if p == nil || p.Value.Null {
				return errors.New("the fraction of PERCENTILE must be a constant")
			}
			if x := p.Value.F; !(x >= 0 && x <= 1) {
				return errors.New("the fraction of PERCENTILE must be from 0 to 1")
			}
			return nil
		},
	}
}

// percentile keeps the values in order, each with how often it counts.
type percentile struct {
	fraction float64
	set      multiset
	sel      []int32
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
		a.fraction = stream.Values[float64](args[1])[args[1].At(i)]
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
	for i, g := range groups {
		root := *f.set.roots.At(int(fromGroups[i]))
		if root != 0 {
			a.fraction = f.fraction
		}
		f.set.walk(root, func(n *msNode) { a.set.add(g, &probe{hi: n.hi}, n.count) })
	}
	return nil
}

func (a *percentile) Result(groups []int32, n int, out *stream.Vec) error {
	dst := stream.Values[float64](out)
	for k := range n {
		root := *a.set.roots.At(groupAt(groups, k))
		total := int64(0)
		a.set.walk(root, func(x *msNode) { total += max(x.count, 0) })
		if total == 0 {
			out.SetNull(k, n)
			dst[k] = 0
			continue
		}
		// Ranks count from 1; the rank lies between two values.
		rank := float64(a.fraction*float64(total-1)) + 1
		dst[k] = a.between(root, rank)
	}
	return nil
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
	return a.set.roots.Bytes() + a.set.nodes.Bytes() + int64(cap(a.sel))*4
}

// Snapshot writes the values in order, so it does not depend on the trees' shapes.
func (a *percentile) Snapshot(e *stream.Encoder) {
	e.Float64(a.fraction)
	e.Uint64(uint64(a.set.roots.Len()))
	for g := range a.set.roots.Len() {
		root := *a.set.roots.At(g)
		n := uint64(0)
		a.set.walk(root, func(*msNode) { n++ })
		e.Uint64(n)
		a.set.walk(root, func(x *msNode) {
			e.Int64(x.hi)
			e.Int64(x.count)
		})
	}
}

func (a *percentile) Restore(d *stream.Decoder) error {
	a.Reset()
	a.fraction = d.Float64()
	a.Grow(d.Count(8))
	for g := range a.set.roots.Len() {
		for range d.Count(16) {
			p := probe{hi: d.Int64()}
			count := d.Int64()
			if d.Err() != nil || count == 0 {
				return d.Fail(stream.ErrSnapshot)
			}
			a.set.add(int32(g), &p, count)
		}
	}
	return d.Err()
}
