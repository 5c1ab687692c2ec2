package streamsql

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// B081: a source without rows for the idle timeout no longer holds the others back, and Why
// says so.
func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := Open(WithSetting("table.exec.source.idle-timeout", "5 s"))
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
			SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end`)
		if err != nil {
			t.Fatal(err)
		}
		send := func(p *Push[trade], ms int64) {
			if err := p.Send(t.Context(), trade{time.UnixMilli(ms), "tea", 1}); err != nil {
				t.Fatal(err)
			}
		}
		send(b, 1000)
		<-time.After(4 * time.Second) // of the bubble: nobody waits
		send(a, 12000)
		if why := q.Why(); q.Ready() || !strings.Contains(why, "held by source b") || strings.Contains(why, "(idle") {
			t.Errorf("not idle yet: %s", why)
		}
		<-time.After(time.Second)
		synctest.Wait()
		if why := q.Why(); !q.Ready() || !strings.Contains(why, "00:00:01.000 (idle since 2000-01-01 00:00:00.000)") || strings.Contains(why, "held by source b") {
			t.Errorf("idle: %s", why)
		}
		// What the source sends now for a window that has closed is late, and the watermark
		// does not go back.
		mark, _, _ := q.Watermark()
		send(b, 5000)
		var late int64
		for _, op := range q.Stats().Operators {
			late += op.Late
		}
		if now, _, _ := q.Watermark(); late != 1 || now.Before(mark) {
			t.Errorf("%d rows are late, the watermark goes from %v to %v", late, mark, now)
		}
		q.EndInput()
		for _, err := range q.Batches() {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
