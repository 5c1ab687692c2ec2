package json_test

import (
	"strings"
	"testing"
)

// Times that are written in another way than the column expects are refused with how
// they are read.
func TestTimeHint(t *testing.T) {
	const other = "'json.ignore-parse-errors' = 'true'"
	for _, c := range []struct{ schema, options, value, hint string }{
		{"t ts", "", `1772359200000`, "TO_TIMESTAMP_LTZ(millis, 3)"},
		{"t ts", "", `1772359200`, "TO_TIMESTAMP_LTZ(seconds, 0)"},
		{"t ts", "", `1.5`, other},
		{"t ts", "", `"2026-03-01T10:00:00Z"`, "TIMESTAMP_LTZ(3), as the text has a zone, and set 'json.timestamp-format.standard' = 'ISO-8601'"},
		{"t ltz", "", `"2026-03-01T10:00:00+01:00"`, other},
		{"t ltz", "timestamp-format.standard=ISO-8601", `"2026-03-01T10:00:00+01:00"`, other},
		{"t ltz", "", `"2026-03-01T10:00:00Z"`, "'json.timestamp-format.standard' = 'ISO-8601'"},
		{"t ts", "", `"2026-03-01T10:00:00"`, "'json.timestamp-format.standard' = 'ISO-8601'"},
		{"t ts", "timestamp-format.standard=ISO-8601", `"2026-03-01T10:00:00Z"`, "TIMESTAMP_LTZ(3)"},
		{"t ts", "timestamp-format.standard=ISO-8601", `"2026-03-01 10:00:00"`, other},
		{"t ts", "", `"never"`, other},
		{"t ts", "", `true`, other},
		{"t int", "", `"2026-03-01T10:00:00Z"`, other},
	} {
		got := read{schema: schema(c.schema), opts: options(t, c.options)}.run(t, input("t.jsonl", `{"t":`+c.value+"}\n"))
		if _, hint, _ := strings.Cut(got.Err, "hint: "); !strings.Contains(hint, c.hint) {
			t.Errorf("%s %s: %s, want a hint with %s", c.schema, c.value, got.Err, c.hint)
		}
	}
}
