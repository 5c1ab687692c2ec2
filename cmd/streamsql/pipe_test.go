package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// piped is the program between two pipes.
type piped struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *os.File
	line *bufio.Reader
	errs strings.Builder
}

func startPiped(t *testing.T, args ...string) *piped {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &piped{t: t, out: r, line: bufio.NewReader(r)}
	p.cmd = &exec.Cmd{Path: exe, Args: append([]string{"streamsql"}, args...), Stdout: w, Stderr: &p.errs}
	p.cmd.Env = append(os.Environ(), "GORACE="+noRaceSleep)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		r.Close()
	})
	return p
}

func (p *piped) send(rows string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, rows); err != nil {
		p.t.Fatal(err)
	}
}

// expect reads lines. They must come although more input may follow.
func (p *piped) expect(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		if err := p.out.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			p.t.Fatal(err)
		}
		got, err := p.line.ReadString('\n')
		if err != nil {
			p.t.Fatalf("waiting for %q: %v; messages: %s", want, err, p.errs.String())
		}
		if got != want+"\n" {
			p.t.Fatalf("got %q, want %q", got, want)
		}
	}
}

func (p *piped) status() int {
	p.t.Helper()
	if err := p.cmd.Wait(); err != nil && p.cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// Rows of a pipe come out as soon as they can: none waits for a full batch or
// buffer.
func TestLiveRows(t *testing.T) {
	for format, want := range map[string][]string{
		"csv":       {"tea,1", "mate,2"},
		"table":     {"tea          1", "mate         2"},
		"ndjson":    {`{"item":"tea","n":1}`, `{"item":"mate","n":2}`},
		"changelog": {"+I tea | 1", "+I mate | 2"},
	} {
		t.Run(format, func(t *testing.T) {
			p := startPiped(t, "--format", format, "-c", "SELECT item, n FROM stdin")
			p.send("item,n\ntea,1\n")
			switch format {
			case "csv":
				p.expect("item,n")
			case "table":
				p.expect("item         n")
			}
			p.expect(want[0])
			p.send("mate,2\n")
			p.expect(want[1])
			p.in.Close()
			if code := p.status(); code != 0 {
				t.Errorf("exit status %d: %s", code, p.errs.String())
			}
		})
	}
}

// A window comes out when its watermark passes, long before the end of input.
func TestLiveWindow(t *testing.T) {
	p := startPiped(t, "--event-time", "ts", "--delay", "1s", "-c",
		"SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE stdin, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end")
	p.send("ts,item\n2024-03-01 12:00:01.000,tea\n2024-03-01 12:00:11.000,tea\n")
	p.expect("window_start,n", "2024-03-01 12:00:00.000,1")
	p.send("2024-03-01 12:00:12.000,tea\n2024-03-01 12:00:30.000,tea\n")
	p.expect("2024-03-01 12:00:10.000,2")
	p.in.Close()
	p.expect("2024-03-01 12:00:30.000,1")
	if code := p.status(); code != 0 || p.errs.Len() > 0 {
		t.Errorf("exit status %d: %s", code, p.errs.String())
	}
}

// A limit ends a query whose input does not end; so does a reader that goes away.
func TestEndlessInput(t *testing.T) {
	p := startPiped(t, "--limit", "1", "-c", "SELECT item FROM stdin")
	p.send("item,n\ntea,1\nmate,2\n")
	p.expect("item", "tea")
	if code := p.status(); code != 0 || p.errs.Len() > 0 {
		t.Errorf("--limit: exit status %d: %s", code, p.errs.String())
	}
	p = startPiped(t, "-c", "SELECT item FROM stdin LIMIT 1")
	p.send("item,n\ntea,1\nmate,2\n")
	p.expect("item", "tea")
	if code := p.status(); code != 0 || p.errs.Len() > 0 {
		t.Errorf("LIMIT: exit status %d: %s", code, p.errs.String())
	}
	p = startPiped(t, "-c", "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen'); SELECT n, n, n FROM g; SELECT n FROM g")
	p.expect("n,n,n")
	p.out.Close()
	if code := p.status(); code != 0 || p.errs.Len() > 0 {
		t.Errorf("closed output: exit status %d: %s", code, p.errs.String())
	}
}
