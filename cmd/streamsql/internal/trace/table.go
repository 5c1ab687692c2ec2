package trace

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"streamsql"
	"streamsql/cmd/streamsql/internal/format"
)

// Table writes a line for each event. Times are shown without the date where it is
// that of the first row.
type Table struct {
	w     io.Writer
	live  bool
	p     format.Printer
	day   int64
	dated bool // day is known
	buf   []byte
	err   error
}

// NewTable returns a table on w. It is written when its columns are known to be wide
// enough.
func NewTable(w io.Writer) *Table { return &Table{w: w} }

// SetLive has each line written at once, and what there is already.
func (t *Table) SetLive() {
	t.live = true
	if t.p != nil {
		t.buf = t.p.Flush(t.buf)
		t.write()
	}
}

var tableColumns = []format.Column{
	{Name: "#"}, {Name: "table"}, {Name: "event time"}, {Name: "other values"},
	{Name: "watermark before"}, {Name: "and after"}, {Name: "fate"}, {Name: "window"}, {Name: "fires"}, {Name: "result"},
}

// shownMany is how many windows or results of a line are written out.
const shownMany = 3

// Event writes an event.
func (t *Table) Event(e streamsql.TraceEvent) {
	e = local(e)
	if t.p == nil {
		t.begin(e)
	}
	number, table, at := "", e.Table, "end of input"
	if e.Row > 0 {
		number, at = fmt.Sprint(e.Row), t.time(int64(e.Time))
		if e.TimeColumn < 0 || e.Nulls != nil && e.Nulls[e.TimeColumn] {
			at = "none"
		}
	} else if int64(e.After) != math.MaxInt64 {
		at = "watermark"
	}
	windows, missed := t.windows(e.Windows), t.windows(e.Missed)
	if len(e.Windows) == 0 && missed != "" {
		windows = "missed " + missed
	}
	cells := []string{number, table, at, values(e), t.time(int64(e.Before)), t.time(int64(e.After)), e.Fate.String(), windows, t.fires(e.Fired), results(e.Results)}
	row := make([]format.Cell, len(cells))
	for i, c := range cells {
		if t.live && i < len(liveWidths) {
			c = fmt.Sprintf("%-*s", liveWidths[i], c)
		}
		row[i].Text = []byte(c)
	}
	t.buf = t.p.Row(t.buf, streamsql.Insert, row)
	if t.live {
		t.buf = t.p.Flush(t.buf)
	}
	t.write()
}

// liveWidths are for columns that the first line says little about.
var liveWidths = [...]int{0, 0, 12, 0, 12, 12, 11, 20, 24}

func (t *Table) begin(e streamsql.TraceEvent) {
	t.p = format.New("table", tableColumns, format.Layout{Live: true})
	t.buf = t.p.Begin(nil)
	if e.Row > 0 && e.TimeColumn >= 0 {
		t.day, t.dated = dayOf(int64(e.Time)), true
		t.buf = fmt.Appendf(t.buf, "trace: times without a date are of %s (%s)\n", clock(int64(e.Time), time.DateOnly), zoneName(e))
	}
}

// Close completes the table.
func (t *Table) Close() error {
	if t.p != nil {
		t.buf = t.p.End(t.buf)
		t.write()
	}
	return t.err
}

func (t *Table) write() {
	if len(t.buf) > 0 && t.err == nil {
		_, t.err = t.w.Write(trimLines(t.buf))
	}
	t.buf = t.buf[:0]
}

// trimLines takes the blanks at the ends of lines away, in place.
func trimLines(text []byte) []byte {
	out := text[:0]
	for line := range bytes.Lines(text) {
		out = append(append(out, bytes.TrimRight(line, " \n")...), '\n')
	}
	return out
}

const dayMillis = 24 * 60 * 60 * 1000

func dayOf(ms int64) int64 {
	d := ms / dayMillis
	if ms%dayMillis < 0 {
		d--
	}
	return d
}

func (t *Table) time(at int64) string {
	switch at {
	case math.MinInt64:
		return "none yet"
	case math.MaxInt64:
		return "end"
	}
	if t.dated && dayOf(at) == t.day {
		return clock(at, "15:04:05.000")
	}
	return clock(at, "2006-01-02 15:04:05.000")
}

func clock(ms int64, layout string) string { return time.UnixMilli(ms).UTC().Format(layout) }

func (t *Table) windows(list []streamsql.TraceWindow) string {
	return some(len(list), func(i int) string { return t.window(list[i]) })
}

// window is [start, end) without fractions that are zero.
func (t *Table) window(w streamsql.TraceWindow) string {
	short := func(at int64) string { return strings.TrimSuffix(t.time(at), ".000") }
	return "[" + short(int64(w.Start)) + ", " + short(int64(w.End)) + ")"
}

func (t *Table) fires(list []streamsql.TraceWindow) string {
	return some(len(list), func(i int) string {
		switch w := list[i]; w.Rows {
		case 0:
			return t.window(w)
		case 1:
			return t.window(w) + " of 1 row"
		default:
			return fmt.Sprintf("%s of %d rows", t.window(w), w.Rows)
		}
	})
}

// some joins the first of n texts and says how many more there are.
func some(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i == shownMany && n > shownMany+1 {
			fmt.Fprintf(&b, "and %d more", n-i)
			break
		}
		b.WriteString(text(i))
	}
	return b.String()
}

// values are the values of a row besides its event time.
func values(e streamsql.TraceEvent) string {
	var b strings.Builder
	for i, v := range e.Values {
		if i == e.TimeColumn {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if e.Nulls[i] {
			v = "NULL"
		}
		b.WriteString(v)
	}
	return b.String()
}

func results(list []streamsql.TraceChange) string {
	return some(len(list), func(i int) string {
		c := list[i]
		var b strings.Builder
		b.WriteString(c.Kind.String() + "(")
		for k, v := range c.Values {
			if k > 0 {
				b.WriteString(", ")
			}
			if c.Nulls[k] {
				v = "NULL"
			}
			b.WriteString(v)
		}
		b.WriteByte(')')
		return b.String()
	})
}
