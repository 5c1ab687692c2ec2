package physical

import (
	"math"
	"strconv"
	"strings"

	"streamsql/window"
)

// Describe names the scan.
func (n *Scan) Describe() (string, []Attr) {
	attrs := []Attr{{Value: n.Table}}
	for _, o := range n.Options {
		attrs = append(attrs, Attr{Value: o})
	}
	attrs = append(attrs, Attr{"columns", names(n.Schema.Names())})
	if n.Live {
		attrs = append(attrs, Attr{Value: "live"})
	}
	if n.IdleTimeout > 0 {
		attrs = append(attrs, Attr{"idle-timeout", DurationText(n.IdleTimeout)})
	}
	if !n.Bounded {
		attrs = append(attrs, Attr{Value: "unbounded"})
	}
	return "Scan", attrs
}

// Describe names the watermark assigner.
func (n *WatermarkAssigner) Describe() (string, []Attr) {
	return "WatermarkAssigner", []Attr{{"watermark", ExprText(n.Watermark)}}
}

// Describe names the filter.
func (n *Filter) Describe() (string, []Attr) {
	return "Filter", []Attr{{Value: ExprText(n.Cond)}}
}

// Describe names the projection.
func (n *Project) Describe() (string, []Attr) {
	return "Project", []Attr{{Value: ProjectText(n.Schema, n.Exprs)}}
}

// Describe names the window function.
func (n *WindowTVF) Describe() (string, []Attr) {
	attrs := []Attr{{"window", WindowText(n.Window, n.Schema.Fields[n.Time].Name)}}
	if n.Window.Kind == window.Session {
		keys := make([]string, len(n.Partition))
		for i, k := range n.Partition {
			keys[i] = n.Schema.Fields[k].Name
		}
		attrs = append(attrs, Attr{"partition", names(keys)}, Attr{"emit", "on-window-close"}, Attr{"drop", "window-closed"})
	}
	return "WindowTVF", attrs
}

// Describe names the late filter.
func (n *LateFilter) Describe() (string, []Attr) {
	attrs := []Attr{{"window", WindowText(n.Window, n.Schema.Fields[n.Time].Name)}, {"drop", "window-closed"}}
	if n.Lateness > 0 {
		attrs = append(attrs, Attr{"lateness", DurationText(n.Lateness)})
	}
	return "LateFilter", attrs
}

// Describe names the window aggregate.
func (n *WindowAggregate) Describe() (string, []Attr) {
	in := n.Input.Info().Schema
	attrs := []Attr{
		{"window", WindowText(n.Window, in.Fields[n.Time].Name)},
		{"keys", columnNames(n.Input.Info(), n.Keys)},
		{"aggs", aggregateNames(n.Aggs)},
	}
	if n.Window.Kind == window.Session && !n.Processing {
		attrs = append(attrs, Attr{"drop", "window-closed"})
	}
	attrs = append(attrs, Attr{"emit", n.emitText()})
	if n.LateFire {
		attrs = append(attrs, Attr{"lateness", DurationText(n.Lateness)})
	}
	return "WindowAggregate", attrs
}

// emitText says when the aggregate sends rows.
func (n *WindowAggregate) emitText() string {
	text := "on-window-close"
	switch {
	case n.EarlyFire && n.EarlyDelay == 0 && (!n.LateFire || n.LateDelay == 0):
		return "on-row"
	case n.EarlyFire && n.EarlyDelay == 0:
		text = "on-row, on-window-close"
	case n.EarlyFire:
		text = "every " + DurationText(n.EarlyDelay) + ", on-window-close"
	}
	switch {
	case n.LateFire && n.LateDelay == 0:
		text += ", on-late-row"
	case n.LateFire:
		text += ", every " + DurationText(n.LateDelay) + " when late"
	}
	return text
}

// Describe names the union.
func (n *UnionAll) Describe() (string, []Attr) { return "UnionAll", nil }

// Describe names the constant table.
func (n *Values) Describe() (string, []Attr) {
	rows := make([]string, 0, 3)
	for i, r := range n.Rows {
		if i == 3 {
			rows = append(rows, "...")
			break
		}
		rows = append(rows, "("+exprList(r)+")")
	}
	return "Values", []Attr{{"rows", strconv.Itoa(len(n.Rows))}, {Value: names(rows)}}
}

// Describe names the limit.
func (n *Limit) Describe() (string, []Attr) { return "Limit", LimitAttrs(n.Offset, n.Count) }

// Describe names the sink.
func (n *Sink) Describe() (string, []Attr) {
	attrs := []Attr{{Value: n.Table}, {"columns", names(n.Schema.Names())}}
	if len(n.NotNull) > 0 {
		required := make([]string, len(n.NotNull))
		for i, c := range n.NotNull {
			required[i] = n.Schema.Fields[c].Name
		}
		attrs = append(attrs, Attr{"not-null", names(required)})
	}
	return "Sink", attrs
}

// LimitAttrs describes LIMIT and OFFSET.
func LimitAttrs(offset, count int64) []Attr {
	var attrs []Attr
	if count != math.MaxInt64 {
		attrs = append(attrs, Attr{"rows", strconv.FormatInt(count, 10)})
	}
	if offset > 0 {
		attrs = append(attrs, Attr{"offset", strconv.FormatInt(offset, 10)})
	}
	return attrs
}

func names(list []string) string { return "[" + strings.Join(list, ", ") + "]" }

// Changes returns the changes the node sends in Flink's form: [I], [I,UB,UA,D].
func (b *Base) Changes() string {
	kinds := []string{"I"}
	if b.Mode != Append {
		if b.Mode == Retract {
			kinds = append(kinds, "UB")
		}
		kinds = append(kinds, "UA")
		if !b.NoDelete {
			kinds = append(kinds, "D")
		}
	}
	return "[" + strings.Join(kinds, ",") + "]"
}
