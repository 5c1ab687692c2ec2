package planner

import (
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// windowName is a legacy window function: TUMBLE (prop "") or TUMBLE_START.
type windowName struct{ kind, prop string }

func windowFunction(name string) (windowName, bool) {
	for _, k := range []string{"TUMBLE", "HOP", "SESSION"} {
		if name == k {
			return windowName{k, ""}, true
		}
		for _, p := range []string{"START", "END", "ROWTIME", "PROCTIME"} {
			if name == k+"_"+p {
				return windowName{k, p}, true
			}
		}
	}
	return windowName{}, false
}

func (b *binder) noWindowKind(span diag.Span, kind string) error {
	return b.unsupported(span, "the window function "+kind, "TUMBLE is supported")
}

// legacyGroup binds TUMBLE(ts, size) in GROUP BY.
func (x *exprBinder) legacyGroup(c *sql.Call, w windowName, g *grouping) error {
	span := x.span(c)
	if g.legacy != nil {
		return x.errorf(diag.Window, span, "only one window function is possible in GROUP BY").
			WithHint("put the other window into a subquery")
	}
	if w.kind == "SESSION" && (x.env.Settings.lateFire() || x.env.Settings.earlyFire()) {
		return x.errorf(diag.Window, span, "session windows cannot fire early or late").
			WithHint("RESET 'table.exec.emit.late-fire.enabled' and 'table.exec.emit.early-fire.enabled'")
	}
	if w.kind != "TUMBLE" {
		return x.noWindowKind(span, w.kind)
	}
	lw, err := x.legacyWindow(c)
	g.legacy = lw
	return err
}

// legacyWindow reads the arguments of TUMBLE(ts, size).
func (x *exprBinder) legacyWindow(c *sql.Call) (*legacyWindow, error) {
	span := x.span(c)
	switch {
	case len(c.Args) == 3:
		return nil, x.unsupported(x.span(c.Args[2]), "the alignment of a group window", "use the window function with an offset: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), size, offset))")
	case len(c.Args) != 2:
		return nil, x.errorf(diag.Window, span, "TUMBLE takes a rowtime column and a size, but has %d arguments", len(c.Args)).
			WithHint("usage: TUMBLE(ts, INTERVAL '10' SECOND)")
	}
	t, err := x.bind(c.Args[0])
	if err != nil {
		return nil, err
	}
	if t, err = x.rowtime(t, x.rel); err != nil {
		return nil, err
	}
	size, err := x.windowInterval(c.Args[1], "size")
	if err != nil {
		return nil, err
	}
	if size <= 0 {
		return nil, x.errorf(diag.Window, x.span(c.Args[1]), "the size of a window must be positive, but is %s", physical.DurationText(size))
	}
	return &legacyWindow{window.Spec{Kind: window.Tumble, Size: size}, t.(*expr.Column), span}, nil
}

// rowtime checks that e is an event-time attribute.
func (b *binder) rowtime(e expr.Expr, rel relation) (expr.Expr, error) {
	span := e.Span()
	switch rel.timeOf(e) {
	case stream.Rowtime:
		return e, nil
	case stream.Proctime:
		return nil, b.unsupported(span, "a window over processing time", "use a rowtime column: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND")
	}
	if !e.Type().IsTimestamp() {
		return nil, b.errorf(diag.Watermark, span, "a window needs a rowtime column, but has %s", e.Type().Name()).
			WithHint("%s", rowtimeColumns(rel))
	}
	name := "ts"
	err := b.errorf(diag.Watermark, span, "a window needs a rowtime column, but this is an ordinary %s", e.Type().Name())
	c, ok := e.(*expr.Column)
	if ok {
		name = c.Name
		err.Msg = "a window needs a rowtime column, but \"" + name + "\" is an ordinary " + e.Type().Name()
		n, i := logical.Trace(rel.node, c.Index)
		switch n := n.(type) {
		case *logical.Scan:
			if n.Source.Time < 0 {
				return nil, err.WithHint("add a watermark to table %s: WATERMARK FOR %s AS %s - INTERVAL '5' SECOND", n.Source.Name, name, name)
			}
		case *logical.WindowTVF:
			if i == n.Time {
				return nil, err.WithHint("behind a window function the rowtime column is window_time")
			}
		case *logical.Project:
			return nil, err.WithHint("an expression makes an ordinary time: pass the rowtime column on unchanged")
		}
	}
	return nil, err.WithHint("%s", rowtimeColumns(rel))
}

func rowtimeColumns(rel relation) string {
	for _, f := range rel.fields() {
		if f.Time == stream.Rowtime {
			return "the rowtime column is " + f.Name
		}
	}
	return "declare one in CREATE TABLE: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
}

// windowInterval reads a size or offset: a literal day-time interval.
func (b *binder) windowInterval(e sql.Expr, what string) (int64, error) {
	n := e
	for {
		p, ok := n.(*sql.Paren)
		if !ok || p.Unit != "" {
			break
		}
		n = p.Expr
	}
	iv, ok := n.(*sql.Interval)
	if !ok {
		return 0, b.errorf(diag.Window, b.span(e), "the %s of a window must be a literal interval", what).
			WithHint("write for example INTERVAL '10' SECOND")
	}
	t, ms, err := parseInterval(iv)
	if err != nil {
		return 0, b.errorf(diag.InvalidArgument, b.span(e), "%s", err.Error())
	}
	if t.Kind == types.IntervalMonth {
		return 0, b.errorf(diag.Window, b.span(e), "the %s of a window cannot be in months or years", what).
			WithHint("use days: INTERVAL '30' DAY")
	}
	return ms, nil
}

// windowCall binds TUMBLE_START and the like; TUMBLE itself stands in GROUP BY only.
func (x *exprBinder) windowCall(c *sql.Call, w windowName) (expr.Expr, error) {
	span := x.span(c)
	name := strings.ToUpper(nameOf(c.Name))
	if w.prop == "" {
		return nil, x.errorf(diag.Window, span, "%s can only stand in GROUP BY or as a table function in FROM", name).
			WithHint("write GROUP BY %s(ts, INTERVAL '10' SECOND)", name)
	}
	if x.group == nil || x.group.legacy == nil || x.group.inside {
		return nil, x.errorf(diag.Window, span, "%s needs GROUP BY %s with the same arguments", name, w.kind).
			WithHint("write GROUP BY %s(ts, INTERVAL '10' SECOND)", w.kind)
	}
	if w.kind != "TUMBLE" {
		return nil, x.errorf(diag.Window, span, "%s does not fit: the query groups by TUMBLE", name).
			WithHint("write TUMBLE_%s", w.prop)
	}
	lw, err := x.legacyWindow(c)
	if err != nil {
		return nil, err
	}
	if lw.spec != x.group.legacy.spec || lw.time.Index != x.group.legacy.time.Index {
		return nil, x.errorf(diag.Window, span, "%s has other arguments than TUMBLE in GROUP BY", name).
			WithHint("repeat the arguments of TUMBLE")
	}
	edge := types.NewTimestamp(3).Required()
	switch w.prop {
	case "START":
		return &windowRef{expr.Info{T: edge, S: span}, physical.WindowStart}, nil
	case "END":
		return &windowRef{expr.Info{T: edge, S: span}, physical.WindowEnd}, nil
	case "ROWTIME":
		edge.Kind, edge.NotNull = lw.time.T.Kind, lw.time.T.NotNull
		return &windowRef{expr.Info{T: edge, S: span}, physical.WindowTime}, nil
	}
	// An event-time window has no processing time.
	return &expr.Literal{Info: expr.Info{T: types.NewTimestampLTZ(3), S: span}, Value: types.NullValue}, nil
}

// tvfParams are the parameters of TUMBLE in order.
var tvfParams = []string{"DATA", "TIMECOL", "SIZE", "OFFSET"}

// tableFunc binds a table function in FROM: a window function.
func (b *binder) tableFunc(f *sql.TableFunc) (relation, error) {
	c := f.Call
	span := b.span(c)
	name := strings.ToUpper(nameOf(c.Name))
	switch name {
	case "TUMBLE":
	case "HOP", "CUMULATE", "SESSION":
		return relation{}, b.noWindowKind(b.span(c.Name), name)
	case "UNNEST":
		return relation{}, b.unsupported(span, "UNNEST", "")
	default:
		if f.Lateral {
			return relation{}, b.unsupported(span, "LATERAL", "")
		}
		e := b.errorf(diag.UndefinedFunc, b.span(c.Name), "table function %q not found", nameOf(c.Name))
		return relation{}, e.DidYouMean(name, []string{"TUMBLE"}, "the table functions are: TUMBLE")
	}
	args, err := b.tvfArgs(c)
	if err != nil {
		return relation{}, err
	}
	data, err := b.tableArg(args[0], name)
	if err != nil {
		return relation{}, err
	}
	n, err := b.tumble(data, args, span)
	if err != nil {
		return relation{}, err
	}
	rel := newRelation(n, "")
	copy(rel.quals, data.quals)
	return b.withAlias(rel, f.Alias)
}

// tvfArgs brings positional or named arguments in the order of tvfParams.
func (b *binder) tvfArgs(c *sql.Call) ([]sql.Expr, error) {
	span := b.span(c)
	args := c.Args
	if c.ArgNames != nil {
		args = make([]sql.Expr, len(tvfParams))
		for i, n := range c.ArgNames {
			if n == nil {
				return nil, b.errorf(diag.InvalidArgument, b.span(c.Args[i]), "either all arguments have names or none")
			}
			k := -1
			for j, p := range tvfParams {
				if n.Name == p {
					k = j
				}
			}
			if k < 0 {
				e := b.errorf(diag.InvalidArgument, b.span(n), "TUMBLE has no parameter %q", n.Name)
				return nil, e.DidYouMean(n.Name, tvfParams, listHint("parameters", tvfParams))
			}
			if args[k] != nil {
				return nil, b.errorf(diag.InvalidArgument, b.span(n), "parameter %q is given twice", n.Name)
			}
			if i == 0 && k != 0 {
				return nil, b.errorf(diag.InvalidArgument, b.span(n), "the first parameter must be DATA")
			}
			args[k] = c.Args[i]
		}
		if args[3] == nil {
			args = args[:3]
		}
	}
	for i := range max(3, len(args)) {
		if i >= len(args) || args[i] == nil {
			return nil, b.errorf(diag.Window, span, "TUMBLE misses its argument %s", tvfParams[i]).
				WithHint("usage: TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND [, offset])")
		}
	}
	if len(args) > 4 {
		return nil, b.errorf(diag.Window, span, "TUMBLE takes 3 or 4 arguments, but has %d", len(args)).
			WithHint("usage: TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND [, offset])")
	}
	return args, nil
}

// tableArg binds TABLE t or a query as the argument of a table function.
func (b *binder) tableArg(e sql.Expr, function string) (relation, error) {
	switch e := e.(type) {
	case *sql.TableArg:
		if len(e.PartitionBy) > 0 || len(e.OrderBy) > 0 {
			return relation{}, b.errorf(diag.Window, b.span(e), "the table of %s takes no PARTITION BY or ORDER BY", function).
				WithHint("add the columns to GROUP BY")
		}
		if e.Query != nil {
			return b.derived(e.Query)
		}
		ref := &sql.TableRef{Pos: e.Pos, File: e.File, Hints: e.Hints}
		if e.Name != nil {
			ref.Name = *e.Name
			ref.Pos = e.Name.Pos
		}
		return b.tableRef(ref)
	case *sql.Subquery:
		return b.derived(e.Query)
	case *sql.ColumnRef:
		return relation{}, b.errorf(diag.InvalidArgument, b.span(e), "the first argument of %s is a table", function).
			WithHint("write TABLE %s", nameOf(e.Name))
	}
	return relation{}, b.errorf(diag.InvalidArgument, b.span(e), "the first argument of %s is a table", function).
		WithHint("write TABLE t")
}

// tumble makes the window function from its checked parameters.
func (b *binder) tumble(data relation, args []sql.Expr, span diag.Span) (*logical.WindowTVF, error) {
	d, ok := args[1].(*sql.Descriptor)
	if !ok || len(d.Columns) == 0 {
		name := "ts"
		if c, ok := args[1].(*sql.ColumnRef); ok {
			name = nameOf(c.Name)
		}
		return nil, b.errorf(diag.InvalidArgument, b.span(args[1]), "the second argument of TUMBLE is DESCRIPTOR(rowtime column)").
			WithHint("write DESCRIPTOR(%s)", name)
	}
	i, err := b.resolve(data, d.Columns[0])
	if err != nil {
		return nil, err
	}
	if _, err := b.rowtime(data.column(i, b.span(d.Columns[0])), data); err != nil {
		return nil, err
	}
	size, err := b.windowInterval(args[2], "size")
	if err != nil {
		return nil, err
	}
	if size <= 0 {
		return nil, b.errorf(diag.Window, b.span(args[2]), "the size of a window must be positive, but is %s", physical.DurationText(size))
	}
	var offset int64
	if len(args) > 3 {
		if offset, err = b.windowInterval(args[3], "offset"); err != nil {
			return nil, err
		}
		if offset >= size || offset <= -size {
			return nil, b.errorf(diag.Window, b.span(args[3]), "the offset of a window must be shorter than its size %s, but is %s",
				physical.DurationText(size), physical.DurationText(offset)).
				WithHint("use %s, which gives the same windows", physical.DurationText(offset%size))
		}
	}
	n := &logical.WindowTVF{Input: data.node, Window: window.Spec{Kind: window.Tumble, Size: size, Offset: offset}, Time: i}
	n.Span, n.Mode = span, data.node.Info().Mode
	n.Schema.Fields = append(n.Schema.Fields, data.fields()...)
	n.Schema.Fields[i].Time = stream.NoTime
	edge := types.NewTimestamp(3).Required()
	wt := edge
	wt.Kind = data.fields()[i].Type.Kind
	n.Schema.Fields = append(n.Schema.Fields,
		stream.Field{Name: "window_start", Type: edge}, stream.Field{Name: "window_end", Type: edge},
		stream.Field{Name: "window_time", Type: wt, Time: stream.Rowtime})
	return n, nil
}
