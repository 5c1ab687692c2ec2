package streamsql

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"streamsql/internal/diag"
)

const analyzeTable = `CREATE TABLE t (ts TIMESTAMP(3), k STRING, n BIGINT, WATERMARK FOR ts AS ts)
	WITH ('connector' = 'filesystem', 'path' = 't.csv', 'format' = 'csv')`

// openAnalyze returns an engine with four rows, whose clock goes on by a millisecond
// whenever it is read.
func openAnalyze(t *testing.T) *Engine {
	t.Helper()
	t.Chdir(t.TempDir())
	rows := "2026-01-01 00:00:01.000,a,1\n2026-01-01 00:00:02.000,b,20\n2026-01-01 00:00:11.000,a,30\n2026-01-01 00:00:03.000,a,40\n"
	if err := os.WriteFile("t.csv", []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(0)
	e, err := Open(WithClock(func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if _, err := e.Exec(t.Context(), analyzeTable); err != nil {
		t.Fatal(err)
	}
	return e
}

// The clock is read twice for each batch that is read or taken: a call of an operator
// without consumers takes 1 ms, each measured call inside it gives 1 ms to it too.
// Batches of an operator: the four rows, the mark at the end of input, and Finish.
func TestExplainAnalyze(t *testing.T) {
	e := openAnalyze(t)
	res, err := e.Exec(t.Context(), `EXPLAIN ANALYZE SELECT k, SUM(n) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))
		WHERE n > 1 GROUP BY window_start, window_end, k`)
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`state \d+ bytes`).ReplaceAllString(*res.Rows[0][0], "state some bytes")
	if d := cmp.Diff(analyzeGolden, got); d != "" {
		t.Errorf("(-want +got)\n%s\n%s", d, got)
	}
}

const analyzeGolden = `== Physical Plan with what it did ==
WindowAggregate window=tumble(ts, 10s) keys=[k] aggs=[s := SUM(n)] emit=on-window-close changelogMode=[I] state=[open windows x groups]
│     in 2 rows, out 2; 3 batches; 3.000 ms, 10.3 %; state some bytes
└── LateFilter window=tumble(ts, 10s) drop=window-closed rowtime=ts changelogMode=[I]
    │     in 3 rows, out 2, late 1; 3 batches; 5.000 ms, 17.2 %
    └── Filter n > 1 rowtime=ts changelogMode=[I]
        │     in 4 rows, out 3; 3 batches; 5.000 ms, 17.2 %
        └── WatermarkAssigner watermark=ts rowtime=ts changelogMode=[I] state=[one timestamp]
            │     in 4 rows, out 4; 3 batches; 5.000 ms, 17.2 %
            └── Scan t connector=filesystem path=t.csv format=csv columns=[ts, k, n] changelogMode=[I]
                      read 4 rows, out 4; 1 batch; 2.000 ms, 6.9 %

2 rows in 29.000 ms on one thread; 31.0 % outside the operators; the results were discarded
`

func TestExplainAnalyzeRefuses(t *testing.T) {
	e := openAnalyze(t)
	if _, err := e.Exec(t.Context(), "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen')"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Exec(t.Context(), "CREATE TABLE b (n BIGINT) WITH ('connector' = 'blackhole')"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"EXPLAIN ANALYZE INSERT INTO b SELECT n FROM t":   "takes a query",
		"EXPLAIN ANALYZE, LOGICAL SELECT n FROM t":        "together with LOGICAL",
		"EXPLAIN ANALYZE SELECT n FROM g":                 "never ends",
		"EXPLAIN ANALYZE SELECT CAST(k AS BIGINT) FROM t": "'a'",
	} {
		_, err := e.Exec(t.Context(), text)
		if d := diag.As(err); d == nil || !strings.Contains(d.Msg, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := e.Exec(t.Context(), "EXPLAIN ANALYZE SELECT n FROM g LIMIT 3"); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Exec(ctx, "EXPLAIN ANALYZE SELECT n FROM t"); diag.As(err) == nil || diag.As(err).Code != diag.Canceled {
		t.Errorf("canceled: %v", err)
	}
}
