package trace

import (
	"io"
	"math"
	"slices"
	"strings"

	"streamsql"
)

// Picture collects events and draws event time against the order of arrival.
type Picture struct {
	title   string
	points  []point
	rows    int64            // highest arrival number
	marks   []rise           // of the watermarks
	tables  []string         // in order of appearance
	counts  map[string]int64 // rows by fate
	windows map[span]*band
	results int64
	zone    string // of all times
}

// point is a row with event time.
type point struct {
	x, y, behind int64 // arrival number, event time, watermark before
	fate         streamsql.Fate
}

// rise is a watermark from a row on.
type rise struct{ table, x, w int64 }

type span struct{ start, end int64 }

// band is a window; fired is the arrival number at which it closed, 0: it did not.
type band struct {
	span
	fired int64
}

// NewPicture returns an empty picture with a title.
func NewPicture(title string) *Picture {
	return &Picture{title: title, counts: map[string]int64{}, windows: map[span]*band{}}
}

// Event takes an event into the picture.
func (p *Picture) Event(e streamsql.TraceEvent) {
	e = local(e)
	if zone := zoneName(e); p.zone == "" {
		p.zone = zone
	}
	if e.Row > 0 {
		p.rows = e.Row
		p.counts[e.Fate.String()]++
	}
	p.results += int64(len(e.Results))
	table := slices.Index(p.tables, e.Table)
	if table < 0 {
		table = len(p.tables)
		p.tables = append(p.tables, e.Table)
	}
	if e.After != e.Before && int64(e.After) != math.MaxInt64 {
		p.marks = append(p.marks, rise{int64(table), p.rows, int64(e.After)})
	}
	if e.Row > 0 && e.TimeColumn >= 0 && e.Nulls != nil && !e.Nulls[e.TimeColumn] {
		p.points = append(p.points, point{e.Row, int64(e.Time), int64(e.Before), e.Fate})
	}
	for _, list := range [...][]streamsql.TraceWindow{e.Windows, e.Missed, e.Fired} {
		for _, w := range list {
			s := span{int64(w.Start), int64(w.End)}
			if p.windows[s] == nil {
				p.windows[s] = &band{span: s}
			}
		}
	}
	for _, w := range e.Fired {
		b := p.windows[span{int64(w.Start), int64(w.End)}]
		if b.fired == 0 && int64(e.After) != math.MaxInt64 {
			b.fired = p.rows
		}
	}
}

// Empty reports whether there is nothing to draw: no row had an event time.
func (p *Picture) Empty() bool { return len(p.points) == 0 }

// bands returns the windows by their start.
func (p *Picture) bands() []*band {
	var list []*band
	for _, b := range p.windows {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *band) int {
		if a.start != b.start {
			return compare(a.start, b.start)
		}
		return compare(a.end, b.end)
	})
	return list
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// overlap reports whether bands, which are sorted, share times.
func overlap(list []*band) bool {
	for i := 1; i < len(list); i++ {
		if list[i].start < list[i-1].end {
			return true
		}
	}
	return false
}

// Write draws the picture as SVG.
func (p *Picture) Write(w io.Writer) error {
	d := newDrawing(p)
	d.all()
	_, err := io.WriteString(w, d.String())
	return err
}

// escape makes a text fit for XML.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
