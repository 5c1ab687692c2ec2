package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// maxSets bounds what CUBE and several items with sets may multiply to.
const maxSets = 256

// groupingRef stands for GROUPING and the like: a number for each grouping set.
type groupingRef struct {
	expr.Info
	values []int64
}

// key returns the place of an expression among the keys, adding it if it is new.
func (g *grouping) key(e expr.Expr) int {
	for i, k := range g.keys {
		if same(k, e) {
			return i
		}
	}
	g.keys = append(g.keys, e)
	return len(g.keys) - 1
}

// setsOf binds GROUPING SETS, CUBE or ROLLUP: the sets of keys that it stands for, from
// the most detailed on.
func (x *exprBinder) setsOf(item sql.GroupItem, g *grouping) ([][]int, error) {
	written := make([][]int, len(item.Sets))
	for i, set := range item.Sets {
		for _, n := range set {
			e, err := x.bind(n)
			if err != nil {
				return nil, err
			}
			written[i] = append(written[i], g.key(e))
		}
	}
	var sets [][]int
	switch item.Kind {
	case sql.GroupingSets:
		return written, nil
	case sql.Rollup:
		for n := len(written); n >= 0; n-- {
			sets = append(sets, slices.Concat(written[:n]...))
		}
	case sql.Cube:
		if len(written) > 8 {
			return nil, x.tooManySets(item)
		}
		for out := range 1 << len(written) {
			var set []int
			for i, w := range written {
				if out>>(len(written)-1-i)&1 == 0 {
					set = append(set, w...)
				}
			}
			sets = append(sets, set)
		}
	}
	return sets, nil
}

func (b *binder) tooManySets(item sql.GroupItem) error {
	return b.errorf(diag.Unsupported, b.span(item), "GROUP BY has more than %d grouping sets", maxSets).
		WithHint("list the sets that are wanted: GROUPING SETS ((a, b), (a))")
}

// crossed combines each set of GROUP BY so far with each alternative of its next item.
func crossed(sets, next [][]int) [][]int {
	var out [][]int
	for _, s := range sets {
		for _, t := range next {
			out = append(out, slices.Concat(s, t))
		}
	}
	return out
}

// inEachSet reports whether each set of keys holds the start and the end of a window;
// props are the window properties of the keys.
func (g *grouping) inEachSet(props []int) bool {
	for _, set := range g.sets {
		var has [2]bool
		for _, k := range set {
			if p := props[k]; p >= 0 && physical.WindowPropKind(p) != physical.WindowTime {
				has[p] = true
			}
		}
		if has != [2]bool{true, true} {
			return false
		}
	}
	return true
}

// setsWithout lists the sets of a query by the keys that they leave out, without the
// keys for which fixed is true.
func setsWithout(g *grouping, fixed func(key int) bool) [][]bool {
	var sets [][]bool
	for _, set := range g.sets {
		var out []bool
		for i := range g.keys {
			if !fixed(i) {
				out = append(out, !slices.Contains(set, i))
			}
		}
		sets = append(sets, out)
	}
	return sets
}

// setNumber stands for the number of the grouping set as the last key.
func setNumber(span diag.Span) expr.Expr {
	return &expr.Literal{Info: expr.Info{T: types.Of(types.Int).Required(), S: span}, Value: types.IntValue(0)}
}

// leftOut reports whether some set does not group by key i.
func leftOut(sets [][]bool, i int) bool {
	return slices.ContainsFunc(sets, func(set []bool) bool { return i < len(set) && set[i] })
}

