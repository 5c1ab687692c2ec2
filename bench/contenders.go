package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// contender is one engine in one configuration.
type contender struct {
	name string
	// run does the job once and returns the seconds it took.
	run func() (float64, error)
	// out is how many rows the job gave; all contenders must agree. -1: not known
	out     func() (int, error)
	base    bool // ratios are to the contender with base and the same threads
	threads int
}

// query is the job: ten-second windows, 10,000 keys, COUNT and SUM, CSV out.
const query = `CREATE TABLE t (ts TIMESTAMP(3), user_id BIGINT, item STRING, price DOUBLE, qty BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'csv', 'csv.header' = 'true');
SELECT window_start, item, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, item;`

func streamsql(bin, data string, workers int) contender {
	command := func() *exec.Cmd {
		return exec.Command(bin, "-q", "--format", "csv", "--workers", strconv.Itoa(workers), "-c", fmt.Sprintf(query, data))
	}
	return contender{
		name: fmt.Sprintf("streamsql, %d thread(s), whole process", workers), threads: workers,
		run: func() (float64, error) {
			c := command()
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return 0, err
			}
			defer null.Close()
			c.Stdout, c.Stderr = null, os.Stderr
			c.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(workers))
			start := time.Now()
			err = c.Run()
			return time.Since(start).Seconds(), err
		},
		out: func() (int, error) {
			b, err := command().Output()
			return strings.Count(string(b), "\n") - 1, err
		},
	}
}

// duckdb runs the same job in DuckDB, in process: only the query is timed, not the
// start of the interpreter.
func duckdb(python, data string, threads int) contender {
	script := filepath.Join("bench", "duckdb_tumble.py")
	call := func(target string) (string, error) {
		c := exec.Command(python, script, data, strconv.Itoa(threads), target)
		c.Stderr = os.Stderr
		b, err := c.Output()
		return strings.TrimSpace(string(b)), err
	}
	version := "?"
	if b, err := exec.Command(python, "-c", "import duckdb; print(duckdb.__version__)").Output(); err == nil {
		version = strings.TrimSpace(string(b))
	}
	return contender{
		name: fmt.Sprintf("DuckDB %s, %d thread(s), query only", version, threads), base: true, threads: threads,
		run: func() (float64, error) {
			s, err := call(os.DevNull)
			if err != nil {
				return 0, err
			}
			return strconv.ParseFloat(s, 64)
		},
		out: func() (int, error) {
			f, err := os.CreateTemp("", "duckdb-*.csv")
			if err != nil {
				return 0, err
			}
			defer os.Remove(f.Name())
			defer f.Close()
			if _, err := call(f.Name()); err != nil {
				return 0, err
			}
			b, err := os.ReadFile(f.Name())
			return strings.Count(string(b), "\n") - 1, err
		},
	}
}

// newPrototype builds the data-path prototype, which has no NULLs, expressions or
// errors: the limit to measure against.
func newPrototype(dir, data string) ([]contender, error) {
	bin := filepath.Join(data, "prototype-e2e")
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-o", bin, "./e2e")
	build.Dir, build.Stderr = dir, os.Stderr
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the prototype: %w", err)
	}
	var list []contender
	for _, threads := range []int{1, 2} {
		list = append(list, contender{
			name: fmt.Sprintf("prototype (the limit), %d thread(s)", threads), threads: threads,
			run: func() (float64, error) {
				c := exec.Command(bin, "-t", strconv.Itoa(threads), "-n", "1", "-o", os.DevNull)
				c.Dir, c.Stderr = data, os.Stderr
				start := time.Now()
				err := c.Run()
				return time.Since(start).Seconds(), err
			},
		})
	}
	return list, nil
}

// compare runs the contenders in turn, round by round, so that all see the same
// moods of the machine, and prints medians and ratios.
func compare(list []contender, rows, runs int) error {
	want := -1
	for _, c := range list {
		if c.out == nil {
			continue
		}
		n, err := c.out() // warms up, too
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if want >= 0 && n != want {
			return fmt.Errorf("%s gives %d rows, others %d", c.name, n, want)
		}
		want = n
	}
	fmt.Printf("%d result rows; %d runs each, in turn\n\n", want, runs)
	times := make([][]float64, len(list))
	for range runs {
		for i, c := range list {
			s, err := c.run()
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			times[i] = append(times[i], s)
		}
	}
	base := map[int]float64{}
	for i, c := range list {
		if c.base {
			base[c.threads] = median(times[i])
		}
	}
	fmt.Printf("%-44s %9s %9s %9s\n", "", "median s", "M rows/s", "x DuckDB")
	for i, c := range list {
		m := median(times[i])
		ratio := "-"
		if b := base[c.threads]; b > 0 {
			ratio = fmt.Sprintf("%.2f", b/m)
		}
		fmt.Printf("%-44s %9.3f %9.2f %9s\n", c.name, m, float64(rows)/m/1e6, ratio)
	}
	if len(times) == 0 {
		return errors.New("nothing to compare")
	}
	return nil
}

func median(x []float64) float64 {
	y := slices.Clone(x)
	slices.Sort(y)
	return y[len(y)/2]
}
