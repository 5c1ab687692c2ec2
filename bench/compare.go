package main

import (
	"fmt"
	"slices"
	"strings"
)

// result is what a job's contenders needed: medians by engine and number of threads.
type result struct {
	job  *job
	rows int // of input
	took map[string]measured
	pair float64 // as pair says, meanwhile; 0: nobody had two threads
}

// key names an engine with its number of threads.
func key(engine string, threads int) string { return fmt.Sprintf("%s/%d", engine, threads) }

// over is how many times faster streamsql is than another engine; 0: not known. With
// one thread it is the ratio of the CPU times, which neighbours on the machine disturb
// less than the time that passes.
func (r *result) over(engine string, threads int) float64 {
	own, other := r.took[key("streamsql", threads)], r.took[key(engine, threads)]
	switch {
	case other.wall == 0:
		return 0
	case threads == 1:
		return other.cpu / own.cpu
	}
	return other.wall / own.wall
}

// rate is the input rows per CPU second of an engine with one thread; 0: it did not
// take part.
func (r *result) rate(engine string) float64 {
	if m := r.took[key(engine, 1)]; m.cpu > 0 {
		return float64(r.rows) / m.cpu
	}
	return 0
}

// compare runs the contenders in turn, round by round, so that all see the same moods
// of the machine, and prints medians. All must give the same number of rows.
func compare(j *job, list []contender, rows, runs int) (*result, error) {
	want, first := -1, ""
	agree := func(c *contender, n int) error {
		if n < 0 || n == want {
			return nil
		}
		if want >= 0 {
			return fmt.Errorf("%s: %s gives %d rows, %s %d", j.name, c.name, n, first, want)
		}
		want, first = n, c.name
		return nil
	}
	walls, cpus := make([][]float64, len(list)), make([][]float64, len(list))
	var pairs []float64
	for round := range runs + 1 { // the first warms up
		for i := range list {
			c := &list[i]
			m, err := c.run()
			if err == nil && round == 0 && c.count != nil {
				m.rows, err = c.count()
			}
			if err == nil {
				err = agree(c, m.rows)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", j.name, c.name, err)
			}
			if round > 0 {
				walls[i], cpus[i] = append(walls[i], m.wall), append(cpus[i], m.cpu)
			}
			if round > 0 && c.engine == "streamsql" && c.threads == 2 {
				pairs = append(pairs, pair())
			}
		}
	}
	r := &result{job: j, rows: rows, took: map[string]measured{}}
	fmt.Printf("\n%s: %d rows in, %d out; medians of %d\n%-44s %10s %10s %12s\n", j.name, rows, want, runs, "", "seconds", "CPU", "M rows/s")
	for i, c := range list {
		m := measured{median(walls[i]), median(cpus[i]), want}
		fmt.Printf("  %-42s %10.3f %10.3f %12.2f\n", c.name, m.wall, m.cpu, float64(rows)/m.wall/1e6)
		if c.engine != "" {
			r.took[key(c.engine, c.threads)] = m
		}
	}
	if len(pairs) > 0 {
		r.pair = median(pairs)
		fmt.Printf("  calculations meanwhile: two threads do %.2f times the work of one\n", r.pair)
	}
	return r, nil
}

func median(x []float64) float64 {
	y := slices.Sorted(slices.Values(x))
	return y[len(y)/2]
}

// summary prints the table of README.md.
func summary(results []*result) {
	fmt.Print("\n| benchmark | streamsql, M rows per CPU second | x DuckDB, 1 thread | x DuckDB, 2 threads | x prototype, 1 thread | 2 threads x 1 | calculations |\n|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		one, two := r.took[key("streamsql", 1)], r.took[key("streamsql", 2)]
		fmt.Printf("| %s | %.1f | %s | %s | %s | %.2f | %.2f |\n", r.job.name, r.rate("streamsql")/1e6,
			times(r.over("duckdb", 1)), times(r.over("duckdb", 2)), times(r.over("prototype", 1)), one.wall/two.wall, r.pair)
	}
}

func times(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}

// guard compares with the prototype's rate on the first job and returns an error that
// names the jobs that have become slow.
func guard(results []*result) error {
	if len(results) == 0 || results[0].rate("prototype") == 0 {
		skip("the guard: it needs the prototype on %s", jobs[0].name)
		return nil
	}
	limit := results[0].rate("prototype")
	var slow []string
	fmt.Printf("\n%-30s %20s %8s\n", "rows per CPU second, as a part", "measured", "least")
	for _, r := range results {
		part := r.rate("streamsql") / limit
		fmt.Printf("%-31s %20.2f %8.2f\n", r.job.name, part, r.job.quick)
		if part < r.job.quick {
			slow = append(slow, r.job.name)
		}
	}
	if len(slow) > 0 {
		return fmt.Errorf("slower than it has been: %s", strings.Join(slow, ", "))
	}
	return nil
}