// groupingCall binds GROUPING, GROUPING_ID and GROUP_ID.
func (x *exprBinder) groupingCall(name string, c *sql.Call) (expr.Expr, error) {
	span := x.span(c)
	g := x.group
	if g == nil || g.inside || len(g.keys) == 0 || g.legacy != nil {
		return nil, x.errorf(diag.InvalidArgument, span, "%s needs GROUP BY with grouping sets", name).
			WithHint("write GROUP BY ROLLUP (k)")
	}
	if (name == "GROUP_ID") != (len(c.Args) == 0) || name == "GROUPING" && len(c.Args) > 1 {
		return nil, x.errorf(diag.InvalidArgument, span, "%s has a wrong number of arguments: %d", name, len(c.Args)).
			WithHint("usage: GROUPING(column), GROUPING_ID(column, ...), GROUP_ID()")
	}
	var keys []int
	for _, n := range c.Args {
		e, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(g.keys, func(k expr.Expr) bool { return same(k, e) })
		if i < 0 {
			return nil, x.errorf(diag.InvalidArgument, e.Span(), "%s needs a column of GROUP BY", name)
		}
		keys = append(keys, i)
	}
	r := &groupingRef{Info: expr.Info{T: types.Of(types.BigInt).Required(), S: span}}
	sets := g.sets
	if sets == nil {
		sets = [][]int{identity(len(g.keys))}
	}
	for i, set := range sets {
		var v int64
		for _, k := range keys {
			v <<= 1
			if !slices.Contains(set, k) {
				v |= 1
			}
		}
		if name == "GROUP_ID" {
			v = repeated(sets[:i], set)
		}
		r.values = append(r.values, v)
	}
	if !slices.ContainsFunc(r.values, func(v int64) bool { return v != r.values[0] }) {
		return &expr.Literal{Info: r.Info, Value: types.IntValue(r.values[0])}, nil
	}
	return r, nil
}

// repeated counts the sets that hold the same keys as set.
func repeated(sets [][]int, set []int) int64 {
	sorted := func(s []int) []int {
		c := slices.Clone(s)
		slices.Sort(c)
		return slices.Compact(c)
	}
	var n int64
	for _, s := range sets {
		if slices.Equal(sorted(s), sorted(set)) {
			n++
		}
	}
	return n
}

// bySet makes the value of a grouping function from the column with the number of the
// set.
func (b *binder) bySet(r *groupingRef, set expr.Expr) (expr.Expr, error) {
	x := &exprBinder{binder: b, clause: "GROUP BY"}
	number := func(v int64, t types.Type) expr.Expr {
		return &expr.Literal{Info: expr.Info{T: t, S: r.S}, Value: types.IntValue(v)}
	}
	c := &expr.Case{Info: r.Info, Else: number(r.values[0], r.T)}
	for i, v := range r.values[1:] {
		if v == r.values[0] {
			continue
		}
		is, err := x.operator("=", r.S, set, number(int64(i+1), set.Type()))
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, expr.When{Cond: is, Then: number(v, r.T)})
	}
	return c, nil
}

// isGroupingFunction reports whether a name is that of a grouping function.
func isGroupingFunction(name string) bool {
	return strings.HasPrefix(name, "GROUP") && (name == "GROUPING" || name == "GROUPING_ID" || name == "GROUP_ID")
}

// expandSets puts the expansion to grouping sets below an aggregate. in is its input,
// keys are the places of its keys but the number of the set, fields its columns for the
// keys; it returns the places of all keys.
func expandSets(sets [][]bool, fields []stream.Field, span diag.Span, in physical.Node, keys []int) (physical.Node, []int) {
	p := &physical.Expand{Input: in, Keys: keys, Sets: sets}
	p.Base = *in.Info()
	p.State, p.Span, p.OnClose, p.Key = "none", span, false, nil
	p.Schema.Fields = slices.Clone(p.Schema.Fields)
	var out []int
	for i, k := range keys {
		f := in.Info().Schema.Fields[k]
		f.Time = stream.NoTime
		if leftOut(sets, i) {
			f.Type = f.Type.Nullable()
		}
		out = append(out, len(p.Schema.Fields))
		p.Schema.Fields = append(p.Schema.Fields, f)
	}
	out = append(out, len(p.Schema.Fields))
	p.Schema.Fields = append(p.Schema.Fields, fields[len(keys)])
	return p, out
}
