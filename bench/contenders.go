package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// contender is one engine in one configuration, ready to do one job.
type contender struct {
	name    string
	engine  string // streamsql, duckdb, prototype; "" for limits
	threads int
	run     func() (measured, error) // does the job once
	// count does it untimed and returns the rows; nil: run counts.
	count func() (int, error)
}

// measured is one run of a job.
type measured struct {
	wall, cpu float64 // seconds; cpu of all threads
	rows      int     // given; -1: not counted
}

// timed runs a command.
func timed(c *exec.Cmd) (measured, error) {
	start := time.Now()
	err := c.Run()
	m := measured{wall: time.Since(start).Seconds(), rows: -1}
	if p := c.ProcessState; p != nil {
		m.cpu = (p.UserTime() + p.SystemTime()).Seconds()
	}
	return m, err
}

// ours is timed as a whole process. Its rows are counted in a run of its own, since
// the counting would take time from it.
func ours(bin, statements string, threads int) contender {
	command := func(out io.Writer) *exec.Cmd {
		c := exec.Command(bin, "-q", "--format", "csv", "--workers", strconv.Itoa(threads), "-c", statements)
		c.Stdout, c.Stderr = out, os.Stderr
		c.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(threads))
		return c
	}
	return contender{
		name: fmt.Sprintf("streamsql, %s", plural(threads)), engine: "streamsql", threads: threads,
		run: func() (measured, error) {
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return measured{}, err
			}
			defer null.Close()
			return timed(command(null))
		},
		count: func() (int, error) {
			var n lineCounter
			err := command(&n).Run()
			return int(n) - 1, err // without the header
		},
	}
}

func plural(threads int) string {
	if threads == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", threads)
}

type lineCounter int

func (n *lineCounter) Write(p []byte) (int, error) {
	*n += lineCounter(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// duckdb runs in process: only the query is timed, not the start of the interpreter.
func duckdb(env *environment, query string, threads int) contender {
	return contender{
		name: fmt.Sprintf("DuckDB %s, %s", env.duckVersion, plural(threads)), engine: "duckdb", threads: threads,
		run: func() (m measured, err error) {
			c := exec.Command(env.python, filepath.Join("bench", "duckdb_query.py"), strconv.Itoa(threads), os.DevNull)
			c.Stdin, c.Stderr = strings.NewReader(query), os.Stderr
			b, err := c.Output()
			if err == nil {
				_, err = fmt.Sscan(string(b), &m.wall, &m.cpu, &m.rows)
			}
			return m, err
		},
	}
}

var groupsLine = regexp.MustCompile(`rows \d+ groups (\d+)`)

// prototype has no NULLs, expressions or errors: a limit to measure against.
func prototype(env *environment, args []string, threads int) contender {
	return contender{
		name: fmt.Sprintf("prototype, %s", plural(threads)), engine: "prototype", threads: threads,
		run: func() (measured, error) {
			c := exec.Command(env.prototype, append([]string{"-t", strconv.Itoa(threads), "-n", "1", "-o", os.DevNull}, args...)...)
			var out bytes.Buffer
			c.Dir, c.Stdout, c.Stderr = env.dir, &out, os.Stderr
			m, err := timed(c)
			if groups := groupsLine.FindSubmatch(out.Bytes()); groups != nil && err == nil {
				m.rows, err = strconv.Atoi(string(groups[1]))
			}
			return m, err
		},
	}
}

// limits are what reading the file costs at least.
func limits(path string) ([]contender, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return []contender{{
		name: "limit: wc -l",
		run:  func() (measured, error) { return timed(exec.Command("wc", "-l", path)) },
	}, {
		name: "limit: one pass over the bytes in memory",
		run: func() (measured, error) {
			start := time.Now()
			var sum uint64
			for b := content; len(b) >= 32; b = b[32:] {
				sum += binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[8:]) ^ binary.LittleEndian.Uint64(b[16:]) ^ binary.LittleEndian.Uint64(b[24:])
			}
			runtime.KeepAlive(sum)
			s := time.Since(start).Seconds()
			return measured{s, s, -1}, nil
		},
	}}, nil
}
