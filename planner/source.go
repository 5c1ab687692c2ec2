package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/planner/logical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// source opens a table for reading; each table is opened once per statement.
func (b *binder) source(t *catalog.Table, hints []sql.Hint, span diag.Span) (*logical.Source, error) {
	t, key, err := b.withOptions(t, hints)
	if err != nil {
		return nil, err
	}
	if s := b.sources[key]; s != nil {
		return s, nil
	}
	info, err := b.env.Factory.Source(t)
	if err != nil {
		return nil, b.definitionError(err, t, span)
	}
	s := &logical.Source{Name: t.Name, Table: t, Info: info, Computed: map[int]expr.Expr{}, Time: -1, Span: span}
	if len(t.Columns) == 0 {
		for i, f := range info.Schema.Fields {
			s.Schema.Fields = append(s.Schema.Fields, f)
			s.Physical = append(s.Physical, i)
		}
	}
	err = b.inside(span, "the definition of table \""+t.Name+"\"", func() error {
		if err := b.columns(s); err != nil {
			return err
		}
		return b.watermark(s)
	})
	if err != nil {
		return nil, err
	}
	if s.MaxFuture, err = maxFuture(s); err != nil {
		return nil, b.definitionError(err, t, span)
	}
	if s.IdleTimeout, err = b.watermarkOptions(s); err != nil {
		return nil, b.definitionError(err, t, span)
	}
	for _, k := range t.PrimaryKey {
		s.Key = append(s.Key, slices.Index(s.Schema.Names(), k))
	}
	b.sources[key] = s
	return s, nil
}

// definitionError gives an error from a connector the place of the mention: its
// spans point into the CREATE TABLE statement.
func (b *binder) definitionError(err error, t *catalog.Table, span diag.Span) error {
	e := diag.As(err)
	if e == nil {
		return b.errorf(diag.IO, span, "table %q", t.Name).Wrap(err)
	}
	if t.Text == "" && e.Span.Valid() && !b.at.Valid() {
		return err
	}
	c := *e
	c.Line, c.Col = 0, 0
	if e.Span.Valid() && t.Text != "" {
		c.Source = t.Text
	} else {
		c.Span = span
	}
	if t.Text != "" && !strings.Contains(c.Msg, t.Name) {
		c.Msg = "table \"" + t.Name + "\": " + c.Msg
	}
	return &c
}

// withOptions applies the OPTIONS hint: a definition of its own for this mention.
func (b *binder) withOptions(t *catalog.Table, hints []sql.Hint) (*catalog.Table, sourceKey, error) {
	key := sourceKey{table: t}
	if len(hints) == 0 {
		return t, key, nil
	}
	set := map[string]sql.Option{}
	for _, h := range hints {
		if !strings.EqualFold(h.Name.Name, "OPTIONS") {
			return nil, key, b.unsupported(b.span(h), "the hint "+strings.ToUpper(h.Name.Name), "the hint that tables take is OPTIONS('key'='value')")
		}
		for _, o := range h.Options {
			set[o.Key.Value] = o
		}
	}
	for _, k := range slices.Sorted(maps.Keys(set)) {
		key.hints += k + "=" + set[k].Value.Value + "\x00"
	}
	if id, ok := b.hinted[key]; ok {
		return id, key, nil
	}
	c := *t
	c.Options = nil
	for _, o := range t.Options {
		if n, ok := set[o.Key.Value]; ok {
			o.Value = n.Value
			delete(set, o.Key.Value)
		}
		c.Options = append(c.Options, o)
	}
	for _, k := range slices.Sorted(maps.Keys(set)) {
		c.Options = append(c.Options, set[k])
	}
	b.hinted[key] = &c
	return &c, key, nil
}

// columns builds the schema of a source: physical columns, then the computed ones,
// which see the physical ones only.
func (b *binder) columns(s *logical.Source) error {
	t := s.Table
	physical := 0
	for _, c := range t.Columns {
		f := stream.Field{Name: c.Name, Type: c.Type}
		switch c.Kind {
		case sql.MetadataColumn:
			return b.unsupported(c.Span, "the metadata column \""+c.Name+"\"", "leave the column out of the table")
		case sql.ComputedColumn:
			s.Physical = append(s.Physical, -1)
		default:
			s.Physical = append(s.Physical, physical)
			physical++
		}
		s.Schema.Fields = append(s.Schema.Fields, f)
	}
	for i, c := range t.Columns {
		if c.Kind != sql.ComputedColumn {
			continue
		}
		e, attr, err := b.computed(t.Columns, c)
		if err != nil {
			return err
		}
		s.Computed[i] = e
		s.Schema.Fields[i].Type, s.Schema.Fields[i].Time = e.Type(), attr
	}
	return nil
}

// computed binds the expression of a computed column over the table's columns.
func (b *binder) computed(cols []catalog.Column, c catalog.Column) (expr.Expr, stream.TimeAttr, error) {
	var fields []stream.Field
	var index []int
	for i, p := range cols {
		if p.Kind != sql.ComputedColumn {
			fields = append(fields, stream.Field{Name: p.Name, Type: p.Type})
			index = append(index, i)
		}
	}
	n := &logical.Values{Base: logical.Base{Schema: stream.Schema{Fields: fields}}}
	x := &exprBinder{binder: b, rel: newRelation(n, ""), clause: "a computed column"}
	e, err := x.bind(c.Expr)
	if err != nil {
		return nil, stream.NoTime, err
	}
	if isNull(e) {
		return nil, stream.NoTime, b.errorf(diag.TypeMismatch, e.Span(), "column %q has no type", c.Name).WithHint("write CAST(NULL AS type)")
	}
	attr := stream.NoTime
	if _, ok := e.(*expr.Proctime); ok {
		attr = stream.Proctime
	}
	e = rewrite(e, func(e expr.Expr) expr.Expr {
		if col, ok := e.(*expr.Column); ok {
			moved := *col
			moved.Index = index[col.Index]
			return &moved
		}
		return nil
	})
	return e, attr, nil
}

