package json

import (
	"strings"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Options say how json is read and written. The zero value is that of a table
// without json options.
type Options struct {
	FailOnMissing     bool // each wanted column must be in each object
	IgnoreParseErrors bool // a value that cannot be read is NULL, a line that cannot is skipped
	ISO               bool // timestamps have a T between date and time
	// Tree says that numbers are given to STRING columns as Java prints them, as
	// Flink's older parser does, and not as they are spelled.
	Tree bool
	// PlainDecimals and SkipNulls are for writing: no scientific notation, no keys
	// of NULLs.
	PlainDecimals bool
	SkipNulls     bool
	// NullKeys says what becomes of a NULL key of a MAP in writing, NullKey is the word
	// for it.
	NullKeys nullKey
	NullKey  string
	// Inferred says that the schema was guessed from a sample: messages say so, and
	// timestamps are taken in all forms that the guess takes.
	Inferred bool
}

// Prefix is what the names of json options start with.
const Prefix = "json."

const inferredName = "inferred"

// names are the options, without their prefix.
var names = []string{
	"fail-on-missing-field", "ignore-parse-errors", "timestamp-format.standard", "map-null-key.mode", "map-null-key.literal",
	"encode.decimal-as-plain-number", "encode.ignore-null-fields", "decode.json-parser.enabled",
}

// OptionNames returns the full names of the options, for suggestions.
func OptionNames() []string {
	full := make([]string, len(names))
	for i, n := range names {
		full[i] = Prefix + n
	}
	return full
}

// ParseOptions reads those options whose names start with "json."; others are
// left to the connector.
func ParseOptions(opts []connector.Option) (Options, error) {
	o := Options{NullKey: "null"}
	var fail connector.Option
	for _, opt := range opts {
		name, ok := strings.CutPrefix(opt.Key, Prefix)
		if !ok {
			continue
		}
		var err error
		switch name {
		case "fail-on-missing-field":
			fail = opt
			o.FailOnMissing, err = opt.Bool()
		case "ignore-parse-errors":
			o.IgnoreParseErrors, err = opt.Bool()
		case "timestamp-format.standard":
			o.ISO = opt.Value == "ISO-8601"
			err = oneOf(opt, opt.Value, "SQL", "ISO-8601")
		case "map-null-key.mode":
			mode := strings.ToUpper(opt.Value)
			err = oneOf(opt, mode, "FAIL", "DROP", "LITERAL")
			o.NullKeys = map[string]nullKey{"DROP": dropKey, "LITERAL": literalKey}[mode]
		case "map-null-key.literal":
			o.NullKey = opt.Value
		case "encode.decimal-as-plain-number":
			o.PlainDecimals, err = opt.Bool()
		case "encode.ignore-null-fields":
			o.SkipNulls, err = opt.Bool()
		case "decode.json-parser.enabled":
			var stream bool
			stream, err = opt.Bool()
			o.Tree = !stream
		case inferredName:
			o.Inferred, err = opt.Bool()
		default:
			return o, diag.New(diag.UndefinedOption, opt.KeySpan, "format \"json\" has no option %q", opt.Key).
				DidYouMean(opt.Key, OptionNames(), "remove the option")
		}
		if err != nil {
			return o, err
		}
	}
	if o.FailOnMissing && o.IgnoreParseErrors {
		return o, diag.New(diag.InvalidArgument, fail.KeySpan, "options \"json.fail-on-missing-field\" and \"json.ignore-parse-errors\" exclude each other").
			WithHint("remove one of them")
	}
	return o, nil
}

func oneOf(opt connector.Option, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return diag.New(diag.InvalidArgument, opt.ValueSpan, "option %q must be '%s', not '%s'", opt.Key, strings.Join(allowed, "' or '"), opt.Value)
}

// Check refuses schemas with types that the format does not hold.
func Check(schema stream.Schema) error {
	for _, f := range schema.Fields {
		if t, ok := holds(f.Type); !ok {
			what := f.Type.Name()
			if t != f.Type {
				what += " with " + t.Name()
			}
			e := diag.New(diag.Unsupported, diag.Span{}, "format \"json\" does not hold %s, the type of column %q", what, f.Name)
			if t.Kind == types.Bitmap {
				return e.WithHint("declare column %q as BYTES, for BITMAP_TO_BYTES and BITMAP_FROM_BYTES", f.Name)
			}
			return e.WithHint("declare column %q as STRING: it then holds the JSON text", f.Name)
		}
	}
	return nil
}

// holds reports whether JSON has a form for values of type t; if not, it returns the
// part that has none. Keys of objects are texts.
func holds(t types.Type) (types.Type, bool) {
	switch t.Kind {
	case types.Null, types.IntervalDay, types.IntervalMonth, types.Variant, types.Bitmap:
		return t, false
	case types.Array:
		return holds(t.Elem())
	case types.Multiset:
		return t, t.Elem().IsText()
	case types.Map:
		if !t.Key().IsText() {
			return t, false
		}
		return holds(t.Elem())
	}
	for _, f := range t.Fields() {
		if p, ok := holds(f.Type); !ok {
			return p, false
		}
	}
	return t, true
}
