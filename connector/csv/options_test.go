package csv_test

import (
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

func TestOptionErrors(t *testing.T) {
	key, value := diag.Span{Start: 10, End: 20}, diag.Span{Start: 30, End: 40}
	for _, c := range []struct {
		key, value string
		code       diag.Code
		span       diag.Span
		want, hint string
	}{
		{"field-delimitr", ",", diag.UndefinedOption, key, `has no option "csv.field-delimitr"`, `did you mean "csv.field-delimiter"?`},
		{"field-delimiter", "||", diag.InvalidArgument, value, `must be one character, not '||'`, ""},
		{"field-delimiter", "", diag.InvalidArgument, value, "must be one character", ""},
		{"field-delimiter", "\n", diag.InvalidArgument, value, "must differ", ""},
		{"quote-character", "ab", diag.InvalidArgument, value, "must be one printable ASCII character", ""},
		{"quote-character", ",", diag.InvalidArgument, value, "must differ", ""},
		{"escape-character", `"`, diag.InvalidArgument, value, "must differ", ""},
		{"ignore-parse-errors", "yes", diag.InvalidArgument, value, "must be 'true' or 'false', not 'yes'", ""},
	} {
		_, err := csv.ParseOptions([]connector.Option{{Key: "csv." + c.key, Value: c.value, KeySpan: key, ValueSpan: value}})
		e := diag.As(err)
		if e == nil || e.Code != c.code || e.Span != c.span || !strings.Contains(e.Msg, c.want) || e.Hint != c.hint {
			t.Errorf("%s = %q: %+v", c.key, c.value, e)
		}
	}
	_, err := csv.ParseOptions([]connector.Option{{Key: "csv.quote-character", Value: "'"}, {Key: "csv.disable-quote-character", Value: "true"}})
	if err == nil {
		t.Error("a quote character and none are accepted together")
	}
}

func TestOptionsAccepted(t *testing.T) {
	o, err := csv.ParseOptions([]connector.Option{
		{Key: "csv.field-delimiter", Value: `\u0078`}, {Key: "csv.array-element-delimiter", Value: ","},
		{Key: "csv.write-bigdecimal-in-scientific-notation", Value: "false"}, {Key: "path", Value: "not ours"},
	})
	if err != nil || string(o.Delimiter) != "x" {
		t.Errorf("%q, %v", o.Delimiter, err)
	}
}

func TestTypesRefused(t *testing.T) {
	for _, typ := range []types.Type{
		types.NewArray(types.NewArray(types.Of(types.Int))),
		types.NewArray(types.NewRow()), types.NewMap(types.Of(types.Varchar), types.Of(types.Int)), types.NewMultiset(types.Of(types.Int)), types.NewRow(types.Field{Name: "a", Type: types.NewArray(types.Of(types.Int))}), types.NewArray(types.Of(types.IntervalDay)), types.Of(types.IntervalDay),
	} {
		err := csv.Check(stream.Schema{Fields: []stream.Field{{Name: "m", Type: typ}}})
		if e := diag.As(err); e == nil || e.Code != diag.Unsupported || !strings.Contains(e.Msg, `column "m"`) {
			t.Errorf("%s: %v", typ, err)
		}
	}
}
