package streamsql_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql"
)

// traced runs a query over rows of table t and returns its events.
func traced(t *testing.T, data, watermark, query string, settings ...string) []streamsql.TraceEvent {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	var events []streamsql.TraceEvent
	e, err := streamsql.Open(streamsql.WithTrace(func(ev streamsql.TraceEvent) { events = append(events, ev) }))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	columns := "event_time TIMESTAMP(3)"
	if strings.HasPrefix(data, "event_time,amount") {
		columns += ", amount INT"
	}
	ddl := fmt.Sprintf("CREATE TABLE t (%s, WATERMARK FOR event_time AS event_time - INTERVAL '%s' SECOND) "+
		"WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'csv', 'csv.header' = 'true')", columns, watermark, path)
	for _, s := range append([]string{ddl}, settings...) {
		if _, err := e.Exec(context.Background(), s); err != nil {
			t.Fatal(err)
		}
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
	return events
}

// seconds writes a time as seconds of 2026-01-01.
func seconds[T ~int64](at T) string {
	const day = 1767225600000
	switch {
	case int64(at) < 0:
		return "MIN"
	case int64(at) > 2*day:
		return "MAX"
	}
	return fmt.Sprintf("%.3f", float64(int64(at)-day)/1000)
}

// eventLine is an event as the tables of the three demonstrations have it.
func eventLine(e streamsql.TraceEvent) string {
	line := "end"
	if e.Row > 0 {
		line = fmt.Sprintf("%s %s", seconds(e.Time), e.Fate)
	}
	line += fmt.Sprintf(" %s..%s", seconds(e.Before), seconds(e.After))
	for _, w := range e.Fired {
		line += fmt.Sprintf(" fires [%s,%s) of %d", seconds(w.Start), seconds(w.End), w.Rows)
	}
	for _, r := range e.Results {
		line += fmt.Sprintf(" %s%s", r.Kind, r.Values[len(r.Values)-1])
	}
	return line
}

func eventLines(events []streamsql.TraceEvent) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(eventLine(e) + "\n")
	}
	return b.String()
}

// times makes a file of one column.
func times(secs ...string) string {
	var b strings.Builder
	b.WriteString("event_time\n")
	for _, s := range secs {
		fmt.Fprintf(&b, "2026-01-01 00:00:%s\n", s)
	}
	return b.String()
}

const perFive = "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(event_time), INTERVAL '5' SECOND)) GROUP BY window_start, window_end"

// lateFire are the settings with which a window of the GROUP BY form stays for some
// time.
func lateFire(d string) []string {
	return []string{
		"SET 'table.exec.emit.late-fire.enabled' = 'true'",
		"SET 'table.exec.emit.late-fire.delay' = '0 s'",
		"SET 'table.exec.emit.allow-lateness' = '" + d + "'",
	}
}

func TestTraceBoundary(t *testing.T) {
	data := times("01.000", "04.500", "06.000", "06.999", "07.000", "04.999", "05.000")
	for _, c := range []struct{ delay, want string }{
		{"2.001", `1.000 in time MIN..-1.001
4.500 in time -1.001..2.499
6.000 in time 2.499..3.999
6.999 in time 3.999..4.998
7.000 in time 4.998..4.999 fires [0.000,5.000) of 2 +I2
4.999 dropped 4.999..4.999
5.000 in time 4.999..4.999
end 4.999..MAX fires [5.000,10.000) of 4 +I4
`},
		{"2", `1.000 in time MIN..-1.000
4.500 in time -1.000..2.500
6.000 in time 2.500..4.000
6.999 in time 4.000..4.999 fires [0.000,5.000) of 2 +I2
7.000 in time 4.999..5.000
4.999 dropped 5.000..5.000
5.000 in time 5.000..5.000
end 5.000..MAX fires [5.000,10.000) of 4 +I4
`},
	} {
		events := traced(t, data, c.delay, perFive)
		if got := eventLines(events); got != c.want {
			t.Errorf("delay %s:\n%swant\n%s", c.delay, got, c.want)
		}
		w := events[5].Missed
		if len(w) != 1 || seconds(w[0].Start) != "0.000" || seconds(w[0].End) != "5.000" {
			t.Errorf("the late row missed %v", w)
		}
	}
}

