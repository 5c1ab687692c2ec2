package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

func main() {
	env := &environment{}
	flag.IntVar(&env.rows, "rows", 5_000_000, "rows of the largest data file")
	flag.IntVar(&env.runs, "runs", 5, "runs of each contender; medians are shown")
	flag.StringVar(&env.dir, "dir", "bench/data", "folder for the data")
	flag.StringVar(&env.bin, "bin", "bin/streamsql", "the streamsql to measure")
	quick := flag.Bool("quick", false, "a short run that fails if something has become slow, compared with the prototype")
	only := flag.String("only", "", "run only the benchmarks whose names hold this text")
	python := flag.String("python", "", "Python interpreter with the duckdb package; empty: no DuckDB")
	prototype := flag.String("prototype", os.Getenv("PROTOTYPE"), "folder of the data-path prototype; empty: no such lines")
	oracle := flag.String("oracle", os.Getenv("ORACLE"), "folder of the Flink runner; empty: no Flink")
	flag.Parse()
	err := env.find(*prototype)
	if err == nil && !*quick {
		err = env.findPeers(*python, *oracle)
	}
	if err == nil {
		err = run(env, *quick, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(env *environment, quick bool, only string) error {
	fmt.Printf("%s/%s, %d cores, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	threads := []int{1, 2}
	if quick {
		threads = threads[:1]
	}
	var results []*result
	for i := range jobs {
		j := &jobs[i]
		if quick && j.quick == 0 || !strings.Contains(j.name, only) {
			continue
		}
		r, err := env.do(j, threads)
		if err != nil {
			return err
		}
		if r != nil {
			results = append(results, r)
		}
	}
	if only == "" {
		if err := latency(20_000); err != nil {
			return err
		}
	}
	if quick {
		return guard(results)
	}
	summary(results)
	for i := range jobs {
		if env.oracle != "" && jobs[i].flink && slices.ContainsFunc(results, func(r *result) bool { return r.job == &jobs[i] }) {
			return flink(env, &jobs[i])
		}
	}
	return nil
}

// do runs one job; nil: somebody or something that it needs is missing.
func (env *environment) do(j *job, threads []int) (*result, error) {
	path, rows, err := env.input(j)
	if err != nil {
		skip("%s: %v", j.name, err)
		return nil, nil
	}
	list, err := env.contenders(j, path, threads)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return compare(j, list, rows, env.runs)
}
