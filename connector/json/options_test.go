package json_test

import (
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/json"
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
		{"ignore-parse-error", "true", diag.UndefinedOption, key, `has no option "json.ignore-parse-error"`, `did you mean "json.ignore-parse-errors"?`},
		{"ignore-parse-errors", "yes", diag.InvalidArgument, value, "must be 'true' or 'false', not 'yes'", ""},
		{"timestamp-format.standard", "ISO", diag.InvalidArgument, value, "must be 'SQL' or 'ISO-8601', not 'ISO'", ""},
		{"map-null-key.mode", "KEEP", diag.InvalidArgument, value, "must be 'FAIL' or 'DROP' or 'LITERAL'", ""},
		{"decode.json-parser.enabled", "1", diag.InvalidArgument, value, "must be 'true' or 'false'", ""},
	} {
		_, err := json.ParseOptions([]connector.Option{{Key: "json." + c.key, Value: c.value, KeySpan: key, ValueSpan: value}})
		e := diag.As(err)
		if e == nil || e.Code != c.code || e.Span != c.span || !strings.Contains(e.Msg, c.want) || e.Hint != c.hint {
			t.Errorf("%s = %q: %+v", c.key, c.value, e)
		}
	}
	_, err := json.ParseOptions([]connector.Option{{Key: "json.fail-on-missing-field", Value: "true"}, {Key: "json.ignore-parse-errors", Value: "true"}})
	if err == nil {
		t.Error("missing fields fail and errors are ignored at once")
	}
}

func TestOptionsAccepted(t *testing.T) {
	o := options(t, "map-null-key.mode=drop; map-null-key.literal=n; encode.decimal-as-plain-number=TRUE; timestamp-format.standard=ISO-8601; decode.json-parser.enabled=false")
	if !o.PlainDecimals || !o.ISO || !o.Tree || o.SkipNulls {
		t.Errorf("%+v", o)
	}
}

func TestTypesRefused(t *testing.T) {
	for _, typ := range []types.Type{
		types.NewMap(types.Of(types.Int),
			types.Of(types.Int)), types.NewMultiset(types.Of(types.Int)), types.NewArray(types.Of(types.IntervalDay)), types.NewRow(types.Field{Name: "a", Type: types.NewMap(types.Of(types.Date), types.Of(types.Int))}), types.Of(types.IntervalDay),
	} {
		err := json.Check(stream.Schema{Fields: []stream.Field{{Name: "m", Type: typ}}})
		if e := diag.As(err); e == nil || e.Code != diag.Unsupported || !strings.Contains(e.Msg, `column "m"`) || !strings.Contains(e.Hint, "STRING") {
			t.Errorf("%s: %v", typ, err)
		}
	}
}
