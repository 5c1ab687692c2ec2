package expr

import (
	"streamsql/stream"
	"streamsql/types"
)

// TableFunction is one entry of the registry: a function that gives rows, called in
// FROM TABLE(f(..)).
type TableFunction struct {
	Name     string // upper case
	Usage    string // signature for people: "WORDS(STRING)"
	Doc      string // one line
	Examples []Example
	// NonDeterministic marks functions whose rows are not given by their arguments: those of
	// a row cannot be taken back.
	NonDeterministic bool
	// Resolve checks the argument types and chooses columns and kernel. An error says what
	// is expected; the caller adds place and usage.
	Resolve func(args []types.Type) (TableResolution, error)
}

// TableResolution is a table function bound to argument types.
type TableResolution struct {
	Args   []types.Type   // type each argument must be cast to before the call (NULL-ability is ignored)
	Fields []stream.Field // the columns of its rows
	// New makes the kernel, once per running query.
	New func() TableKernel
}

// TableKernel writes the rows of the function for row i of the arguments, Flat or Const
// vectors. It may be asked for any number of rows, in order. A failure is a *RowError;
// rows written before it count.
type TableKernel func(args []*stream.Vec, i int, out *TableRows) error

// TableRows takes the rows of a table function. The kernel asks for Room, writes row N of
// N + 1 or more into all columns, appending texts and nested values, and calls Wrote.
type TableRows struct {
	Cols []stream.Vec // reset to Size rows; N of them are written
	N    int
	Size int
	Full func() bool // takes the rows that are there and makes room, unless no more are wanted
}

// Room reports whether one more row may be written. If it may not, the kernel returns.
func (r *TableRows) Room() bool { return r.N < r.Size || r.Full() }

// Wrote counts the row that was written.
func (r *TableRows) Wrote() { r.N++ }
