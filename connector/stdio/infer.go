package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Infer guesses the columns of the input from its first rows, which are kept for
// the query. It waits for two lines, and from then on only while more arrives.
func (f *Factory) Infer(o csv.InferOptions, given ...connector.Option) (stream.Schema, []connector.Option, error) {
	o = o.WithDefaults()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.guess != nil && f.guess.header == o.Header {
		return f.guess.schema, f.guess.options, nil
	}
	if f.opened {
		return stream.Schema{}, nil, diag.New(diag.IO, diag.Span{}, "stdin has been read by an earlier query").
			WithHint("save it in a file first, and query the file")
	}
	f.start()
	whole, err := f.sample(o)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	schema, opts, err := csv.Infer(name, f.prefix[:min(len(f.prefix), o.Bytes)], whole && len(f.prefix) <= o.Bytes, o, given)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	opts = append([]connector.Option{{Key: "connector", Value: name}, {Key: "format", Value: "csv"}}, opts...)
	f.guess = &guess{o.Header, schema, opts}
	return schema, opts, nil
}

// sample reads into the prefix until one of the bounds is reached; whole says
// that the input has ended.
func (f *Factory) sample(o csv.InferOptions) (whole bool, err error) {
	buf := make([]byte, 64<<10)
	for len(f.prefix) < o.Bytes && bytes.Count(f.prefix, []byte{'\n'}) <= o.Rows {
		ctx, cancel := context.Background(), context.CancelFunc(func() {})
		if bytes.Count(f.prefix, []byte{'\n'}) >= 2 {
			ctx, cancel = context.WithTimeout(ctx, o.Wait)
		}
		n, err := f.pipe.Read(ctx, buf)
		cancel()
		f.prefix = append(f.prefix, buf[:n]...)
		switch {
		case err == io.EOF:
			return true, nil
		case errors.Is(err, context.DeadlineExceeded):
			return false, nil
		case err != nil:
			return false, diag.New(diag.IO, diag.Span{}, "cannot read stdin").Wrap(err)
		}
	}
	return false, nil
}
