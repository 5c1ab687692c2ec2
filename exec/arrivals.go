package exec

import (
	"context"
	"io"
	"sync"
	"time"

	"streamsql/connector"
	"streamsql/stream"
)

// arrivals reads sources whose rows come when somebody produces them: the order is
// that of arrival. Sources that are always ready are read before, in their own order:
// they would only ever win the race.
func (j *Job) arrivals(ctx context.Context, bounded, arriving []*input) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &arrival{job: j, ctx: ctx, cancel: cancel, items: make(chan arrived), ends: make(chan arrived, len(arriving))}
	defer func() {
		cancel(err)
		a.readers.Wait()
		j.turn <- struct{}{}
		a.ended = true // whoever still pushes finds the job over
		<-j.turn
	}()
	if err := a.start(bounded, arriving); err != nil {
		return err
	}
	return a.loop()
}

// start opens the sources and reads the bounded ones, while pushes wait.
func (a *arrival) start(bounded, arriving []*input) error {
	j := a.job
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	a.sources = arriving
	for _, in := range arriving {
		a.open++
		if p, ok := in.source.(connector.Pushed); ok {
			if err := a.attach(in, p); err != nil {
				return err
			}
			continue
		}
		in.arriving = true
		if err := j.open(a.ctx, in, 1); err != nil {
			return err
		}
		a.readers.Add(1)
		go a.run(in)
	}
	defer a.startTimer()
	return a.guarded(func() error { return j.merge(a.ctx, bounded) })
}

// arrival is the state of one call of arrivals.
type arrival struct {
	job     *Job
	ctx     context.Context
	cancel  context.CancelCauseFunc
	items   chan arrived
	ends    chan arrived // of pushed sources: each sends once, so none waits
	readers sync.WaitGroup
	sources []*input
	timer   *time.Timer // rings when a source may have become idle, or when something waits for the clock
	due     int64       // the moment of the clock for which the timer was set; only with the turn
	open    int         // sources that have not ended; only with the turn
	ended   bool        // the job takes nothing more; only with the turn
}

// arrived is a batch of a reader, or its end.
type arrived struct {
	in   *input
	b    *stream.Batch
	pos  connector.Position
	err  error
	free chan<- *stream.Batch
}

// run reads one source in a goroutine of its own.
func (a *arrival) run(in *input) {
	defer a.readers.Done()
	free := make(chan *stream.Batch, 2)
	free <- new(stream.Batch)
	free <- new(stream.Batch)
	ahead := readAhead{r: in.reader}
	for {
		it := arrived{in: in, free: free}
		select {
		case it.b = <-free:
		case <-a.ctx.Done():
			return
		}
		it.b.Clear()
		it.err = ahead.read(a.ctx, it.b)
		if a.job.cfg.Rest != nil {
			it.pos = in.reader.Position()
		}
		select {
		case a.items <- it:
		case <-a.ctx.Done():
			return
		}
		if it.err != nil {
			return
		}
	}
}

// loop takes what the readers bring until all sources have ended.
func (a *arrival) loop() error {
	for {
		over, err := a.over()
		if over || err != nil {
			return err
		}
		select {
		case it := <-a.items:
			if err := a.step(it); err != nil {
				return err
			}
		case it := <-a.ends:
			if err := a.step(it); err != nil {
				return err
			}
		case <-a.timer.C:
			if err := a.ring(); err != nil {
				return err
			}
		case <-a.job.ending.Done():
			return a.end()
		case <-a.ctx.Done():
		}
	}
}

// over reports whether all sources have ended, and why the job has.
func (a *arrival) over() (bool, error) {
	a.job.turn <- struct{}{}
	defer func() { <-a.job.turn }()
	if a.open == 0 {
		return true, nil
	}
	if a.ctx.Err() != nil {
		return true, context.Cause(a.ctx)
	}
	return false, nil
}

// step runs the plan over what a reader brought, with the turn held.
func (a *arrival) step(it arrived) error {
	a.job.turn <- struct{}{}
	defer func() { <-a.job.turn }()
	return a.guarded(func() error { return a.take(it) })
}

// take runs the plan over what a reader brought.
func (a *arrival) take(it arrived) error {
	j, in := a.job, it.in
	if it.err == io.EOF {
		a.open--
		if err := j.end(a.ctx, in); err != nil {
			return err
		}
		return a.remind()
	}
	if it.err != nil {
		return readError(in, it.err)
	}
	in.position = it.pos
	if err := a.heard(in); err != nil {
		return err
	}
	if err := j.tick(a.ctx); err != nil {
		return err
	}
	j.number(it.b)
	err := j.graph.push(a.ctx, in.head, j.graph.heads[in.head].scan, it.b)
	in.account(it.b, err)
	it.free <- it.b
	if err != nil {
		return err
	}
	return j.rest(a.ctx, in)
}

// attach binds a pushed source: its rows run through the plan in the goroutine of
// whoever sends them.
func (a *arrival) attach(in *input, p connector.Pushed) error {
	feed := func(ctx context.Context, b *stream.Batch) error {
		if err := a.acquire(ctx); err != nil {
			return err
		}
		defer func() { <-a.job.turn }()
		if a.ended || in.over {
			if a.ctx.Err() != nil {
				return a.cause()
			}
			return connector.ErrEnough
		}
		in.pushed.Add(int64(b.N))
		return a.guarded(func() error {
			j := a.job
			if err := a.heard(in); err != nil {
				return err
			}
			if err := j.tick(a.ctx); err != nil {
				return err
			}
			j.number(b)
			err := j.graph.push(a.ctx, in.head, j.graph.heads[in.head].scan, b)
			in.account(b, err)
			if err != nil {
				return err
			}
			return j.rest(a.ctx, in)
		})
	}
	// The end may be reported from within Attach, or while a row is on its way.
	var once sync.Once
	end := func(err error) {
		if err == nil {
			err = io.EOF
		}
		once.Do(func() { a.ends <- arrived{in: in, err: err} })
	}
	if err := p.Attach(in.options(&a.job.cfg), feed, end); err != nil {
		return readError(in, err)
	}
	return nil
}

// guarded runs f with the turn held; an error or panic ends the job.
func (a *arrival) guarded(f func() error) (err error) {
	defer func() {
		if err != nil {
			a.ended = true
			a.cancel(err)
		}
	}()
	defer a.job.graph.recovered(&err)
	if err := f(); err != nil {
		return err
	}
	if a.job.graph.Due() != a.due {
		a.wind() // something waits for another moment than before
	}
	return nil
}

// acquire waits for the turn.
func (a *arrival) acquire(ctx context.Context) error {
	select { // mostly the turn is free, and asking for it alone is cheaper
	case a.job.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case a.job.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-a.ctx.Done():
		return a.cause()
	}
}

// cause is what a sender hears after the end of the job.
func (a *arrival) cause() error {
	if err := context.Cause(a.ctx); !isEnough(err) && !isStop(err) {
		return err
	}
	return connector.ErrEnough
}
