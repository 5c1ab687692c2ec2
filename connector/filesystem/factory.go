package filesystem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"streamsql/connector"
	"streamsql/connector/format"
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
	format *format.Format
	schema stream.Schema
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
	var path, kind connector.Option
	var rest []connector.Option
	for _, o := range t.Options {
		switch {
		case o.Key == "connector":
		case o.Key == "path":
			path = o
		case o.Key == "format":
			kind = o
		case slices.Contains(without, o.Key):
		case slices.Contains(refused, o.Key):
			e := diag.New(diag.Unsupported, o.KeySpan, "option %q is not supported", o.Key)
			if o.Key == "source.path.regex-pattern" {
				e.Hint = "write a pattern with * in 'path'"
			}
			return nil, e
		default:
			rest = append(rest, o)
		}
	}
	if path.Key == "" {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q: option \"path\" is missing", t.Name).
			WithHint("add 'path' = '...' to WITH")
	}
	if kind.Key == "" {
		return nil, diag.New(diag.InvalidArgument, t.Span, "table %q: option \"format\" is missing", t.Name).
			WithHint("add 'format' = 'csv' to WITH")
	}
	var err error
	s.span = path.ValueSpan
	if s.path, err = localPath(path.Value, path.ValueSpan); err != nil {
		return nil, err
	}
	s.format, err = format.New(format.Request{
		Connector: "filesystem", Format: kind, Options: rest, Known: append([]string{"path", "format"}, without...), Schema: s.schema,
	})
	return s, err
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
	dec, err := s.format.Decoder(o)
	if err != nil {
		return nil, err
	}
	return text.Open(inputs(files), dec, o)
}