func TestTraceTwice(t *testing.T) {
	data := times("01.000", "02.000", "04.000", "06.000", "03.000", "08.000", "02.000", "11.000", "01.000", "13.000")
	const legacy = "SELECT TUMBLE_START(event_time, INTERVAL '5' SECOND), COUNT(*) FROM t GROUP BY TUMBLE(event_time, INTERVAL '5' SECOND)"
	got := eventLines(traced(t, data, "2.001", legacy, lateFire("3 s")...))
	want := `1.000 in time MIN..-1.001
2.000 in time -1.001..-0.001
4.000 in time -0.001..1.999
6.000 in time 1.999..3.999
3.000 in time 3.999..3.999
8.000 in time 3.999..5.999 fires [0.000,5.000) of 4 +I4
2.000 merged late 5.999..5.999 fires [0.000,5.000) of 5 -U4 +U5
11.000 in time 5.999..8.999
1.000 dropped 8.999..8.999
13.000 in time 8.999..10.999 fires [5.000,10.000) of 2 +I2
end 10.999..MAX fires [10.000,15.000) of 2 +I2
`
	if got != want {
		t.Errorf("lateness 3 s:\n%swant\n%s", got, want)
	}
	got = eventLines(traced(t, data, "2.001", perFive))
	want = strings.NewReplacer("2.000 merged late 5.999..5.999 fires [0.000,5.000) of 5 -U4 +U5", "2.000 dropped 5.999..5.999").Replace(want)
	if got != want {
		t.Errorf("lateness 0:\n%swant\n%s", got, want)
	}
}

// Rows that LATE(...) gives are late, not dropped.
func TestTraceLateRows(t *testing.T) {
	events := traced(t, times("01.000", "09.000", "02.000"), "2", "SELECT * FROM LATE(v)", "CREATE VIEW v AS "+perFive+"")
	var fates []string
	for _, e := range events {
		fates = append(fates, fmt.Sprintf("%s %d", e.Fate, len(e.Results)))
	}
	if want := []string{"in time 0", "in time 0", "late 1", " 0"}; !slices.Equal(fates, want) {
		t.Errorf("%q, want %q", fates, want)
	}
}

func TestTraceDelays(t *testing.T) {
	var b strings.Builder
	b.WriteString("event_time,amount\n")
	order := []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 6, 12, 7, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 16, 26, 27, 28, 29}
	for _, s := range order {
		fmt.Fprintf(&b, "2026-01-01 00:00:%02d.000,%d\n", s, s+1)
	}
	const query = "SELECT TUMBLE_START(event_time, INTERVAL '10' SECOND), SUM(amount) FROM t GROUP BY TUMBLE(event_time, INTERVAL '10' SECOND)"
	for _, c := range []struct {
		late            int
		dropped, merged []string // by event time
		sums            string
	}{
		{0, []string{"6.000", "7.000", "16.000"}, nil, "40 138 255"},
		{2, []string{"16.000"}, []string{"7.000"}, "47 55 138 255"},
		{5, nil, []string{"16.000"}, "55 138 155 255"},
		{12, nil, nil, "55 155 255"},
		{30, nil, nil, "55 155 255"},
	} {
		var settings []string
		if c.late > 0 {
			settings = lateFire(fmt.Sprintf("%d s", c.late))
		}
		var dropped, merged, sums []string
		for _, e := range traced(t, b.String(), fmt.Sprint(c.late), query, settings...) {
			switch e.Fate {
			case streamsql.FateDropped:
				dropped = append(dropped, seconds(e.Time))
			case streamsql.FateMerged:
				merged = append(merged, seconds(e.Time))
			}
			for _, r := range e.Results {
				if r.Kind == streamsql.Insert || r.Kind == streamsql.UpdateAfter {
					sums = append(sums, r.Values[1])
				}
			}
		}
		if !slices.Equal(dropped, c.dropped) || !slices.Equal(merged, c.merged) || strings.Join(sums, " ") != c.sums {
			t.Errorf("L = %d: dropped %v, merged %v, sums %v", c.late, dropped, merged, sums)
		}
	}
}

