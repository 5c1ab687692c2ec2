package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// TestPlans runs the scripts of testdata. Commands take one or more statements; the
// result is what they return, or the error as people see it.
//
//	exec      run statements: DDL, SET, DESCRIBE, SHOW
//	physical  print the physical plan of a query or INSERT
//	explain   run EXPLAIN
//	columns   print the columns that a query returns
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		env := testEnv()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for _, p := range sql.Split(d.Input) {
				s, err := runStatement(env, d.Cmd, p.Text)
				if err != nil {
					s = diag.Render(p.Text, err)
				}
				out.WriteString(s)
			}
			if out.Len() == 0 {
				return "ok\n"
			}
			return out.String()
		})
	})
}

func testEnv() *Env {
	return &Env{
		Catalog:  catalog.New(),
		Factory:  &fakeFactory{},
		Registry: builtin.NewRegistry(),
		Settings: NewSettings(),
		Fold:     foldConstant,
	}
}

func runStatement(env *Env, cmd, text string) (string, error) {
	st, err := sql.ParseOne(text)
	if err != nil {
		return "", err
	}
	switch s := st.(type) {
	case *sql.QueryStatement:
		p, err := Query(env, s.Query, text)
		if err != nil {
			return "", err
		}
		if cmd == "columns" {
			var b strings.Builder
			for _, f := range p.Root.Info().Schema.Fields {
				fmt.Fprintf(&b, "%s %s\n", f.Name, typeWithTime(f))
			}
			return b.String(), nil
		}
		return ExplainPlan(p), nil
	case *sql.Insert:
		p, err := Insert(env, s, text)
		if err != nil {
			return "", err
		}
		return ExplainPlan(p), nil
	case *sql.Explain:
		return Explain(env, s, text)
	case *sql.CreateTable:
		return "", CreateTable(env, s, text)
	case *sql.CreateView:
		return "", CreateView(env, s, text)
	case *sql.Drop:
		return "", Drop(env, s, text)
	case *sql.Describe:
		_, rows, err := Describe(env, s)
		return printRows(rows), err
	case *sql.Show:
		_, rows, err := Show(env, s)
		return printRows(rows), err
	case *sql.Set:
		if s.Key == nil {
			var b strings.Builder
			for _, kv := range env.Settings.List() {
				fmt.Fprintf(&b, "%s = %s\n", kv[0], kv[1])
			}
			return b.String(), nil
		}
		return "", env.Settings.Set(s.Key.Value, s.Value.Value, s.Span())
	case *sql.Reset:
		if s.Key == nil {
			return "", env.Settings.Reset("", s.Span())
		}
		return "", env.Settings.Reset(s.Key.Value, s.Key.Span())
	}
	return "", fmt.Errorf("no test command for %T", st)
}

func typeWithTime(f stream.Field) string {
	s := columnType(f)
	if f.Type.NotNull {
		s += " NOT NULL"
	}
	return s
}

