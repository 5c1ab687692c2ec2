package format

import (
	"strings"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/json"
	"streamsql/connector/raw"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Names are the formats.
var Names = []string{"csv", "json", "raw"}

// Format is the format of a table, with its options.
type Format struct {
	name   string
	schema stream.Schema
	csv    csv.Options
	json   json.Options
}

// Request is what a connector knows of a table.
type Request struct {
	Connector string             // its name, for messages
	Format    connector.Option   // the option "format"
	Options   []connector.Option // those that the connector does not know
	Known     []string           // names of those that it knows, for suggestions
	Schema    stream.Schema      // physical columns
}

// New checks the options of a table and whether its format holds the columns.
func New(r Request) (*Format, error) {
	f := &Format{name: r.Format.Value, schema: r.Schema}
	var err error
	var known []string
	switch f.name {
	case "csv":
		known = csv.OptionNames()
		if f.csv, err = csv.ParseOptions(r.Options); err == nil {
			err = csv.Check(r.Schema)
		}
	case "json":
		known = json.OptionNames()
		if f.json, err = json.ParseOptions(r.Options); err == nil {
			err = json.Check(r.Schema)
		}
	case "raw":
		known = []string{charset}
		if err = checkCharset(r.Options); err == nil {
			err = raw.Check(r.Schema)
		}
	default:
		return nil, diag.New(diag.Unsupported, r.Format.ValueSpan, "format %q is not supported", f.name).
			DidYouMean(f.name, Names, "the formats are 'csv', 'json' and 'raw'")
	}
	if err != nil {
		return nil, err
	}
	for _, o := range r.Options {
		if strings.HasPrefix(o.Key, f.name+".") && (f.name != "raw" || o.Key == charset) {
			continue
		}
		e := diag.New(diag.UndefinedOption, o.KeySpan, "connector %q with format %q has no option %q", r.Connector, f.name, o.Key)
		if s := csv.Spelling(o.Key); s != "" && f.name == "csv" {
			return nil, e.WithHint("did you mean %q?", s)
		}
		return nil, e.DidYouMean(o.Key, append(known, r.Known...), "remove the option")
	}
	return f, nil
}

const charset = "raw.charset"

func checkCharset(options []connector.Option) error {
	for _, o := range options {
		if o.Key == charset && !strings.EqualFold(o.Value, "UTF-8") {
			return diag.New(diag.Unsupported, o.ValueSpan, "charset %q is not supported", o.Value).WithHint("convert the file to UTF-8")
		}
	}
	return nil
}

// Decoder returns a decoder for the columns that are wanted.
func (f *Format) Decoder(o connector.OpenOptions) (text.Decoder, error) {
	switch f.name {
	case "json":
		return json.NewDecoder(f.schema, o.Columns, f.json, o.Bad)
	case "raw":
		return raw.NewDecoder(f.schema, o.Columns)
	}
	return csv.NewDecoder(f.schema, o.Columns, f.csv, o.Bad)
}

// Encoder writes rows.
type Encoder struct {
	// Extension is that of files of the format, without the point.
	Extension string
	// Row appends row i of a batch.
	Row func(dst []byte, b *stream.Batch, i int) ([]byte, error)
	// Head appends what stands at the start of a file; nil: nothing.
	Head func(dst []byte) []byte
}

// Encoder returns an encoder for the columns.
func (f *Format) Encoder() (Encoder, error) {
	switch f.name {
	case "json":
		e, err := json.NewEncoder(f.schema, f.json)
		if err != nil {
			return Encoder{}, err
		}
		return Encoder{Extension: "json", Row: e.AppendRow}, nil
	case "raw":
		return Encoder{Extension: "txt", Row: raw.AppendRow}, nil
	}
	e, err := csv.NewEncoder(f.schema, f.csv)
	if err != nil {
		return Encoder{}, err
	}
	return Encoder{Extension: "csv", Row: e.AppendRow, Head: e.AppendHeader}, nil
}
