package exec_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/internal/optest"
	"streamsql/planner/physical"
	"streamsql/stream"
)

const unionWindows = `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
u = union a b
l = late u: ts, tumble 10
g = aggregate l: ts, tumble 10, keys, aggs COUNT(*) SUM(v), props end
root g`

const joinWindows = `
source a: v BIGINT, ts TIMESTAMP(3)*
source b: v BIGINT, ts TIMESTAMP(3)*
x = tvf a: ts, tumble 10
y = tvf b: ts, tumble 10
j = join x y: full, keys v v
p = project j: l=v, r=r_v
root p`

// idleJob is a job over pushed sources that are idle after five seconds.
type idleJob struct {
	t    *testing.T
	mu   sync.Mutex // what a timer causes and what the test reads are not ordered otherwise
	res  result
	job  *exec.Job
	done chan error
	seen int
}

func startIdle(t *testing.T, plan string, sources ...connector.Source) *idleJob {
	t.Helper()
	p, err := optest.Plan(plan)
	if err != nil {
		t.Fatal(err)
	}
	timeouts(p.Root)
	i := &idleJob{t: t, done: make(chan error, 1)}
	i.job, err = exec.Build(p, exec.Config{
		Source: func(h int) (connector.Source, error) { return sources[h], nil },
		Late: func(l stream.LateRow) {
			i.mu.Lock()
			defer i.mu.Unlock()
			i.res.rows = append(i.res.rows, "late "+strings.Join(l.Values, " "))
		},
		Now: func() int64 { return time.Now().UnixMilli() },
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { i.done <- i.job.Run(context.Background(), i.take) }()
	synctest.Wait()
	return i
}

func (i *idleJob) take(b *stream.Batch) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.res.take(b)
}

// pass lets time go by: that of the test's bubble, so nobody waits.
func pass(d time.Duration) { <-time.After(d) }

func timeouts(n physical.Node) {
	if s, ok := n.(*physical.Scan); ok {
		s.IdleTimeout = 5000
	}
	for _, in := range n.Inputs() {
		timeouts(in)
	}
}

// expect compares what has come since the last call.
func (i *idleJob) expect(want ...string) {
	i.t.Helper()
	synctest.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	got := i.res.rows[i.seen:]
	i.seen = len(i.res.rows)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		i.t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// idle compares which sources are idle.
func (i *idleJob) idle(want ...bool) {
	i.t.Helper()
	for k, s := range i.job.Stats().Sources {
		if s.Idle != want[k] {
			i.t.Fatalf("source %s: idle is %v", s.Table, s.Idle)
		}
	}
}

func (i *idleJob) send(p *pushed, rows ...trow) {
	i.t.Helper()
	if err := p.send(rows...); err != nil {
		i.t.Fatal(err)
	}
}

func (i *idleJob) end(sources ...*pushed) {
	i.t.Helper()
	for _, p := range sources {
		p.end(nil)
		synctest.Wait()
	}
	if err := <-i.done; err != nil {
		i.t.Fatal(err)
	}
}

// An input that is silent leaves the minimum of the watermarks; when it comes back
// behind the others it does not hold them back, and its rows may be late.
func TestIdleInputOfUnion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := newPushed(), newPushed()
		j := startIdle(t, unionWindows, p, q)
		j.send(q, trow{1, 1, 1})
		pass(3 * time.Second)
		j.send(p, trow{2, 2, 20})
		j.expect()
		pass(1999 * time.Millisecond)
		j.expect()
		j.idle(false, false)
		pass(time.Millisecond) // five seconds since the row of q
		j.expect("+I 2 3 10")
		j.idle(false, true)
		j.send(q, trow{4, 4, 5}, trow{8, 25, 6}) // late for [0, 10), and behind
		j.idle(false, false)
		j.expect("late 4 1970-01-01 00:00:00.004")
		j.send(p, trow{16, 26, 30})
		j.expect("+I 2 24 30")
		j.send(q, trow{32, 35, 31}) // caught up: it holds the watermark again
		j.send(p, trow{64, 36, 60})
		j.expect()
		j.send(q, trow{128, 65, 45})
		j.expect("+I 2 96 40")
		j.end(p, q)
		j.expect("+I 1 128 70")
	})
}

