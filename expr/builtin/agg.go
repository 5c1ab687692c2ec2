package builtin

import (
	"fmt"
	"slices"

	"streamsql/expr"
	"streamsql/types"
)

// Aggregates returns the aggregate functions.
func Aggregates() []*expr.Aggregate {
	return slices.Concat(basicAggregates(), spreadAggregates(), listAggregates(), collectionAggregates(), bitmapAggregates(), []*expr.Aggregate{percentileAggregate()})
}

func basicAggregates() []*expr.Aggregate {
	return []*expr.Aggregate{
		{
			Name:     "COUNT",
			Usage:    "COUNT(*) | COUNT([DISTINCT] value)",
			Examples: []expr.Example{ex("COUNT(*)", "3"), ex("COUNT(DISTINCT item)", "2")},
			Doc:      "Number of rows, or of rows whose value is not NULL.",
			Resolve:  resolveCount,
		},
		{
			Name:     "SUM",
			Usage:    "SUM([DISTINCT] number)",
			Examples: []expr.Example{ex("SUM(price)", "9.0"), ex("SUM(price) FILTER (WHERE item = 'tea')", "6.0")},
			Doc:      "Sum of the values that are not NULL, in the argument's type (DECIMAL: with 38 digits); NULL if there are none. A sum that does not fit is an error.",
			Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
				return resolveSum("SUM", args)
			},
		},
		{
			Name:     "$SUM0",
			Usage:    "`$SUM0`([DISTINCT] number)",
			Examples: []expr.Example{ex("`$SUM0`(price)", "9.0"), ex("`$SUM0`(price) FILTER (WHERE item = 'ink')", "0.0")},
			Doc:      "SUM, but 0 if there are no values.",
			Resolve: func(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
				return resolveSum("$SUM0", args)
			},
		},
		{
			Name:     "AVG",
			Usage:    "AVG([DISTINCT] number)",
			Examples: []expr.Example{ex("AVG(price)", "3.0")},
			Doc:      "Mean of the values that are not NULL, in the argument's type: integers are cut toward zero, DECIMAL has at least 6 fraction digits.",
			Resolve:  resolveAvg,
		},
		{
			Name:     "MIN",
			Usage:    "MIN(value)",
			Examples: []expr.Example{ex("MIN(item)", "cup")},
			Doc:      "Least value that is not NULL; text compares by its bytes.",
			Resolve: func(args []types.Type, _, retract bool) (expr.AggregateResolution, error) {
				return resolveExtreme("MIN", args, retract)
			},
		},
		{
			Name:     "MAX",
			Usage:    "MAX(value)",
			Examples: []expr.Example{ex("MAX(price)", "4.5")},
			Doc:      "Greatest value that is not NULL; text compares by its bytes.",
			Resolve: func(args []types.Type, _, retract bool) (expr.AggregateResolution, error) {
				return resolveExtreme("MAX", args, retract)
			},
		},
		{
			Name:     "FIRST_VALUE",
			Usage:    "FIRST_VALUE(value)",
			Examples: []expr.Example{ex("FIRST_VALUE(id)", "a")},
			Doc:      "The value that arrived first and is not NULL.",
			Resolve: func(args []types.Type, _, retract bool) (expr.AggregateResolution, error) {
				return resolveEdge("FIRST_VALUE", args, retract)
			},
		},
		{
			Name:     "LAST_VALUE",
			Usage:    "LAST_VALUE(value)",
			Examples: []expr.Example{ex("LAST_VALUE(id)", "c")},
			Doc:      "The value that arrived last and is not NULL.",
			Resolve: func(args []types.Type, _, retract bool) (expr.AggregateResolution, error) {
				return resolveEdge("LAST_VALUE", args, retract)
			},
		},
	}
}

