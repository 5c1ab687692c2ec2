package text_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/text"
	"streamsql/connector/text/texttest"
	"streamsql/stream"
)

// claimed is an input that says it has more bytes than it has. If it shrinks, that is
// because they are taken away while it is read.
type claimed struct {
	text.Random
	says, have atomic.Int64
	shrinks    bool
}

func (c *claimed) Size() int64 { return c.says.Load() }

func (c *claimed) Read(ctx context.Context, p []byte) (int, error) {
	n, err := c.Random.Read(ctx, p)
	return n, c.seen(err)
}

func (c *claimed) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.Random.ReadAt(p, offset)
	return n, c.seen(err)
}

func (c *claimed) seen(err error) error {
	if err == io.EOF && c.shrinks {
		c.says.Store(c.have.Load())
	}
	return err
}

// TestOtherSize: files like those of /sys say more bytes than they have, and end where
// they end. One that has become shorter since it was opened is an error. Both do not
// depend on the number of workers.
func TestOtherSize(t *testing.T) {
	for _, rows := range []int{0, 1, 5, 1000} {
		for _, more := range []int64{1, 63, 64, 200, 4096, 30_000} {
			for _, chunk := range []int{1, 64, 100, 1 << 16} {
				for _, workers := range []int{1, 2} {
					for _, shrinks := range []bool{false, true} {
						if chunk == 1 && rows+int(more) > 300 {
							continue // takes long
						}
						got, err := readClaimed(t, rows, more, chunk, workers, shrinks)
						where := fmt.Sprintf("%d rows, %d bytes more, reads of %d, %d workers, shrinks %v", rows, more, chunk, workers, shrinks)
						switch {
						case !shrinks && (err != io.EOF || got != rows+2):
							t.Errorf("%s: %d rows, error %v", where, got, err)
						case shrinks && (err == io.EOF || !strings.Contains(err.Error(), "has become shorter while it was being read") || got > rows):
							t.Errorf("%s: %d rows, error %v", where, got, err)
						}
					}
				}
			}
		}
	}
}

// readClaimed returns the number of rows of an input of rows and one without a line end,
// and of a second input with one row, and why reading ended.
func readClaimed(t *testing.T, rows int, more int64, chunk, workers int, shrinks bool) (n int, err error) {
	t.Helper()
	schema := texttest.Schema("a int, b text")
	options, err := csv.ParseOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := csv.NewDecoder(schema, []int{0, 1}, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	data := strings.Repeat("1,x\n", rows) + "2,y"
	in := texttest.RandomInput("f", data)
	open := in.Open
	in.Open = func(ctx context.Context, offset int64) (text.Stream, error) {
		s, err := open(ctx, offset)
		c := &claimed{Random: s.(text.Random), shrinks: shrinks}
		c.have.Store(int64(len(data)))
		c.says.Store(int64(len(data)) + more)
		return c, err
	}
	r, err := text.Open([]text.Input{in, texttest.RandomInput("g", "3,z")}, dec,
		connector.OpenOptions{BatchSize: 7, ReadBuffer: chunk, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	var b stream.Batch
	for err == nil {
		b.Clear()
		err = r.Next(t.Context(), &b)
		n += b.N
	}
	if cerr := r.Close(); cerr != nil {
		err = errors.Join(err, cerr)
	}
	return n, err
}
