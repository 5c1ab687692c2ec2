package streamsql

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // answers must not depend on the host's zone files

	"streamsql/connector"
	"streamsql/connector/blackhole"
	"streamsql/connector/datagen"
	"streamsql/connector/filesystem"
	"streamsql/connector/print"
	"streamsql/connector/stdio"
	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/internal/diag"
	"streamsql/planner"
	"streamsql/planner/catalog"
)

// Engine is a session: tables, views, settings, and the queries that run on them.
// Its methods may be called from any goroutine.
type Engine struct {
	cfg       config
	registry  *expr.Registry
	factories []connector.Factory

	mu         sync.Mutex
	catalog    *catalog.Catalog
	settings   *planner.Settings
	registered []any // connector.Source or connector.Sink by handle-1
	running    map[*Query]struct{}
	closed     bool
}

// config is what options set.
type config struct {
	stdin       io.Reader
	stdout      io.Writer
	batchSize   int
	readBuffer  int
	workers     int
	seed        uint64
	random      func() uint64
	stutter     uint64
	memoryLimit int64
	flushOnStop bool
	keepLate    int
	now         func() time.Time
	settings    [][2]string
	files       FileOptions
	onLate      func(LateRow)
	onBad       func(BadRow)
	trace       func(TraceEvent)
	connectors  []connector.Factory
}

// Option changes how an engine works. No option but those for settings, clock,
// random numbers, files and stopping changes an answer.
type Option func(*config)

// WithStdin sets what the table stdin reads; by default the process's input.
func WithStdin(r io.Reader) Option { return func(c *config) { c.stdin = r } }

// WithStdout sets where the print connector writes; by default the process's
// output.
func WithStdout(w io.Writer) Option { return func(c *config) { c.stdout = w } }

// WithBatchSize sets the most rows in a batch, at least 1 (default 4096).
func WithBatchSize(rows int) Option { return func(c *config) { c.batchSize = max(1, rows) } }

// WithReadBuffer sets how many bytes a reader asks for at a time, at least 1
// (default 256 KiB).
func WithReadBuffer(bytes int) Option { return func(c *config) { c.readBuffer = max(1, bytes) } }

// WithWorkers sets how many goroutines a query may use, at least 1 (default: the
// number of cores). With 1 everything runs serially.
func WithWorkers(n int) Option { return func(c *config) { c.workers = max(1, n) } }

// WithSeed sets the seed of hash tables; it never changes an answer, not even its
// order. By default it differs from run to run.
func WithSeed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// WithRandom sets where RAND, RAND_INTEGER and UUID begin, so that a serial run can be
// repeated. By default no two runs are alike.
func WithRandom(seed uint64) Option {
	return func(c *config) {
		var mu sync.Mutex
		source := rand.NewPCG(seed, 0)
		c.random = func() uint64 {
			mu.Lock()
			defer mu.Unlock()
			return source.Uint64()
		}
	}
}

// WithStutter cuts batches at pseudo-random places, for tests: answers must not
// change. 0 turns it off.
func WithStutter(seed uint64) Option { return func(c *config) { c.stutter = seed } }

// WithMemoryLimit sets how many bytes of state a query may hold; past it the query
// fails with code Memory. 0, the default, sets no limit.
func WithMemoryLimit(bytes int64) Option { return func(c *config) { c.memoryLimit = bytes } }

// WithFlushOnStop makes the end of the context that a query or INSERT was started with
// end its input: windows that are open close with the rows they have, as at the end of
// bounded input, and the query ends well. Query.Close stops it all the same. Without
// the option nothing is flushed: a window that is not over has no result.
func WithFlushOnStop() Option { return func(c *config) { c.flushOnStop = true } }

// WithClock sets the clock behind processing time and CURRENT_TIMESTAMP.
func WithClock(now func() time.Time) Option { return func(c *config) { c.now = now } }

// WithSetting is SET 'key' = 'value' before the first statement.
func WithSetting(key, value string) Option {
	return func(c *config) { c.settings = append(c.settings, [2]string{key, value}) }
}

