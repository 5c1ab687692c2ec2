package filesystem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/raw"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Factory makes tables of files.
type Factory struct{}

// New returns the factory of the connector "filesystem".
func New() connector.Factory { return Factory{} }

// Name implements connector.Factory.
func (Factory) Name() string { return "filesystem" }

// Source implements connector.Factory.
func (Factory) Source(t connector.Table) (connector.Source, error) {
	s, err := parse(t)
	if err != nil {
		return nil, err
	}
	if len(s.schema.Fields) == 0 {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q has no columns", t.Name).
			WithHint("declare its columns, or query the file itself: FROM '%s'", s.path)
	}
	if info, err := os.Stat(s.path); err == nil {
		s.live = describe(s.path, info).live
	}
	return s, nil
}

// Sink implements connector.Factory.
func (Factory) Sink(t connector.Table) (connector.Sink, error) {
	s, err := parse(t)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(s.path); err == nil && !info.IsDir() {
		return nil, diag.New(diag.InvalidArgument, s.span, "path %q is a file: a table is written as files of a folder", s.path).
			WithHint("name a folder, or a path that does not exist")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diag.New(diag.IO, s.span, "cannot use %q", s.path).Wrap(bare(err))
	}
	return &sink{table: s}, nil
}

// table is a checked definition. It implements connector.Source.
type table struct {
	name   string
	path   string
	span   diag.Span // of the path
	format string
	schema stream.Schema
	csv    csv.Options
	live   bool
}

// without is what has a meaning on a cluster but changes no row here.
var without = []string{
	"source.report-statistics", "source.parallelism", "sink.parallelism", "sink.shuffle-by-partition.enable",
	"sink.rolling-policy.file-size", "sink.rolling-policy.rollover-interval", "sink.rolling-policy.check-interval",
	"sink.rolling-policy.inactivity-interval",
}

// refused is what would change rows or files, but is not there.
var refused = []string{
	"source.monitor-interval", "source.path.regex-pattern", "auto-compaction", "compaction.file-size",
	"compaction.parallelism", "partition.default-name", "partition.time-extractor.kind", "partition.time-extractor.class",
	"partition.time-extractor.timestamp-pattern", "partition.time-extractor.timestamp-formatter",
	"sink.partition-commit.trigger", "sink.partition-commit.delay", "sink.partition-commit.policy.kind",
	"sink.partition-commit.policy.class", "sink.partition-commit.success-file.name", "sink.partition-commit.watermark-time-zone",
}

// parse checks the options of a table.
func parse(t connector.Table) (*table, error) {
	s := &table{name: t.Name, schema: t.Schema}
	var path, format, charset connector.Option
	var rest []connector.Option
	for _, o := range t.Options {
		switch {
		case o.Key == "connector":
		case o.Key == "path":
			path = o
		case o.Key == "format":
			format = o
		case slices.Contains(without, o.Key):
		case slices.Contains(refused, o.Key):
			e := diag.New(diag.Unsupported, o.KeySpan, "option %q is not supported", o.Key)
			if o.Key == "source.path.regex-pattern" {
				e.Hint = "write a pattern with * in 'path'"
			}
			return nil, e
		case o.Key == "raw.charset":
			charset = o
			rest = append(rest, o)
		default:
			rest = append(rest, o)
		}
	}
	if path.Key == "" {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q: option \"path\" is missing", t.Name).
			WithHint("add 'path' = '...' to WITH")
	}
	if format.Key == "" {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q: option \"format\" is missing", t.Name).
			WithHint("add 'format' = 'csv' to WITH")
	}
	var err error
	s.span = path.ValueSpan
	if s.path, err = localPath(path.Value, path.ValueSpan); err != nil {
		return nil, err
	}
	s.format = format.Value
	var known []string
	switch s.format {
	case "csv":
		if s.csv, err = csv.ParseOptions(rest); err == nil {
			err = csv.Check(s.schema)
		}
		known = csv.OptionNames()
	case "raw":
		if charset.Key != "" && !strings.EqualFold(charset.Value, "UTF-8") {
			return nil, diag.New(diag.Unsupported, charset.ValueSpan, "charset %q is not supported", charset.Value).
				WithHint("convert the file to UTF-8")
		}
		err = raw.Check(s.schema)
		known = []string{"raw.charset"}
	default:
		return nil, diag.New(diag.Unsupported, format.ValueSpan, "format %q is not supported", s.format).
			DidYouMean(s.format, []string{"csv", "raw"}, "the formats are 'csv' and 'raw'")
	}
	if err != nil {
		return nil, err
	}
	for _, o := range rest {
		if strings.HasPrefix(o.Key, s.format+".") && (s.format != "raw" || o.Key == "raw.charset") {
			continue
		}
		known = append(known, "path", "format")
		known = append(known, without...)
		return nil, diag.New(diag.UndefinedOption, o.KeySpan, "connector \"filesystem\" with format %q has no option %q", s.format, o.Key).
			DidYouMean(o.Key, known, "")
	}
	return s, nil
}

// Schema implements connector.Source.
func (s *table) Schema() stream.Schema { return s.schema }

// Traits implements connector.Source.
func (s *table) Traits() connector.Traits { return connector.Traits{Bounded: true, Live: s.live} }

// Open implements connector.Source.
func (s *table) Open(_ context.Context, o connector.OpenOptions) (connector.Reader, error) {
	files, err := list(s.path)
	if err != nil {
		return nil, err
	}
	dec, err := s.decoder(o)
	if err != nil {
		return nil, err
	}
	return text.Open(inputs(files), dec, o)
}

func (s *table) decoder(o connector.OpenOptions) (text.Decoder, error) {
	if s.format == "raw" {
		return raw.NewDecoder(s.schema, o.Columns)
	}
	return csv.NewDecoder(s.schema, o.Columns, s.csv, o.Bad)
}
