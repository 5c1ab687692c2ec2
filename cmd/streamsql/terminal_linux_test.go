package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is the program on a pseudo terminal, and somebody who types.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	stdin  io.WriteCloser // data, if it is not the terminal

	mu     sync.Mutex
	cond   *sync.Cond
	screen string
	seen   int // what expect has passed
	ended  bool
}

// startTerminal starts streamsql with a terminal as standard output and error, and
// as standard input too unless it is a pipe.
func startTerminal(t *testing.T, dir string, pipe bool, args ...string) *terminal {
	t.Helper()
	master, slave := openPTY(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master}
	x.cond = sync.NewCond(&x.mu)
	x.cmd = &exec.Cmd{
		Path: exe, Args: append([]string{"streamsql"}, args...), Dir: dir,
		Env:   append(os.Environ(), "TERM=xterm", "GORACE="+noRaceSleep, "XDG_STATE_HOME="+filepath.Join(dir, "state")),
		Stdin: slave, Stdout: slave, Stderr: slave,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1},
	}
	if pipe {
		x.cmd.Stdin = nil
		if x.stdin, err = x.cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go x.read()
	t.Cleanup(func() {
		x.cmd.Process.Kill()
		x.cmd.Wait()
		master.Close()
	})
	return x
}

func openPTY(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "ptmx"), slave
}

func (x *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := x.master.Read(buf)
		x.mu.Lock()
		x.screen += string(buf[:n])
		x.ended = err != nil
		x.cond.Broadcast()
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *terminal) typeKeys(keys string) {
	x.t.Helper()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// expect waits until the text appears behind what was expected before.
func (x *terminal) expect(text string) {
	x.t.Helper()
	timer := time.AfterFunc(20*time.Second, func() {
		x.mu.Lock()
		x.ended = true
		x.cond.Broadcast()
		x.mu.Unlock()
	})
	defer timer.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		if i := strings.Index(x.screen[x.seen:], text); i >= 0 {
			x.seen += i + len(text)
			return
		}
		if x.ended {
			x.t.Fatalf("%q did not appear in\n%q", text, x.screen[x.seen:])
		}
		x.cond.Wait()
	}
}

// status waits for the end and returns the exit status.
func (x *terminal) status() int {
	x.t.Helper()
	err := x.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		x.t.Fatal(err)
	}
	return x.cmd.ProcessState.ExitCode()
}

func dataFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "orders.csv"), []byte("item,n\ntea,1\nmate,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

func TestShellOnTerminal(t *testing.T) {
	dir := dataFolder(t)
	x := startTerminal(t, dir, false)
	x.expect("streamsql 0")
	x.expect("streamsql> ")
	x.typeKeys("SELECT item\n")
	x.expect("...> ")
	x.typeKeys("FROM 'orders.csv' LIMIT 1;\n")
	x.expect("tea")
	x.expect("(1 row, ")
	x.typeKeys(".tabels\n")
	x.expect("did you mean .tables?")
	x.typeKeys("SELECT itm FROM 'orders.csv';\n")
	x.expect(`column "itm" not found`)
	x.expect("^^^")
	x.expect("streamsql> ")
	x.typeKeys("SELECT nonsense" + ctrlC) // drops the statement
	x.expect("streamsql> ")
	x.typeKeys("SELECT\n")
	x.expect("...> ")
	x.typeKeys(ctrlC)
	x.expect("streamsql> ")
	x.typeKeys(ctrlD)
	if code := x.status(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	text, err := os.ReadFile(filepath.Join(dir, "state", "streamsql", "history"))
	if want := "SELECT item FROM 'orders.csv' LIMIT 1;\nSELECT itm FROM 'orders.csv';\n"; err != nil || string(text) != want {
		t.Errorf("history: %v %q", err, text)
	}
}

// Ctrl-C stops an endless query; the shell lives on, and knows what it waited for.
func TestStopOnTerminal(t *testing.T) {
	x := startTerminal(t, dataFolder(t), false)
	x.expect("streamsql> ")
	x.typeKeys("CREATE TABLE forever (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');\n")
	x.expect("streamsql> ")
	x.typeKeys("SELECT 'tea' AS item FROM forever;\n")
	x.expect("tea\r\n")
	x.typeKeys(ctrlC)
	x.expect("stopped\r\n")
	x.expect("streamsql> ")
	x.typeKeys(".why\n")
	x.expect("streamsql> ")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := x.status(); code != 143 {
		t.Errorf("exit status %d after SIGTERM", code)
	}
}

// With -i data comes from the pipe and SQL from the keyboard; Ctrl-C stops the query
// and nothing else.
func TestDataAndKeyboard(t *testing.T) {
	x := startTerminal(t, dataFolder(t), true, "-i")
	x.expect("streamsql> ")
	x.typeKeys("SELECT item FROM stdin /* forever */;\n")
	io.WriteString(x.stdin, "item,n\ntea,1\n")
	x.expect("tea\r\n")
	x.typeKeys(ctrlC)
	x.expect("stopped\r\n")
	x.expect("streamsql> ")
	x.typeKeys("exit\n")
	if code := x.status(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

func TestSignalsOfScripts(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		x := startTerminal(t, dataFolder(t), true, "--format", "csv", "-c", "SELECT item FROM stdin /* forever */")
		io.WriteString(x.stdin, "item,n\ntea,1\n")
		x.expect("tea\r\n")
		if err := x.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := x.status(); code != want {
			t.Errorf("%v: exit status %d, want %d", sig, code, want)
		}
	}
}
