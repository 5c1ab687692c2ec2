package exec

import (
	"context"
	"errors"
	"math"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// fault is an error at a place of the stream. Among the failures of several
// branches the one with the smallest ordinal is the query's: it is the one that a
// run with batches of one row meets.
type fault struct {
	ord int64
	err error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// Fail returns err as the failure at the row or mark with ordinal ord. Everything
// of smaller ordinals must have been sent before it is returned.
func Fail(ord int64, err error) error {
	var f *fault
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &fault{ord, err}
}

// ordinalOf returns the ordinal at which err stopped the stream; without one the
// whole batch counts as processed.
func ordinalOf(err error) int64 {
	var f *fault
	if errors.As(err, &f) {
		return f.ord
	}
	return math.MaxInt64
}

// isEnough reports whether err only says that no more rows are wanted.
func isEnough(err error) bool { return err != nil && errors.Is(err, connector.ErrEnough) }

// unreader is an operator that handles rows one by one. When the query has ended before
// the last rows of a batch, In does not count these any more; unread takes them out of
// the other counts. It had sent the last out of them on.
type unreader interface{ unread(out int64) }

// rowsBehind returns how many live rows of b have an ordinal behind ord.
func rowsBehind(b *stream.Batch, ord int64) int64 {
	n := b.Live()
	for n > 0 && b.Ordinal(liveRow(b, n-1)) > ord {
		n--
	}
	return int64(b.Live() - n)
}

// isStop reports whether err is the end of the context.
func isStop(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// explain makes err a *diag.Error that names the operator, unless it is one already
// or no failure of the operator.
func explain(n physical.Node, err error) error {
	if err == nil || isEnough(err) || isStop(err) || diag.As(err) != nil {
		return err
	}
	name, _ := n.Describe()
	return Fail(ordinalOf(err), diag.New(diag.Runtime, n.Info().Span, "%s failed", name).Wrap(err))
}
