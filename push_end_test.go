package streamsql

import (
	"context"
	"errors"
	"testing"
	"time"

	"streamsql/internal/diag"
)

type tick struct {
	TS time.Time `sql:"ts"`
	N  int64
}

// A sender whose context ends while the query is busy has not sent; the query goes
// on with whatever comes next.
func TestSendGivesUp(t *testing.T) {
	e := openTest(t)
	busy, p := NewPush[tick](), NewPush[tick]()
	for name, s := range map[string]*Push[tick]{"busy": busy, "p": p} {
		if err := e.RegisterSource(name, s); err != nil {
			t.Fatal(err)
		}
	}
	q, err := e.Query(t.Context(), "SELECT n FROM busy UNION ALL SELECT n FROM p")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // until the results fill, and on when they are read
		for range 100 {
			if err := busy.Send(context.Background(), tick{N: 1}); err != nil {
				t.Error(err)
			}
		}
		busy.End(nil)
	}()
	for len(q.out) < cap(q.out) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.Send(ctx, tick{N: 1000}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the query is busy: %v", err)
	}
	go func() {
		if err := p.Send(context.Background(), tick{N: 2000}); err != nil {
			t.Error("afterwards:", err)
		}
		p.End(nil)
	}()
	rows, err := Collect[int64](q)
	var sum int64
	for _, n := range rows {
		sum += n
	}
	if err != nil || sum != 2100 {
		t.Errorf("sum %d, %v", sum, err)
	}
}

// A sender that waits behind another one hears its own context.
func TestSendWaitsBehindAnother(t *testing.T) {
	e := openTest(t)
	p := NewPush[tick]()
	if err := e.RegisterSource("p", p); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "SELECT n FROM p")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for p.Send(context.Background(), tick{}) == nil {
		}
	}()
	for len(q.out) < cap(q.out) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	heard := make(chan error, 1)
	go func() { heard <- p.Send(ctx, tick{}) }()
	select {
	case err := <-heard:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the sender waits beyond its context")
	}
	q.Close()
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

// Each query sees what is sent after its start, also one that starts while a sender
// waits for the reader of another.
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
	e := openTest(t)
	p := NewPush[tick]()
	if err := e.RegisterSource("p", p); err != nil {
		t.Fatal(err)
	}
	unread, err := e.Query(t.Context(), "SELECT n FROM p")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for p.Send(context.Background(), tick{}) == nil {
		}
	}()
	for len(unread.out) < cap(unread.out) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	second, err := e.Query(t.Context(), "SELECT n FROM p LIMIT 3")
	if err != nil {
		t.Fatal(err)
	}
	unread.Close()
	if rows, err := Collect[int64](second); len(rows) != 3 || err != nil {
		t.Errorf("%v, %v", rows, err)
	}
}
