package planner

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"streamsql/internal/diag"
	"streamsql/types"
)

// settingKind is the type of a setting's value.
type settingKind uint8

const (
	textSetting settingKind = iota
	boolSetting
	durationSetting
	intSetting
	zoneSetting
)

// setting is a key the planner knows. only, if set, lists the values that can be
// chosen; others of refused are valid in Flink but not supported here.
type setting struct {
	kind    settingKind
	preset  string // "": not set
	only    []string
	refused map[string]string // value → what it would be
}

// keyZone is the session time zone.
const keyZone = "table.local-time-zone"

const keyNotNull = "table.exec.sink.not-null-enforcer"

// keyMiniBatch is the switch with which Flink sends the changes of several rows as one.
const keyMiniBatch = "table.exec.mini-batch.enabled"

var knownSettings = map[string]setting{
	keyZone:       {kind: zoneSetting, preset: "UTC"},
	keyEarlyFire:  {kind: boolSetting, preset: "false"},
	keyEarlyDelay: {kind: durationSetting},
	keyLateFire:   {kind: boolSetting, preset: "false"},
	keyLateDelay:  {kind: durationSetting},
	keyLateness:   {kind: durationSetting},
	keyTTL:        {kind: durationSetting, preset: "0 ms"},
	keyCleanup:    {kind: durationSetting, preset: "0 ms"},
	keyAllowed:    {kind: durationSetting, preset: "0 ms"},
	keyNotNull:    {only: []string{"ERROR", "DROP"}, preset: "ERROR"},
	"table.exec.sink.type-length-enforcer": {only: []string{"IGNORE", "TRIM_PAD"}, preset: "IGNORE",
		refused: map[string]string{"TRIM_PAD": "cutting and padding texts at sinks"}},
	keyMaterialize:                                      {only: []string{"NONE", "AUTO", "FORCE"}, preset: "AUTO"},
	keyOnConflict:                                       {kind: boolSetting, preset: "true"},
	keyMiniBatch:                                        {kind: boolSetting, preset: "false"},
	"table.exec.mini-batch.allow-latency":               {kind: durationSetting, preset: "0 ms"},
	"table.exec.mini-batch.size":                        {kind: intSetting, preset: "-1"},
	keyIdleTimeout:                                      {kind: durationSetting, preset: "0 ms"},
	"table.exec.resource.default-parallelism":           {kind: intSetting, preset: "-1"},
	"table.optimizer.agg-phase-strategy":                {only: []string{"AUTO", "TWO_PHASE", "ONE_PHASE"}, preset: "AUTO"},
	"table.optimizer.distinct-agg.split.enabled":        {kind: boolSetting, preset: "false"},
	"table.optimizer.source.predicate-pushdown-enabled": {kind: boolSetting, preset: "true"},
	"table.dml-sync":                                    {kind: boolSetting, preset: "true"},
	"table.dynamic-table-options.enabled":               {kind: boolSetting, preset: "true"},
	"execution.runtime-mode": {only: []string{"streaming", "batch", "automatic"}, preset: "streaming",
		refused: map[string]string{"batch": "batch mode", "automatic": "batch mode"}},
	"parallelism.default":              {kind: intSetting},
	"pipeline.name":                    {},
	"pipeline.auto-watermark-interval": {kind: durationSetting, preset: "200 ms"},
	"sql-client.execution.result-mode": {only: []string{"table", "changelog", "tableau"}, preset: "table"},
}

// foreign are the namespaces of Flink's settings. A key in one of them that is not
// known is accepted and has no effect: it tunes a cluster.
var foreign = []string{
	"table.", "execution.", "pipeline.", "parallelism.", "sql-client.", "state.", "restart-strategy", "taskmanager.",
	"jobmanager.", "rest.", "cluster.", "metrics.", "high-availability", "env.", "yarn.", "kubernetes.", "security.",
	"classloader.", "web.", "client.", "blob.", "heartbeat.", "pekko.", "akka.", "task.", "python.", "fs.", "io.",
	"slot.", "resourcemanager.", "rpc.", "$internal.", "process.", "job.", "cleanup-strategy", "historyserver.",
}

// Settings are the options of a session.
type Settings struct{ values map[string]string }

// NewSettings returns the defaults.
func NewSettings() *Settings { return &Settings{values: map[string]string{}} }

// Set changes a setting. An unknown key is refused if it resembles a known one or is
// in no namespace of Flink. span is the place of the statement.
func (s *Settings) Set(key, value string, span diag.Span) error {
	k, ok := knownSettings[key]
	if !ok {
		names := slices.Sorted(maps.Keys(knownSettings))
		e := diag.New(diag.UndefinedOption, span, "setting %q does not exist", key)
		if near := diag.Suggest(key, names); near != "" && nearKey(key, near) {
			return e.WithHint("did you mean %q?", near)
		}
		if !slices.ContainsFunc(foreign, func(p string) bool { return strings.HasPrefix(key, p) }) {
			return e.DidYouMean(key, names, "SET lists the settings")
		}
		s.values[key] = value
		return nil
	}
	value = strings.TrimSpace(value)
	if err := k.check(key, value, span); err != nil {
		return err
	}
	s.values[key] = value
	return nil
}

