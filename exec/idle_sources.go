package exec

import (
	"context"
	"math"
	"time"

	"streamsql/stream"
)

// heard notes that a source has sent something. With the turn held.
func (a *arrival) heard(in *input) error {
	if in.idleAfter == 0 {
		return nil
	}
	in.last.Store(a.job.cfg.Now())
	if !in.idle {
		return nil
	}
	in.idle = false
	if err := a.job.status(a.ctx, in, stream.Active); err != nil {
		return err
	}
	a.wind()
	return nil
}

// quiet makes idle the sources that have sent nothing for their time. It is called when
// the timer rings, after what waits has been taken.
func (a *arrival) quiet() error {
	a.job.turn <- struct{}{}
	defer func() { <-a.job.turn }()
	return a.guarded(func() error {
		if err := a.job.tick(a.ctx); err != nil {
			return err
		}
		now := a.job.cfg.Now()
		for _, in := range a.sources {
			if in.idleAfter == 0 || in.over || in.idle || now-in.last.Load() < in.idleAfter {
				continue
			}
			in.idle = true
			if err := a.job.status(a.ctx, in, stream.Idle); err != nil {
				return err
			}
		}
		a.wind()
		return a.job.graph.Idle(a.ctx)
	})
}

// remind tells the plan again which sources are idle, after another one has ended: it
// may have been the last one that was not.
func (a *arrival) remind() error {
	for _, in := range a.sources {
		if in.idle && !in.over {
			if err := a.job.status(a.ctx, in, stream.Idle); err != nil {
				return err
			}
		}
	}
	return nil
}

// wind sets the timer to when the next source may become idle, or when something is due
// by the clock. With the turn held.
func (a *arrival) wind() {
	now, next := a.job.cfg.Now(), int64(0)
	if a.timer == nil {
		return // bounded sources are being read
	}
	if a.due = a.job.graph.Due(); a.due != math.MaxInt64 {
		next = max(1, min(a.due-now, longestWait))
	}
	for _, in := range a.sources {
		if in.idleAfter == 0 || in.over || in.idle {
			continue
		}
		// The clock may have been put back.
		wait := max(1, min(in.last.Load()+in.idleAfter-now, in.idleAfter))
		if next == 0 || wait < next {
			next = wait
		}
	}
	if next > 0 {
		a.timer.Reset(time.Duration(next) * time.Millisecond)
	}
}

// longestWait is the longest time that a timer is set to, in milliseconds: the clock of
// the job may not be that of the timer, and may be put forward.
const longestWait = int64(time.Hour / time.Millisecond)

// startTimer starts to watch for idle sources.
func (a *arrival) startTimer() {
	a.timer = time.NewTimer(time.Hour)
	a.timer.Stop()
	a.due = math.MaxInt64
	now := a.job.cfg.Now()
	for _, in := range a.sources {
		in.last.Store(now)
	}
	a.wind()
}

// ring is called when the timer rings. What a source has read already comes first: it
// only waits for the plan.
func (a *arrival) ring() error {
	for {
		select {
		case it := <-a.items:
			if err := a.step(it); err != nil {
				return err
			}
			continue
		default:
		}
		return a.quiet()
	}
}

// status tells the plan that a source is idle, or active again. The message has an
// ordinal of its own.
func (j *Job) status(ctx context.Context, in *input, kind stream.ControlKind) error {
	j.next++
	return j.graph.status(ctx, in.head, stream.Control{Kind: kind, Ord: 2*j.next - 1, Now: j.cfg.Now()})
}

// isIdle reports whether a source that is waited for has sent nothing for its time; any
// goroutine may ask.
func (j *Job) isIdle(in *input) bool {
	return in.idleAfter > 0 && in.last.Load() > 0 && !in.ended.Load() && !j.done.Load() && j.cfg.Now()-in.last.Load() >= in.idleAfter
}
