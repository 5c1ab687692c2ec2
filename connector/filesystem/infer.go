package filesystem

import (
	"context"
	"io"
	"strings"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Infer guesses the columns of a file, folder or pattern from the start of its
// first file that holds something. It returns them with the options of a table
// over it; given are further options that are known.
func Infer(path string, o csv.InferOptions, given ...connector.Option) (stream.Schema, []connector.Option, error) {
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
	var format []connector.Option
	for _, g := range given {
		switch {
		case g.Key == "format" && g.Value != "csv":
			return stream.Schema{}, nil, diag.New(diag.Unsupported, g.ValueSpan, "the columns of format %q cannot be inferred", g.Value).
				WithHint("declare the columns with CREATE TABLE")
		case g.Key == "connector" || g.Key == "path" || g.Key == "format":
		default:
			format = append(format, g)
		}
	}
	sample, whole, name := []byte(nil), true, files[0].path
	for _, f := range files {
		if f.live {
			sample, whole, err = sampled.sample(f.path, o)
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
	if err := readable(name); err != nil {
		return stream.Schema{}, nil, err
	}
	schema, opts, err := csv.Infer(name, sample, whole, o, format)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	return schema, append([]connector.Option{
		{Key: "connector", Value: "filesystem"}, {Key: "path", Value: path}, {Key: "format", Value: "csv"},
	}, opts...), nil
}

// readable refuses files whose names say that they are no csv.
func readable(path string) error {
	for _, ext := range []string{".json", ".ndjson", ".jsonl", ".parquet", ".arrow", ".avro", ".orc", ".xlsx"} {
		if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ext) {
			return diag.New(diag.Unsupported, diag.Span{}, "%q: files of kind %s are not supported", path, ext).
				WithHint("convert the file to csv")
		}
	}
	return nil
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