// WithFiles says how files and stdin are read when they are used as tables without
// CREATE TABLE.
func WithFiles(o FileOptions) Option { return func(c *config) { c.files = o } }

// WithKeepLate sets how many late and how many bad rows a query keeps for Query.Late
// and Query.Bad, the first ones (default 100,000). All are counted, and WithLate and
// WithBad see all.
func WithKeepLate(rows int) Option { return func(c *config) { c.keepLate = rows } }

// WithLate sets a function that is called for each row that is dropped as late, in
// order, from the goroutine of the query.
func WithLate(f func(LateRow)) Option { return func(c *config) { c.onLate = f } }

// WithBad sets a function that is called for each input row that is skipped because
// it cannot be read, from a goroutine of the query.
func WithBad(f func(BadRow)) Option { return func(c *config) { c.onBad = f } }

// WithConnector adds a connector for WITH ('connector' = name); it hides a built-in
// one of the same name.
func WithConnector(f connector.Factory) Option {
	return func(c *config) { c.connectors = append(c.connectors, f) }
}

// FileOptions say how files and stdin are read when they are used as tables without
// CREATE TABLE: FROM 'x.csv', FROM stdin, DefineFile.
type FileOptions struct {
	Header    string        // "auto" (also ""), "yes", "no", or the column names: "a,b,c"
	EventTime string        // event-time column, as column or table.column; "": none
	Delay     time.Duration // watermark delay behind the newest event time
}

// Open returns an engine with an empty session. Close it when done.
func Open(opts ...Option) (*Engine, error) {
	cfg := config{
		stdin: os.Stdin, stdout: os.Stdout,
		batchSize: 4096, readBuffer: 256 << 10, workers: runtime.GOMAXPROCS(0),
		keepLate: 100_000, now: time.Now,
	}
	cfg.seed = uint64(time.Now().UnixNano())
	cfg.random = rand.Uint64
	for _, o := range opts {
		o(&cfg)
	}
	e := &Engine{
		cfg:      cfg,
		registry: builtin.NewRegistry(),
		catalog:  catalog.New(),
		settings: planner.NewSettings(),
		running:  map[*Query]struct{}{},
	}
	for _, f := range builtin.RandomFunctions(cfg.random) {
		e.registry.AddFunction(f)
	}
	e.factories = append(cfg.connectors,
		filesystem.New(),
		stdio.New(func() io.Reader { return cfg.stdin }),
		print.New(func() io.Writer { return cfg.stdout }),
		blackhole.New(),
		datagen.New(e.nowMillis),
	)
	for _, s := range cfg.settings {
		if err := e.settings.Set(s[0], s[1], diag.Span{}); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *Engine) nowMillis() int64 { return e.cfg.now().UnixMilli() }

// Close stops all queries, waits for them and ends the session: whoever reads results
// still gets an error with code Canceled. It is idempotent.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	queries := make([]*Query, 0, len(e.running))
	for q := range e.running {
		queries = append(queries, q)
	}
	e.mu.Unlock()
	for _, q := range queries {
		q.halt()
	}
	return nil
}

// guard turns a panic, which is always a fault of ours, into an error. It is
// deferred where users' calls enter.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = internalError(r)
	}
}

// internalError names the place of a panic, not the whole stack: people read it.
func internalError(r any) error {
	err := diag.New(diag.Internal, diag.Span{}, "internal fault: %v", r).
		WithHint("please report the statement and this text")
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "streamsql") && !strings.HasSuffix(f.Function, ".guard") {
			return err.WithDetail("in %s, line %d", f.Function, f.Line)
		}
		if !more {
			return err
		}
	}
}

func (e *Engine) checkOpen(ctx context.Context) error {
	if ctx == nil {
		return diag.New(diag.InvalidArgument, diag.Span{}, "the context is nil").WithHint("give context.Background()")
	}
	if err := ctx.Err(); err != nil {
		return canceled(err)
	}
	if e.closed {
		return diag.New(diag.Closed, diag.Span{}, "the engine is closed")
	}
	return nil
}

func canceled(cause error) error {
	return diag.New(diag.Canceled, diag.Span{}, "stopped").Wrap(cause)
}
