package planner

import (
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
	"streamsql/types"
)

// constructor binds ARRAY[..], MAP[..] and ROW(..).
func (x *exprBinder) constructor(op string, e sql.Expr, items []sql.Expr) (expr.Expr, error) {
	args := make([]expr.Expr, len(items))
	for i, n := range items {
		a, err := x.bind(n)
		if err != nil {
			return nil, err
		}
		args[i] = a
	}
	return x.operator(op, x.span(e), args...)
}

// inOrder refuses to sort by values that have no order.
func (b *binder) inOrder(t types.Type, span diag.Span) error {
	if t.HasOrder() {
		return nil
	}
	return b.errorf(diag.TypeMismatch, span, "values of type %s have no order", t.Name()).WithHint("sort by an element, a field or a text of it")
}

// rowsOf returns two rows that are written out, field by field, and as long as each
// other.
func rowsOf(a, b sql.Expr) (l, r []sql.Expr, ok bool) {
	x, isRow := bare(a).(*sql.RowValue)
	y, areRows := bare(b).(*sql.RowValue)
	if !isRow || !areRows || len(x.Items) != len(y.Items) {
		return nil, nil, false
	}
	return x.Items, y.Items, true
}

// equalRows compares two rows that are written out: a comparison of each pair, so that a
// NULL makes the result NULL where the others do not decide. As in Flink <> is no such
// thing: it compares the rows as values, a NULL in them equal to NULL.
func (x *exprBinder) equalRows(l, r []sql.Expr, span diag.Span) (expr.Expr, error) {
	var pairs []expr.Expr
	for i := range l {
		var eq expr.Expr
		var err error
		if a, b, ok := rowsOf(l[i], r[i]); ok {
			eq, err = x.equalRows(a, b, span)
		} else {
			eq, err = x.binary(&sql.Binary{Pos: sql.Pos{S: l[i].Span()}, Op: "=", Left: l[i], Right: r[i]})
		}
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, eq)
	}
	return x.fold(connect(true, pairs, span))
}

// rowIn is IN for a row that is written out and a list of such rows.
func (x *exprBinder) rowIn(e *sql.In) (in expr.Expr, ok bool, err error) {
	var alternatives []expr.Expr
	for _, item := range e.List {
		l, r, ok := rowsOf(e.Expr, item)
		if !ok {
			return nil, false, nil
		}
		eq, err := x.equalRows(l, r, x.span(e))
		if err != nil {
			return nil, true, err
		}
		alternatives = append(alternatives, eq)
	}
	in, err = x.fold(connect(false, alternatives, x.span(e)))
	return in, true, err
}

// item binds expr[index].
func (x *exprBinder) item(e *sql.Index) (expr.Expr, error) {
	v, err := x.bind(e.Expr)
	if err != nil {
		return nil, err
	}
	k, err := x.bind(e.Index)
	if err != nil {
		return nil, err
	}
	return x.operator("ITEM", x.span(e), v, k)
}

// fieldOf binds expr.name.
func (x *exprBinder) fieldOf(e *sql.Field) (expr.Expr, error) {
	v, err := x.bind(e.Expr)
	if err != nil {
		return nil, err
	}
	return x.field(v, e.Name, x.span(e))
}

// fields goes down a path of names from a value.
func (x *exprBinder) fields(v expr.Expr, path []sql.Ident, span diag.Span) (expr.Expr, error) {
	var err error
	for _, name := range path {
		if v, err = x.field(v, name, span); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// field is the field of a row.
func (x *exprBinder) field(v expr.Expr, name sql.Ident, span diag.Span) (expr.Expr, error) {
	t := v.Type()
	if t.Kind != types.Row {
		e := x.errorf(diag.TypeMismatch, x.span(name), "%s has no field %q: only a ROW has fields", t.Name(), name.Name)
		switch t.Kind {
		case types.Variant:
			e = e.WithHint("write ['%s'] instead of .%s", name.Name, name.Name)
		case types.Varchar, types.Char:
			e = e.WithHint("of a JSON text write JSON_VALUE(text, '$.%s'), or declare the column as a ROW in CREATE TABLE", name.Name)
		}
		return nil, e
	}
	if t.FieldIndex(name.Name) < 0 {
		var names []string
		for _, f := range t.Fields() {
			names = append(names, f.Name)
		}
		e := x.errorf(diag.UndefinedColumn, x.span(name), "field %q not found", name.Name)
		return nil, e.DidYouMean(name.Name, names, listHint("fields", names))
	}
	return x.operator("ITEM", span, v, x.text(name.Name, x.span(name)))
}

// fieldStar expands row.* for the row that a path leads to.
func (x *exprBinder) fieldStar(it sql.SelectItem, column int, path []sql.Ident) ([]item, error) {
	span := x.span(it)
	v, err := x.fields(x.rel.column(column, span), path, span)
	if err != nil {
		return nil, err
	}
	if v.Type().Kind != types.Row {
		return nil, x.errorf(diag.TypeMismatch, span, "%s is no ROW: it has no fields that * could stand for", nameOf(*it.Table))
	}
	left := map[string]bool{}
	for _, c := range it.Except {
		if v.Type().FieldIndex(c.Name) < 0 {
			return nil, x.errorf(diag.UndefinedColumn, x.span(c), "field %q not found", c.Name).WithHint("fields: %s", v.Type().Name())
		}
		left[v.Type().Fields()[v.Type().FieldIndex(c.Name)].Name] = true
	}
	var list []item
	for _, f := range v.Type().Fields() {
		if left[f.Name] {
			continue
		}
		e, err := x.field(v, sql.Ident{Pos: it.Pos, Name: f.Name}, span)
		if err != nil {
			return nil, err
		}
		list = append(list, item{nil, e, f.Name})
	}
	if len(list) == 0 {
		return nil, x.errorf(diag.InvalidArgument, span, "* leaves no field")
	}
	return list, nil
}

// typeName gives the type that is written.
func (b *binder) typeName(t sql.TypeName) (types.Type, error) {
	if !t.Type.IsNested() {
		return t.Type, nil
	}
	var key, elem types.Type
	var err error
	if t.Key != nil {
		if key, err = b.typeName(*t.Key); err != nil {
			return key, err
		}
	}
	if t.Elem != nil {
		if elem, err = b.typeName(*t.Elem); err != nil {
			return elem, err
		}
	}
	made := types.Type{}
	switch t.Type.Kind {
	case types.Array:
		made = types.NewArray(elem)
	case types.Map:
		made = types.NewMap(key, elem)
	case types.Multiset:
		made = types.NewMultiset(elem)
	default:
		if made, err = b.rowType(t); err != nil {
			return made, err
		}
	}
	return made.WithNullability(!t.Type.NotNull), nil
}

func (b *binder) rowType(t sql.TypeName) (types.Type, error) {
	seen := map[string]bool{}
	var fields []types.Field
	for _, f := range t.Fields {
		if seen[f.Name.Name] {
			return types.Type{}, b.errorf(diag.InvalidArgument, b.span(f.Name), "a ROW has two fields with the name %q", f.Name.Name)
		}
		seen[f.Name.Name] = true
		ft, err := b.typeName(f.Type)
		if err != nil {
			return types.Type{}, err
		}
		fields = append(fields, types.Field{Name: f.Name.Name, Type: ft})
	}
	return types.NewRow(fields...), nil
}
