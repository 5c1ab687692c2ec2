//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Ctrl-C and SIGTERM end the program also while it waits for the first line: of data
// whose columns it must guess, and of a script.
func TestStopBeforeTheFirstLine(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	for name, args := range map[string][]string{"data": {"-c", "SELECT * FROM '" + fifo + "'"}, "script": {"-f", fifo}} {
		for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			p := startPiped(t, args...)
			limit := time.AfterFunc(20*time.Second, func() { p.cmd.Process.Kill() })
			f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits until the program reads
			if err != nil {
				t.Fatal(err)
			}
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if code := p.status(); code != want || p.errs.String() != "" {
				t.Errorf("%s, %v: exit status %d: %s", name, sig, code, p.errs.String())
			}
			limit.Stop()
			f.Close()
		}
	}
}
