package trace

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"streamsql"
)

// The trace shows the instants of a TIMESTAMP_LTZ, and windows over it, in the zone in
// which the result shows them: the hour from 10:00 is that from 09:30 UTC in India.
func TestTraceInTheZoneOfTheSession(t *testing.T) {
	var out bytes.Buffer
	table, picture := NewTable(&out), NewPicture("x")
	e, err := streamsql.Open(streamsql.WithTrace(func(ev streamsql.TraceEvent) {
		table.Event(ev)
		picture.Event(ev)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, sql := range []string{
		"SET 'table.local-time-zone' = 'Asia/Kolkata'",
		`CREATE TABLE f (v BIGINT, ts AS TO_TIMESTAMP_LTZ(1772339400000 + v * 3600000, 3), WATERMARK FOR ts AS ts)
			WITH ('connector' = 'datagen', 'fields.v.kind' = 'sequence', 'fields.v.start' = '0', 'fields.v.end' = '1')`,
	} {
		if _, err := e.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	q, err := e.Query(context.Background(), "SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := picture.Write(&svg); err != nil {
		t.Fatal(err)
	}
	// 1772339400 is 2026-03-01 04:30 UTC, 10:00 in India.
	for _, want := range []string{"of 2026-03-01 (Asia/Kolkata)", "10:00:00.000", "[10:00:00, 11:00:00)", "+I(2026-03-01 11:00:00.000, 1)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for _, want := range []string{"2026-03-01, Asia/Kolkata", "10:00"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if strings.Contains(out.String(), "04:30") || strings.Contains(svg.String(), "04:30") {
		t.Errorf("times of UTC:\n%s", out.String())
	}
}
