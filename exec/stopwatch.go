package exec

import (
	"context"

	"streamsql/connector"
	"streamsql/stream"
)

// stopwatch measures the time in each operator itself. Operators call each other, so
// the time of the calls inside a call is taken off. Without a clock it does nothing.
type stopwatch struct {
	clock  func() int64
	inside int64 // nanoseconds of the measured calls inside the current one
}

// lap is a call that is being measured.
type lap struct{ began, outside int64 }

func (w *stopwatch) start() lap {
	if w.clock == nil {
		return lap{}
	}
	l := lap{outside: w.inside}
	w.inside = 0
	l.began = w.clock()
	return l
}

func (w *stopwatch) stop(l lap, c *Counters) {
	if w.clock == nil {
		return
	}
	took := w.clock() - l.began
	c.nanos.Add(took - w.inside)
	c.batches.Add(1)
	w.inside = l.outside + took
}

// timedReader measures the reading of a source.
type timedReader struct {
	connector.Reader
	clock func() int64
	c     *Counters
}

// Next implements connector.Reader.
func (r *timedReader) Next(ctx context.Context, b *stream.Batch) error {
	began := r.clock()
	err := r.Reader.Next(ctx, b)
	r.c.nanos.Add(r.clock() - began)
	if err == nil {
		r.c.batches.Add(1)
	}
	return err
}
