package planner

import (
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/sql"
)

// The options of a table that concern its watermark, as in Flink.
const (
	keyEmitStrategy   = "scan.watermark.emit.strategy"
	keyEmitGap        = "scan.watermark.emit.on-event.gap"
	keyScanIdle       = "scan.watermark.idle-timeout"
	keyAlignGroup     = "scan.watermark.alignment.group"
	keyAlignDrift     = "scan.watermark.alignment.max-drift"
	keyAlignInterval  = "scan.watermark.alignment.update-interval"
	watermarkPrefix   = "scan.watermark."
	keyIdleTimeout    = "table.exec.source.idle-timeout"
	alignmentHintText = "write both '" + keyAlignGroup + "' and '" + keyAlignDrift + "', or neither"
)

var watermarkKeys = []string{keyEmitStrategy, keyEmitGap, keyScanIdle, keyAlignGroup, keyAlignDrift, keyAlignInterval}

// watermarkOption reports whether key is one of them, or a misspelled one.
func watermarkOption(key string) bool { return strings.HasPrefix(key, watermarkPrefix) }

// watermarkOptions checks the options of a source that concern its watermark, and
// returns after how many milliseconds without rows it is idle; 0: never. The watermark
// follows each row whatever the strategy, and sources are aligned by the order in which
// they are read, so only the idle timeout has an effect.
func (b *binder) watermarkOptions(s *logical.Source) (int64, error) {
	idle, _ := b.env.Settings.Duration(keyIdleTimeout)
	given := map[string]sql.Option{}
	for _, o := range s.Table.Options {
		key := o.Key.Value
		if !watermarkOption(key) {
			continue
		}
		given[key] = o
		if err := checkWatermarkOption(o); err != nil {
			return 0, err
		}
		if key == keyScanIdle {
			idle, _ = parseDuration(o.Value.Value)
		}
	}
	for _, pair := range [][2]string{{keyAlignGroup, keyAlignDrift}, {keyAlignDrift, keyAlignGroup}, {keyAlignInterval, keyAlignGroup}} {
		o, has := given[pair[0]]
		if _, other := given[pair[1]]; has && !other {
			return 0, diag.New(diag.InvalidArgument, o.Key.Span(), "option %q needs the option %q", pair[0], pair[1]).WithHint(alignmentHintText)
		}
	}
	if s.Time < 0 {
		return 0, nil
	}
	return idle, nil
}

func checkWatermarkOption(o sql.Option) error {
	key, value := o.Key.Value, strings.TrimSpace(o.Value.Value)
	bad := func(want string) error {
		return diag.New(diag.InvalidArgument, o.Value.Span(), "option %q must be %s, but is %q", key, want, o.Value.Value)
	}
	switch key {
	case keyEmitStrategy:
		if value != "on-event" && value != "on-periodic" {
			return bad("'on-event' or 'on-periodic'")
		}
	case keyEmitGap:
		if value != "1" {
			return diag.New(diag.Unsupported, o.Value.Span(), "a watermark for every %s rows only is not supported", value).
				WithHint("leave the option %q away: the watermark follows each row", key)
		}
	case keyScanIdle, keyAlignDrift, keyAlignInterval:
		if _, ok := parseDuration(value); !ok {
			return bad("a duration such as '5 s'")
		}
	case keyAlignGroup:
		if value == "" {
			return bad("a name")
		}
	default:
		e := diag.New(diag.UndefinedOption, o.Key.Span(), "there is no option %q", key)
		return e.DidYouMean(key, watermarkKeys, listHint("options", watermarkKeys))
	}
	return nil
}
