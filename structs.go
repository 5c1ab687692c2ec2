package streamsql

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"streamsql/expr/builtin"
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
	fields := columnFields(t)
	s := &scanner{}
	for i, f := range schema.Fields {
		sf, ok := findField(fields, f.Name)
		if !ok {
			var names []string
			for _, g := range fields {
				names = append(names, g.name)
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

type columnField struct {
	reflect.StructField
	name   string
	tagged bool
}

// columnFields lists the exported fields of a struct with their column names; a tag
// `sql:"-"` leaves one out.
func columnFields(t reflect.Type) []columnField {
	var list []columnField
	for _, f := range reflect.VisibleFields(t) {
		name, tagged := f.Tag.Lookup("sql")
		if !f.IsExported() || f.Anonymous || name == "-" {
			continue
		}
		if !tagged {
			name = f.Name
		}
		list = append(list, columnField{f, name, tagged})
	}
	return list
}

// findField prefers an exact name, then one that differs in letter case or, without
// a tag, in underscores only (window_start fits WindowStart).
func findField(fields []columnField, column string) (reflect.StructField, bool) {
	for _, f := range fields {
		if f.name == column {
			return f.StructField, true
		}
	}
	plain := strings.ReplaceAll(column, "_", "")
	for _, f := range fields {
		if strings.EqualFold(f.name, column) || !f.tagged && strings.EqualFold(f.name, plain) {
			return f.StructField, true
		}
	}
	return reflect.StructField{}, false
}

func newScanColumn(t reflect.Type, f stream.Field) (scanColumn, error) {
	c := scanColumn{}
	base := t
	if t.Kind() == reflect.Pointer {
		c.ptr, base = true, t.Elem()
	}
	c.set = setterFor(base, f.Type)
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

// setterFor returns how a value of SQL type t goes into a Go type, or nil if it does
// not fit without loss.
func setterFor(base reflect.Type, t types.Type) func(*stream.Vec, int, reflect.Value) {
	if t.IsNested() {
		set := nestedSetter(base, t)
		if set == nil {
			return nil
		}
		return func(v *stream.Vec, row int, dst reflect.Value) { set(v.Raw(row), dst) }
	}
	switch {
	case base == timeType && (t.IsTimestamp() || t.Kind == types.Date):
		return setTime(t)
	case base == reflect.TypeFor[time.Duration]() && (t.Kind == types.IntervalDay || t.Kind == types.Time):
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.SetInt(v.Value(row).I * int64(time.Millisecond))
		}
	case base.Kind() == reflect.String && t.IsText():
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetString(string(v.Bytes(row))) }
	case base.Kind() == reflect.String && t.Kind == types.Decimal:
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.SetString(string(builtin.AppendText(nil, v, row, nil)))
		}
	case base == reflect.TypeFor[[]byte]() && (t.IsBytes() || t.IsText()):
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetBytes(append([]byte{}, v.Bytes(row)...)) }
	case base.Kind() == reflect.Bool && t.Kind == types.Boolean:
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetBool(v.Bool(row)) }
	case (base.Kind() == reflect.Float64 || base.Kind() == reflect.Float32 && t.Kind == types.Float) && t.IsApproximate():
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetFloat(v.Value(row).F) }
	case base.Kind() >= reflect.Int && base.Kind() <= reflect.Int64 && base != reflect.TypeFor[time.Duration]() &&
		t.IsInteger() && base.Size() >= uintptr(t.Layout().Width()):
		return func(v *stream.Vec, row int, dst reflect.Value) { dst.SetInt(v.Value(row).I) }
	}
	return nil
}

func setTime(t types.Type) func(*stream.Vec, int, reflect.Value) {
	if t.Kind == types.Date {
		return func(v *stream.Vec, row int, dst reflect.Value) {
			dst.Set(reflect.ValueOf(time.Unix(v.Value(row).I*86400, 0).UTC()))
		}
	}
	unit := t.TimeUnit()
	return func(v *stream.Vec, row int, dst reflect.Value) {
		x := v.Value(row).I
		sec := x / unit
		if x%unit < 0 {
			sec--
		}
		dst.Set(reflect.ValueOf(time.Unix(sec, (x-sec*unit)*(1e9/unit)).UTC()))
	}
}

func goTypeHint(t types.Type) string {
	switch {
	case t.IsInteger():
		return fmt.Sprintf("use an integer of at least %d bits", t.Layout().Width()*8)
	case t.IsTimestamp() || t.Kind == types.Date:
		return "use time.Time"
	case t.IsApproximate():
		return "use float64"
	case t.IsText() || t.Kind == types.Decimal:
		return "use string"
	case t.Kind == types.Boolean:
		return "use bool"
	case t.IsBytes():
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

// schemaOf returns the columns that a Go struct stands for: one per exported field,
// NOT NULL unless the field is a pointer.
func schemaOf(t reflect.Type) (stream.Schema, []columnField, error) {
	if t.Kind() != reflect.Struct {
		return stream.Schema{}, nil, diag.New(diag.TypeMismatch, diag.Span{}, "type %s is no struct", t).
			WithHint("rows are structs with one field per column")
	}
	var s stream.Schema
	fields := columnFields(t)
	for _, f := range fields {
		base := f.Type
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		st, ok := sqlType(base)
		if !ok {
			st, ok = nestedType(base, 0)
		}
		if !ok {
			return s, nil, diag.New(diag.TypeMismatch, diag.Span{}, "field %q of type %s has Go type %s, which is no SQL type", f.Name, t, f.Type).
				WithHint("leave it out with the tag `sql:\"-\"`")
		}
		s.Fields = append(s.Fields, stream.Field{Name: f.name, Type: st.WithNullability(f.Type.Kind() == reflect.Pointer)})
	}
	if len(s.Fields) == 0 {
		return s, nil, diag.New(diag.TypeMismatch, diag.Span{}, "type %s has no exported fields", t).
			WithHint("rows are structs with one field per column")
	}
	return s, fields, nil
}

func sqlType(t reflect.Type) (types.Type, bool) {
	switch {
	case t == timeType:
		return types.NewTimestamp(3), true
	case t == reflect.TypeFor[time.Duration]():
		return types.Of(types.IntervalDay), true
	case t == reflect.TypeFor[[]byte]():
		return types.Of(types.Varbinary), true
	}
	switch t.Kind() {
	case reflect.Bool:
		return types.Of(types.Boolean), true
	case reflect.Int8:
		return types.Of(types.TinyInt), true
	case reflect.Int16:
		return types.Of(types.SmallInt), true
	case reflect.Int32:
		return types.Of(types.Int), true
	case reflect.Int, reflect.Int64:
		return types.Of(types.BigInt), true
	case reflect.Float32:
		return types.Of(types.Float), true
	case reflect.Float64:
		return types.Of(types.Double), true
	case reflect.String:
		return types.Of(types.Varchar), true
	}
	return types.Type{}, false
}
