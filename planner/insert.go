package planner

import (
	"slices"
	"strconv"
	"strings"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// Insert plans INSERT INTO. text is the statement.
func Insert(env *Env, s *sql.Insert, text string) (*physical.Plan, error) {
	n, err := bindInsert(env, s)
	if err != nil {
		return nil, err
	}
	plan := env.plan(n, s, text)
	return plan, env.settleSink(n, plan.Root, true)
}

func bindInsert(env *Env, s *sql.Insert) (*logical.Sink, error) {
	b := newBinder(env)
	switch {
	case s.Overwrite:
		return nil, b.unsupported(s.Table.Span(), "INSERT OVERWRITE", "write INSERT INTO")
	case len(s.Partition) > 0:
		return nil, b.unsupported(s.Partition[0].Span(), "PARTITION", "select the partition's value as a column")
	case len(s.Hints) > 0:
		return nil, b.unsupported(s.Hints[0].Span(), "a hint on the table of INSERT", "set the options in CREATE TABLE")
	}
	name, err := b.tableName(s.Table)
	if err != nil {
		return nil, err
	}
	t := env.Catalog.Table(name)
	if t == nil {
		if v := env.Catalog.View(name); v != nil {
			return nil, b.errorf(diag.InvalidArgument, s.Table.Span(), "%q is a view: rows go into tables", v.Name).
				WithHint("CREATE TABLE with the columns of the view")
		}
		e := b.errorf(diag.UndefinedTable, s.Table.Span(), "table %q not found", nameOf(s.Table))
		return nil, e.DidYouMean(name, env.Catalog.Names(), tablesHint(env.Catalog.Names()))
	}
	info, err := env.Factory.Sink(t)
	if err != nil {
		return nil, b.definitionError(err, t, s.Table.Span())
	}
	columns := sinkColumns(t)
	targets, err := b.targets(s, t, columns)
	if err != nil {
		return nil, err
	}
	b.root = s.Query
	q, err := b.query(s.Query)
	if err != nil {
		return nil, err
	}
	if err := b.checkRanks(); err != nil {
		return nil, err
	}
	return b.sink(s, t, info, columns, targets, q)
}

// sinkColumns are the columns that can be written: all but the computed and the
// virtual ones.
func sinkColumns(t *catalog.Table) []catalog.Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c catalog.Column) bool {
		return c.Kind == sql.ComputedColumn || c.Virtual
	})
}

// targets gives for each column of the query the sink column it goes into.
func (b *binder) targets(s *sql.Insert, t *catalog.Table, columns []catalog.Column) ([]int, error) {
	if s.Columns == nil {
		return identity(len(columns)), nil
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	var targets []int
	for _, c := range s.Columns {
		i := slices.Index(names, c.Name)
		if i < 0 {
			i = slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, c.Name) })
		}
		if i < 0 {
			e := b.errorf(diag.UndefinedColumn, c.Span(), "column %q cannot be written in table %q", c.Name, t.Name)
			return nil, e.DidYouMean(c.Name, names, listHint("columns", names))
		}
		if slices.Contains(targets, i) {
			return nil, b.errorf(diag.DuplicateName, c.Span(), "column %q is assigned twice", c.Name)
		}
		targets = append(targets, i)
	}
	for i, c := range columns {
		if c.Type.NotNull && !slices.Contains(targets, i) {
			return nil, b.errorf(diag.InvalidArgument, s.Columns[0].Span().Join(s.Columns[len(s.Columns)-1].Span()),
				"column %q is NOT NULL and gets no value", c.Name).WithHint("add %s to the column list", c.Name)
		}
	}
	return targets, nil
}

