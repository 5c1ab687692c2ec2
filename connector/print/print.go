package print

import (
	"context"
	"io"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Factory makes sinks that print.
type Factory struct {
	out func() io.Writer
}

// New returns the factory of the connector "print"; out gives the writer when a
// sink is opened.
func New(out func() io.Writer) connector.Factory { return Factory{out} }

// Name implements connector.Factory.
func (Factory) Name() string { return "print" }

// Source implements connector.Factory.
func (Factory) Source(t connector.Table) (connector.Source, error) {
	return nil, diag.New(diag.Unsupported, t.Span, "table %q cannot be read: connector \"print\" only writes", t.Name).
		WithHint("write the rows to a folder, 'connector' = 'filesystem', which can be read").Wrap(connector.ErrNotSupported)
}

// Sink implements connector.Factory.
func (f Factory) Sink(t connector.Table) (connector.Sink, error) {
	s := &sink{out: f.out}
	for _, o := range t.Options {
		switch o.Key {
		case "connector", "sink.parallelism":
		case "print-identifier":
			s.prefix = o.Value
		case "standard-error":
			if o.Value != "false" {
				return nil, diag.New(diag.Unsupported, o.KeySpan, "option \"standard-error\" of connector \"print\" is not supported").
					WithHint("remove the option")
			}
		default:
			return nil, diag.New(diag.UndefinedOption, o.KeySpan, "connector \"print\" has no option %q", o.Key).
				DidYouMean(o.Key, []string{"print-identifier", "standard-error", "sink.parallelism"}, "remove the option")
		}
	}
	return s, nil
}

type sink struct {
	out    func() io.Writer
	prefix string
}

// Traits implements connector.Sink.
func (s *sink) Traits() connector.SinkTraits { return connector.SinkTraits{Retract: true} }

// Open implements connector.Sink.
func (s *sink) Open(context.Context) (connector.Writer, error) {
	w := &writer{out: s.out()}
	if s.prefix != "" {
		w.prefix = s.prefix + "> "
	}
	return w, nil
}

// writer prints the changes of a batch with one write.
type writer struct {
	out    io.Writer
	prefix string
	buf    []byte
}

// Write implements connector.Writer.
func (w *writer) Write(_ context.Context, b *stream.Batch) error {
	w.buf = w.buf[:0]
	for k := range b.Live() {
		i := k
		if b.Sel != nil {
			i = int(b.Sel[k])
		}
		w.buf = append(w.buf, w.prefix...)
		w.buf = append(w.buf, b.Kind(i).String()...)
		w.buf = append(w.buf, '[')
		for c := range b.Cols {
			if c > 0 {
				w.buf = append(w.buf, ", "...)
			}
			w.buf = appendValue(w.buf, &b.Cols[c], i)
		}
		w.buf = append(w.buf, "]\n"...)
	}
	if len(w.buf) == 0 {
		return nil
	}
	if _, err := w.out.Write(w.buf); err != nil {
		return diag.New(diag.IO, diag.Span{}, "connector \"print\" cannot write").Wrap(err)
	}
	return nil
}

// Flush implements connector.Writer.
func (w *writer) Flush(context.Context) error { return nil }

// Close implements connector.Writer.
func (w *writer) Close(bool) error { return nil }
