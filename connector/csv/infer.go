package csv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"streamsql/connector"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// InferOptions bound and steer the inference of a schema. Zero values stand for
// the defaults.
type InferOptions struct {
	Header string        // "auto" (default), "yes", "no", or the names "a,b,c" of columns without header
	Rows   int           // most records looked at: 10,000
	Bytes  int           // most bytes looked at: 1 MiB
	Wait   time.Duration // a pipe without new input for so long ends the sample: 100 ms
}

// WithDefaults returns o with its zero values replaced.
func (o InferOptions) WithDefaults() InferOptions {
	if o.Header == "" {
		o.Header = "auto"
	}
	if o.Rows <= 0 {
		o.Rows = 10_000
	}
	if o.Bytes <= 0 {
		o.Bytes = 1 << 20
	}
	if o.Wait <= 0 {
		o.Wait = 100 * time.Millisecond
	}
	return o
}

// Infer guesses the columns of csv from a sample; file names it in messages, whole
// says that nothing follows it, given are the csv options that are known. It
// returns the columns, and the options with which the input is to be read.
func Infer(file string, sample []byte, whole bool, o InferOptions, given []connector.Option) (stream.Schema, []connector.Option, error) {
	o = o.WithDefaults()
	set := map[string]bool{}
	for _, g := range given {
		set[g.Key] = true
	}
	if !set[Prefix+"field-delimiter"] {
		if d := sniff(file, sample, whole, given); d != "," {
			given = append(given[:len(given):len(given)], connector.Option{Key: Prefix + "field-delimiter", Value: d})
		}
	}
	opts, err := ParseOptions(given)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	opts.SkipEmptyLines = true
	records := split(sample, whole, &opts, o.Rows)
	if len(records) == 0 {
		return stream.Schema{}, nil, diag.New(diag.Decode, diag.Span{}, "%s is empty: there is no header to take the columns from", file).
			WithHint("declare the columns with CREATE TABLE")
	}
	header, names, err := heading(file, records, o.Header, set[Prefix+"header"], opts.Header)
	if err != nil {
		return stream.Schema{}, nil, err
	}
	if header {
		records = records[1:]
	}
	var schema stream.Schema
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" && header {
			if i > 0 && i == len(names)-1 && opts.TrailingComma && isEmpty(records, i) {
				continue // a delimiter at the end of all lines
			}
			name = unnamed(i, names)
		}
		if seen[name] {
			e := diag.New(diag.DuplicateName, diag.Span{}, "%s: the header names column %q twice", file, name).
				WithHint("rename one of the columns in the file")
			if o.Header == "auto" && !set[Prefix+"header"] {
				e.Hint += ", or say --header no if its first line is no header"
			}
			return stream.Schema{}, nil, e
		}
		seen[name] = true
		schema.Fields = append(schema.Fields, stream.Field{Name: name, Type: guess(records, i)})
	}
	return schema, inferred(given, set, header), nil
}

// unnamed returns the name of field i where the header has none.
func unnamed(i int, header []string) string {
	name := fmt.Sprintf("c%d", i+1)
	for slices.ContainsFunc(header, func(h string) bool { return strings.EqualFold(h, name) }) {
		name += "_"
	}
	return name
}

// isEmpty reports whether no record has anything in field i.
func isEmpty(records [][]string, i int) bool {
	return !slices.ContainsFunc(records, func(r []string) bool { return i < len(r) && r[i] != "" })
}

// inferred adds to the options given those that the inference decides.
func inferred(given []connector.Option, set map[string]bool, header bool) []connector.Option {
	out := append([]connector.Option{}, given...)
	for _, o := range []connector.Option{
		{Key: Prefix + "header", Value: fmt.Sprint(header)},
		{Key: Prefix + "skip-empty-lines", Value: "true"},
		{Key: Prefix + "null-literal", Value: ""},
		{Key: Prefix + "inferred", Value: "true"},
	} {
		if !set[o.Key] {
			out = append(out, o)
		}
	}
	return out
}

// split returns the first records of a sample; those that break the rules are
// left out.
func split(sample []byte, whole bool, o *Options, limit int) [][]string {
	s := splitter{opts: o}
	d := Decoder{opts: *o}
	st := text.More
	if whole {
		st = text.End
	}
	sample = bytes.TrimPrefix(sample, mark)
	var out [][]string
	for pos := 0; pos < len(sample) && len(out) < limit; {
		if n, ok := d.noRecord(sample[pos:], st); ok {
			pos += n
			continue
		}
		n, _, oc, _ := s.record(sample[pos:], st)
		if n == 0 {
			break
		}
		pos += n
		if oc != wholeRecord {
			continue
		}
		fields := make([]string, len(s.texts))
		for i, t := range s.texts {
			fields[i] = string(t)
		}
		if n := len(fields); n > 1 && fields[n-1] == "" && o.TrailingComma && len(out) > 0 && n == len(out[0])+1 {
			fields = fields[:n-1]
		}
		out = append(out, fields)
	}
	return out
}