// sink converts the query's columns to those of the table and checks that the
// table takes the changes.
func (b *binder) sink(s *sql.Insert, t *catalog.Table, info catalog.SinkInfo, columns []catalog.Column, targets []int, q logical.Node) (*logical.Sink, error) {
	from := q.Info().Schema.Fields
	if len(from) != len(targets) {
		return nil, b.errorf(diag.InvalidArgument, s.Query.Span(), "the query has %s, but table %q takes %d", count(len(from), "column"), t.Name, len(targets)).
			WithHint("%s", listHint("columns", columnNames(columns, targets)))
	}
	if q.Info().Mode != physical.Append && !info.Retract {
		return nil, b.errorf(diag.Changelog, s.Table.Span(), "table %q only takes new rows, but the query also updates and deletes them", t.Name).
			WithHint("%s", b.appendHint(q))
	}
	if err := b.checkConflict(s, t, info, q); err != nil {
		return nil, err
	}
	p := &logical.Project{Input: q}
	p.Span, p.Mode = s.Query.Span(), q.Info().Mode
	var required []int
	for i, c := range columns {
		at := slices.Index(targets, i)
		var e expr.Expr = &expr.Literal{Info: expr.Info{T: c.Type.Nullable(), S: s.Table.Span()}, Value: types.NullValue}
		if at >= 0 {
			var err error
			if e, err = b.stored(s, c, &expr.Column{Info: expr.Info{T: from[at].Type, S: s.Query.Span()}, Index: at, Name: from[at].Name}, at); err != nil {
				return nil, err
			}
		}
		if c.Type.NotNull && !e.Type().NotNull {
			required = append(required, i)
		}
		p.Exprs = append(p.Exprs, e)
		p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: c.Name, Type: c.Type.WithNullability(!e.Type().NotNull)})
	}
	var in logical.Node = p
	if v, _ := b.env.Settings.Get(keyNotNull); strings.EqualFold(v, "DROP") {
		x := &exprBinder{binder: b, rel: newRelation(in, "")}
		for _, i := range required {
			cond, err := x.operator("IS NOT NULL", s.Table.Span(), x.rel.column(i, s.Table.Span()))
			if err != nil {
				return nil, err
			}
			in = filter(in, cond, s.Table.Span())
		}
		required = nil
	}
	n := &logical.Sink{
		Input: in, Table: t.Name, Handle: info.Handle, Retract: info.Retract, NotNull: required,
		Upsert: info.Upsert, PrimaryKey: primaryKey(t, columns), Conflict: s.Conflict,
	}
	n.Schema, n.Mode, n.Span = p.Schema, p.Mode, s.Table.Span()
	return n, nil
}

// appendHint says how to write a query that only adds rows.
func (b *binder) appendHint(q logical.Node) string {
	const sinks = "use a sink that takes changes, such as 'connector' = 'print', or "
	if w := updater(q); w != nil {
		return sinks + "RESET '" + b.env.Settings.updatesOff() + "'"
	}
	return sinks + "aggregate in windows: GROUP BY window_start, window_end over TABLE(TUMBLE(...))"
}

// updater returns the window aggregate that makes n an updating query, or nil.
func updater(n logical.Node) *logical.Aggregate {
	if w, ok := n.(*logical.Aggregate); ok && w.Mode != physical.Append {
		return w
	}
	for _, in := range n.Inputs() {
		if in.Info().Mode != physical.Append {
			if w := updater(in); w != nil {
				return w
			}
		}
	}
	return nil
}

// stored casts a column of the query to the type of the sink column, where that is
// possible without CAST.
func (b *binder) stored(s *sql.Insert, c catalog.Column, e expr.Expr, at int) (expr.Expr, error) {
	if !builtin.ImplicitCast(e.Type(), c.Type) {
		err := b.errorf(diag.TypeMismatch, b.itemSpan(s.Query, at), "column %q is %s, but the query gives %s", c.Name, c.Type.Name(), e.Type().Name())
		if err.Hint = builtin.CastHint(e.Type(), c.Type); err.Hint == "" {
			err.Hint = "CAST the value to " + c.Type.Name()
		}
		return nil, err
	}
	return b.coerce(e, c.Type)
}

// itemSpan is the place of the item of the select list that makes column i, or of
// the whole query.
func (b *binder) itemSpan(q *sql.Query, i int) diag.Span {
	switch body := q.Body.(type) {
	case *sql.Select:
		for _, it := range body.Items {
			if it.Star {
				return q.Span()
			}
		}
		if i < len(body.Items) {
			return body.Items[i].Span()
		}
	case *sql.Values:
		if i < len(body.Rows[0]) {
			return body.Rows[0][i].Span()
		}
	}
	return q.Span()
}

func columnNames(columns []catalog.Column, which []int) []string {
	names := make([]string, len(which))
	for i, w := range which {
		names[i] = columns[w].Name
	}
	return names
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
