package exec_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"streamsql/connector"
	"streamsql/exec"
)

// TestSnapshotsOfManyGroups: with so many groups that several workers divide them,
// snapshots between batches are those of one worker, and a job with another number of workers goes
// on from each.
func TestSnapshotsOfManyGroups(t *testing.T) {
	var rows []trow
	for i := range int64(60_000) {
		ts := i / 10_000 * 4 // five rows in six fall in a window of 10 ms with 25,000 groups
		rows = append(rows, trow{v: i * 7919 % 25_000, ts: ts})
	}
	const plan = `
source a: v BIGINT, ts TIMESTAMP(3)*
w = watermark a: ts, (- ts 5ms)
g = aggregate w: ts, tumble 10, keys v, aggs COUNT(*) SUM(v) MAX(v), props end
root g`
	traits := connector.Traits{Bounded: true}
	run := func(workers int, from []byte) (saved [][]byte, res *result) {
		res = new(result)
		n := 0
		cfg := exec.Config{BatchSize: 3000, Workers: workers}
		cfg.Rest = func(j *exec.Job) error {
			if n++; n%4 == 0 {
				b, err := j.Snapshot()
				if err != nil {
					return err
				}
				saved = append(saved, b)
			}
			return nil
		}
		j := buildJob(t, plan, cfg, res, &table{rows: rows, traits: traits})
		if from != nil {
			j.Restore(from)
		}
		if err := j.Run(t.Context(), res.take); err != nil {
			t.Fatal(err)
		}
		return saved, res
	}
	saved, res := run(1, nil)
	again, same := run(3, nil)
	if len(saved) < 4 || fmt.Sprint(same.rows) != fmt.Sprint(res.rows) {
		t.Fatalf("%d snapshots; %d rows, want %d", len(saved), len(same.rows), len(res.rows))
	}
	for i := range saved {
		if !bytes.Equal(saved[i], again[i]) {
			t.Errorf("snapshot %d differs", i)
		}
		_, rest := run(2+i, saved[i])
		if n := len(res.rows) - len(rest.rows); n < 0 || !slices.Equal(res.rows[n:], rest.rows) {
			t.Errorf("from snapshot %d: other rows", i)
		}
	}
}
