package exec_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/exec"
)

func TestSnapshotAndRestoreOfJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
wa = watermark a: ts, (- ts 5ms)
wb = watermark b: ts, ts
u = union wa wb
l = late u: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`
	a, b := randomRows(r, 60, 0), randomRows(r, 50, 1000)
	sources := func() []connector.Source {
		return []connector.Source{&table{rows: a, traits: connector.Traits{Bounded: true}}, &table{rows: b, traits: connector.Traits{Bounded: true}}}
	}
	want := runJob(t, plan, exec.Config{}, sources()...)
	for _, cfg := range []exec.Config{{BatchSize: 1}, {BatchSize: 4}, {BatchSize: 4, Workers: 2}, {BatchSize: 30}} {
		var res result
		var saved []byte
		stop := 1 // stop at rest point number stop of each run
		for runs := 0; ; runs++ {
			n := 0
			c := cfg
			c.Rest = func(j *exec.Job) (err error) {
				if n++; n < stop {
					return nil
				}
				if saved, err = j.Snapshot(); err != nil {
					return err
				}
				return errStop
			}
			j := buildJob(t, plan, c, &res, sources()...)
			if saved != nil {
				j.Restore(saved)
			}
			err := j.Run(context.Background(), res.take)
			for _, s := range j.Stats().Sources {
				if s.Unread < 0 {
					t.Fatalf("%+v: unread %d", cfg, s.Unread)
				}
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errStop) {
				t.Fatal(err)
			}
			stop = 1 + runs%3
		}
		if res.String() != want.String() || len(res.late) != len(want.late) {
			t.Errorf("%+v: got\n%s\nwant\n%s", cfg, res, want)
		}
	}
}

var errStop = errors.New("stop here")

func TestRestoreRefusesOtherPlans(t *testing.T) {
	var res result
	var saved []byte
	j := buildJob(t, windows, exec.Config{BatchSize: 1, Rest: func(j *exec.Job) (err error) {
		saved, err = j.Snapshot()
		return err
	}}, &res, &table{rows: []trow{{v: 1, ts: 1}}, traits: connector.Traits{Bounded: true}})
	if err := j.Run(context.Background(), res.take); err != nil {
		t.Fatal(err)
	}
	for n := range saved {
		j := buildJob(t, windows, exec.Config{}, &res, &table{traits: connector.Traits{Bounded: true}})
		j.Restore(saved[:n])
		if err := j.Run(context.Background(), res.take); err == nil {
			t.Fatalf("a snapshot cut at %d of %d bytes is taken", n, len(saved))
		}
	}
	j = buildJob(t, "source b: v BIGINT, ts TIMESTAMP(3)*\nroot b", exec.Config{}, &res, &table{traits: connector.Traits{Bounded: true}})
	j.Restore(saved)
	if err := j.Run(context.Background(), res.take); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Fatal(err)
	}
}
