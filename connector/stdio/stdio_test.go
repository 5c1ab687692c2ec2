package stdio_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/stdio"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

func factory(r io.Reader) *stdio.Factory {
	return stdio.New(func() io.Reader { return r }).(*stdio.Factory)
}

func declared(opts ...connector.Option) connector.Table {
	return connector.Table{Name: "t", Schema: stream.Schema{Fields: []stream.Field{{Name: "a", Type: types.Of(types.Int)}}}, Options: opts}
}

func open(t *testing.T, f *stdio.Factory, tab connector.Table) connector.Reader {
	t.Helper()
	s, err := f.Source(tab)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(context.Background(), connector.OpenOptions{Columns: []int{0}, BatchSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestAtOnce: rows come as they arrive, a half row waits, a wait can be canceled.
func TestAtOnce(t *testing.T) {
	pr, pw := io.Pipe()
	r := open(t, factory(pr), declared())
	ctx := timeout(t)
	var b stream.Batch
	for _, c := range []struct {
		send string
		rows int
	}{{"1\n2\n3", 2}, {"3\n", 1}} {
		go func() {
			if _, err := io.WriteString(pw, c.send); err != nil {
				t.Error(err)
			}
		}()
		b.Clear()
		if err := r.Next(ctx, &b); err != nil || b.N != c.rows {
			t.Fatalf("%q: %d rows, %v", c.send, b.N, err)
		}
	}
	if got := stream.Values[int32](&b.Cols[0])[0]; got != 33 {
		t.Errorf("the row that was cut is %d", got)
	}
	stopped, stop := context.WithCancel(ctx)
	done := make(chan error)
	go func() {
		var none stream.Batch
		done <- r.Next(stopped, &none)
	}()
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled wait: %v", err)
	}
	if err := pw.Close(); err != nil {
		t.Fatal(err)
	}
	b.Clear()
	if err := r.Next(ctx, &b); err != io.EOF {
		t.Errorf("end: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestOnlyOnce(t *testing.T) {
	f := factory(strings.NewReader("1\n"))
	open(t, f, declared())
	s, err := f.Source(declared())
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Open(context.Background(), connector.OpenOptions{Columns: []int{0}, BatchSize: 1})
	if e := diag.As(err); e == nil || !strings.Contains(e.Msg, "has been read") || e.Hint == "" {
		t.Errorf("second reading: %v", err)
	}
	if _, _, err := f.Infer(t.Context(), csv.InferOptions{}); err == nil {
		t.Error("columns are inferred after the reading")
	}
}

// TestInfer: the sample is taken while the writer waits for an answer, once, and
// is replayed.
func TestInfer(t *testing.T) {
	pr, pw := io.Pipe()
	f := factory(pr)
	go func() {
		for _, part := range []string{"id,na", "me\n", "1,x\n"} {
			if _, err := io.WriteString(pw, part); err != nil {
				t.Error(err)
			}
		}
	}()
	var tab connector.Table
	for range 2 {
		schema, opts, err := f.Infer(t.Context(), csv.InferOptions{Wait: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if n := schema.Names(); len(n) != 2 || n[0] != "id" || n[1] != "name" || schema.Fields[0].Type.Kind != types.BigInt {
			t.Fatalf("columns %v", schema)
		}
		tab = connector.Table{Name: "stdin", Schema: schema, Options: opts}
	}
	r := open(t, f, tab)
	var b stream.Batch
	go func() {
		if _, err := io.WriteString(pw, "2,y\n"); err != nil {
			t.Error(err)
		}
		pw.Close()
	}()
	var got []int64
	for {
		b.Clear()
		err := r.Next(timeout(t), &b)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, stream.Values[int64](&b.Cols[0])...)
	}
	if len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("rows %v", got)
	}
}

// TestInferJSON: input that starts with a brace is JSON lines.
func TestInferJSON(t *testing.T) {
	f := factory(strings.NewReader("\n {\"id\":7,\"name\":\"x\"}\n{\"id\":8}\n"))
	schema, opts, err := f.Infer(t.Context(), csv.InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := schema.Names(); len(n) != 2 || n[0] != "id" || n[1] != "name" || schema.Fields[0].Type.Kind != types.BigInt {
		t.Fatalf("columns %v", schema)
	}
	r := open(t, f, connector.Table{Name: "stdin", Schema: schema, Options: opts})
	var b stream.Batch
	if err := r.Next(timeout(t), &b); err != nil || b.N != 2 || stream.Values[int64](&b.Cols[0])[1] != 8 {
		t.Errorf("%d rows, %v", b.N, err)
	}
}

func TestTraits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pr, _ := io.Pipe()
	for name, c := range map[string]struct {
		in   io.Reader
		live bool
	}{"text": {strings.NewReader(""), false}, "file": {file, false}, "pipe": {pr, true}} {
		s, err := factory(c.in).Source(declared())
		if err != nil {
			t.Fatal(err)
		}
		if tr := s.Traits(); tr.Live != c.live || !tr.Bounded {
			t.Errorf("%s: %+v", name, tr)
		}
	}
}

func TestErrors(t *testing.T) {
	f := factory(strings.NewReader(""))
	if _, err := f.Sink(declared()); !errors.Is(err, connector.ErrNotSupported) {
		t.Errorf("sink: %v", err)
	}
	for _, o := range []connector.Option{{Key: "path", Value: "x"}, {Key: "format", Value: "jsno"}, {Key: "csv.hedaer", Value: "true"}} {
		if _, err := f.Source(declared(o)); diag.As(err) == nil {
			t.Errorf("option %s: %v", o.Key, err)
		}
	}
	if _, _, err := f.Infer(t.Context(), csv.InferOptions{}); err == nil || !strings.Contains(err.Error(), "stdin is empty") {
		t.Errorf("empty input: %v", err)
	}
}
