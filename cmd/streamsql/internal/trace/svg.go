package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"streamsql"
	"streamsql/cmd/streamsql/internal/report"
)

// The page, in pixels.
const (
	pageWidth, pageHeight = 1200, 780
	plotLeft, plotRight   = 122, 1056
	plotTop, plotBottom   = 104, 692
	gutter                = 9 // between the plot and the names of windows
)

// Colours that people who cannot tell red from green can tell apart.
const (
	inkText   = "#222222"
	inkFaint  = "#666666"
	inkTime   = "#2b6ca3"
	inkMerged = "#d98200"
	inkLate   = "#b3123b"
	inkMark   = "#111111"
	inkOut    = "#9a9a9a"
	inkBand   = "#eef2f6"
	inkClosed = "#d4d9e0"
)

// drawing is a picture on its way to SVG.
type drawing struct {
	strings.Builder
	p     *Picture
	x, y  scale
	bands []*band
}

func newDrawing(p *Picture) *drawing {
	d := &drawing{p: p, bands: p.bands()}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, pt := range p.points {
		lo, hi = min(lo, pt.y), max(hi, pt.y)
	}
	for _, b := range d.bands {
		lo, hi = min(lo, b.start), max(hi, b.end)
	}
	d.x = scale{0, p.rows + max(1, p.rows/100), plotLeft, plotRight}
	d.y = scale{lo, hi, plotBottom, plotTop}
	return d
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) all() {
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="%s">`,
		pageWidth, pageHeight, pageWidth, pageHeight, inkText)
	d.put(`<title>%s</title>`, escape.Replace(d.p.title))
	d.put(`<rect width="%d" height="%d" fill="#ffffff"/>`, pageWidth, pageHeight)
	d.put(`<clipPath id="plot"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>`, plotLeft, plotTop, plotRight-plotLeft, plotBottom-plotTop)
	d.head()
	if overlap(d.bands) {
		d.lanes()
	} else {
		d.areas()
	}
	d.axes()
	d.dots("filtered", inkOut, streamsql.FateFiltered)
	d.dots("in-time", inkTime, streamsql.FateInTime, streamsql.FatePassed)
	d.put(`<g clip-path="url(#plot)">`)
	d.watermarks()
	d.put(`</g>`)
	d.shapes("merged", inkMerged, streamsql.FateMerged)
	d.shapes("late", inkLate, streamsql.FateLate, streamsql.FateDropped)
	d.put(`</svg>`)
}

// areas draws windows that do not overlap as bands: the part to the right of where a
// window closed is darker.
func (d *drawing) areas() {
	d.put(`<g class="windows" font-size="11" fill="%s">`, inkFaint)
	_, step, _ := timeTicks(d.y.lo, d.y.hi, 14)
	for _, b := range d.bands {
		step = min(step, b.end-b.start)
	}
	layout := timeLayout(step)
	above := float64(pageHeight)
	for i, b := range d.bands {
		top, height := d.y.at(b.end), d.y.at(b.start)-d.y.at(b.end)
		if i%2 == 0 {
			d.put(`<rect class="window" x="%d" y="%.1f" width="%d" height="%.1f" fill="%s"/>`, plotLeft, top, plotRight-plotLeft, height, inkBand)
		} else {
			d.put(`<rect class="window" x="%d" y="%.1f" width="%d" height="%.1f" fill="none"/>`, plotLeft, top, plotRight-plotLeft, height)
		}
		if b.fired > 0 {
			at := d.x.at(b.fired)
			d.put(`<rect class="closed" x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, at, top, plotRight-at, height, inkClosed)
			d.put(`<path d="M%.1f %.1fv%.1f" stroke="#ffffff" stroke-width="1.5"/>`, at, top, height)
		}
		d.put(`<path d="M%d %.1fH%d" stroke="#ffffff"/>`, plotLeft, top, plotRight)
		if middle := top + height/2; above-middle >= 12 {
			name := "[" + clock(b.start, layout) + ", " + clock(b.end, layout) + ")"
			if len(layout) > len("15:04:05") { // no room for both
				name = "from " + clock(b.start, layout)
			}
			d.put(`<text x="%d" y="%.1f">%s</text>`, plotRight+gutter, middle+4, name)
			above = middle
		}
	}
	d.put(`</g>`)
	d.put(`<text x="%d" y="%d" font-size="11" fill="%s">windows</text>`, plotRight+gutter, plotTop-9, inkFaint)
}

// lanes draws windows that overlap as bars beside the plot, each in the first lane
// that is free.
func (d *drawing) lanes() {
	const width, most = 8, 13
	var ends []int64
	d.put(`<g class="windows">`)
	left := 0
	for _, b := range d.bands {
		lane := slices.IndexFunc(ends, func(e int64) bool { return e <= b.start })
		if lane < 0 {
			if lane = len(ends); lane == most {
				left++
				continue
			}
			ends = append(ends, 0)
		}
		ends[lane] = b.end
		top := d.y.at(b.end)
		d.put(`<rect class="window" x="%d" y="%.1f" width="%d" height="%.1f" rx="2" fill="%s" stroke="#ffffff"/>`,
			plotRight+gutter+lane*width, top, width-1, d.y.at(b.start)-top, inkClosed)
	}
	d.put(`</g>`)
	text := "windows"
	if left > 0 {
		text = fmt.Sprintf("windows (%s hidden)", report.Count(int64(left)))
	}
	d.put(`<text x="%d" y="%d" font-size="11" fill="%s">%s</text>`, plotRight+gutter, plotTop-9, inkFaint, text)
}

