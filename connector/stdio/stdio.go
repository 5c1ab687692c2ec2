package stdio

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"streamsql/connector"
	"streamsql/connector/format"
	"streamsql/connector/pipe"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// name is the connector, and the input in messages.
const name = "stdin"

// Factory makes tables over one input. All of them share it, so the first one
// that is opened gets it.
type Factory struct {
	in func() io.Reader

	mu     sync.Mutex
	pipe   *pipe.Reader // started
	opened bool
	guess  *guess
}

// guess is the inferred table: the sample is taken once.
type guess struct {
	header  string
	schema  stream.Schema
	options []connector.Option
}

// New returns the factory of the connector "stdin"; in gives the input when it is
// first needed.
func New(in func() io.Reader) connector.Factory { return &Factory{in: in} }

// Name implements connector.Factory.
func (f *Factory) Name() string { return name }

// Sink implements connector.Factory.
func (f *Factory) Sink(t connector.Table) (connector.Sink, error) {
	return nil, diag.New(diag.Unsupported, t.Span, "table %q cannot be written: connector \"stdin\" only reads", t.Name).
		WithHint("write to a table with connector \"print\"").Wrap(connector.ErrNotSupported)
}

// Source implements connector.Factory.
func (f *Factory) Source(t connector.Table) (connector.Source, error) {
	kind := connector.Option{Key: "format", Value: "csv"}
	var rest []connector.Option
	for _, o := range t.Options {
		switch o.Key {
		case "connector":
		case "format":
			kind = o
		default:
			rest = append(rest, o)
		}
	}
	if len(t.Schema.Fields) == 0 {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q has no columns", t.Name).
			WithHint("declare its columns, or read the table stdin, whose columns are inferred")
	}
	form, err := format.New(format.Request{Connector: name, Format: kind, Options: rest, Known: []string{"format"}, Schema: t.Schema})
	if err != nil {
		return nil, err
	}
	return &source{factory: f, schema: t.Schema, format: form}, nil
}

type source struct {
	factory *Factory
	schema  stream.Schema
	format  *format.Format
}

// Schema implements connector.Source.
func (s *source) Schema() stream.Schema { return s.schema }

// Traits implements connector.Source.
func (s *source) Traits() connector.Traits {
	return connector.Traits{Bounded: true, Live: live(s.factory.in())}
}

// live reports whether somebody may still be writing what the reader reads.
func live(r io.Reader) bool {
	switch r := r.(type) {
	case *strings.Reader, *bytes.Reader, *bytes.Buffer:
		return false
	case *os.File:
		info, err := r.Stat()
		return err != nil || info.Mode()&fs.ModeType != 0
	}
	return true
}

// Open implements connector.Source.
func (s *source) Open(_ context.Context, o connector.OpenOptions) (connector.Reader, error) {
	dec, err := s.format.Decoder(o)
	if err != nil {
		return nil, err
	}
	in, err := s.factory.take()
	if err != nil {
		return nil, err
	}
	return text.Open([]text.Input{{Name: name, Open: func(_ context.Context, offset int64) (text.Stream, error) {
		if offset > 0 {
			return nil, diag.New(diag.IO, diag.Span{}, "cannot go on in the middle of stdin")
		}
		return in, nil
	}}}, dec, o)
}

// take hands the input out, once.
func (f *Factory) take() (*pipe.Reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opened {
		return nil, errRead()
	}
	f.opened = true
	f.start()
	return f.pipe, nil
}

func errRead() error {
	return diag.New(diag.IO, diag.Span{}, "stdin has been read by an earlier query").
		WithHint("save it in a file first, and query the file")
}

func (f *Factory) start() {
	if f.pipe == nil {
		f.pipe = pipe.New(f.in(), nil) // it is not ours to close
	}
}
