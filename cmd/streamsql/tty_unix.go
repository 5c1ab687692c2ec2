//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// keyboardOnStdin puts the terminal in the place of standard input, where the line
// editor reads, and returns what standard input was.
func keyboardOnStdin() (*os.File, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	data, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup2(int(tty.Fd()), 0); err != nil {
		syscall.Close(data)
		return nil, err
	}
	return os.NewFile(uintptr(data), "stdin"), nil
}
