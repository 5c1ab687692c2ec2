package streamsql

import (
	"context"
	"errors"
	"testing"
	"time"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

type tick struct {
	TS time.Time `sql:"ts"`
	N  int64
}

// reader reads a Push in place of a query: each batch waits for what take says.
func reader(t *testing.T, p *Push[tick], take func(ctx context.Context, rows int) error) {
	t.Helper()
	feed := func(ctx context.Context, b *stream.Batch) error { return take(ctx, b.N) }
	if err := p.Attach(connector.OpenOptions{}, feed, func(error) {}); err != nil {
		t.Fatal(err)
	}
}

// A sender whose context ends while the query is busy has not sent; the query goes
// on with whatever comes next.
func TestSendGivesUp(t *testing.T) {
	p := NewPush[tick]()
	free := make(chan struct{})
	var first, second int
	reader(t, p, func(ctx context.Context, rows int) error {
		select {
		case <-free:
			first += rows
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	reader(t, p, func(ctx context.Context, rows int) error {
		second += rows
		return ctx.Err() // what the first has taken this one must get
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Send(ctx, tick{}); !errors.Is(err, context.Canceled) {
		t.Errorf("while the query is busy: %v", err)
	}
	close(free)
	if err := p.Send(t.Context(), tick{}, tick{}); err != nil || first != 2 || second != 2 {
		t.Errorf("afterwards: %v; %d and %d rows", err, first, second)
	}
}

// A sender that waits behind another one hears its own context, and a query can start
// meanwhile. That gets what the sender holds if nobody else wants it.
func TestSendWaitsBehindAnother(t *testing.T) {
	p := NewPush[tick]()
	entered, leave := make(chan struct{}), make(chan struct{})
	reader(t, p, func(context.Context, int) error {
		entered <- struct{}{}
		<-leave
		return connector.ErrEnough
	})
	sent := make(chan error, 1)
	go func() { sent <- p.Send(context.Background(), tick{}) }()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Send(ctx, tick{}); !errors.Is(err, context.Canceled) {
		t.Errorf("behind another: %v", err)
	}
	got := 0
	reader(t, p, func(_ context.Context, rows int) error {
		got += rows
		return nil
	})
	close(leave)
	if err := <-sent; err != nil || got != 1 {
		t.Errorf("%v; %d rows", err, got)
	}
}

// A query that its user stopped ended well; one whose context ended did not.
func TestErrAfterTheEnd(t *testing.T) {
	e := openTest(t)
	start := func(ctx context.Context) *Query {
		q, err := e.Query(ctx, "SELECT n FROM p")
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	p := NewPush[tick]()
	if err := e.RegisterSource("p", p); err != nil {
		t.Fatal(err)
	}
	closed := start(t.Context())
	closed.Close()
	if err := closed.Err(); err != nil {
		t.Error("closed:", err)
	}
	broken := start(t.Context())
	sent := make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			err = p.Send(context.Background(), tick{})
		}
		sent <- err
	}()
	for range broken.Batches() {
		break
	}
	if err := broken.Err(); err != nil {
		t.Error("broken out of:", err)
	}
	if err := diag.As(<-sent); err == nil || err.Code != diag.Closed {
		t.Error("its sender:", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	canceled := start(ctx)
	cancel()
	canceled.Close()
	if err := canceled.Err(); !errors.Is(err, context.Canceled) {
		t.Error("canceled:", err)
	}
}

type notRows struct{ C chan int }

// What no query could read is refused when it is registered.
func TestRegisterRefuses(t *testing.T) {
	e := openTest(t)
	for name, err := range map[string]error{
		"type of a field": e.RegisterSource("a", NewPush[notRows]()),
		"no struct":       e.RegisterSource("b", NewPush[int]()),
		"no source":       e.RegisterSource("c", nil),
		"no sink":         e.RegisterSink("d", nil),
		"no name":         e.RegisterSource("", NewPush[tick]()),
	} {
		if d := diag.As(err); d == nil || d.Code == diag.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := e.Tables(); len(n) > 0 {
		t.Errorf("tables %v", n)
	}
}

// Each query sees what is sent after its start.
func TestRowsAfterTheStart(t *testing.T) {
	for range 200 {
		e := openTest(t)
		p := NewPush[tick]()
		if err := e.RegisterSource("p", p); err != nil {
			t.Fatal(err)
		}
		var queries []*Query
		for _, text := range []string{"SELECT n FROM p", "SELECT n FROM p WHERE n >= 0", "SELECT n FROM p LIMIT 0"} {
			q, err := e.Query(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			queries = append(queries, q)
		}
		if err := p.Send(t.Context(), tick{N: 1}, tick{N: 2}); err != nil {
			t.Fatal(err)
		}
		p.End(nil)
		for i, want := range []int{2, 2, 0} {
			if rows, err := Collect[int64](queries[i]); len(rows) != want || err != nil {
				t.Fatalf("query %d: %v, %v", i, rows, err)
			}
		}
		e.Close()
	}
}
