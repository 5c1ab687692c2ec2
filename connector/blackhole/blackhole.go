package blackhole

import (
	"context"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Factory makes sinks that drop their rows.
type Factory struct{}

// New returns the factory of the connector "blackhole".
func New() connector.Factory { return Factory{} }

// Name implements connector.Factory.
func (Factory) Name() string { return "blackhole" }

// Source implements connector.Factory.
func (Factory) Source(t connector.Table) (connector.Source, error) {
	return nil, diag.New(diag.Unsupported, t.Span, "table %q cannot be read: connector \"blackhole\" only writes", t.Name).
		WithHint("write the rows to a folder, 'connector' = 'filesystem', which can be read").Wrap(connector.ErrNotSupported)
}

// Sink implements connector.Factory.
func (Factory) Sink(t connector.Table) (connector.Sink, error) {
	for _, o := range t.Options {
		if o.Key != "connector" {
			return nil, diag.New(diag.UndefinedOption, o.KeySpan, "connector \"blackhole\" has no option %q", o.Key).
				WithHint("remove the option")
		}
	}
	return sink{}, nil
}

type sink struct{}

// Traits implements connector.Sink.
func (sink) Traits() connector.SinkTraits { return connector.SinkTraits{Retract: true, Upsert: true} }

// Open implements connector.Sink.
func (sink) Open(context.Context) (connector.Writer, error) { return writer{}, nil }

type writer struct{}

// Write implements connector.Writer.
func (writer) Write(context.Context, *stream.Batch) error { return nil }

// Flush implements connector.Writer.
func (writer) Flush(context.Context) error { return nil }

// Close implements connector.Writer.
func (writer) Close(bool) error { return nil }
