package format

import (
	"path/filepath"
	"strings"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/json"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Infer guesses the columns of an input from a sample of it; file names it, whole
// says that nothing follows the sample, given are options that are known. It
// returns the columns, and the options with which the input is to be read, the
// format first.
func Infer(file string, sample []byte, whole bool, o csv.InferOptions, given []connector.Option) (stream.Schema, []connector.Option, error) {
	name, rest, err := choose(file, sample, given)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	o = o.WithDefaults()
	var schema stream.Schema
	var opts []connector.Option
	if name == "json" {
		schema, opts, err = json.Infer(file, sample, whole, o.Rows, rest)
	} else {
		schema, opts, err = csv.Infer(file, sample, whole, o, rest)
	}
	return schema, append([]connector.Option{{Key: "format", Value: name}}, opts...), err
}

// choose finds the format of an input: the one that is given, or that of the
// options given, or that of the file's name, or what the sample looks like. rest
// are the options without the format.
func choose(file string, sample []byte, given []connector.Option) (name string, rest []connector.Option, err error) {
	for _, g := range given {
		prefix, _, _ := strings.Cut(g.Key, ".")
		switch {
		case g.Key == "format" && g.Value != "csv" && g.Value != "json":
			return "", nil, diag.New(diag.Unsupported, g.ValueSpan, "the columns of format %q cannot be inferred", g.Value).
				WithHint("declare the columns with CREATE TABLE")
		case g.Key == "format":
			name = g.Value
			continue
		case name == "" && (prefix == "csv" || prefix == "json"):
			name = prefix
		}
		rest = append(rest, g)
	}
	if name != "" {
		return name, rest, nil
	}
	switch ext := strings.ToLower(Extension(file)); ext {
	case ".json", ".jsonl", ".ndjson":
		return "json", rest, nil
	case ".csv", ".tsv", ".tab":
		return "csv", rest, nil
	case ".parquet", ".arrow", ".avro", ".orc", ".xlsx":
		return "", nil, diag.New(diag.Unsupported, diag.Span{}, "%q: files of kind %s are not supported", file, ext).
			WithHint("convert the file to csv")
	}
	if json.Looks(sample) {
		return "json", rest, nil
	}
	return "csv", rest, nil
}

// Extension returns the extension of a file's name, without that of its
// compression.
func Extension(file string) string { return filepath.Ext(unpacked(file)) }

// TableName is the name of a file without its folder and the extension of a text
// format.
func TableName(file string) string {
	name := filepath.Base(unpacked(file))
	switch ext := filepath.Ext(name); ext {
	case ".csv", ".json", ".jsonl", ".ndjson":
		return strings.TrimSuffix(name, ext)
	}
	return name
}

func unpacked(file string) string {
	for _, c := range []string{".gz", ".bz2", ".deflate"} {
		file = strings.TrimSuffix(file, c)
	}
	return file
}
