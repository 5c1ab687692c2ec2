package json

import (
	"bytes"

	"streamsql/types"
)

// timeHint says how times are read that are written in another way than the column
// expects; raw is one of them, as it is spelled.
func (d *Decoder) timeHint(c *column, raw []byte) string {
	switch {
	case d.opts.Inferred || !c.Type.IsTimestamp() || len(raw) == 0:
		return ""
	case '0' <= raw[0] && raw[0] <= '9' && !bytes.ContainsAny(raw, "-:"):
		return "declare the column as BIGINT, and compute the time: ts AS TO_TIMESTAMP_LTZ(millis, 3)"
	case len(raw) < len(`"2026-03-01T`) || raw[5] != '-' || raw[8] != '-' || raw[11] != 'T':
		return ""
	case !d.opts.ISO:
		return "set 'json.timestamp-format.standard' = 'ISO-8601'"
	case c.Type.Kind == types.Timestamp && bytes.HasSuffix(bytes.Trim(raw, `"`), []byte("Z")):
		return "declare the column as TIMESTAMP_LTZ(3): the text has a zone"
	}
	return ""
}
