package streamsql

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// windowEdges is a window of the model, in seconds.
type windowEdges struct{ start, end int }

// lateModel counts by window the rows that are not late for it: the watermark before
// them, which is the highest time so far, is below the window's last millisecond plus
// the lateness.
func lateModel(times []int, lateness int, windows func(at int) []windowEdges) (counts map[windowEdges]int, late int) {
	counts = map[windowEdges]int{}
	watermark := -1
	for _, at := range times {
		dropped := true
		for _, w := range windows(at) {
			if watermark < 0 || watermark*1000 < w.end*1000-1+lateness*1000 {
				counts[w]++
				dropped = false
			}
		}
		if dropped {
			late++
		}
		watermark = max(watermark, at)
	}
	return counts, late
}

// The changes of a query with an allowed lateness fold to the counts over all rows and
// windows that were not late for each other, whatever the size of batches.
func TestAllowedLatenessFolds(t *testing.T) {
	for name, c := range map[string]struct {
		call    string
		windows func(at int) []windowEdges
	}{
		"tumble": {"TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '4' SECOND)", func(at int) []windowEdges {
			return []windowEdges{{at - at%4, at - at%4 + 4}}
		}},
		"hop": {"HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '6' SECOND)", func(at int) (list []windowEdges) {
			for start := at - at%2; start+6 > at; start -= 2 {
				list = append(list, windowEdges{start, start + 6})
			}
			return list
		}},
		"cumulate": {"CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '6' SECOND)", func(at int) (list []windowEdges) {
			start := at - at%6
			for end := start + 6; end > at; end -= 2 {
				list = append(list, windowEdges{start, end})
			}
			return list
		}},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, uint64(len(name))))
			for try := range 30 {
				var times []int
				var csv strings.Builder
				for i := range 60 {
					at := 10 + i/2 + random.IntN(12) // from 10 s on: the model has no negative times
					times = append(times, at)
					fmt.Fprintf(&csv, "1970-01-01 00:00:%02d.000\n", at)
				}
				lateness := random.IntN(6)
				want, late := lateModel(times, lateness, c.windows)
				for _, batch := range []int{1, 7, 4096} {
					got, dropped := foldLate(t, csv.String(), c.call, lateness, batch)
					if !maps.Equal(got, want) || dropped != late {
						t.Fatalf("try %d, lateness %d s, batch size %d, times %v:\ngot  %v, %d late\nwant %v, %d late", try, lateness, batch, times, got, dropped, want, late)
					}
				}
			}
		})
	}
}

// foldLate runs the query over rows and folds its changes.
func foldLate(t *testing.T, csv, call string, lateness, batch int) (map[windowEdges]int, int) {
	t.Helper()
	e, err := Open(WithStdin(strings.NewReader(csv)), WithBatchSize(batch), WithSetting("streamsql.window.allowed-lateness", fmt.Sprint(lateness, " s")))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Exec(t.Context(), "CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector'='stdin', 'format'='csv')"); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "SELECT window_start, window_end, COUNT(*) AS n FROM TABLE("+call+") GROUP BY window_start, window_end")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[windowEdges]int{}
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(b.NumRows()) {
			var w windowEdges
			var n int
			w.start, w.end = second(t, b, i, 0), second(t, b, i, 1)
			fmt.Sscan(string(b.AppendText(nil, i, 2)), &n)
			switch k := b.Kind(i); {
			case !k.Retracts() && counts[w] == 0:
				counts[w] = n
			case k.Retracts() && counts[w] == n:
				delete(counts, w)
			default:
				t.Fatalf("%v of %v with %d after %d", k, w, n, counts[w])
			}
		}
	}
	late := int64(0)
	for _, op := range q.Stats().Operators {
		late += op.Late
	}
	return counts, int(late)
}

func second(t *testing.T, b Batch, row, col int) int {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.000", string(b.AppendText(nil, row, col)))
	if err != nil {
		t.Fatal(err)
	}
	return int(at.Unix())
}
