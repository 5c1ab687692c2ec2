package diag

import (
	"errors"
	"fmt"
	"strings"
)

// Span is a half-open range of byte offsets in the text the user gave. The zero
// Span means that no place is known.
type Span struct {
	Start, End int
}

// Valid reports whether the span names a place.
func (s Span) Valid() bool { return s.End > s.Start || s.Start > 0 }

// Join returns the smallest span that covers s and t; an unknown span is
// ignored.
func (s Span) Join(t Span) Span {
	if !s.Valid() {
		return t
	}
	if !t.Valid() {
		return s
	}
	return Span{min(s.Start, t.Start), max(s.End, t.End)}
}

// Code says what kind of fault an Error is. Codes are few and stable; programs
// may switch on them.
type Code string

// The codes.
const (
	Syntax          Code = "syntax"           // the text is no statement of the dialect
	Unsupported     Code = "unsupported"      // understood, but refused by name
	UndefinedTable  Code = "undefined_table"  // no such table, view, file or catalog object
	UndefinedColumn Code = "undefined_column" // no such column, or an ambiguous one
	UndefinedFunc   Code = "undefined_function"
	UndefinedOption Code = "undefined_option" // an option of WITH, SET or a flag that does not exist
	DuplicateName   Code = "duplicate_name"   // the object or column exists already
	TypeMismatch    Code = "type_mismatch"    // operand, argument or column types do not fit
	InvalidArgument Code = "invalid_argument" // a value (option, literal, flag) that is not allowed
	Watermark       Code = "watermark"        // event time is missing or wrong for what is asked
	Window          Code = "window"           // a window with impossible parameters
	Changelog       Code = "changelog"        // a change that the consumer cannot take
	Decode          Code = "decode"           // input that cannot be read as declared
	Runtime         Code = "runtime"          // a value that failed while running: cast, division by zero, overflow
	IO              Code = "io"               // a file, pipe or sink that failed
	Memory          Code = "memory"           // a memory limit was passed
	Canceled        Code = "canceled"         // the context ended
	Closed          Code = "closed"           // use of an engine, query or source after its end
	Internal        Code = "internal"         // a fault of ours
)

// Error is the one error type that crosses package borders. Msg is lower case,
// without a full stop, and quotes names with their kind; Hint is one action.
// Line and Col are 1-based and set once the source text is known (WithSource);
// zero means unknown.
type Error struct {
	Code   Code
	Msg    string
	Detail string
	Hint   string
	Span   Span
	Line   int
	Col    int
	// Source is the text that Span points into, where that is not the statement's own:
	// the CREATE TABLE or CREATE VIEW behind a name it uses.
	Source string
	// Running is set on errors that came up while a statement ran; otherwise it was
	// refused and did not start.
	Running bool
	Err     error
}

// New returns an Error with a formatted message.
func New(code Code, span Span, format string, args ...any) *Error {
	return &Error{Code: code, Span: span, Msg: fmt.Sprintf(format, args...)}
}

// WithHint returns e with the hint set.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithDetail returns e with the detail set.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// Wrap returns e with err as its cause.
func (e *Error) Wrap(err error) *Error {
	e.Err = err
	return e
}

// Error is one line: position if known, message, detail, cause and hint.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Col)
	}
	b.WriteString(e.Msg)
	if e.Detail != "" {
		b.WriteString(" (" + e.Detail + ")")
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString("; hint: " + e.Hint)
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// As returns the *Error in err's chain, or nil.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// WithSource returns err with line and column filled in from src, if it is an
// Error with a span and without a position yet.
func WithSource(err error, src string) error {
	e := As(err)
	if e == nil || e.Line > 0 || e.Source != "" || !e.Span.Valid() && e.Code != Syntax {
		return err
	}
	e.Line, e.Col = Position(src, e.Span.Start)
	return err
}

// Position returns the 1-based line and column (in characters) of byte offset
// off in src. An offset behind the end counts as the end.
func Position(src string, off int) (line, col int) {
	off = max(0, min(off, len(src)))
	line = 1 + strings.Count(src[:off], "\n")
	start := strings.LastIndexByte(src[:off], '\n') + 1
	return line, 1 + len([]rune(src[start:off]))
}
