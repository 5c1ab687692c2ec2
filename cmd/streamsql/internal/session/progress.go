package session

import (
	"fmt"
	"sync"
	"time"

	"streamsql/cmd/streamsql/internal/flags"
	"streamsql/cmd/streamsql/internal/report"
)

// Progress is drawn this long after the start, and this often.
const (
	progressAfter = 500 * time.Millisecond
	progressEvery = 200 * time.Millisecond
	whyAfter      = 5 * time.Second // a prompt that stays empty this long says why
)

// watch tells somebody who waits for a query how it goes on. The returned function
// ends it and leaves an empty line.
func (s *Session) watch(r *Result) (stop func()) {
	draw := s.StderrTerminal && !s.StdoutTerminal && !s.Quiet && !s.Shell && s.Trace == flags.TraceOff
	if !draw && !s.Shell {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		if s.Shell {
			s.watchSilence(r, done)
		} else {
			s.drawProgress(r, done)
		}
	}()
	return func() {
		close(done)
		wg.Wait()
	}
}

func (s *Session) drawProgress(r *Result, done <-chan struct{}) {
	drawn := false
	next := time.After(progressAfter)
	for {
		select {
		case <-done:
			if drawn {
				fmt.Fprint(s.Err, "\r\x1b[K")
			}
			return
		case <-next:
			fmt.Fprintf(s.Err, "\r\x1b[K%s", progressLine(r))
			drawn = true
			next = time.After(progressEvery)
		}
	}
}

// progressLine is short enough for a terminal of 80 columns.
func progressLine(r *Result) string {
	stats, took := r.Stats(), r.Elapsed()
	var read, bytes, total int64
	known := true
	for _, src := range stats.Sources {
		read, bytes, total = read+src.Read, bytes+src.Bytes, total+src.TotalBytes
		known = known && src.TotalBytes > 0
	}
	line := fmt.Sprintf("%s rows read", report.Count(read))
	if s := took.Seconds(); s > 0 {
		line += fmt.Sprintf(", %s/s", report.Rate(float64(read)/s))
	}
	if known && total > 0 && bytes > 0 {
		share := min(1, float64(bytes)/float64(total))
		left := time.Duration(float64(took) * (1 - share) / share)
		line += fmt.Sprintf(", %.0f %%, %s left", 100*share, report.Seconds(left))
	}
	return line + fmt.Sprintf("; %s rows out", report.Count(stats.RowsOut))
}

// watchSilence says once why a query at the prompt shows nothing yet.
func (s *Session) watchSilence(r *Result, done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(whyAfter):
		if r.Stats().RowsOut == 0 {
			fmt.Fprintf(s.Err, "no rows yet (Ctrl-C stops the query)\n%s", r.Query.Why())
		}
	}
}
