package text

import (
	"context"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"streamsql/connector"
	"streamsql/stream"
)

// SerialPart reads inputs as several workers do, but all in one goroutine, and returns
// the time that what only one goroutine can do at a time takes (reading what must be
// read in order, cutting, putting the batches in order, giving their texts the ids of
// the reader), that of the rest, and the rows. Time is that of the processor.
func SerialPart(inputs []Input, dec Divisible, o connector.OpenOptions) (serial, parallel time.Duration, rows int, err error) {
	p, workers, err := assemble(inputs, dec, o)
	if err != nil {
		return 0, 0, 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	defer p.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var batch stream.Batch
	for turn := 0; ; turn++ {
		b := <-p.free
		from := cpuTime()
		more := p.cut.next(ctx, b)
		to := cpuTime()
		serial += to - from
		from = to
		if more {
			w := workers[turn%len(workers)]
			b.worker = w
			w.work(b)
			b.done <- struct{}{}
			from = cpuTime()
			parallel += from - to
		}
		for p.Ready() {
			batch.Clear()
			if err = p.Next(ctx, &batch); err != nil {
				break
			}
			rows += batch.N
		}
		serial += cpuTime() - from
		if err == io.EOF {
			return serial, parallel, rows, nil
		} else if err != nil {
			return 0, 0, 0, err
		}
	}
}

// cpuTime is how long the thread has run so far, to the nanosecond.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
