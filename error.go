package streamsql

import (
	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Error is the type of all errors of this package (use errors.As). Code is stable;
// Line and Col (1-based) and Span (byte offsets) point into the statement's text.
type Error = diag.Error

// Code says what kind of fault an Error is.
type Code = diag.Code

// The codes that programs most often ask for; diag lists them all in Error.Code's
// text form.
const (
	CodeSyntax      = diag.Syntax
	CodeUnsupported = diag.Unsupported
	CodeRuntime     = diag.Runtime
	CodeDecode      = diag.Decode
	CodeIO          = diag.IO
	CodeMemory      = diag.Memory
	CodeCanceled    = diag.Canceled
	CodeInternal    = diag.Internal
)

// The vocabulary shared with connectors.
type (
	// RowKind is the kind of a change: +I, -U, +U or -D.
	RowKind = stream.RowKind
	// Stats is a reading of a query's counters.
	Stats = stream.Stats
	// SourceStats are the counters of one source.
	SourceStats = stream.SourceStats
	// OperatorStats are the counters of one operator.
	OperatorStats = stream.OperatorStats
	// LateRow is a row that was dropped because its window was closed.
	LateRow = stream.LateRow
	// TraceEvent tells what one input row did; see WithTrace.
	TraceEvent = stream.TraceEvent
	// TraceWindow is a window in a TraceEvent.
	TraceWindow = stream.TraceWindow
	// TraceChange is a row of the result in a TraceEvent.
	TraceChange = stream.TraceChange
	// Fate is what became of a traced row.
	Fate = stream.Fate
	// BadRow is an input row that could not be read and was skipped.
	BadRow = connector.BadRow
)

// The row kinds.
const (
	Insert       = stream.Insert
	UpdateBefore = stream.UpdateBefore
	UpdateAfter  = stream.UpdateAfter
	Delete       = stream.Delete
)

// The fates of a traced row.
const (
	FateNone     = stream.NoRow
	FatePassed   = stream.Passed
	FateFiltered = stream.Filtered
	FateInTime   = stream.InTime
	FateMerged   = stream.Merged
	FateLate     = stream.Late
	FateDropped  = stream.Dropped
)

// Render formats err for people: the message, the line of src it is about with a
// caret, detail and hint. src is the text that was given to Exec or Query.
func Render(src string, err error) string { return diag.Render(src, err) }

// Refused reports whether err says that a statement was refused, because of its text,
// its plan or an option, so that it did not start; false means that it failed while it
// ran, was stopped, or met a fault of ours.
func Refused(err error) bool {
	e := diag.As(err)
	if e == nil || e.Running {
		return false
	}
	return e.Code != diag.Internal && e.Code != diag.Canceled && e.Code != diag.Closed
}
