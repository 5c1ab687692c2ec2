package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/physical"
)

// trend says how the values of a column change as rows of one key replace each other.
type trend uint8

const (
	wavering trend = iota
	constantly
	rising
	falling
)

// rankStrategy chooses how a Top-N keeps its rows. Where the rows of a key only move
// forward in the order, what has fallen out need not be kept, unless a value may be NULL,
// which stands first, and then be there: Flink loses rows then.
func rankStrategy(p *physical.Rank) physical.RankStrategy {
	in := p.Input.Info()
	switch {
	case in.Mode == physical.Append:
		return physical.AppendRank
	case in.Key == nil || len(p.Order) == 0:
		return physical.RetractRank
	}
	for _, c := range p.Partition {
		if !slices.Contains(in.Key, c) {
			return physical.RetractRank
		}
	}
	trends := trendsOf(p.Input)
	if trends == nil {
		return physical.RetractRank
	}
	for _, k := range p.Order {
		switch t := trends[k.Column]; {
		case t == constantly:
		case t == rising && k.Desc, t == falling && !k.Desc:
			p.KeepAll = p.KeepAll || !in.Schema.Fields[k.Column].Type.NotNull && !k.NullsLast
		default:
			return physical.RetractRank
		}
	}
	return physical.UpdateRank
}

// trendsOf returns the trends of a node's columns; nil if its rows may be deleted, or
// nothing is known.
func trendsOf(n physical.Node) []trend {
	base := n.Info()
	width := len(base.Schema.Fields)
	if base.Mode == physical.Append {
		return slices.Repeat([]trend{constantly}, width)
	}
	switch n := n.(type) {
	case *physical.Filter:
		if !onKey(n.Cond, n.Input.Info().Key) {
			return nil // a row may leave
		}
		return trendsOf(n.Input)
	case *physical.Project:
		below := trendsOf(n.Input)
		if below == nil {
			return nil
		}
		list := make([]trend, width)
		for i, e := range n.Exprs {
			switch e := e.(type) {
			case *expr.Column:
				list[i] = below[e.Index]
			case *expr.Literal:
				list[i] = constantly
			}
		}
		return list
	case *physical.GroupAggregate:
		if n.Input.Info().Mode != physical.Append {
			return nil
		}
		list := make([]trend, width)
		for i := range n.Keys {
			list[i] = constantly
		}
		for i, a := range n.Aggs {
			list[len(n.Keys)+i] = trendOf(a, n.Input)
		}
		return list
	case *physical.Rank:
		if n.Strategy == physical.RetractRank || !n.Number {
			return nil // rows are deleted; or it is one row, of which Flink knows no key
		}
		if !constantAll(trendsOf(n.Input), n.Partition) {
			return nil
		}
		list := make([]trend, width)
		for _, c := range n.Partition {
			list[c] = constantly
		}
		if n.Number {
			list[width-1] = constantly
		}
		if len(n.Order) > 0 {
			list[n.Order[0].Column] = towards(n.Order[0].Desc)
		}
		return list
	}
	return nil
}

func constantAll(trends []trend, columns []int) bool {
	if trends == nil {
		return false
	}
	for _, c := range columns {
		if trends[c] != constantly {
			return false
		}
	}
	return true
}

// towards is the trend of the values that are first in an order.
func towards(desc bool) trend {
	if desc {
		return rising
	}
	return falling
}

// trendOf returns the trend of an aggregate over rows that are only added.
func trendOf(a expr.AggregateCall, in physical.Node) trend {
	switch a.Agg.Name {
	case "COUNT", "MAX":
		return rising
	case "MIN":
		return falling
	case "SUM":
		c, ok := a.Args[0].(*expr.Column)
		if !ok {
			return wavering
		}
		return signOf(in, c.Index)
	}
	return wavering
}

// signOf tells from constants and conditions whether the values of a column are never
// negative (rising sums) or never positive (falling ones).
func signOf(n physical.Node, column int) trend {
	for {
		switch x := n.(type) {
		case *physical.Filter:
			for _, c := range conjuncts(x.Cond) {
				if t := signBy(c, column); t != wavering {
					return t
				}
			}
			n = x.Input
		case *physical.Project:
			switch e := uncast(x.Exprs[column]).(type) {
			case *expr.Column:
				n, column = x.Input, e.Index
				continue
			case *expr.Literal:
				if e.T.IsInteger() && !e.Value.Null && e.Value.I >= 0 {
					return rising
				}
			}
			return wavering
		case *physical.WatermarkAssigner:
			n = x.Input
		default:
			return wavering
		}
	}
}

// signBy tells the sign of a column from a comparison with an integer.
func signBy(cond expr.Expr, column int) trend {
	c, ok := cond.(*expr.Call)
	if !ok || len(c.Args) != 2 || mirrored[c.Func.Name] == "" {
		return wavering
	}
	op, a, b := c.Func.Name, c.Args[0], c.Args[1]
	if _, ok := a.(*expr.Literal); ok {
		op, a, b = mirrored[op], b, a
	}
	col, ok := uncast(a).(*expr.Column)
	lit, isLit := b.(*expr.Literal)
	if !ok || !isLit || col.Index != column || !lit.T.IsInteger() || lit.Value.Null {
		return wavering
	}
	switch v := lit.Value.I; {
	case (op == ">" || op == ">=" || op == "=") && v >= 0:
		return rising
	case (op == "<" || op == "<=" || op == "=") && v <= 0:
		return falling
	}
	return wavering
}
