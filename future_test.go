package streamsql_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"streamsql"
)

// TestMaxFuture: a row that is further ahead of the clock than its table allows is a
// bad row with the reason "future". It raises no watermark, so the rows behind it are
// in time, and it is counted as bad, not as delivered.
func TestMaxFuture(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// The clock says 12:00: 13:00 is allowed, a millisecond later is not.
	a := write("a.csv", "a,2026-05-01 11:00:00\nb,2026-05-01 13:00:00.001\nc,2026-05-01 11:00:09\nd,2099-01-01 00:00:00\ne,2026-05-01 11:00:05\nf,2026-05-01 13:00:00\n")
	b := write("b.csv", "g,2026-05-01 11:00:01\nh,2030-01-01 00:00:00\ni,2026-05-01 11:00:08\n")
	ddl := func(name, path string) string {
		return fmt.Sprintf("CREATE TABLE %s (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem', 'path'='%s', 'format'='csv', 'max-future'='1 h')", name, path)
	}
	for _, c := range []struct {
		zone, want string
		bad        []string
	}{
		{"UTC", "11:00:00 5\n13:00:00 1\n", []string{"b,2026-05-01 13:00:00.001 2", "d,2099-01-01 00:00:00.000 4", "h,2030-01-01 00:00:00.000 2"}},
		// A time without zone is one of the session's clock, which says 11:00 here.
		{"Etc/GMT+1", "11:00:00 5\n", []string{"b,2026-05-01 13:00:00.001 2", "d,2099-01-01 00:00:00.000 4", "f,2026-05-01 13:00:00.000 6", "h,2030-01-01 00:00:00.000 2"}},
	} {
		for _, size := range []int{1, 2, 4096} {
			t.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(c.zone, "/", "_"), size), func(t *testing.T) {
				e, err := streamsql.Open(streamsql.WithBatchSize(size), streamsql.WithSetting("table.local-time-zone", c.zone),
					streamsql.WithClock(func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }))
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				for _, s := range []string{ddl("a", a), ddl("b", b), "CREATE VIEW ab AS SELECT * FROM a UNION ALL SELECT * FROM b"} {
					if _, err := e.Exec(context.Background(), s); err != nil {
						t.Fatal(err)
					}
				}
				q, err := e.Query(context.Background(), "SELECT DATE_FORMAT(window_start, 'HH:mm:ss'), COUNT(*) FROM TABLE(TUMBLE(TABLE ab, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end")
				if err != nil {
					t.Fatal(err)
				}
				defer q.Close()
				var got strings.Builder
				for batch, err := range q.Batches() {
					if err != nil {
						t.Fatal(err)
					}
					for row := range int(batch.NumRows()) {
						fmt.Fprintf(&got, "%s %s\n", batch.AppendText(nil, row, 0), batch.AppendText(nil, row, 1))
					}
				}
				if got.String() != c.want {
					t.Errorf("got\n%swant\n%s", got.String(), c.want)
				}
				checkFuture(t, q, c.bad)
			})
		}
	}
}

func checkFuture(t *testing.T, q *streamsql.Query, want []string) {
	t.Helper()
	bad := map[string]bool{}
	for r := range q.Bad() {
		if r.Reason != "future" || r.Column != "ts" || r.Nulled {
			t.Errorf("a bad row for another reason: %+v", r)
		}
		bad[fmt.Sprintf("%s %d", r.Text, r.Line)] = true
	}
	for _, w := range want {
		if !bad[w] {
			t.Errorf("%q is not among the bad rows %v", w, bad)
		}
	}
	if len(bad) != len(want) {
		t.Errorf("%d bad rows, want %d: %v", len(bad), len(want), bad)
	}
	var count, dropped int64
	for _, s := range q.Stats().Sources {
		if s.Read != s.Delivered+s.Bad+s.Unread {
			t.Errorf("table %s: read %d, delivered %d, bad %d, unread %d", s.Table, s.Read, s.Delivered, s.Bad, s.Unread)
		}
		count += s.Bad
		dropped += s.Late
	}
	if count != int64(len(want)) || dropped != 0 {
		t.Errorf("%d bad and %d late rows are counted, want %d and none", count, dropped, len(want))
	}
}

// TestMaxFutureRefused: what the option cannot mean is refused where it stands.
func TestMaxFutureRefused(t *testing.T) {
	for _, c := range []struct{ watermark, option, want string }{
		{"", "1 h", "needs a watermark"},
		{", WATERMARK FOR ts AS ts", "soon", "must be a duration above zero"},
		{", WATERMARK FOR ts AS ts", "0 s", "must be a duration above zero"},
	} {
		e, err := streamsql.Open()
		if err != nil {
			t.Fatal(err)
		}
		ddl := fmt.Sprintf("CREATE TABLE t (ts TIMESTAMP(3)%s) WITH ('connector'='datagen', 'number-of-rows'='1', 'max-future'='%s')", c.watermark, c.option)
		if _, err = e.Exec(context.Background(), ddl); err == nil {
			var q *streamsql.Query
			if q, err = e.Query(context.Background(), "SELECT * FROM t"); err == nil {
				q.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", ddl, err, c.want)
		}
		e.Close()
	}
}
