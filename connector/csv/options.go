package csv

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"streamsql/connector"
	"streamsql/internal/diag"
)

// Options say how csv is written. The zero value is not useful: see Default.
type Options struct {
	Delimiter         []byte // one character in UTF-8
	Quote             byte   // 0: none
	Escape            byte   // 0: none
	NullLiteral       []byte // nil: none; compared with whole fields, before anything else
	IgnoreParseErrors bool   // a value that cannot be read is NULL, a record that cannot is skipped
	AllowComments     bool   // lines that start with # are skipped
	TrimSpaces        bool
	IgnoreTrailing    bool // fields behind the last column are dropped
	TrailingComma     bool // one delimiter may stand at the end of a record
	FailOnMissing     bool // all columns must be there, also those not wanted
	EmptyIsNull       bool // empty texts are NULL
	ElementDelimiter  string
	// Header says that the first record of each input names the columns. Then fields
	// are taken by name, records must have exactly as many fields as the header, and
	// empty lines are no records.
	Header bool
	// SkipEmptyLines says that empty lines are no records.
	SkipEmptyLines bool
	// Inferred says that the schema was guessed from a sample: messages say so.
	Inferred bool
}

// Default returns the options of a table without csv options.
func Default() Options {
	return Options{Delimiter: []byte{','}, Quote: '"', TrailingComma: true, ElementDelimiter: ";"}
}

// Prefix is what the names of csv options start with.
const Prefix = "csv."

// names are the options, without their prefix.
var names = []string{
	"field-delimiter", "disable-quote-character", "quote-character", "escape-character", "null-literal",
	"ignore-parse-errors", "allow-comments", "trim-spaces", "ignore-trailing-unmappable", "allow-trailing-comma",
	"fail-on-missing-columns", "empty-string-as-null", "array-element-delimiter",
	"write-bigdecimal-in-scientific-notation", "header", "skip-empty-lines", "inferred",
}

// OptionNames returns the full names of the options, for suggestions.
func OptionNames() []string {
	full := make([]string, 0, len(names))
	for _, n := range names {
		if n != "inferred" {
			full = append(full, Prefix+n)
		}
	}
	return full
}

// spellings are what other programs call options.
var spellings = map[string]string{
	"delimiter": "field-delimiter", "delim": "field-delimiter", "separator": "field-delimiter", "sep": "field-delimiter",
	"quote": "quote-character", "quotechar": "quote-character", "escape": "escape-character", "null": "null-literal", "nullstr": "null-literal",
	"na-values": "null-literal", "comment": "allow-comments", "ignore-errors": "ignore-parse-errors", "on-bad-lines": "ignore-parse-errors",
}

// Spelling returns the full name of the option that others call by this name, with or
// without the prefix; "" if there is none.
func Spelling(name string) string {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, Prefix)), "_", "-")
	if slices.Contains(OptionNames(), Prefix+name) {
		return Prefix + name
	}
	if s := spellings[name]; s != "" {
		return Prefix + s
	}
	return ""
}

// unknownOption is the error of an option that does not exist.
func unknownOption(o connector.Option) error {
	e := diag.New(diag.UndefinedOption, o.KeySpan, "format \"csv\" has no option %q", o.Key)
	if s := Spelling(o.Key); s != "" {
		return e.WithHint("did you mean %q?", s)
	}
	return e.DidYouMean(o.Key, OptionNames(), "remove the option")
}

