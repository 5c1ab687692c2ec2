//go:build unix

package main

import (
	"syscall"
	"testing"
)

// With --flush-on-stop, Ctrl-C closes the windows that are open, and the query ends
// well; a statement behind it is not run.
func TestFlushOnStop(t *testing.T) {
	const query = "SELECT item, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE stdin, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, item"
	for script, want := range map[string]int{query: 0, query + "; SELECT 1": 130} {
		p := startPiped(t, "--flush-on-stop", "--event-time", "ts", "-c", script)
		// The first window shows that the rows have been taken.
		p.send("ts,item\n2024-03-01 12:00:01.000,tea\n2024-03-01 12:00:11.000,mate\n")
		p.expect("item,n", "tea,1")
		if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		p.expect("mate,1")
		if code := p.status(); code != want {
			t.Errorf("exit status %d, not %d: %s", code, want, p.errs.String())
		}
	}
}
