package state

import (
	"errors"

	"streamsql/expr"
	"streamsql/internal/diag"
)

// Fault is the failure of an aggregate, at a row that it was given or at a group whose
// result was asked for.
type Fault struct {
	At  int // the physical row, or the position among the groups
	Err *diag.Error
}

// Error implements error.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the failure with its place in the SQL text.
func (f *Fault) Unwrap() error { return f.Err }

// FaultAt returns where err says an aggregate failed, or otherwise if it does not say.
func FaultAt(err error, otherwise int) int {
	var f *Fault
	if errors.As(err, &f) {
		return f.At
	}
	return otherwise
}

// explain gives an accumulator's error its place in the SQL text.
func (c *call) explain(err error) error {
	var re *expr.RowError
	if errors.As(err, &re) {
		return &Fault{re.Row, &diag.Error{Code: diag.Runtime, Msg: re.Msg, Hint: re.Hint, Span: c.Span()}}
	}
	return err
}