func resolveCount(args []types.Type, distinct, _ bool) (expr.AggregateResolution, error) {
	if len(args) > 1 && !distinct {
		return expr.AggregateResolution{}, fmt.Errorf("COUNT takes * or one value, not %d", len(args))
	}
	if distinct && len(args) == 0 {
		return expr.AggregateResolution{}, fmt.Errorf("COUNT(DISTINCT) needs a value")
	}
	for _, t := range args {
		if t.Kind == types.Null {
			return expr.AggregateResolution{}, fmt.Errorf("COUNT cannot count values of type %s", t.Name())
		}
	}
	return expr.AggregateResolution{
		Args:             args,
		Result:           types.Of(types.BigInt).Required(),
		OrderInsensitive: true,
		Commutes:         true,
		New:              func() expr.Accumulator { return &countRows{} },
	}, nil
}

// oneNumber checks that args is one number.
func oneNumber(name string, args []types.Type) (types.Type, error) {
	if len(args) != 1 {
		return types.Type{}, fmt.Errorf("%s takes one number, not %d arguments", name, len(args))
	}
	if !args[0].IsNumeric() {
		return types.Type{}, fmt.Errorf("%s needs a number, not %s", name, args[0].Name())
	}
	return args[0].Nullable(), nil
}

// resolveSum is SUM, or $SUM0: of no values it is not NULL but 0.
func resolveSum(name string, args []types.Type) (expr.AggregateResolution, error) {
	t, err := oneNumber(name, args)
	if err != nil {
		return expr.AggregateResolution{}, err
	}
	zero := name == "$SUM0"
	r := expr.AggregateResolution{Args: args, Result: t, OrderInsensitive: !t.IsApproximate(), Commutes: true}
	if t.Kind == types.Decimal {
		r.Result = types.NewDecimal(38, int(t.Scale))
	}
	r.Result = r.Result.WithNullability(!zero)
	// Beside VAR_POP and the like Flink takes SUM apart into $SUM0 and a count.
	apart := r
	apart.CountsValues = true
	float := func(f floatTotal) func() expr.Accumulator {
		if f.rounded = t.Kind == types.Float; f.rounded {
			return func() expr.Accumulator { return &floatSum[float32]{floatTotal: f} }
		}
		return func() expr.Accumulator { return &floatSum[float64]{floatTotal: f} }
	}
	if t.IsApproximate() {
		r.New, apart.New = float(floatTotal{fromZero: zero, zero: zero}), float(floatTotal{fromZero: true})
	} else {
		r.New = newExactSum(t, finish{name: name, result: r.Result.Nullable(), zero: zero})
		apart.New = r.New
	}
	if !zero {
		r.Apart = &apart
	}
	return r, nil
}

func resolveAvg(args []types.Type, _, _ bool) (expr.AggregateResolution, error) {
	t, err := oneNumber("AVG", args)
	if err != nil {
		return expr.AggregateResolution{}, err
	}
	r := expr.AggregateResolution{Args: args, Result: t, OrderInsensitive: !t.IsApproximate(), Commutes: true}
	// Beside VAR_POP and the like Flink takes AVG apart into SUM and a count.
	apart := r
	apart.CountsValues = true
	switch {
	case t.Kind == types.Float:
		r.New = func() expr.Accumulator { return &floatSum[float32]{floatTotal: floatTotal{mean: true, fromZero: true}} }
		apart.New = func() expr.Accumulator { return &floatSum[float32]{floatTotal: floatTotal{mean: true, rounded: true}} }
	case t.Kind == types.Double:
		r.New = func() expr.Accumulator { return &floatSum[float64]{floatTotal: floatTotal{mean: true, fromZero: true}} }
		apart.New = func() expr.Accumulator { return &floatSum[float64]{floatTotal: floatTotal{mean: true}} }
	case t.Kind == types.Decimal:
		scale := max(6, int(t.Scale))
		r.Result = types.NewDecimal(38, scale)
		r.New = newExactSum(t, finish{name: "AVG", result: r.Result, mean: true, raise: pow10u64[scale-int(t.Scale)]})
		apart.Result, apart.New = r.Result, r.New
	default:
		r.New = newExactSum(t, finish{name: "AVG", result: t, mean: true})
		apart.New = r.New
	}
	r.Apart = &apart
	return r, nil
}

