package connector

import (
	"context"
	"errors"
	"strings"

	"streamsql/internal/diag"
	"streamsql/stream"
)

// Table is what a factory is given: the options of WITH, the schema, and where
// they stand in the SQL text.
type Table struct {
	Name    string
	Options []Option
	Schema  stream.Schema // physical columns in DDL order; empty where the schema is to be inferred
	Zone    string        // session time zone
	Span    diag.Span
}

// Option is one entry of WITH.
type Option struct {
	Key, Value string
	KeySpan    diag.Span
	ValueSpan  diag.Span
}

// Bool reads a value that must be true or false, in any letter case.
func (o Option) Bool() (bool, error) {
	switch strings.ToLower(strings.TrimSpace(o.Value)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, diag.New(diag.InvalidArgument, o.ValueSpan, "option %q must be 'true' or 'false', not '%s'", o.Key, o.Value)
}

// Factory makes sources and sinks of one connector. Options are checked here:
// unknown ones are refused with a suggestion, each error has a place.
type Factory interface {
	// Name is the value of 'connector'.
	Name() string
	// Source returns a source for the table, or an error that says that the
	// connector only writes.
	Source(t Table) (Source, error)
	// Sink returns a sink for the table, or an error that says that the connector
	// only reads.
	Sink(t Table) (Sink, error)
}

// Source is a table that can be read, as often as Open is called (Live sources
// once).
type Source interface {
	// Schema is the physical columns.
	Schema() stream.Schema
	// Traits says how the input behaves.
	Traits() Traits
	// Open starts reading.
	Open(ctx context.Context, o OpenOptions) (Reader, error)
}

// Traits of a source. Bounded input ends by itself. Live input (stdin, pipes,
// pushed rows) arrives as somebody produces it: what is there is delivered at once,
// and several live inputs interleave by arrival.
type Traits struct {
	Bounded    bool
	Live       bool
	Watermarks bool // the source sends its own watermarks as marks
}

// OpenOptions is how a source is to be read. None of it changes the rows or their
// order.
type OpenOptions struct {
	Columns    []int // physical columns wanted, ascending; the reader fills exactly these, in this order
	BatchSize  int   // most rows per batch
	ReadBuffer int   // bytes per read
	From       Position
	// Bad takes rows that were skipped, as they are met. nil: they are only counted.
	Bad func(BadRow)
	// Workers is how many goroutines may decode at once, ahead of Next; up to 1: Next
	// does all the work. A reader that starts any implements Ahead.
	Workers int
	// Prepare does work of the plan that depends on nothing but the batch. A reader
	// that decodes ahead calls it in the goroutine of the worker that has decoded b,
	// and gives the result back by Prepared; old is the result that is no longer used,
	// nil at first. b is not changed, by Prepare or behind it; only a Dict column may get
	// other ids, in place, and the dictionary that they belong to. May be nil.
	Prepare func(b *stream.Batch, old any) any
	// Intern are columns, among Columns, for which a dictionary pays: the plan groups by
	// them. A reader may deliver them as Dict vectors, where the dictionary grows only
	// inside Next. It must not, if it does not implement Ahead although there are
	// several workers: its Next may then run while the plan reads the batch before.
	Intern []int
}

// Ahead is a Reader whose rows are decoded ahead of Next, by goroutines of its own.
type Ahead interface {
	Reader
	// Ready reports whether Next would not have to wait.
	Ready() bool
	// Prepared is what OpenOptions.Prepare made of the last batch of Next, valid as
	// long as the batch; nil: nothing.
	Prepared() any
}

// Position is where a reader stands, opaque to all but its source. It can be
// stored and given back to Open. nil is the start.
type Position []byte

// BadRow is an input row that could not be read and was skipped, or a value that
// could not be read and became NULL in a row that was delivered.
type BadRow struct {
	Nulled bool // the row was delivered, with NULL in Column
	File   string
	Line   int64
	Column string
	Text   string // the raw row
	Reason string
}

// Reader reads one source. It is used by one goroutine.
type Reader interface {
	// Next fills b, which has been Cleared, with the next rows: at least one row or
	// mark, at most BatchSize rows. It waits only while nothing is there: a live
	// source returns what it has. The memory belongs to the reader until the next
	// call, unless the caller Takes it. At the end it returns io.EOF with nothing in
	// b. Other errors end the reading; rows before the fault have been returned by
	// earlier calls. A canceled ctx makes a waiting Next return ctx.Err().
	Next(ctx context.Context, b *stream.Batch) error
	// Position is where the next call of Next starts.
	Position() Position
	// Counts says how many rows were delivered and how many were bad, and the bytes
	// read so far, with the total if it is known (else 0). Safe from any goroutine.
	Counts() Counts
	Close() error
}

// Counts of a reader.
type Counts struct {
	Delivered, Bad    int64
	BadFields         int64 // values that became NULL in delivered rows because they could not be read
	Bytes, TotalBytes int64
}

// Sink takes the rows of INSERT INTO. It is used by one goroutine.
type Sink interface {
	// Traits says what the sink can take.
	Traits() SinkTraits
	Open(ctx context.Context) (Writer, error)
}

// SinkTraits of a sink.
type SinkTraits struct {
	Retract bool // takes -U and -D; otherwise the sink is append-only
	// Upsert: with Retract, of an update it takes the new row only, +U, which stands for
	// the old one by the primary key of the table. It gets no -U.
	Upsert bool
}

// Writer writes rows. Write may be called with batches that hold no live rows.
type Writer interface {
	Write(ctx context.Context, b *stream.Batch) error
	// Flush makes written rows visible; called at the end and when input idles.
	Flush(ctx context.Context) error
	// Close ends the writing; commit is false after a failure: then nothing
	// half-written may remain.
	Close(commit bool) error
}

// ErrNotSupported is returned by a Factory whose connector cannot read or write.
var ErrNotSupported = errors.New("not supported by this connector")

// Pushed is a Source whose rows are handed over by Go code instead of being read:
// the engine attaches itself, and the source calls feed in the goroutine of
// whoever sends.
type Pushed interface {
	Source
	// Attach starts the flow. The source calls feed with batches of the wanted
	// columns (feed returns when the plan has taken them; the memory is the source's
	// again), and end exactly once: with nil at the end of input, else with the fault.
	// Feed returns ErrEnough when no more rows are wanted, or the query's error.
	Attach(o OpenOptions, feed func(ctx context.Context, b *stream.Batch) error, end func(error)) error
}

// ErrEnough says that nobody downstream wants more rows.
var ErrEnough = errors.New("no more rows wanted")
