package filesystem

import (
	"context"
	"io"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/format"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Infer guesses the columns of a file, folder or pattern from the start of its
// first file that holds something. It returns them with the options of a table
// over it; given are further options that are known. A pipe is waited for until ctx
// ends.
func Infer(ctx context.Context, path string, o csv.InferOptions, given ...connector.Option) (stream.Schema, []connector.Option, error) {
	o = o.WithDefaults()
	clean, err := localPath(path, diag.Span{})
	if err != nil {
		return stream.Schema{}, nil, err
	}
	files, err := list(clean)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	if len(files) == 0 {
		return stream.Schema{}, nil, diag.New(diag.UndefinedTable, diag.Span{}, "folder %q has no files", path)
	}
	var rest []connector.Option
	for _, g := range given {
		if g.Key != "connector" && g.Key != "path" {
			rest = append(rest, g)
		}
	}
	sample, whole, name := []byte(nil), true, files[0].path
	for _, f := range files {
		if f.live {
			sample, whole, err = sampled.sample(ctx, f.path, o)
		} else {
			sample, whole, err = f.head(o.Bytes)
		}
		if err != nil {
			return stream.Schema{}, nil, f.fault(err)
		}
		if name = f.path; len(sample) > 0 {
			break
		}
	}
	schema, opts, err := format.Infer(name, sample, whole, o, rest)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	return schema, append([]connector.Option{{Key: "connector", Value: "filesystem"}, {Key: "path", Value: path}}, opts...), nil
}

// head reads the first n bytes of the file; whole says that this is all.
func (f file) head(n int) (b []byte, whole bool, err error) {
	ctx := context.Background()
	s, err := f.open(ctx, 0)
	if err != nil {
		return nil, false, err
	}
	b = make([]byte, n)
	k := 0
	for k < n && err == nil {
		var m int
		m, err = s.Read(ctx, b[k:])
		k += m
	}
	whole = err == io.EOF
	if cerr := s.Close(); cerr != nil && (err == nil || whole) {
		return nil, false, f.fault(cerr)
	}
	if err != nil && !whole {
		return nil, false, f.fault(err)
	}
	return b[:k], whole, nil
}
