package planner

import (
	"slices"
	"strings"

	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
)

// Settings of sinks that take updates by the primary key.
const (
	keyMaterialize = "table.exec.sink.upsert-materialize"
	keyOnConflict  = "table.exec.sink.require-on-conflict"
)

// checkConflict refuses ON CONFLICT where it says nothing: no row of the query takes
// the place of another, or the sink does not go by keys.
func (b *binder) checkConflict(s *sql.Insert, t *catalog.Table, info catalog.SinkInfo, q logical.Node) error {
	switch {
	case s.Conflict == "":
		return nil
	case q.Info().Mode == physical.Append:
		return b.errorf(diag.Changelog, s.Table.Span(), "ON CONFLICT is for updates, but the query only adds rows").WithHint("leave ON CONFLICT out")
	case !info.Upsert:
		return b.errorf(diag.Changelog, s.Table.Span(), "ON CONFLICT is for sinks that take updates by a key, but table %q takes each change", t.Name).
			WithHint("leave ON CONFLICT out")
	}
	return nil
}

// primaryKey returns the places of a table's primary key among columns; nil if it has
// none.
func primaryKey(t *catalog.Table, columns []catalog.Column) []int {
	var key []int
	for _, name := range t.PrimaryKey {
		key = append(key, slices.IndexFunc(columns, func(c catalog.Column) bool { return c.Name == name }))
	}
	return key
}

// settleSink decides which changes a sink gets that takes updates by the primary key:
// new rows only, where the rows of the query are told apart by that key. Where they are
// not, ON CONFLICT must say what becomes of rows of one key, which can be explained but
// not run.
func (env *Env) settleSink(n *logical.Sink, root physical.Node, run bool) error {
	sink := root.(*physical.Sink)
	if !n.Upsert || n.Mode == physical.Append {
		return nil
	}
	key := sink.Input.Info().Key
	if len(n.PrimaryKey) == 0 || len(key) == len(n.PrimaryKey) && !slices.ContainsFunc(key, func(k int) bool { return !slices.Contains(n.PrimaryKey, k) }) {
		settle(sink.Input, false)
		return nil
	}
	if v, _ := env.Settings.Get(keyMaterialize); strings.EqualFold(v, "NONE") {
		return nil
	}
	names := func(columns []int) string {
		var list []string
		for _, c := range columns {
			list = append(list, n.Schema.Fields[c].Name)
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	known := "by no key that is known"
	if len(key) > 0 {
		known = "by " + names(key)
	}
	if n.Conflict == "" {
		if !env.Settings.Bool(keyOnConflict) {
			return nil
		}
		return diag.New(diag.Changelog, n.Span, "the rows of the query are told apart %s, but the primary key of table %q is %s", known, n.Table, names(n.PrimaryKey)).
			WithHint("group by the primary key, or declare the key of the query in CREATE TABLE")
	}
	if s := withoutWatermark(n); s != nil && n.Conflict != "DEDUPLICATE" {
		return diag.New(diag.Watermark, n.Span, "ON CONFLICT DO %s needs watermarks, but table %q has none", n.Conflict, s.Name).
			WithHint("declare one in CREATE TABLE: WATERMARK FOR ts AS ts - INTERVAL '5' SECOND")
	}
	if run {
		return diag.New(diag.Unsupported, n.Span, "ON CONFLICT DO %s is not supported yet for rows that are told apart %s in a table with the primary key %s", n.Conflict, known, names(n.PrimaryKey)).
			WithHint("group by the primary key, or declare the key of the query in CREATE TABLE")
	}
	return nil
}

// withoutWatermark returns a source without watermarks below n, or nil.
func withoutWatermark(n logical.Node) *logical.Source {
	if s, ok := n.(*logical.Scan); ok && s.Source.Time < 0 {
		return s.Source
	}
	for _, in := range n.Inputs() {
		if s := withoutWatermark(in); s != nil {
			return s
		}
	}
	return nil
}