// watermark binds the watermark of a table and marks its rowtime column.
func (b *binder) watermark(s *logical.Source) error {
	w := s.Table.Watermark
	if w == nil {
		s.Time = s.Schema.Rowtime() // a source whose schema says so
		return nil
	}
	i, e, err := b.watermarkOf(s.Schema, w)
	if err != nil {
		return err
	}
	s.Time = i
	s.Schema.Fields[i].Time = stream.Rowtime
	if s.Schema.Fields[i].Type.Precision != 3 && !w.Source {
		if err := b.rowtimePrecision(s, i); err != nil {
			return err
		}
		if _, e, err = b.watermarkOf(s.Schema, w); err != nil {
			return err
		}
	}
	if w.Source {
		if !s.Info.Watermarks {
			return b.errorf(diag.Watermark, w.Span, "the connector of table %q sends no watermarks", s.Name).
				WithHint("write the watermark as an expression: WATERMARK FOR %s AS %s - INTERVAL '5' SECOND", w.Column, w.Column)
		}
		return nil
	}
	s.Watermark = e
	return nil
}

// rowtimePrecision makes a rowtime column of less than milliseconds TIMESTAMP(3), as
// Flink does behind the watermark.
func (b *binder) rowtimePrecision(s *logical.Source, i int) error {
	f := &s.Schema.Fields[i]
	t := f.Type
	t.Precision = 3
	e := s.Computed[i]
	if e == nil {
		e = &expr.Column{Info: expr.Info{T: f.Type, S: s.Span}, Index: i, Name: f.Name}
	}
	cast, err := b.coerce(e, t)
	s.Computed[i], f.Type = cast, t
	return err
}

// watermarkOf checks a watermark definition and binds its expression (nil where the
// source sends its own).
func (b *binder) watermarkOf(schema stream.Schema, w *catalog.Watermark) (int, expr.Expr, error) {
	n := &logical.Values{Base: logical.Base{Schema: schema}}
	rel := newRelation(n, "")
	cols := rel.find("", w.Column)
	if len(cols) != 1 {
		e := b.errorf(diag.UndefinedColumn, w.Span, "rowtime column %q not found", w.Column)
		return 0, nil, e.DidYouMean(w.Column, rel.names(), listHint("columns", rel.names()))
	}
	i := cols[0]
	f := schema.Fields[i]
	if f.Time == stream.Proctime {
		return 0, nil, b.errorf(diag.Watermark, w.Span, "a processing-time column takes no watermark").
			WithHint("use a TIMESTAMP(3) column of the table")
	}
	if !f.Type.IsTimestamp() || f.Type.Precision > 3 {
		return 0, nil, b.errorf(diag.Watermark, w.Span, "rowtime column %q must be TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p from 0 to 3, but is %s", f.Name, f.Type.Name()).
			WithHint("%s", rowtimeHint(f))
	}
	if w.Source {
		return i, nil, nil
	}
	x := &exprBinder{binder: b, rel: rel, clause: "WATERMARK"}
	var e expr.Expr = rel.column(i, w.Span)
	var err error
	switch {
	case w.Expr != nil:
		e, err = x.bind(w.Expr)
	case w.Delay != 0:
		delay := &expr.Literal{Info: expr.Info{T: types.Of(types.IntervalDay).Required(), S: w.Span}, Value: types.IntValue(w.Delay)}
		e, err = x.operator("-", w.Span, e, delay)
	}
	if err != nil {
		return 0, nil, err
	}
	t := e.Type()
	if !t.IsTimestamp() || t.Precision > 3 {
		return 0, nil, b.errorf(diag.Watermark, e.Span(), "the watermark must be TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p from 0 to 3, but is %s", t.Name()).
			WithHint("write WATERMARK FOR %s AS %s - INTERVAL '5' SECOND", f.Name, f.Name)
	}
	if t.Kind != f.Type.Kind {
		return 0, nil, b.errorf(diag.Watermark, e.Span(), "the watermark is %s, but the rowtime column %q is %s", t.Name(), f.Name, f.Type.Name()).
			WithHint("CAST the watermark to %s", f.Type.Name())
	}
	return i, e, nil
}

func rowtimeHint(f stream.Field) string {
	ts := "ts"
	if f.Name == ts {
		ts = "rowtime"
	}
	switch {
	case f.Type.IsTimestamp():
		return "declare the column as " + strings.SplitN(f.Type.Name(), "(", 2)[0] + "(3)"
	case f.Type.IsText():
		return fmt.Sprintf("add a computed column, %s AS TO_TIMESTAMP(%s), and write WATERMARK FOR %s", ts, f.Name, ts)
	case f.Type.IsInteger():
		return fmt.Sprintf("add a computed column, %s AS TO_TIMESTAMP_LTZ(%s, 3), and write WATERMARK FOR %s", ts, f.Name, ts)
	}
	return "use a TIMESTAMP(3) column"
}
