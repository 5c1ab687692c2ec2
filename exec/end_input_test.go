package exec_test

import (
	"context"
	"errors"
	"testing"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/stream"
)

// stalled is a table behind whose last row nothing comes, not even the end.
type stalled struct{ table }

func (s *stalled) Open(ctx context.Context, o connector.OpenOptions) (connector.Reader, error) {
	r, err := s.table.Open(ctx, o)
	return stalledReader{r.(*tableReader)}, err
}

type stalledReader struct{ *tableReader }

func (r stalledReader) Next(ctx context.Context, b *stream.Batch) error {
	if r.next == len(r.t.rows) {
		<-ctx.Done()
		return ctx.Err()
	}
	return r.tableReader.Next(ctx, b)
}

// TestEndInput ends the input of jobs whose sources are waited for: open windows close
// with the rows that were there, and the job ends well.
func TestEndInput(t *testing.T) {
	rows := []trow{{v: 1, ts: 1}, {v: 2, ts: 2}}
	live := connector.Traits{Bounded: true, Live: true}
	const both = `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
u = union a b
l = late u: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`
	for name, c := range map[string]struct {
		plan    string
		sources []*stalled
		when    int64 // rows delivered
		want    string
	}{
		"one source":      {windows, []*stalled{{table{rows: rows}}}, 2, "+I 2 3 10"},
		"one live source": {windows, []*stalled{{table{rows: rows, traits: live}}}, 2, "+I 2 3 10"},
		// The first one is read before the second.
		"two sources":      {both, []*stalled{{table{rows: rows}}, {table{rows: rows}}}, 2, "+I 2 3 10"},
		"two live sources": {both, []*stalled{{table{rows: rows, traits: live}}, {table{rows: rows, traits: live}}}, 4, "+I 4 6 10"},
	} {
		for _, cfg := range configs() {
			var res result
			var sources []connector.Source
			for _, s := range c.sources {
				sources = append(sources, s)
			}
			cfg.Rest = func(j *exec.Job) error {
				var n int64
				for _, s := range j.Stats().Sources {
					n += s.Delivered
				}
				if n == c.when {
					go j.EndInput()
				}
				return nil
			}
			j := buildJob(t, c.plan, cfg, &res, sources...)
			if err := j.Run(context.Background(), res.take); err != nil || res.String() != c.want {
				t.Errorf("%s, %+v: %v\n%s", name, cfg, err, res)
			}
			for _, s := range j.Stats().Sources {
				if !s.Ended || s.Read != s.Delivered+s.Bad+s.Unread {
					t.Errorf("%s: %+v", name, s)
				}
			}
		}
	}
}

func TestEndInputBeforeRun(t *testing.T) {
	var res result
	j := buildJob(t, windows, exec.Config{}, &res, &stalled{table{rows: []trow{{v: 1, ts: 1}}}})
	j.EndInput()
	if err := j.Run(context.Background(), res.take); err != nil || res.String() != "" {
		t.Fatal(err, res)
	}
}

func TestEndInputOfPushedSource(t *testing.T) {
	p := newPushed()
	var res result
	j := buildJob(t, windows, exec.Config{}, &res, p)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	if err := p.send(trow{v: 1, ts: 1}); err != nil {
		t.Fatal(err)
	}
	j.EndInput()
	if err := <-done; err != nil || res.String() != "+I 1 1 10" {
		t.Fatal(err, res)
	}
	if err := p.send(trow{v: 5, ts: 5}); !errors.Is(err, connector.ErrEnough) {
		t.Fatal("a row after the end:", err)
	}
}
