package pipe_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"streamsql/connector/pipe"
)

func TestReadAll(t *testing.T) {
	data := strings.Repeat("0123456789", 100_000)
	for _, in := range []io.Reader{strings.NewReader(data), iotest.DataErrReader(strings.NewReader(data)), iotest.HalfReader(strings.NewReader(data))} {
		p := pipe.New(in, nil)
		var got strings.Builder
		buf := make([]byte, 12345)
		for {
			n, err := p.Read(context.Background(), buf)
			got.Write(buf[:n])
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != data {
			t.Errorf("%d bytes, want %d", got.Len(), len(data))
		}
		if _, err := p.Read(context.Background(), buf); err != io.EOF || !p.Ready() {
			t.Errorf("after the end: %v, ready %v", err, p.Ready())
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestErrorComesBehindData(t *testing.T) {
	fault := errors.New("fault")
	p := pipe.New(io.MultiReader(strings.NewReader("x"), iotest.ErrReader(fault)), nil)
	defer p.Close()
	buf := make([]byte, 9)
	if n, err := p.Read(context.Background(), buf); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := p.Read(context.Background(), buf); !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
}

// TestCancel: a read that waits ends with its context, and loses nothing.
func TestCancel(t *testing.T) {
	r, w := io.Pipe()
	p := pipe.New(r, r.Close)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := p.Read(ctx, make([]byte, 9))
		done <- err
	}()
	if p.Ready() {
		t.Error("ready without data")
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := w.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 2)
	for _, want := range []string{"ab", "c"} {
		if n, err := p.Read(context.Background(), buf); err != nil || string(buf[:n]) != want {
			t.Errorf("%q, %v", buf[:n], err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the reader is not closed: %v", err)
	}
}
