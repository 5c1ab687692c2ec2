package planner

import (
	"slices"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
)

// lateral completes a node that makes rows with these columns of the rows of left. The
// names that an alias gives are found as for any other table.
func (b *binder) lateral(n logical.Node, left relation, made []stream.Field, f *sql.TableFunc) (relation, error) {
	span := b.span(f.Call)
	shape := &logical.Values{}
	shape.Span, shape.Schema.Fields = span, slices.Clone(made)
	right, err := b.withAlias(newRelation(shape, ""), f.Alias)
	if err != nil {
		return left, err
	}
	both := sideBySide(&logical.Join{}, left, right)
	l := logical.LateralOf(n)
	l.Input, l.Span, l.Mode, l.Schema = left.node, span, left.node.Info().Mode, both.node.Info().Schema
	both.node = n
	return both, nil
}

// lateralJoin binds the kind and the condition of a join with rows that are made of those
// in front.
func (b *binder) lateralJoin(t *sql.Join, what, example string, left relation, bind func() (relation, error)) (relation, error) {
	if t.Natural || len(t.Using) > 0 || t.Kind == sql.RightJoin || t.Kind == sql.FullJoin {
		return left, b.unsupported(b.joinSpan(t), joinName(t)+" of "+what, "write CROSS JOIN "+example+", or LEFT JOIN "+example+" ON TRUE")
	}
	both, err := bind()
	if err != nil {
		return both, err
	}
	n := logical.LateralOf(both.node)
	if n.Outer = t.Kind == sql.LeftJoin; n.Outer {
		for i := len(left.fields()); i < len(n.Schema.Fields); i++ {
			n.Schema.Fields[i].Type = n.Schema.Fields[i].Type.Nullable()
		}
	}
	if t.On == nil {
		return both, nil
	}
	x := &exprBinder{binder: b, rel: both, clause: "ON"}
	on, err := x.bind(t.On)
	if err != nil {
		return both, err
	}
	if on, err = b.boolean(on, "the condition of ON"); err != nil {
		return both, err
	}
	switch l, constant := on.(*expr.Literal); {
	case constant && !l.Value.Null && l.Value.I != 0:
	case n.Outer:
		n.On = on
	default:
		both.node = filter(both.node, on, on.Span())
	}
	return both, nil
}

// pushLateral moves a condition of WHERE below rows that are made of rows, if it reads
// nothing of them.
func pushLateral(n *logical.Lateral, cond expr.Expr) bool {
	used := make([]bool, len(n.Schema.Fields))
	uses(cond, used)
	if !movable(cond) || slices.Contains(used[len(n.Input.Info().Schema.Fields):], true) {
		return false
	}
	n.Input = push(n.Input, cond)
	return true
}

// refreshLateral brings what is passed on up to date with what is below.
func refreshLateral(n *logical.Lateral) {
	refresh(n.Input)
	n.Mode = n.Input.Info().Mode
	copy(n.Schema.Fields, n.Input.Info().Schema.Fields)
}
