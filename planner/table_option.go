package planner

import (
	"streamsql/internal/diag"
	"streamsql/planner/logical"
)

// keyMaxFuture is the option of a table that says how far its event times may be ahead
// of the clock.
const keyMaxFuture = "max-future"

// TableOption reports whether an option of a table is one that the planner takes, for
// any connector.
func TableOption(key string) bool { return key == keyMaxFuture || watermarkOption(key) }

// maxFuture reads the option max-future of a source, in milliseconds; 0 if it is not
// set.
func maxFuture(s *logical.Source) (int64, error) {
	for _, o := range s.Table.Options {
		if o.Key.Value != keyMaxFuture {
			continue
		}
		ms, ok := parseDuration(o.Value.Value)
		if !ok || ms <= 0 {
			return 0, diag.New(diag.InvalidArgument, o.Value.Span(), "option %q must be a duration above zero, but is %q", keyMaxFuture, o.Value.Value).
				WithHint("write '%s' = '1 h'", keyMaxFuture)
		}
		if s.Watermark == nil {
			return 0, diag.New(diag.Watermark, o.Key.Span(), "option %q needs a watermark: without one no row can make others late", keyMaxFuture).
				WithHint("add WATERMARK FOR ts AS ts - INTERVAL '5' SECOND to the table")
		}
		return ms, nil
	}
	return 0, nil
}
