package planner

import (
	"strings"

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
		return left, b.errorf(diag.TypeMismatch, span, "UNNEST expects an array, a map or a multiset, not %s", value.Type().Name()).
			WithHint("%s", insideHint([]types.Type{value.Type()}, ""))
	}
	if len(elements) == 1 {
		elements[0].Name = soleName(f.Alias, []string{elements[0].Name})[0]
	}
	if f.Ordinality {
		elements = append(elements, stream.Field{Name: "ORDINALITY", Type: types.Of(types.Int).Required()})
	}
	return b.lateral(&logical.Unnest{Value: value, Ordinality: f.Ordinality}, left, elements, f)
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
	return b.lateralJoin(t, "UNNEST", "UNNEST(...)", left, func() (relation, error) { return b.unnest(f, left) })
}
