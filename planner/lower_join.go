package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// joinInput is what a join reads of both sides: its keys, the columns that are wanted or
// that the further condition reads, and that condition.
type joinInput struct {
	n                   *logical.Join
	left, right         *rowsInput
	leftKeys, rightKeys []int
	nullSafe            []bool
	cond                expr.Expr // over the columns of both sides as they are lowered; nil: none
}

func newJoinInput(n *logical.Join) *joinInput {
	return &joinInput{n: n, left: newRowsInput(n.Left), right: newRowsInput(n.Right)}
}

// lower plans both sides and says where the columns of the join stand.
func (j *joinInput) lower(l *lowerer, need []bool) []int {
	n, left, right := j.n, j.left, j.right
	width := len(n.Left.Info().Schema.Fields)
	places := make([]int, width+len(n.Right.Info().Schema.Fields))
	wanted := make([]bool, len(places))
	copy(wanted, need)
	var leftKeys, rightKeys []int
	var rest []expr.Expr
	for _, c := range n.Conds {
		if a, b, safe, ok := equality(n, c); ok {
			leftKeys, rightKeys = append(leftKeys, left.place(a)), append(rightKeys, right.place(shifted(b, -width)))
			j.nullSafe = append(j.nullSafe, safe)
			continue
		}
		uses(c, wanted)
		rest = append(rest, c)
	}
	for i := range places {
		switch {
		case !wanted[i]:
		case i < width:
			places[i] = left.column(i)
		default:
			places[i] = right.column(i - width)
		}
	}
	left.lowerNarrow(l)
	right.lowerNarrow(l)
	j.leftKeys, j.rightKeys = left.all(leftKeys), right.all(rightKeys)
	shift := len(left.in.node.Info().Schema.Fields)
	index := make([]int, len(places))
	for i := range index {
		index[i] = -1
		switch {
		case !wanted[i]:
		case i < width:
			index[i] = left.at(places[i])
		default:
			index[i] = shift + right.at(places[i])
		}
	}
	if len(rest) > 0 {
		from := slices.Concat(left.in.node.Info().Schema.Fields, right.in.node.Info().Schema.Fields)
		j.cond = l.named(remap(connect(true, rest, rest[0].Span()), index), from)
	}
	return index[:len(n.Schema.Fields)]
}

// schema is laid out as the logical join's: its fields tell what may be NULL.
func (j *joinInput) schema() stream.Schema {
	return joinSchema(&logical.Join{Left: schemaOf(j.left.in.node), Right: schemaOf(j.right.in.node), Kind: j.n.Kind, Regular: j.n.Regular})
}

// regularJoin plans a join without windows.
func (l *lowerer) regularJoin(n *logical.Join, need []bool) lowered {
	j := newJoinInput(n)
	index := j.lower(l, need)
	p := &physical.Join{Kind: n.Kind, TTL: n.TTL, NullSafe: j.nullSafe, LeftKeys: j.leftKeys, RightKeys: j.rightKeys, Cond: j.cond}
	p.Left, p.Right = j.left.in.node, j.right.in.node
	left, right := p.Left.Info(), p.Right.Info()
	p.LeftUnique, p.RightUnique = left.Key, right.Key
	p.Schema, p.Span, p.Rowtime, p.Bounded = j.schema(), n.Span, -1, left.Bounded && right.Bounded
	p.Mode = n.Mode
	p.NoDelete = p.Mode != physical.Append && (n.Kind == physical.Inner || n.Kind == physical.LeftSemi) && keeps(left) && keeps(right)
	p.Key = joinKey(p)
	p.State = "unbounded: rows of both sides, as no window ends them"
	if p.TTL > 0 {
		p.State = "rows of both sides, kept " + physical.DurationText(p.TTL) + " after they were written"
	}
	return lowered{p, index}
}

// intervalJoin plans a join by an interval of time.
func (l *lowerer) intervalJoin(n *logical.Join, need []bool) lowered {
	j := newJoinInput(n)
	leftTime, rightTime := j.left.column(n.Interval.Left), j.right.column(n.Interval.Right)
	p := &physical.IntervalJoin{Kind: n.Kind, Lower: n.Interval.Lower, Upper: n.Interval.Upper, MinCleanup: n.Interval.MinCleanup}
	index := j.lower(l, need)
	p.Left, p.Right, p.NullSafe, p.Cond = j.left.in.node, j.right.in.node, j.nullSafe, j.cond
	p.LeftKeys, p.RightKeys = j.leftKeys, j.rightKeys
	p.LeftTime, p.RightTime = j.left.at(leftTime), j.right.at(rightTime)
	p.Schema, p.Span, p.Bounded = j.schema(), n.Span, p.Left.Info().Bounded && p.Right.Info().Bounded
	p.Rowtime = p.Schema.Rowtime()
	p.State = "rows until the watermark passes their interval"
	return lowered{p, index}
}

// keeps reports whether a node takes no row back but for another.
func keeps(b *physical.Base) bool { return b.Mode == physical.Append || b.NoDelete }

// joinKey returns columns by which the rows of a join are told apart; nil if none are
// known.
func joinKey(p *physical.Join) []int {
	left, right := p.Left.Info(), p.Right.Info()
	if p.Kind == physical.LeftSemi || p.Kind == physical.LeftAnti {
		return left.Key
	}
	var shiftedKey []int
	for _, c := range right.Key {
		shiftedKey = append(shiftedKey, len(left.Schema.Fields)+c)
	}
	// The key of one side alone will do where the other has one row for each.
	one := func(key, of []int) bool {
		return key != nil && !slices.ContainsFunc(key, func(c int) bool { return !slices.Contains(of, c) })
	}
	switch {
	case left.Key != nil && one(right.Key, p.RightKeys) && (p.Kind == physical.Inner || p.Kind == physical.LeftOuter):
		return left.Key
	case right.Key != nil && one(left.Key, p.LeftKeys) && (p.Kind == physical.Inner || p.Kind == physical.RightOuter):
		return append([]int{}, shiftedKey...)
	case left.Key != nil && right.Key != nil:
		return append(slices.Clone(left.Key), shiftedKey...)
	}
	return nil
}
