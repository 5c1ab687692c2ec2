package exec

import (
	"context"
	"fmt"
	"io"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// aheadBatches is how many batches a reader may be ahead of the plan. More would
// only cost memory: the channel has to hide jitter, not make up for speed.
const aheadBatches = 3

// readAhead is a Reader whose reading and decoding runs in a goroutine of its own.
// Order and cuts stay those of the reader, so results cannot change. Batches circulate
// with their buffers between the goroutine and the caller.
type readAhead struct {
	r      connector.Reader
	track  bool // positions are wanted
	full   chan aheadItem
	free   chan *stream.Batch
	cancel context.CancelFunc
	done   chan struct{}
	pos    connector.Position
	err    error
}

type aheadItem struct {
	b   *stream.Batch
	pos connector.Position
	err error
}

// newReadAhead starts reading.
func newReadAhead(ctx context.Context, r connector.Reader, track bool) *readAhead {
	a := &readAhead{
		r: r, track: track, done: make(chan struct{}),
		full: make(chan aheadItem, aheadBatches), free: make(chan *stream.Batch, aheadBatches+1),
	}
	if track {
		a.pos = r.Position()
	}
	for range aheadBatches {
		a.free <- new(stream.Batch)
	}
	ctx, a.cancel = context.WithCancel(ctx)
	go a.run(ctx)
	return a
}

func (a *readAhead) run(ctx context.Context) {
	defer close(a.done)
	for {
		var it aheadItem
		select {
		case it.b = <-a.free:
		case <-ctx.Done():
			return
		}
		it.b.Clear()
		it.err = a.read(ctx, it.b)
		if a.track {
			it.pos = a.r.Position()
		}
		select {
		case a.full <- it:
		case <-ctx.Done():
			return
		}
		if it.err != nil {
			return
		}
	}
}

// read guards the goroutine against panics of the connector: nobody could recover
// them further up.
func (a *readAhead) read(ctx context.Context, b *stream.Batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = diag.New(diag.Internal, diag.Span{}, "internal fault while reading: %v", p)
		}
	}()
	return a.r.Next(ctx, b)
}

// Next implements connector.Reader. The buffers of b go back to the reading side.
func (a *readAhead) Next(ctx context.Context, b *stream.Batch) error {
	if a.err != nil {
		return a.err
	}
	var it aheadItem
	select {
	case it = <-a.full:
	case <-ctx.Done():
		return ctx.Err()
	}
	a.pos = it.pos
	if it.err != nil {
		a.err = it.err
		return it.err
	}
	*b, *it.b = *it.b, *b
	a.free <- it.b
	return nil
}

// waits reports whether Next would have to wait.
func (a *readAhead) waits() bool { return len(a.full) == 0 }

// Position implements connector.Reader.
func (a *readAhead) Position() connector.Position { return a.pos }

// Counts implements connector.Reader.
func (a *readAhead) Counts() connector.Counts { return a.r.Counts() }

// Close stops the goroutine before it closes the reader.
func (a *readAhead) Close() error {
	a.cancel()
	<-a.done
	return a.r.Close()
}

// stutter is a Reader that cuts the batches of another one at pseudo-random places
// and strews in batches without rows: for tests that nothing depends on the cuts.
type stutter struct {
	connector.Reader
	state uint64
	src   stream.Batch
	row   int // first row of src not yet delivered
	mark  int // first mark of src not yet delivered
	err   error
}

func newStutter(r connector.Reader, seed uint64) *stutter {
	return &stutter{Reader: r, state: seed}
}

func (s *stutter) random(n int) int {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// Next implements connector.Reader.
func (s *stutter) Next(ctx context.Context, b *stream.Batch) error {
	if s.row >= s.src.N && s.mark >= len(s.src.Marks) {
		if s.err != nil {
			return s.err
		}
		s.src.Clear()
		s.row, s.mark = 0, 0
		if s.err = s.Reader.Next(ctx, &s.src); s.err != nil {
			return s.err
		}
	}
	k := 0
	switch s.random(4) {
	case 0: // a batch without rows
	case 1:
		k = 1
	case 2:
		k = 1 + s.random(3)
	default:
		k = 1 + s.random(max(1, s.src.N))
	}
	to := min(s.row+k, s.src.N)
	copyRange(b, &s.src, s.row, to)
	if to > s.row || s.row >= s.src.N {
		for ; s.mark < len(s.src.Marks) && int(s.src.Marks[s.mark].Pos) <= to; s.mark++ {
			m := s.src.Marks[s.mark]
			b.Marks = append(b.Marks, stream.Mark{Pos: m.Pos - int32(s.row), W: m.W})
		}
	}
	if s.src.After != nil {
		b.After = append([]stream.Timestamp(nil), s.src.After[s.row:to]...)
	}
	s.row = to
	return nil
}

// readError makes err a *diag.Error that names the table.
func readError(in *input, err error) error {
	if err == io.EOF || isStop(err) || diag.As(err) != nil {
		return err
	}
	return diag.New(diag.IO, in.span, "%s", fmt.Sprintf("table %q cannot be read", in.table)).Wrap(err)
}
