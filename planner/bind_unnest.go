package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// unnestOf returns the UNNEST that a table of FROM is, or nil.
func unnestOf(t sql.TableExpr) *sql.TableFunc {
	if f, ok := t.(*sql.TableFunc); ok && strings.EqualFold(nameOf(f.Call.Name), "UNNEST") {
		return f
	}
	return nil
}

// unnestAlone binds an UNNEST that is joined with nothing in front of it: one of
// constants.
func (b *binder) unnestAlone(f *sql.TableFunc) (relation, error) {
	left, err := b.from(nil, b.span(f))
	if err != nil {
		return left, err
	}
	return b.unnest(f, left)
}

// unnest puts the elements of a collection beside the rows of left, over which it is
// computed.
func (b *binder) unnest(f *sql.TableFunc, left relation) (relation, error) {
	span := b.span(f.Call)
	if len(f.Call.Args) != 1 {
		return left, b.errorf(diag.InvalidArgument, span, "UNNEST takes 1 argument, not %d", len(f.Call.Args)).
			WithHint("join one UNNEST after the other")
	}
	x := &exprBinder{binder: b, rel: left, clause: "UNNEST"}
	value, err := x.bind(f.Call.Args[0])
	if err != nil {
		return left, err
	}
	elements, ok := elementFields(value.Type())
	if !ok {
		return left, b.errorf(diag.TypeMismatch, span, "UNNEST expects an array, a map or a multiset, not %s", value.Type().Name())
	}
	if f.Ordinality {
		elements = append(elements, stream.Field{Name: "ORDINALITY", Type: types.Of(types.Int).Required()})
	}
	// The names that an alias gives are found as for any other table.
	shape := &logical.Values{}
	shape.Span, shape.Schema.Fields = span, elements
	right, err := b.withAlias(newRelation(shape, ""), f.Alias)
	if err != nil {
		return left, err
	}
	n := &logical.Unnest{Input: left.node, Value: value, Ordinality: f.Ordinality}
	n.Span, n.Mode = span, left.node.Info().Mode
	both := sideBySide(&logical.Join{}, left, right)
	n.Schema = both.node.Info().Schema
	both.node = n
	return both, nil
}

// elementFields are the columns that the elements of a collection make.
func elementFields(t types.Type) (fields []stream.Field, ok bool) {
	switch t.Kind {
	case types.Map:
		key, value := t.Entry()
		return []stream.Field{{Name: "KEY", Type: key}, {Name: "VALUE", Type: value}}, true
	case types.Array, types.Multiset:
	default:
		return nil, false
	}
	elem := t.Elem()
	if elem.Kind != types.Row {
		return []stream.Field{{Name: columnName(0), Type: elem}}, true
	}
	for _, f := range elem.Fields() {
		fields = append(fields, stream.Field{Name: f.Name, Type: f.Type})
	}
	return fields, true
}

// unnestJoin binds a join with an UNNEST, whose collection may be a column of the other
// side.
func (b *binder) unnestJoin(t *sql.Join, f *sql.TableFunc, left relation) (relation, error) {
	if t.Natural || len(t.Using) > 0 || t.Kind == sql.RightJoin || t.Kind == sql.FullJoin {
		return left, b.unsupported(b.span(f), joinName(t)+" of UNNEST", "write CROSS JOIN UNNEST(...), or LEFT JOIN UNNEST(...) ON TRUE")
	}
	both, err := b.unnest(f, left)
	if err != nil {
		return both, err
	}
	n := both.node.(*logical.Unnest)
	if t.Kind == sql.LeftJoin {
		n.Outer = true
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
		both.node = filter(n, on, on.Span())
	}
	return both, nil
}

// pushUnnest moves a condition of WHERE below an UNNEST if it reads nothing of the
// elements.
func pushUnnest(n *logical.Unnest, cond expr.Expr) bool {
	width, below := len(n.Input.Info().Schema.Fields), movable(cond)
	expr.Walk(cond, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok && c.Index >= width {
			below = false
		}
		return below
	})
	if below {
		n.Input = push(n.Input, cond)
	}
	return below
}

// refreshUnnest brings what an UNNEST passes on up to date with what is below it.
func refreshUnnest(n *logical.Unnest) {
	refresh(n.Input)
	n.Mode = n.Input.Info().Mode
	copy(n.Schema.Fields, n.Input.Info().Schema.Fields)
}
