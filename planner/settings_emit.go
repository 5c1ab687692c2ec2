package planner

import (
	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/window"
)

// The switches of late and early results; they apply to legacy group windows only.
const (
	keyEarlyFire  = "table.exec.emit.early-fire.enabled"
	keyEarlyDelay = "table.exec.emit.early-fire.delay"
	keyLateFire   = "table.exec.emit.late-fire.enabled"
	keyLateDelay  = "table.exec.emit.late-fire.delay"
	keyLateness   = "table.exec.emit.allow-lateness"
	keyTTL        = "table.exec.state.ttl"
)

// keyAllowed is the allowed lateness of window aggregates, an addition to Flink: there
// only group windows have one, and it takes three settings.
const keyAllowed = "streamsql.window.allowed-lateness"

func (s *Settings) lateFire() bool  { return s.Bool(keyLateFire) }
func (s *Settings) earlyFire() bool { return s.Bool(keyEarlyFire) }

// emitStrategy applies the table.exec.emit.* settings to a legacy group window.
func (b *binder) emitStrategy(n *logical.Aggregate, w *legacyWindow) error {
	s := b.env.Settings
	if s.earlyFire() {
		delay, ok := s.Duration(keyEarlyDelay)
		if !ok {
			return b.errorf(diag.Window, w.span, "early firing needs a delay").
				WithHint("SET '%s' = '0 s'", keyEarlyDelay)
		}
		n.EarlyFire, n.EarlyDelay, n.Mode = true, delay, physical.Retract
	}
	if w.processing {
		return nil // nothing is late for it
	}
	if !s.lateFire() {
		return b.allowedLateness(w.span, n)
	}
	delay, ok := s.Duration(keyLateDelay)
	if !ok {
		return b.errorf(diag.Window, w.span, "late firing needs a delay").WithHint("SET '%s' = '0 s'", keyLateDelay)
	}
	lateness, ok := s.Duration(keyLateness)
	if !ok {
		lateness, _ = s.Duration(keyTTL)
	}
	if lateness <= 0 {
		return b.errorf(diag.Window, w.span, "late firing needs an allowed lateness").WithHint("SET '%s' = '1 min'", keyLateness)
	}
	if delay > lateness {
		return b.errorf(diag.Window, w.span, "the delay of late firing is longer than the allowed lateness").
			WithHint("SET '%s' = '0 s'", keyLateDelay)
	}
	n.LateFire, n.LateDelay, n.Lateness = true, delay, lateness
	return nil
}

// noEmit refuses to aggregate over a window function while early or late firing is
// on: as in Flink it is made for group windows only.
func (b *binder) noEmit(span diag.Span) error {
	key := keyLateFire
	switch {
	case b.env.Settings.earlyFire():
		key = keyEarlyFire
	case !b.env.Settings.lateFire():
		return nil
	}
	return b.errorf(diag.Window, span, "aggregates over a window table function cannot fire early or late").
		WithHint("RESET '%s' and SET '%s' = '3 s' for late rows, or write GROUP BY TUMBLE(ts, size)", key, keyAllowed)
}

// allowedLateness makes a window aggregate send its result again for rows that are late
// by no more than the session allows.
func (b *binder) allowedLateness(span diag.Span, n *logical.Aggregate) error {
	lateness, _ := b.env.Settings.Duration(keyAllowed)
	if lateness <= 0 {
		return nil
	}
	if n.Processing {
		return nil
	}
	if n.Window.Kind == window.Session {
		return b.unsupported(span, "an allowed lateness for SESSION windows", "RESET '"+keyAllowed+"'")
	}
	n.LateFire, n.Lateness = true, lateness
	return nil
}

// updatesOff is the setting without which a window aggregate sends no updates.
func (s *Settings) updatesOff() string {
	if lateness, _ := s.Duration(keyAllowed); lateness > 0 && !s.lateFire() {
		return keyAllowed
	}
	return keyLateFire
}
