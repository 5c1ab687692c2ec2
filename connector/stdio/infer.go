package stdio

import (
	"context"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/format"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Infer guesses the columns of the input from its first rows, which are kept for
// the query. It waits for two lines until ctx ends, and from then on only while more
// arrives.
func (f *Factory) Infer(ctx context.Context, o csv.InferOptions, given ...connector.Option) (stream.Schema, []connector.Option, error) {
	o = o.WithDefaults()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.guess != nil && f.guess.header == o.Header {
		return f.guess.schema, f.guess.options, nil
	}
	if f.opened {
		return stream.Schema{}, nil, errRead()
	}
	f.start()
	sample, whole, err := f.pipe.Sample(ctx, o.Bytes, o.Rows, o.Wait)
	if err != nil {
		return stream.Schema{}, nil, diag.New(diag.IO, diag.Span{}, "cannot read stdin").Wrap(err)
	}
	schema, opts, err := format.Infer(name, sample, whole, o, given)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	opts = append([]connector.Option{{Key: "connector", Value: name}}, opts...)
	f.guess = &guess{o.Header, schema, opts}
	return schema, opts, nil
}
