package planner

import (
	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/types"
)

// goOnward lets MAX of values that only rise, and MIN of those that only fall, take no
// value back: what comes in its place is at least as far. So their results do not fall
// back between an old row and the new one, as they do not in Flink.
func goOnward(p *physical.GroupAggregate) {
	if p.Input.Info().Mode == physical.Append {
		return
	}
	var way []trend
	for i := range p.Aggs {
		a := &p.Aggs[i]
		if a.Res.Onward == nil {
			continue
		}
		if way == nil {
			if way = wayOf(p.Input); !constantAll(way, p.Keys) {
				return
			}
		}
		if a.Args[0].Type().Kind == types.Boolean {
			continue // the way of a condition says only whether it stays TRUE
		}
		if way[a.Args[0].(*expr.Column).Index] != towards(a.Agg.Name == "MAX") {
			continue
		}
		if f, ok := a.Filter.(*expr.Column); ok && way[f.Index] != constantly && way[f.Index] != rising {
			continue
		}
		a.Res = *a.Res.Onward
	}
}

// wayOf returns the trends of a node's columns where each row that is taken back is
// followed by one with the same constant columns; else nil. Of conditions it says that
// they are constant, or rising where they stay TRUE once they are.
func wayOf(n physical.Node) []trend {
	switch x := n.(type) {
	case *physical.Filter:
		way := wayOf(x.Input)
		if t := conditionWay(x.Cond, way); t != constantly && t != rising {
			return nil
		}
		return way
	case *physical.Project:
		below := wayOf(x.Input)
		if below == nil {
			return nil
		}
		way := make([]trend, len(x.Exprs))
		for i, e := range x.Exprs {
			switch e := e.(type) {
			case *expr.Column:
				way[i] = below[e.Index]
			case *expr.Literal:
				way[i] = constantly
			default:
				if e.Type().Kind == types.Boolean {
					// To group by it is another matter.
					way[i] = allStay([]expr.Expr{e}, below)
				} else if c, ok := widened(e).(*expr.Column); ok && below[c.Index] != constantly {
					way[i] = below[c.Index]
				}
			}
		}
		return way
	case *physical.GroupAggregate:
		if x.Input.Info().Mode == physical.Append {
			return trendsOf(n)
		}
		below := wayOf(x.Input)
		if !constantAll(below, x.Keys) {
			return nil
		}
		way := make([]trend, len(x.Schema.Fields))
		for i := range x.Keys {
			way[i] = constantly
		}
		for i, a := range x.Aggs {
			if a.Filter == nil && len(a.Args) == 1 {
				way[len(x.Keys)+i] = wayOfCall(a, x.Input, below)
			}
		}
		return way
	}
	return trendsOf(n)
}

// wayOfCall is the trend of an aggregate whose input has the trends below.
func wayOfCall(a expr.AggregateCall, in physical.Node, below []trend) trend {
	c := a.Args[0].(*expr.Column)
	switch t := below[c.Index]; {
	case a.Agg.Name == "MAX" && t == rising, a.Agg.Name == "MIN" && t == falling:
		return t
	case a.Agg.Name == "SUM" && !a.Distinct && t == rising && isCount(in, c.Index):
		return rising
	}
	return wavering
}

// isCount reports whether a column is a COUNT, which is never negative.
func isCount(n physical.Node, column int) bool {
	for {
		switch x := n.(type) {
		case *physical.Filter:
			n = x.Input
		case *physical.Project:
			c, ok := widened(x.Exprs[column]).(*expr.Column)
			if !ok {
				return false
			}
			n, column = x.Input, c.Index
		case *physical.GroupAggregate:
			return column >= len(x.Keys) && x.Aggs[column-len(x.Keys)].Agg.Name == "COUNT"
		default:
			return false
		}
	}
}

// conditionWay is the trend of a condition over columns with trends: rising where it
// stays TRUE once it is. As in Flink one without columns is constant, though it may read
// the clock or RAND().
func conditionWay(cond expr.Expr, way []trend) trend {
	if way == nil {
		return wavering
	}
	still := true
	expr.Walk(cond, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok && way[c.Index] != constantly {
			still = false
		}
		return still
	})
	if still {
		return constantly
	}
	switch c := cond.(type) {
	case *expr.And:
		return allStay(c.Args, way)
	case *expr.Or:
		return allStay(c.Args, way)
	case *expr.Call:
		if staysTrue(c, way) {
			return rising
		}
	}
	return wavering
}

// allStay is the trend of conditions together.
func allStay(conditions []expr.Expr, way []trend) trend {
	for _, c := range conditions {
		if t := conditionWay(c, way); t != constantly && t != rising {
			return wavering
		}
	}
	return rising
}

// staysTrue reports whether a comparison of a column with a constant behind it stays
// TRUE once it is. With the constant in front Flink takes rows back, though it need not.
func staysTrue(c *expr.Call, way []trend) bool {
	if len(c.Args) != 2 {
		return false
	}
	column, ok := widened(c.Args[0]).(*expr.Column)
	if _, constant := c.Args[1].(*expr.Literal); !ok || !constant {
		return false
	}
	switch c.Func.Name {
	case ">", ">=":
		return way[column.Index] == rising
	case "<", "<=":
		return way[column.Index] == falling
	}
	return false
}

// widened takes casts off that change no order of numbers.
func widened(e expr.Expr) expr.Expr {
	c, ok := e.(*expr.Cast)
	if !ok {
		return e
	}
	from, to := c.Arg.Type(), c.T
	switch {
	case from.Same(to), from.IsInteger() && (to.IsApproximate() || to.IsInteger() && to.Kind >= from.Kind):
		return widened(c.Arg)
	case from.IsInteger() && to.Kind == types.Decimal && to.Precision-to.Scale >= digitsOf(from):
		return widened(c.Arg)
	}
	return e
}

// digitsOf is how many digits an integer type may have.
func digitsOf(t types.Type) int32 {
	switch t.Kind {
	case types.TinyInt:
		return 3
	case types.SmallInt:
		return 5
	case types.Int:
		return 10
	}
	return 19
}