func printRows(rows [][]*string) string {
	var b strings.Builder
	for _, r := range rows {
		for i, v := range r {
			if i > 0 {
				b.WriteString(" | ")
			}
			if v == nil {
				b.WriteString("<NULL>")
			} else {
				b.WriteString(*v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fakeFactory opens any table without a connector behind it. 'connector' = 'endless'
// is unbounded, 'own-watermarks' sends watermarks, 'print' takes changes.
type fakeFactory struct{ handles int }

func option(t *catalog.Table, key string) (string, diag.Span) {
	for _, o := range slices.Backward(t.Options) {
		if o.Key.Value == key {
			return o.Value.Value, o.Value.Span()
		}
	}
	return "", t.Span
}

func (f *fakeFactory) Source(t *catalog.Table) (catalog.SourceInfo, error) {
	c, span := option(t, "connector")
	if c == "nope" {
		return catalog.SourceInfo{}, diag.New(diag.UndefinedOption, span, "connector %q does not exist", c).WithHint("did you mean %q?", "none")
	}
	f.handles++
	return catalog.SourceInfo{Handle: f.handles, Bounded: c != "endless", Live: c == "stdin", Watermarks: c == "own-watermarks"}, nil
}

func (f *fakeFactory) Sink(t *catalog.Table) (catalog.SinkInfo, error) {
	c, _ := option(t, "connector")
	f.handles++
	return catalog.SinkInfo{Handle: f.handles, Retract: c == "print"}, nil
}

func (f *fakeFactory) File(path string, span diag.Span) (*catalog.Table, error) {
	if path != "clicks.csv" {
		return nil, diag.New(diag.UndefinedTable, span, "file %q not found", path)
	}
	return &catalog.Table{Name: path, Span: span, Columns: []catalog.Column{
		{Name: "at", Type: types.NewTimestamp(3)}, {Name: "user", Type: types.Of(types.Varchar)},
	}, Watermark: &catalog.Watermark{Column: "at", Delay: 5000}}, nil
}

func (f *fakeFactory) Named(name string, span diag.Span) (*catalog.Table, error) {
	if name != "stdin" {
		return nil, nil
	}
	return &catalog.Table{Name: name, Span: span, Columns: []catalog.Column{{Name: "line", Type: types.Of(types.Varchar)}},
		Options: []sql.Option{{Key: sql.Text{Value: "connector"}, Value: sql.Text{Value: "stdin"}}}}, nil
}

// foldConstant evaluates a constant expression by its kernels, one row at a time.
func foldConstant(e expr.Expr) (types.Value, error) {
	v, err := evaluate(e)
	if err != nil {
		return types.Value{}, err
	}
	return v.Value(0), nil
}

func evaluate(e expr.Expr) (*stream.Vec, error) {
	out := new(stream.Vec)
	switch e := e.(type) {
	case *expr.Literal:
		out.SetConst(e.T, e.Value)
		return out, nil
	case *expr.Cast:
		k, _, ok := builtin.CastKernel(e.Arg.Type(), e.T, e.Try)
		if !ok {
			return nil, fmt.Errorf("no cast")
		}
		return kernel(k, e.T, false, []expr.Expr{e.Arg})
	case *expr.Call:
		return kernel(e.Res.New(), e.T, e.Res.NullAware, e.Args)
	case *expr.And:
		return logic(e.Args, true)
	case *expr.Or:
		return logic(e.Args, false)
	case *expr.Case:
		for _, w := range e.Whens {
			c, err := evaluate(w.Cond)
			if err != nil {
				return nil, err
			}
			if !c.IsNull(0) && c.Bool(0) {
				return evaluate(w.Then)
			}
		}
		return evaluate(e.Else)
	}
	return nil, fmt.Errorf("no constant: %T", e)
}

func kernel(k expr.Kernel, t types.Type, nullAware bool, argExprs []expr.Expr) (*stream.Vec, error) {
	out := new(stream.Vec)
	var args []*stream.Vec
	null := false
	for _, a := range argExprs {
		v, err := evaluate(a)
		if err != nil {
			return nil, err
		}
		null = null || v.IsNull(0)
		args = append(args, v)
	}
	if null && !nullAware {
		out.SetConst(t, types.NullValue)
		return out, nil
	}
	out.Reset(t, 1)
	return out, k(&expr.Context{}, args, out, expr.Rows{N: 1})
}

func logic(args []expr.Expr, and bool) (*stream.Vec, error) {
	result := types.BoolValue(and)
	for _, a := range args {
		v, err := evaluate(a)
		if err != nil {
			return nil, err
		}
		if v.IsNull(0) {
			result = types.NullValue
		} else if v.Bool(0) != and {
			result = types.BoolValue(!and)
			break
		}
	}
	out := new(stream.Vec)
	out.SetConst(types.Of(types.Boolean), result)
	return out, nil
}
