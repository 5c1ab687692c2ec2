package planner

import (
	"math"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// keyCleanup is the setting for how much longer than needed an interval join keeps rows.
const keyCleanup = "table.exec.interval-join.min-cleanup-interval"

// intervalJoin makes a join one of rows whose times are near each other.
func (b *binder) intervalJoin(j *logical.Join, i *logical.Interval, rest []expr.Expr, name string) error {
	for _, in := range j.Inputs() {
		if in.Info().Mode != physical.Append {
			return b.unsupported(j.Span, name+" by an interval of time with an updating result", "join rows that are only added")
		}
	}
	if j.Left.Info().Schema.Fields[i.Left].Time == stream.Proctime {
		return b.unsupported(j.Span, name+" by an interval of processing time", "compare rowtime columns")
	}
	i.MinCleanup, _ = b.env.Settings.Duration(keyCleanup)
	j.Interval, j.Conds = i, rest
	copy(j.Schema.Fields, joinSchema(j).Fields)
	return nil
}

// nearTimes returns by how much the times of the rows that a join takes may differ, and
// the other conditions. As in Flink that must be said by one equality or by one bound on
// either side, of one time attribute of each side; nil: it is not.
func nearTimes(j *logical.Join) (*logical.Interval, []expr.Expr) {
	if j.Kind == physical.LeftSemi || j.Kind == physical.LeftAnti {
		return nil, nil
	}
	i := &logical.Interval{Left: -1, Right: -1, Lower: math.MinInt64, Upper: math.MaxInt64}
	var rest []expr.Expr
	bounds := 0
	for _, c := range j.Conds {
		t, ok := timeBoundOf(j, c)
		if !ok {
			rest = append(rest, c)
			continue
		}
		if bounds > 0 && (i.Left != t.Left || i.Right != t.Right || i.Lower > math.MinInt64 && t.Lower > math.MinInt64 || i.Upper < math.MaxInt64 && t.Upper < math.MaxInt64) {
			return nil, nil
		}
		bounds++
		i.Left, i.Right, i.Lower, i.Upper = t.Left, t.Right, max(i.Lower, t.Lower), min(i.Upper, t.Upper)
	}
	if i.Lower == math.MinInt64 || i.Upper == math.MaxInt64 {
		return nil, nil
	}
	return i, rest
}

// timeBoundOf reads a condition as a bound on the difference of two time attributes.
func timeBoundOf(j *logical.Join, cond expr.Expr) (i logical.Interval, ok bool) {
	c, is := cond.(*expr.Call)
	if !is || len(c.Args) != 2 || mirrored[c.Func.Name] == "" {
		return i, false
	}
	op, a, b := c.Func.Name, c.Args[0], c.Args[1]
	x, from, xok := shiftedTime(a)
	y, to, yok := shiftedTime(b)
	if !xok || !yok {
		return i, false
	}
	width := len(j.Left.Info().Schema.Fields)
	if x.Index >= width {
		op, x, y, from, to = mirrored[op], y, x, to, from
	}
	if x.Index >= width || y.Index < width {
		return i, false
	}
	i = logical.Interval{Left: x.Index, Right: y.Index - width, Lower: math.MinInt64, Upper: math.MaxInt64}
	l, r := j.Left.Info().Schema.Fields[i.Left], j.Right.Info().Schema.Fields[i.Right]
	if l.Time == stream.NoTime || l.Time != r.Time || l.Type.Kind != r.Type.Kind {
		return i, false
	}
	d := to - from // left op right + d
	switch op {
	case "=":
		i.Lower, i.Upper = d, d
	case "<":
		i.Upper = d - 1
	case "<=":
		i.Upper = d
	case ">":
		i.Lower = d + 1
	case ">=":
		i.Lower = d
	default:
		return i, false
	}
	return i, true
}

// shiftedTime reads a column with constant intervals added to it or taken off.
func shiftedTime(e expr.Expr) (column *expr.Column, by int64, ok bool) {
	switch e := e.(type) {
	case *expr.Column:
		return e, 0, true
	case *expr.Cast:
		if e.Implicit {
			return shiftedTime(e.Arg)
		}
	case *expr.Call:
		if len(e.Args) != 2 || e.Func.Name != "+" && e.Func.Name != "-" {
			return nil, 0, false
		}
		a, b := e.Args[0], e.Args[1]
		if _, is := a.(*expr.Literal); is && e.Func.Name == "+" {
			a, b = b, a
		}
		l, is := b.(*expr.Literal)
		if !is || l.T.Kind != types.IntervalDay || l.Value.Null {
			return nil, 0, false
		}
		if column, by, ok = shiftedTime(a); e.Func.Name == "-" {
			return column, by - l.Value.I, ok
		}
		return column, by + l.Value.I, ok
	}
	return nil, 0, false
}
