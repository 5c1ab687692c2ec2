package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// pushed is a source that test code feeds.
type pushed struct {
	table
	feed func(context.Context, *stream.Batch) error
	end  func(error)
	up   chan struct{}
}

func newPushed() *pushed {
	return &pushed{table: table{traits: connector.Traits{Bounded: true, Live: true, Watermarks: true}}, up: make(chan struct{})}
}

func (p *pushed) Attach(_ connector.OpenOptions, feed func(context.Context, *stream.Batch) error, end func(error)) error {
	p.feed, p.end = feed, end
	close(p.up)
	return nil
}

func (p *pushed) send(rows ...trow) error {
	<-p.up
	var b stream.Batch
	r := tableReader{t: &table{rows: rows}, o: connector.OpenOptions{BatchSize: len(rows)}}
	if err := r.Next(context.Background(), &b); err != nil {
		return err
	}
	return p.feed(context.Background(), &b)
}

func TestPushedSources(t *testing.T) {
	p, q := newPushed(), newPushed()
	plan := `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
u = union a b
l = late u: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`
	var res result
	j := buildJob(t, plan, exec.Config{}, &res, p, q)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	for _, err := range []error{
		p.send(trow{1, 1, 0}, trow{2, 12, 0}),
		q.send(trow{3, 3, 20}),
		p.send(trow{4, 4, 9}), // the minimum is 9 now
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := "+I 3 8 10"; res.String() != want {
		t.Fatalf("before the end: %s", res)
	}
	p.end(nil)
	q.end(nil)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if want := "+I 3 8 10\n+I 1 2 20"; res.String() != want {
		t.Fatal(res)
	}
	if err := p.send(trow{5, 5, 0}); !errors.Is(err, connector.ErrEnough) {
		t.Fatal("a row after the end:", err)
	}
	if s := j.Stats().Sources[0]; s.Delivered != 3 || s.Read != 3 || !s.Ended {
		t.Fatalf("%+v", s)
	}
}

func TestPushedSourceHearsOfFailures(t *testing.T) {
	p := newPushed()
	var res result
	j := buildJob(t, "source a: v BIGINT, ts TIMESTAMP(3)*\np = project a: q=(/ 10 v)\nroot p", exec.Config{}, &res, p)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	if err := p.send(trow{v: 5}); err != nil {
		t.Fatal(err)
	}
	if err := p.send(trow{v: 0}); err == nil || !strings.Contains(err.Error(), "zero") {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "zero") {
		t.Fatal(err)
	}
	if err := p.send(trow{v: 5}); err == nil || !strings.Contains(err.Error(), "zero") {
		t.Fatal(err)
	}
}

func TestPushedSourceAndLimit(t *testing.T) {
	p := newPushed()
	var res result
	j := buildJob(t, "source a: v BIGINT, ts TIMESTAMP(3)*\nm = limit a: 2\nroot m", exec.Config{}, &res, p)
	done := make(chan error)
	go func() { done <- j.Run(context.Background(), res.take) }()
	if err := p.send(trow{v: 1}, trow{v: 2}, trow{v: 3}); !errors.Is(err, connector.ErrEnough) {
		t.Fatal(err)
	}
	if err := <-done; err != nil || res.String() != "+I 1 0\n+I 2 0" {
		t.Fatal(err, res)
	}
}

func TestLiveReadersInterleaveAndEnd(t *testing.T) {
	live := connector.Traits{Bounded: true, Live: true}
	for _, cfg := range configs() {
		got := runJob(t, twoSources, cfg,
			&table{rows: randomRows(rand.New(rand.NewPCG(1, 1)), 50, 0), traits: live},
			&table{rows: randomRows(rand.New(rand.NewPCG(1, 2)), 50, 1000), traits: live})
		if got.err != nil || len(got.rows) != 100 {
			t.Fatalf("%+v: %v, %d rows", cfg, got.err, len(got.rows))
		}
		// The order between the two is that of arrival, within each that of its rows.
		var first []string
		for _, r := range got.rows {
			var v, ts int64
			fmt.Sscanf(r, "+I %d %d", &v, &ts)
			if v < 1000 {
				first = append(first, fmt.Sprintf("%05d", v))
			}
		}
		if len(first) != 50 || !slices.IsSorted(first) {
			t.Fatal("rows of one source out of order")
		}
	}
}

func TestLiveReaderPanicAndFailureEndTheJob(t *testing.T) {
	live := connector.Traits{Bounded: true, Live: true}
	endless := func() *table { return &table{rows: []trow{{v: 1, ts: 1}}, endles: true, traits: live} }
	got := runJob(t, twoSources, exec.Config{}, endless(), &table{traits: live, bomb: true})
	if e := diag.As(got.err); e == nil || e.Code != diag.Internal {
		t.Fatal(got.err)
	}
	got = runJob(t, twoSources, exec.Config{}, endless(), &table{traits: live, fails: errors.New("gone")})
	if e := diag.As(got.err); e == nil || e.Code != diag.IO {
		t.Fatal(got.err)
	}
}