// When all inputs are idle, the last one that had held the others back lets them go on
// to the highest watermark.
func TestAllInputsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := newPushed(), newPushed()
		j := startIdle(t, unionWindows, p, q)
		j.send(p, trow{1, 1, 20})
		pass(time.Second)
		j.send(q, trow{2, 2, 5})
		pass(4500 * time.Millisecond)
		j.idle(true, false)
		j.expect()
		pass(time.Second)
		j.idle(true, true)
		j.expect("+I 2 3 10")
		j.end(p, q)
		j.expect()
	})
}

// The end of one input does not end the windows that an idle one may still fill.
func TestIdleInputAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := newPushed(), newPushed()
		j := startIdle(t, unionWindows, p, q)
		j.send(q, trow{1, 1, 5})
		pass(6 * time.Second)
		j.send(p, trow{2, 2, 7})
		p.end(nil)
		j.expect()
		j.send(q, trow{4, 4, 8})
		j.expect()
		j.send(q, trow{8, 8, 12})
		j.expect("+I 4 15 10")
		j.end(q)
	})
}

// A union whose inputs are all idle is an idle input itself.
func TestIdleInputsInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q, r := newPushed(), newPushed(), newPushed()
		plan := strings.NewReplacer("u = union a b", "source c: v BIGINT, ts TIMESTAMP(3)*\nx = union a b\nu = union x c").Replace(unionWindows)
		j := startIdle(t, plan, p, q, r)
		j.send(p, trow{1, 1, 5})
		j.send(q, trow{2, 2, 6})
		pass(4 * time.Second)
		j.send(r, trow{4, 4, 30})
		j.expect()
		pass(time.Second)
		j.idle(true, true, false)
		j.expect("+I 3 7 10")
		j.end(p, q, r)
	})
}

func TestIdleInputOfJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := newPushed(), newPushed()
		j := startIdle(t, joinWindows, p, q)
		j.send(q, trow{1, 1, 1})
		pass(time.Second)
		j.send(p, trow{1, 2, 20})
		j.expect()
		pass(4 * time.Second)
		j.expect("+I 1 1")
		j.send(q, trow{8, 25, 6}) // behind
		j.send(p, trow{16, 26, 30})
		j.expect("+I 16 NULL", "+I NULL 8")
		j.end(p, q)
	})
}

// A live source of its own is idle for those who ask.
func TestIdleSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		p, err := optest.Plan(windows)
		if err != nil {
			t.Fatal(err)
		}
		timeouts(p.Root)
		src := &stalled{table{rows: []trow{{v: 1, ts: 1}}, traits: connector.Traits{Bounded: true, Live: true}}}
		job, err := exec.Build(p, exec.Config{
			Source: func(int) (connector.Source, error) { return src, nil },
			Now:    func() int64 { return time.Now().UnixMilli() },
		})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- job.Run(ctx, func(*stream.Batch) error { return nil }) }()
		pass(4999 * time.Millisecond)
		if job.Stats().Sources[0].Idle {
			t.Error("idle too early")
		}
		pass(time.Millisecond)
		if !job.Stats().Sources[0].Idle {
			t.Error("not idle")
		}
		stop()
		<-done
	})
}

// Sources that are read may be idle like those that are pushed.
func TestIdleReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := connector.Traits{Bounded: true, Live: true, Watermarks: true}
		a := &stalled{table{rows: []trow{{1, 1, 20}}, traits: live}}
		b := &stalled{table{rows: []trow{{2, 2, 5}}, traits: live}}
		j := startIdle(t, unionWindows, a, b)
		pass(4999 * time.Millisecond)
		j.expect()
		pass(time.Millisecond)
		j.expect("+I 2 3 10")
		j.idle(true, true)
		j.job.EndInput()
		j.end()
		j.idle(false, false)
	})
}
