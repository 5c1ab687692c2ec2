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

// tableFunction is a window function that stands in FROM.
type tableFunction struct {
	name   string
	kind   window.Kind
	params []string // after DATA and TIMECOL; OFFSET may be left out
	usage  string
}

var tableFunctions = []*tableFunction{
	{"TUMBLE", window.Tumble, []string{"SIZE", "OFFSET"}, "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND [, offset])"},
	{"HOP", window.Hop, []string{"SLIDE", "SIZE", "OFFSET"}, "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND [, offset]), the slide before the size"},
	{"CUMULATE", window.Cumulate, []string{"STEP", "SIZE", "OFFSET"}, "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND [, offset]), the step before the size"},
	{"SESSION", window.Session, []string{"GAP"}, "SESSION(TABLE t [PARTITION BY k], DESCRIPTOR(ts), INTERVAL '10' SECOND)"},
}

func (f *tableFunction) all() []string { return append([]string{"DATA", "TIMECOL"}, f.params...) }

// optional reports whether the last parameter may be left out.
func (f *tableFunction) optional() bool { return f.params[len(f.params)-1] == "OFFSET" }

func tableFunctionNames() []string {
	var names []string
	for _, f := range tableFunctions {
		names = append(names, f.name)
	}
	return append(names, "FROM_CHANGELOG", "TO_CHANGELOG")
}

// tableFunc binds a table function in FROM: a window function.
func (b *binder) tableFunc(f *sql.TableFunc) (relation, error) {
	c := f.Call
	span := b.span(c)
	name := strings.ToUpper(nameOf(c.Name))
	var fn *tableFunction
	for _, t := range tableFunctions {
		if t.name == name {
			fn = t
		}
	}
	switch {
	case fn != nil:
	case name == "LATE":
		return b.late(f)
	case name == "FROM_CHANGELOG" || name == "TO_CHANGELOG":
		return b.changelog(f, name)
	case name == "UNNEST":
		return b.unnestAlone(f)
	default:
		if f, fn := b.functionOf(f); f != nil {
			return b.functionAlone(f, fn)
		}
		return relation{}, b.noTableFunction(c)
	}
	args, err := b.tvfArgs(c, fn)
	if err != nil {
		return relation{}, err
	}
	data, err := b.tableArg(args[0], fn)
	if err != nil {
		return relation{}, err
	}
	n, err := b.windowTVF(data, fn, args, span)
	if err != nil {
		return relation{}, err
	}
	rel := newRelation(n, "")
	copy(rel.quals, data.quals)
	return b.withAlias(rel, f.Alias)
}

// tvfArgs brings positional or named arguments in the order of the parameters.
func (b *binder) tvfArgs(c *sql.Call, fn *tableFunction) ([]sql.Expr, error) {
	span := b.span(c)
	args, params := c.Args, fn.all()
	need := len(params)
	if fn.optional() {
		need--
	}
	if c.ArgNames != nil {
		args = make([]sql.Expr, len(params))
		for i, n := range c.ArgNames {
			if n == nil {
				return nil, b.errorf(diag.InvalidArgument, b.span(c.Args[i]), "either all arguments have names or none")
			}
			k := -1
			for j, p := range params {
				if n.Name == p {
					k = j
				}
			}
			if k < 0 {
				e := b.errorf(diag.InvalidArgument, b.span(n), "%s has no parameter %q", fn.name, n.Name)
				return nil, e.DidYouMean(n.Name, params, listHint("parameters", params))
			}
			if args[k] != nil {
				return nil, b.errorf(diag.InvalidArgument, b.span(n), "parameter %q is given twice", n.Name)
			}
			if i == 0 && k != 0 {
				return nil, b.errorf(diag.InvalidArgument, b.span(n), "the first parameter must be DATA")
			}
			args[k] = c.Args[i]
		}
		if need < len(params) && args[need] == nil {
			args = args[:need]
		}
	}
	for i := range max(need, len(args)) {
		if i < len(params) && (i >= len(args) || args[i] == nil) {
			return nil, b.errorf(diag.Window, span, "%s misses its argument %s", fn.name, params[i]).WithHint("usage: %s", fn.usage)
		}
	}
	if len(args) > len(params) {
		return nil, b.errorf(diag.Window, b.span(args[len(params)]), "%s takes %s at most, but has %d", fn.name, plural(int64(len(params)), "argument"), len(args)).
			WithHint("usage: %s", fn.usage)
	}
	return args, nil
}