func (d *drawing) axes() {
	d.put(`<g class="axes" fill="%s">`, inkFaint)
	d.put(`<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`, plotLeft, plotTop, plotBottom, plotRight, inkFaint)
	ticks, _, layout := timeTicks(d.y.lo, d.y.hi, 14)
	for _, t := range ticks {
		y := d.y.at(t)
		d.put(`<path d="M%d %.1fh-5" stroke="%s"/>`, plotLeft, y, inkFaint)
		d.put(`<text class="time" x="%d" y="%.1f" text-anchor="end">%s</text>`, plotLeft-9, y+4, clock(t, layout))
	}
	for _, n := range countTicks(1, d.p.rows, 9) {
		x := d.x.at(n)
		d.put(`<path d="M%.1f %dv5" stroke="%s"/>`, x, plotBottom, inkFaint)
		d.put(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, plotBottom+19, report.Count(n))
		if w := d.watermarkAt(n); w != "" {
			d.put(`<text class="time" x="%.1f" y="%d" text-anchor="middle" font-size="11">%s</text>`, x, plotBottom+36, w)
		}
	}
	if len(d.p.tables) == 1 && len(d.p.marks) > 0 {
		d.put(`<text x="%d" y="%d" text-anchor="end" font-size="11">watermark</text>`, plotLeft+14, plotBottom+36)
	}
	d.put(`</g>`)
	d.put(`<text x="%d" y="%d" text-anchor="middle" font-size="13">order of arrival (number of the row)</text>`, (plotLeft+plotRight)/2, plotBottom+62)
	d.put(`<text transform="translate(18 %d) rotate(-90)" text-anchor="middle" font-size="13">event time (%s)</text>`, (plotTop+plotBottom)/2, d.days())
}

// watermarkAt is the time of the watermark at an arrival, where there is only one.
func (d *drawing) watermarkAt(n int64) string {
	if len(d.p.tables) != 1 {
		return ""
	}
	i, found := slices.BinarySearchFunc(d.p.marks, n, func(r rise, n int64) int { return compare(r.x, n) })
	if !found {
		i--
	}
	if i < 0 {
		return ""
	}
	_, _, layout := timeTicks(d.y.lo, d.y.hi, 14)
	if w := d.p.marks[i].w; layout != "15:04:05" || w%1000 == 0 {
		return clock(w, layout)
	}
	return clock(d.p.marks[i].w, "15:04:05.000")
}

// days are the dates that the axis of times spans.
func (d *drawing) days() string {
	first, last := clock(d.y.lo, "2006-01-02"), clock(d.y.hi-1, "2006-01-02")
	if first == last {
		return first + ", " + d.p.zone
	}
	return first + " to " + last + ", " + d.p.zone
}

// watermarks draws the watermark of each source as steps, on a white border.
func (d *drawing) watermarks() {
	for table := range d.p.tables {
		var path strings.Builder
		lastX, lastY := -1.0, 0.0
		for _, m := range d.p.marks {
			if m.table != int64(table) {
				continue
			}
			// Half a pixel is not seen; the last value of a place counts.
			x, y := d.x.at(m.x), min(d.y.at(m.w), pageHeight)
			switch {
			case lastX < 0:
				fmt.Fprintf(&path, "M%.1f %.1f", x, y)
			case lastY-y < 0.5:
				continue
			default:
				fmt.Fprintf(&path, "H%.1fV%.1f", x, y)
			}
			lastX, lastY = x, y
		}
		if lastX < 0 {
			continue
		}
		fmt.Fprintf(&path, "H%d", plotRight)
		d.put(`<path d="%s" fill="none" stroke="#ffffff" stroke-width="4" stroke-opacity="0.8"/>`, &path)
		d.put(`<path class="watermark" d="%s" fill="none" stroke="%s" stroke-width="1.8"%s/>`, &path, inkMark, dash(table))
	}
}

// dash tells the watermarks of several sources apart.
func dash(table int) string {
	if table == 0 {
		return ""
	}
	return fmt.Sprintf(` stroke-dasharray="%d 3"`, 2+4*(table%4))
}

// dots draws the rows of some fates as dots; of those that fall on the same place one is
// drawn.
func (d *drawing) dots(class, ink string, fates ...streamsql.Fate) {
	var path strings.Builder
	seen := map[[2]int]bool{}
	size := d.dotSize()
	for _, pt := range d.p.points {
		if !slices.Contains(fates, pt.fate) {
			continue
		}
		x, y := d.x.at(pt.x), d.y.at(pt.y)
		k := [2]int{int(x), int(y)}
		if size < 5 {
			if seen[k] {
				continue
			}
			seen[k] = true
		}
		fmt.Fprintf(&path, "M%.0f %.0fh0", x, y)
	}
	if path.Len() > 0 {
		d.put(`<path class="%s" d="%s" fill="none" stroke="%s" stroke-width="%g" stroke-linecap="round" stroke-opacity="%g"/>`, class, &path, ink, size, dotOpacity(size))
	}
}

