package pipe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// chunk is the most bytes of one read, ahead the reads that may wait to be taken.
const (
	chunk = 64 << 10
	ahead = 4
)

// Reader reads an io.Reader in a goroutine of its own. It is used by one
// goroutine.
type Reader struct {
	full  chan piece // what was read
	empty chan []byte
	kept  []byte // of a sample, to be read again
	rest  []byte // of the piece that is being taken
	whole []byte // its buffer
	err   error
	close func() error
	stop  chan struct{}
	once  sync.Once
}

type piece struct {
	data []byte // the part of buf that was read
	buf  []byte
	err  error
}

// New starts to read r. close, which may be nil, is called by Close: it should
// end a read that waits.
func New(r io.Reader, close func() error) *Reader {
	p := &Reader{full: make(chan piece, ahead), empty: make(chan []byte, ahead), close: close, stop: make(chan struct{})}
	for range ahead {
		p.empty <- nil
	}
	go p.run(r)
	return p
}

func (p *Reader) run(r io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-p.empty:
		case <-p.stop:
			return
		}
		if buf == nil {
			buf = make([]byte, chunk)
		}
		n, err := r.Read(buf)
		select {
		case p.full <- piece{buf[:n], buf, err}:
		case <-p.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns bytes that are there, or waits for some until ctx ends.
func (p *Reader) Read(ctx context.Context, dst []byte) (int, error) {
	if len(p.kept) > 0 {
		n := copy(dst, p.kept)
		p.kept = p.kept[n:]
		return n, nil
	}
	return p.receive(ctx, dst)
}

func (p *Reader) receive(ctx context.Context, dst []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		var next piece
		select {
		case next = <-p.full:
		default:
			select {
			case next = <-p.full:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		p.rest, p.whole, p.err = next.data, next.buf, next.err
		if len(p.rest) == 0 && p.err == nil {
			p.empty <- p.whole
		}
	}
	n := copy(dst, p.rest)
	p.rest = p.rest[n:]
	if len(p.rest) == 0 && p.err == nil {
		p.empty <- p.whole
	}
	return n, nil
}

// Ready reports whether Read would return at once.
func (p *Reader) Ready() bool {
	return len(p.kept) > 0 || len(p.rest) > 0 || p.err != nil || len(p.full) > 0
}

// Sample returns the first bytes, which Read will give again; whole says that the
// input ends behind them. It ends with size bytes, or more than lines line feeds,
// or when nothing has come for the time of wait; but for two lines it waits until ctx
// ends.
func (p *Reader) Sample(ctx context.Context, size, lines int, wait time.Duration) (sample []byte, whole bool, err error) {
	buf := make([]byte, chunk)
	for len(p.kept) < size {
		n := bytes.Count(p.kept, []byte{'\n'})
		if n > lines {
			break
		}
		waiting, cancel := ctx, context.CancelFunc(func() {})
		if n >= 2 {
			waiting, cancel = context.WithTimeout(ctx, wait)
		}
		n, err := p.receive(waiting, buf)
		cancel()
		p.kept = append(p.kept, buf[:n]...)
		if err != nil && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err == io.EOF {
			return p.kept[:min(len(p.kept), size)], len(p.kept) <= size, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return p.kept[:min(len(p.kept), size)], false, nil
}

// Close ends the reading. A read of the underlying reader that waits, and that
// its close does not end, is left behind; what it may bring is dropped.
func (p *Reader) Close() error {
	var err error
	p.once.Do(func() {
		close(p.stop)
		if p.close != nil {
			err = p.close()
		}
	})
	return err
}
