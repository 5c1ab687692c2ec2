//go:build unix

package streamsql

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A query over a pipe whose columns are to be guessed waits for its first lines, but
// no longer than its context; the next query still gets what comes then.
func TestGuessEndsWithContext(t *testing.T) {
	r, w := io.Pipe()
	e, err := Open(WithStdin(r))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for _, table := range []string{"stdin", "'" + fifo + "'"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := e.Query(ctx, "SELECT * FROM "+table)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", table, err)
		}
	}
	if f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close() // lets go what still waits to open it
	}
	go func() {
		io.WriteString(w, "a\n1\n2\n")
		w.Close()
	}()
	q, err := e.Query(t.Context(), "SELECT a FROM stdin")
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := Collect[int64](q); err != nil || len(rows) != 2 {
		t.Errorf("%v, %v", rows, err)
	}
}
