package streamsql

import (
	"regexp"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"streamsql/expr/udf"
	"streamsql/internal/diag"
	"streamsql/planner"
	"streamsql/sql"
)

// FuncOption says more about a registered function than its Go type.
type FuncOption func(*funcOptions)

type funcOptions struct {
	doc      string
	volatile bool
}

// FuncDoc sets what DESCRIBE FUNCTION says about a function.
func FuncDoc(text string) FuncOption { return func(o *funcOptions) { o.doc = text } }

// FuncVolatile says that equal arguments may give different results: the function is
// called for each row, in one goroutine at a time, and never when a query is planned.
func FuncVolatile() FuncOption { return func(o *funcOptions) { o.volatile = true } }

// RegisterFunc makes a Go function a scalar function of SQL under a name that has no
// meaning yet, in any letter case. fn takes and returns bool, int8 to int64, int,
// float32, float64, string, []byte, time.Time (TIMESTAMP(3)) or time.Duration
// (INTERVAL), slices (ARRAY), maps (MAP) and structs (ROW, with the exported fields by
// their place) of these, and may return an error behind its result.
//
//   - A NULL argument makes the result NULL without a call, unless the parameter is a
//     pointer, which is then nil. A nil result of a pointer type is NULL. The same holds of
//     the parts of nested values, but that a NULL part that is no pointer is its zero value.
//   - An error stops the query, and so does a panic: the query's error names the function.
//   - Several goroutines may call fn at once, and with constant arguments it is called
//     when the query is planned, unless FuncVolatile is given.
func (e *Engine) RegisterFunc(name string, fn any, opts ...FuncOption) (err error) {
	defer guard(&err)
	o := funcOptionsOf(opts)
	f, err := udf.Function(name, o.doc, fn, !o.volatile)
	if err != nil {
		return err
	}
	return e.addFunction(name, func() { e.registry.AddFunction(f) })
}

// RegisterTableFunc makes a Go function a table function of SQL: one that gives any number
// of rows, called in FROM TABLE(f(1)) or, for each row of what stands in front, in
// FROM t CROSS JOIN LATERAL TABLE(f(t.x)) AS r(a, b); with LEFT JOIN LATERAL ... ON TRUE
// rows for which it gives none come once, with NULLs. fn takes what RegisterFunc knows
// and returns iter.Seq[T], or iter.Seq2[T, error], and may return an error behind it. The
// exported fields of a struct T are the columns, named by the tag `sql:"name"` or the
// field; any other T that RegisterFunc knows is a single column.
//
//   - With a NULL argument there are no rows and no call, unless the parameter is a pointer,
//     which is then nil. A nil pointer in a row is NULL. A nil sequence has no rows.
//   - An error stops the query behind the rows before it, and so does a panic: the query's
//     error names the function.
//   - The sequence runs while its rows go through the query, and is told to stop when no
//     more are wanted: it may be endless under a LIMIT.
//   - Several queries may call fn at once.
//   - With FuncVolatile the function is refused over rows that may be taken back.
func (e *Engine) RegisterTableFunc(name string, fn any, opts ...FuncOption) (err error) {
	defer guard(&err)
	o := funcOptionsOf(opts)
	f, err := udf.TableFunction(name, o.doc, fn, !o.volatile)
	if err != nil {
		return err
	}
	return e.addFunction(name, func() { e.registry.AddTableFunction(f) })
}

// VectorFunc is a scalar function over whole columns.
type VectorFunc struct {
	Args   []string // SQL types of the arguments: "DOUBLE", "DECIMAL(10, 2)"
	Result string   // SQL type of the result
	// Call gets one array per argument, all of one length, and returns an array of that
	// length in the Arrow type that a query's result has for Result. It is called only
	// with rows that need the function; the arrays are valid during the call. NULLs are
	// Arrow's.
	Call func(args []arrow.Array) (arrow.Array, error)
}

// RegisterVectorFunc makes a function over Arrow arrays a scalar function of SQL. What
// RegisterFunc says of errors, panics and goroutines holds here, too.
func (e *Engine) RegisterVectorFunc(name string, f VectorFunc, opts ...FuncOption) (err error) {
	defer guard(&err)
	o := funcOptionsOf(opts)
	fn, err := f.function(name, o)
	if err != nil {
		return err
	}
	return e.addFunction(name, func() { e.registry.AddFunction(fn) })
}

// Aggregate is an aggregate function in Go, with the state S of one group. The zero S
// is the state of a group without rows. S is saved with encoding/gob: its exported
// fields are the state.
//
//	Add     func(*S, arguments...) or func(*S, arguments...) error
//	Retract the same, to take a row back; nil if the input never changes
//	Merge   adds the rows of from to into
//	Result  func(*S) value or func(*S) (value, error)
//
// Arguments and values have the types that RegisterFunc knows. A row with a NULL
// argument does not count, unless the parameter is a pointer.
type Aggregate[S any] = udf.Definition[S]

// RegisterAggregate makes an aggregate function of SQL, with DISTINCT and FILTER, under
// a name that has no meaning yet. An error or a panic stops the query with an error that
// names the function.
func RegisterAggregate[S any](e *Engine, name string, def Aggregate[S], opts ...FuncOption) (err error) {
	defer guard(&err)
	a, err := udf.Aggregate(name, funcOptionsOf(opts).doc, def)
	if err != nil {
		return err
	}
	return e.addFunction(name, func() { e.registry.AddAggregate(a) })
}

func funcOptionsOf(opts []FuncOption) funcOptions {
	o := funcOptions{doc: "A function of the program."}
	for _, f := range opts {
		f(&o)
	}
	return o
}

var functionName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// addFunction checks the name of a function and adds it.
func (e *Engine) addFunction(name string, add func()) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !functionName.MatchString(name) {
		return diag.New(diag.InvalidArgument, diag.Span{}, "%q cannot be the name of a function", name).
			WithHint("use letters, digits and underscores")
	}
	x, err := sql.ParseExpr(name + "(a)")
	if call, ok := x.(*sql.Call); err != nil || !ok || len(call.Name.Parts) != 1 {
		return diag.New(diag.InvalidArgument, diag.Span{}, "%q is a word of the language and cannot be the name of a function", name)
	}
	for _, n := range planner.FunctionNames(e.registry) {
		if n == strings.ToUpper(name) {
			return diag.New(diag.DuplicateName, diag.Span{}, "function %q exists already", name).WithHint("choose another name")
		}
	}
	add()
	return nil
}
