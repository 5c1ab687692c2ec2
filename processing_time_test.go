package streamsql

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A window of processing time closes on time although no further row comes, and the
// query sleeps until then.
func TestProcessingTimeFiresWithoutRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		a, b := NewPush[trade](), NewPush[trade]()
		for name, p := range map[string]*Push[trade]{"a": a, "b": b} {
			if err := e.RegisterSource(name, p, EventTime("ts", 0)); err != nil {
				t.Fatal(err)
			}
		}
		q, err := e.Query(t.Context(), `WITH u AS (SELECT * FROM a UNION ALL SELECT * FROM b)
			SELECT COUNT(*), window_end FROM TABLE(TUMBLE((SELECT *, PROCTIME() AS p FROM u), DESCRIPTOR(p), INTERVAL '10' SECOND)) GROUP BY window_start, window_end`)
		if err != nil {
			t.Fatal(err)
		}
		send := func(p *Push[trade]) {
			if err := p.Send(t.Context(), trade{time.UnixMilli(1000), "tea", 1}); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now() // of the bubble: midnight
		send(a)
		<-time.After(3 * time.Second)
		send(b)
		if why := q.Why(); !strings.Contains(why, "closes at 2000-01-01 00:00:10.000, when the clock is there, in 7s") {
			t.Errorf("why: %s", why)
		}
		// Nothing but the timers of this test and of the query can end this wait.
		<-time.After(7*time.Second - time.Millisecond)
		synctest.Wait()
		if q.Ready() {
			t.Error("the window has closed too early")
		}
		<-time.After(time.Millisecond)
		synctest.Wait()
		if !q.Ready() || time.Since(begin) != 10*time.Second {
			t.Errorf("after %v: ready is %v", time.Since(begin), q.Ready())
		}
		q.EndInput()
		var rows []string
		for b, err := range q.Batches() {
			if err != nil {
				t.Fatal(err)
			}
			for i := range int(b.NumRows()) {
				rows = append(rows, string(b.AppendText(nil, i, 0))+" "+string(b.AppendText(nil, i, 1)))
			}
		}
		if got := strings.Join(rows, "; "); got != "2 2000-01-01 00:00:10.000" {
			t.Errorf("got %q", got)
		}
	})
}
