package streamsql

import (
	"fmt"
	"reflect"
	"time"

	"streamsql/expr/govalue"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// scanner fills Go values from the rows of one schema. It is made once per loop.
type scanner struct {
	columns []scanColumn
}

type scanColumn struct {
	col   int
	field []int // path in the struct; nil: the value itself
	ptr   bool
	set   func(v *stream.Vec, row int, dst reflect.Value)
}

var timeType = reflect.TypeFor[time.Time]()

func newScanner(t reflect.Type, schema stream.Schema) (*scanner, error) {
	if t.Kind() != reflect.Struct || t == timeType {
		if len(schema.Fields) != 1 {
			return nil, diag.New(diag.TypeMismatch, diag.Span{}, "the query has %d columns, type %s holds one", len(schema.Fields), t).
				WithHint("use a struct with one field per column")
		}
		c, err := newScanColumn(t, schema.Fields[0])
		if err != nil {
			return nil, err
		}
		return &scanner{columns: []scanColumn{c}}, nil
	}
	fields := govalue.Fields(t)
	s := &scanner{}
	for i, f := range schema.Fields {
		sf, ok := govalue.FindField(fields, f.Name)
		if !ok {
			var names []string
			for _, g := range fields {
				names = append(names, g.Column)
			}
			return nil, diag.New(diag.UndefinedColumn, diag.Span{}, "type %s has no field for column %q", t, f.Name).
				DidYouMean(f.Name, names, fmt.Sprintf("add a field with tag `sql:%q`", f.Name))
		}
		c, err := newScanColumn(sf.Type, f)
		if err != nil {
			return nil, err
		}
		c.col, c.field = i, sf.Index
		s.columns = append(s.columns, c)
	}
	return s, nil
}

func newScanColumn(t reflect.Type, f stream.Field) (scanColumn, error) {
	c := scanColumn{}
	base := t
	if t.Kind() == reflect.Pointer {
		c.ptr, base = true, t.Elem()
	}
	c.set = govalue.Setter(base, f.Type)
	if c.set == nil {
		return c, diag.New(diag.TypeMismatch, diag.Span{}, "column %q is %s, which does not fit Go type %s", f.Name, f.Type.Name(), t).
			WithHint("%s", goTypeHint(f.Type))
	}
	return c, nil
}

func (s *scanner) row(b *Batch, row int, dst reflect.Value) {
	for i := range s.columns {
		c := &s.columns[i]
		v := &b.vecs[c.col]
		field := dst
		if c.field != nil {
			field = dst.FieldByIndex(c.field)
		}
		if v.IsNull(row) {
			field.SetZero()
			continue
		}
		if c.ptr {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		c.set(v, row, field)
	}
}

// schemaOf returns the columns that a Go struct stands for: one per exported field,
// NOT NULL unless the field is a pointer.
func schemaOf(t reflect.Type) (stream.Schema, []govalue.Field, error) {
	if t.Kind() != reflect.Struct {
		return stream.Schema{}, nil, diag.New(diag.TypeMismatch, diag.Span{}, "type %s is no struct", t).
			WithHint("rows are structs with one field per column")
	}
	var s stream.Schema
	fields := govalue.Fields(t)
	for _, f := range fields {
		base := f.Type
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		st, ok := govalue.TypeOf(base)
		if !ok {
			return s, nil, diag.New(diag.TypeMismatch, diag.Span{}, "field %q of type %s has Go type %s, which is no SQL type", f.Name, t, f.Type).
				WithHint("leave it out with the tag `sql:\"-\"`")
		}
		s.Fields = append(s.Fields, stream.Field{Name: f.Column, Type: st.WithNullability(f.Type.Kind() == reflect.Pointer)})
	}
	if len(s.Fields) == 0 {
		return s, nil, diag.New(diag.TypeMismatch, diag.Span{}, "type %s has no exported fields", t).
			WithHint("rows are structs with one field per column")
	}
	return s, fields, nil
}

func goTypeHint(t types.Type) string {
	switch {
	case t.IsInteger():
		return fmt.Sprintf("use an integer of at least %d bits", t.Layout().Width()*8)
	case t.IsTimestamp() || t.Kind == types.Date:
		return "use time.Time"
	case t.IsApproximate():
		return "use float64"
	case t.IsText() || t.Kind == types.Decimal || t.Kind == types.Variant:
		return "use string"
	case t.Kind == types.Boolean:
		return "use bool"
	case t.IsBytes() || t.Kind == types.Bitmap:
		return "use []byte"
	case t.Kind == types.IntervalDay || t.Kind == types.Time:
		return "use time.Duration"
	case t.Kind == types.Array:
		return "use a slice"
	case t.Kind == types.Row:
		return "use a struct with one field per field, or map[string]any"
	case t.IsNested():
		return "use a map"
	}
	return "cast the column to STRING in the query"
}