// sniff finds the delimiter: a comma, unless it separates nothing and another one
// separates all records alike.
func sniff(file string, sample []byte, whole bool, given []connector.Option) string {
	base := strings.TrimSuffix(file, ".gz")
	if strings.HasSuffix(base, ".tsv") || strings.HasSuffix(base, ".tab") {
		return `\t`
	}
	for _, d := range []string{",", `\t`, ";", "|"} {
		o, err := ParseOptions(append(given[:len(given):len(given)], connector.Option{Key: Prefix + "field-delimiter", Value: d}))
		if err != nil {
			break // said again where the options are used
		}
		o.SkipEmptyLines = true
		records := split(sample, whole, &o, 100)
		if len(records) == 0 || len(records[0]) < 2 {
			continue
		}
		same := true
		for _, r := range records {
			same = same && len(r) == len(records[0])
		}
		if same || d == "," {
			return d
		}
	}
	return ","
}

// heading decides whether the first record names the columns, and how the columns
// are named.
func heading(file string, records [][]string, how string, given, asGiven bool) (header bool, names []string, err error) {
	first := records[0]
	switch {
	case given:
		header = asGiven
	case how == "yes":
		header = true
	case how == "no":
	case how == "auto":
		header = looksLikeHeader(records)
	default:
		names = strings.Split(how, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		if len(names) != len(first) {
			return false, nil, diag.New(diag.InvalidArgument, diag.Span{}, "names given: %d; fields in the first row of %s: %d",
				len(names), file, len(first)).WithHint("give one name for each column")
		}
		return false, names, nil
	}
	for i, f := range first {
		if f = strings.TrimSpace(f); !header {
			f = fmt.Sprintf("c%d", i+1)
		}
		names = append(names, f)
	}
	return header, names, nil
}

// looksLikeHeader reports whether the first record can be the names of the
// columns: texts; and where the columns below hold something else than texts, it must
// not fit there. Where they hold texts only, names must be different; otherwise a name
// that stands there twice is to be refused.
func looksLikeHeader(records [][]string) bool {
	first := records[0]
	seen := map[string]bool{}
	twice := false
	names := true // nothing in it looks like a value
	for _, f := range first {
		f = strings.TrimSpace(f)
		if !utf8.ValidString(f) {
			return false
		}
		twice = twice || seen[f] && f != ""
		seen[f] = true
		names = names && scalar(f) == types.Varchar
	}
	for i := range first {
		below := guess(records[1:], i)
		if below.Kind != types.Varchar && scalar(strings.TrimSpace(first[i])) == types.Varchar && first[i] != "" {
			return true
		}
	}
	return names && !twice && !(len(first) == 1 && len(records) > 1 && !identifier(first[0]))
}

func identifier(s string) bool {
	for i, r := range strings.TrimSpace(s) {
		if r != '_' && r != '-' && r != '.' && (r|0x20 < 'a' || r|0x20 > 'z') && r < utf8.RuneSelf && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// guess returns the type that all values of a column have.
func guess(records [][]string, i int) types.Type {
	kind := types.Null
	for _, r := range records {
		if i >= len(r) || r[i] == "" {
			continue
		}
		k := scalar(r[i])
		switch {
		case kind == types.Null || kind == k:
			kind = k
		case kind == types.BigInt && k == types.Double || kind == types.Double && k == types.BigInt:
			kind = types.Double
		default:
			kind = types.Varchar
		}
		if kind == types.Varchar {
			break
		}
	}
	switch kind {
	case types.Null:
		return types.Of(types.Varchar)
	case types.Timestamp:
		return types.NewTimestamp(3)
	}
	return types.Of(kind)
}

// scalar returns the kind of one value. What has leading zeros or a plus sign is a
// text (numbers of houses, telephones), and so is what no BIGINT can hold.
func scalar(s string) types.Kind {
	b := []byte(s)
	if _, fault := types.ParseCSVBool(b); fault == types.OK {
		return types.Boolean
	}
	if len(s) >= 19 && s[4] == '-' {
		if _, fault := types.ParseCSVTimestamp(b, 1e3, 3); fault == types.OK {
			return types.Timestamp
		}
	}
	if len(s) == 10 && s[4] == '-' && s[7] == '-' {
		if _, fault := types.ParseCSVDate(b); fault == types.OK {
			return types.Date
		}
	}
	t := strings.TrimPrefix(strings.Trim(s, " "), "-")
	whole := len(t) - len(strings.TrimLeft(t, "0123456789"))
	if whole == 0 && !strings.HasPrefix(t, ".") || whole > 1 && t[0] == '0' {
		return types.Varchar
	}
	if whole == len(t) {
		if _, fault := types.ParseCSVInt(b, types.BigInt); fault != types.OK {
			return types.Varchar
		}
		return types.BigInt
	}
	if strings.Trim(t, "0123456789.eE+-") != "" {
		return types.Varchar
	}
	if _, fault := types.ParseCSVDouble(b); fault != types.OK {
		return types.Varchar
	}
	return types.Double
}