// tableArg binds TABLE t or a query as the argument of a table function.
func (b *binder) tableArg(e sql.Expr, fn *tableFunction) (relation, error) {
	switch e := e.(type) {
	case *sql.TableArg:
		switch {
		case fn.kind != window.Session && len(e.PartitionBy)+len(e.OrderBy) > 0:
			return relation{}, b.errorf(diag.Window, b.span(e), "the table of %s takes no PARTITION BY or ORDER BY", fn.name).
				WithHint("add the columns to GROUP BY")
		case len(e.OrderBy) > 0:
			return relation{}, b.errorf(diag.Window, b.span(e), "the table of %s takes no ORDER BY", fn.name).
				WithHint("leave ORDER BY out: windows follow the event time")
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
		return relation{}, b.errorf(diag.InvalidArgument, b.span(e), "the first argument of %s is a table", fn.name).
			WithHint("write TABLE %s", nameOf(e.Name))
	}
	return relation{}, b.errorf(diag.InvalidArgument, b.span(e), "the first argument of %s is a table", fn.name).
		WithHint("write TABLE t")
}

// windowTVF makes the window function from its checked parameters.
func (b *binder) windowTVF(data relation, fn *tableFunction, args []sql.Expr, span diag.Span) (*logical.WindowTVF, error) {
	d, ok := args[1].(*sql.Descriptor)
	if !ok || len(d.Columns) == 0 {
		name := "ts"
		if c, ok := args[1].(*sql.ColumnRef); ok {
			name = nameOf(c.Name)
		}
		return nil, b.errorf(diag.InvalidArgument, b.span(args[1]), "the second argument of %s is DESCRIPTOR(rowtime column)", fn.name).
			WithHint("write DESCRIPTOR(%s)", name)
	}
	i, err := b.resolve(data, d.Columns[0])
	if err != nil {
		return nil, err
	}
	if _, err := b.timeAttribute(data.column(i, b.span(d.Columns[0])), data); err != nil {
		return nil, err
	}
	spec, err := b.windowSpec(fn, args)
	if err != nil {
		return nil, err
	}
	n := &logical.WindowTVF{Input: data.node, Window: spec, Time: i, Processing: data.fields()[i].Time == stream.Proctime}
	if t, ok := args[0].(*sql.TableArg); ok {
		if n.Partition, err = b.partition(data, t.PartitionBy); err != nil {
			return nil, err
		}
	}
	n.Span, n.Mode = span, data.node.Info().Mode
	n.Schema.Fields = append(n.Schema.Fields, data.fields()...)
	n.Schema.Fields[i].Time = stream.NoTime
	for k := range n.Schema.Fields {
		if n.Processing && n.Schema.Fields[k].Time == stream.Rowtime {
			n.Schema.Fields[k].Time = stream.NoTime // its watermarks end here
		}
	}
	edge := types.NewTimestamp(3).Required()
	wt := edge
	wt.Kind = data.fields()[i].Type.Kind
	n.Schema.Fields = append(n.Schema.Fields,
		stream.Field{Name: "window_start", Type: edge}, stream.Field{Name: "window_end", Type: edge},
		stream.Field{Name: "window_time", Type: wt, Time: windowTimeAttr(n.Processing)})
	return n, nil
}

// windowSpec reads the intervals of a window function.
func (b *binder) windowSpec(fn *tableFunction, args []sql.Expr) (window.Spec, error) {
	spec := window.Spec{Kind: fn.kind}
	var size sql.Expr
	for i, p := range fn.params {
		if i+2 >= len(args) {
			break
		}
		e := args[i+2]
		what := strings.ToLower(p)
		if p == "OFFSET" {
			var err error
			if spec.Offset, err = b.windowInterval(e, what); err != nil {
				return spec, err
			}
			if fn.kind == window.Tumble && (spec.Offset >= spec.Size || spec.Offset <= -spec.Size) {
				return spec, b.errorf(diag.Window, b.span(e), "the offset of a window must be shorter than its size %s, but is %s",
					physical.DurationText(spec.Size), physical.DurationText(spec.Offset)).
					WithHint("use %s, which gives the same windows", physical.DurationText(spec.Offset%spec.Size))
			}
			continue
		}
		ms, err := b.positiveInterval(e, what)
		if err != nil {
			return spec, err
		}
		*intervalOf(&spec, what) = ms
		if p == "SIZE" {
			size = e
		}
	}
	if fn.kind == window.Cumulate && spec.Size%spec.Slide != 0 {
		return spec, b.errorf(diag.Window, b.span(size), "the size of CUMULATE must be a multiple of its step %s, but is %s",
			physical.DurationText(spec.Slide), physical.DurationText(spec.Size)).
			WithHint("the step stands before the size; use a size of %s", physical.DurationText((spec.Size/spec.Slide+1)*spec.Slide))
	}
	return spec, nil
}

// partition binds the columns of PARTITION BY.
func (b *binder) partition(data relation, list []sql.Expr) ([]int, error) {
	var cols []int
	for _, e := range list {
		x := &exprBinder{binder: b, rel: data, clause: "PARTITION BY"}
		k, err := x.bind(e)
		if err != nil {
			return nil, err
		}
		c, ok := k.(*expr.Column)
		if !ok {
			return nil, b.errorf(diag.InvalidArgument, b.span(e), "PARTITION BY of a table takes columns only").
				WithHint("compute the value in a subquery: TABLE(SESSION((SELECT ...) PARTITION BY k, ...))")
		}
		cols = append(cols, c.Index)
	}
	return cols, nil
}

// checkWindowed refuses aggregates that a window function does not allow.
func (b *binder) checkWindowed(n *logical.Aggregate) error {
	if n.Origin == nil {
		return nil
	}
	at, _ := logical.TraceRows(n.Origin, logical.WindowOf(n.Origin).Columns[physical.WindowStart])
	w, ok := at.(*logical.WindowTVF)
	if !ok {
		return nil
	}
	if w.Window.Kind == window.Hop && at == n.Origin && w.Window.Size%w.Window.Slide != 0 {
		return b.errorf(diag.Window, w.Span, "in an aggregate the size of HOP must be a multiple of its slide %s, but is %s",
			physical.DurationText(w.Window.Slide), physical.DurationText(w.Window.Size)).
			WithHint("the slide stands before the size; or group by HOP(ts, slide, size), which takes any")
	}
	return nil
}
