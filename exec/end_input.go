package exec

import (
	"context"
	"io"

	"streamsql/stream"
)

// EndInput makes the job go on as if all its sources had ended: the watermark rises to
// its maximum, what is open closes, and Run ends well. Rows that were read but have not
// been handed to the plan stay unread. It may be called at any time, from any goroutine.
func (j *Job) EndInput() { j.endInput() }

// isEnding reports whether EndInput has been called.
func (j *Job) isEnding() bool { return j.ending.Err() != nil }

// readUntilEnding makes the context of all reading, and returns what frees it.
func (j *Job) readUntilEnding(ctx context.Context) (release func()) {
	reading, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(j.ending, cancel)
	j.reading = reading
	return func() {
		stop()
		cancel()
	}
}

// nextBatch reads the next batch of a source; io.EOF also when the input is to end.
func (j *Job) nextBatch(ctx context.Context, in *input, b *stream.Batch) error {
	if j.isEnding() {
		return io.EOF
	}
	err := in.reader.Next(j.reading, b)
	if err != nil && isStop(err) && ctx.Err() == nil && j.isEnding() {
		return io.EOF
	}
	return err
}

// endAll ends the inputs that still run.
func (j *Job) endAll(ctx context.Context, ins []*input) error {
	for _, in := range ins {
		if in.over {
			continue
		}
		if err := j.end(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// end ends all sources, with the turn held.
func (a *arrival) end() error {
	a.job.turn <- struct{}{}
	defer func() { <-a.job.turn }()
	a.open = 0
	return a.guarded(func() error { return a.job.endAll(a.ctx, a.sources) })
}
