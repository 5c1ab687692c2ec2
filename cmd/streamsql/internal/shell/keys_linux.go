package shell

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// watchKeys reads the terminal while a query runs and calls interrupt at Ctrl-C. The
// terminal sends no signal meanwhile: it would reach every program of a pipeline and
// kill the one that feeds the shell.
func watchKeys(interrupt func()) (stop func(), err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := tty.SetReadDeadline(time.Time{}); err != nil { // reading could not be ended
		tty.Close()
		return nil, err
	}
	saved, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		tty.Close()
		return nil, err
	}
	// Fd has made the descriptor blocking.
	if err := unix.SetNonblock(int(tty.Fd()), true); err != nil {
		tty.Close()
		return nil, err
	}
	quiet := *saved
	quiet.Lflag &^= unix.ISIG
	if err := unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, &quiet); err != nil {
		tty.Close()
		return nil, err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 64)
		for {
			n, err := tty.Read(buf)
			for _, key := range buf[:n] {
				if key == 3 {
					interrupt()
				}
			}
			if err != nil && !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	return func() {
		_ = tty.SetReadDeadline(time.Unix(1, 0)) // checked above
		wg.Wait()
		_ = unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, saved) // the next prompt sets its own mode
		tty.Close()
	}, nil
}

// setSignals says whether the terminal at descriptor 0 turns Ctrl-C into a signal. The
// line editor switches that off only after it has shown its prompt, so that a quick
// Ctrl-C would be lost.
func setSignals(on bool) {
	mode, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return // no terminal: nothing to set
	}
	mode.Lflag &^= unix.ISIG
	if on {
		mode.Lflag |= unix.ISIG
	}
	_ = unix.IoctlSetTermios(0, unix.TCSETS, mode) // as good as it gets: Ctrl-C still arrives
}
