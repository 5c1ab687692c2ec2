package streamsql

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Times of a TIMESTAMP_LTZ are told as the results show them: in the session's time
// zone. A window of a day in India ends at 18:30 UTC.
func TestWhyInTheZoneOfTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if _, err := e.Exec(t.Context(), "SET 'table.local-time-zone' = 'Asia/Kolkata'"); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Exec(t.Context(), `CREATE TABLE f (v BIGINT, ts AS TO_TIMESTAMP_LTZ(1772359200000 + v, 3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
			WITH ('connector' = 'datagen', 'fields.v.kind' = 'sequence', 'fields.v.start' = '0', 'fields.v.end' = '3', 'rows-per-second' = '1')`); err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(t.Context(), `SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end`)
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		<-time.After(2500 * time.Millisecond)
		synctest.Wait()
		// 1772359200 is 2026-03-01 10:00:00 UTC.
		for _, want := range []string{
			"newest event time 2026-03-01 15:30:00.00",
			"closes at 2026-03-02 00:00:00.000; the watermark is 2026-03-01 15:29:58.00",
			"8h30m1.99",
		} {
			if why := q.Why(); !strings.Contains(why, want) {
				t.Errorf("no %q in\n%s", want, why)
			}
		}
	})
}

// Of a source without event time nothing is told of it when all is over.
func TestWhyWithoutEventTime(t *testing.T) {
	e := openTest(t)
	if _, err := e.Exec(t.Context(), `CREATE TABLE n (v BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')`); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "SELECT v FROM n")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := q.Why(), "source n: 3 rows read (ended)\nthe query has ended\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A watermark that is always NULL is named as the reason: no later row can help.
func TestWhyWithoutWatermark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if _, err := e.Exec(t.Context(), `CREATE TABLE f (v BIGINT, ts AS TIMESTAMP '2026-03-01 10:00:00', WATERMARK FOR ts AS CAST(NULL AS TIMESTAMP(3)))
			WITH ('connector' = 'datagen', 'fields.v.kind' = 'sequence', 'fields.v.start' = '0', 'fields.v.end' = '3', 'rows-per-second' = '1')`); err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(t.Context(), `SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end`)
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		<-time.After(2500 * time.Millisecond)
		synctest.Wait()
		if why := q.Why(); !strings.Contains(why, "the watermark of f is NULL for all of its rows so far") || strings.Contains(why, "a row with a later event time") {
			t.Error(why)
		}
	})
}