// Windows of other kinds, conditions, and rows without windows.
func TestTraceWindows(t *testing.T) {
	data := times("01.000", "04.000", "12.000", "02.000")
	for _, c := range []struct{ query, want string }{
		{"SELECT COUNT(*) FROM TABLE(HOP(TABLE t, DESCRIPTOR(event_time), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end",
			`1.000 in time to -5.000 0.000 fired
4.000 in time to -5.000 0.000 fired
12.000 in time to 5.000 10.000 fired -5.000
2.000 in time to 0.000 fired
end to fired 0.000 5.000 10.000
`},
		{"SELECT COUNT(*) FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(event_time), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end",
			`1.000 in time to 0.000 0.000 fired
4.000 in time to 0.000 0.000 fired
12.000 in time to 10.000 10.000 fired 0.000
2.000 in time to 0.000 fired
end to fired 0.000 10.000 10.000
`},
		{"SELECT COUNT(*) FROM TABLE(SESSION(TABLE t, DESCRIPTOR(event_time), INTERVAL '4' SECOND)) GROUP BY window_start, window_end",
			`1.000 in time to 1.000 fired
4.000 in time to 1.000 fired
12.000 in time to 12.000 fired
2.000 in time to 1.000 fired
end to fired 1.000 12.000
`},
		{"SELECT * FROM t WHERE EXTRACT(SECOND FROM event_time) > 3", `1.000 filtered to fired
4.000 passed to fired
12.000 passed to fired
2.000 filtered to fired
end to fired
`},
		{"SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY event_time DESC) AS n " +
			"FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(event_time), INTERVAL '5' SECOND))) WHERE n <= 1", `1.000 in time to 0.000 fired
4.000 in time to 0.000 fired
12.000 in time to 10.000 fired 0.000
2.000 dropped to fired
end to fired 10.000
`},
		{"SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(event_time), INTERVAL '5' SECOND))", `1.000 in time to 0.000 fired
4.000 in time to 0.000 fired
12.000 in time to 10.000 fired
2.000 in time to 0.000 fired
end to fired
`},
	} {
		var b strings.Builder
		for _, e := range traced(t, data, "5", c.query) {
			if e.Row == 0 {
				b.WriteString("end to")
			} else {
				fmt.Fprintf(&b, "%s %s to", seconds(e.Time), e.Fate)
			}
			for _, w := range e.Windows {
				b.WriteString(" " + seconds(w.Start))
			}
			b.WriteString(" fired")
			for _, w := range e.Fired {
				b.WriteString(" " + seconds(w.Start))
			}
			b.WriteString("\n")
		}
		if b.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", c.query, b.String(), c.want)
		}
	}
}

type traceRow struct {
	TS time.Time
	N  int64
}

// A batch that is sent at once is traced row by row, and tracing can be turned off.
func TestTracePushed(t *testing.T) {
	var rows []string
	e, err := streamsql.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	run := func() int {
		rows = rows[:0]
		push := streamsql.NewPush[traceRow]()
		if err := e.RegisterSource(fmt.Sprintf("p%d", len(e.Tables())), push, streamsql.EventTime("TS", time.Second)); err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(context.Background(), fmt.Sprintf("SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE p%d, DESCRIPTOR(TS), INTERVAL '5' SECOND)) GROUP BY window_start, window_end", len(e.Tables())-1))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			push.Send(context.Background(), traceRow{day.Add(time.Second), 1}, traceRow{day.Add(9 * time.Second), 2}, traceRow{day.Add(2 * time.Second), 3})
			push.End(nil)
		}()
		for _, err := range q.Batches() {
			if err != nil {
				t.Fatal(err)
			}
		}
		return len(rows)
	}
	e.SetTrace(func(ev streamsql.TraceEvent) { rows = append(rows, eventLine(ev)) })
	run()
	want := []string{"1.000 in time MIN..0.000", "9.000 in time 0.000..8.000 fires [0.000,5.000) of 1 +I1", "2.000 dropped 8.000..8.000", "end 8.000..MAX fires [5.000,10.000) of 1 +I1"}
	if !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
	e.SetTrace(nil)
	if n := run(); n != 0 {
		t.Errorf("%d events without a trace", n)
	}
}

// Two sources share the numbers of the arrivals, each has its watermark; a join fires
// at the lower one.
func TestTraceJoin(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"l.csv": times("01.000", "06.000", "02.000", "12.000"), "r.csv": times("03.000", "07.000", "13.000"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	e, err := streamsql.Open(streamsql.WithTrace(func(ev streamsql.TraceEvent) {
		lines = append(lines, strings.TrimSuffix(filepath.Base(ev.Table), ".csv")+" "+eventLine(ev))
	}), streamsql.WithFiles(streamsql.FileOptions{EventTime: "event_time", Delay: time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	side := func(name string) string {
		return "(SELECT * FROM TABLE(TUMBLE(TABLE '" + filepath.Join(dir, name) + "', DESCRIPTOR(event_time), INTERVAL '5' SECOND)))"
	}
	q, err := e.Query(context.Background(), "SELECT EXTRACT(SECOND FROM r.event_time) FROM "+side("l.csv")+" AS l JOIN "+side("r.csv")+
		" AS r ON l.window_start = r.window_start AND l.window_end = r.window_end")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"l 1.000 in time MIN..0.000",
		"r 3.000 in time MIN..2.000",
		"l 6.000 in time 0.000..5.000", // the lower watermark is 2
		"r 7.000 in time 2.000..6.000 fires [0.000,5.000) of 2 +I3",
		"l 2.000 dropped 5.000..5.000",
		"l 12.000 in time 5.000..11.000",
		"r 13.000 in time 6.000..12.000 fires [5.000,10.000) of 2 +I7",
		"l end 11.000..MAX",
		"r end 12.000..MAX fires [10.000,15.000) of 2 +I13",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
