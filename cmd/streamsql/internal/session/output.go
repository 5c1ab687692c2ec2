package session

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// Output is standard output, shared by results and the print connector. It
// remembers that a write failed: after that nothing more is written.
type Output struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewOutput returns an Output on w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// errOutputClosed says that whoever reads the output wants no more. That is no
// fault: head has its lines.
var errOutputClosed = errors.New("the output is closed")

// Write writes p at once.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.err = fmt.Errorf("cannot write the output: %w", err)
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
			o.err = errOutputClosed
		}
	}
	return n, o.err
}

// Err is what made writing fail, or nil.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Closed reports whether the reader of the output has gone.
func (o *Output) Closed() bool { return errors.Is(o.Err(), errOutputClosed) }