// ParseOptions reads those options whose names start with "csv."; others are
// left to the connector.
func ParseOptions(opts []connector.Option) (Options, error) {
	o := Default()
	quote, disable, skipSet := connector.Option{}, connector.Option{}, false
	for _, opt := range opts {
		name, ok := strings.CutPrefix(opt.Key, Prefix)
		if !ok {
			continue
		}
		var err error
		switch name {
		case "field-delimiter":
			o.Delimiter, err = delimiter(opt)
		case "quote-character":
			quote = opt
			o.Quote, err = character(opt)
		case "disable-quote-character":
			var off bool
			if off, err = opt.Bool(); off {
				disable = opt
			}
		case "escape-character":
			o.Escape, err = character(opt)
		case "null-literal":
			o.NullLiteral = append([]byte{}, opt.Value...)
		case "ignore-parse-errors":
			o.IgnoreParseErrors, err = opt.Bool()
		case "allow-comments":
			o.AllowComments, err = opt.Bool()
		case "trim-spaces":
			o.TrimSpaces, err = opt.Bool()
		case "ignore-trailing-unmappable":
			o.IgnoreTrailing, err = opt.Bool()
		case "allow-trailing-comma":
			o.TrailingComma, err = opt.Bool()
		case "fail-on-missing-columns":
			o.FailOnMissing, err = opt.Bool()
		case "empty-string-as-null":
			o.EmptyIsNull, err = opt.Bool()
		case "array-element-delimiter":
			o.ElementDelimiter = opt.Value
		case "write-bigdecimal-in-scientific-notation":
			_, err = opt.Bool() // has no effect in files: Flink 2.3 writes the same with both values
		case "header":
			o.Header, err = opt.Bool()
		case "skip-empty-lines":
			skipSet = true
			o.SkipEmptyLines, err = opt.Bool()
		case "inferred":
			o.Inferred, err = opt.Bool()
		default:
			return o, unknownOption(opt)
		}
		if err != nil {
			return o, err
		}
	}
	if disable.Key != "" {
		if quote.Key != "" {
			return o, diag.New(diag.InvalidArgument, quote.KeySpan,
				"options %q and %q exclude each other", quote.Key, disable.Key).WithHint("remove one of them")
		}
		o.Quote = 0
	}
	if o.Header && !skipSet {
		o.SkipEmptyLines = true
	}
	return o, o.check(opts)
}

// check refuses characters that would have two meanings.
func (o *Options) check(opts []connector.Option) error {
	d := o.Delimiter[0]
	if d != o.Quote && (d != o.Escape || o.Escape == 0) && (o.Quote == 0 || o.Quote != o.Escape) && d != '\n' && d != '\r' {
		return nil
	}
	var span diag.Span
	for _, opt := range opts {
		if opt.Key == Prefix+"field-delimiter" || opt.Key == Prefix+"quote-character" || opt.Key == Prefix+"escape-character" {
			span = opt.ValueSpan
		}
	}
	return diag.New(diag.InvalidArgument, span, "delimiter, quote and escape character of format \"csv\" must differ from each other and from line ends")
}

func character(opt connector.Option) (byte, error) {
	if len(opt.Value) == 1 && opt.Value[0] < utf8.RuneSelf && opt.Value[0] >= ' ' {
		return opt.Value[0], nil
	}
	return 0, diag.New(diag.InvalidArgument, opt.ValueSpan, "option %q must be one printable ASCII character, not '%s'", opt.Key, opt.Value)
}

// delimiter reads a single character, which may be written as a Java escape.
func delimiter(opt connector.Option) ([]byte, error) {
	v := opt.Value
	if strings.HasPrefix(v, `\`) && len(v) > 1 {
		switch v[1:] {
		case "t":
			v = "\t"
		case "n":
			v = "\n"
		case "r":
			v = "\r"
		case "b":
			v = "\b"
		case "f":
			v = "\f"
		case `\`:
			v = `\`
		default:
			if hex, ok := strings.CutPrefix(v, `\u`); ok && len(hex) == 4 {
				if c, err := strconv.ParseUint(hex, 16, 16); err == nil {
					v = string(rune(c))
				}
			}
		}
	}
	if r, n := utf8.DecodeRuneInString(v); n == 0 || n != len(v) || r == utf8.RuneError && n == 1 {
		return nil, diag.New(diag.InvalidArgument, opt.ValueSpan, "option %q must be one character, not '%s'", opt.Key, opt.Value)
	}
	return []byte(v), nil
}

// fast reports whether the fast path knows these options.
func (o *Options) fast() bool {
	if len(o.Delimiter) != 1 || o.Escape != 0 || o.AllowComments || o.TrimSpaces || o.EmptyIsNull || o.Quote != 0 && o.Quote != '"' {
		return false
	}
	// What a typed field could be read as must not be the null literal; a text that
	// no type accepts falls to the slow path by itself.
	if len(o.NullLiteral) > 0 {
		c := o.NullLiteral[0]
		if c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' || bytes.EqualFold(o.NullLiteral, []byte("true")) ||
			bytes.EqualFold(o.NullLiteral, []byte("false")) {
			return false
		}
	}
	// The fast path looks for some values at fixed places: the delimiter must be no
	// part of any number or time.
	return strings.IndexByte(",;|\t\x01~^!#$%&*/<=>?@_`", o.Delimiter[0]) >= 0
}
