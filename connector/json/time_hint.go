package json

import (
	"bytes"

	"streamsql/types"
)

// secondDigits is how many digits seconds since 1970 have from 2001 to 2286; milliseconds
// have so few up to April 1970 only.
const secondDigits = 10

// timeHint says how times are read that are written in another way than the column
// expects; raw is one of them, as it is spelled.
func (d *Decoder) timeHint(c *column, raw []byte) string {
	if d.opts.Inferred || !c.Type.IsTimestamp() || len(raw) == 0 {
		return ""
	}
	if len(bytes.Trim(raw, "0123456789")) == 0 {
		if len(raw) <= secondDigits {
			return "declare the column as BIGINT, and compute the time: ts AS TO_TIMESTAMP_LTZ(seconds, 0)"
		}
		return "declare the column as BIGINT, and compute the time: ts AS TO_TIMESTAMP_LTZ(millis, 3)"
	}
	const form = `"2026-03-01T`
	if len(raw) < len(form) || raw[5] != '-' || raw[8] != '-' || raw[11] != 'T' {
		return ""
	}
	clock := bytes.Trim(raw[len(form):], `"`)
	zone := bytes.HasSuffix(clock, []byte("Z"))
	switch {
	case bytes.ContainsAny(clock, "+-"):
		return "" // neither standard has offsets
	case zone && c.Type.Kind == types.Timestamp && d.opts.ISO:
		return "declare the column as TIMESTAMP_LTZ(3): the text has a zone"
	case zone && c.Type.Kind == types.Timestamp:
		return "declare the column as TIMESTAMP_LTZ(3), as the text has a zone, and set 'json.timestamp-format.standard' = 'ISO-8601'"
	case !d.opts.ISO:
		return "set 'json.timestamp-format.standard' = 'ISO-8601'"
	}
	return ""
}
