package raw_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector"
	"streamsql/connector/raw"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// memory gives its bytes, then fault, or the end where that is nil.
type memory struct {
	rest  string
	fault error
}

func (m *memory) Read(_ context.Context, p []byte) (int, error) {
	if m.rest == "" && m.fault != nil {
		return 0, m.fault
	}
	if m.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}
func (m *memory) Ready() bool  { return true }
func (m *memory) Close() error { return nil }

func open(t *testing.T, typ types.Type, data string, fault error, o connector.OpenOptions) *text.Reader {
	t.Helper()
	dec, err := raw.NewDecoder(stream.Schema{Fields: []stream.Field{{Name: "l", Type: typ}}}, o.Columns)
	if err != nil {
		t.Fatal(err)
	}
	r, err := text.NewReader([]text.Input{{Name: "t.txt", Size: int64(len(data)), Open: func(_ context.Context, at int64) (text.Stream, error) {
		return &memory{data[at:], fault}, nil
	}}}, dec, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines reads everything, with a new reader behind every batch if restart is set.
func lines(t *testing.T, typ types.Type, data string, fault error, o connector.OpenOptions, restart bool) ([]string, error) {
	t.Helper()
	var out []string
	r := open(t, typ, data, fault, o)
	for {
		var b stream.Batch
		if err := r.Next(context.Background(), &b); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, err
		}
		for i := range b.N {
			_, line := b.OriginOf(i)
			out = append(out, fmt.Sprintf("%d %s", line, b.Cols[0].Bytes(i)))
		}
		if restart {
			o.From = r.Position()
			r = open(t, typ, data, fault, o)
		}
	}
}

func TestLines(t *testing.T) {
	data := "a\r\n\nb\rc\n" + strings.Repeat("x", 100_000) + "\nlast"
	want := []string{"1 a", "2 ", "3 b\rc", "4 " + strings.Repeat("x", 100_000), "5 last"}
	for _, chunk := range []int{1, 2, 7, 1 << 16} {
		for _, batch := range []int{1, 2, 100} {
			for _, restart := range []bool{false, true} {
				got, err := lines(t, types.Of(types.Varchar), data, nil, connector.OpenOptions{Columns: []int{0}, BatchSize: batch, ReadBuffer: chunk}, restart)
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Fatalf("chunk %d, batch %d, restart %v: %v -want +got\n%s", chunk, batch, restart, err, diff)
				}
			}
		}
	}
}

// TestLimitIsExact: the limit counts the bytes of a line without its end, whatever the
// read buffer.
func TestLimitIsExact(t *testing.T) {
	for _, c := range []struct {
		size int
		end  string
		rows int
	}{{text.MaxRecord, "\n", 2}, {text.MaxRecord, "\r\n", 2}, {text.MaxRecord + 1, "\n", 0}, {text.MaxRecord + 1, "\r\n", 0}, {text.MaxRecord + 12, "\n", 0}} {
		for _, chunk := range []int{1000, 32 << 20} {
			got, err := lines(t, types.Of(types.Varchar), strings.Repeat("x", c.size)+c.end+"a\n", nil, connector.OpenOptions{Columns: []int{0}, BatchSize: 9, ReadBuffer: chunk}, false)
			if len(got) != c.rows || (err != nil) != (c.rows == 0) || err != nil && !strings.Contains(err.Error(), "line is longer than 16 MiB") {
				t.Errorf("%d bytes and %q, chunk %d: %d rows, error %v", c.size, c.end, chunk, len(got), err)
			}
		}
	}
}

// TestFaults: rows before a fault come first, then the fault, again and again.
func TestFaults(t *testing.T) {
	o := connector.OpenOptions{Columns: []int{0}, BatchSize: 100}
	got, err := lines(t, types.Of(types.Varchar), "a\n\xff\n", nil, o, false)
	if e := diag.As(err); len(got) != 1 || e == nil || e.Code != diag.Decode || !strings.Contains(e.Msg, `t.txt:2: column "l": is not UTF-8`) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := lines(t, types.Of(types.Varbinary), "a\n\xff\n", nil, o, false); err != nil || len(got) != 2 {
		t.Errorf("BYTES: %q, %v", got, err)
	}
	broken := errors.New("broken disk")
	r := open(t, types.Of(types.Varchar), "a\nb", broken, o)
	var b stream.Batch
	if err := r.Next(context.Background(), &b); err != nil || b.N != 1 {
		t.Fatalf("%d rows, %v", b.N, err)
	}
	for range 2 {
		b.Clear()
		if err := r.Next(context.Background(), &b); !errors.Is(err, broken) || diag.As(err).Code != diag.IO {
			t.Errorf("%v", err)
		}
	}
	if c := r.Counts(); c.Delivered != 1 || c.Bytes != 3 || c.TotalBytes != 3 {
		t.Errorf("counts %+v", c)
	}
}

// TestCanceled: a canceled call loses nothing.
func TestCanceled(t *testing.T) {
	r := open(t, types.Of(types.Varchar), "a\n", nil, connector.OpenOptions{Columns: []int{0}, BatchSize: 100})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var b stream.Batch
	if err := r.Next(ctx, &b); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if err := r.Next(context.Background(), &b); err != nil || b.N != 1 {
		t.Fatalf("%d rows, %v", b.N, err)
	}
}
