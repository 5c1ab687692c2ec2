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
	"streamsql/connector/csv"
	"streamsql/connector/pipe"
	"streamsql/connector/raw"
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
	s := &source{factory: f, schema: t.Schema, format: "csv"}
	var rest []connector.Option
	for _, o := range t.Options {
		switch o.Key {
		case "connector":
		case "format":
			if s.format = o.Value; s.format != "csv" && s.format != "raw" {
				return nil, diag.New(diag.Unsupported, o.ValueSpan, "format %q is not supported", s.format).
					DidYouMean(s.format, []string{"csv", "raw"}, "the formats are 'csv' and 'raw'")
			}
		default:
			rest = append(rest, o)
		}
	}
	for _, o := range rest {
		if s.format == "raw" || !strings.HasPrefix(o.Key, csv.Prefix) {
			return nil, diag.New(diag.UndefinedOption, o.KeySpan, "connector \"stdin\" with format %q has no option %q", s.format, o.Key).
				DidYouMean(o.Key, append(csv.OptionNames(), "format"), "remove the option")
		}
	}
	if len(t.Schema.Fields) == 0 {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q has no columns", t.Name).
			WithHint("declare its columns, or read the table stdin, whose columns are inferred")
	}
	var err error
	if s.format == "raw" {
		return s, raw.Check(s.schema)
	}
	if s.csv, err = csv.ParseOptions(rest); err != nil {
		return nil, err
	}
	return s, csv.Check(s.schema)
}

type source struct {
	factory *Factory
	schema  stream.Schema
	format  string
	csv     csv.Options
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
	var dec text.Decoder
	var err error
	if s.format == "raw" {
		dec, err = raw.NewDecoder(s.schema, o.Columns)
	} else {
		dec, err = csv.NewDecoder(s.schema, o.Columns, s.csv, o.Bad)
	}
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
