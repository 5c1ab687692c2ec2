package planner

import (
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
)

// compared binds INTERSECT and EXCEPT: as in Flink a test of the left rows by the right
// ones, in which NULL equals NULL, of whose result each row counts once.
func (b *binder) compared(s *sql.SetOp) (logical.Node, error) {
	name, kind := "INTERSECT", physical.LeftSemi
	if s.Op == sql.Except {
		name, kind = "EXCEPT", physical.LeftAnti
	}
	if s.All {
		return nil, b.unsupported(b.span(s.Right), name+" ALL", "leave out ALL: each row counts once then")
	}
	u := &logical.Union{}
	u.Span = b.span(s)
	branches := []sql.Body{s.Left, s.Right}
	for _, body := range branches {
		n, err := b.body(body)
		if err != nil {
			return nil, err
		}
		u.Sources = append(u.Sources, n)
	}
	left, right := u.Sources[0].Info().Schema.Fields, u.Sources[1].Info().Schema.Fields
	if len(left) != len(right) {
		return nil, b.errorf(diag.InvalidArgument, b.span(s.Right), "the branches of %s have %d and %d columns", name, len(left), len(right))
	}
	if err := b.unify(u, branches, name); err != nil {
		return nil, err
	}
	j := &logical.Join{Left: u.Sources[0], Right: u.Sources[1], Kind: kind}
	j.Span = u.Span
	both := sideBySide(j, newRelation(j.Left, ""), newRelation(j.Right, ""))
	x := &exprBinder{binder: b, rel: both, clause: name}
	for i := range left {
		eq, err := x.operator("IS NOT DISTINCT FROM", j.Span, both.column(i, j.Span), both.column(len(left)+i, j.Span))
		if err != nil {
			return nil, err
		}
		j.Conds = append(j.Conds, conjuncts(eq)...)
	}
	j.Schema = joinSchema(j)
	if err := b.settleJoin(j, name); err != nil {
		return nil, err
	}
	return b.distinctOf(j, u.Span)
}
