package trace

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"streamsql"
)

// element is an SVG element.
type element struct {
	name  string
	attrs map[string]string
	text  string
	class string // of it or of what it is in
}

// draw runs a query over a file and returns the picture of it.
func draw(t *testing.T, ddl, query string) ([]byte, []element) {
	t.Helper()
	p := NewPicture(streamsql.OneLine(query))
	e, err := streamsql.Open(streamsql.WithTrace(p.Event))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Exec(context.Background(), ddl); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
	}
	var svg bytes.Buffer
	if err := p.Write(&svg); err != nil {
		t.Fatal(err)
	}
	return svg.Bytes(), elements(t, svg.Bytes())
}

func elements(t *testing.T, svg []byte) []element {
	t.Helper()
	var list []element
	var open []int
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if e.class = e.attrs["class"]; e.class == "" && len(open) > 0 {
				e.class = list[open[len(open)-1]].class
			}
			open = append(open, len(list))
			list = append(list, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				list[open[len(open)-1]].text += string(token)
			}
		}
	}
}

func count(list []element, name, class string) int {
	n := 0
	for _, e := range list {
		if e.name == name && e.class == class {
			n++
		}
	}
	return n
}

// The day of flights has 16,938 rows; 1,162 are more than an hour late for their hour.
func TestFlightsPicture(t *testing.T) {
	t.Chdir("../../../..")
	demo, err := os.ReadFile("testdata/demo/flights.sql")
	if err != nil {
		t.Fatal(err)
	}
	statements := streamsql.Split(string(demo))
	svg, list := draw(t, statements[0].Text, statements[1].Text)
	if len(svg) > 400_000 {
		t.Errorf("%d bytes", len(svg))
	}
	if n := count(list, "path", "late"); n != 1162 {
		t.Errorf("%d late rows are marked, want 1,162", n)
	}
	if n := count(list, "rect", "window"); n != 22 {
		t.Errorf("%d windows, want 22: every hour of the day but two", n)
	}
	if n := count(list, "path", "watermark"); n != 1 {
		t.Errorf("%d watermarks", n)
	}
	for _, want := range []string{
		"event time (2001-01-08, UTC)", "order of arrival (number of the row)", "late, dropped: 1,162", "in time: 15,776",
		"watermark", "window open", "window closed: it has fired", "08:00", "22:00", "16,000", "[13:00, 14:00)",
	} {
		if n := countText(list, want); n == 0 {
			t.Errorf("no text %q", want)
		}
	}
	if n := count(list, "text", "time"); n < 20 {
		t.Errorf("%d times at the axes", n)
	}
	checkLayout(t, list)
	shown, err := os.ReadFile("docs/img/flights.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shown, svg) {
		t.Error("docs/img/flights.svg is not the picture of today; write it again with the command in README.md")
	}
}

func countText(list []element, want string) int {
	n := 0
	for _, e := range list {
		if e.name == "text" && e.text == want {
			n++
		}
	}
	return n
}

// checkLayout holds that no texts lie on each other or leave the page, and that late
// rows are inside the axes.
func checkLayout(t *testing.T, list []element) {
	t.Helper()
	type box struct {
		x0, y0, x1, y1 float64
		text           string
	}
	var boxes []box
	inLegend := 0.0
	for _, e := range list {
		if e.name == "g" && strings.HasPrefix(e.attrs["transform"], "translate(") {
			fmt.Sscanf(e.attrs["transform"], "translate(%f", &inLegend)
		}
		if e.name == "path" && e.class == "late" {
			var x, y float64
			if _, err := fmt.Sscanf(e.attrs["d"], "M%f %f", &x, &y); err != nil || x < plotLeft || x > plotRight || y < plotTop || y > plotBottom {
				t.Errorf("a late row at %v %v, %v", x, y, err)
			}
		}
		if e.name != "text" || e.attrs["transform"] != "" {
			continue
		}
		size := 12.0
		if s, err := strconv.ParseFloat(e.attrs["font-size"], 64); err == nil {
			size = s
		} else if e.class == "windows" {
			size = 11
		}
		x, _ := strconv.ParseFloat(e.attrs["x"], 64)
		y, _ := strconv.ParseFloat(e.attrs["y"], 64)
		if e.class == "legend" {
			x, y = x+inLegend, y+77
		}
		width := 0.58 * size * float64(len([]rune(e.text)))
		switch e.attrs["text-anchor"] {
		case "middle":
			x -= width / 2
		case "end":
			x -= width
		}
		b := box{x, y - size*0.8, x + width, y + size*0.2, e.text}
		if b.x0 < 0 || b.x1 > pageWidth || b.y0 < 0 || b.y1 > pageHeight {
			t.Errorf("%q leaves the page: %v", b.text, b)
		}
		for _, o := range boxes {
			if b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 {
				t.Errorf("%q lies on %q", b.text, o.text)
			}
		}
		boxes = append(boxes, b)
	}
}

// Few rows with seconds and milliseconds, windows that overlap, and a name that needs
// escapes.
func TestSmallPictures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	var b strings.Builder
	b.WriteString("ts\n")
	for _, s := range []string{"01.000", "04.500", "06.000", "06.999", "07.000", "04.999", "05.000"} {
		b.WriteString("2026-01-01 00:00:" + s + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ddl := "CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '" + path + "', 'format' = 'csv', 'csv.header' = 'true')"
	for _, c := range []struct {
		window  string
		late    int
		windows int
	}{
		{"TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)", 1, 2},
		{"TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '0.5' SECOND)", 1, 6},
		{"HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '5' SECOND)", 0, 11},
		{"SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND)", 0, 0}, // 4.999 joins the session of 4.500, open until 5.499
	} {
		_, list := draw(t, ddl, "SELECT COUNT(*) FROM TABLE("+c.window+") WHERE 'a<b' <> '&' GROUP BY window_start, window_end")
		if n := count(list, "path", "late"); n != c.late {
			t.Errorf("%s: %d late rows, want %d", c.window, n, c.late)
		}
		if n := count(list, "rect", "window"); c.windows > 0 && n != c.windows {
			t.Errorf("%s: %d windows, want %d", c.window, n, c.windows)
		}
		checkLayout(t, list)
	}
}

func TestTicks(t *testing.T) {
	ticks, step, layout := timeTicks(3_600_000, 7_200_000, 6)
	if step != 600_000 || len(ticks) != 7 || ticks[0] != 3_600_000 || layout != "15:04" {
		t.Errorf("%v, step %d, %q", ticks, step, layout)
	}
	for _, c := range []struct {
		rows  int64
		want  int64 // first tick
		ticks int
	}{{1, 1, 1}, {7, 1, 7}, {30, 5, 6}, {16_938, 2000, 8}} {
		got := countTicks(1, c.rows, 9)
		if got[0] != c.want || len(got) != c.ticks {
			t.Errorf("%d rows: %v", c.rows, got)
		}
	}
}