// dotSize is smaller the more rows there are.
func (d *drawing) dotSize() float64 {
	switch n := len(d.p.points); {
	case n <= 200:
		return 8
	case n <= 2000:
		return 5
	}
	return 2.2
}

func dotOpacity(size float64) float64 {
	if size < 5 {
		return 0.7
	}
	return 0.9
}

// shapes draws each row of some fates by itself: a diamond that was merged, a cross
// that was late. The tooltip says which row it is.
func (d *drawing) shapes(class, ink string, fates ...streamsql.Fate) {
	r := 5.5
	if size := d.dotSize(); size < 5 {
		r = 2.6
	}
	shape := fmt.Sprintf("m-%g-%gl%g %gm0-%gl-%g %g", r, r, 2*r, 2*r, 2*r, 2*r, 2*r)
	fill := "none"
	if class == "merged" {
		shape, fill = fmt.Sprintf("m0-%gl%g %gl-%g %gl-%g-%gz", r, r, r, r, r, r, r), ink
	}
	begun := false
	layout := "15:04:05"
	for _, pt := range d.p.points {
		if !slices.Contains(fates, pt.fate) {
			continue
		}
		if !begun {
			begun = true
			d.put(`<g class="%s" fill="%s" stroke="%s" stroke-width="%g">`, class, fill, ink, max(1, r/3))
		}
		d.put(`<path d="M%.1f %.1f%s"><title>row %d: %s, watermark %s</title></path>`,
			d.x.at(pt.x), d.y.at(pt.y), shape, pt.x, clock(pt.y, layout), clock(pt.behind, layout))
	}
	if begun {
		d.put(`</g>`)
	}
}

// head writes the title, the counts and the legend.
func (d *drawing) head() {
	d.put(`<text x="%d" y="30" font-size="14" font-weight="bold">%s</text>`, plotLeft, escape.Replace(cut(d.p.title, 105)))
	d.put(`<text x="%d" y="51" fill="%s">%s rows in the order in which they arrived; %s in %s windows; %s results</text>`,
		plotLeft, inkFaint, report.Count(d.p.rows), d.kept(), report.Count(int64(len(d.bands))), report.Count(d.p.results))
	d.put(`<g class="legend">`)
	x := float64(plotLeft)
	entry := func(sample, text string) {
		d.put(`<g transform="translate(%.0f 77)">%s<text x="26" y="4">%s</text></g>`, x, sample, escape.Replace(text))
		x += 46 + 6.6*float64(len([]rune(text)))
	}
	c := d.p.counts
	in := c["in time"] + c["passed"]
	entry(fmt.Sprintf(`<path d="M4 0h0M12 0h0" stroke="%s" stroke-width="7" stroke-linecap="round"/>`, inkTime), "in time: "+report.Count(in))
	if n := c["filtered"]; n > 0 {
		entry(fmt.Sprintf(`<path d="M4 0h0M12 0h0" stroke="%s" stroke-width="7" stroke-linecap="round"/>`, inkOut), "filtered: "+report.Count(n))
	}
	if n := c["merged late"]; n > 0 {
		entry(fmt.Sprintf(`<path d="M8-6l6 6l-6 6l-6-6z" fill="%s"/>`, inkMerged), "merged late: "+report.Count(n))
	}
	if n := c["late"] + c["dropped"]; n > 0 {
		text := "late: " + report.Count(n)
		if c["late"] == 0 {
			text = "late, dropped: " + report.Count(n)
		}
		entry(fmt.Sprintf(`<path d="M3-5l10 10m0-10l-10 10" stroke="%s" stroke-width="2"/>`, inkLate), text)
	}
	for i, name := range d.p.tables {
		if slices.ContainsFunc(d.p.marks, func(m rise) bool { return m.table == int64(i) }) {
			text := "watermark"
			if len(d.p.tables) > 1 {
				text += " of " + name
			}
			entry(fmt.Sprintf(`<path d="M0 0h20" stroke="%s" stroke-width="2"%s/>`, inkMark, dash(i)), text)
		}
	}
	if !overlap(d.bands) && slices.ContainsFunc(d.bands, func(b *band) bool { return b.fired > 0 }) {
		entry(fmt.Sprintf(`<rect y="-7" width="19" height="14" fill="%s"/>`, inkBand), "window open")
		entry(fmt.Sprintf(`<rect y="-7" width="19" height="14" fill="%s"/>`, inkClosed), "window closed: it has fired")
	}
	d.put(`</g>`)
}

// kept is the number of rows that windows took.
func (d *drawing) kept() string {
	return report.Count(d.p.counts["in time"] + d.p.counts["merged late"])
}

// cut shortens a text at its end.
func cut(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
