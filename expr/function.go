package expr

import (
	"streamsql/stream"
	"streamsql/types"
)

// Function is one entry of the registry: a scalar function or operator.
type Function struct {
	Name     string   // upper case; operators have their symbol or words: "+", "=", "||", "LIKE", "IS NULL"
	Aliases  []string // upper case
	Class    string   // chapter of the SQL reference: "string", "temporal", ...
	Usage    string   // signature for people: "SUBSTRING(string, start [, length])"
	Doc      string   // one line
	Examples []Example
	// Operator: it is written as an operator and cannot be called by its name.
	Operator bool
	// NonDeterministic marks functions whose result is not given by their arguments
	// (they are not folded).
	NonDeterministic bool
	// Resolve checks the argument types and chooses result type and kernel. args are
	// the types as bound; lits[i] is the constant of argument i, or nil. An error
	// says what is expected; the caller adds place and usage.
	Resolve func(args []types.Type, lits []*Literal) (Resolution, error)
}

// Example is an expression with its result as text, run as a test and shown in
// the reference.
type Example struct{ SQL, Result string }

// Resolution is a function bound to argument types.
type Resolution struct {
	Args   []types.Type // type each argument must be cast to before the call (NULL-ability is ignored)
	Result types.Type
	// NullAware: the kernel handles NULL arguments and sets the output's validity
	// itself. Otherwise a NULL argument makes the row NULL; the kernel may compute
	// anything there (buffers hold defined memory) and is not blamed for failures on
	// rows it was not asked for.
	NullAware bool
	// Unreadable: a text argument that is no constant and cannot be read as the time that
	// the call wants is NULL, where the cast to it would fail.
	Unreadable bool
	// CanFail: the kernel can fail on a value (it must then only touch the rows it is
	// asked for, and only those without NULL arguments unless NullAware).
	CanFail bool
	// PerRow: two rows with the same arguments may differ (RAND); the kernel is called
	// for all rows even where all arguments are constants, and calls are never shared.
	PerRow bool
	// New makes the kernel, once per compiled expression: state such as a compiled
	// pattern or a scratch buffer belongs to it.
	New func() Kernel
}

// Rows says which rows a kernel computes: physical rows 0..N-1, or those of Sel
// (ascending) where Sel is not nil.
type Rows struct {
	N   int
	Sel []int32
}

// Len returns the number of rows to compute.
func (r Rows) Len() int {
	if r.Sel != nil {
		return len(r.Sel)
	}
	return r.N
}

// Kernel computes one function over vectors. Arguments are Flat or Const. out has
// been Reset to the result type with rows.N rows, and its validity set to the
// AND of the arguments' (unless NullAware; the kernel may clear more bits with
// out.SetNull(i, rows.N)). A kernel writes out at the physical positions of rows,
// with one exception: Bytes outputs are appended for all positions 0..N-1 in
// order, an empty value for rows that are not asked for or NULL.
type Kernel func(c *Context, args []*stream.Vec, out *stream.Vec, rows Rows) error

// Context is what kernels may ask of the running query.
type Context struct {
	Zone Zone  // session time zone; nil: UTC
	Now  int64 // processing time of the rows, milliseconds since 1970; only set for expressions that read the clock
}

// Zone converts between instants and the session's wall clock; nil means UTC.
type Zone interface {
	// Offset returns local minus UTC, in milliseconds, at the instant utcMillis.
	Offset(utcMillis int64) int64
	// Instant returns the instant of a local wall clock time: a time that exists
	// twice gives the earlier instant, one that does not exist moves forward by the
	// gap.
	Instant(localMillis int64) int64
	Name() string
}

// RowError is a failure at one row, returned by kernels; eval adds the place in
// the SQL text.
type RowError struct {
	Row  int
	Msg  string
	Hint string
}

// Error returns the message.
func (e *RowError) Error() string { return e.Msg }
