package streamsql

import (
	"context"
	"slices"
	"time"

	"streamsql/internal/diag"
	"streamsql/planner"
	"streamsql/sql"
)

// Result is what a statement that is no query returns.
type Result struct {
	Columns []string
	Rows    [][]*string // text; nil: NULL
	Insert  bool        // the statement was an INSERT
	Stats   Stats       // of an INSERT
	Late    int64       // rows that an INSERT's operators dropped as late
}

// Exec runs a statement that is no query: CREATE, DROP, SET, RESET, SHOW, DESCRIBE,
// EXPLAIN, or INSERT INTO, which runs to the end of its input. A failed or canceled
// INSERT leaves nothing half-written.
func (e *Engine) Exec(ctx context.Context, text string) (res Result, err error) {
	defer guard(&err)
	e.mu.Lock()
	unlocked := false
	defer func() {
		if !unlocked {
			e.mu.Unlock()
		}
	}()
	if err := e.checkOpen(ctx); err != nil {
		return Result{}, err
	}
	stmt, err := sql.ParseOne(text)
	if err != nil {
		return Result{}, diag.WithSource(err, text)
	}
	if x, ok := stmt.(*sql.Explain); ok && slices.Contains(x.Details, "ANALYZE") {
		q, err := e.startAnalysis(ctx, x, text)
		if err != nil {
			return Result{}, err
		}
		e.mu.Unlock()
		unlocked = true
		return q.analyzed()
	}
	ins, ok := stmt.(*sql.Insert)
	if !ok {
		res, err = e.execute(ctx, stmt, text)
		return res, diag.WithSource(err, text)
	}
	b := e.bind(ctx, text)
	plan, err := planner.Insert(b.env(), ins, text)
	if err != nil {
		return Result{}, diag.WithSource(err, text)
	}
	q := e.newQuery(plan)
	err = e.start(ctx, q, b, text)
	if err != nil {
		return Result{}, err
	}
	e.mu.Unlock()
	unlocked = true
	<-q.done
	res = Result{Insert: true, Stats: q.Stats()}
	for _, op := range res.Stats.Operators {
		res.Late += op.Late
	}
	return res, q.err
}

// startAnalysis starts the query of EXPLAIN ANALYZE: serially, so that the time of each
// operator is its own, with a clock, and without anybody who reads the results.
func (e *Engine) startAnalysis(ctx context.Context, x *sql.Explain, text string) (*Query, error) {
	b := e.bind(ctx, text)
	plan, err := planner.Analyze(b.env(), x, text)
	if err != nil {
		return nil, diag.WithSource(err, text)
	}
	q := e.newQuery(plan)
	begin := e.cfg.now()
	q.clock = func() int64 { return int64(e.cfg.now().Sub(begin)) }
	return q, e.start(ctx, q, b, text)
}

// analyzed waits for the end of an analyzed query and returns its plan with what it
// did.
func (q *Query) analyzed() (Result, error) {
	<-q.done
	if q.err != nil {
		return Result{}, q.err
	}
	plan := planner.Analyzed(q.plan, q.Stats(), time.Duration(q.took))
	return Result{Columns: []string{"result"}, Rows: [][]*string{{&plan}}}, nil
}

// execute runs DDL, settings and descriptions.
func (e *Engine) execute(ctx context.Context, stmt sql.Statement, text string) (Result, error) {
	env := e.bind(ctx, text).env()
	switch s := stmt.(type) {
	case *sql.QueryStatement:
		return Result{}, diag.New(diag.InvalidArgument, s.Span(), "this statement is a query").WithHint("run it with Query")
	case *sql.CreateTable:
		return Result{}, planner.CreateTable(env, s, text)
	case *sql.CreateView:
		return Result{}, planner.CreateView(env, s, text)
	case *sql.Drop:
		return Result{}, planner.Drop(env, s, text)
	case *sql.Set:
		if s.Key == nil {
			return settingsList(e.settings.List()), nil
		}
		return Result{}, e.settings.Set(s.Key.Value, s.Value.Value, s.Span())
	case *sql.Reset:
		if s.Key == nil {
			return Result{}, e.settings.Reset("", s.Span())
		}
		return Result{}, e.settings.Reset(s.Key.Value, s.Key.Span())
	case *sql.Describe:
		cols, rows, err := planner.Describe(env, s)
		return Result{Columns: cols, Rows: rows}, err
	case *sql.Show:
		cols, rows, err := planner.Show(env, s)
		return Result{Columns: cols, Rows: rows}, err
	case *sql.Explain:
		plan, err := planner.Explain(env, s, text)
		return Result{Columns: []string{"result"}, Rows: [][]*string{{&plan}}}, err
	case *sql.Other:
		return Result{}, diag.New(diag.Unsupported, s.Span(), "%s is not supported", s.Words).WithHint("%s", insteadOf(s.Words))
	case *sql.StatementSet:
		return Result{}, diag.New(diag.Unsupported, s.Span(), "EXECUTE STATEMENT SET is not supported").
			WithHint("run its INSERT statements one by one")
	}
	return Result{}, diag.New(diag.Internal, stmt.Span(), "no way to run a %T", stmt)
}

func settingsList(list [][2]string) Result {
	r := Result{Columns: []string{"key", "value"}}
	for _, kv := range list {
		k, v := kv[0], kv[1]
		r.Rows = append(r.Rows, []*string{&k, &v})
	}
	return r
}