// newExactSum chooses the width of the arguments.
func newExactSum(arg types.Type, f finish) func() expr.Accumulator {
	switch arg.Layout() {
	case types.Int8:
		return func() expr.Accumulator { return &intSum[int8]{finish: f} }
	case types.Int16:
		return func() expr.Accumulator { return &intSum[int16]{finish: f} }
	case types.Int32:
		return func() expr.Accumulator { return &intSum[int32]{finish: f} }
	case types.Int64:
		return func() expr.Accumulator { return &intSum[int64]{finish: f} }
	}
	return func() expr.Accumulator { return &decimalSum{finish: f} }
}

// oneValue checks that args is one value with an order, as MIN, MAX need it.
func oneValue(name string, args []types.Type) (types.Type, error) {
	if len(args) != 1 {
		return types.Type{}, fmt.Errorf("%s takes one value, not %d arguments", name, len(args))
	}
	t := args[0]
	if !t.IsNumeric() && !t.IsText() && !t.IsTemporal() && t.Kind != types.Boolean {
		return types.Type{}, fmt.Errorf("%s needs a number, text, date, time or BOOLEAN, not %s", name, t.Name())
	}
	return t.Nullable(), nil
}

func resolveExtreme(name string, args []types.Type, retract bool) (expr.AggregateResolution, error) {
	t, err := oneValue(name, args)
	if err != nil {
		return expr.AggregateResolution{}, err
	}
	// Without retraction the first NaN or zero of several stays, as in Flink.
	r := expr.AggregateResolution{
		Args: args, Result: t, IgnoresDuplicates: true,
		OrderInsensitive: retract || !t.IsApproximate(), Commutes: !retract, KeepsValues: retract,
	}
	greatest := name == "MAX"
	if retract {
		kept, err := resolveExtreme(name, args, false)
		if err != nil {
			return expr.AggregateResolution{}, err
		}
		r.Onward = goesOnward(kept)
		r.New = func() expr.Accumulator { return newRetractableExtreme(t, greatest) }
		return r, nil
	}
	switch t.Layout() {
	case types.Bits:
		r.New = func() expr.Accumulator { return &extreme[uint8]{max: greatest} }
	case types.Int8:
		r.New = func() expr.Accumulator { return &extreme[int8]{max: greatest} }
	case types.Int16:
		r.New = func() expr.Accumulator { return &extreme[int16]{max: greatest} }
	case types.Int32:
		r.New = func() expr.Accumulator { return &extreme[int32]{max: greatest} }
	case types.Int64:
		r.New = func() expr.Accumulator { return &extreme[int64]{max: greatest} }
	case types.Float32:
		r.New = func() expr.Accumulator { return &extreme[float32]{max: greatest} }
	case types.Float64:
		r.New = func() expr.Accumulator { return &extreme[float64]{max: greatest} }
	case types.Int128:
		r.New = func() expr.Accumulator { return &wideExtreme{max: greatest} }
	default:
		r.New = func() expr.Accumulator { return &textExtreme{max: greatest} }
	}
	return r, nil
}

func resolveEdge(name string, args []types.Type, retract bool) (expr.AggregateResolution, error) {
	if len(args) != 1 || args[0].HasOrder() && !args[0].IsInterval() && !args[0].IsBytes() {
		if _, err := oneValue(name, args); err != nil {
			return expr.AggregateResolution{}, err
		}
	}
	t := args[0].Nullable()
	last := name == "LAST_VALUE"
	if retract {
		return expr.AggregateResolution{
			Args: args, Result: t, ByArrival: true, KeepsValues: true,
			New: func() expr.Accumulator { return newRetractableEdge(t, last) },
		}, nil
	}
	return expr.AggregateResolution{
		Args: args, Result: t, IgnoresDuplicates: !last, ByArrival: true,
		New: func() expr.Accumulator { return newEdge(t, last) },
	}, nil
}
