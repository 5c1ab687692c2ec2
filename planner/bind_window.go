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

// legacyKinds are the group windows: their interval arguments behind the time column,
// and how they are written.
var legacyKinds = map[string]struct {
	kind   window.Kind
	params []string
	usage  string
}{
	"TUMBLE":  {window.Tumble, []string{"size"}, "TUMBLE(ts, INTERVAL '10' SECOND)"},
	"HOP":     {window.Hop, []string{"slide", "size"}, "HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)"},
	"SESSION": {window.Session, []string{"gap"}, "SESSION(ts, INTERVAL '10' SECOND)"},
}

// legacyGroup binds TUMBLE(ts, size) and the like in GROUP BY.
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
	lw, err := x.legacyWindow(c, w.kind)
	g.legacy = lw
	return err
}

// legacyWindow reads the arguments of a group window: a time column and intervals.
func (x *exprBinder) legacyWindow(c *sql.Call, name string) (*legacyWindow, error) {
	span := x.span(c)
	k := legacyKinds[name]
	n := len(k.params)
	switch {
	case len(c.Args) == n+2:
		return nil, x.unsupported(x.span(c.Args[n+1]), "the alignment of a group window", "use the window function with an offset: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), size, offset))")
	case len(c.Args) != n+1:
		return nil, x.errorf(diag.Window, span, "%s takes a time column and a %s, but has %s", name, strings.Join(k.params, " and a "), plural(int64(len(c.Args)), "argument")).
			WithHint("usage: %s", k.usage)
	}
	t, err := x.bind(c.Args[0])
	if err != nil {
		return nil, err
	}
	if t, err = x.timeAttribute(t, x.rel); err != nil {
		return nil, err
	}
	w := &legacyWindow{spec: window.Spec{Kind: k.kind}, time: -1, timeType: t.Type(), span: span, name: name}
	if w.processing = x.rel.timeOf(t) == stream.Proctime; !w.processing {
		w.time = t.(*expr.Column).Index
	}
	for i, p := range k.params {
		ms, err := x.positiveInterval(c.Args[i+1], p)
		if err != nil {
			return nil, err
		}
		*intervalOf(&w.spec, p) = ms
	}
	return w, nil
}

// intervalOf is where a parameter of a window function goes.
func intervalOf(s *window.Spec, param string) *int64 {
	switch param {
	case "slide", "step":
		return &s.Slide
	case "gap":
		return &s.Gap
	}
	return &s.Size
}

// positiveInterval reads a size, slide, step or gap.
func (b *binder) positiveInterval(e sql.Expr, what string) (int64, error) {
	ms, err := b.windowInterval(e, what)
	if err == nil && ms <= 0 {
		return 0, b.errorf(diag.Window, b.span(e), "the %s of a window must be positive, but is %s", what, physical.DurationText(ms))
	}
	return ms, err
}

// timeAttribute checks that e is event time or processing time.
func (b *binder) timeAttribute(e expr.Expr, rel relation) (expr.Expr, error) {
	span := e.Span()
	if rel.timeOf(e) != stream.NoTime {
		return e, nil
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
				return nil, err.WithHint("%s", watermarkHint(n.Source, name))
			}
		case *logical.WindowTVF:
			if n.Processing {
				return nil, err.WithHint("event time ends at a window over processing time: let the window over %s come first", name)
			}
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
			WithHint("write GROUP BY %s", legacyKinds[name].usage)
	}
	if x.group == nil || x.group.legacy == nil || x.group.inside {
		return nil, x.errorf(diag.Window, span, "%s needs GROUP BY %s with the same arguments", name, w.kind).
			WithHint("write GROUP BY %s", legacyKinds[w.kind].usage)
	}
	if g := x.group.legacy; g.name != w.kind {
		return nil, x.errorf(diag.Window, span, "%s does not fit: the query groups by %s", name, g.name).
			WithHint("write %s_%s", g.name, w.prop)
	}
	lw, err := x.legacyWindow(c, w.kind)
	if err != nil {
		return nil, err
	}
	if g := x.group.legacy; lw.spec != g.spec || lw.time != g.time || lw.processing != g.processing {
		return nil, x.errorf(diag.Window, span, "%s has other arguments than %s in GROUP BY", name, w.kind).
			WithHint("repeat the arguments of %s", w.kind)
	}
	edge := types.NewTimestamp(3).Required()
	switch w.prop {
	case "START":
		return &windowRef{expr.Info{T: edge, S: span}, physical.WindowStart}, nil
	case "END":
		return &windowRef{expr.Info{T: edge, S: span}, physical.WindowEnd}, nil
	case "ROWTIME":
		if lw.processing {
			return nil, x.errorf(diag.Window, span, "a window over processing time has no event time").
				WithHint("write %s_PROCTIME or %s_END", w.kind, w.kind)
		}
		edge.Kind, edge.NotNull = lw.timeType.Kind, lw.timeType.NotNull
		return &windowRef{expr.Info{T: edge, S: span}, physical.WindowTime}, nil
	}
	if lw.processing {
		return &windowRef{expr.Info{T: lw.timeType, S: span}, physical.WindowTime}, nil
	}
	// An event-time window has no processing time.
	return &expr.Literal{Info: expr.Info{T: types.NewTimestampLTZ(3), S: span}, Value: types.NullValue}, nil
}

// watermarkHint says where the event time of a table is declared, which depends on how
// the table came to be.
func watermarkHint(s *logical.Source, column string) string {
	switch {
	case s.Table.Text != "":
		return "add a watermark to table " + s.Name + ": WATERMARK FOR " + column + " AS " + column + " - INTERVAL '5' SECOND"
	case s.Table.Registered > 0:
		return "register the source with EventTime(\"" + column + "\", delay)"
	}
	return "give --event-time " + column + " --delay 5s, or CREATE TABLE with WATERMARK FOR " + column + " AS " + column + " - INTERVAL '5' SECOND"
}
