package builtin

import (
	"fmt"
	"math"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// spreadAggregates are the variances and standard deviations.
func spreadAggregates() []*expr.Aggregate {
	f := func(name, what string, sample, root bool, example string, aliases ...string) *expr.Aggregate {
		return &expr.Aggregate{
			Name: name, Aliases: aliases, Usage: name + "([DISTINCT] number)",
			Doc:      what + " of the values that are not NULL, in the type of AVG: of integers it is cut to an integer.",
			Examples: []expr.Example{ex(name+"(price)", example)},
			Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
				t, err := oneNumber(name, args)
				if err != nil {
					return expr.AggregateResolution{}, err
				}
				if t.Kind == types.Decimal {
					t = types.NewDecimal(38, max(6, int(t.Scale)))
				}
				return expr.AggregateResolution{
					Args: []types.Type{doubleType.WithNullability(!args[0].NotNull)}, Result: t, CountsValues: true,
					New: func() expr.Accumulator { return &spread{name: name, result: t, sample: sample, root: root} },
				}, nil
			},
		}
	}
	return []*expr.Aggregate{
		f("VAR_POP", "Variance of the whole population", false, false, "1.5"),
		f("VAR_SAMP", "Variance estimated from a sample (NULL if there is one value)", true, false, "2.25", "VARIANCE"),
		f("STDDEV_POP", "Standard deviation of the whole population", false, true, "1.224744871391589"),
		f("STDDEV_SAMP", "Standard deviation estimated from a sample (NULL if there is one value)", true, true, "1.5", "STDDEV"),
	}
}

// spreadCell has the mean of n values and the sum of the squares of their distances
// from it, kept up to date value by value (Welford's method).
type spreadCell struct {
	n        int64
	mean, m2 float64
}

func (c *spreadCell) add(x float64) {
	c.n++
	d := x - c.mean
	c.mean += d / float64(c.n)
	c.m2 += float64(d * (x - c.mean)) // not fused, so that all machines agree
}

func (c *spreadCell) take(x float64) {
	if c.n--; c.n == 0 {
		*c = spreadCell{}
		return
	}
	d := x - c.mean
	c.mean -= d / float64(c.n)
	c.m2 -= float64(d * (x - c.mean))
}

func (c *spreadCell) merge(o *spreadCell) {
	n := c.n + o.n
	switch {
	case o.n == 0:
		return
	case c.n == 0:
		*c = *o
		return
	case n == 0:
		*c = spreadCell{}
		return
	}
	d := o.mean - c.mean
	c.m2 = (c.m2 + o.m2) + float64(float64(d*d)*(float64(c.n)*float64(o.n)/float64(n)))
	c.mean += float64(d * float64(o.n) / float64(n))
	c.n = n
}

// spread is VAR_POP, VAR_SAMP, STDDEV_POP and STDDEV_SAMP.
type spread struct {
	name         string
	result       types.Type
	sample, root bool
	cells        expr.Cells[spreadCell]
	arg          argument[float64]
}

func (a *spread) Grow(n int) { a.cells.Grow(n) }
func (a *spread) Reset()     { a.cells.Reset() }

func (a *spread) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	vals, sel, all := a.arg.read(args[0], rows)
	if all {
		for i, x := range vals {
			a.cells.At(int(groups[i])).add(x)
		}
	}
	for _, i := range sel {
		a.cells.At(int(groups[i])).add(vals[i])
	}
	return nil
}

func (a *spread) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	vals, sel, all := a.arg.read(args[0], rows)
	if all {
		for i, x := range vals {
			a.cells.At(int(groups[i])).take(x)
		}
	}
	for _, i := range sel {
		a.cells.At(int(groups[i])).take(vals[i])
	}
	return nil
}

func (a *spread) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*spread)
	for i, g := range groups {
		a.cells.At(int(g)).merge(f.cells.At(int(fromGroups[i])))
	}
	return nil
}

func (a *spread) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *spread) put(g int32, k, n int, out *stream.Vec) error {
	c := a.cells.At(int(g))
	over := c.n
	if a.sample {
		over--
	}
	if c.n <= 0 || over == 0 {
		out.SetNull(k, n)
		zero(out, k)
		return nil
	}
	x := c.m2 / float64(over)
	if x < 0 { // taking values back leaves rounding errors
		x = 0
	}
	if a.root {
		x = math.Sqrt(x)
	}
	return a.store(x, k, n, out)
}

// store writes x in the result type.
func (a *spread) store(x float64, k, n int, out *stream.Vec) error {
	switch t := a.result; {
	case t.Kind == types.Double:
		stream.Values[float64](out)[k] = x
		return nil
	case t.Kind == types.Float:
		stream.Values[float32](out)[k] = float32(x)
		return nil
	case t.Kind == types.Decimal:
		if d, ok := types.FloatToDecimal(x, t.Precision, t.Scale); ok && x-x == 0 {
			stream.Values[types.Num128](out)[k] = d
			return nil
		}
	case x < math.Ldexp(1, 8*t.Layout().Width()-1):
		out.Put(k, n, types.IntValue(int64(x)))
		return nil
	}
	return &expr.RowError{Row: k, Msg: fmt.Sprintf("%s is out of range for %s: %s", a.name, a.result.Name(), types.AppendDouble(nil, x)),
		Hint: fmt.Sprintf("cast the argument of %s to DOUBLE", a.name)}
}

func (a *spread) Bytes() int64 { return a.cells.Bytes() + a.arg.bytes() }

func (a *spread) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.cells.Len()))
	for g := range a.cells.Len() {
		c := a.cells.At(g)
		e.Int64(c.n)
		e.Float64(c.mean)
		e.Float64(c.m2)
	}
}

func (a *spread) Restore(d *stream.Decoder) error {
	a.cells.Reset()
	a.cells.Grow(d.Count(24))
	for g := range a.cells.Len() {
		*a.cells.At(g) = spreadCell{d.Int64(), d.Float64(), d.Float64()}
	}
	return d.Err()
}