// nearKey reports whether two keys differ by a slip: a few characters, not a word.
func nearKey(a, b string) bool {
	d := len(a) - len(b)
	if d < -3 || d > 3 {
		return false
	}
	return diag.Suggest(a, []string{b}) == b && sharedEnds(a, b) >= min(len(a), len(b))-4
}

// sharedEnds counts the characters at both ends that are alike.
func sharedEnds(a, b string) int {
	n := min(len(a), len(b))
	i, j := 0, 0
	for i < n && a[i] == b[i] {
		i++
	}
	for j < n-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return i + j
}

func (k setting) check(key, value string, span diag.Span) error {
	bad := func(want string) error {
		return diag.New(diag.InvalidArgument, span, "setting %q: %s is expected, but found %q", key, want, value)
	}
	switch k.kind {
	case boolSetting:
		if _, err := strconv.ParseBool(strings.ToLower(value)); err != nil || len(value) < 4 {
			return bad("true or false")
		}
	case durationSetting:
		if _, ok := parseDuration(value); !ok {
			return bad("a duration such as '3 s' or '10 min'")
		}
	case intSetting:
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return bad("a whole number")
		}
	case zoneSetting:
		if _, err := types.LoadZone(value); err != nil {
			return bad("a time zone such as 'UTC', 'Europe/Berlin' or '+02:00'")
		}
	}
	if len(k.only) == 0 {
		return nil
	}
	for _, o := range k.only {
		if strings.EqualFold(o, value) {
			if what := k.refused[o]; what != "" {
				return diag.New(diag.Unsupported, span, "%s is not supported yet", what).WithHint("SET '%s' = '%s'", key, k.preset)
			}
			return nil
		}
	}
	e := bad("one of " + strings.Join(k.only, ", "))
	return diag.As(e).DidYouMean(value, k.only, "")
}

// Reset puts a setting back to its default; the key "" stands for all. A key that
// was never set is ignored, unless it resembles a known one.
func (s *Settings) Reset(key string, span diag.Span) error {
	if key == "" {
		clear(s.values)
		return nil
	}
	_, known := knownSettings[key]
	if _, set := s.values[key]; !known && !set {
		names := slices.Sorted(maps.Keys(knownSettings))
		if near := diag.Suggest(key, names); near != "" {
			return diag.New(diag.UndefinedOption, span, "setting %q does not exist", key).WithHint("did you mean %q?", near)
		}
	}
	delete(s.values, key)
	return nil
}

// Zone returns the session time zone.
func (s *Settings) Zone() *types.Zone {
	name, _ := s.Get(keyZone)
	z, err := types.LoadZone(name)
	if err != nil {
		return types.UTC // not reached: Set checks the name
	}
	return z
}

// Get returns the value of a setting; ok is false if it is not set and has no
// default.
func (s *Settings) Get(key string) (value string, ok bool) {
	if v, ok := s.values[key]; ok {
		return v, true
	}
	k, ok := knownSettings[key]
	return k.preset, ok && k.preset != ""
}

// Bool returns a switch.
func (s *Settings) Bool(key string) bool {
	v, _ := s.Get(key)
	return strings.EqualFold(v, "true")
}

// Duration returns a duration in milliseconds; ok is false if it is not set.
func (s *Settings) Duration(key string) (ms int64, ok bool) {
	v, ok := s.Get(key)
	if !ok {
		return 0, false
	}
	return parseDuration(v)
}

// List returns the settings that are in force, sorted by key: those that were set,
// and the defaults.
func (s *Settings) List() [][2]string {
	merged := map[string]string{}
	for k, d := range knownSettings {
		if d.preset != "" {
			merged[k] = d.preset
		}
	}
	maps.Copy(merged, s.values)
	var list [][2]string
	for _, k := range slices.Sorted(maps.Keys(merged)) {
		list = append(list, [2]string{k, merged[k]})
	}
	return list
}

// durationUnits are the units of Flink's durations in nanoseconds.
var durationUnits = map[string]int64{
	"": 1e6, "ns": 1, "nano": 1, "nanos": 1, "nanosecond": 1, "nanoseconds": 1,
	"us": 1e3, "µs": 1e3, "micro": 1e3, "micros": 1e3, "microsecond": 1e3, "microseconds": 1e3,
	"ms": 1e6, "milli": 1e6, "millis": 1e6, "millisecond": 1e6, "milliseconds": 1e6,
	"s": 1e9, "sec": 1e9, "secs": 1e9, "second": 1e9, "seconds": 1e9,
	"m": 60e9, "min": 60e9, "mins": 60e9, "minute": 60e9, "minutes": 60e9,
	"h": 3600e9, "hour": 3600e9, "hours": 3600e9,
	"d": 86400e9, "day": 86400e9, "days": 86400e9,
}

// parseDuration reads '3 s', '10ms', '2 h'; a number alone is milliseconds.
func parseDuration(s string) (ms int64, ok bool) {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(s[:i], 10, 64)
	unit, known := durationUnits[strings.ToLower(strings.TrimSpace(s[i:]))]
	if err != nil || !known || n > 1<<62/unit {
		return 0, false
	}
	return n * unit / 1e6, true
}
